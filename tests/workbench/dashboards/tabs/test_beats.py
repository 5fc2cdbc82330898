"""The Beats tab without a browser: corrections tried, saved, used by the next plan, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.dashboards.conftest import copy_home
from tests.workbench.dashboards.waiting import CollectingPool, until_idle
from workbench.analysis.grids import corrected_grid
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Analysis, analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.corrections import double_tempo, halve_stretch, halve_tempo, shift_bar, shift_beats
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.plan import track_file
from workbench.dashboards.tabs.beats import BeatsPicture, BeatsState, BeatsTab, tempo_steps, thinned
from workbench.dashboards.views import LongSound
from workbench.errors import GridError
from workbench.files import bundled_path
from workbench.plots.palette import clock
from workbench.review.projects import start_project
from workbench.store.home import Home
from workbench.workflows.plan import Planned

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")


@pytest.fixture(scope="module")
def home(corner_home: Home, corner_loop: Planned, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home of its own, for grids that are saved, which knows the track already."""
    return copy_home(corner_home, tmp_path_factory.mktemp("beats") / "home")


@pytest.fixture(scope="module")
def heard(home: Home) -> Analysis:
    return analyze(Workspace(home), TRACK)


@pytest.fixture
def session(home: Home, pool: CollectingPool) -> Iterator[Session]:
    session = Session(Workspace(home), pool=pool)
    yield session
    session.close()


def test_a_grid_that_would_leave_the_track_is_refused(heard: Analysis) -> None:
    """Saved, every later analysis of the track would fail on it."""
    state = BeatsState()
    state.take(heard, saved=False)
    over = heard.duration - float(heard.grid.beats[-1])
    with pytest.raises(GridError, match="behind the end of the track"):
        state.correct("later", partial(shift_beats, seconds=over))
    assert not state.changed
    state.correct("later", partial(shift_beats, seconds=over - 0.001))
    assert state.changed


def test_corrections_are_tried_and_taken_back(heard: Analysis) -> None:
    state = BeatsState()
    state.take(heard, saved=False)
    state.correct("half the tempo", halve_tempo)
    state.correct("bars a beat later", shift_bar)
    assert state.changed
    assert state.note == "half the tempo, bars a beat later"
    assert "not saved: bars a beat later, and 1 before it" in state.facts()
    state.take_draft(None)
    assert state.grid is heard.grid
    assert "found by the tracker" in state.facts()


def test_what_cannot_be_corrected_leaves_the_grid(heard: Analysis) -> None:
    state = BeatsState()
    with pytest.raises(GridError, match="no track"):
        state.correct("", halve_tempo)
    state.take(heard, saved=False)
    for _ in range(2):
        state.correct("twice the tempo", double_tempo)
    before = state.grid
    with pytest.raises(GridError, match="fastest"):
        state.correct("twice the tempo", double_tempo)
    assert state.grid is before


def test_the_tempo_of_beats_and_of_bars_agree(heard: Analysis) -> None:
    each_at, each, bar_at, bar = tempo_steps(heard.grid)
    assert each_at.size == each.size == heard.grid.beats.size - 1
    assert bar_at.size == bar.size == heard.grid.downbeats.size - 1
    assert np.median(bar) == pytest.approx(heard.grid.tempo_bpm, rel=0.02)


def test_bars_are_thinned_until_they_have_room() -> None:
    bars = np.arange(3, 403)
    assert thinned(bars, 4000, 5.0).size == 400
    drawn = thinned(bars, 400, 5.0)
    assert drawn.size * 5 <= 400
    assert set(np.diff(drawn)) == {8}


def test_the_tempo_of_every_bar_is_in_view(heard: Analysis) -> None:
    state = BeatsState()
    state.take(heard, saved=False)
    lines = heard.grid.downbeats
    state.correct("half the tempo", partial(halve_stretch, from_s=float(lines[4]), to_s=float(lines[8])))
    picture = BeatsPicture(state)
    picture.show_grid()
    assert state.grid is not None
    _, _, _, bars = tempo_steps(state.grid)
    assert bars.min() < 0.75 * state.grid.tempo_bpm, "which few of the beats have"
    assert picture.tempo.y_range.start < bars.min()
    assert picture.tempo.y_range.end > bars.max()


