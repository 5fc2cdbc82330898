"""Make a result again from its provenance, and say what differs.

Track and video are found by the hash of their bytes, and the recorded parameters are applied. A loop and a fit are
planned on the tracker's own grid where they were made on it; a grid that a person gave is used where it is still the
one that is in the home folder. The recorded request is planned again. Placements are made on the grid that counts now.
A plan that followed another cut of its video holds the plan that it was made from; both cuts are found by their names
and bytes.

Function: `reproduce`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.analysis.provenance import (
    CHANGED_BY_HAND,
    DRAWN_ENVELOPE,
    KEY,
    FileRecord,
    Provenance,
    read_provenance,
    with_recorded_audio,
)
from workbench.analysis.sources import VideoSource, recorded_track, recorded_video
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import CREDITS
from workbench.errors import InputError, PlanError
from workbench.mix.drawn_envelope import read_points
from workbench.results.plan import one_of
from workbench.store.profiles import params_from
from workbench.workflows.align import align_json, align_track
from workbench.workflows.conform import (
    CONFORMED,
    FRAME_RATE,
    KEEP_ENDING,
    PROJECTS,
    ConformRequest,
    conform,
    conform_json,
)
from workbench.workflows.constraints import recorded_request
from workbench.workflows.match import match, match_json
from workbench.workflows.plan import draw_envelope, plan_lengths, plan_track, planned_json
from workbench.workflows.splice import plan_again, preview_json, splice_again, splice_json

# Keys of a result for a caller's names, owners and the words of a refusal: nothing that was computed
_CALLED = ("title", "artist_name", "path", *CREDITS)
_NAMES = frozenset(("video_id", "track_id", "track", *_CALLED, "hint", KEY))
_LANE_LISTS = ("matches", "candidate_pool")
_MOST_FIELDS = 20  # fields that are listed one by one


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A result that was made again."""

    same: bool  # whether it is the same result, made from the same bytes
    # a line each: what it was made from, then the fields of the result. Where `same`, what differs without effect
    differences: tuple[str, ...]
    body: Mapping[str, Any]  # JSON of the result that was made now


def reproduce(
    workspace: Workspace,
    result: Mapping[str, Any],
    *,
    track: Path | None = None,
    video: Path | None = None,
    folders: Sequence[Path] = (),
) -> Reproduction:
    """Make a result of loop, fit, align, match, conform, or an edit or splice of one's own again from its JSON.

    The recorded parameters are applied.

    Without `track` and `video` the files are searched by their hash, in the home and under their names in `folders`.
    Raises `PlanError` for a result without provenance, or of a command that cannot be run again from it,
    `ParameterError` for a recorded parameter that this program does not have, and `InputError` if a file was not found.
    """
    result = one_of(result, None)
    made = read_provenance(result)
    if made is None:
        raise PlanError("this result has no provenance; only what this program wrote itself can be made again")
    if made.command not in _AGAIN:
        raise PlanError(f"a result of {made.command} cannot be made again; those of {', '.join(_AGAIN)} can")
    workspace = with_recorded_audio(workspace.with_params(params_from(dict(made.params), "the provenance")), made)
    if made.track is not None:
        track = track or recorded_track(workspace, made.track, folders)
    if made.video is not None:
        video = video or recorded_video(workspace, made.video, folders)
    if made.command == "conform":
        again = _conform(workspace, made, track, video, folders)
    elif made.command in _OWN:
        again = _own(workspace, made, track, is_plan="plan" in result)
    else:
        again = _COMMANDS[made.command](workspace, made, track, video)
    body = json.loads(json.dumps(again))
    now = read_provenance(body)
    assert now is not None, "a result that was just made says what from"
    fields = _once(_fields(_without_names(result), _without_names(body)))
    bytes_differ = list(_files(made, now))
    return Reproduction(
        same=not fields and not bytes_differ,
        differences=(*bytes_differ, *_causes(made, now), *_listed(fields)),
        body=body,
    )


