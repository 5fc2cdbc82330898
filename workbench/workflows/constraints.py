"""What is asked of a plan, as typed and as a provenance records it, and on a track that lacks a pinned splice.

The profile of a track holds the splices that are worth keeping. One that a person names may not be among them: it is
then measured and fitted like the others, and added.

Functions: `read_seconds`, `read_range` and `read_splice` for typed texts; `request_records`, `read_request` and
`recorded_request` for provenance, `constraint_records` and `read_constraints` for its constraints on seams;
`last_cut` of a video, for an ending; `with_pinned` for an analysis, `measure_splices` for single splices,
`measured_splices` and `remember_splices` to hand them to another process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from workbench.analysis.provenance import Provenance
from workbench.analysis.track import Analysis
from workbench.analysis.workspace import Workspace
from workbench.errors import ConstraintError, PlanError
from workbench.plans.constraints import (
    Constraint,
    ConstraintKind,
    NamedSplice,
    SeamConstraints,
    TrackRange,
    line_pair,
    on_lines,
)
from workbench.plans.request import LOOP_ALONE, Hit, Keep, KeptPart, PlanRequest
from workbench.seams.build_profile import named_splices
from workbench.seams.profile import Splices
from workbench.seams.seam_score import seam_evidence

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

    from workbench.recording import VideoSeconds

_TIME = re.compile(r"(?:(\d+):([0-5]\d(?:\.\d+)?)|(\d+(?:\.\d+)?))", re.ASCII)
# How a provenance calls them: by the options of the command line
_FIELDS = ("never_cut", "forbid_seam", "pin_seam", "exclude")


def read_seconds(text: str) -> float | None:
    """The seconds of a time as M:SS or in seconds, both with decimals (`1:05`, `65.5`); None for what is no time."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    minutes, rest, plain = found.groups()
    return float(plain) if plain is not None else 60.0 * int(minutes) + float(rest)


def read_range(text: str) -> TrackRange:
    """A range of a track, such as `0:40-1:00`; raises `ConstraintError` if it is none, or ends before it begins."""
    first, last = _pair(text, "a range such as 0:40-1:00")
    if not first < last:
        raise ConstraintError(f"{text!r} ends before it begins")
    return TrackRange(first, last)


def read_splice(text: str) -> NamedSplice:
    """A splice by the times at which it leaves and enters, such as `1:32-0:48`; raises `ConstraintError` for others."""
    return NamedSplice(*_pair(text, "a splice such as 1:32-0:48, the time it leaves and the time it enters"))


def _pair(text: str, otherwise: str) -> tuple[float, float]:
    times = [read_seconds(part) for part in text.split("-")]
    if len(times) != 2 or times[0] is None or times[1] is None:
        raise ConstraintError(f"{text!r} is not {otherwise}")
    return times[0], times[1]


def request_records(request: PlanRequest) -> dict[str, JsonValue]:
    """What is asked of a plan in JSON types, as a provenance and a project hold it; what is not asked is left out."""
    parts: list[JsonValue] = [
        one.part.value if one.part is not None else [one.song_from, one.song_to] for one in request.keep
    ]
    records: dict[str, JsonValue] = {
        "keep": parts or None,
        "start_at": request.start_at,
        "end_on": request.end_on,
        "hit": [[hit.at, hit.landmark] for hit in request.hits] or None,
        "fade": request.fade,
        **constraint_records(request.constraints),
    }
    return {name: value for name, value in records.items() if value is not None}


def read_request(recorded: Mapping[str, JsonValue]) -> PlanRequest:
    """What was asked of a plan, from the constraints of its provenance; other names are ignored.

    Raises `PlanError` for a value that `request_records` does not write.
    """
    start_at, end_on, fade = (_recorded_time(recorded, name) for name in ("start_at", "end_on", "fade"))
    hits = tuple(map(_read_hit, _recorded_list(recorded, "hit")))
    kept = tuple(map(_read_keep, _recorded_list(recorded, "keep")))
    return PlanRequest(read_constraints(recorded), kept, start_at, end_on, hits, fade=fade)


