"""Change a plan for another cut of its video: what the edit changed, the track's analysis, the plan that follows.

The plan may be any that loop or fit wrote. Its track is found by the hash in the provenance, its parameters and the
choice between the detected grid and a user's are taken from there. A mix was measured on the old cut; it is measured
again where the new cut is a video, and left out where it is an edit list. A drawn ducking envelope moves
with its picture (`workbench.mix.drawn_envelope`), and stays in the provenance where there is no mix.

Class: `ConformRequest`, the cuts and what is asked. Functions: `conform`; `conform_json`, the changed plan as
JSON with its provenance, `conform_summary`, what changed, and `conform_table`, that as a table whose lines may name an
`Argument` to conform with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from workbench.analysis.provenance import (
    DRAWN_ENVELOPE,
    Provenance,
    grid_record,
    make_provenance,
    read_provenance,
    with_provenance,
    with_recorded_audio,
)
from workbench.analysis.sources import recorded_track
from workbench.analysis.track import Analysis, Sound, analyze_sound
from workbench.analysis.workspace import Workspace
from workbench.edits.difference import EditDifference, lasting
from workbench.edits.documents import document_of
from workbench.edits.reading import compare_files, is_edit_list
from workbench.edits.shots import exact_rate
from workbench.errors import Argument, ContradictionError, EditError, PlanError, Sentence
from workbench.media.probe import probe
from workbench.mix.drawn_envelope import FollowedEnvelope, follow_edit, read_points, with_drawn
from workbench.params import CoverParams, MixParams, WorkbenchParams
from workbench.plans import refusals
from workbench.plans.conform import (
    PlanFollower,
    UnsureSeam,
    change_words,
    follow_picture,
    kept_seconds,
    unsure_seams,
)
from workbench.plans.constraints import clock, on_lines
from workbench.plans.hits import HIT_SECONDS, hit_distance
from workbench.plans.plan import EndKind, LoopPlan, seam_lines, segment_table
from workbench.plans.plan_score import REQUEST_FLOOR
from workbench.plans.refusals import Refusal
from workbench.plans.request import Hit, PlanRequest
from workbench.recording import VideoSeconds
from workbench.render.playback import check_length_of_track
from workbench.results.mix import MixBody, mix_body
from workbench.results.plan import mix_from_json, one_of, plan_from_json, plan_result
from workbench.store.profiles import params_from
from workbench.workflows.constraints import read_request, request_records, with_pinned
from workbench.workflows.mix import mix_under

# Constraint of a provenance under which the changed plan stands, and the bytes of both cuts, to make it again
CONFORMED = "conformed"
_MUCH = 0.95  # share of untouched picture with its music under which it is said what worse seams would keep
_LOWER_FLOOR = 0.3
_MORE = 0.02  # share that worse seams must keep beyond what good ones do to be worth a word
KEEP_ENDING = "keep_ending"  # constraint of a provenance: whether the own ending is kept by seams under the floor too
FRAME_RATE = "frame_rate"  # constraint of a provenance: frames a second that were given for cuts that are EDLs
PROJECTS = "projects"  # constraint of a provenance: names of the projects in cuts that hold several
# Constraints that the next cut does not inherit as they are: its plan is not held to `end_on`
_OF_ONE_CUT = ("start_at", "end_on", "hit", KEEP_ENDING, FRAME_RATE, PROJECTS, DRAWN_ENVELOPE)


@dataclass(frozen=True, slots=True)
class ConformRequest:
    """The two cuts of a video between which a plan follows, and what is asked of the plan.

    Attributes
    ----------
    old_cut : the cut that the plan was made for: an edit list (OTIO, FCPXML, EDL), or a video file
    new_cut : the other one, of the same kind
    min_seam_score : the floor of seam scores, 0 to 1; None: of the parameters
    keep_ending : whether the track's own ending is kept by seams under that floor too, down to `REQUEST_FLOOR`; None:
        it is, unless `min_seam_score` is given
    frame_rate : frames a second of cuts that are EDLs, which seldom state them; None: not known
    projects : name of the project in cuts that hold several; two where it is another in the new one
    """

    old_cut: Path
    new_cut: Path
    min_seam_score: float | None = None
    keep_ending: bool | None = None
    frame_rate: float | None = None
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conformed:
    """A plan that follows an edit, or why none does.

    Attributes
    ----------
    old : the plan that was changed, without options
    answer : the plan that follows, or why none does
    difference : between both cuts
    analysis : of the track
    mix : None if the old plan had none, or the new cut is no video
    lost_mix : whether the old plan had a mix and the new one has none
    envelope : the drawn ducking, on the new cut; None without one
    result : JSON of the old result, for the names in it
    video_id : the name of the new cut
    provenance : what it was made from
    cover : parameters that the plan was made with
    request : of the old plan
    keep_ending : whether the own ending is kept by seams under the floor too
    follower : makes the plan with other choices, for advice; None where constraints contradict
    """

    old: LoopPlan
    answer: LoopPlan | Refusal
    difference: EditDifference
    analysis: Analysis
    mix: MixBody | None
    lost_mix: bool
    envelope: FollowedEnvelope | None
    result: Mapping[str, Any]
    video_id: str
    provenance: Provenance
    cover: CoverParams
    request: PlanRequest
    keep_ending: bool
    follower: PlanFollower | None

    @property
    def plan(self) -> LoopPlan:
        """The plan; a refusal raises `PlanError`."""
        if isinstance(self.answer, Refusal):
            raise PlanError(f"no plan follows the edit: {self.answer.hint}")
        return self.answer

    @property
    def half_bar(self) -> float:
        """Half a bar of the track, s: music that is this near to its place counts as in place."""
        return float(np.median(np.diff(self.analysis.profile.downbeats))) / 2

    @property
    def unsure_seams(self) -> tuple[UnsureSeam, ...]:
        """Its seams that are less sure than those of a loop, without the seams of the old plan."""
        return unsure_seams(self.plan, self.old, self.analysis.profile, self.cover)


def conform(
    workspace: Workspace,
    result: Mapping[str, Any],
    asked: ConformRequest,
    *,
    track: Path | None = None,
    video: Path | None = None,
    folders: Sequence[Path] = (),
) -> Conformed:
    """Change a plan for another cut of its video.

    Parameters
    ----------
    workspace : its home is searched for the track. Parameters that are not the defaults replace the recorded ones
    result : JSON of what loop or fit wrote, or a bare plan
    asked : both cuts, and what is asked of the changed plan
    track : the track's file; None: it is searched by its hash
    video : the new cut as a video, on which a mix is measured; None: that of `asked`, where it is one
    folders : where a file of the recorded name is looked for, beside the home

    Returns
    -------
    Conformed : the changed plan, exactly as long as the new cut, or a refusal if none follows the edit

    Raises
    ------
    EditError : a cut cannot be read, or the old one is not as long as the plan
    PlanError : there is no plan in the result, or its track is not known
    InputError : the track was not found
    MediaError : a file cannot be read
    """
    new_cut, min_seam_score = asked.new_cut, asked.min_seam_score
    keep_ending = min_seam_score is None if asked.keep_ending is None else asked.keep_ending
    result = one_of(result, None)
    old = plan_from_json(result).alone
    made = read_provenance(result)
    if track is None:
        if made is None or made.track is None:
            raise PlanError("the plan does not say which track it was made for: give ", Argument("track"))
        track = recorded_track(workspace, made.track, folders)
    as_recorded = made is not None and workspace.params == WorkbenchParams()
    if made is not None and as_recorded:
        workspace = workspace.with_params(params_from(dict(made.params), "the provenance"))
    workspace = with_recorded_audio(workspace, made)
    if min_seam_score is not None:
        cover = CoverParams.model_validate({**workspace.params.cover.model_dump(), "min_seam_score": min_seam_score})
        workspace = workspace.with_params(workspace.params.model_copy(update={"cover": cover}))
    difference = _compare(asked, old.window_end)
    if as_recorded:
        workspace = _with_own_music_moved(workspace, difference)
    sound = Sound(workspace, track, use_detected_grid=made is not None and made.on_detected_grid)
    request = read_request({} if made is None else made.constraints)
    analysis = analyze_sound(sound)
    check_length_of_track(old, analysis.profile.song_duration)
    follower: PlanFollower | None = None
    answer: LoopPlan | Refusal
    try:
        analysis = with_pinned(workspace, track, analysis, request.constraints)
        workspace.progress("planning", 0.0)
        follower = PlanFollower(analysis.profile, old, difference, workspace.params.cover, request)
        answer = follower.plan(REQUEST_FLOOR if keep_ending else None)
        workspace.progress("planning", 1.0)
    except ContradictionError as error:
        answer = refusals.contradiction(error.sentence, error.constraints)
    drawn = None if made is None else read_points(made.constraints.get(DRAWN_ENVELOPE))
    envelope = None if drawn is None else follow_edit(drawn, difference)
    old_mix, mix = mix_from_json(result), None
    new_video = video or (None if is_edit_list(new_cut) else new_cut)
    if isinstance(answer, Refusal) or old_mix is None:
        mix = None
    elif not difference.changes:
        mix = old_mix
    elif new_video is not None:
        measured = mix_under(workspace, answer, track, new_video)
        mix = mix_body(with_drawn(measured, None if envelope is None else envelope.points))
    recorded = {} if made is None else {n: value for n, value in made.constraints.items() if n != CONFORMED}
    start_at = request.start_at if isinstance(answer, Refusal) else answer.start_at
    carried = _carried(recorded, request.hits, start_at, difference, envelope)
    provenance = make_provenance(
        workspace,
        "conform",
        ("beats", "loops", "plan", *(("soundtrack",) if mix is not None else ())),
        track=track,
        video=new_video,
        grid=grid_record(analysis.grid, sound.correction),
        constraints={
            **({} if made is None else {"made_by": made.command, **carried}),
            "from": asked.old_cut.name,
            "to": new_cut.name,
            "seconds": round(difference.new_seconds, 6) if isinstance(answer, Refusal) else answer.window_end,
            **({KEEP_ENDING: True} if keep_ending else {}),
            **({} if asked.frame_rate is None else {FRAME_RATE: asked.frame_rate}),
            **({PROJECTS: list(asked.projects)} if asked.projects else {}),
            CONFORMED: {
                "result": _bare(result),
                "from": workspace.hash_file(document_of(asked.old_cut)),
                "to": workspace.hash_file(document_of(new_cut)),
                "given": recorded,
                "made_by": None if made is None else made.command,
            },
        },
    )
    return Conformed(
        old,
        answer,
        difference,
        analysis,
        mix,
        old_mix is not None and mix is None,
        envelope,
        result,
        new_cut.name,
        provenance,
        workspace.params.cover,
        request,
        keep_ending,
        follower,
    )


def _compare(asked: ConformRequest, seconds: VideoSeconds) -> EditDifference:
    """The edit between the cut of a plan, which lasts `seconds`, and another."""
    rate = None if asked.frame_rate is None else exact_rate(asked.frame_rate)
    difference = compare_files(asked.old_cut, asked.new_cut, seconds, rate, asked.projects)
    if not is_edit_list(asked.new_cut):
        difference = lasting(difference, probe(asked.new_cut).duration)
    if abs(difference.old_seconds - seconds) > difference.frame_seconds + 1e-6:
        raise EditError(
            f"{asked.old_cut}: this cut lasts {difference.old_seconds:.3f} s and the plan {seconds:.3f} s; "
            "give the cut that the plan was made for"
        )
    return difference


def _carried(
    recorded: Mapping[str, Any],
    hits: Sequence[Hit],
    start_at: VideoSeconds | None,
    difference: EditDifference,
    envelope: FollowedEnvelope | None,
) -> dict[str, Any]:
    """The recorded constraints of a plan as they hold for the new cut; times move with their picture."""
    carried = {name: value for name, value in recorded.items() if name not in _OF_ONE_CUT}
    if start_at is not None:
        carried["start_at"] = start_at  # the music starts with the same picture
    moved = [replace(hit, at=at) for hit in hits if (at := difference.moved(hit.at)) is not None]
    carried |= request_records(PlanRequest(hits=tuple(moved)))
    if envelope is not None and envelope.points is not None:
        carried[DRAWN_ENVELOPE] = [[at, depth] for at, depth in envelope.points]
    return carried


def _with_own_music_moved(workspace: Workspace, difference: EditDifference) -> Workspace:
    """The workspace in which the video's own music, where it was given by hand, is where its picture is now."""
    mix = workspace.params.mix
    if mix.own_music_at is None:
        return workspace
    moved = tuple(part for given in mix.own_music_at for part in difference.moved_range(*given))
    try:
        mix = MixParams.model_validate({**mix.model_dump(), "own_music_at": moved})
    except ValidationError as error:
        raise EditError(
            f"the video's own music, given by hand, is in {len(moved)} pieces in the new cut; "
            "conform with a profile that says in at most 100 where it is there (mix.own_music_at)"
        ) from error
    return workspace.with_params(workspace.params.model_copy(update={"mix": mix}))


