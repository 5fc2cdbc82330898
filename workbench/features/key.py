"""The key of a recording: its tonic and whether it is major or minor.

The tones that stand out over their neighbours are folded into pitch classes, separately for bass, middle and treble,
since the bass shows the tonic and the tones above it the mode. Each of the 24 keys has a template of 36 weights, one
set for major and one for minor, rotated to each tonic. Krumhansl measured such templates over one octave by ratings of
listeners; ours are fitted to composed pieces by multinomial logistic regression, which finds the key somewhat more
often than the profiles of Krumhansl or Temperley do (`character.md` has the figures). The most common mistakes are the
key a fifth away and the relative key.

**Clarity** is how much the tones keep to any one key, major or minor: their correlation with the nearest of
Krumhansl's profiles. Clusters, noise and unrelated chords have little of it, and listeners hear them as less cheerful
(Eerola et al. 2009).

References
----------
Krumhansl, "Cognitive Foundations of Musical Pitch", Oxford 1990, ch. 4. Temperley, "Music and Probability", MIT Press
2007, ch. 6. T. Eerola, O. Lartillot & P. Toiviainen, "Prediction of multidimensional emotional ratings in music from
audio", ISMIR 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.features.character_model import key_scores
from workbench.recording import FloatArray, IntArray

TONICS = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
"""Names by pitch class: of two enharmonic names, the one that more pieces are written in."""
RATED_MAJOR = (6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88)
RATED_MINOR = (6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17)
"""how well listeners found each pitch class to suit a key on C (Krumhansl 1990, p. 30)"""
_RANGES = ((0, 51), (52, 75), (76, 127))  # MIDI numbers of bass, middle, treble
_REACH = 6  # semitones on each side of a tone that count as its neighbours
_MERGED = 10  # frames that are averaged, half a second


@dataclass(frozen=True, slots=True)
class Key:
    """A key."""

    tonic: int
    """pitch class, 0 for C to 11 for B"""
    mode: str
    """ "major" or "minor" """
    strength: float
    """probability by the model, 0 to 1; a drone or noise has a weak one"""
    major: float
    """-1 surely minor to +1 surely major, over all tonics"""

    @property
    def name(self) -> str:
        """The tonic in letters."""
        return TONICS[self.tonic]


def tone_profile(tones: FloatArray, tone_midi: IntArray) -> FloatArray:
    """How much each pitch class stands out in bass, middle and treble, shape (3, 12), C first.

    `tones` is the power of each tone, 20 frames a second. Independent of gain, zero for silence.
    """
    frames = tones.shape[1] // _MERGED * _MERGED
    if not frames:
        return np.zeros((3, 12))
    # The fourth root brings soft tones of a chord near its loud ones, as the ear does.
    level = (tones[:, :frames] ** np.float32(0.25)).reshape(tones.shape[0], -1, _MERGED).mean(axis=2)
    padded = np.pad(level, ((_REACH, _REACH), (0, 0)), mode="edge")
    sums = np.concatenate((np.zeros_like(padded[:1]), np.cumsum(padded, axis=0, dtype=np.float64)))
    around = (sums[2 * _REACH + 1 :] - sums[: -2 * _REACH - 1]) / (2 * _REACH + 1)
    clear = np.maximum(level - around, 0.0)
    total = clear.sum(axis=0)
    if total.max() < 1e-9:
        return np.zeros((3, 12))
    # Each half second counts the same, but for those softer than a tenth of the loudest: fades are no evidence.
    mean = (clear / np.maximum(total, 0.1 * total.max())).mean(axis=1)
    profile = np.zeros((3, 12))
    for row, (low, high) in enumerate(_RANGES):
        inside = (tone_midi >= low) & (tone_midi <= high)
        folded = np.bincount(tone_midi[inside] % 12, mean[inside], 12)
        profile[row] = np.log1p(20.0 * folded / max(float(folded.sum()), 1e-9))
    return profile


def find_key(profile: FloatArray) -> Key | None:
    """The likeliest key, from a `tone_profile`; None for silence."""
    if not profile.any():
        return None
    scores = key_scores(profile)
    odds = np.exp(scores - scores.max())
    odds /= odds.sum()
    tonic, mode = np.unravel_index(int(np.argmax(odds)), odds.shape)
    major = float(odds[:, 0].sum() - odds[:, 1].sum())
    return Key(int(tonic), ("major", "minor")[int(mode)], float(odds[tonic, mode]), major)


def key_clarity(profile: FloatArray) -> float:
    """How much the tones of a `tone_profile` keep to any one key, -1 to 1, seldom under 0; 0 for silence.

    The correlation with the nearest of the 24 profiles of Krumhansl.
    """
    tones = profile.sum(axis=0)
    if float(np.ptp(tones)) < 1e-9:
        return 0.0
    keys = np.stack([np.roll(rated, tonic) for rated in (RATED_MAJOR, RATED_MINOR) for tonic in range(12)])
    return float(np.corrcoef(np.vstack((tones, keys)))[0, 1:].max())
