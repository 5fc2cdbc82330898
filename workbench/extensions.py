"""Extension points: what other packages, or a researcher's own module, can put in the place of a part of ours.

An extension goes by a name. It is found, in this order, among

- our own parts,
- those that were registered in this process: `register`,
- installed packages that name it as an entry point of the point's group, as in their `pyproject.toml`:

      [project.entry-points."workbench.beat_trackers"]
      librosa = "their_package.trackers:LibrosaTracker"

- modules that can be imported: a name with a colon, `their_module:LibrosaTracker`, says where it is itself, so a file
  beside a notebook needs no package; modules of the working folder are found. Child processes find it too.

What is registered is known to its own process only: for the processes of `batch` and `sweep`, name it as
`module:attribute`.

Install your package into the environment of workbench: `pip install ./my_package`. The points:

================  ===================  ============================  =======================
point             constant             group of entry points         on the command line
================  ===================  ============================  =======================
beat tracker      `BEAT_TRACKERS`      `workbench.beat_trackers`     `--use beat-tracker=`
section finder    `SECTION_FINDERS`    `workbench.section_finders`   `--use section-finder=`
seam measure      `SEAM_MEASURES`      `workbench.seam_measures`     `--use seam-measure=`
voice detector    `VOICE_DETECTORS`    `workbench.voice_detectors`   `--use voice-detector=`
match term        `MATCH_TERMS`        `workbench.match_terms`       `--use match-term=`
export format     `EXPORT_FORMATS`     `workbench.export_formats`    `export --format`
================  ===================  ============================  =======================

================  ==========================================  =====================================================
point             keeps                                       passes
================  ==========================================  =====================================================
beat tracker      `workbench.beats.tracker.BeatTracker`       `workbench.testing.beat_tracker.BeatTrackerSuite`
section finder    `workbench.structure.finder.SectionFinder`  `workbench.testing.section_finder.SectionFinderSuite`
seam measure      `workbench.seams.measures.SeamMeasure`      `workbench.testing.seam_measure.SeamMeasureSuite`
voice detector    `workbench.mix.detectors.VoiceDetector`     `workbench.testing.voice_detector.VoiceDetectorSuite`
match term        `workbench.matching.terms.MatchTerm`           `workbench.testing.match_term.MatchTermSuite`
export format     `workbench.export.formats.Format`           `workbench.testing.export_format.ExportFormatSuite`
================  ==========================================  =====================================================

The name stands in the parameters, so it is in profiles, cache keys and results; the command line takes it as `--use`
and the page offers it (`workbench.extensions`). A class is instantiated without arguments. Each point has a Protocol
beside the code that calls it, and a suite of tests in `workbench.testing` that any implementation inherits.

A parameter that names extensions says of which point (`names_extension` of `workbench.params.base`), and `choices`
finds these parameters. Such a field holds one name or, where extensions are parts of a score, names with their weights.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import ValidationError

from workbench.errors import ParameterError, WorkbenchError
from workbench.params.base import BEAT_TRACKERS as BEAT_TRACKERS
from workbench.params.base import EXPORT_FORMATS as EXPORT_FORMATS
from workbench.params.base import MATCH_TERMS as MATCH_TERMS
from workbench.params.base import OWN as OWN
from workbench.params.base import SEAM_MEASURES as SEAM_MEASURES
from workbench.params.base import SECTION_FINDERS as SECTION_FINDERS
from workbench.params.base import VOICE_DETECTORS as VOICE_DETECTORS
from workbench.params.base import named_weights
from workbench.params.workbench import WorkbenchParams

_WORDS = {
    BEAT_TRACKERS: "beat tracker",
    EXPORT_FORMATS: "export format",
    MATCH_TERMS: "match term",
    SEAM_MEASURES: "seam measure",
    SECTION_FINDERS: "section finder",
    VOICE_DETECTORS: "voice detector",
}
# Our own parts, as entry points name those of others; formats have a table of their own
_OWN: dict[str, dict[str, str]] = {
    BEAT_TRACKERS: {OWN: "workbench.beats.tracker:OwnTracker"},
    SECTION_FINDERS: {OWN: "workbench.structure.finder:OwnFinder"},
    VOICE_DETECTORS: {OWN: "workbench.mix.detectors:OwnDetector"},
}

_registered: dict[tuple[str, str], Any] = {}


def register(group: str, name: str, extension: Any) -> None:
    """Make an extension known in this process, and in no other: name one for worker processes as `module:attribute`.

    Parameters
    ----------
    group : the extension point, such as `BEAT_TRACKERS`
    name : by which parameters and options take it
    extension : an object that keeps the Protocol of the point, or a class of such

    Raises
    ------
    ParameterError : there is no such point, or the name is one of ours
    """
    _known(group)
    if name in _OWN.get(group, {}):
        raise ParameterError(f"{name} is a {_WORDS[group]} of this package; take another name")
    _registered[group, name] = extension


def unregister(group: str, name: str) -> None:
    """Forget an extension that was registered in this process; one that was not is no error.

    Parameters
    ----------
    group, name : as they were given to `register`
    """
    _registered.pop((group, name), None)


@contextmanager
def scope() -> Iterator[None]:
    """Undo at the end of the block what `register` and `unregister` did within it."""
    before = dict(_registered)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def names(group: str) -> tuple[str, ...]:
    """Names of all extensions of a point but those that are named by their module."""
    _known(group)
    here = [name for point, name in _registered if point == group]
    return tuple(dict.fromkeys((*_OWN.get(group, {}), *here, *(point.name for point in _installed(group)))))


def word_of(group: str) -> str:
    """What one extension of a point is called, such as "beat tracker"; raises `ParameterError` for an unknown point."""
    _known(group)
    return _WORDS[group]


def find(group: str, name: str) -> Any:
    """Find an extension by its name, or `module:attribute`; of a class, an instance.

    Raises `ParameterError`, which says why, if there is none, or it cannot be loaded.
    """
    _known(group)
    if (group, name) in _registered:
        return _made(group, name, _registered[group, name])
    address = _OWN.get(group, {}).get(name)
    if address is None:
        address = next((point.value for point in _installed(group) if point.name == name), None)
    if address is None and ":" in name:
        address = name
    if address is None:
        known = ", ".join(names(group)) or "none"
        raise ParameterError(
            f"there is no {_WORDS[group]} {name}; known are {known}, or one as module:attribute. "
            "One that was registered is not known to other processes: name it as module:attribute for them"
        )
    if address == name:
        _look_here()
    return _made(group, name, _loaded(group, name, address))


def has_version(extension: Any) -> bool:
    """Whether an extension states a version, a whole number from 1, under which its answers are stored."""
    version = getattr(extension, "version", None)
    return isinstance(version, int) and version >= 1


def _known(group: str) -> None:
    if group not in _WORDS:
        raise ParameterError(f"there is no extension point {group}; there are {', '.join(_WORDS)}")


@cache
def _installed(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def _loaded(group: str, name: str, address: str) -> Any:
    module, _, attribute = address.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # whatever the code of others raises while it is imported
        raise ParameterError(f"the {_WORDS[group]} {name} cannot be loaded: {_said(error)}") from error
    return found


def _look_here() -> None:
    """Let modules of the working folder be found, behind all others: a console script does not look there."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


