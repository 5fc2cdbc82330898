"""Utterances in the soundtrack of a video, its kind, and the ranges that may hold undetected speech.

An utterance is audible over what else sounds then, and spoken, not sung (`workbench.video.speech_ranges`,
`workbench.video.singing`). A named detector takes the place of ours: `workbench.analysis.protocols` asks it.

Uncertain ranges may hold whispers, or speech far from the microphone or under music. Nothing is ducked for them, and
no result of `/v1` has them; report and page show them, so that a person listens there. A range is a stretch outside the
utterances, half a second away from them, in which the probability of both detectors together stays over 0.1 and reaches
0.2 (an utterance needs 0.5), 0.8 s long at least; pauses up to 0.5 s belong to it. What was found to be sung has to be
nearer to talk than most singing is: its log-odds of being spoken are -3 or more, where an utterance needs -1; where the
voice network was not asked, -6.

Under music louder than the voice the speech detector is sure of no speech, and the pitch is that of the music.
The network alone counts there: a stretch in which its log-odds, in the mean of a second, stay at 1.5 or more.

The numbers were chosen on external voices that are for fitting and on synthesised ones (`tests/benchmarks/README.md`
has what the ranges hold on the voices to test). Speech 10 LU under a crowd leaves hardly a trace in either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.features.loudness import SILENCE_DBFS
from workbench.params import MixParams, VoiceParams
from workbench.params.base import OWN
from workbench.recording import FloatArray, runs
from workbench.video.own_music import WINDOW_SECONDS, music_odds, music_ranges
from workbench.video.pitch import PITCHES_PER_SECOND
from workbench.video.singing import SURE_ODDS, spoken_odds
from workbench.video.soundtrack import Classification
from workbench.video.speech_ranges import (
    Thresholds,
    Utterances,
    join_utterances,
    speech_chances,
    speech_utterances,
)

_REACHED, _HELD = 0.2, 0.1  # probabilities: reached once, and held
_APART_SECONDS = 0.5  # to an utterance; nearer, it is the utterance's own edge or the room that rings
_PAUSE_SECONDS = 0.5
_LEAST_SECONDS = 0.8
# Log-odds of being spoken, by pitch and network; by pitch alone singing has -8 to -11, talk in rooms or under music
# seldom under -5.
_LEAST_ODDS, _LEAST_ODDS_BY_PITCH = -3.0, -6.0
_NETWORK_ODDS, _NETWORK_HOPS = 1.5, 101  # of the network, in the mean of so many hops
_MIN_OWN_MUSIC_SECONDS, _CLOSE_OWN_MUSIC_SECONDS = 3.0, 4.0
"""s; a shorter stretch of music in the soundtrack does not count, shorter breaks in it do not end it"""


@dataclass(frozen=True, slots=True)
class DetectedVoice:
    """What a voice detector that is not ours detected."""

    params: VoiceParams
    """with which it was asked"""
    utterances: Utterances
    """seconds, sorted and disjoint"""


@dataclass(frozen=True, slots=True, eq=False)
class SoundtrackMeasure:
    """Measurements of a soundtrack."""

    levels: LevelCurve | None
    """loudness on the video's clock; None where there is no audio stream"""
    speech: FloatArray
    """shape (n_frames,), probability of speech, 0 to 1"""
    frame_seconds: float
    """length of a frame of `speech`, in seconds"""
    bands: FloatArray | None = None
    """shape (n_hops, n_bands), power in the bands of speech; None: the edges of words are read off `levels`"""
    pitches: FloatArray | None = None
    """shape (n_steps, 2), MIDI number and clarity of the pitch; None: what sounds like a voice counts as spoken"""
    voice_odds: FloatArray | None = None
    """shape (n_hops,), log-odds of speech in each hundredth of a second; None: only `speech` says so"""
    path: Path | None = None
    """the file it was measured in, for voice detectors that are not ours; None: it came from memory"""
    detected: DetectedVoice | None = None
    """utterances found by an external voice detector; None: none was asked"""


class Detected(NamedTuple):
    """What a mix makes way for: video seconds, sorted and disjoint."""

    utterances: Utterances
    """with speech in the foreground"""
    own_music: Utterances
    """in which the soundtrack is music itself"""


