"""Placements, written again from the head of `workbench.align.placements` and its page in the book alone."""

from __future__ import annotations

import numpy as np

from workbench.align.landmarks import Landmarks
from workbench.align.placements import FLAT_SHARE, GRID_SECONDS, MOST_USED, SUITS, USUAL_SALIENCE
from workbench.params import AlignParams
from workbench.recording import BoolArray, FloatArray, IntArray
from workbench.video.events import Events

_WIDTHS = 3.0
_ROUNDING = 1e-9


def _normal(gap: FloatArray, deviation: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * (gap / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))


class WrittenAgain:
    """A track and a video."""

    def __init__(self, landmarks: Landmarks, events: Events, params: AlignParams) -> None:
        marks, happens = landmarks.marks, events.marks
        self.params, self.salience = params, happens.salience
        self.first, self.last, self.video = landmarks.first_sound, landmarks.last_sound, events.video_seconds
        self.events = happens.times
        self.apart = happens.times[:, None] - marks.times
        heard = self.last - self.first
        self.full = min(heard, self.video)
        suits = np.array([SUITS[marks.name_of(mark)] for mark in range(marks.times.size)])[:, happens.kinds].T
        pull = np.sqrt(suits) * marks.salience**params.model.landmark_power
        mean_pull = pull.sum(axis=1, keepdims=True) / heard
        used = params.model.used_share * (FLAT_SHARE + (1 - FLAT_SHARE) * happens.salience / USUAL_SALIENCE)
        edges = [happens.name_of(event) in ("start", "end") for event in range(happens.times.size)]
        used = np.minimum(np.where(edges, params.model.end_share * used, used), MOST_USED)
        self.used = np.where(mean_pull[:, 0] > 0, used, 0.0)
        odds = (self.used / (1 - self.used))[:, None]
        self.odds = np.divide(odds * pull, mean_pull, out=np.zeros_like(pull), where=mean_pull > 0)
        both = np.sqrt(marks.tolerance**2 + happens.tolerance[:, None] ** 2)
        self.near, self.far = (
            params.model.near_reach * both,
            max(params.model.far_reach, params.model.near_reach) * both,
        )

        step = GRID_SECONDS
        low = int(np.floor(-landmarks.track_seconds / step + _ROUNDING)) + 1
        high = int(np.ceil(events.video_seconds / step - _ROUNDING)) - 1
        self.grid = np.arange(low, high + 1) * step
        told = np.array([self._told(event) for event in range(self.events.size)])
        with_music, unused = self._with_music(self.grid), np.log(1 - self.used)
        self.meets = told.sum(axis=0)
        self.evidence = self.meets + unused @ with_music
        mean = told.sum(axis=1) * step / heard
        variance = (told**2).sum(axis=1) * step / heard - mean**2
        self.most_salience = float((self.salience @ with_music).max())
        allowed = self._allowed(self.grid)

        reach = np.mean(np.sqrt(np.mean(marks.tolerance) ** 2 + happens.tolerance**2))
        free = landmarks.track_seconds + self.video - 2 * params.min_cover * self.full
        self.offsets = max(1.0, float(free / reach))
        around = np.pad(self.meets, 1, constant_values=-np.inf)
        is_peak = (self.meets > around[:-2]) & (self.meets >= around[2:]) & (self.meets > 0) & allowed
        self.peaks: IntArray = np.flatnonzero(is_peak)
        self.ratio = 1.0
        if self.peaks.size:
            best = self.grid[self.peaks[np.argmax(self.evidence[self.peaks])]]
            others = allowed & (np.abs(self.grid - best) > params.min_apart_seconds)
            off = (self.evidence - (mean + unused) @ with_music)[others]
            varies = float(np.sum((variance @ with_music)[others]))
            self.ratio = max(1.0, float(np.sqrt(np.sum(off**2) / varies))) if varies > 0 else 1.0

    def place(self) -> list[tuple[float, float]]:
        """Offset and score of each placement, best first."""
        scores = [self._score(self.evidence[peak], self.grid[peak]) for peak in self.peaks]
        order = np.lexsort((-self.evidence[self.peaks], -np.array(scores)))
        taken: list[float] = []
        for peak in self.peaks[order]:
            offset = self._moved(float(self.grid[peak]))
            free = all(abs(offset - other) >= self.params.min_apart_seconds for other in taken)
            if len(taken) < self.params.max_placements and free and self._allowed(np.array([offset]))[0]:
                taken.append(offset)
        return sorted(((offset, self._score(self._at(offset), offset)) for offset in taken), key=lambda one: -one[1])

    def _curves(self, gap: FloatArray, event: int) -> tuple[FloatArray, FloatArray]:
        """Odds of the pairs of an event by both curves."""
        share, near, far = self.params.model.near_share, self.near[event], self.far[event]
        counts = np.where(np.abs(gap) <= _WIDTHS * far, self.odds[event], 0.0)
        return counts * share * _normal(gap, near), counts * (1 - share) * _normal(gap, far)

    def _told(self, event: int) -> FloatArray:
        """What an event says for each offset of the grid, before what speaks against it."""
        odds = np.zeros(self.grid.size)
        for mark, centre in enumerate(self.apart[event]):
            reach = _WIDTHS * self.far[event, mark]
            first, last = np.searchsorted(self.grid, [centre - reach, centre + reach])
            gap = (centre - self.grid[first:last])[:, None]
            near, far = self.near[event, mark], self.far[event, mark]
            curves = self.params.model.near_share * _normal(gap, near) + (1 - self.params.model.near_share) * _normal(
                gap, far
            )
            odds[first:last] += self.odds[event, mark] * curves[:, 0]
        return np.log1p(odds)

    def _with_music(self, offsets: FloatArray) -> BoolArray:
        at = self.events[:, None] - offsets
        return (at >= self.first) & (at <= self.last)

    def _seconds(self, offsets: FloatArray) -> FloatArray:
        ends = np.minimum(offsets + self.last, self.video)
        return np.asarray(np.maximum(ends - np.maximum(offsets + self.first, 0.0), 0.0))

    def _allowed(self, offsets: FloatArray) -> BoolArray:
        salience, share = self.salience @ self._with_music(offsets), self.params.min_cover
        covers = salience >= share * self.most_salience - _ROUNDING
        return np.asarray(covers & (self._seconds(offsets) >= share * self.full - _ROUNDING))

    def _at(self, offset: float) -> float:
        pairs = [self._curves(self.apart[event] - offset, event) for event in range(self.events.size)]
        met = sum(float(np.log1p(near.sum() + far.sum())) for near, far in pairs)
        return met + float(np.log(1 - self.used) @ self._with_music(np.array([offset]))[:, 0])

    def _score(self, evidence: float, offset: float) -> float:
        beyond = evidence - np.log(self.offsets)
        if beyond > 0:
            beyond *= max(0.0, 1 - np.log(self.ratio))
        odds = self.params.model.prior_odds * np.exp(self.params.model.trust * beyond)
        bare = 1 - float(self._seconds(np.array([offset]))[0]) / self.full
        return float(odds / (1 + odds) * (1 - self.params.model.bare_cost * bare))

    def _moved(self, offset: float) -> float:
        for _ in range(20):
            weight = moved = 0.0
            for event in range(self.events.size):
                gap = self.apart[event] - offset
                near, far = self._curves(gap, event)
                pull = (near / self.near[event] ** 2 + far / self.far[event] ** 2) / (1 + near.sum() + far.sum())
                weight, moved = weight + float(pull.sum()), moved + float(pull @ gap)
            if weight <= 0:
                break
            offset += moved / weight
            if abs(moved / weight) < 5e-7:
                break
        return offset
