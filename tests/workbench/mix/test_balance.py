"""The mix, measured on what is heard: the bundled narration, ambience, and a bundled track looped under them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.levels import LevelCurve, from_lufs, level_curve
from workbench.features.loudness import integrated_lufs
from workbench.features.speech_probability import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.mix.balance import Duck, Mix, plan_mix
from workbench.mix.clarity import Passage, played_music, speech_over_music, worst_passages
from workbench.mix.fades import duck_gain
from workbench.params import DUCK_PRESETS, DuckParams, MixParams, WorkbenchParams
from workbench.store.profiles import load_profile, save_profile
from workbench.video.bands import BandMeter
from workbench.video.pitch import PitchMeter
from workbench.video.utterances import Detected, SoundtrackMeasure, utterances_in

RATE = 24_000
VIDEO = 100.0  # seven of the utterances, and a silence of half a minute
DUCK = Duck(((1.0, 0.0), (1.5, 15.0)), 100, ((2.0, 3.0),), 15.0, 300, 900)


@dataclass(frozen=True, eq=False)
class Video:
    """A soundtrack, the music under it, and what was made of them."""

    soundtrack: np.ndarray
    music: np.ndarray
    utterances: list[tuple[float, float]]
    measured: SoundtrackMeasure
    mix: Mix

    @property
    def duck(self) -> Duck:
        assert self.mix.duck is not None
        return self.mix.duck

    @property
    def points(self) -> np.ndarray:
        return np.array(self.duck.envelope_points)

    @property
    def ducked(self) -> np.ndarray:
        assert self.mix.music_gain_db is not None
        times = np.arange(self.music.shape[1]) / RATE
        return self.music * 10 ** (self.mix.music_gain_db / 20) * duck_gain(self.duck.envelope_points, times)

    @property
    def voiced(self) -> np.ndarray:
        assert self.mix.video_gain_db is not None
        return self.soundtrack * 10 ** (self.mix.video_gain_db / 20)


def loudness(sound: np.ndarray, start: float, end: float) -> float:
    return integrated_lufs(sound[:, round(start * RATE) : round(end * RATE)], RATE)


@pytest.fixture(scope="module")
def video() -> Video:
    voice = bundled_path("data", "bundled", "voice", "narration.ogg")
    spoken = decode(voice)
    assert spoken.sample_rate == RATE
    samples = spoken.samples[0, : round(VIDEO * RATE)]
    air = np.random.default_rng(5).normal(0, 0.004, samples.size).astype(np.float32)
    soundtrack = np.tile((samples + air) * np.float32(np.sqrt(0.5)), (2, 1))
    catalog = bundled_path("data", "bundled", "manifest.jsonl")
    first = json.loads(catalog.read_text(encoding="utf-8").splitlines()[0])
    track = decode(catalog.parent / first["path"])
    music = resample(track.samples, track.sample_rate, RATE)
    music = np.tile(music, (1, -(-soundtrack.shape[1] // music.shape[1])))[:, : soundtrack.shape[1]]
    chances = speech_probabilities([resample(samples, RATE, 16_000)])
    measured = SoundtrackMeasure(level_curve(soundtrack, RATE), chances, FRAME_SECONDS)
    facts = json.loads(voice.with_suffix(".json").read_text(encoding="utf-8"))
    utterances = [(p["start_s"], p["end_s"]) for p in facts["phrases"] if p["end_s"] < VIDEO]
    mix = plan_mix(measured, level_curve(music, RATE), VIDEO)
    return Video(soundtrack, music, utterances, measured, mix)


def test_the_narration_is_a_voice_over(video: Video) -> None:
    assert video.mix.voiceover
    assert video.mix.classification == "voice"


def test_the_music_is_held_thirteen_to_seventeen_units_under_the_voice(video: Video) -> None:
    under = [loudness(video.voiced, a, b) - loudness(video.ducked, a, b) for a, b in video.utterances]
    assert 13 <= np.median(under) <= 17
    assert np.quantile(under, 0.1) >= 10.5


def test_without_ducking_music_and_voice_are_about_equally_loud(video: Video) -> None:
    assert video.mix.music_gain_db is not None
    voice = np.median([loudness(video.voiced, a, b) for a, b in video.utterances])
    music = integrated_lufs(video.music * 10 ** (video.mix.music_gain_db / 20), RATE)
    assert voice == pytest.approx(-18, abs=1.5)
    assert music == pytest.approx(voice, abs=1.5)


def test_speech_is_found_from_the_first_to_the_last_sound(video: Video) -> None:
    found = video.duck.speech_ranges
    for start, end in video.utterances:
        inside = [(a, b) for a, b in found if b > start and a < end]
        assert inside[0][0] == pytest.approx(start, abs=0.1)
        assert inside[-1][1] == pytest.approx(end, abs=0.2)
    for a, b in found:
        assert any(a < end and b > start for start, end in video.utterances)


def test_full_depth_is_reached_before_every_first_syllable(video: Video) -> None:
    points = video.points
    for start, end in video.utterances:
        inside = np.interp(np.linspace(start - 0.03, end, 400), points[:, 0], points[:, 1])
        assert inside[0] >= inside[:40].max() - 0.2


def test_the_music_comes_back_whole_in_the_long_silence(video: Video) -> None:
    gained = video.music * 10 ** ((video.mix.music_gain_db or 0.0) / 20)
    last_of_first_group = max(end for _, end in video.utterances if end < 60)
    first_of_second = min(start for start, _ in video.utterances if start > 60)
    for start, end in ((0.0, video.utterances[0][0] - 2), (last_of_first_group + 2, first_of_second - 2)):
        place = slice(round(start * RATE), round(end * RATE))
        assert np.array_equal(video.ducked[:, place], gained[:, place])


def test_no_ramp_is_steeper_than_sixty_decibels_a_second(video: Video) -> None:
    points = video.points
    slopes = np.diff(points[:, 1]) / np.diff(points[:, 0])
    assert np.abs(slopes).max() <= 61


def test_pauses_inside_a_group_do_not_pump(video: Video) -> None:
    points = video.points
    first, last = video.utterances[0][0], video.utterances[3][1]
    group = np.interp(np.arange(first, last, 0.01), points[:, 0], points[:, 1])
    assert group.min() > 10


def test_depth_is_the_maximum_of_the_curve(video: Video) -> None:
    assert video.duck.depth_db == max(attenuation for _, attenuation in video.duck.envelope_points)


def test_quiet_music_is_raised_but_not_ducked_where_it_is_low(video: Video) -> None:
    whisper = LevelCurve(np.full(10_000, 10 ** (-60 / 10)), 0.001)
    mix = plan_mix(video.measured, whisper, VIDEO)
    assert mix.music_gain_db == 12.0
    assert mix.duck is not None
    assert mix.duck.envelope_points == ()
    assert mix.duck.depth_db == 0.0


def test_voice_and_music_go_to_the_level_that_is_wanted_as_far_as_they_may(video: Video) -> None:
    params, usual = WorkbenchParams(duck=DuckParams(voice_lufs=-14.0)), video.mix
    loud = plan_mix(video.measured, noise(0.3, VIDEO), VIDEO, params)
    assert loud.video_gain_db is not None
    assert usual.video_gain_db is not None
    assert loud.video_gain_db == pytest.approx(usual.video_gain_db + 4.0, abs=0.011)
    bounded = DuckParams(voice_lufs=-14.0, max_video_gain_db=1.0, max_music_gain_db=2.0)
    mix = plan_mix(video.measured, noise(0.001, VIDEO), VIDEO, WorkbenchParams(duck=bounded))
    assert (mix.video_gain_db, mix.music_gain_db) == (1.0, 2.0)


def test_music_that_is_silent_gets_no_gain(video: Video) -> None:
    mix = plan_mix(video.measured, LevelCurve(np.zeros(10_000), 0.0), VIDEO)
    assert mix.music_gain_db == 0.0
    assert mix.duck is not None
    assert mix.duck.envelope_points == ()


def noise(peak: float, seconds: float = 30.0) -> LevelCurve:
    return level_curve(np.random.default_rng(6).uniform(-peak, peak, round(seconds * RATE)).astype(np.float32), RATE)


def test_utterances_that_are_known_give_the_same_mix(video: Video) -> None:
    music = noise(0.3, VIDEO)
    known = utterances_in(video.measured, VIDEO)
    assert plan_mix(video.measured, music, VIDEO, detected=Detected(known, ())) == plan_mix(
        video.measured, music, VIDEO
    )


def test_what_the_soundtrack_sounds_like_has_four_names() -> None:
    music = noise(0.3)
    chances = np.zeros(940)
    assert plan_mix(SoundtrackMeasure(None, np.zeros(0), 1.0), music, 30.0) == Mix(False, "none")
    assert plan_mix(SoundtrackMeasure(noise(0.0009), chances, 0.032), music, 30.0) == Mix(False, "silent")
    assert plan_mix(SoundtrackMeasure(noise(0.1), chances, 0.032), music, 30.0) == Mix(False, "ambient")
    few_words = chances.copy()
    few_words[100:140] = 0.95
    assert plan_mix(SoundtrackMeasure(noise(0.1), few_words, 0.032), music, 30.0) == Mix(False, "voice")


def test_speech_past_the_end_of_the_video_is_cut_off() -> None:
    chances = np.full(940, 0.95)
    mix = plan_mix(SoundtrackMeasure(noise(0.1), chances, 0.032), noise(0.3), 20.0)
    assert mix.duck is not None
    assert mix.duck.speech_ranges == ((0.0, 20.0),)
    assert mix.duck.envelope_points[-1][0] == 20.0


def test_a_mix_that_breaks_a_rule_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="only then"):
        Mix(True, "voice")
    with pytest.raises(ValueError, match="duck is given"):
        Mix(True, "voice", 0.0, 0.0)
    with pytest.raises(ValueError, match="nothing is ducked under speech"):
        Mix(False, "ambient", duck=DUCK)
    with pytest.raises(ValueError, match="no voice-over in sound"):
        Mix(True, "ambient", 0.0, 0.0, DUCK)
    with pytest.raises(ValueError, match="strictly"):
        replace(DUCK, envelope_points=((1.0, 0.0), (1.0, 15.0)))
    with pytest.raises(ValueError, match="positive"):
        replace(DUCK, envelope_points=((1.0, -1.0),))
    with pytest.raises(ValueError, match="maximum"):
        replace(DUCK, depth_db=14.0)
    with pytest.raises(ValueError, match="disjoint"):
        replace(DUCK, speech_ranges=((2.0, 4.0), (3.0, 5.0)))
    with pytest.raises(ValueError, match="after it begins"):
        replace(DUCK, speech_ranges=((2.0, 2.0),))


@pytest.fixture(scope="module")
def band_on_stage() -> tuple[SoundtrackMeasure, LevelCurve]:
    """Half a minute of noise, half a minute of a song, noise again; and the music that is to be laid under it."""
    track = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    song = track.samples.mean(axis=0)[30 * track.sample_rate : 60 * track.sample_rate]
    song = resample(song, track.sample_rate, SAMPLE_RATE).astype(np.float32)
    song *= np.float32(0.1 / np.sqrt(np.mean(song**2)))
    air = np.random.default_rng(5).normal(0, 0.02, 30 * SAMPLE_RATE).astype(np.float32)
    sound = np.concatenate([air, song, air])
    bands, pitches = BandMeter(), PitchMeter()
    bands.add(sound)
    pitches.add(sound)
    silent = np.zeros(round(90.0 / FRAME_SECONDS))
    levels = level_curve(sound[None], SAMPLE_RATE)
    music = LevelCurve(np.full(levels.power.size, float(np.mean(levels.power))), 0.5)
    return SoundtrackMeasure(levels, silent, FRAME_SECONDS, bands.powers(), pitches.pitches()), music


def attenuation(mix: Mix, time: float) -> float:
    assert mix.duck is not None
    return float(np.interp(time, *np.array(mix.duck.envelope_points).T))


def test_music_plays_on_over_the_videos_own_unless_told_otherwise(
    band_on_stage: tuple[SoundtrackMeasure, LevelCurve],
) -> None:
    soundtrack, music = band_on_stage
    assert plan_mix(soundtrack, music, 90.0) == Mix(voiceover=False, classification="ambient")


def test_music_is_silent_while_the_video_has_its_own(band_on_stage: tuple[SoundtrackMeasure, LevelCurve]) -> None:
    soundtrack, music = band_on_stage
    mix = plan_mix(soundtrack, music, 90.0, WorkbenchParams(mix=MixParams(own_music="yield")))
    assert (mix.voiceover, mix.music_gain_db, mix.video_gain_db) == (False, None, None)
    assert mix.duck is not None
    assert mix.duck.speech_ranges == ()
    assert [attenuation(mix, time) for time in (5.0, 27.0, 31.0, 45.0, 59.0, 63.0, 85.0)] == [0, 0, 60, 60, 60, 0, 0]


@pytest.mark.parametrize(
    ("own_music", "first_bar", "silent", "heard"),
    [
        # bars of 2 s from 0.5 s: gone by the last line before, back on the first one after
        (((31.0, 51.2),), 0.5, (30.5, 51.2), (29.2, 52.5)),
        (((0.0, 12.0),), 0.5, (0.0, 12.0), (None, 12.5)),  # from the first picture on
        (((31.0, 90.0),), 0.5, (30.5, 90.0), (29.2, None)),  # to the last one
        (((3.0, 12.0),), 8.5, (0.0, 12.0), (None, 12.5)),  # the music has not begun when the video's own does
        (((31.0, 41.2), (43.0, 51.2)), 0.5, (30.5, 51.2), (29.2, 52.5)),  # too little between two to come back for
    ],
)
def test_music_yields_from_bar_line_to_bar_line(
    band_on_stage: tuple[SoundtrackMeasure, LevelCurve],
    own_music: tuple[tuple[float, float], ...],
    first_bar: float,
    silent: tuple[float, float],
    heard: tuple[float | None, float | None],
) -> None:
    soundtrack, music = band_on_stage
    own = MixParams(own_music="yield", own_music_at=own_music)
    mix = plan_mix(soundtrack, music, 90.0, WorkbenchParams(mix=own), bar_lines=np.arange(first_bar, 89.9, 2.0))
    assert all(attenuation(mix, time) == 60.0 for time in np.linspace(*silent, 40))
    before, after = heard
    if before is not None:
        assert attenuation(mix, before) == 0.0 < attenuation(mix, before + 0.2)
    else:
        assert attenuation(mix, 0.0) == 60.0
    if after is not None:
        assert attenuation(mix, after) == 0.0 < attenuation(mix, after - 0.1), (
            "the bar is heard from its first sound on"
        )
    else:
        assert attenuation(mix, 90.0) == 60.0


def test_music_waits_for_no_bar_line_that_is_far(band_on_stage: tuple[SoundtrackMeasure, LevelCurve]) -> None:
    soundtrack, music = band_on_stage
    own = MixParams(own_music="yield", own_music_at=((50.0, 60.0),))
    mix = plan_mix(soundtrack, music, 90.0, WorkbenchParams(mix=own), bar_lines=np.array([2.0, 4.0, 6.0, 80.0, 82.0]))
    assert attenuation(mix, 48.0) == attenuation(mix, 62.0) == 0.0
    assert attenuation(mix, 55.0) == 60.0


@pytest.mark.parametrize("ranges", [((5.0, 4.0),), ((-1.0, 4.0),), ((1.0, 5.0), (4.0, 8.0))])
def test_own_music_given_by_hand_lies_in_order(ranges: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="range"):
        MixParams(own_music_at=ranges)
    assert MixParams(own_music_at=((9.0, 10.0), (1.0, 5.0))).own_music_at == ((1.0, 5.0), (9.0, 10.0))


def test_music_plays_under_the_videos_own(band_on_stage: tuple[SoundtrackMeasure, LevelCurve]) -> None:
    soundtrack, music = band_on_stage
    own = MixParams(own_music="mix", under_own_music_lu=12.0)
    mix = plan_mix(soundtrack, music, 90.0, WorkbenchParams(mix=own))
    assert soundtrack.levels is not None
    clear = soundtrack.levels.lufs(35.0, 55.0) - (music.lufs(35.0, 55.0) - attenuation(mix, 45.0))
    assert clear == pytest.approx(12.0, abs=4.5)  # as deep as the least loud of its pieces needs, by the steady rule
    assert clear >= 11.9
    assert attenuation(mix, 10.0) == attenuation(mix, 75.0) == 0.0


def test_speech_and_own_music_go_together(video: Video) -> None:
    """Where nothing in a voice-over is music, giving way changes nothing."""
    levels = LevelCurve(level_curve(video.music, RATE).power, 0.9)
    known = utterances_in(video.measured, VIDEO)
    params = WorkbenchParams(mix=MixParams(own_music="yield"))
    yielding = plan_mix(video.measured, levels, VIDEO, params, Detected(known, ()))
    assert yielding == plan_mix(video.measured, levels, VIDEO)
    own_music = Detected(known, ((1.0, 30.0),))
    given = plan_mix(video.measured, levels, VIDEO, params, own_music)
    assert attenuation(given, 15.0) == 60.0
    assert given.duck is not None
    assert yielding.duck is not None
    assert given.duck.speech_ranges == yielding.duck.speech_ranges


def steady(*pieces: tuple[float, float]) -> LevelCurve:
    """Pieces of (LUFS, s)."""
    return LevelCurve(np.concatenate([np.full(round(100 * seconds), from_lufs(lufs)) for lufs, seconds in pieces]), 0.5)


def test_music_is_measured_at_its_gain_under_the_curve() -> None:
    played = played_music(steady((-20.0, 10.0)), -3.0, [(4.0, 0.0), (5.0, 12.0)])
    assert played.lufs(0.0, 4.0) == pytest.approx(-23.0, abs=0.01)
    assert played.lufs(5.0, 10.0) == pytest.approx(-35.0, abs=0.01)
    assert played_music(steady((-20.0, 10.0)), 2.0, ()).lufs(0.0, 10.0) == pytest.approx(-18.0, abs=0.01)


def test_passages_are_three_seconds_at_most_and_each_has_its_own_music() -> None:
    """Six seconds of speech at -18 LUFS; music at -30, and at -24 from the second passage on."""
    soundtrack = steady((-70.0, 4.0), (-18.0, 6.0), (-70.0, 5.0), (-18.0, 1.0), (-70.0, 4.0))
    music = steady((-30.0, 7.0), (-24.0, 13.0))
    passages = speech_over_music(soundtrack, music, [(4.0, 10.0), (15.0, 16.0)])
    assert [(each.start, each.end) for each in passages] == [(4.0, 7.0), (7.0, 10.0), (15.0, 16.0)]
    assert [each.over_lu for each in passages] == pytest.approx([12.0, 6.0, 6.0], abs=0.1)


def test_the_voice_is_measured_without_its_background() -> None:
    """Speech and traffic of the same power are 3 dB over the traffic alone."""
    soundtrack = steady((-21.01, 4.0), (-18.0, 3.0), (-21.01, 4.0))
    (passage,) = speech_over_music(soundtrack, steady((-30.0, 11.0)), [(4.0, 7.0)])
    assert passage.over_lu == pytest.approx(9.0, abs=0.1)


def test_the_worst_come_first_and_silent_music_is_none() -> None:
    passages = [Passage(k, k + 1.0, over) for k, over in enumerate((12.0, float("inf"), 3.0, 9.0))]
    assert [each.over_lu for each in worst_passages(passages, 2)] == [3.0, 9.0]
    assert len(worst_passages(passages)) == 3
    assert worst_passages(()) == ()
    (silent,) = speech_over_music(steady((-18.0, 5.0)), steady((-18.0, 1.0)), [(2.0, 4.0)])
    assert silent.over_lu == float("inf")


@pytest.mark.parametrize("name", DUCK_PRESETS)
def test_a_preset_is_named_in_a_profile_and_may_be_changed_there(name: str, tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(f'[duck]\npreset = "{name}"\nattack_ms = 250\n')
    duck = load_profile(profile).duck
    assert duck.attack_ms == 250
    assert duck == DuckParams.model_validate({**DUCK_PRESETS[name], "attack_ms": 250})


def test_documentary_is_what_one_gets_without_asking() -> None:
    assert DuckParams.model_validate({"preset": "documentary"}) == DuckParams()


def test_a_saved_preset_comes_back_as_its_numbers(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('[duck]\npreset = "social"\n')
    params = load_profile(profile)
    assert load_profile(save_profile(params, tmp_path / "saved.toml")) == params


@pytest.mark.parametrize("name", ['"loud"', "3"])
def test_an_unknown_preset_is_refused_with_those_there_are(name: str, tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(f"[duck]\npreset = {name}\n")
    with pytest.raises(ParameterError, match="documentary, tutorial, social, accessible"):
        load_profile(profile)
