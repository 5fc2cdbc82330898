"""Spoken or sung: the speech detector takes much singing for speech, and this module sorts it out again.

A singer holds each note, vibrato or not, and the notes are long; in talk the pitch hardly ever stands still, and vowels
are short. Talk over music is harder to tell, since the music's notes are held; but then the detector is surer of itself
than it is of singing. So three cues are weighed against each other, the logarithm of the odds that an utterance is
spoken being their weighted sum:

    held       share of the time after which the pitch goes on unbroken for 180 ms and then is where it was, within 0.4
               semitones, over the share after which it goes on at all (plus 30 %, so that little of it counts little);
               180 ms is a period of vibrato, so that vibrato counts as standing still
    vowel      length of the unbroken stretch of pitch that a voiced step belongs to, mean, in doublings of 200 ms
    certainty  mean of the detector's own log-odds, from 0.05 % to 99.95 %

Each is a mean over the utterance and the voices around it, which weigh less by 1/e for every 2 s that they are away. A
pitch is what `workbench.video.pitch` finds with a clarity over 0.45; it goes on unbroken while it moves by less than
1.5 semitones from one step to the next.

In a room talk looks more like singing: its tail holds the pitch, three times as often as in dry talk, and the detector
is less sure, by a log-odds of 1.4 on the voices of the fit. So the weights (`singing.json`) are those of a logistic
regression on talk and singing both dry and in rooms with a reverberation of 0.3 to 1.5 s, synthesised and of people
(the card is `singing.md`). An utterance stays down to a log-odds of -1 (`VoiceParams.min_spoken_odds`), since a
lost speaker costs more than music that goes under a singer.

Talk around an utterance is evidence of talk, since who talked will talk on; singing around it is no evidence: where the
mean of all utterances, weighed by their lengths and less by 1/e for every 10 s that they are away, is over its own
odds, the two are averaged. Rap counts as speech.

Where the voice network was asked, it is the best witness: in the better half of spoken utterances its log-odds are 8
to 18, of sung ones seldom over 5, of animals and passing cars up to 7. What it lacks of 7 counts against
talk where music plays or a note is held: less if the detector is very sure, and hardly if there is no pitch, since it
knows no whispers. From 7 on an utterance is spoken at any pitch. Under music louder than the voice the network
is never that sure, and the pitch is that of the music: there 4.1 is enough if the detector finds no voice (a singer
over music it finds), or if the music leaves no doubt. It is enough, too, where neither music plays nor a note is held.

References
----------
E. Scheirer and M. Slaney, "Construction and evaluation of a robust multifeature speech/music discriminator", ICASSP
1997. R. Sonnleitner, B. Niedermayer, G. Widmer, J. Schlüter, "A simple and effective spectral feature for speech
detection in mixed audio signals", DAFx 2012 (speech is what has sliding partials). B. Thompson, "Discrimination between
singing and speech in real-world audio", IEEE SLT 2014.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.files import read_numbers
from workbench.recording import FloatArray, runs
from workbench.video.pitch import PITCHES_PER_SECOND
from workbench.video.speech_ranges import Utterances

CUES = ("held", "vowel", "certainty")
FILE = "singing.json"
"""log-odds a unit of each cue, and their bias; the card beside it says what they were fitted to"""
_CLEAR = 0.45  # clarity from which on there is a pitch
_LAG = PITCHES_PER_SECOND * 18 // 100  # steps, a period of vibrato
_STILL = 0.4  # semitones
_LEAP = 1.5  # semitones between two steps that no voice glides
_AROUND_SECONDS = 2.0  # distance at which a voice counts for a fraction of 1/e
_EARSHOT_SECONDS = 40 * _AROUND_SECONDS  # past which e^-40 is nothing beside 1 in double precision
_NEIGHBOUR_SECONDS = 10.0  # distance at which an utterance counts for a fraction of 1/e
_SHORTEST_VOWEL = 0.02  # s, one step; shorter runs of pitch count as this
_LITTLE = 0.3  # added to the share with unbroken pitch, see `held` above
_CERTAIN = 0.9995  # probability to which the detector's is clipped, and 1 minus it
# What the voice network says, and how far, chosen on external recordings that are for choosing.
SURE_ODDS = 7.0
"""log-odds of the network from which on an utterance is spoken at any pitch; singers reach 5"""
_LEAST_SURE_ODDS = 4.1  # the same where music drowns the voice, or no note is held and no music plays
_UNHEARD = -3.7  # certainty under which the detector finds no voice; a singer over music it does find
_LOUD_MUSIC = 3.5  # log-odds of music that drowns a voice
_HELD = 0.02  # of the cue, under which no note is held
_SURELY_SPOKEN = 4.0  # log-odds that an utterance then has at least
_DETECTOR_SURE = 9.0  # certainty of the detector; its shortfall bounds the network's evidence against talk
_NO_ODDS = -2.0  # of the network; above this it decides nothing about sound without pitch, because it knows no whispers
_NO_VOWEL, _VOWEL = np.log2(_SHORTEST_VOWEL / 0.2), np.log2(0.06 / 0.2)  # nothing pitched, and pitched for 60 ms


def voice_cues(
    utterances: Utterances, probabilities: FloatArray, frame_seconds: float, pitches: FloatArray
) -> NDArray[np.float64]:
    """The cues by which talk and singing differ, shape (n_utterances, n_cues), in the order of `CUES`.

    `pitches` are pairs of MIDI number and clarity, as `workbench.video.pitch` measures them.
    """
    if pitches.ndim != 2 or pitches.shape[1] != 2:
        raise ParameterError(f"pitches are pairs of MIDI number and clarity, got shape {pitches.shape}")
    time = np.arange(len(pitches)) / PITCHES_PER_SECOND
    frames = (np.arange(len(probabilities)) + 0.5) * frame_seconds
    chance = np.interp(time, frames, probabilities) if len(probabilities) else np.zeros(time.size)
    chance = np.clip(chance, 1 - _CERTAIN, _CERTAIN)
    certainty = np.log(chance / (1 - chance))
    voiced = pitches[:, 1] > _CLEAR
    smooth = voiced & (np.abs(np.diff(pitches[:, 0], prepend=pitches[:1, 0])) < _LEAP)
    gliding, still = _gliding(pitches[:, 0].astype(np.float64), voiced, smooth)
    vowel = np.log2(np.maximum(_run_seconds(smooth), _SHORTEST_VOWEL) / 0.2)
    # voices nearby count too, for one phrase is often too short to tell; what sounds between them does not
    heard = np.zeros(time.size, dtype=bool)
    for start, end in utterances:
        heard |= (time >= start) & (time <= end)
    cues = np.zeros((len(utterances), len(CUES)))
    for row, (start, end) in zip(cues, utterances, strict=True):
        near = slice(*np.searchsorted(time, (start - _EARSHOT_SECONDS, end + _EARSHOT_SECONDS)))
        apart = np.maximum(np.maximum(start - time[near], time[near] - end), 0)
        weight = heard[near] * np.exp(-apart / _AROUND_SECONDS)
        total = max(float(weight.sum()), 1e-9)
        row[0] = weight[still[near]].sum() / (weight[gliding[near]].sum() + _LITTLE * total)
        row[1] = _mean(vowel[near][voiced[near]], weight[voiced[near]], np.log2(_SHORTEST_VOWEL / 0.2))
        row[2] = _mean(certainty[near], weight, -np.log(_CERTAIN / (1 - _CERTAIN)))
    return cues


def spoken_odds(
    utterances: Utterances,
    probabilities: FloatArray,
    frame_seconds: float,
    pitches: FloatArray,
    network: FloatArray | None = None,
    music: FloatArray | None = None,
) -> NDArray[np.float64]:
    """Log-odds that each utterance is spoken, not sung.

    `network` are log-odds of the voice network in the better half of each utterance; None: it was not asked. `music`
    are log-odds of music around each whose `network` is under `SURE_ODDS`; None: none plays.
    """
    if not utterances:
        return np.zeros(0)
    cues = dict(zip(CUES, voice_cues(utterances, probabilities, frame_seconds, pitches).T, strict=True))
    weights = read_numbers(FILE)
    # The regression knows pitch and detector. The network comes on top in bounded steps: its odds are far too sure to
    # be one cue among others.
    own = weights["bias"] + sum(weights[name] * cues[name] for name in CUES)
    plays = np.zeros(len(utterances)) if music is None else music
    may_be_song = (cues["held"] >= _HELD) | (plays > 0.0)
    if network is not None:
        pitched = np.clip((cues["vowel"] - _NO_VOWEL) / (_VOWEL - _NO_VOWEL), 0.0, 1.0)
        against = np.minimum(np.maximum(network - SURE_ODDS, cues["certainty"] - _DETECTOR_SURE), 0.0)
        own = own + np.minimum(may_be_song * pitched * against, np.clip(network - _NO_ODDS, -1.0, 0.0))
    middle, seconds = np.mean(utterances, axis=1), np.diff(utterances, axis=1)[:, 0]
    near = seconds * np.exp(-np.abs(middle[:, None] - middle) / _NEIGHBOUR_SECONDS)
    odds = np.asarray(np.maximum(own, (own + near @ own / near.sum(axis=1)) / 2))
    if network is None:
        return odds
    lenient = np.where(cues["certainty"] < _UNHEARD, plays > 0.0, (plays >= _LOUD_MUSIC) | ~may_be_song)
    sure = network >= np.where(lenient, _LEAST_SURE_ODDS, SURE_ODDS)
    return np.where(sure, np.maximum(odds, _SURELY_SPOKEN), odds)


def _gliding(
    midi: FloatArray, voiced: NDArray[np.bool_], smooth: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Steps after which the pitch goes on unbroken for a period of vibrato; those that then have the same pitch."""
    gliding = np.zeros(midi.size, dtype=bool)
    if midi.size <= _LAG:
        return gliding, gliding
    unbroken = np.concatenate([[0], np.cumsum(smooth)])
    gliding[:-_LAG] = voiced[:-_LAG] & (unbroken[_LAG + 1 :] - unbroken[1:-_LAG] == _LAG)
    moved = np.zeros(midi.size)
    moved[:-_LAG] = np.abs(midi[_LAG:] - midi[:-_LAG])
    return gliding, gliding & (moved < _STILL)


def _run_seconds(smooth: NDArray[np.bool_]) -> FloatArray:
    """Length of the run of True around each step, seconds; 0 outside."""
    out = np.zeros(smooth.size)
    for first, stop in runs(smooth):
        out[first:stop] = (stop - first) / PITCHES_PER_SECOND
    return out


def _mean(values: FloatArray, weights: FloatArray, otherwise: float) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else otherwise
