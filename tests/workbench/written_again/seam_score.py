"""The seam score, written again from the head of `workbench.seams.seam_score` and its page in the book alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from workbench.params import SeamParams
from workbench.recording import FloatArray
from workbench.seams import seam_score as seams
from workbench.seams.profile import SEAM_PARTS
from workbench.seams.seam_score import SeamEvidence

_BY_BARS = 7
"""parts whose yardstick is the track's own bars"""


def _unlike(one: FloatArray, other: FloatArray) -> float:
    a, b = np.ravel(one).astype(np.float64), np.ravel(other).astype(np.float64)
    length, other_length = np.linalg.norm(a), np.linalg.norm(b)
    if not length or not other_length:
        return float(length != other_length)
    return max(0.0, 1 - float(a @ b / (length * other_length)))


class WrittenAgain:
    """Scores of splices of one recording."""

    def __init__(self, evidence: SeamEvidence, params: SeamParams) -> None:
        self.evidence, self.params, self.n = evidence, params, params.context_beats
        self.lengths = np.diff(evidence.edges)
        self.ticks = evidence.loudness.reshape(-1, evidence.loudness.shape[2]).astype(np.float64)
        lines = evidence.lines.tolist()
        own = [self._by_bars(one, other, led=False) for one, other in pairwise(lines)]
        low, high = (
            [getattr(params.model, f"{limit}_{name}") for name in SEAM_PARTS[:_BY_BARS]] for limit in ("min", "max")
        )
        self.yardstick = np.ones(len(SEAM_PARTS))
        self.yardstick[:_BY_BARS] = np.clip(params.model.own_break_share * np.median(own, axis=0), low, high)

    def score(self, left: int, entered: int) -> tuple[float, bool, FloatArray]:
        """Total, whether it is read as lead, and its parts."""
        found = []
        for led in (False, True):
            breaks = [*self._by_bars(left, entered, led=led), self._repetition(left, entered)]
            units = np.array([*breaks, *self._join(left, entered)]) / self.yardstick
            weights = np.array([getattr(self.params.model, f"{name}_weight") for name in SEAM_PARTS])
            if led:
                weights[[0, 1]] = weights[[1, 0]]
            log_odds = self.params.model.unbroken_log_odds - np.sum(weights * 2 * np.log1p(units))
            found.append((float(1 / (1 + np.exp(-log_odds))), led, 1 / (1 + units**2)))
        return max(found, key=lambda one: one[0])

    def _window(self, values: FloatArray, beat: int, steps: Sequence[int], weights: FloatArray) -> FloatArray:
        window = np.zeros((len(steps), *values.shape[1:]))
        for row, step in enumerate(steps):
            if 0 <= beat + step < values.shape[0]:
                window[row] = values[beat + step] * weights[row]
        return window

    def _by_bars(self, left: int, entered: int, *, led: bool) -> list[float]:
        e, n = self.evidence, self.n
        after, before = range(2 * n), range(-1, -2 * n - 1, -1)
        main, beside = (before, after[:n]) if led else (after, before[:n])
        farther = np.repeat([1.0, np.sqrt(seams.SECOND_BAR_WEIGHT)], n)

        def apart(values: FloatArray, steps: Sequence[int], weights: FloatArray) -> float:
            return _unlike(*(self._window(values, beat, steps, weights) for beat in (left, entered)))

        def step(values: FloatArray) -> float:
            first = np.ones(n)
            one, other = (self._window(values, beat, main[:n], first).mean() for beat in (left, entered))
            return float(abs(one - other))

        ahead, behind = apart(e.loudness, main, farther), apart(e.loudness, beside, np.ones(n))
        if led:
            expectation, context = behind, ahead
        else:
            expectation, context = ahead, ahead if entered < n else behind
        longer = self.lengths[max(left - 1, 0)] - self.lengths[entered]
        shifted = seams.BAR_PHASE_PENALTY if e.positions[left] != e.positions[entered] else 0.0
        pulse = apart(e.rhythm, main, farther)
        pulse += seams.RHYTHM_FLOOR * ((longer / seams.BEAT_JITTER_SECONDS) ** 2 + shifted)
        harmony = apart(e.harmony, main, farther)
        ringing = self._ringing(left, entered)
        return [expectation, context, ringing, pulse, harmony, step(e.level_db), step(e.brightness)]

    def _ringing(self, left: int, entered: int) -> float:
        def tones(beat: int) -> tuple[FloatArray, FloatArray, FloatArray]:
            after = self.evidence.tones[beat, 0].astype(np.float64)
            before = self.evidence.tones[beat - 1, 1].astype(np.float64) if beat else np.zeros_like(after)
            return before, after, np.minimum(before, after)

        before, _, held = tones(left)
        _, after, held_there = tones(entered)
        lost = np.sum(np.maximum(held - after, 0.0) ** 2) + np.sum(np.maximum(held_there - before, 0.0) ** 2)
        whole = np.sum(before**2) + np.sum(after**2)
        return float(lost / whole) if whole else 0.0

    def _repetition(self, left: int, entered: int) -> float:
        seconds, n = 0.0, self.n
        for direction in (range(4 * n), range(-1, -4 * n - 1, -1)):
            alike = 1.0
            for stretch in range(4):
                steps = direction[stretch * n : (stretch + 1) * n]
                one, other = (self._window(self.evidence.loudness, beat, steps, np.ones(n)) for beat in (left, entered))
                alike /= 1 + (_unlike(one, other) / seams.ALIKE_DISTANCE) ** 2
                seconds += n * float(np.median(self.lengths)) * alike
        return seams.REPETITION_SECONDS / max(seconds, 1e-3)

    def _join(self, left: int, entered: int) -> tuple[float, float]:
        """Texture and air."""
        per_beat, bright = self.evidence.loudness.shape[1], self.evidence.band_hz > 8000

        def decibels(bands: FloatArray) -> float:
            mean = float(bands[bright].mean()) if bright.any() else 1.0
            return max(-100.0, 10 / 0.3 * np.log10(mean)) if mean else -100.0

        def steps(one: int, other: int, ticks: int) -> FloatArray:
            rows = np.arange(ticks)
            before, after = one * per_beat - ticks + rows, other * per_beat + rows
            a, b = (self.ticks[np.clip(at, 0, len(self.ticks) - 1)].mean(axis=0) for at in (before, after))
            return np.array([_unlike(a, b), abs(decibels(a) - decibels(b))])

        units = []
        for number, ticks in enumerate((3, 6, 12)):
            own = np.maximum(steps(left, left, ticks), steps(entered, entered, ticks))
            beyond = np.maximum(steps(left, entered, ticks) - own, 0.0)
            units.append(beyond / np.asarray(self.evidence.join_limits)[:, number])
        texture, air = np.max(units, axis=0).tolist()
        return texture, air
