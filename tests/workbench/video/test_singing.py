"""Talk and track, synthesised from nothing but a buzz: what holds its notes is sung."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import oaconvolve

from tests.workbench.video.lines import pitches_of, sung, talked
from workbench.errors import ParameterError
from workbench.features.levels import level_curve
from workbench.params import VoiceParams
from workbench.video.bands import BandMeter
from workbench.video.pitch import PitchMeter
from workbench.video.singing import CUES, spoken_odds, voice_cues
from workbench.video.utterances import SoundtrackMeasure, classify, odds_of_talk, own_music_in, utterances_in

RATE = 16_000
FRAME = 0.032
SECONDS = 6.0


def soundtrack(sound: np.ndarray, pitches: np.ndarray) -> SoundtrackMeasure:
    heard = np.full(round(SECONDS / FRAME), 0.99)
    return SoundtrackMeasure(level_curve(sound, RATE), heard, FRAME, None, pitches)


def test_who_holds_notes_sings_and_who_glides_talks() -> None:
    utterance = ((0.0, SECONDS),)
    heard = np.full(round(SECONDS / FRAME), 0.99)
    (track,), (talk,) = (spoken_odds(utterance, heard, FRAME, pitches_of(line)) for line in (sung(), talked()))
    assert track < -1
    assert talk > 0.5
    held, vowel, certainty = CUES.index("held"), CUES.index("vowel"), CUES.index("certainty")
    track_cues, talk_cues = (voice_cues(utterance, heard, FRAME, pitches_of(line))[0] for line in (sung(), talked()))
    assert track_cues[held] > 0.3 > talk_cues[held]
    assert track_cues[vowel] > 0 > talk_cues[vowel]
    assert track_cues[certainty] == pytest.approx(talk_cues[certainty]) == pytest.approx(np.log(99), abs=1e-6)


def in_a_room(sound: np.ndarray, seconds: float) -> np.ndarray:
    """The sound and an exponentially decaying tail 6 dB under it."""
    size = round(seconds * RATE)
    tail = np.random.default_rng(1).normal(size=size) * 10 ** (-3 * np.arange(size) / size)
    tail *= 0.5 / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    return np.asarray(oaconvolve(sound, tail)[: sound.size], dtype=np.float32)


def test_talk_in_a_room_is_talk_though_its_tail_holds_the_pitch_and_the_detector_is_less_sure() -> None:
    utterance, heard = ((0.0, SECONDS),), np.full(round(SECONDS / FRAME), 0.975)
    for seconds in (0.3, 0.6, 1.0, 1.5):
        (track,), (talk,) = (
            spoken_odds(utterance, heard, FRAME, pitches_of(in_a_room(line, seconds))) for line in (sung(), talked())
        )
        assert talk > 0
        assert track < -1


def test_singing_is_no_voice_and_talk_is_one() -> None:
    track, talk = soundtrack(sung(), pitches_of(sung())), soundtrack(talked(), pitches_of(talked()))
    assert utterances_in(track, SECONDS) == ()
    assert classify(track, utterances_in(track, SECONDS)) == "ambient"
    assert classify(talk, utterances_in(talk, SECONDS)) == "voice"


def test_without_pitches_or_at_the_lowest_threshold_all_that_sounds_like_a_voice_is_spoken() -> None:
    track = soundtrack(sung(), pitches_of(sung()))
    assert utterances_in(replace(track, pitches=None), SECONDS)
    assert utterances_in(track, SECONDS, VoiceParams(min_spoken_odds=-20))


def test_pitches_of_another_shape_are_refused() -> None:
    with pytest.raises(ParameterError, match="pairs"):
        voice_cues(((0.0, 1.0),), np.zeros(31), FRAME, np.zeros(50))
    with pytest.raises(ParameterError, match="mono"):
        PitchMeter().add(np.zeros((2, 100), dtype=np.float32))


def test_what_is_out_of_earshot_changes_no_cue() -> None:
    line, heard = pitches_of(talked()), np.full(round(SECONDS / FRAME), 0.99)
    times = 60
    utterances = tuple((k * SECONDS, k * SECONDS + 4.0) for k in range(times))
    cues = voice_cues(utterances, np.tile(heard, times), SECONDS / heard.size, np.tile(line, (times, 1)))
    inner = cues[5:-5]
    assert np.allclose(inner, inner[0], rtol=0, atol=0.02)


def test_a_track_after_the_talk_does_not_silence_it() -> None:
    rest = 3.0
    both = np.concatenate([talked(), np.zeros(round(rest * RATE), dtype=np.float32), sung()])
    heard = np.full(round((2 * SECONDS + rest) / FRAME), 0.99)
    heard[round(SECONDS / FRAME) : round((SECONDS + rest) / FRAME)] = 0.0
    video = SoundtrackMeasure(level_curve(both, RATE), heard, FRAME, None, pitches_of(both))
    ((start, end),) = utterances_in(video, 2 * SECONDS + rest)
    assert start == pytest.approx(0.0, abs=0.1)
    assert end == pytest.approx(SECONDS, abs=0.1)


def with_network(measured: SoundtrackMeasure, odds: float) -> SoundtrackMeasure:
    assert measured.levels is not None
    return replace(measured, voice_odds=np.full(measured.levels.power.size, odds, dtype=np.float32))


def bars(seconds: float) -> np.ndarray:
    """Music: a low chord all the time, struck twice a second."""
    time = np.arange(round(seconds * RATE)) / RATE
    chord = sum(np.sin(2 * np.pi * 110.0 * 2 ** (k / 12) * time) for k in (0, 7, 12, 16))
    return np.asarray(0.05 * chord * (0.3 + np.exp(-8 * (time % 0.5))), dtype=np.float32)


def bands_of(sound: np.ndarray) -> np.ndarray:
    meter = BandMeter()
    meter.add(sound)
    return meter.powers()


def test_the_network_speaks_for_talk_over_held_notes_and_against_a_line_that_it_hears_no_talk_in() -> None:
    track, talk = soundtrack(sung(), pitches_of(sung())), soundtrack(talked(), pitches_of(talked()))
    everywhere = ((0.0, SECONDS),)
    assert odds_of_talk(with_network(track, 8.0), everywhere)[0] > 0 > odds_of_talk(track, everywhere)[0]
    assert odds_of_talk(with_network(track, 5.0), everywhere)[0] < odds_of_talk(track, everywhere)[0]
    # Singing over music whose pitch does not give it away: the detector is sure of a voice, the network is not.
    assert odds_of_talk(with_network(talk, 1.0), everywhere)[0] == odds_of_talk(talk, everywhere)[0]
    over_music = replace(talk, bands=bands_of(bars(SECONDS)))
    odds = [float(odds_of_talk(with_network(over_music, network), everywhere)[0]) for network in (8.0, 5.0, 3.0, 1.0)]
    assert odds == sorted(odds, reverse=True)
    assert odds[0] > 0
    assert odds[-1] < -1
    assert utterances_in(with_network(talk, 8.0), SECONDS)
    assert utterances_in(with_network(track, 8.0), SECONDS)
    assert utterances_in(with_network(track, -3.0), SECONDS) == ()
    assert odds_of_talk(with_network(track, 8.0), ()).size == 0


def test_the_network_says_little_of_a_whisper() -> None:
    breath = np.random.default_rng(2).normal(scale=0.05, size=round(SECONDS * RATE)).astype(np.float32)
    whisper = soundtrack(breath, pitches_of(breath))
    everywhere = ((0.0, SECONDS),)
    (odds,) = odds_of_talk(whisper, everywhere)
    assert odds > 0
    assert odds_of_talk(with_network(whisper, -9.0), everywhere)[0] == pytest.approx(odds - 1, abs=0.1)


def test_what_only_the_network_hears_is_a_voice_under_music_and_none_in_a_street() -> None:
    seconds = 12.0
    street = np.random.default_rng(3).normal(scale=0.05, size=round(seconds * RATE)).astype(np.float32)
    for sound, is_music in ((bars(seconds), True), (street, False)):
        unheard = np.full(round(seconds / FRAME), 0.001)
        measured = SoundtrackMeasure(level_curve(sound, RATE), unheard, FRAME, bands_of(sound), pitches_of(sound))
        everywhere = ((1.0, seconds - 1.0),)
        assert bool(own_music_in(measured, seconds)) == is_music
        assert (odds_of_talk(with_network(measured, 5.0), everywhere)[0] > -1) == is_music
        assert odds_of_talk(with_network(measured, 8.0), everywhere)[0] > -1
