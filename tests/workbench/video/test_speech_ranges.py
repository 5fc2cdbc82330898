"""Speech in a soundtrack."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workbench.video.lines import pitches_of, sung, talked
from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.params import VoiceParams
from workbench.video.speech_ranges import (
    EDGE_REACH_SECONDS,
    LATE_SECONDS,
    MIN_UTTERANCE_SECONDS,
    Thresholds,
    speech_chances,
    speech_seconds,
    speech_utterances,
)
from workbench.video.utterances import SoundtrackMeasure, uncertain_ranges, utterances_in
from workbench.video.voice_network import VoiceMeter

FRAME = 0.032


def chances(*stretches: tuple[float, float, float], seconds: float = 10.0) -> np.ndarray:
    """Probability 0, but for (start, end, probability)."""
    row = np.zeros(round(seconds / FRAME))
    for start, end, chance in stretches:
        row[round(start / FRAME) : round(end / FRAME)] = chance
    return row


def levels(*stretches: tuple[float, float, float], seconds: float = 10.0, floor_db: float = -60.0) -> LevelCurve:
    """A level in dB, but for (start, end, dB)."""
    row = np.full(round(seconds * HOPS_PER_SECOND), floor_db)
    for start, end, level in stretches:
        row[round(start * HOPS_PER_SECOND) : round(end * HOPS_PER_SECOND)] = level
    return LevelCurve(10 ** (row / 10), 1.0)


@pytest.mark.parametrize(
    ("heard", "utterances"),
    [
        ([(2.0, 4.0, 0.9)], [(2.0, 4.0)]),
        ([], []),
        ([(0.0, 1.0, 0.9), (9.0, 10.0, 0.9)], [(0.0, 1.0), (9.0, 10.0)]),
        ([(2.0, 3.0, 0.9), (3.0 + 8 * FRAME, 4.0, 0.9)], [(2.0, 4.0)]),
        ([(2.0, 3.0, 0.9), (3.0 + 11 * FRAME, 4.0, 0.9)], [(2.0, 3.0), (3.0 + 11 * FRAME, 4.0)]),
        ([(2.0, 2.5, 0.3), (2.5, 3.5, 0.9), (3.5, 4.0, 0.3)], [(2.0, 4.0)]),
        ([(2.0, 4.0, 0.3)], []),
        ([(1.8, 2.0, 0.1), (2.0, 3.0, 0.9), (3.0, 3.5, 0.2)], [(1.8, 3.0)]),
        ([(2.0, 2.1, 0.9)], []),
    ],
    ids=["certain", "silence", "both ends", "short pause", "long pause", "doubt beside", "doubt", "stirs", "click"],
)
def test_utterances_follow_the_chances(
    heard: list[tuple[float, float, float]], utterances: list[tuple[float, float]]
) -> None:
    found = speech_utterances(chances(*heard), FRAME)
    assert np.ravel(found) == pytest.approx(np.ravel(utterances), abs=FRAME)
    assert speech_utterances(np.zeros(0), FRAME) == ()


def test_a_detector_that_has_to_be_surer_finds_less() -> None:
    heard = chances((2.0, 4.0, 0.9), (6.0, 8.0, 0.7))
    assert len(speech_utterances(heard, FRAME, VoiceParams(onset_probability=0.6))) == 2
    assert len(speech_utterances(heard, FRAME, VoiceParams(onset_probability=0.8))) == 1


def test_a_whisper_counts_where_it_stands_clear_of_its_background() -> None:
    heard = chances((3.0, 5.0, 0.25))
    assert len(speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -40.0)))) == 1
    assert speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -60.0))) == ()


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=300))
def test_utterances_are_sorted_disjoint_and_inside(row: list[float]) -> None:
    utterances = speech_utterances(np.array(row), FRAME)
    assert all(end - start >= MIN_UTTERANCE_SECONDS for start, end in utterances)
    assert all(b - a > VoiceParams().close_pause_seconds for (_, a), (b, _) in pairwise(utterances))
    assert all(start >= 0 and end <= len(row) * FRAME + 1e-9 for start, end in utterances)


def bands(*stretches: tuple[float, float, float], floor_db: float = -70.0, spread_db: float = 0.5) -> np.ndarray:
    """Seven bands at a floor that wavers a little, but for (start, end, dB); the lowest band is a steady rumble."""
    rng = np.random.default_rng(3)
    levels = rng.normal(floor_db, spread_db, (10 * HOPS_PER_SECOND, 7))
    for start, end, level in stretches:
        levels[round(start * HOPS_PER_SECOND) : round(end * HOPS_PER_SECOND), 1:] = level
    levels[:, 0] = -30.0
    return 10 ** (levels / 10)


RINGING = [(5.0 + k / 100, 5.01 + k / 100, -27.0 - 2.5 * k) for k in range(18)]


@pytest.mark.parametrize(
    ("heard", "levels", "noise", "start", "end"),
    [
        ([(3.07, 5.06, 0.9), (5.06, 5.25, 0.3)], [(3.0, 5.0, -25.0)], {}, (3.0, 0.015), (5.0, 0.015)),
        ([(3.1, 5.0, 0.9)], [(2.95, 3.1, -55.0), (3.1, 5.0, -25.0)], {}, (2.95, 0.015), None),
        ([(3.0, 5.0, 0.9)], [(2.5, 2.6, -25.0), (3.0, 5.0, -25.0)], {}, (3.0, 0.03), None),
        ([(3.0, 5.0, 0.9)], [(3.25, 5.0, -25.0)], {}, (3.0, FRAME), (5.0, FRAME)),
        ([(3.0, 5.0, 0.9)], [(3.0, 5.0, -25.0), *RINGING], {}, None, (5.0, FRAME)),
        (
            [(3.0, 5.0, 0.9)], [(2.8, 3.0, -15.0), (3.0, 5.0, -20.0)], {"floor_db": -27.0, "spread_db": 3.0},
            (3.0 - LATE_SECONDS, FRAME), None,
        ),
    ],
    ids=["within frames", "soft consonant", "noise before", "no level", "ringing room", "car before"],
)  # fmt: skip
def test_edges_lie_where_the_levels_say(
    heard: list[tuple[float, float, float]],
    levels: list[tuple[float, float, float]],
    noise: dict[str, float],
    start: tuple[float, float] | None,
    end: tuple[float, float] | None,
) -> None:
    ((begins, ends),) = speech_utterances(chances(*heard), FRAME, bands=bands(*levels, **noise))
    assert start is None or begins == pytest.approx(start[0], abs=start[1])
    assert end is None or ends == pytest.approx(end[0], abs=end[1])


def test_where_the_background_drowns_soft_sounds_edges_keep_a_margin() -> None:
    heard = chances((3.0, 5.0, 0.9))
    ((start, end),) = speech_utterances(heard, FRAME, bands=bands((3.0, 5.0, -25.0), floor_db=-29.0, spread_db=3.0))
    assert 3.0 - EDGE_REACH_SECONDS - 0.02 <= start <= 3.0 - LATE_SECONDS + 0.04
    assert end >= 5.0 - FRAME


def test_speech_without_any_pause_keeps_the_edges_of_the_detector() -> None:
    heard = np.full(100, 0.9)
    assert speech_utterances(heard, FRAME, bands=bands()[: round(100 * FRAME * HOPS_PER_SECOND)]) == (
        (0.0, 100 * FRAME),
    )


def test_utterances_with_placed_edges_stay_sorted_and_disjoint() -> None:
    heard = chances((2.0, 3.0, 0.9), (3.4, 5.0, 0.9), (5.5, 7.0, 0.9))
    utterances = speech_utterances(heard, FRAME, bands=bands((1.9, 7.2, -25.0)))
    assert all(b - a > VoiceParams().close_pause_seconds for (_, a), (b, _) in pairwise(utterances))


def test_seconds_of_speech_add_up() -> None:
    assert speech_seconds(((1.0, 2.5), (4.0, 4.5))) == 2.0


def test_what_are_no_probabilities_is_refused() -> None:
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_utterances(np.array([0.5, 1.5]), FRAME)
    with pytest.raises(ParameterError, match="0 to 1"):
        speech_utterances(np.array([np.nan]), FRAME)
    with pytest.raises(ParameterError, match="frame"):
        speech_utterances(np.zeros(3), 0.0)


def test_the_network_is_believed_where_the_detector_hears_no_voice() -> None:
    detector = chances(seconds=4.0)
    network = np.full(400, -6.0)
    network[100:200] = 8.0
    both = speech_chances(detector, FRAME, network)
    assert both.shape == (400,)
    assert both[100:200].min() > 0.9
    assert both[:100].max() < 0.01


def test_a_detector_that_takes_music_for_a_voice_is_not_believed_against_the_network() -> None:
    detector = chances((0.0, 4.0, 1.0), seconds=4.0)
    assert speech_chances(detector, FRAME, np.full(400, -6.0)).max() < 0.05
    assert speech_chances(detector, FRAME, np.full(400, 2.0)).min() > 0.5


def test_what_stands_clear_of_the_background_needs_no_network() -> None:
    bands = np.full((400, 3), 1e-8)
    bands[100:200] = 1e-4
    detector = chances((1.0, 3.0, 0.6), seconds=4.0)
    both = speech_chances(detector, FRAME, np.full(400, -6.0), bands=bands)
    assert both[110:190].min() > 0.5
    assert both[210:290].max() < 0.05


@pytest.mark.parametrize("noise_first", [False, True])
def test_noise_stands_clear_of_no_quiet_room_that_the_video_goes_on_in(noise_first: bool) -> None:
    """Forty seconds of rain and forty of a room; somebody whispers in the room, and nobody speaks in the rain."""
    rain, room = np.full((4000, 3), 1e-4), np.full((4000, 3), 1e-8)
    room[1000:1200] = 1e-5
    stirred, whispering = chances(seconds=40.0) + 0.006, chances((10.0, 12.0, 0.6), seconds=40.0)
    order = 1 if noise_first else -1
    bands = np.concatenate([rain, room][::order])
    detector = np.concatenate([stirred, whispering][::order])
    both = speech_chances(detector, FRAME, np.full(8000, -6.0), bands=bands)
    in_rain, in_room = (both[:4000], both[4000:])[::order]
    assert in_rain.max() < Thresholds(0.5).begins
    assert in_room[1010:1190].min() > 0.5


def test_what_is_no_row_is_refused_and_nothing_is_nothing() -> None:
    with pytest.raises(ParameterError, match="row"):
        speech_chances(chances(), FRAME, np.zeros((10, 2)))
    assert speech_chances(np.zeros(0), FRAME, np.zeros(0)).size == 0


RATE = 16_000
SECONDS = 16.0


def log_odds(sound: np.ndarray, block: int | None = None) -> np.ndarray:
    meter = VoiceMeter()
    for first in range(0, sound.size, block or max(1, sound.size)):
        meter.add(sound[first : first + (block or sound.size)])
    return meter.log_odds()


def bundled(*path: str, start: float = 0.0) -> np.ndarray:
    found = decode(bundled_path("data", "bundled", *path))
    cut = found.samples.mean(axis=0)[round(start * found.sample_rate) : round((start + SECONDS) * found.sample_rate)]
    return resample(cut.astype(np.float32), found.sample_rate, RATE)


def test_a_voice_is_heard_alone_and_10_db_under_music_and_music_is_no_voice() -> None:
    phrases = json.loads(bundled_path("data", "bundled", "voice", "narration.json").read_text("utf-8"))["phrases"]
    begins = phrases[0]["start_s"] - 1.0
    voice, music = bundled("voice", "narration.ogg", start=begins), bundled("music", "first_snow.ogg", start=20.0)
    said = np.zeros(round(SECONDS * 100), dtype=bool)
    for phrase in phrases:
        said[round((phrase["start_s"] - begins) * 100) : round((phrase["end_s"] - begins) * 100)] = True
    spoken = np.repeat(said, RATE // 100)
    music *= np.sqrt(np.mean(voice[spoken] ** 2) / np.mean(music**2))
    for under_db in (None, 10.0):
        heard = log_odds(voice if under_db is None else voice + music * 10 ** (under_db / 20)) > 1.0
        assert 2 * np.sum(heard & said) / (np.sum(heard) + np.sum(said)) > 0.9
    assert np.mean(log_odds(music) > 1.0) < 0.02


def test_blocks_and_what_is_far_away_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    sound = rng.normal(0, 0.05, 75 * RATE + 77).astype(np.float32) * (1 + np.sin(np.arange(75 * RATE + 77) / 4000))
    whole = log_odds(sound)
    assert whole.shape == (7501,)
    assert np.allclose(log_odds(sound, 7777), whole, atol=1e-3)
    sound[: 20 * RATE] = 0.0
    assert np.allclose(log_odds(sound)[2600:], whole[2600:], atol=1e-3)


def test_silence_and_nothing_are_no_speech() -> None:
    assert log_odds(np.zeros(2 * RATE, dtype=np.float32)).max() < 0.0
    assert log_odds(np.zeros(0, dtype=np.float32)).shape == (0,)
    assert log_odds(np.zeros(5, dtype=np.float32)).shape == (1,)


def test_more_than_one_channel_is_refused() -> None:
    with pytest.raises(ParameterError, match="mono"):
        VoiceMeter().add(np.zeros((2, 100), dtype=np.float32))


FILM_SECONDS = 6.0
"""of the lines of the fixtures"""


def soundtrack(pitches: np.ndarray | None, *stretches: tuple[float, float, float]) -> SoundtrackMeasure:
    """Six seconds with probability 0, but for (start, end, probability)."""
    chance = np.zeros(round(FILM_SECONDS / FRAME))
    for start, end, probability in stretches:
        chance[round(start / FRAME) : round(end / FRAME)] = probability
    return SoundtrackMeasure(LevelCurve(np.full(600, 1e-3), 0.5), chance, FRAME, None, pitches)


@pytest.fixture(scope="module")
def spoken() -> np.ndarray:
    return pitches_of(talked())


def test_a_stretch_that_the_detector_half_believes_is_uncertain_and_no_utterance(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (2.0, 4.0, 0.3))
    assert utterances_in(heard, FILM_SECONDS) == ()
    ((start, end),) = uncertain_ranges(heard, (), FILM_SECONDS)
    assert (start, end) == pytest.approx((2.0, 4.0), abs=FRAME)


def test_silence_faint_doubt_and_a_short_sound_are_nothing(spoken: np.ndarray) -> None:
    assert uncertain_ranges(soundtrack(spoken), (), FILM_SECONDS) == ()
    assert uncertain_ranges(soundtrack(spoken, (2.0, 4.0, 0.15)), (), FILM_SECONDS) == ()
    assert uncertain_ranges(soundtrack(spoken, (2.0, 2.6, 0.4)), (), FILM_SECONDS) == ()
    assert uncertain_ranges(SoundtrackMeasure(None, np.zeros(0), 1.0), (), FILM_SECONDS) == ()


def test_an_audio_stream_without_a_sample_is_nothing() -> None:
    none = np.zeros(0)
    heard = SoundtrackMeasure(LevelCurve(none, 0.0), none, FRAME, np.zeros((0, 1)), np.zeros((0, 2)), none)
    assert uncertain_ranges(heard, (), FILM_SECONDS) == ()


def test_what_lies_at_an_utterance_belongs_to_it(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (1.0, 2.0, 0.9), (2.0, 2.9, 0.2), (4.0, 5.0, 0.3))
    found = utterances_in(heard, FILM_SECONDS)
    assert len(found) == 1
    ((start, _),) = uncertain_ranges(heard, found, FILM_SECONDS)
    assert start == pytest.approx(4.0, abs=FRAME)


def test_pauses_of_half_a_second_do_not_end_a_range(spoken: np.ndarray) -> None:
    assert len(uncertain_ranges(soundtrack(spoken, (1.0, 1.6, 0.3), (2.0, 2.6, 0.3)), (), FILM_SECONDS)) == 1
    assert len(uncertain_ranges(soundtrack(spoken, (1.0, 2.0, 0.3), (3.0, 4.0, 0.3)), (), FILM_SECONDS)) == 2


def test_singing_is_left_out_and_what_may_be_either_is_not(spoken: np.ndarray) -> None:
    notes = pitches_of(sung())
    assert uncertain_ranges(soundtrack(notes, (1.0, 4.0, 0.3)), (), FILM_SECONDS) == ()
    taken_for_singing = soundtrack(spoken, (1.0, 4.0, 0.9))
    strict = VoiceParams(min_spoken_odds=5.0)
    assert utterances_in(taken_for_singing, FILM_SECONDS, strict) == ()
    assert len(uncertain_ranges(taken_for_singing, (), FILM_SECONDS, strict)) == 1


def test_under_music_the_network_alone_is_believed_whatever_the_pitch() -> None:
    def heard(odds_there: float, seconds: float = 2.0) -> SoundtrackMeasure:
        odds = np.full(600, -5.0)
        odds[200 : 200 + round(100 * seconds)] = odds_there
        return replace(soundtrack(pitches_of(sung())), voice_odds=odds)

    ((start, end),) = uncertain_ranges(heard(2.5), (), FILM_SECONDS)
    assert 2.0 < start < 2.5 < 3.5 < end < 4.0
    assert utterances_in(heard(2.5), FILM_SECONDS) == ()
    assert uncertain_ranges(heard(1.0), (), FILM_SECONDS) == ()
    assert uncertain_ranges(heard(2.5, 1.0), (), FILM_SECONDS) == ()
    assert uncertain_ranges(heard(2.5), ((2.0, 4.0),), FILM_SECONDS) == ()


def test_ranges_end_with_the_video(spoken: np.ndarray) -> None:
    ((_, end),) = uncertain_ranges(soundtrack(spoken, (3.0, 6.0, 0.3)), (), 5.0)
    assert end == 5.0


def test_nothing_is_known_of_the_doubts_of_another_detector_or_without_pitches(spoken: np.ndarray) -> None:
    heard = soundtrack(spoken, (2.0, 4.0, 0.3))
    assert uncertain_ranges(heard, (), FILM_SECONDS, VoiceParams(detector="elsewhere:Labels")) == ()
    assert uncertain_ranges(soundtrack(None, (2.0, 4.0, 0.3)), (), FILM_SECONDS) == ()
