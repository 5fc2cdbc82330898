"""Provenance: what a result was made from, so that it can be made again.

The command line, notebooks and the dashboard write it into every result, as the key `provenance` beside `plan`; what
the service answers has no such key. Files are named by their name and by the SHA-256 of their bytes, never by a folder.

    command       the command whose result it is, and `constraints`, its options that were not left at their defaults
    program       name and version, with the versions of the stages that the result was computed by
    parameters    those that differ from the defaults, and a digest of the defaults
    environment   versions of Python, NumPy, SciPy, PyAV and FFmpeg, and the platform
    extensions    version and a hash of the source of a tracker, finder or detector that is not ours
    files         track and video
    grid          revision of the track's beat grid, and whether it was detected or given by a person

`make_provenance` makes it in a workspace, `provenance_of` without one; `read_provenance` reads it back.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError, PlanError
from workbench.extensions import BEAT_TRACKERS, OWN, SECTION_FINDERS, VOICE_DETECTORS, find
from workbench.params import WorkbenchParams
from workbench.store.fingerprint import canonical_json, grid_revision
from workbench.store.profiles import params_from

if TYPE_CHECKING:
    from workbench.beats.grid import BeatGrid
    from workbench.store.saved import CorrectedGrid


KEY = "provenance"  # the key of a result that holds it
AUDIO = "audio"  # the constraint of a result for which sound streams of the video were chosen
# The constraint of a plan whose crossfades were set, or whose options were reordered, by hand
CHANGED_BY_HAND = "changed_by_hand"
OPTION = "option"  # the constraint of a plan whose user put another option in front: its number as planned, from 1
DRAWN_ENVELOPE = "envelope_points"  # the constraint of a mix with a drawn ducking envelope: its points

# Loop points that the track's file carries, and whether the plan repeats them; no option of a command
FILE_LOOP = "file_loop"


class _Record(BaseModel):
    """Frozen; fields that a later program adds are ignored when it is read."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="ignore")


class FileRecord(_Record):
    """A file that a result was made from."""

    name: str  # without folders
    content_hash: str | None = None  # SHA-256 of its bytes, hex; None if they could not be read


class GridRecord(_Record):
    """The beat grid that a plan was made on."""

    origin: Literal["heard", "given"]  # `heard`: by the tracker; `given`: corrected, confirmed or provided by a person
    revision: str  # digest of the grid: equal grids, equal revisions
    note: str | None = None  # on a given grid, in the words of who gave it


