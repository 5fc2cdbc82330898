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

The name stands in the parameters, so it is in profiles, cache keys and results; the command line takes it as `--use`
and the page offers it. A class is instantiated without arguments. `_POINTS` names the Protocol of each point, which
stands beside the code that calls it, and our own parts; `workbench.lab.extension_suites` has a suite of tests for each
point, which any implementation inherits.

A parameter that names extensions says of which point (`names_extension` of `workbench.params.base`), and `choices`
finds these parameters. Such a field holds one name or, where extensions are parts of a score, names with their weights.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from numbers import Real
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


@dataclass(frozen=True, slots=True)
class _Point:
    """An extension point."""

    word: str
    """what one extension is called"""
    protocol: str
    """module:attribute of the Protocol"""
    needs: str
    """its members, for the message about an incomplete object"""
    own: Mapping[str, str] = field(default_factory=dict)
    """module:attribute of our own parts by name, as entry points name external ones"""


# Addresses, not imports: this module stands below all that it finds, and no part of ours loads for another's sake.
_POINTS = {
    BEAT_TRACKERS: _Point(
        "beat tracker", "workbench.analysis.protocols:BeatTracker",
        "a version, from 1, and track(recording, params)",
        {OWN: "workbench.beats.track:OwnTracker"},
    ),
    EXPORT_FORMATS: _Point(
        "export format", "workbench.export.formats:Format",
        "to be a workbench.export.formats.Format",
        {
            "otio": "workbench.export.otio:FORMAT",
            "fcpxml": "workbench.export.fcpxml:FORMAT",
            "xmeml": "workbench.export.xmeml:FORMAT",
            "edl": "workbench.export.edl:FORMAT",
            "rpp": "workbench.export.reaper:FORMAT",
            "audacity": "workbench.export.audacity:FORMAT",
            "jams": "workbench.export.jams:FORMAT",
            "csv": "workbench.export.csv_tables:SEAMS",
            "markers": "workbench.export.csv_tables:MARKERS",
            "cue-sheet": "workbench.export.cue_sheet:CUE_SHEET",
            "credits": "workbench.export.cue_sheet:CREDITS_TEXT",
            "loop-tags": "workbench.export.loop_tags:FORMAT",
        },
    ),
    MATCH_TERMS: _Point(
        "match term", "workbench.matching.terms:MatchTerm",
        "usual, over 0 and at most 1, description and parts(video, columns)",
    ),
    SEAM_MEASURES: _Point(
        "seam measure", "workbench.seams.measures:SeamMeasure",
        "version, unit, description, 0 < least <= most, features and breaks",
    ),
    SECTION_FINDERS: _Point(
        "section finder", "workbench.analysis.protocols:SectionFinder",
        "a version, from 1, and sections(recording, grid, bars, params)",
        {OWN: "workbench.structure.sections:OwnFinder"},
    ),
    VOICE_DETECTORS: _Point(
        "voice detector", "workbench.analysis.protocols:VoiceDetector",
        "a version, from 1, reads(video) and utterances(video, soundtrack, params)",
        {OWN: "workbench.video.utterances:OwnDetector"},
    ),
}  # fmt: skip

_registered: dict[tuple[str, str], Any] = {}


def register(group: str, name: str, extension: Any) -> None:
    """Register an extension in this process alone; worker processes find one that is named as `module:attribute`.

    Parameters
    ----------
    group : the extension point, such as `BEAT_TRACKERS`
    name : by which parameters and options take it
    extension : an object that satisfies the Protocol of the point, or a class of such

    Raises
    ------
    ParameterError : there is no such point, or the name is that of a built-in extension
    """
    if name in _point(group).own:
        raise ParameterError(f"{name} is a {word_of(group)} of this package; take another name")
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
    own = _point(group).own
    here = [name for point, name in _registered if point == group]
    return tuple(dict.fromkeys((*own, *here, *(point.name for point in _installed(group)))))


def word_of(group: str) -> str:
    """What one extension of a point is called, such as "beat tracker"; raises `ParameterError` for an unknown point."""
    return _point(group).word


def find(group: str, name: str) -> Any:
    """Find an extension by its name, or `module:attribute`; of a class, an instance.

    Raises `ParameterError`, which says why, if there is none, it cannot be loaded, or it lacks a member of the Protocol
    of the point.
    """
    point = _point(group)
    found = _made(group, name, _registered[group, name] if (group, name) in _registered else _addressed(group, name))
    protocol = _loaded(group, name, point.protocol)
    is_versioned = "version" in protocol.__annotations__
    if not isinstance(found, protocol) or (is_versioned and not _has_version(found)):
        raise lacking(group, name)
    return found


def lacking(group: str, name: str) -> ParameterError:
    """The error for an object that is no extension of a point: it says what one has."""
    point = _point(group)
    return ParameterError(f"{name} is no {point.word}: it needs {point.needs}")


def is_number(value: Any) -> bool:
    """Whether a member of an extension is a number, of Python or NumPy."""
    return isinstance(value, Real)


def _addressed(group: str, name: str) -> Any:
    point = _point(group)
    address = point.own.get(name) or next((one.value for one in _installed(group) if one.name == name), None)
    if address is None and ":" in name:
        _look_here()
        address = name
    if address is None:
        known = ", ".join(names(group)) or "none"
        raise ParameterError(
            f"there is no {point.word} {name}; known are {known}, or one as module:attribute. "
            "One that was registered is not known to other processes: name it as module:attribute for them"
        )
    return _loaded(group, name, address)


def _has_version(extension: Any) -> bool:
    """Whether an extension states a version, a whole number from 1, under which its answers are stored."""
    return isinstance(extension.version, int) and extension.version >= 1


def _point(group: str) -> _Point:
    if group not in _POINTS:
        raise ParameterError(f"there is no extension point {group}; there are {', '.join(_POINTS)}")
    return _POINTS[group]


@cache
def _installed(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def _loaded(group: str, name: str, address: str) -> Any:
    module, _, attribute = address.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # external code may raise any exception while it is imported
        raise ParameterError(f"the {word_of(group)} {name} cannot be loaded: {_text(error)}") from error
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
        raise ParameterError(f"the {word_of(group)} {name} cannot be made without arguments: {_text(error)}") from error


def _text(error: Exception) -> str:
    """Message of an error from external code, after its type unless that adds nothing."""
    return str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"


@contextmanager
def work_of(group: str, name: str) -> Iterator[None]:
    """Call an extension within this block: its exceptions become a `ParameterError` that names it in one line."""
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as error:
        raise ParameterError(f"the {word_of(group)} {name} failed: {type(error).__name__}: {error}") from error


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
        for name, info in type(getattr(WorkbenchParams(), stage)).model_fields.items():
            group = info.json_schema_extra.get("extension") if isinstance(info.json_schema_extra, dict) else None
            if isinstance(group, str):
                found.append(Choice(stage, name, group, isinstance(info.default, tuple)))
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


def with_uses(params: WorkbenchParams | None, uses: Iterable[str]) -> WorkbenchParams:
    """Parameters with extensions as a command names them, such as "section-finder=their_module:Finder".

    Without parameters they are added to the defaults. Where extensions are weighed, a use is point=name=weight, without
    a weight 1, and it is added. Raises `ParameterError` for an unknown point, or a name that the field refuses.
    """
    params = params or WorkbenchParams()
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