def last_cut(workspace: Workspace, video: Path) -> VideoSeconds:
    """Find the last cut of a video.

    Raises `ConstraintError` for a video without cuts, and `MediaError` for one without a picture.
    """
    from workbench.analysis.video import watch  # PyAV loads where a video is read

    cuts = watch(workspace, video).picture.cuts
    if not cuts.size:
        raise ConstraintError(f"{video.name} has no cut for the music to end on")
    return float(cuts[-1])


def recorded_request(made: Provenance | None) -> PlanRequest:
    """What was asked of a plan with this provenance, and whether only a loop would do; without one, a loop alone."""
    if made is None:
        return LOOP_ALONE
    loops = "loop" in (made.command, made.constraints.get("made_by"))
    return replace(read_request(made.constraints), only_loop=loops)


def _recorded_time(recorded: Mapping[str, JsonValue], name: str) -> float | None:
    match recorded.get(name):
        case None:
            return None
        case int() | float() as seconds if 0.0 <= seconds < float("inf"):
            return float(seconds)
        case other:
            raise PlanError(f"provenance.constraints.{name}: {other!r} is no time")


def _recorded_list(recorded: Mapping[str, JsonValue], name: str) -> list[JsonValue]:
    match recorded.get(name, []):
        case list() as given:
            return given
        case other:
            raise PlanError(f"provenance.constraints.{name}: {other!r} is no list")


def _read_hit(recorded: JsonValue) -> Hit:
    match recorded:
        case [int() | float() as at, None]:
            return Hit(float(at))
        case [int() | float() as at, int() | float() as landmark]:
            return Hit(float(at), float(landmark))
        case _:
            raise PlanError(f"provenance.constraints.hit: {recorded!r} is no time in the video and in the track")


def _read_keep(recorded: JsonValue) -> Keep:
    match recorded:
        case str() if recorded in set(KeptPart):
            return Keep(KeptPart(recorded))
        case [int() | float() as song_from, int() | float() as song_to]:
            return Keep(None, float(song_from), float(song_to))
        case _:
            raise PlanError(f"provenance.constraints.keep: {recorded!r} is no part of a track")


def constraint_records(constraints: SeamConstraints) -> dict[str, JsonValue]:
    """Constraints for a provenance; fields without any are None."""
    return {
        "never_cut": [[one.song_from, one.song_to] for one in constraints.never_cut] or None,
        "forbid_seam": [[one.leave, one.enter] for one in constraints.forbidden] or None,
        "pin_seam": [[one.leave, one.enter] for one in constraints.pinned] or None,
        "exclude": [[one.song_from, one.song_to] for one in constraints.excluded] or None,
    }


def read_constraints(recorded: Mapping[str, JsonValue]) -> SeamConstraints:
    """Constraints from a provenance; raises `PlanError` if one of them is no list of pairs of times."""
    never_cut, forbidden, pinned, excluded = (list(_recorded_pairs(recorded, name)) for name in _FIELDS)
    try:
        return SeamConstraints(
            tuple(TrackRange(*pair) for pair in never_cut),
            tuple(NamedSplice(*pair) for pair in forbidden),
            tuple(NamedSplice(*pair) for pair in pinned),
            tuple(TrackRange(*pair) for pair in excluded),
        )
    except ConstraintError as error:
        raise PlanError(f"provenance.constraints: {error}") from error


def _recorded_pairs(recorded: Mapping[str, JsonValue], name: str) -> Iterable[tuple[float, float]]:
    given = recorded.get(name) or []
    for pair in given if isinstance(given, list) else [given]:
        match pair:
            case [int() | float() as first, int() | float() as second]:
                yield float(first), float(second)
            case _:
                raise PlanError(f"provenance.constraints.{name}: {pair!r} is no pair of times")


