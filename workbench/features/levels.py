"""The level of a sound over time in a form small enough to keep: K-weighted power of every hundredth of a second.

From it the loudness of any stretch follows by a mean, and the gated loudness of the whole by BS.1770's two gates, so
that ducking needs the sound itself only once, block by block, at any length. A single channel counts twice, because a
video plays it on both loudspeakers: voice and music are compared as they will play.

The highest momentary and short-term loudness and the loudness range follow from it too.

References
----------
ITU-R BS.1770-5 (2023), annex 1; the weighting is `workbench.features.loudness`. EBU Tech 3341 (2023), momentary and
short-term loudness; EBU Tech 3342 (2023), loudness range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.errors import ParameterError
from workbench.features.loudness import (
    ABSOLUTE_GATE_LUFS,
    MOMENTARY_SECONDS,
    RELATIVE_GATE_LU,
    SHORT_TERM_SECONDS,
    stretch_lufs,
)
from workbench.recording import FloatArray

HOPS_PER_SECOND = 100
"""hops of a curve in a second"""
_BLOCK_HOPS = 40  # a gating block is 400 ms long
_STEP_HOPS = 10  # and begins every 100 ms
_RANGE_GATE_LU = -20.0  # of the loudness range, under the mean of its windows (Tech 3342)
_RANGE_SHARES = (0.10, 0.95)  # of its windows, that bound the range (Tech 3342)
_PIECE_SECONDS = 5  # of sound measured at a time
_GUARD_HOPS = 15  # beside an utterance, which may still sound there
_NEAR_HOPS = 300  # beside an utterance, searched for its background before the whole video is
_BETWEEN_SYLLABLES = 0.2  # quantile of an utterance's hops, which hardly hold any voice
_PASSED = 1.5  # times their power, over which what sounds beside an utterance is not behind it
_ENOUGH_HOPS = 50  # hops that a background needs to count
_RUN_UP_SECONDS = 1  # of the sound before, so that the weighting's filters have settled where a piece begins
MOST_BACKGROUND_DB = 10.0
"""dB at most by which a voice is taken to lie under the soundtrack"""


@dataclass(frozen=True, slots=True, eq=False)
class LevelCurve:
    """How loud a sound is in each hundredth of a second."""

    power: FloatArray
    """shape (n_hops,), mean K-weighted power, channels weighed and summed, mono counted twice; float64, read-only"""
    peak: float
    """highest absolute sample, full scale 1.0"""

    def __post_init__(self) -> None:
        power = np.array(self.power, dtype=np.float64)
        if power.ndim != 1 or not np.all(np.isfinite(power)) or np.any(power < 0):
            raise ParameterError(f"power must be a row of finite, positive numbers, got shape {power.shape}")
        if not 0 <= self.peak < float("inf"):
            raise ParameterError(f"the peak must be a finite, positive number, got {self.peak}")
        power.flags.writeable = False
        object.__setattr__(self, "power", power)

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return float(self.power.size / HOPS_PER_SECOND)

    def power_between(self, start: float, end: float) -> float:
        """Mean K-weighted power of a stretch, rounded to hops; 0 for an empty one, or one outside the curve."""
        first, last = round(start * HOPS_PER_SECOND), round(end * HOPS_PER_SECOND)
        stretch = self.power[max(0, first) : max(0, last)]
        return float(stretch.mean()) if stretch.size else 0.0

    def lufs(self, start: float, end: float) -> float:
        """Loudness of a stretch, not gated; -inf for silence, and for an empty stretch."""
        return to_lufs(self.power_between(start, end))

    def raised(self, gain_db: float) -> LevelCurve:
        """The curve of the same sound at a signed gain."""
        return LevelCurve(self.power * 10 ** (gain_db / 10), self.peak * 10 ** (gain_db / 20))

    def integrated(self) -> float:
        """Gated loudness of the whole, LUFS; -inf where every block of 400 ms is under the absolute gate."""
        blocks = self._window_powers(_BLOCK_HOPS, _STEP_HOPS)
        loud = blocks[blocks > from_lufs(ABSOLUTE_GATE_LUFS)]
        if not loud.size:
            return float("-inf")
        loud = loud[loud > float(loud.mean()) * 10 ** (RELATIVE_GATE_LU / 10)]
        return to_lufs(float(loud.mean()))

    def lufs_within(self, ranges: Sequence[Sequence[float]]) -> float:
        """Loudness of several disjoint stretches together, as of all speech, not gated by level; -inf without any."""
        seconds = sum(end - start for start, end in ranges)
        energy = sum(self.power_between(start, end) * (end - start) for start, end in ranges)
        return to_lufs(energy / seconds) if seconds > 0 else float("-inf")

    def max_momentary(self) -> float:
        """Highest momentary loudness, of any 400 ms, LUFS; -inf for silence. Shorter sound is followed by silence."""
        return self._highest(MOMENTARY_SECONDS)

    def max_short_term(self) -> float:
        """Highest short-term loudness, of any 3 s, LUFS; -inf for silence. Shorter sound is followed by silence."""
        return self._highest(SHORT_TERM_SECONDS)

    def loudness_range(self) -> float | None:
        """Loudness range after EBU Tech 3342, LU; None where the sound is shorter than 3 s, or silent.

        Of the short-term loudness every 100 ms, gated at -70 LUFS and 20 LU under its mean power, from the tenth to the
        ninety-fifth percentile.
        """
        window = round(SHORT_TERM_SECONDS * HOPS_PER_SECOND)
        if self.power.size < window:
            return None
        powers = self._window_powers(window, _STEP_HOPS)
        loud = powers[powers > from_lufs(ABSOLUTE_GATE_LUFS)]
        if not loud.size:
            return None
        loud = np.sort(loud[loud > float(loud.mean()) * 10 ** (_RANGE_GATE_LU / 10)])
        low, high = (to_lufs(float(loud[round(share * (loud.size - 1))])) for share in _RANGE_SHARES)
        return high - low

    def _highest(self, seconds: float) -> float:
        window = round(seconds * HOPS_PER_SECOND)
        filled = LevelCurve(np.pad(self.power, (0, max(0, window - self.power.size))), self.peak)
        return to_lufs(float(filled._window_powers(window, 1).max()))

    def _window_powers(self, window: int, step: int) -> FloatArray:
        """Mean power of windows of so many hops, one every `step` hops; of a shorter one where there is no more."""
        total = np.concatenate([[0.0], np.cumsum(self.power)])
        starts = np.arange(0, max(1, self.power.size - window + 1), step)
        ends = np.minimum(starts + window, self.power.size)
        return np.asarray(np.maximum(total[ends] - total[starts], 0.0) / np.maximum(ends - starts, 1))


def voice_alone(levels: LevelCurve, utterances: Sequence[tuple[float, float]]) -> LevelCurve:
    """The level of the voice itself: the soundtrack less its background inside the utterances.

    The background of an utterance is the median power without speech, within some seconds of it, but no more than one
    and a half times the power between its syllables: a noise that ends before the voice begins is not behind the voice.
    It is subtracted, down to `MOST_BACKGROUND_DB` under the level there; voice and background are uncorrelated, so
    their powers add.
    """
    # A whole utterance is scaled by one factor: taken off hop by hop, soft syllables would fall under the floor.
    hz, power = HOPS_PER_SECOND, levels.power.copy()
    quiet = np.ones(power.size, dtype=bool)
    edges = [(max(0, round(start * hz)), round(end * hz)) for start, end in utterances]
    for first, stop in edges:
        quiet[max(0, first - _GUARD_HOPS) : stop + _GUARD_HOPS] = False
    beside = np.flatnonzero(quiet)
    if beside.size:
        everywhere = float(np.median(levels.power[beside]))
        for first, stop in edges:
            near = beside[slice(*np.searchsorted(beside, (first - _NEAR_HOPS, stop + _NEAR_HOPS)))]
            background = float(np.median(levels.power[near])) if near.size >= _ENOUGH_HOPS else everywhere
            if stop > first:
                background = min(background, _PASSED * float(np.quantile(levels.power[first:stop], _BETWEEN_SYLLABLES)))
            inside = float(levels.power[first:stop].mean()) if stop > first else 0.0
            left = max(inside - background, inside * 10 ** (-MOST_BACKGROUND_DB / 10))
            power[first:stop] *= left / inside if inside else 1.0
    return LevelCurve(power, levels.peak)


def to_lufs(power: float) -> float:
    """Loudness of a K-weighted mean power; -inf for 0."""
    return float(10 * np.log10(power) - 0.691) if power > 0 else float("-inf")


def from_lufs(lufs: float) -> float:
    """K-weighted mean power of a loudness."""
    return float(10 ** ((lufs + 0.691) / 10))


def level_curve(samples: FloatArray, rate: int) -> LevelCurve:
    """Measure sound in memory, shape (n,) or (channels, n), full scale 1.0.

    The rest of the last hundredth of a second counts as silence. Raises `ParameterError` for a rate under 4 kHz.
    """
    return level_curve_of_blocks([samples], rate)


def level_curve_of_blocks(blocks: Iterable[FloatArray], rate: int) -> LevelCurve:
    """Measure sound block by block, in memory that hardly grows with its length; otherwise as `level_curve`."""
    meter = LevelMeter(rate)
    for block in blocks:
        meter.add(block)
    return meter.curve()


class LevelMeter:
    """Measures sound block by block."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._powers: list[FloatArray] = []
        self._peak = 0.0
        self._before: FloatArray | None = None
        self._waiting: FloatArray | None = None

    def add(self, block: FloatArray) -> None:
        """Take the next block, with as many channels as before; raises `ParameterError` for a rate under 4 kHz."""
        piece, run_up = _PIECE_SECONDS * self._rate, _RUN_UP_SECONDS * self._rate
        sound = np.atleast_2d(block)
        if sound.size:
            self._peak = max(self._peak, float(sound.max()), -float(sound.min()))
        waiting = sound if self._waiting is None else np.concatenate([self._waiting, sound], axis=1)
        while waiting.shape[1] >= piece:
            self._powers.append(_power(self._before, waiting[:, :piece], self._rate))
            self._before, waiting = waiting[:, piece - run_up : piece].copy(), waiting[:, piece:]
        self._waiting = waiting.copy()

    def curve(self) -> LevelCurve:
        """The curve of all blocks; no block may follow."""
        if self._waiting is not None and self._waiting.shape[1]:
            self._powers.append(_power(self._before, self._waiting, self._rate))
        return LevelCurve(np.concatenate([np.zeros(0), *self._powers]), self._peak)


def _power(before: FloatArray | None, sound: FloatArray, rate: int) -> FloatArray:
    """Power of each hop of a piece, shape (n_hops,); `before` is the sound just before it."""
    # The filter settles on the sound before the piece, so that pieces join as if they were filtered as one.
    hops = -(-sound.shape[1] * HOPS_PER_SECOND // rate)
    if before is not None:
        sound = np.concatenate([before, sound], axis=1)
    start = 0.0 if before is None else before.shape[1] / rate
    lufs = stretch_lufs(sound, rate, start + np.arange(hops + 1) / HOPS_PER_SECOND)
    # mono plays from both loudspeakers, 3 dB more than BS.1770 counts for one channel
    loudspeakers = 2.0 if sound.shape[0] == 1 else 1.0
    return np.asarray(np.where(np.isneginf(lufs), 0.0, loudspeakers * 10 ** ((lufs + 0.691) / 10)))
