"""The memorable part of a track, from which a short preview is cut.

Listeners remember what is loud, repeated, and similar to other parts of the track (the idea of coverage by repetition
follows Müller, Jiang & Grosche, "A robust fitness measure for capturing repetitions in music recordings with
applications to audio thumbnailing", IEEE TASLP 21, 2013). Every bar is rated, a window of whole bars with the best mean
rating is taken, with a preference for one that opens a section.
"""

from __future__ import annotations

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import FloatArray
from workbench.structure.sections import Section

LOUDNESS_SCALE_LU = 6.0
"""LU over the track's median that make a bar fully salient by level"""
OPENING_BONUS = 0.15
"""added to a window that starts with a section: a preview should not start in mid-phrase"""


def bar_salience(bar_lufs: FloatArray, sections: tuple[Section, ...]) -> FloatArray:
    """How likely each bar is to be remembered, 0 to 1.

    Half is its level over the track's median, half the share of the track that the bar's group fills.
    """
    n = bar_lufs.size
    if n == 0:
        return np.zeros(0)
    level = np.clip(0.5 + (bar_lufs - np.median(bar_lufs)) / (2 * LOUDNESS_SCALE_LU), 0.0, 1.0)
    repeated = np.zeros(n)
    lengths: dict[int, list[int]] = {}
    for section in sections:
        lengths.setdefault(section.group, []).append(section.last_bar - section.first_bar)
    for section in sections:
        own = lengths[section.group]
        share = sum(own) / n if len(own) > 1 else 0.0
        repeated[section.first_bar : section.last_bar] = min(1.0, 2.0 * share)
    return np.asarray(0.5 * level + 0.5 * repeated)


def memorable_bars(
    bar_lufs: FloatArray, sections: tuple[Section, ...], bar_seconds: FloatArray, seconds: float
) -> tuple[int, int]:
    """The stretch of whole bars that a preview of `seconds` should play: its first bar and one past its last.

    It is as long as fits, one bar at least. ParameterError without bars, or for arrays of different length.
    """
    if bar_lufs.size == 0 or bar_lufs.shape != bar_seconds.shape:
        raise ParameterError(f"levels and lengths of the same bars are needed, got {bar_lufs.size}, {bar_seconds.size}")
    salience = bar_salience(bar_lufs, sections)
    openings = {section.first_bar for section in sections}
    ends = np.concatenate(([0.0], np.cumsum(bar_seconds)))
    best, chosen = -np.inf, (0, 1)
    for first in range(bar_lufs.size):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + seconds + 1e-6, side="right")) - 1)
        # short windows near the end lose by what they leave silent; equal ratings keep the earliest
        filled = min(1.0, (ends[last] - ends[first]) / seconds) if seconds > 0 else 1.0
        rating = float(salience[first:last].mean()) * filled + (OPENING_BONUS if first in openings else 0.0)
        if rating > best + 1e-9:
            best, chosen = rating, (first, last)
    return chosen


def loudest_stretch(power: FloatArray, frames_per_second: int, seconds: float) -> tuple[float, float]:
    """Where music without bars is fullest: start and end, s, of the stretch with the highest mean power."""
    width = max(1, round(seconds * frames_per_second))
    if power.size <= width:
        return 0.0, power.size / frames_per_second
    sums = np.concatenate(([0.0], np.cumsum(power)))
    first = int(np.argmax(sums[width:] - sums[:-width]))
    return first / frames_per_second, (first + width) / frames_per_second
