"""What is asked of a plan, as typed and as a provenance records it, and on a track that lacks a pinned splice.

The profile of a track holds the splices that are worth keeping. One that a person names may not be among them: it is
then measured and fitted like the others, and added.

Functions: `read_seconds` and the other readers of typed texts; `request_records`, `read_request` and
`recorded_request` for provenance; `last_cut` of a video, for an ending; `with_splices` and `with_pinned` for an
analysis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import BaseModel, Field, JsonValue, ValidationError

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
    find_wrong,
    line_pair,
)
from workbench.plans.fit_request import MIN_SECONDS
from workbench.plans.request import LOOP_ALONE, Hit, Keep, KeptPart, PlanRequest
from workbench.seams.build_profile import named_splices
from workbench.workflows.seams import evidence_of

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.recording import VideoSeconds

_TIME = re.compile(r"(?:(\d+):([0-5]\d(?:\.\d+)?)|(\d+(?:\.\d+)?))", re.ASCII)
_LONGEST = 86_400.0  # s, of a fit; a day
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Time = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0)]
_Pair = tuple[_Number, _Number]


def read_seconds(text: str) -> float | None:
    """The seconds of a time as M:SS or in seconds, both with decimals (`1:05`, `65.5`); None for other text."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    minutes, rest, plain = found.groups()
    return float(plain) if plain is not None else 60.0 * int(minutes) + float(rest)


def read_time(text: str) -> float:
    """The seconds of a time as `read_seconds` reads it; raises `ConstraintError` for other text."""
    seconds = read_seconds(text)
    if seconds is None:
        raise ConstraintError(f"{text!r} is not a time such as 1:05 or 65.5")
    return seconds


def read_length(text: str) -> float:
    """A length as `read_seconds` reads it; raises `ConstraintError` for other text."""
    seconds = read_seconds(text)
    if seconds is None:
        raise ConstraintError(f"{text!r} is not a length such as 90 or 2:37")
    return seconds


def read_lengths(text: str) -> tuple[float, ...]:
    """One length of a fit, s, or several with commas between them; raises `ConstraintError` for others."""
    lengths = []
    for part in (part.strip() for part in text.split(",")):
        seconds = read_seconds(part)
        if seconds is None:
            wrong = f"{part!r} is not a length" if part else f"{text!r} lacks a length beside a comma"
            raise ConstraintError(f"{wrong}, such as 90, 2:37 or 15,30,60")
        if not MIN_SECONDS <= seconds <= _LONGEST:
            unit = "" if ":" in part else " s"
            raise ConstraintError(f"{part}{unit} is not between {MIN_SECONDS:g} and {_LONGEST:g} s")
        lengths.append(seconds)
    return tuple(lengths)


def read_keep(text: str) -> Keep:
    """A part of a track by its name, or a range of it; raises `ConstraintError` for others."""
    names = [part.value for part in KeptPart]
    if text in names:
        return Keep(KeptPart(text))
    try:
        stretch = read_range(text)
    except ConstraintError as error:
        raise ConstraintError(f"{error}; or name one of {', '.join(names)}") from error
    return Keep(None, stretch.song_from, stretch.song_to)


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


class _Recorded(BaseModel):
    """The request of a plan in JSON types, by the names of command-line options; other names are ignored."""

    never_cut: tuple[_Pair, ...] = ()
    forbid_seam: tuple[_Pair, ...] = ()
    pin_seam: tuple[_Pair, ...] = ()
    exclude: tuple[_Pair, ...] = ()
    keep: tuple[KeptPart | _Pair, ...] = ()
    start_at: _Time | None = None
    end_on: _Time | None = None
    hit: tuple[tuple[_Number, _Number | None], ...] = ()
    fade: _Time | None = None


def request_records(request: PlanRequest) -> dict[str, JsonValue]:
    """What is asked of a plan in JSON types, as a provenance and a project hold it; what is not asked is left out."""
    asked = request.constraints
    records: dict[str, JsonValue] = {
        "keep": [one.part.value if one.part is not None else [one.song_from, one.song_to] for one in request.keep],
        "start_at": request.start_at,
        "end_on": request.end_on,
        "hit": [[hit.at, hit.landmark] for hit in request.hits],
        "fade": request.fade,
        "never_cut": [[one.song_from, one.song_to] for one in asked.never_cut],
        "forbid_seam": [[one.leave, one.enter] for one in asked.forbidden],
        "pin_seam": [[one.leave, one.enter] for one in asked.pinned],
        "exclude": [[one.song_from, one.song_to] for one in asked.excluded],
    }
    return {name: value for name, value in records.items() if value not in (None, [])}