def test_the_number_of_a_bar_is_whole_or_left_out(heard: Analysis) -> None:
    state = BeatsState()
    state.take(heard, saved=False)
    picture = BeatsPicture(state)
    picture.show()
    line, seconds = float(heard.grid.downbeats[12]), 8.0
    for beyond, shown in ((0.01, False), (0.5, True)):
        picture.wave.x_range.update(start=line + beyond - seconds, end=line + beyond)
        picture.show_view()
        assert ("13" in picture._sources["numbers"].data["text"]) is shown


def test_only_what_is_in_view_is_sent(home: Home, heard: Analysis) -> None:
    state = BeatsState()
    state.take(heard, saved=False)
    picture = BeatsPicture(state)
    picture.sound = LongSound(track_file(Workspace(home), TRACK))
    picture.show()
    picture.look_at(40.0, 8.0)
    picture.show_view()
    sent = {name: source.data for name, source in picture._sources.items()}
    assert 34.0 < min(sent["beats"]["x"]) < max(sent["beats"]["x"]) < 53.0
    assert len(sent["wave"]["x"]) <= 4000
    named = sent["numbers"]
    at = int(named["text"][0]) - 1
    assert named["x"][0] == heard.grid.downbeats[at]
    picture.kind = "spectrogram"
    picture.show_view()
    sent = {name: source.data for name, source in picture._sources.items()}
    assert sent["image"]["image"][0].shape[0] == 96
    assert len(sent["wave"]["x"]) == 0


@pytest.mark.slow
def test_the_tab_saves_plans_again_and_goes_back(session: Session, heard: Analysis) -> None:
    session.param.update(track=TrackSource(TRACK.name, TRACK, None), analysis=heard)
    tab = BeatsTab(session)
    tab.correct("bars a beat later", partial(shift_bar, beats=1))
    tab.save()
    kept = corrected_grid(session.workspace, heard.content_hash)
    assert kept is not None
    assert kept.note == "bars a beat later"
    until_idle(session)
    assert session.analysis is not None
    assert np.allclose(session.analysis.grid.downbeats, shift_bar(heard.grid).downbeats)
    assert "saved" in tab.state.facts()
    assert tab.sure.object == "set by hand"
    tab.forget()
    until_idle(session)
    assert corrected_grid(session.workspace, heard.content_hash) is None
    assert np.array_equal(session.analysis.grid.positions, heard.grid.positions)
    assert "found by the tracker" in tab.state.facts()
    assert tab.sure.object.startswith("confidence")


@pytest.mark.slow
def test_the_tab_goes_back_before_it_was_planned_on_the_saved_grid(session: Session, tmp_path: Path) -> None:
    session = Session(Workspace(Home(tmp_path)), pool=session.tasks.pool)  # whose project no other test looks at
    session.open_track(TRACK)
    until_idle(session)
    before = session.analysis
    tab = BeatsTab(session)
    tab.correct("bars a beat later", partial(shift_bar, beats=1))
    tab.save()
    tab.forget()
    until_idle(session)
    assert session.analysis is before, "the very same, for equal work is done once"
    assert "found by the tracker" in tab.state.facts()
    assert before is not None
    assert tab.state.grid is before.grid


def test_other_projects_on_the_track_are_named_before_its_grid_changes(
    session: Session, heard: Analysis, tmp_path: Path
) -> None:
    session = Session(Workspace(Home(tmp_path)), pool=session.tasks.pool)  # whose projects are these alone
    track = TrackSource(TRACK.name, TRACK, None)
    session.param.update(track=track, analysis=heard, project=start_project(session.workspace, None, track))
    tab = BeatsTab(session)
    assert (tab.touched.visible, tab.touched.object) == (False, "")
    start_project(session.workspace, tmp_path / "spring.mp4", track)
    start_project(session.workspace, tmp_path / "autumn.mp4", track)
    tab.correct("bars a beat later", partial(shift_bar, beats=1))
    assert tab.touched.visible
    assert "2 projects (corner_store under autumn, corner_store under spring)" in tab.touched.object
    assert corrected_grid(session.workspace, heard.content_hash) is None