def measure_splices(workspace: Workspace, track: Path, analysis: Analysis, pairs: Sequence[tuple[int, int]]) -> Splices:
    """Score splices, by the bar lines left and entered, and fit them to the waveform, at any score.

    At least one pair, none of equal bar lines; the result has their order, and some may leave no room for their
    crossfade. Those of the track that was asked about last are cached in memory, for a place of a seam that was looked
    at is soon planned with. The track is decoded and measured only for others.
    """
    params, grid = workspace.params.seams, analysis.grid
    known = _known(_key(workspace, analysis))
    missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    if missing:
        recording = workspace.load_recording(track)
        leave, enter = (np.array(side, dtype=np.int64) for side in zip(*missing, strict=True))
        found = named_splices(recording, seam_evidence(recording, grid, params), leave, enter, params)
        known.update({pair: found.rows(np.array([row])) for row, pair in enumerate(missing)})
    every = [known[pair] for pair in pairs]
    return reduce(Splices.with_more, every[1:], every[0])


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSplices:
    """Splices that were measured beyond those of a profile, to be used by another process."""

    of: tuple[str, str, bytes, bytes]  # track, parameters and grid
    splices: Splices | None  # None: there are none


def measured_splices(workspace: Workspace, analysis: Analysis) -> MeasuredSplices:
    """What `measure_splices` has cached of a track."""
    key = _key(workspace, analysis)
    every = list(_measured.get(key, {}).values())
    return MeasuredSplices(key, reduce(Splices.with_more, every[1:], every[0]) if every else None)


def remember_splices(measured: MeasuredSplices) -> None:
    """Take over what another process measured, for `measure_splices`."""
    splices = measured.splices
    if splices is None:
        return
    pairs = zip(splices.leave.tolist(), splices.enter.tolist(), strict=True)
    _known(measured.of).update({pair: splices.rows(np.array([row])) for row, pair in enumerate(pairs)})


def _key(workspace: Workspace, analysis: Analysis) -> tuple[str, str, bytes, bytes]:
    grid, params = analysis.grid, workspace.params.seams
    return analysis.content_hash, params.model_dump_json(), grid.beats.tobytes(), grid.positions.tobytes()


def _known(key: tuple[str, str, bytes, bytes]) -> dict[tuple[int, int], Splices]:
    """The splices of a track that were measured; those of another one are forgotten."""
    if key not in _measured:
        _measured.clear()
    return _measured.setdefault(key, {})


# by track, parameters and grid: of each pair of bar lines
_measured: dict[tuple[str, str, bytes, bytes], dict[tuple[int, int], Splices]] = {}


def with_pinned(workspace: Workspace, track: Path, analysis: Analysis, constraints: SeamConstraints) -> Analysis:
    """An analysis whose profile holds the pinned splices, at any score.

    The bar lines nearest to their times count. The track is decoded only if one of them is missing. Raises
    `ConstraintError` if a constraint makes no sense on this track, two contradict each other, or a splice leaves no
    room for a crossfade.
    """
    profile = analysis.profile
    if profile.downbeats.size < 3:  # the planner says what is wrong with such a track
        return analysis
    on_lines(profile, constraints)
    of_pairs: dict[tuple[int, int], NamedSplice] = {}
    for one in constraints.pinned:
        of_pairs.setdefault(line_pair(profile, one, f"the splice {one.in_words}"), one)
    missing = [pair for pair in of_pairs if profile.splices.row_of(*pair) is None]
    if not missing:
        return analysis
    found = measure_splices(workspace, track, analysis, missing)
    for pair, has_room in zip(missing, found.have_room(profile.song_duration), strict=True):
        if not has_room:
            one = of_pairs[pair]
            raise ConstraintError(
                f"the splice {one.in_words} leaves no room for a crossfade at an end of the track",
                constraints=(Constraint(ConstraintKind.PINNED, (one.leave, one.enter)),),
            )
    return replace(analysis, profile=replace(profile, splices=profile.splices.with_more(found)))
