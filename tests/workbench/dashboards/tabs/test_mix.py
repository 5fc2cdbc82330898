"""The Mix tab without a browser: a mix follows from levels, and is heard and shared as soon as it is tuned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import param
import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.mix import MixSounds, measure_mix_inputs, placed_file
from workbench.dashboards.tabs.controls import with_field
from workbench.dashboards.tabs.mix import OWN, MixPicture, MixState, MixTab, loudness, preset_of
from workbench.errors import Sentence
from workbench.features.levels import LevelCurve
from workbench.files import bundled_path
from workbench.mix.balance import plan_mix
from workbench.mix.clarity import speech_over_music
from workbench.params import DUCK_PRESETS, DuckParams, MixParams, RenderParams, WorkbenchParams
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.store.home import Home
from workbench.workflows.plan import Planned

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")
VOICE = bundled_path("data", "bundled", "voice", "narration.ogg")
SECONDS = 60.0


@pytest.fixture(scope="module")
def sounds(home: Home) -> MixSounds:
    """A minute of a track from its tenth second on, under the narration."""
    music = placed_file(Workspace(home), TRACK, -10.0, SECONDS)
    return MixSounds(music, None, measure_mix_inputs(Workspace(home), music, VOICE, SECONDS))


@pytest.fixture
def state(sounds: MixSounds) -> MixState:
    state = MixState(sounds)
    state.tune(DuckParams(), MixParams())
    return state


@pytest.fixture
def session(home: Home, pool: CollectingPool) -> Session:
    """A page that was just opened."""
    return Session(Workspace(home), pool=pool)


def test_the_mix_is_the_one_that_a_plan_gets(state: MixState, sounds: MixSounds) -> None:
    params, levels = WorkbenchParams(), sounds.levels
    assert state.mix == plan_mix(levels.soundtrack, levels.music, SECONDS, params)
    assert state.points
    assert "utterances" in state.facts()
    assert "15 LU under the voice: duck down to" in state.facts()


def test_a_parameter_moves_the_duck(state: MixState) -> None:
    shallow = with_field(WorkbenchParams(), "duck", "under_voice_lu", 13.0)
    deep = with_field(WorkbenchParams(), "duck", "under_voice_lu", 17.0)
    state.tune(shallow.duck, shallow.mix)
    before = max(db for _, db in state.points)
    state.tune(deep.duck, deep.mix)
    assert max(db for _, db in state.points) > before + 2.0


def test_the_picture_shows_what_is_heard(state: MixState) -> None:
    picture = MixPicture(state)
    picture.show()
    data = {name: source.data for name, source in picture._sources.items()}
    at, under = np.array(data["under"]["x"]), np.array(data["under"]["y"])
    alone = np.interp(at, data["alone"]["x"], data["alone"]["y"])
    start, end = max(zip(data["speech"]["left"], data["speech"]["right"], strict=True), key=lambda p: p[1] - p[0])
    inside = (at > start + 0.5) & (at < end - 0.5)
    assert np.median((alone - under)[inside]) > 6.0
    assert min(data["duck"]["y"]) == -max(db for _, db in state.points)


def test_without_the_duck_the_music_is_drawn_as_it_is_heard(session: Session, sounds: MixSounds) -> None:
    tab = MixTab(session)
    tab.state.sounds = sounds
    tab.tune()
    drawn = tab.picture._sources
    assert not np.array_equal(drawn["under"].data["y"], drawn["alone"].data["y"])
    tab.player.chosen = "b"
    assert np.array_equal(drawn["under"].data["y"], drawn["alone"].data["y"])
    tab.player.chosen = "a"
    assert not np.array_equal(drawn["under"].data["y"], drawn["alone"].data["y"])


def test_both_together_never_video(state: MixState, sounds: MixSounds) -> None:
    levels = sounds.levels
    assert levels.soundtrack.levels is not None
    music = levels.music.peak * 10 ** (state.music_gain_db / 20)
    voice = levels.soundtrack.levels.peak * 10 ** (state.video_gain_db / 20)
    assert (music + voice) * 10 ** (state.headroom_db() / 20) <= 1.0 + 1e-9


def test_loudness_of_a_steady_tone_is_its_level() -> None:
    times, lufs = loudness(np.full(1000, 10 ** (-20.0 / 10)), 2.0, 8.0, 300)
    assert 2.0 <= times[0] <= times[-1] < 8.0
    assert times.size <= 300
    assert np.allclose(lufs, -20.691)


def test_presets_have_names_and_everything_else_is_own() -> None:
    for name in DUCK_PRESETS:
        assert preset_of(DuckParams.model_validate({"preset": name})) == name
    assert preset_of(DuckParams(attack_ms=77)) == OWN


def test_a_preset_sets_the_sliders_and_a_slider_leaves_the_preset(session: Session, sounds: MixSounds) -> None:
    tab = MixTab(session)
    tab.hear(sounds)
    tab.choose("social")
    assert session.params.duck == DuckParams.model_validate({"preset": "social"})
    assert tab.controls.widgets["release_ms"].value == 500
    heard = tab.player.duck_a
    slider = tab.controls.widgets["under_voice_lu"]
    with param.edit_constant(slider):
        slider.param.update(value=16.0, value_throttled=16.0)
    assert tab.preset.value == OWN
    assert tab.player.duck_a != heard
    assert tab.player.duck_b == []
    assert tab.player.gain_a_db == tab.player.gain_b_db == tab.state.music_gain_db


def test_another_hearing_of_the_voice_is_found_by_a_worker(session: Session, sounds: MixSounds) -> None:
    tab = MixTab(session)
    tab.hear(sounds)
    before = tab.state.mix
    session.params = with_field(session.params, "voice", "close_pause_seconds", 0.5)
    assert tab.state.mix == before
    until_idle(session)
    params, levels = session.params, sounds.levels
    assert tab.state.mix == plan_mix(levels.soundtrack, levels.music, SECONDS, params)
    assert tab.state.mix != before
    session.params = with_field(session.params, "duck", "under_voice_lu", 17.0)
    assert not session.busy


def test_another_hearing_is_not_lost_where_the_bands_are_measured_meanwhile(
    session: Session, pool: CollectingPool, sounds: MixSounds
) -> None:
    tab = MixTab(session)
    tab.hear(sounds)
    tab.ducking.value = "bands"
    session.params = with_field(session.params, "voice", "close_pause_seconds", 0.5)
    bands, _ = session.tasks.under_way
    pool.finish(bands)
    assert tab.state.sounds is not None
    assert tab.state.sounds.levels.outside is not None
    until_idle(session)
    assert tab.state.sounds.levels.voice == session.params.voice
    assert tab.state.sounds.levels.outside is not None
    levels = sounds.levels
    params = WorkbenchParams(voice=session.params.voice)
    assert tab.state.mix == plan_mix(levels.soundtrack, levels.music, SECONDS, params)


def test_a_hearing_counts_once_and_only_for_the_parameters_of_the_voice_that_are_set(
    home: Home, sounds: MixSounds
) -> None:
    pool = WaitingPool()
    session = Session(Workspace(home), pool=pool)
    tab = MixTab(session)
    tab.hear(sounds)
    for seconds in (0.5, 0.6):
        session.params = with_field(session.params, "voice", "close_pause_seconds", seconds)
    session.params = with_field(session.params, "duck", "under_voice_lu", 17.0)
    assert len(pool.tasks) == 3
    pool.finish(0, ((), ()))
    assert tab.state.sounds is sounds, "the voice has other parameters by now"
    pool.finish(1, (((1.0, 2.0),), ()))
    assert tab.state.sounds is not None
    assert (tab.state.sounds.levels.voice, tab.state.sounds.levels.utterances) == (session.params.voice, ((1.0, 2.0),))
    heard = tab.state.sounds
    pool.finish(2, (((1.0, 2.0),), ()))
    assert tab.state.sounds is heard, "the same was asked for twice"
    assert not session.busy


def test_where_somebody_may_speak_is_hatched_and_said(session: Session, sounds: MixSounds) -> None:
    tab = MixTab(session)
    tab.hear(sounds)
    assert "perhaps speech" not in tab.facts.object
    session.params = with_field(session.params, "voice", "min_spoken_odds", 5.0)
    until_idle(session)
    assert tab.state.uncertain
    assert "no speech" in tab.facts.object
    assert "perhaps speech (hatched) at 0:" in tab.facts.object
    drawn = tab.picture._sources["uncertain"].data
    assert list(zip(drawn["left"], drawn["right"], strict=True)) == list(tab.state.uncertain)


def test_nothing_open_is_said(session: Session) -> None:
    tab = MixTab(session)
    assert "no plan" in tab.state.facts()
    assert not session.busy


def test_a_track_that_is_not_looped_has_no_mix(corner_loop: Planned, home: Home) -> None:
    session = Session(Workspace(home), pool=WaitingPool())
    session.loop = replace(
        corner_loop, answer=Refusal(RefusalReason.NO_VIABLE_LOOP, Sentence("no two bars go together"))
    )
    assert "not looped under this video" in MixTab(session).facts.object


@pytest.mark.slow
def test_a_track_that_was_fitted_is_mixed_like_one_that_is_looped(
    corner_home: Home, corner_fit: Planned, pool: CollectingPool
) -> None:
    session = Session(Workspace(corner_home), pool=pool)
    session.loop = corner_fit
    tab = MixTab(session)
    until_idle(session)
    assert tab.state.mix == corner_fit.mix
    assert tab.player.duration == pytest.approx(60.0, abs=1e-3)
    assert "utterances" in tab.facts.object
    session.params = with_field(session.params, "duck", "under_voice_lu", 17.0)
    assert session.loop.mix == tab.state.mix != corner_fit.mix
    assert session.loop.provenance is not None
    assert session.loop.provenance.params["duck"] == {"under_voice_lu": 17.0}


def test_parameters_are_recorded_with_the_mix_that_they_made(
    corner_home: Home, corner_fit: Planned, pool: CollectingPool
) -> None:
    session = Session(Workspace(corner_home), pool=pool)
    session.loop = corner_fit
    assert corner_fit.provenance is not None
    session.params = with_field(session.params, "duck", "under_voice_lu", 17.0)
    assert session.loop.mix == corner_fit.mix
    assert session.loop.provenance == corner_fit.provenance, "the mix is still the one that was made before"
    tab = MixTab(session)
    until_idle(session)
    assert session.loop.mix == tab.state.mix != corner_fit.mix
    assert session.loop.provenance.params["duck"] == {"under_voice_lu": 17.0}


def test_ducking_in_bands_is_chosen_drawn_and_heard(session: Session, sounds: MixSounds) -> None:
    session.params = session.params.model_copy(update={"render": RenderParams(other_bands_depth=0.1)})
    tab = MixTab(session)
    tab.hear(sounds)
    whole, drawn = tab.player.duck_a, tab.picture._sources
    before, mix = np.array(drawn["under"].data["y"]), tab.state.mix
    assert all(len(point) == 2 for point in whole)
    assert list(drawn["outside"].data["x"]) == []
    tab.ducking.value = "bands"
    assert session.params.render.ducking == "bands"
    assert tab.state.mix == mix, "the envelope of a mix stays as it is"
    assert all(len(point) == 3 for point in tab.player.duck_a)
    assert "in bands: " in tab.state.facts()
    until_idle(session)
    assert min(drawn["duck"].data["y"]) < min(drawn["outside"].data["y"]) < 0.0
    assert np.mean(np.array(drawn["under"].data["y"]) - before) > 0.2, "more of the music is heard"
    tab.ducking.value = "broadband"
    assert tab.player.duck_a == whole
    assert np.array_equal(drawn["under"].data["y"], before)
    session.params = session.params.model_copy(update={"render": RenderParams(ducking="bands")})
    assert tab.ducking.value == "bands"


def test_a_drawn_envelope_is_seen_and_heard_at_once(session: Session, sounds: MixSounds) -> None:
    tab = MixTab(session)
    tab.hear(sounds)
    measured, drawn, facts = tab.state.points, tab.picture._sources, tab.facts.object
    before = np.array(drawn["under"].data["y"])
    first = next(k for k, (_, db) in enumerate(measured) if db > 3.0)
    at, db = measured[first]
    tab.picture.hand.update(gesture=["press", at, -db, 0.1, 0.5, 1])
    tab.picture.hand.update(gesture=["move", at, 0.0, 0.1, 0.5, 2])
    assert tab.player.duck_a[first] == [at, 0.0]
    assert session.envelope is None
    tab.picture.hand.update(gesture=["give up", at, 0.0, 0.1, 0.5, 3])
    assert tab.player.duck_a == [list(point) for point in measured]
    assert tab.facts.object == facts, "nothing is drawn by hand"
    tab.picture.hand.update(gesture=["press", at, -db, 0.1, 0.5, 4])
    tab.picture.hand.update(gesture=["release", at, -1.0, 0.1, 0.5, 5])
    assert session.envelope is not None
    assert session.envelope[first] == (at, 1.0)
    assert tab.player.duck_a == [list(point) for point in session.envelope]
    assert list(drawn["measured"].data["x"]) == [at for at, _ in measured]
    assert list(drawn["chosen"].data["x"]) == [at]
    assert max(np.array(drawn["under"].data["y"]) - before) > 2.0, "the music is louder there"
    assert "drawn by hand" in tab.facts.object
    assert tab.facts.object != facts
    session.params = with_field(session.params, "duck", "under_voice_lu", 17.0)
    assert tab.player.duck_a == [list(point) for point in session.envelope], "what is drawn stays"
    session.params = with_field(session.params, "duck", "under_voice_lu", DuckParams().under_voice_lu)
    session.envelope = None
    assert tab.state.points == measured
    assert tab.facts.object == facts


def test_passages_in_which_music_is_too_loud_are_shown(state: MixState) -> None:
    picture = MixPicture(state)
    picture.show()
    assert list(picture._sources["unclear"].data["left"]) == []
    assert "speech over music" in state.facts()
    state.draw(())
    picture.show_mix()
    unclear = [each for each in state.passages() if each.over_lu < 10.0]
    assert unclear
    assert list(picture._sources["unclear"].data["left"]) == [each.start for each in unclear]


def test_passages_are_measured_at_the_gain_of_the_mix(sounds: MixSounds) -> None:
    quiet = sounds.levels.soundtrack.levels
    assert quiet is not None
    noisy = LevelCurve(0.1 * quiet.power + 3e-4, quiet.peak)
    soundtrack = replace(sounds.levels.soundtrack, levels=noisy)
    state = MixState(replace(sounds, levels=replace(sounds.levels, soundtrack=soundtrack)))
    state.tune(DuckParams(), MixParams())
    played = state.played
    assert played is not None
    raised = noisy.raised(state.video_gain_db)
    assert state.passages() == speech_over_music(raised, played, state.speech)
    assert state.passages() != speech_over_music(noisy, played, state.speech)