def own_music_in(soundtrack: SoundtrackMeasure, video_seconds: float, own: MixParams | None = None) -> Utterances:
    """Stretches of a soundtrack that are music themselves, video seconds, sorted and disjoint, cut off at its end.

    They are those that `own` gives, else detected: none where there is no sound, or it was measured without bands.
    """
    if own is not None and own.own_music_at is not None:
        found = own.own_music_at
    elif soundtrack.bands is None or soundtrack.pitches is None:
        return ()
    else:
        found = music_ranges(soundtrack.bands, soundtrack.pitches, _CLOSE_OWN_MUSIC_SECONDS, _MIN_OWN_MUSIC_SECONDS)
    inside = ((start, min(end, video_seconds)) for start, end in found)
    return tuple((start, end) for start, end in inside if start < end)


def classify(soundtrack: SoundtrackMeasure, utterances: Utterances) -> Classification:
    """What a soundtrack is: voice, ambient, silent or none."""
    if soundtrack.levels is None:
        return "none"
    if soundtrack.levels.peak <= 10 ** (SILENCE_DBFS / 20):
        return "silent"
    return "voice" if utterances else "ambient"


def utterances_in(soundtrack: SoundtrackMeasure, video_seconds: float, params: VoiceParams | None = None) -> Utterances:
    """Utterances in the foreground of a soundtrack, to the millisecond, cut off at the end of the video.

    Where the parameters name a detector that is not ours, they are those that the soundtrack holds. Raises
    `ParameterError` if that detector was not asked with these parameters (`workbench.analysis.video.with_voices`).
    """
    params = params or VoiceParams()
    if soundtrack.levels is None:
        return ()
    known = soundtrack.detected
    if params.detector == OWN:
        found = detected_utterances(soundtrack, params)
    elif known is not None and known.params == params:
        found = known.utterances
    else:
        raise ParameterError(
            f"this soundtrack has no answer of the voice detector {params.detector} for these parameters: call "
            "`with_voices` first"
        )
    inside = ((round(start, 3), round(min(end, video_seconds), 3)) for start, end in found)
    return tuple((start, end) for start, end in inside if start < end)


class OwnDetector:
    """The voice detector of this package, an implementation of `workbench.analysis.protocols.VoiceDetector`."""

    version = 4

    def reads(self, video: Path) -> Sequence[Path]:
        """No further file."""
        return ()

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        """Find the utterances; it reads `soundtrack` alone."""
        return detected_utterances(soundtrack, params)


def detected_utterances(soundtrack: SoundtrackMeasure, params: VoiceParams) -> Utterances:
    """Utterances as our own detector finds them: audible over what else sounds then, and spoken; s."""
    if soundtrack.levels is None:
        return ()
    bands = soundtrack.levels.power[:, None] if soundtrack.bands is None else soundtrack.bands
    if soundtrack.voice_odds is None:
        found = speech_utterances(soundtrack.speech, soundtrack.frame_seconds, params, bands)
    else:
        chances = chances_of_speech(soundtrack)
        found = speech_utterances(chances, 1 / HOPS_PER_SECOND, params, bands, raise_whispers=False)
    if soundtrack.pitches is not None and found:
        odds = odds_of_talk(soundtrack, found)
        found = tuple(utterance for utterance, odd in zip(found, odds, strict=True) if odd >= params.min_spoken_odds)
    return found


def chances_of_speech(soundtrack: SoundtrackMeasure) -> FloatArray:
    """Probability of speech by both detectors, shape (n_hops,); by one, shape (n_frames,), where only that ran."""
    if soundtrack.voice_odds is None:
        return soundtrack.speech
    return speech_chances(soundtrack.speech, soundtrack.frame_seconds, soundtrack.voice_odds, soundtrack.bands)