def _plan(workspace: Workspace, made: Provenance, track: Path | None, video: Path | None) -> dict[str, Any]:
    given, number = made.constraints.get("seconds"), made.constraints.get("number")
    lengths = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, int | float)]
    if track is None or (video is None and not lengths):
        raise PlanError("the provenance names no track, or neither a video nor a length")
    request = recorded_request(made)
    if video is not None or len(lengths) == 1:
        auto_mix = made.constraints.get("auto_mix") is True
        planned = plan_track(
            workspace, track, video or lengths[0], request, auto_mix=auto_mix, use_detected_grid=made.on_detected_grid
        )
    else:
        several = plan_lengths(workspace, track, lengths, request, use_detected_grid=made.on_detected_grid)
        planned = several[number - 1 if isinstance(number, int) and 0 < number <= len(several) else 0]
    return planned_json(draw_envelope(planned, read_points(made.constraints.get(DRAWN_ENVELOPE))))


def _align(workspace: Workspace, made: Provenance, track: Path | None, video: Path | None) -> dict[str, Any]:
    if track is None or video is None:
        raise PlanError("the provenance names no track, or no video")
    auto_mix = made.constraints.get("auto_mix") is True
    return align_json(workspace, align_track(workspace, track, video, auto_mix=auto_mix))


def _match(workspace: Workspace, made: Provenance, track: Path | None, video: Path | None) -> dict[str, Any]:
    if video is None:
        raise PlanError("the provenance names no video")
    points, full = made.constraints.get("sync_points"), made.constraints.get("expand") == "full"
    shown = points if isinstance(points, int) else None
    brief, use = (one if isinstance(one := made.constraints.get(name), str) else None for name in ("brief", "for"))
    lane = match(workspace, video, brief, use)
    source = VideoSource(video.name, video)
    return match_json(workspace, lane, source, brief=brief, use=use, sync_points=shown, expand_full=full)


def _conform(
    workspace: Workspace, made: Provenance, track: Path | None, video: Path | None, folders: Sequence[Path]
) -> dict[str, Any]:
    recorded = made.constraints.get(CONFORMED)
    before = recorded.get("result") if isinstance(recorded, Mapping) else None
    if not isinstance(recorded, Mapping) or not isinstance(before, Mapping):
        raise PlanError(
            "this plan does not hold the one that it was changed from, as those of earlier versions do not: conform "
            "that one again"
        )
    names = ("from", "to")
    old, new = (_cut(workspace, str(made.constraints.get(one)), recorded.get(one), folders) for one in names)
    result: dict[str, Any] = dict(before)
    if isinstance(recorded.get("made_by"), str):
        given = {"command": recorded["made_by"], "constraints": recorded.get("given") or {}, "video": None}
        result[KEY] = made.model_copy(update=given).to_json()
    rate, projects = made.constraints.get(FRAME_RATE), made.constraints.get(PROJECTS)
    asked = ConformRequest(
        old,
        new,
        keep_ending=made.constraints.get(KEEP_ENDING) is True,
        frame_rate=float(rate) if isinstance(rate, int | float) else None,
        projects=tuple(str(name) for name in projects) if isinstance(projects, list) else (),
    )
    return conform_json(conform(workspace, result, asked, track=track, video=video))


def _own(workspace: Workspace, made: Provenance, track: Path | None, *, is_plan: bool) -> dict[str, Any]:
    """An edit of one's own, or a splice: as a plan, or as the command line prints a splice."""
    if track is None:
        raise PlanError("the provenance names no track")
    if made.command == "edit":
        return preview_json(plan_again(workspace, made, track))
    scored = splice_again(workspace, made, track)
    return preview_json(scored.played) if is_plan else splice_json("", scored, workspace.params.cover.min_seam_score)


