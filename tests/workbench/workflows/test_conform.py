"""From a result and two cuts to a changed plan: names, parameters and constraints of the old one carry over."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import opentimelineio as otio
import pytest

from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.errors import EditError, InputError, PlanError
from workbench.files import bundled_path
from workbench.params import CoverParams, MixParams, WorkbenchParams
from workbench.plans.constraints import SeamConstraints, TrackRange, clock
from workbench.plans.hits import hit_distance
from workbench.plans.plan import EndKind, PlanKind, segment_table
from workbench.plans.plan_score import REQUEST_FLOOR
from workbench.plans.refusals import Refusal
from workbench.plans.request import LOOP_ALONE, Hit, Keep, PlanRequest
from workbench.results.plan import plan_from_json
from workbench.workflows.conform import Conformed, ConformRequest, conform_json, conform_summary, conform_table
from workbench.workflows.conform import conform as conform_to
from workbench.workflows.plan import plan_track, planned_json
from workbench.workflows.reproduce import reproduce

TRACK = Path(bundled_path("data", "bundled", "music", "hill_road.ogg"))
RATE = 25


def write_cut(path: Path, shots: list[tuple[str, float, float]]) -> Path:
    """Shots of media, from a second of it on, for so many seconds."""
    track = otio.schema.Track(kind=otio.schema.TrackKind.Video)
    for name, first, seconds in shots:
        start, length = (otio.opentime.RationalTime(round(Fraction(t) * RATE), RATE) for t in (first, seconds))
        reference = otio.schema.ExternalReference(target_url=f"file:///{name}.mov")
        track.append(otio.schema.Clip(name, reference, otio.opentime.TimeRange(start, length)))
    timeline = otio.schema.Timeline("cut")
    timeline.tracks.append(track)
    otio.adapters.write_to_file(timeline, str(path))
    return path


def conform(
    workspace: Workspace, result: Any, old: Path, new: Path, video: Path | None = None, **asked: Any
) -> Conformed:
    """The workflow on the track of these tests."""
    return conform_to(workspace, result, ConformRequest(old, new, **asked), track=TRACK, video=video)


def lines_of(found: Conformed) -> list[str]:
    return list(map(str, conform_table(found)))


@pytest.fixture
def cuts(tmp_path: Path) -> tuple[Path, Path]:
    shots = [("a", 0.0, 100.0), ("b", 0.0, 100.0), ("c", 0.0, 100.0)]
    return write_cut(tmp_path / "old.otio", shots), write_cut(tmp_path / "new.otio", [*shots[:2], ("c", 4.0, 96.0)])


def test_names_parameters_and_constraints_carry_over(workspace: Workspace, cuts: tuple[Path, Path]) -> None:
    params = WorkbenchParams(cover=CoverParams(min_seam_score=0.6))
    never = SeamConstraints(never_cut=(TrackRange(20.0, 30.0),))
    made = planned_json(plan_track(workspace.with_params(params), TRACK, 300.0, PlanRequest(never, only_loop=True)))
    found = conform(workspace, json.loads(json.dumps(made)), *cuts)
    body = conform_json(found)
    assert (body["track_id"], body["video_id"]) == (made["track_id"], "new.otio")
    assert found.cover.min_seam_score == 0.6
    assert found.plan.seam_score >= 0.6
    assert body["provenance"]["constraints"]["never_cut"] == made["provenance"]["constraints"]["never_cut"]
    for left, entered in zip(found.plan.segments, found.plan.segments[1:], strict=False):
        assert not 20.1 < left.song_to < 29.9
        assert not 20.1 < entered.song_from < 29.9
    assert plan_from_json(json.loads(json.dumps(body))).segments == found.plan.segments
    summary, table = conform_summary(found), lines_of(found)
    assert summary["changes"][0]["kind"] == "trim"
    assert f"{100 * summary['kept_share']:.0f} % of the untouched picture keeps its music" in " ".join(table)


def test_a_conformed_plan_is_conformed_again_and_reproduced(
    workspace: Workspace, cuts: tuple[Path, Path], tmp_path: Path
) -> None:
    params = WorkbenchParams(cover=CoverParams(min_seam_score=0.6))
    made = planned_json(plan_track(workspace.with_params(params), TRACK, 300.0, LOOP_ALONE))
    once = json.loads(json.dumps(conform_json(conform(workspace, made, *cuts))))
    back = conform(workspace, once, cuts[1], cuts[0])
    assert back.plan.window_end == 300.0
    for changed in (once, json.loads(json.dumps(conform_json(back)))):
        again = reproduce(workspace, changed, track=TRACK, folders=[tmp_path])
        assert again.same
        assert not again.differences
    assert "conformed" not in once["provenance"]["constraints"]["conformed"]["given"]


def test_the_own_ending_is_kept_by_worse_seams_or_not_and_made_again(workspace: Workspace, tmp_path: Path) -> None:
    shots = [("a", 0.0, 40.0), ("b", 0.0, 30.0), ("c", 0.0, 30.0)]
    old = write_cut(tmp_path / "old.otio", shots)
    new = write_cut(tmp_path / "new.otio", [shots[0], ("b", 0.0, 28.0), shots[2]])
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 100.0))))
    usual = conform(workspace, made, old, new)
    faded = conform(workspace, made, old, new, keep_ending=False)
    assert not usual.plan.ends_in_fade
    assert faded.plan.ends_in_fade
    assert faded.plan.seam_score >= faded.cover.min_seam_score > usual.plan.seam_score >= REQUEST_FLOOR
    # What that costs is said, on both sides.
    unsure = usual.unsure_seams
    assert min(seam.score for seam in unsure) == pytest.approx(usual.plan.seam_score, abs=1e-4)
    said = [{"at": round(seam.at, 6), "score": round(seam.score, 4)} for seam in unsure]
    assert conform_summary(usual)["unsure_seams"] == said
    assert "unsure_seams" not in conform_summary(faded)
    seams = ", ".join(f"{seam.score:.2f} at {clock(seam.at)}" for seam in unsure)
    assert f"less sure than the seams of a loop: {seams}" in lines_of(usual)
    for found, other, option in ((usual, faded, "keep_ending=False"), (faded, usual, "keep_ending=True")):
        (line,) = [line for line in lines_of(found) if "keep_ending" in line]
        assert option in line
        assert f"a worst seam of {other.plan.seam_score:.2f}" in line
    # A floor that somebody gives is none to go under, unless that is asked for too.
    good = conform(workspace, made, old, new, min_seam_score=0.6)
    assert good.plan.seam_score >= 0.6
    asked = conform(workspace, made, old, new, min_seam_score=0.6, keep_ending=True)
    assert not asked.plan.ends_in_fade
    lower = conform(workspace, made, old, new, min_seam_score=0.1)
    assert lower.cover.min_seam_score == 0.1
    assert conform_summary(lower)["kept_share"] > conform_summary(faded)["kept_share"]
    bodies = [json.loads(json.dumps(conform_json(found))) for found in (usual, faded, lower)]
    assert [body["provenance"]["constraints"].get("keep_ending") for body in bodies] == [True, None, None]
    for body in bodies:
        assert reproduce(workspace, body, track=TRACK, folders=[tmp_path]).same
    # It is asked of one change at a time.
    again = conform_json(conform(workspace, bodies[1], new, old))
    assert again["provenance"]["constraints"]["keep_ending"] is True
    assert reproduce(workspace, json.loads(json.dumps(again)), track=TRACK, folders=[tmp_path]).same


def test_that_only_the_ring_of_the_own_ending_is_cut_short_is_said(workspace: Workspace, tmp_path: Path) -> None:
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 60.0), ("b", 0.0, 40.0)])
    new = write_cut(tmp_path / "new.otio", [("a", 0.0, 60.0), ("b", 0.0, 39.0)])
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 100.0))))
    found = conform(workspace, made, old, new)
    less = found.analysis.profile.last_sound - found.plan.segments[-1].song_to
    assert 0.0 < less <= 1.0
    said = f"the track's own ending plays, but rings {less:.1f} s less than in the track"
    assert said in lines_of(found)
    assert found.plan.end_label.startswith("own ending: ")
    assert found.plan.kind is PlanKind.STRAIGHT
    assert plan_from_json(json.loads(json.dumps(conform_json(found)))).is_faded_out


def test_that_nothing_keeps_the_own_ending_is_said(workspace: Workspace, tmp_path: Path) -> None:
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 45.0)])
    new = write_cut(tmp_path / "new.otio", [("a", 0.0, 9.0)])
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 45.0))))
    for keep_ending in (False, True):
        found = conform(workspace, made, old, new, keep_ending=keep_ending)
        lost = "the track's own ending is lost to a fade: no seams over 0.2 lead to it from the first change on"
        assert found.plan.ends_in_fade
        assert not found.old.ends_in_fade
        assert lost in lines_of(found)


def test_what_is_missing_or_differs_of_a_conformed_plan_is_said(
    workspace: Workspace, cuts: tuple[Path, Path], tmp_path: Path
) -> None:
    made = planned_json(plan_track(workspace, TRACK, 300.0, LOOP_ALONE))
    once = json.loads(json.dumps(conform_json(conform(workspace, made, *cuts))))
    other = json.loads(json.dumps(once))
    other["plan"]["seam_fades"][0] += 0.01
    again = reproduce(workspace, other, track=TRACK, folders=[tmp_path])
    assert not again.same
    assert any(line.startswith("plan.seam_fades[0]") for line in again.differences)
    write_cut(cuts[1], [("a", 0.0, 100.0), ("b", 0.0, 90.0)])
    with pytest.raises(InputError, match=r"the cut new\.otio was not found by its bytes"):
        reproduce(workspace, once, track=TRACK, folders=[tmp_path])
    del once["provenance"]["constraints"]["conformed"]
    with pytest.raises(PlanError, match="does not hold the one that it was changed from"):
        reproduce(workspace, once, track=TRACK)


def test_a_drawn_envelope_moves_with_its_picture(workspace: Workspace, tmp_path: Path) -> None:
    """Under four seconds less of the second shot, with a mix measured anew and without one."""
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 8.0), ("b", 0.0, 12.0)])
    new = write_cut(tmp_path / "new.otio", [("a", 0.0, 8.0), ("b", 4.0, 8.0)])
    noise = 0.01 * np.random.default_rng(1).standard_normal((1, 16 * 48_000))
    write_video(tmp_path / "new.mp4", [grey(90)] * 80, 5, sound=noise.astype(np.float32))
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 20.0))))
    points = [[2.0, 0.0], [3.0, 9.0], [10.0, 9.0], [14.0, 9.0], [15.0, 0.0]]
    made["provenance"]["constraints"]["envelope_points"] = points
    duck = {"envelope_points": points, "envelope_hz": 100, "speech_ranges": [], "depth_db": 9.0,
            "attack_ms": 300, "release_ms": 900}  # fmt: skip
    made["mix"] = {"voiceover": False, "classification": "ambient", "duck": duck}
    moved = [[2.0, 0.0], [3.0, 9.0], [10.0, 9.0], [11.0, 0.0]]
    for video in (tmp_path / "new.mp4", None):
        found = conform(workspace, made, old, new, video=video)
        body = conform_json(found)
        assert body["provenance"]["constraints"]["envelope_points"] == moved
        assert found.lost_mix == (video is None)
        assert (body["mix"]["duck"]["envelope_points"] if video else moved) == moved
        assert conform_summary(found)["envelope"] == {"moved": 4, "dropped": 1, "held_seconds": 0.0}
        said = "the ducking that was drawn: 4 points move with the picture, 1 is gone with its picture"
        assert said in lines_of(found)
    back = conform(workspace, json.loads(json.dumps(body)), new, old)
    assert "4.00 s of new picture hold the level before them" in " ".join(lines_of(back))
    assert reproduce(workspace, body, track=TRACK, folders=[tmp_path]).same


def test_what_was_asked_of_the_old_plan_is_asked_of_the_new_one(workspace: Workspace, tmp_path: Path) -> None:
    """A kept part stays whole, the excluded one is not played, and both are in the new plan's provenance."""
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 20.0), ("b", 0.0, 40.0)])
    new = write_cut(tmp_path / "new.otio", [("a", 0.0, 20.0), ("b", 9.0, 31.0)])
    asked = PlanRequest(SeamConstraints(excluded=(TrackRange(30.0, 40.0),)), keep=(Keep(None, 52.0, 60.0),))
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 60.0, asked))))
    found = conform(workspace, made, old, new)
    table = segment_table(found.plan)
    assert ((table[:, 0] <= 52.0) & (table[:, 1] >= 60.0)).any()
    assert ((table[:, 1] <= 30.02) | (table[:, 0] >= 39.98)).all()
    constraints = conform_json(found)["provenance"]["constraints"]
    assert (constraints["keep"], constraints["exclude"]) == ([[52.0, 60.0]], [[30.0, 40.0]])
    # Where the new cut has no room for what is kept, there is no plan, and the body says what it was to be made from.
    brief = write_cut(tmp_path / "brief.otio", [("a", 0.0, 6.0)])
    refused = conform(workspace, made, old, brief)
    assert isinstance(refused.answer, Refusal)
    body = json.loads(json.dumps(conform_json(refused)))
    assert body["plan"]["constraints"] == ["keep 0:52-1:00"]
    assert body["provenance"]["constraints"]["seconds"] == 6.0
    again = reproduce(workspace, body, track=TRACK, folders=[tmp_path])
    assert (again.same, again.body["hint"]) == (True, body["hint"])


