"""Where somebody may speak without being found: a whisper, a voice far from the microphone, talk under music.

Nothing is ducked for these ranges, and no result of `/v1` has them; report and page show them, so that a person listens
there. A range is a stretch outside the utterances, half a second away from them, in which the probability of both
detectors together stays over 0.1 and reaches 0.2 (an utterance needs 0.5), 0.8 s long at least; pauses up to 0.5 s
belong to it. What was found to be sung has to be nearer to talk than most singing is: its log-odds of being spoken are
-3 or more, where an utterance needs -1; where the voice network was not asked, -6.

Under music louder than the voice the speech detector is sure that nobody speaks, and the pitch is that of the music.
The network alone counts there: a stretch in which its log-odds, in the mean of a second, stay at 1.5 or more.

The numbers were chosen on voices by others that are for fitting and on synthesised ones (`tests/benchmarks/README.md`
has what the ranges hold on the voices to test). What lies 10 LU under a crowd leaves hardly a trace in either.

Function: `uncertain_ranges`.
"""

from __future__ import annotations

import numpy as np

from workbench.extensions import OWN
from workbench.features.levels import HOPS_PER_SECOND
from workbench.mix.balance import SoundtrackMeasure, chances_of_speech, odds_of_talk
from workbench.params import VoiceParams
from workbench.recording import FloatArray
from workbench.video.speech_ranges import Thresholds, Utterances, join_utterances, speech_utterances

_REACHED, _HELD = 0.2, 0.1  # probabilities: reached once, and held
_APART_SECONDS = 0.5  # to an utterance; nearer, it is the utterance's own edge or the room that rings
_PAUSE_SECONDS = 0.5
_LEAST_SECONDS = 0.8
# Log-odds of being spoken, by pitch and network; by pitch alone singing has -8 to -11, talk in rooms or under music
# seldom under -5.
_LEAST_ODDS, _LEAST_ODDS_BY_PITCH = -3.0, -6.0
_NETWORK_ODDS, _NETWORK_HOPS = 1.5, 101  # of the network, in the mean of so many hops


def uncertain_ranges(
    soundtrack: SoundtrackMeasure, utterances: Utterances, video_seconds: float, params: VoiceParams | None = None
) -> Utterances:
    """Stretches in which somebody may speak, outside the utterances that were found, to the millisecond.

    None where the pitches were not measured, or with an external detector, of whose doubts nothing is known.
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
    heard = tuple((start, end) for start, end in joined if end - start >= _LEAST_SECONDS)
    odds = odds_of_talk(soundtrack, heard)
    least_odds = _LEAST_ODDS if both else _LEAST_ODDS_BY_PITCH
    doubtful = [one for one, odd in zip(heard, odds, strict=True) if odd >= least_odds]
    if soundtrack.voice_odds is not None and soundtrack.voice_odds.size:
        doubtful += _heard_by_network(soundtrack.voice_odds, utterances)
    inside = (
        (round(start, 3), round(min(end, video_seconds), 3))
        for start, end in join_utterances(tuple(sorted(doubtful)), _PAUSE_SECONDS)
    )
    return tuple((start, end) for start, end in inside if start < end)


def _heard_by_network(odds: FloatArray, utterances: Utterances) -> Utterances:
    """Stretches outside utterances in which the network by itself hears a voice."""
    half = _NETWORK_HOPS // 2
    padded = np.pad(np.asarray(odds, dtype=np.float64), half, mode="edge")
    heard = np.convolve(padded, np.ones(_NETWORK_HOPS) / _NETWORK_HOPS, mode="valid") >= _NETWORK_ODDS
    for start, end in utterances:
        first, last = (start - _APART_SECONDS) * HOPS_PER_SECOND, (end + _APART_SECONDS) * HOPS_PER_SECOND
        heard[max(0, int(first)) : int(last) + 1] = False
    edges = np.flatnonzero(np.diff(np.concatenate([[False], heard, [False]]))) / HOPS_PER_SECOND
    joined = join_utterances(tuple(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)), _PAUSE_SECONDS)
    return tuple((start, end) for start, end in joined if end - start >= _LEAST_SECONDS)
