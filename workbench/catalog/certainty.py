"""How sure the tempo of a track is, and whether it is sung; both in words.

The same music may be counted at one tempo or at twice that tempo. A tracker now and then counts at the other level,
however sure it is that what it counts are beats. So a measured tempo is one number only if drums play and it is neither
slow nor fast; otherwise it comes with its half or double, or, if the grid's confidence is low, it is not stated. A
tempo that a catalog gives is stated as it is.

A probability of a voice is worded as a doubt between the limit up to which a track is called instrumental and the one
from which it is called sung.
"""

from __future__ import annotations

from math import isnan

import numpy as np

from workbench.recording import FloatArray, IntArray

UNSURE, SURE_BUT_FOR_HALF, SURE_BUT_FOR_DOUBLE, SURE = 0, 1, 2, 3
"""Certainties of a measured tempo: not to be stated; it or its half; it or its double; as it is."""
NO_SURE_BEAT = "no sure beat"
# of a grid, under which no tempo is stated of a track with drums; ranking goes by it all the same
_MIN_CONFIDENCE = 0.3
_MIN_DRUMLESS_CONFIDENCE = 0.6  # the same of a track without drums
_MIN_DRUMS = 0.7  # probability from which a tempo is stated as one number; else its half or double is added
# of external songs detected at 75 to 106 bpm, half were written at twice as much
_MIN_SURE_BPM, _MAX_SURE_BPM = 106.0, 185.0


def tempo_certainty(bpm: float, confidence: float, drums: float) -> int:
    """How sure a measured tempo is: UNSURE, SURE_BUT_FOR_HALF, SURE_BUT_FOR_DOUBLE or SURE."""
    drummed = drums >= _MIN_DRUMS
    if confidence < (_MIN_CONFIDENCE if drummed else _MIN_DRUMLESS_CONFIDENCE):
        return UNSURE
    if bpm < _MIN_SURE_BPM:
        return SURE_BUT_FOR_DOUBLE
    return SURE if drummed and bpm < _MAX_SURE_BPM else SURE_BUT_FOR_HALF


def possible_tempi(bpm: FloatArray, certainty: IntArray) -> FloatArray:
    """The tempi that tracks may be counted at, shape (2, n): as measured, and half or double that if it may be meant.

    Both are NaN if no tempo is sure enough. A certainty that is none of `tempo_certainty` is that of a tempo that
    was given.
    """
    stated = np.where(certainty == UNSURE, np.nan, np.asarray(bpm, dtype=np.float64))
    factor = np.select([certainty == SURE_BUT_FOR_HALF, certainty == SURE_BUT_FOR_DOUBLE], [0.5, 2.0], 1.0)
    return np.stack([stated, factor * stated])


def tempo_words(bpm: float, certainty: int, digits: str = ".0f") -> str:
    """A tempo in words, with as much doubt as it deserves, such as "126 bpm", "87 or 174 bpm", or `NO_SURE_BEAT`.

    A certainty beyond those of `tempo_certainty` belongs to a given tempo.
    """
    if isnan(bpm) or certainty == UNSURE:
        return NO_SURE_BEAT
    if certainty == SURE_BUT_FOR_DOUBLE:
        return f"{bpm:{digits}} or {2.0 * bpm:{digits}} bpm"
    if certainty == SURE_BUT_FOR_HALF:
        return f"{bpm:{digits}} or {0.5 * bpm:{digits}} bpm"
    return f"{bpm:{digits}} bpm"


MAX_INSTRUMENTAL_VOICE = 0.3
"""probability of a voice up to which a track is called instrumental: half of what the least sure of twelve recorded
songs has"""
MIN_VOCAL_VOICE = 0.9
"""probability of a voice from which on a track is called not instrumental"""
_ROUNDING = 1e-6
"""by which a probability of single precision may lie under the number that it stands for"""


def voice_words(chance: float) -> str:
    """A probability of a voice in words, with as much doubt as it deserves.

    Such as "a voice with a probability of 4 %" or "perhaps a voice, with a probability of 60 %".
    """
    percent = f"with a probability of {100 * chance:.0f} %"
    if is_sung(chance) or chance <= MAX_INSTRUMENTAL_VOICE + _ROUNDING:
        return f"a voice {percent}"
    return f"perhaps a voice, {percent}"


def is_sung(chance: float) -> bool:
    """Whether a track may be described as sung."""
    return chance >= MIN_VOCAL_VOICE - _ROUNDING