@pytest.mark.parametrize(("at", "moved"), [(15.0, 15.0), (25.0, None), (45.0, 36.0)])
def test_hits_fades_and_own_music_given_by_hand_move_with_their_picture(
    workspace: Workspace, tmp_path: Path, at: float, moved: float | None
) -> None:
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 20.0), ("b", 0.0, 40.0)])
    new = write_cut(tmp_path / "new.otio", [("a", 0.0, 20.0), ("b", 9.0, 31.0)])
    own = WorkbenchParams(mix=MixParams(own_music_at=((10.0, 14.0), (18.0, 35.0))))
    asked = PlanRequest(hits=(Hit(at, 30.0),), fade=3.0)
    made = json.loads(json.dumps(planned_json(plan_track(workspace.with_params(own), TRACK, 60.0, asked))))
    found = conform(workspace, made, old, new)
    provenance = conform_json(found)["provenance"]
    assert provenance["constraints"].get("hit") == (None if moved is None else [[moved, 30.0]])
    assert provenance["params"]["mix"]["own_music_at"] == [[10.0, 14.0], [18.0, 26.0]]
    if found.plan.ending.kind is EndKind.FADE:
        assert found.plan.end_fade_seconds == 3.0
    said = [line for line in lines_of(found) if line.startswith("hit ")]
    if moved is None:
        assert said == ["hit 0:25 is gone with its picture"]
    else:
        late = hit_distance(found.plan, Hit(moved, 30.0))
        assert bool(said) == (late is None or abs(late) > 0.02)
        assert not said or moved != at, "before the edit the music is the very same"
    assert reproduce(workspace, json.loads(json.dumps(conform_json(found))), track=TRACK, folders=[tmp_path]).same