def _made(group: str, name: str, extension: Any) -> Any:
    if not inspect.isclass(extension):
        return extension
    try:
        return extension()
    except Exception as error:
        raise ParameterError(f"the {_WORDS[group]} {name} cannot be made without arguments: {_said(error)}") from error


def _said(error: Exception) -> str:
    """What an error of another's code says, with its kind where that is not said."""
    return str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"


@contextmanager
def work_of(group: str, name: str) -> Iterator[None]:
    """Call an extension within this block: what it raises becomes a `ParameterError` that names it in one line."""
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as error:
        raise ParameterError(f"the {_WORDS[group]} {name} failed: {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that names extensions."""

    stage: str
    """name of a field of `WorkbenchParams`"""
    field: str
    """of that stage"""
    group: str
    """the extension point"""
    is_weighed: bool
    """whether it takes several, each with a weight"""

    @property
    def word(self) -> str:
        """What one is called on the command line, such as "beat-tracker"."""
        return word_of(self.group).replace(" ", "-")


@cache
def choices() -> tuple[Choice, ...]:
    """All fields that name extensions, in the order of the stages."""
    found = []
    for stage in WorkbenchParams.model_fields:
        for name, field in type(getattr(WorkbenchParams(), stage)).model_fields.items():
            group = field.json_schema_extra.get("extension") if isinstance(field.json_schema_extra, dict) else None
            if isinstance(group, str):
                found.append(Choice(stage, name, group, isinstance(field.default, tuple)))
    return tuple(found)


def chosen(params: WorkbenchParams, choice: Choice) -> tuple[str, ...]:
    """Names of the extensions of a point that parameters name."""
    value = getattr(getattr(params, choice.stage), choice.field)
    return tuple(name for name, _ in named_weights(value)) if choice.is_weighed else (value,)


def with_chosen(params: WorkbenchParams, choice: Choice, names: Iterable[str]) -> WorkbenchParams:
    """The parameters with other extensions of one point.

    Where they are weighed, `names` are all that count: those that counted before keep their weights, others get 1.
    Raises `ParameterError` for a name that the field refuses.
    """
    stage = getattr(params, choice.stage)
    if choice.is_weighed:
        before = dict(named_weights(getattr(stage, choice.field)))
        value: object = tuple(f"{name}={before.get(name, 1.0):g}" for name in names)
    else:
        (value,) = names
    return _with(params, choice, value)


def with_uses(params: WorkbenchParams, uses: Iterable[str]) -> WorkbenchParams:
    """The parameters with extensions as a command names them, such as "section-finder=their_module:Finder".

    Where extensions are weighed, a use is point=name=weight, without a weight 1, and it is added. Raises
    `ParameterError` for an unknown point, or a name that the field refuses.
    """
    points = {choice.word: choice for choice in choices()}
    for use in uses:
        word, _, name = use.partition("=")
        if word not in points or not name:
            raise ParameterError(f"{use}: name an extension as POINT=NAME; points are {', '.join(sorted(points))}")
        choice = points[word]
        if not choice.is_weighed:
            params = _with(params, choice, name)
            continue
        named, _, weight = name.rpartition("=")
        one = name if named and _is_weight(weight) else f"{name}=1"
        params = _with(params, choice, (*getattr(getattr(params, choice.stage), choice.field), one))
    return params


def _is_weight(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _with(params: WorkbenchParams, choice: Choice, value: object) -> WorkbenchParams:
    try:
        values = params.model_dump()
        values[choice.stage][choice.field] = value
        return WorkbenchParams.model_validate(values)
    except ValidationError as error:
        raise ParameterError(f"{choice.word}: {error.errors()[0]['msg']}") from None