def read_request(recorded: Mapping[str, JsonValue]) -> PlanRequest:
    """The request of a plan, from the constraints of its provenance; other names are ignored.

    Raises `PlanError` for a value that `request_records` does not write.
    """
    try:
        found = _Recorded.model_validate(dict(recorded))
        constraints = SeamConstraints(
            tuple(TrackRange(*pair) for pair in found.never_cut),
            tuple(NamedSplice(*pair) for pair in found.forbid_seam),
            tuple(NamedSplice(*pair) for pair in found.pin_seam),
            tuple(TrackRange(*pair) for pair in found.exclude),
        )
    except ValidationError as error:
        wrong = error.errors()[0]
        raise PlanError(f"provenance.constraints.{wrong['loc'][0]}: {wrong['input']!r}: {wrong['msg']}") from error
    except ConstraintError as error:
        raise PlanError(f"provenance.constraints: {error}") from error
    keep = tuple(Keep(one) if isinstance(one, KeptPart) else Keep(None, *one) for one in found.keep)
    hits = tuple(Hit(*one) for one in found.hit)
    return PlanRequest(constraints, keep, found.start_at, found.end_on, hits, fade=found.fade)


def last_cut(workspace: Workspace, video: Path) -> VideoSeconds:
    """Find the last cut of a video.

    Raises `ConstraintError` for a video without cuts, and `MediaError` for one without a picture.
    """
    from workbench.analysis.video import analyze_video  # PyAV loads where a video is read

    cuts = analyze_video(workspace, video).picture.cuts
    if not cuts.size:
        raise ConstraintError(f"{video.name} has no cut for the music to end on")
    return float(cuts[-1])


def recorded_request(made: Provenance | None) -> PlanRequest:
    """The request of a plan with this provenance; without provenance, a loop alone."""
    if made is None:
        return LOOP_ALONE
    loops = "loop" in (made.command, made.constraints.get("made_by"))
    return replace(read_request(made.constraints), only_loop=loops)


def with_splices(workspace: Workspace, track: Path, analysis: Analysis, pairs: Iterable[tuple[int, int]]) -> Analysis:
    """An analysis whose profile holds splices, by the bar lines left and entered, at any score.

    The lines of none are equal, and some may leave no room for their crossfade. The track is decoded and measured only
    for those that the profile lacks.
    """
    profile, params = analysis.profile, workspace.params.seams
    missing = [pair for pair in dict.fromkeys(pairs) if profile.splices.row_of(*pair) is None]
    if not missing:
        return analysis
    recording = workspace.load_recording(track)
    leave, enter = (np.array(side, dtype=np.int64) for side in zip(*missing, strict=True))
    found = named_splices(recording, evidence_of(recording, analysis.grid, params), leave, enter, params)
    return replace(analysis, profile=replace(profile, splices=profile.splices.with_more(found)))


def with_pinned(workspace: Workspace, track: Path, analysis: Analysis, constraints: SeamConstraints) -> Analysis:
    """An analysis whose profile holds the pinned splices, at any score.

    The bar lines nearest to their times count. The track is decoded only if one of them is missing. Raises
    `ConstraintError` if a splice leaves no room for a crossfade.
    """
    profile = analysis.profile
    if profile.downbeats.size < 3 or find_wrong(profile, constraints):  # the planner reports the fault
        return analysis
    of_pairs: dict[tuple[int, int], NamedSplice] = {}
    for one in constraints.pinned:
        of_pairs.setdefault(line_pair(profile, one, f"the splice {one.in_words}"), one)
    analysis = with_splices(workspace, track, analysis, of_pairs)
    splices = analysis.profile.splices
    has_room = splices.have_room(profile.song_duration)
    for pair, one in of_pairs.items():
        if not has_room[splices.row_of(*pair)]:
            raise ConstraintError(
                f"the splice {one.in_words} leaves no room for a crossfade at an end of the track",
                constraints=(Constraint(ConstraintKind.PINNED, (one.leave, one.enter)),),
            )
    return analysis