def test_own_music_in_too_many_pieces_is_one_sentence(workspace: Workspace, tmp_path: Path) -> None:
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 60.0)])
    shots = [(("a", 0.4 * n, 0.4), ("b", 9.0 * n, 0.2)) for n in range(150)]
    new = write_cut(tmp_path / "new.otio", [shot for pair in shots for shot in pair])
    own = WorkbenchParams(mix=MixParams(own_music_at=((0.0, 60.0),)))
    made = json.loads(json.dumps(planned_json(plan_track(workspace.with_params(own), TRACK, 60.0))))
    with pytest.raises(EditError, match="in 150 pieces in the new cut; conform with a profile"):
        conform(workspace, made, old, new)


def test_that_the_music_starts_elsewhere_than_was_asked_is_said(workspace: Workspace, tmp_path: Path) -> None:
    old = write_cut(tmp_path / "old.otio", [("a", 0.0, 20.0), ("b", 0.0, 40.0)])
    made = json.loads(json.dumps(planned_json(plan_track(workspace, TRACK, 60.0, PlanRequest(start_at=30.0)))))
    moved = write_cut(tmp_path / "moved.otio", [("a", 0.0, 15.0), ("b", 0.0, 40.0)])
    found = conform(workspace, made, old, moved)
    assert "the music starts at 0:25, not at 0:30 as was asked, with its picture" in lines_of(found)
    short = write_cut(tmp_path / "short.otio", [("a", 0.0, 12.0)])
    found = conform(workspace, made, old, short)
    said = f"the music starts at {clock(found.plan.music_in)}, not at 0:30 as was asked, for the new cut is too short"
    assert said in lines_of(found)
    assert conform_json(found)["provenance"]["constraints"]["start_at"] == found.plan.music_in