class Provenance(_Record):
    """What one result was made from. A field that does not apply is None.

    Attributes
    ----------
    command : such as `loop`
    program : that made it
    version : of that program
    stages : version of each stage that the result was computed by
    params : parameters that differ from the defaults, as in a profile
    defaults : digest of the default parameters
    constraints : options of the command that were not left at their defaults, by name
    track : the track
    video : the video
    grid : the beat grid
    environment : versions of Python and the libraries, and the platform
    extensions : by parameter, such as `beats.tracker`
    """

    command: str
    program: str
    version: str
    stages: Mapping[str, int]
    params: Mapping[str, JsonValue]
    defaults: str
    constraints: Mapping[str, JsonValue]
    track: FileRecord | None = None
    video: FileRecord | None = None
    grid: GridRecord | None = None
    environment: Mapping[str, str] | None = None
    extensions: Mapping[str, Mapping[str, JsonValue]] | None = None

    def __repr__(self) -> str:
        files = ", ".join(one.name for one in (self.track, self.video) if one is not None)
        return f"<provenance: {self.command} by {self.program} {self.version} of {files or 'no file'}>"

    @property
    def on_detected_grid(self) -> bool:
        """Whether it was made on the tracker's grid, not on one that a person gave."""
        return self.grid is not None and self.grid.origin == "heard"

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer, without what does not apply."""
        return self.model_dump(mode="json", exclude_unset=True)

    def with_constraint(self, name: str, value: JsonValue) -> Provenance:
        """The same provenance with one constraint set; None removes it."""
        others = {key: given for key, given in self.constraints.items() if key != name}
        return self.model_copy(update={"constraints": others if value is None else {**others, name: value}})


def read_provenance(result: Mapping[str, Any]) -> Provenance | None:
    """Read the provenance of a result; None for a result without one, as the service answers it.

    Raises `PlanError` if what stands under the key is no provenance.
    """
    given = result.get(KEY)
    if given is None:
        return None
    try:
        return Provenance.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in (KEY, *first["loc"]))
        raise PlanError(f"not a provenance: {where}: {first['msg']}") from error


def with_provenance(body: Mapping[str, Any], provenance: Provenance | None) -> dict[str, Any]:
    """Add the provenance, if any, to the JSON of a result."""
    return dict(body) if provenance is None else {**body, KEY: provenance.to_json()}


PROGRAM = "barline-workbench"

# Where the version of each stage stands; a module is imported for a command that uses its stage
_VERSIONS = {
    "beats": ("workbench.analysis.track", "BEATS_VERSION"),
    "loops": ("workbench.analysis.track", "LOOPS_VERSION"),
    "plan": ("workbench.plans.plan", "PLAN_VERSION"),
    "landmarks": ("workbench.analysis.landmarks", "LANDMARKS_VERSION"),
    "picture": ("workbench.analysis.video", "PICTURE_VERSION"),
    "soundtrack": ("workbench.analysis.video", "SOUNDTRACK_VERSION"),
    "character": ("workbench.analysis.character", "CHARACTER_VERSION"),
    "placements": ("workbench.analysis.placements", "PLACEMENTS_VERSION"),
}

_MIX_STAGES = ("voice", "duck", "mix", "render")  # parameters of what is done to a plan once it is made
# Those of them that count when a plan is heard and rendered; the others are those that its mix was made with
_RENDER_STAGES = ("render",)


def make_provenance(
    workspace: Workspace,
    command: str,
    stages: Sequence[str],
    *,
    track: Path | None = None,
    video: Path | None = None,
    grid: GridRecord | None = None,
    constraints: Mapping[str, JsonValue] | None = None,
) -> Provenance:
    """The provenance of a result that was computed in a workspace; hashes the files.

    Recorded are parameters that differ from the defaults. `stages` are those that the result was computed by, of
    `beats`, `loops`, `plan`, `landmarks`, `picture`, `soundtrack`, `character`, `placements`; `constraints` are options
    of the command, by name, None or false where they were left at their defaults.
    """
    chosen = {} if video is None or workspace.audio is None else {AUDIO: str(workspace.audio)}
    return provenance_of(
        workspace.params,
        command,
        stages,
        track=None if track is None else _file_record(workspace, track),
        video=None if video is None else _file_record(workspace, video),
        grid=grid,
        constraints={**(constraints or {}), **chosen},
    )


def provenance_of(
    params: WorkbenchParams,
    command: str,
    stages: Sequence[str],
    *,
    track: FileRecord | None,
    video: FileRecord | None = None,
    grid: GridRecord | None,
    constraints: Mapping[str, JsonValue],
) -> Provenance:
    """The provenance of a result that was computed with some parameters, in no workspace; as `make_provenance`."""
    given: dict[str, Any] = {
        "track": track,
        "video": video,
        "grid": grid,
        "environment": _environment(),
        "extensions": _extensions(params) or None,
    }
    return Provenance(
        command=command,
        program=PROGRAM,
        version=version(PROGRAM),
        stages={name: getattr(import_module(_VERSIONS[name][0]), _VERSIONS[name][1]) for name in stages},
        params=params.model_dump(mode="json", exclude_defaults=True),
        defaults=_defaults(),
        constraints={name: value for name, value in constraints.items() if value is not None and value is not False},
        **{name: value for name, value in given.items() if value is not None},
    )


def with_mix_params(provenance: Provenance, params: WorkbenchParams, stages: Sequence[str] = _MIX_STAGES) -> Provenance:
    """The provenance of a plan that is mixed and rendered with other parameters than it was planned with.

    Those of voice, ducking and rendering are recorded, the others stay as they were.
    """
    tuned = params.model_dump(mode="json", exclude_defaults=True)
    others = {stage: kept for stage, kept in provenance.params.items() if stage not in stages}
    given = {stage: tuned[stage] for stage in stages if stage in tuned}
    return provenance.model_copy(update={"params": {**others, **given}})


def with_render_params(provenance: Provenance, params: WorkbenchParams) -> Provenance:
    """The provenance of a plan that is rendered with other parameters; only those of rendering are recorded."""
    return with_mix_params(provenance, params, _RENDER_STAGES)


def with_recorded_mix(workspace: Workspace, made: Provenance | None) -> Workspace:
    """The workspace that mixes and renders a result as it was made.

    Where a profile sets a parameter of voice, ducking, mix or rendering, be it to the default, that group stays as it
    is, and so do chosen sound streams. Raises `ParameterError` for a recorded parameter that this program does not
    have.
    """
    workspace = with_recorded_audio(workspace, made)
    ungiven = [stage for stage in _MIX_STAGES if not _is_set(workspace.params, stage)]
    recorded = {} if made is None else {stage: made.params[stage] for stage in ungiven if stage in made.params}
    if not recorded:
        return workspace
    params = params_from(recorded, "the provenance")
    taken = {stage: getattr(params, stage) for stage in recorded}
    return workspace.with_params(workspace.params.model_copy(update=taken))


def other_mix_stages(params: WorkbenchParams, made: Provenance | None) -> tuple[str, ...]:
    """Names of groups of mix parameters, such as `duck`, whose values differ from those of a result's mix.

    A group that nobody set was not tuned; a result without provenance was mixed with the defaults as far as one can
    tell. Rendering is not among them, which counts whenever a mix is played. Raises as `with_recorded_mix`.
    """
    stages = [stage for stage in _MIX_STAGES if stage not in _RENDER_STAGES]
    recorded = {} if made is None else {stage: made.params[stage] for stage in stages if stage in made.params}
    mixed_with = params_from(recorded, "the provenance")
    return tuple(
        stage for stage in stages if _is_set(params, stage) and getattr(params, stage) != getattr(mixed_with, stage)
    )


def _is_set(params: WorkbenchParams, stage: str) -> bool:
    """Whether a parameter of a group was set, even to its default: a profile that sets it overrules a plan."""
    return stage in params.model_fields_set and bool(getattr(params, stage).model_fields_set)


def with_mix_of(provenance: Provenance | None, other: Provenance | None) -> Provenance | None:
    """Provenance of a plan with the mix of another result; `provenance` itself if that result has none."""
    if provenance is None or other is None:
        return provenance
    planned = {stage: given for stage, given in provenance.params.items() if stage not in _MIX_STAGES}
    mixed = {stage: other.params[stage] for stage in _MIX_STAGES if stage in other.params}
    return provenance.model_copy(update={"params": {**planned, **mixed}})


def grid_record(grid: BeatGrid, correction: CorrectedGrid | None, *, is_given: bool = False) -> GridRecord:
    """The record of the grid that a result was computed on.

    Without a correction by a person it was detected, unless `is_given`: the caller gave it.
    """
    if correction is None or is_given:
        revision = grid_revision(grid.beats.tolist(), grid.positions.tolist(), grid.beats_per_bar)
        return GridRecord(origin="given" if is_given else "heard", revision=revision)
    noted = {"note": correction.note} if correction.note else {}
    return GridRecord(origin="given", revision=correction.revision, **noted)


def with_recorded_audio(workspace: Workspace, made: Provenance | None) -> Workspace:
    """The workspace with the sound streams that are recorded in a result, unless it has a choice already."""
    recorded = None if made is None else made.constraints.get(AUDIO)
    if workspace.audio is not None or recorded is None:
        return workspace

    from workbench.media.sound_streams import SoundChoice  # PyAV loads where a file is opened

    return workspace.with_audio(SoundChoice.parse(str(recorded)))


def _file_record(workspace: Workspace, path: Path) -> FileRecord:
    name = os.fsencode(path.name).decode("utf-8", "replace")  # file names need not be text
    try:
        return FileRecord(name=name, content_hash=workspace.hash_file(path))
    except MediaError:  # the result says that the file cannot be read
        return FileRecord(name=name)


def _environment() -> dict[str, str]:
    """The versions that matter; that of FFmpeg where it was used: what is stored already needs no decoder."""
    av = sys.modules.get("av")
    return {
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "pyav": version("av"),
        **({} if av is None else {"ffmpeg": str(av.ffmpeg_version_info)}),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _extensions(params: WorkbenchParams) -> dict[str, dict[str, JsonValue]]:
    """Facts of each extension from elsewhere, by the parameter that names it."""
    named = {
        "beats.tracker": (BEAT_TRACKERS, params.beats.tracker),
        "sections.finder": (SECTION_FINDERS, params.sections.finder),
        "voice.detector": (VOICE_DETECTORS, params.voice.detector),
    }
    found: dict[str, dict[str, JsonValue]] = {}
    for parameter, (point, name) in named.items():
        if name != OWN:
            theirs = find(point, name)
            found[parameter] = {"name": name, "version": theirs.version, "source": _source_digest(type(theirs))}
    return found


def _source_digest(kind: type) -> str | None:
    """Digest of the file that defines a class; None for one from a notebook's cell, or of another language."""
    try:
        source = inspect.getsourcefile(kind)
        return None if source is None else hashlib.sha256(Path(source).read_bytes()).hexdigest()[:16]
    except (OSError, TypeError):
        return None


@cache
def _defaults() -> str:
    """Digest of all default parameters."""
    return hashlib.sha256(canonical_json(WorkbenchParams()).encode()).hexdigest()[:16]