def _cut(workspace: Workspace, name: str, content_hash: object, folders: Iterable[Path]) -> Path:
    """A cut that a plan was changed from or to: in some folders, or a video that was added."""
    record = FileRecord(name=name, content_hash=str(content_hash))
    try:
        return recorded_video(workspace, record, (Path(), *folders))
    except InputError as error:
        raise InputError(f"the cut {name} was not found by its bytes: put it beside the plan") from error


# What makes the result of each command again that needs no more than track and video
_COMMANDS = {"loop": _plan, "fit": _plan, "align": _align, "match": _match}
_OWN = ("edit", "splice")
_AGAIN = (*_COMMANDS, "conform", *_OWN)


def _files(made: Provenance, now: Provenance) -> Iterator[str]:
    """Files with other bytes than those that the result was made from."""
    for what in ("track", "video"):
        before, after = getattr(made, what), getattr(now, what)
        if before is not None and after is not None and before.content_hash != after.content_hash:
            yield f"{what}: {after.name} has other bytes than {before.name}, which the result was made from"


def _causes(made: Provenance, now: Provenance) -> Iterator[str]:
    """What else the result was made from that is not so now."""
    if (made.program, made.version) != (now.program, now.version):
        yield f"program: made by {made.program} {made.version}, this is {now.program} {now.version}"
    for stage, version in made.stages.items():
        if now.stages.get(stage, version) != version:
            yield f"stage {stage}: version {version}, now {now.stages[stage]}"
    if made.defaults != now.defaults:
        yield "defaults: some default parameters of this program are others"
    for name, before, after in _fields(dict(made.params), dict(now.params)):
        yield f"parameter {name}: {before}, now {after}"
    # FFmpeg is named where it was used, which may be in one of them alone
    versions, present_versions = made.environment or {}, now.environment or {}
    for name, then, present in _fields(versions, {one: present_versions.get(one, versions[one]) for one in versions}):
        yield f"environment: {name} {then}, now {present}"
    if made.extensions is not None:
        for name, then, present in _fields(made.extensions, now.extensions or {}):
            yield f"extensions: {name} {then}, now {present}"
    if made.grid is not None and now.grid is not None and made.grid.revision != now.grid.revision:
        before, after = ("detected" if one.on_detected_grid else "given by a person" for one in (made, now))
        yield f"grid: revision {made.grid.revision}, {before}, now {now.grid.revision}, {after}"
    if made.constraints.get(CHANGED_BY_HAND):
        yield "the plan was changed by hand: crossfades set by a user, or options in another order"


def _without_names(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what files are called, which may be others by now."""
    kept = {name: value for name, value in result.items() if name not in _NAMES}
    if "lane" in kept:
        lane = kept["lane"]
        kept["lane"] = lane | {name: [_unnamed(one) for one in lane[name]] for name in _LANE_LISTS if name in lane}
    return kept


def _unnamed(track: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in track.items() if name not in _CALLED}


def _fields(before: Any, after: Any, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Fields that differ: name, and both values in short."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            inner = f"{name}.{key}" if name else str(key)
            yield from _fields(before.get(key, _ABSENT), after.get(key, _ABSENT), inner)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _fields(*pair, f"{name}[{number}]")
    elif before != after:
        yield name, _short(before), _short(after)


def _once(fields: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Fields, but not those of the first option where the plan served, which it equals, has just the same."""
    found = list(fields)

    def is_said(name: str, before: str, after: str) -> bool:
        served = re.sub(r"\bplan\.options\[0\]\.", "plan.", name)
        return served != name and (served, before, after) in found

    return [field for field in found if not is_said(*field)]


_ABSENT = object()


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    if isinstance(value, list):
        return f"{len(value)} items"
    return "an object" if isinstance(value, Mapping) else json.dumps(value, ensure_ascii=False)


def _listed(fields: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for name, before, after in fields[:_MOST_FIELDS]:
        yield f"{name}: {before}, now {after}"
    if len(fields) > _MOST_FIELDS:
        yield f"and {len(fields) - _MOST_FIELDS} more fields"
