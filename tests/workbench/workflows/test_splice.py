"""Splices and plans of one's own: the planner's numbers where it has them, and the sound of what was asked for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.workbench.played import band
from workbench import extensions
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError, PlanError
from workbench.files import bundled_path
from workbench.params import BeatParams
from workbench.plans.constraints import NamedSplice, SeamConstraints
from workbench.plans.plan import LoopPlan
from workbench.plans.request import PlanRequest
from workbench.recording import Recording
from workbench.render.playback import seam_excerpt
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import SEAM_PARTS
from workbench.store.home import Home
from workbench.workflows.plan import plan_track
from workbench.workflows.seams import seam_views
from workbench.workflows.splice import preview_plan, splice_json


@pytest.fixture(scope="module")
def piece() -> Any:
    return band("AABA")


def test_a_splice_at_bar_lines_has_the_planners_numbers(piece: Any) -> None:
    profile = loop_profile(piece.recording, piece.grid)
    splices, lines = profile.splices, piece.grid.downbeats
    for row in (0, splices.leave.size // 2, splices.leave.size - 1):
        tried = wb.splice(
            piece.recording, leave=lines[splices.leave[row]], enter=lines[splices.enter[row]], grid=piece.grid
        )
        assert tried.score == pytest.approx(float(splices.score[row]), abs=1e-5)
        assert list(tried.parts) == list(SEAM_PARTS)
        np.testing.assert_allclose(list(tried.parts.values()), splices.parts[row], atol=1e-4)
        left, entered = tried.played.plan.segments
        assert left.song_to == pytest.approx(float(splices.song_to[row]), abs=1e-6)
        assert entered.song_from == pytest.approx(float(splices.song_from[row]), abs=1e-6)
        assert tried.played.plan.seam_fades[0] == pytest.approx(float(splices.fade_seconds[row]), abs=1e-6)
        assert tried.played.off_grid == ""


def test_a_time_stands_for_the_nearest_beat_or_bar_line(piece: Any) -> None:
    beats, grid = piece.grid.beats, piece.grid
    at_beats = wb.splice(piece.recording, beats[33] + 0.05, beats[14] - 0.05, grid=grid)
    assert (at_beats.leave_beat, at_beats.enter_beat) == (33, 14)
    assert "10 ms of a downbeat" in at_beats.played.off_grid
    at_bars = wb.splice(piece.recording, beats[33] + 0.05, beats[17], snap="bar", grid=grid)
    assert (at_bars.leave_beat, at_bars.enter_beat, at_bars.bars) == (32, 16, 4)
    # Beat 2 leads to beat 2 of another chord: heard, and worse than the repeat of part A.
    assert at_bars.score > at_beats.score
    assert at_beats.sound.duration == pytest.approx(4.0, abs=0.01)


def test_the_sound_goes_where_the_splice_goes(piece: Any) -> None:
    tried = wb.splice(piece.recording, leave=piece.grid.beats[32], enter=piece.grid.beats[16], grid=piece.grid)
    left, entered = tried.played.plan.segments
    sound, rate = tried.played.sound(), piece.recording.sample_rate
    at = round(left.song_to * rate)
    after = sound.samples[0, at + rate : at + 2 * rate]
    first = round((entered.song_from + 1.0) * rate)
    source = piece.recording.samples[0, first - 2 : first + rate + 2]
    gain = 10.0 ** (entered.gain_in_db / 20.0)
    assert min(np.abs(after - gain * source[k : k + after.size]).max() for k in range(4)) < 0.05


def test_a_splice_that_makes_no_sense_says_why(piece: Any) -> None:
    for leave, enter, why in (
        (16.1, 16.2, "both times are at the same beat"),
        (999.0, 0.0, "the track ends at"),
    ):
        with pytest.raises(ParameterError, match=why):
            wb.splice(piece.recording, leave, enter, grid=piece.grid)
    with pytest.raises(ParameterError, match="both times are at the same bar line, 0:16"):
        wb.splice(piece.recording, 16.1, 16.7, snap="bar", grid=piece.grid)
    with pytest.raises(ParameterError, match="snaps to the nearest beat or bar, got 'bars'"):
        wb.splice(piece.recording, 16.0, 8.0, snap="bars", grid=piece.grid)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no beats were found"):
        wb.splice(Recording.from_samples(np.zeros(22_050), 22_050), leave=0.5, enter=0.1)
    with pytest.raises(ParameterError, match="a track is a file"):
        wb.splice(piece.recording, 16.0, 8.0, workspace=Workspace(Home(Path("nowhere"))))


def test_any_segments_are_checked_and_played(piece: Any) -> None:
    heard = wb.plan_of([(0.0, 8.0), (4.0, 12.0), (20.0, 24.0)], piece.recording, grid=piece.grid, fade_seconds=0.01)
    assert heard.plan.window_end == 20.0
    assert heard.plan.seam_times == (8.0, 16.0)
    assert len(heard.scores) == 2
    assert heard.plan.seam_score == round(min(heard.scores), 4)
    assert heard.sound().samples.shape[1] == 20 * piece.recording.sample_rate
    rate = piece.recording.sample_rate
    np.testing.assert_allclose(
        heard.sound(9.0, 15.0).samples, piece.recording.samples[:, 5 * rate : 11 * rate], atol=1e-6
    )
    assert heard.to_frame().score.tolist()[1:] == list(heard.scores)
    np.testing.assert_allclose(heard.to_dataset().time, [8.0, 16.0])


def test_segments_that_break_a_rule_are_refused_by_its_name(piece: Any) -> None:
    with pytest.raises(PlanError, match="continue each other"):
        wb.plan_of([(0.0, 8.0), (8.0, 12.0)], piece.recording, grid=piece.grid)
    with pytest.raises(PlanError, match="0 <= song_from < song_to"):
        wb.plan_of([(8.0, 4.0)], piece.recording, grid=piece.grid)
    with pytest.raises(PlanError, match="one value a seam"):
        wb.plan_of([(0.0, 8.0), (4.0, 12.0)], piece.recording, grid=piece.grid, fade_seconds=(0.01, 0.01))
    with pytest.raises(PlanError, match="at least one segment"):
        wb.plan_of([], piece.recording, grid=piece.grid)
    with pytest.raises(PlanError, match="a glide must fit the shortest segment, 0 to 4 s, got 5"):
        wb.plan_of([(0.0, 8.0), (4.0, 8.0)], piece.recording, grid=piece.grid, gain_glide_seconds=5.0)


def test_a_plan_of_the_planner_is_taken_as_it_is(piece: Any) -> None:
    plan = wb.plan_loop(loop_profile(piece.recording, piece.grid), 90.0)
    assert isinstance(plan, wb.LoopPlan)
    heard = wb.plan_of(
        plan.segments,
        piece.recording,
        fade_seconds=plan.seam_fades,
        exponent=plan.seam_curves,
        gain_glide_seconds=plan.gain_glide_seconds,
        grid=piece.grid,
    )
    assert heard.plan.segments == plan.segments
    assert heard.off_grid == ""


def test_a_planners_seam_has_one_score_however_it_is_asked_for(tmp_path: Path) -> None:
    path = wb.datasets.load("bundled")["hill_road"].path
    with Workspace(Home(tmp_path / "home")) as workspace:
        analysis = analyze(workspace, path)
        recording = workspace.load_recording(path)
    splices, lines = analysis.profile.splices, analysis.grid.downbeats
    plan = wb.plan_loop(analysis.profile, 300.0)
    assert isinstance(plan, wb.LoopPlan)
    heard = preview_plan(plan, recording, analysis.grid)
    own = wb.plan_of(
        plan.segments, recording, fade_seconds=plan.seam_fades, exponent=plan.seam_curves,
        gain_glide_seconds=plan.gain_glide_seconds, grid=analysis.grid,
    )  # fmt: skip
    assert own.scores == heard.scores
    for seam, score in enumerate(heard.scores):
        left, entered = plan.segments[seam].song_to, plan.segments[seam + 1].song_from
        row = int(np.argmin(np.abs(splices.song_to - left) + np.abs(splices.song_from - entered)))
        assert score == pytest.approx(float(splices.score[row]), abs=1e-5)
        tried = wb.splice(
            recording, leave=lines[splices.leave[row]], enter=lines[splices.enter[row]], grid=analysis.grid
        )
        assert score == tried.score
    assert round(min(heard.scores), 4) == pytest.approx(plan.seam_score, abs=1.5e-4)


def test_times_are_seconds_or_minutes_and_what_is_neither_is_said(piece: Any) -> None:
    recording, grid = piece.recording, piece.grid
    assert wb.splice(recording, leave="0:16.25", enter="8.25", grid=grid).leave_beat == 32
    assert wb.plan_of([("0:00", "8"), (4, 12.0)], recording, grid=grid).plan.window_end == 16.0
    with pytest.raises(ParameterError, match=r"leave is a time in seconds, or a text such as 0:40; got 'soon'"):
        wb.splice(recording, leave="soon", enter=1.0, grid=grid)
    with pytest.raises(ParameterError, match=r"a segment is two times, from and to"):
        wb.plan_of([(0, 40, 1)], recording, grid=grid)  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="each end of a segment is a time"):
        wb.plan_of([("0", "later")], recording, grid=grid)


class Pulse:
    version = 1
    seconds = 0.5

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times(np.arange(0.25, recording.duration, self.seconds))


def test_another_version_of_a_tracker_tracks_again(piece: Any) -> None:
    tracker = Pulse()
    extensions.register(extensions.BEAT_TRACKERS, "pulse", tracker)
    params = wb.WorkbenchParams()
    params = params.model_copy(update={"beats": params.beats.model_copy(update={"tracker": "pulse"})})
    first = wb.plan_of([(0.0, 8.0)], piece.recording, params=params)
    tracker.version, tracker.seconds = 2, 1.0
    second = wb.plan_of([(0.0, 8.0)], piece.recording, params=params)
    extensions.unregister(extensions.BEAT_TRACKERS, "pulse")
    assert second.grid.beats.size == pytest.approx(first.grid.beats.size / 2, abs=1)


def test_what_cannot_be_heard_is_said(piece: Any) -> None:
    heard = wb.plan_of([(0.0, 8.0)], piece.recording, grid=piece.grid)
    for from_s, to_s in ((8.0, 5.0), (-3.0, -1.0), (8.0, None), (5.0, 5.0)):
        with pytest.raises(ParameterError, match="is between 0 and 8 s"):
            heard.sound(from_s, to_s)
    refused = wb.plan_loop(loop_profile(piece.recording, piece.grid), 5.0)
    with pytest.raises(ParameterError, match="it was refused: "):
        preview_plan(refused, piece.recording, piece.grid)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="not a str"):
        preview_plan("plan.json", piece.recording, piece.grid)  # type: ignore[arg-type]


def test_music_without_a_pulse_is_played_without_scores() -> None:
    noise = Recording.from_samples(0.1 * np.random.default_rng(1).standard_normal(4 * 22_050), 22_050)
    empty = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0)
    heard = wb.plan_of([(0.0, 2.0), (1.0, 3.0)], noise, grid=empty)
    assert heard.scores == ()
    assert heard.plan.window_end == 4.0
    assert "worst seam" not in repr(heard)
    assert "no bars to score seams by" in repr(heard)
    assert "worst seam" not in repr(wb.plan_of([(0.0, 2.0)], noise, grid=empty)), "there is no seam"


@pytest.fixture(scope="module")
def song() -> Path:
    return bundled_path("data", "bundled", "music", "hill_road.ogg")


@pytest.mark.parametrize("pinned", [(), (NamedSplice(92.0, 48.0),)])
def test_numbers_and_sound_are_those_of_a_plan(
    workspace: Workspace, song: Path, pinned: tuple[NamedSplice, ...]
) -> None:
    loop = plan_track(workspace, song, 256.0, PlanRequest(SeamConstraints(pinned=pinned), only_loop=True))
    plan = loop.answer
    assert isinstance(plan, LoopPlan)
    assert loop.analysis is not None
    recording = workspace.load_recording(song)
    scores = {(view.leave_s, view.enter_s): view for view in seam_views(plan, recording, loop.analysis)}
    compared = 0
    for seam, (left, entered) in enumerate(pairwise(plan.segments)):
        tried = wb.splice(song, left.song_to, entered.song_from, snap="bar", workspace=workspace)
        body = splice_json("hill_road", tried, 0.5)
        assert (body["song_to"], body["song_from"]) == (left.song_to, entered.song_from)
        assert (body["seam_fade"], body["seam_curve"]) == (plan.seam_fades[seam], plan.seam_curves[seam])
        assert body["gain_in_db"] == entered.gain_in_db
        view = scores[left.song_to, entered.song_from]
        assert body["seam_score"] == round(view.score, 4)
        assert list(body["parts"].values()) == [round(part, 4) for part in view.parts.tolist()]
        # What is heard around it, but for what the rest of the plan does there: other seams, gains and ends.
        near = [time for time in plan.seam_times if 0.0 < abs(time - plan.seam_times[seam]) < 8.0]
        if near or not 4.0 < plan.seam_times[seam] < plan.window_end - 12.0:
            continue
        here, there = tried.sound.samples, seam_excerpt(plan, recording, seam).samples
        assert here.shape == there.shape
        middle, half = here.shape[1] // 2, int(plan.seam_fades[seam] / 2 * recording.sample_rate) + 2
        for side in (slice(1, middle - half), slice(middle + half, here.shape[1] - 1)):
            # Each side is placed on whole samples, in every plan anew: it may be one sample earlier or later.
            moved = [there[:, side.start + by : side.stop + by] for by in (-1, 0, 1)]
            assert min(float(np.abs(here[:, side] - one).max()) for one in moved) < 1e-5
        compared += 1
    assert compared
    assert min(view.score for view in scores.values()) == pytest.approx(plan.seam_score, abs=1e-4)