def _bare(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what is not changed: its other options and its provenance, which is recorded beside it."""
    left_out = ("options", "alternates")
    kept = {name: value for name, value in result.items() if name not in (*left_out, "provenance", "track")}
    plan = kept.get("plan")
    if isinstance(plan, Mapping):
        kept["plan"] = {name: value for name, value in plan.items() if name not in left_out}
    return dict(json.loads(json.dumps(kept)))


def conform_json(conformed: Conformed, hint: str | None = None) -> dict[str, Any]:
    """The changed plan, or why there is none, as JSON with its provenance and the names in the old result.

    `hint` words a refusal; None: in its own words.
    """
    old = conformed.result
    track_id = str(old.get("track_id", ""))
    made = plan_result(
        conformed.answer, video_id=conformed.video_id, track_id=track_id, track=None, mix=conformed.mix, hint=hint
    )
    body = made.to_json()
    if isinstance(old.get("track"), Mapping):
        body["track"] = old["track"]
    return with_provenance(body, conformed.provenance)


def conform_summary(conformed: Conformed) -> dict[str, Any]:
    """What changed, as JSON: both lengths, the changes of the edit and what the music does there, and how much is kept.

    `old_seconds`, `new_seconds`, `changes` (each with `at`, `old_at`, `delta_seconds`, `kind`, `music`), `worst_seam`,
    and `kept_share` of the seconds of untouched picture that had music; where there are any also `unsure_seams`, each
    with `at` and `score`; for a drawn ducking envelope also `envelope`, with the points that `moved` and those
    `dropped`, and `held_seconds` of new picture.
    """
    difference, plan, envelope = conformed.difference, conformed.plan, conformed.envelope
    unsure = [{"at": round(seam.at, 6), "score": round(seam.score, 4)} for seam in conformed.unsure_seams]
    return {
        "old_seconds": round(difference.old_seconds, 6),
        "new_seconds": round(plan.window_end, 6),
        "changes": [
            {
                "at": round(change.at, 6),
                "old_at": round(change.old_at, 6),
                "delta_seconds": round(change.delta_seconds, 6),
                "kind": change.kind,
                "music": change_words(plan, conformed.old, difference, change, conformed.half_bar),
            }
            for change in difference.changes
        ],
        "kept_share": round(_share(conformed, plan), 4),
        "worst_seam": plan.seam_score,
        **({"unsure_seams": unsure} if unsure else {}),
        **({} if envelope is None else {"envelope": _envelope_facts(envelope)}),
    }


def _envelope_facts(envelope: FollowedEnvelope) -> dict[str, float]:
    return {"moved": envelope.moved, "dropped": envelope.dropped, "held_seconds": envelope.held_seconds}


def conform_table(conformed: Conformed) -> list[Sentence]:
    """The changes as lines of a table; last how much music stays in place, what does not, and how to keep more."""
    summary = conform_summary(conformed)
    rows = [("new cut", "old cut", "by", "edit", "music after it")]
    rows += [
        (f"{c['at']:.2f} s", f"{c['old_at']:.2f} s", f"{c['delta_seconds']:+.2f} s", c["kind"], c["music"])
        for c in summary["changes"]
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows
    ]
    seams = f"worst seam {conformed.plan.seam_score:.2f}" if conformed.plan.seam_times else "no seam"
    last = (
        f"{100 * summary['kept_share']:.0f} % of the untouched picture keeps its music; "
        f"{seams}; {conformed.plan.end_label}"
    )
    guessed = _guessed_rate(conformed.difference)
    if not summary["changes"]:
        return [Sentence("nothing differs: the same plan"), Sentence(last), *guessed]
    if not _same_before_edit(conformed):
        lines.append("no way through the track led on from the first change, so music before it differs too")
    return [
        *map(Sentence, (*lines, last)),
        *guessed,
        *map(Sentence, _unsure_place(conformed.difference)),
        *map(Sentence, _envelope_words(conformed.envelope)),
        *_not_kept(conformed),
        *_ending_words(conformed),
        *_at_a_lower_floor(conformed),
    ]


def _guessed_rate(difference: EditDifference) -> list[Sentence]:
    """That the frame rate of the edit lists is a guess; one line, or none."""
    if not difference.other_rates:
        return []
    others = ", ".join(f"{float(rate):.6g}" for rate in difference.other_rates)
    taken = f"{1 / difference.frame_seconds:.6g} frames a second were taken, {others} would fit as well"
    return [Sentence(f"the edit lists do not state their frame rate: {taken} (", Argument(FRAME_RATE), " says which)")]


def _unsure_place(difference: EditDifference) -> list[str]:
    """That the pictures do not say where the cut is; one line, or none."""
    if difference.unsure is None:
        return []
    first, last = (clock(at) for at in difference.unsure)
    return [f"unsure: the pictures stand still from {first} to {last}, and the cut may be anywhere there"]


def _envelope_words(envelope: FollowedEnvelope | None) -> list[str]:
    """What became of the drawn ducking; one line, or none."""
    if envelope is None:
        return []
    if envelope.points is None:
        return ["the ducking that was drawn is gone with all of its picture"]
    left = "is gone with its picture" if envelope.dropped == 1 else "are gone with theirs"
    gone = f", {envelope.dropped} {left}" if envelope.dropped else ""
    held = f"; {envelope.held_seconds:.2f} s of new picture hold the level before them" if envelope.held_seconds else ""
    points = f"{envelope.moved} {'point moves' if envelope.moved == 1 else 'points move'} with the picture"
    return [f"the ducking that was drawn: {points}{gone}{held}"]


def _not_kept(conformed: Conformed) -> list[Sentence]:
    """What a person asked of the old plan that the new one does not hold, a line each."""
    table, request = segment_table(conformed.plan), conformed.request
    lines = conformed.analysis.profile.downbeats
    taken = set(map(tuple, seam_lines(table, lines).tolist()))
    on = on_lines(conformed.analysis.profile, request.constraints)
    found = [
        Sentence(
            f"the pinned seam {clock(float(lines[leave]))}-{clock(float(lines[enter]))} is not in it: "
            "its music does not come where its picture is now"
        )
        for leave, enter in on.pinned.tolist()
        if (leave, enter) not in taken
    ]
    if on.plays_excluded(*table.T).any():
        found.append(Sentence("before the edit it plays some of what is excluded, as the old plan did"))
    if request.start_at is not None and conformed.plan.music_in != request.start_at:
        found.append(_start_words(conformed, request.start_at))
    if request.end_on is not None:
        said = " of the plan is not asked of the changed one: fit it again where that must hold"
        found.append(Sentence(Argument("end_on"), said))
    found += [line for hit in request.hits if (line := _hit_words(conformed, hit))]
    fade = conformed.plan.end_fade_seconds
    if request.fade is not None and conformed.plan.ending.kind is EndKind.FADE and abs(fade - request.fade) > 1e-3:
        found.append(Sentence(f"the closing fade lasts {fade:.2f} s: there is no room for ", Argument("fade")))
    return found


def _hit_words(conformed: Conformed, hit: Hit) -> Sentence:
    """That a hit of the old plan does not land with its picture; empty where it does."""
    at = conformed.difference.moved(hit.at)
    if at is None:
        return Sentence(hit.constraint, " is gone with its picture")
    moved = replace(hit, at=at)
    late = hit_distance(conformed.plan, moved)
    if late is not None and abs(late) <= HIT_SECONDS:
        return Sentence()
    is_off = "is not played" if late is None else f"comes {abs(late):.2f} s {'late' if late > 0 else 'early'}"
    return Sentence(hit.constraint, f" {is_off}: fit it again with ", moved.constraint, ", where its picture is now")


def _start_words(conformed: Conformed, asked: VideoSeconds) -> Sentence:
    """That the music starts at another time than was asked for, and why."""
    starts = conformed.plan.music_in
    picture = conformed.difference.moved(asked)
    is_there = picture is not None and abs(picture - starts) < 1e-3
    why = "with its picture" if is_there else "for the new cut is too short"
    return Sentence(f"the music starts at {clock(starts)}, not at {clock(asked)} as was asked, {why}")


def _same_before_edit(conformed: Conformed) -> bool:
    """Whether the music is the very same up to two bars before the first change."""
    stretches = follow_picture(conformed.plan, conformed.old, conformed.difference, 1e-6)
    first = min((change.at for change in conformed.difference.changes), default=conformed.plan.window_end)
    return all(stretch.kept for stretch in stretches if stretch.first < first - 4 * conformed.half_bar)


def _ending_words(conformed: Conformed) -> list[Sentence]:
    """Which seams are less sure than those of a loop, and what became of the track's own ending; up to three lines."""
    plan, ending, unsure = conformed.plan, "the track's own ending", conformed.unsure_seams
    found: list[Sentence] = []
    if unsure:
        scores = ", ".join(f"{seam.score:.2f} at {clock(seam.at)}" for seam in unsure)
        found = [Sentence(f"less sure than the seams of a loop: {scores}")]
    if conformed.old.ends_in_fade:
        return found
    lost = plan.ends_in_fade
    if not lost and plan.is_faded_out:
        sooner = conformed.analysis.profile.last_sound - plan.segments[-1].song_to
        found.append(Sentence(f"{ending} plays, but rings {sooner:.1f} s less than in the track"))
    asked = not conformed.keep_ending if lost else conformed.keep_ending and bool(unsure)
    other: LoopPlan | Refusal | None = None
    if asked and conformed.follower is not None:
        other = conformed.follower.plan(None if conformed.keep_ending else REQUEST_FLOOR)
    if isinstance(other, Refusal):
        other = None
    if lost and (other is None or other.ends_in_fade):
        least = min(REQUEST_FLOOR, conformed.cover.min_seam_score)
        lacks = f"no seams over {least:g} lead to it from the first change on"
        found.append(Sentence(f"{ending} is lost to a fade: {lacks}"))
    elif other is not None and other.ends_in_fade != lost:
        facts = (
            f"{_percent(conformed, other)} of the untouched picture's music and a worst seam of {other.seam_score:.2f}"
        )
        is_so, instead = ("is lost to a fade", "keeps it") if lost else ("asks for that", "fades instead")
        found.append(Sentence(f"{ending} {is_so}: ", Argument(KEEP_ENDING, str(lost)), f" {instead}, with {facts}"))
    return found


def _at_a_lower_floor(conformed: Conformed) -> list[Sentence]:
    """What worse seams would keep, where good ones keep too little; one line, or none."""
    share = _share(conformed, conformed.plan)
    if share >= _MUCH or conformed.cover.min_seam_score <= _LOWER_FLOOR or conformed.follower is None:
        return []
    plan = conformed.follower.plan(None, _LOWER_FLOOR)  # no floor for the ending, as where one is given
    if isinstance(plan, Refusal) or _share(conformed, plan) < share + _MORE:
        return []
    kept = f"it is {_percent(conformed, plan)} (worst {plan.seam_score:.2f})"
    lower = Argument("min_seam_score", f"{_LOWER_FLOOR:g}")
    return [Sentence(f"with seams of down to {_LOWER_FLOOR:g} {kept}: ", lower, " takes them")]


def _percent(conformed: Conformed, plan: LoopPlan) -> str:
    """How much of the untouched picture keeps its music."""
    return f"{100 * _share(conformed, plan):.0f} %"


def _share(conformed: Conformed, plan: LoopPlan) -> float:
    """The share of the seconds of untouched picture with music that keep their music."""
    kept, untouched = kept_seconds(plan, conformed.old, conformed.difference, conformed.half_bar)
    return kept / untouched if untouched > 0.0 else 1.0