def test_a_beat_is_put_where_it_was_pressed(session: Session, heard: Analysis) -> None:
    session.param.update(track=TrackSource(TRACK.name, TRACK, None), analysis=heard)
    tab = BeatsTab(session)
    labels = [label for label, _ in tab.places.acts]
    at = float(heard.grid.beats[8] + heard.grid.beats[9]) / 2
    tab.player.time = at - 0.25
    tab.places.pressed = [labels.index("+ Beat"), at, 1]
    assert tab.state.grid is not None
    assert at in tab.state.grid.beats
    tab.player.time = at
    tab.places.pressed = [labels.index("\N{MINUS SIGN} Beat"), None, 2]
    assert np.array_equal(tab.state.grid.beats, heard.grid.beats)
    assert tab.state.note.startswith("a beat more at")


@pytest.mark.slow
def test_a_grid_that_was_confirmed_is_undone(session: Session, heard: Analysis) -> None:
    session.open_track(TRACK)
    until_idle(session)
    tab = BeatsTab(session)
    tab.confirm()
    until_idle(session)
    assert corrected_grid(session.workspace, heard.content_hash) is not None
    assert [change.words for change in session.history] == ["grid saved: confirmed"]
    session.undo()
    until_idle(session)
    assert corrected_grid(session.workspace, heard.content_hash) is None


def test_a_beat_that_was_dragged_is_a_step_and_outlives_the_page(session: Session, heard: Analysis) -> None:
    session.open_track(TRACK)
    until_idle(session)
    tab = BeatsTab(session)
    beats = heard.grid.beats
    grip = tab.picture.grips[0]
    at, to = float(beats[8]), float(beats[8]) + 0.02
    grip.update(moved=[at, to, 1.0])
    assert tab.state.grid is not None
    assert tab.state.grid.beats[8] == to
    assert np.array_equal(tab.state.grid.positions, heard.grid.positions)
    assert grip.taken == 1.0
    moved = f"beat at {clock(at)} moved 20 ms later"
    assert [change.words for change in session.history] == [f"grid: {moved}"]
    assert session.project is not None
    session.close()  # undo is of a window's own steps and of those of closed ones
    again = Session(session.workspace, pool=session.tasks.pool)
    again.open_project(session.project.project_id)
    until_idle(again)
    seen = BeatsTab(again)
    assert seen.state.note == moved
    assert seen.state.grid is not None
    assert np.array_equal(seen.state.grid.beats, tab.state.grid.beats)
    again.undo()
    assert again.analysis is not None
    assert seen.state.grid is again.analysis.grid
    again.redo()
    assert seen.state.note == moved
    seen.forget()
    assert again.grid_draft is None
    assert seen.state.grid is again.analysis.grid


def test_a_beat_cannot_be_moved_past_another(session: Session, heard: Analysis) -> None:
    session.param.update(track=TrackSource(TRACK.name, TRACK, None), analysis=heard)
    tab = BeatsTab(session)
    at = float(heard.grid.beats[8])
    tab.picture.grips[1].update(moved=[at, at + 9.0, 1.0])
    assert tab.state.grid is heard.grid
    assert "increase strictly" in session.message
    assert tab.picture.grips[1].taken == 1.0
    labels = [label for label, _ in tab.places.acts]
    tab.nudge.value = 15
    tab.places.pressed = [labels.index("◀ Beat"), at + 0.01, 1]
    assert tab.state.grid.beats[8] == pytest.approx(at - 0.015)


def test_the_picture_of_nothing_is_empty(session: Session) -> None:
    tab = BeatsTab(session)
    assert tab.state.facts() == "no track is open yet"
    assert len(tab.picture._sources["beats"].data["x"]) == 0
    assert not session.busy


def test_the_click_track_is_made_beside_the_track(session: Session, heard: Analysis, home: Home) -> None:
    session.param.update(
        track=TrackSource(TRACK.name, TRACK, None),
        analysis=heard,
        track_sound=LongSound(track_file(Workspace(home), TRACK)),
    )
    tab = BeatsTab(session)
    assert tab.player.music_a.endswith(".wav")
    tab.clicks.value = True
    until_idle(session)
    assert tab.player.chosen == "b"
    made = Path(tab.player.music_b).name
    tab.correct("half the tempo", halve_tempo)
    until_idle(session)
    assert tab.player.chosen == "b"
    assert Path(tab.player.music_b).name != made
    tab.clicks.value = False
    assert tab.player.chosen == "a"
