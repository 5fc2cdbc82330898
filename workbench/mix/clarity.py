"""How far speech is over the music, passage by passage, as a mix plays them.

Both are measured as BS.1770 weighs them: the voice less its background, at the gain of the soundtrack, and the music at
its gain under the ducking curve. A passage is a stretch of an utterance, 3 s at most, the length of short-term
loudness: long enough for a mean that means something, short enough that a chorus in the middle of a sentence shows.

References
----------
M. Torcoli et al., "Preferred levels for background ducking to produce esthetically pleasing audio for TV with clear
speech", JAES 67(12), 2019: at least 10 LU between commentary and music. EBU Tech 3341 (2023), short-term loudness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, voice_alone
from workbench.mix.fades import duck_gain

CLEAR_LU = 10.0
"""LU of speech over music from where on listeners are content (Torcoli et al. 2019)"""
PASSAGE_SECONDS = 3.0
"""s of the longest passage"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of speech with music under it."""

    start: float
    """video seconds"""
    end: float
    over_lu: float
    """LU by which the speech is over the music; negative where the music is louder, infinite where there is none"""


def played_music(music: LevelCurve, gain_db: float, envelope_points: Sequence[Sequence[float]]) -> LevelCurve:
    """Levels of the music, on the video's clock, as a mix plays it: at its signed gain, lowered by its envelope."""
    times = (np.arange(music.power.size) + 0.5) / HOPS_PER_SECOND
    return LevelCurve(music.raised(gain_db).power * duck_gain(envelope_points, times) ** 2, music.peak)


def speech_over_music(
    soundtrack: LevelCurve,
    music: LevelCurve,
    speech_ranges: Sequence[Sequence[float]],
) -> tuple[Passage, ...]:
    """Measure how far speech is over the music in every passage, in order of time.

    The soundtrack has the gain of the mix, the music is that of `played_music`, both on the video's clock.
    """
    utterances = tuple((float(start), float(end)) for start, end in speech_ranges)
    voice = voice_alone(soundtrack, utterances)
    passages = []
    for start, end in utterances:
        count = max(1, int(np.ceil((end - start) / PASSAGE_SECONDS - 1e-9)))
        for first, last in pairwise(np.linspace(start, end, count + 1).tolist()):
            spoken, played = voice.lufs(first, last), music.lufs(first, last)
            if np.isfinite(spoken):
                passages.append(Passage(first, last, spoken - played))
    return tuple(passages)


def worst_passages(passages: Sequence[Passage], count: int = 10) -> tuple[Passage, ...]:
    """The passages in which speech is the least clear, worst first; none without music under them."""
    over = sorted((passage for passage in passages if np.isfinite(passage.over_lu)), key=lambda each: each.over_lu)
    return tuple(over[:count])