def odds_of_talk(soundtrack: SoundtrackMeasure, utterances: Utterances) -> FloatArray:
    """Log-odds that utterances are spoken, by their pitch, by the voice network, and by the music around them.

    -1 and more counts as spoken by default. ParameterError for a soundtrack that was measured without pitches.
    """
    if soundtrack.pitches is None:
        raise ParameterError("without pitches nothing tells speech from singing")
    bands, pitches = soundtrack.bands, soundtrack.pitches
    if soundtrack.voice_odds is None or not utterances:
        return spoken_odds(utterances, soundtrack.speech, soundtrack.frame_seconds, pitches)
    hops = ((round(start * HOPS_PER_SECOND), round(end * HOPS_PER_SECOND)) for start, end in utterances)
    # the better half: pauses and drowned words of a sentence say nothing against the rest of it
    sorted_odds = [np.sort(soundtrack.voice_odds[first:stop]) for first, stop in hops]
    network = np.array([found[found.size // 2 :].mean() if found.size else -np.inf for found in sorted_odds])
    music = np.zeros(network.size)
    if bands is not None:
        # Only where it is asked for: all of a soundtrack takes several times as long as the rest.
        for k in np.flatnonzero(network < SURE_ODDS):
            first, last = int(utterances[k][0]), math.ceil(utterances[k][1])
            start, end = max(0, first - WINDOW_SECONDS // 2), last + WINDOW_SECONDS // 2
            hops_there, steps = (slice(start * hz, end * hz) for hz in (HOPS_PER_SECOND, PITCHES_PER_SECOND))
            music[k] = music_odds(bands[hops_there], pitches[steps])[first - start : last - start].mean()
    return spoken_odds(utterances, soundtrack.speech, soundtrack.frame_seconds, pitches, network, music)


def uncertain_ranges(
    soundtrack: SoundtrackMeasure, utterances: Utterances, video_seconds: float, params: VoiceParams | None = None
) -> Utterances:
    """Stretches that may hold speech, outside the detected utterances, to the millisecond.

    None if the pitches were not measured, or with an external detector, whose doubts are unknown.
    """
    params = params or VoiceParams()
    if soundtrack.levels is None or soundtrack.pitches is None or params.detector != OWN:
        return ()
    both = soundtrack.voice_odds is not None
    frame = 1 / HOPS_PER_SECOND if both else soundtrack.frame_seconds
    chance = np.array(chances_of_speech(soundtrack), dtype=np.float64)
    for start, end in utterances:
        first, last = (start - _APART_SECONDS) / frame, (end + _APART_SECONDS) / frame
        chance[max(0, int(first)) : int(last) + 1] = 0.0
    # the same detection with lower thresholds, so that ranges and utterances are placed alike
    lower = Thresholds(min(_REACHED, params.onset_probability), _HELD, _HELD, _HELD)
    joined = join_utterances(speech_utterances(chance, frame, params, thresholds=lower), _PAUSE_SECONDS)
    long_enough = tuple((start, end) for start, end in joined if end - start >= _LEAST_SECONDS)
    odds = odds_of_talk(soundtrack, long_enough)
    least_odds = _LEAST_ODDS if both else _LEAST_ODDS_BY_PITCH
    doubtful = [one for one, odd in zip(long_enough, odds, strict=True) if odd >= least_odds]
    if soundtrack.voice_odds is not None and soundtrack.voice_odds.size:
        doubtful += _network_voices(soundtrack.voice_odds, utterances)
    inside = (
        (round(start, 3), round(min(end, video_seconds), 3))
        for start, end in join_utterances(tuple(sorted(doubtful)), _PAUSE_SECONDS)
    )
    return tuple((start, end) for start, end in inside if start < end)


def _network_voices(odds: FloatArray, utterances: Utterances) -> Utterances:
    """Stretches outside utterances in which the network alone detects a voice."""
    half = _NETWORK_HOPS // 2
    padded = np.pad(np.asarray(odds, dtype=np.float64), half, mode="edge")
    detected = np.convolve(padded, np.ones(_NETWORK_HOPS) / _NETWORK_HOPS, mode="valid") >= _NETWORK_ODDS
    for start, end in utterances:
        first, last = (start - _APART_SECONDS) * HOPS_PER_SECOND, (end + _APART_SECONDS) * HOPS_PER_SECOND
        detected[max(0, int(first)) : int(last) + 1] = False
    found = tuple((first / HOPS_PER_SECOND, stop / HOPS_PER_SECOND) for first, stop in runs(detected))
    joined = join_utterances(found, _PAUSE_SECONDS)
    return tuple((start, end) for start, end in joined if end - start >= _LEAST_SECONDS)
