"""Sections: where a track's parts begin, which of them repeat each other, and their names.

Bars are described by timbre, harmony, rhythm and level. A border needs two kinds of evidence, of which the geometric
mean counts: novelty, where the bars after it are like each other and unlike those before it (the checkerboard kernel of
Foote), and repetition, where a stripe of the self-similarity matrix begins or ends, because from the border on the
track repeats bars of another place and before it does not. Phrases inside a section show the second alone. Dynamic
programming then cuts the track where the evidence for borders is strongest, at whole bars and with a price on lengths
that are no multiple of four. Sections that repeat each other, in any key, form a group; groups are named
by energy, place and how often they come.

References
----------
Foote, "Automatic audio segmentation using a measure of audio novelty", ICME 2000. McFee & Ellis, "Analyzing track
structure with spectral clustering", ISMIR 2014, for the union of local likeness and repetition. Serrà et al.,
"Unsupervised music structure annotation by time series structure features and segment similarity", IEEE Trans.
Multimedia 16, 2014: borders as starts and ends of repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.errors import ParameterError
from workbench.features.chroma import fold_octaves
from workbench.params import SectionParams
from workbench.recording import FloatArray, IntArray, Recording

LABELS = ("intro", "verse", "chorus", "break", "build", "bridge", "outro")
"""What sections are called."""


_LIKENESS_BYTES = 64 * 2**20
"""of likeness between bars that are in memory at once, unless one transposition takes more"""
_MEDIAN_BINS = 1 << 16
_ODD_LENGTH_COST = 0.4
"""price of a section that is no multiple of 4 bars, twice of an odd number, on the scale of `border_cost`"""
_SAME_GROUP = 0.45
"""likeness over which two sections repeat each other"""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of whole bars with a name."""

    first_bar: int
    last_bar: int
    """one past the last"""
    label: str
    group: int
    """sections of one group repeat each other; numbered from 0 in order of first appearance"""


@dataclass(frozen=True, slots=True, eq=False)
class BarFeatures:
    """What each bar sounds like; one row a bar."""

    timbre: FloatArray
    """shape (n_bars, n_bands), mean specific loudness"""
    chroma: FloatArray
    """shape (n_bars, beats, 12), pitch classes through the bar, C first"""
    rhythm: FloatArray
    """shape (n_bars, beats * ticks, groups), onset pattern"""
    level_db: FloatArray
    """shape (n_bars,), LUFS or dB"""


def bar_features(
    lines: IntArray,
    beats_per_bar: int,
    loudness: FloatArray,
    tones: FloatArray,
    rhythm: FloatArray,
    level_db: FloatArray,
) -> BarFeatures:
    """Gather features of beats into bars; a bar with fewer beats than the metre is filled up with its last.

    `lines` are the beats that open a bar. `loudness` has shape (n_beats, ticks, n_bands), `tones` (n_beats, 2, n_tones)
    where a beat begins and where it ends, `rhythm` (n_beats, ticks, groups); ParameterError unless there is one level
    a bar.
    """
    if lines.size != level_db.size:
        raise ParameterError(f"one level a bar is needed, got {level_db.size} for {lines.size} bars")
    ends = np.append(lines[1:], loudness.shape[0])
    at = np.minimum(lines[:, None] + np.arange(beats_per_bar)[None, :], ends[:, None] - 1)
    n = lines.size
    return BarFeatures(
        timbre=loudness.mean(axis=1)[at].mean(axis=1),
        chroma=fold_octaves(tones.mean(axis=1))[at],
        rhythm=rhythm[at].reshape(n, -1, rhythm.shape[2]),
        level_db=np.asarray(level_db, dtype=np.float64),
    )


def find_sections(bars: BarFeatures, params: SectionParams | None = None) -> tuple[Section, ...]:
    """Cut a track into named sections, in order, which together hold every bar once; none without bars."""
    params = params or SectionParams()
    if bars.level_db.size == 0:
        return ()
    # in place, and freed before repetitions are searched: an hour of music has matrices of 40 MB each
    alike = timbre_likeness(bars)
    alike += next(iter(Likeness(bars, n_keys=1)))[0]
    alike *= 0.5
    new = np.maximum(novelty(alike), 0.0)
    del alike
    evidence = np.sqrt(new * repetition(Likeness(bars)))
    borders = cut_bars(evidence, params)
    groups = group_sections(borders, bars)
    labels = name_sections(borders, groups, bars.level_db)
    return tuple(
        Section(int(first), int(last), label, int(group))
        for first, last, label, group in zip(borders[:-1], borders[1:], labels, groups, strict=True)
    )


class OwnFinder:
    """The section finder of this package, an implementation of `workbench.analysis.protocols.SectionFinder`."""

    version = 1

    def sections(
        self, recording: Recording, grid: object, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        """Find the sections; it reads `bars` alone."""
        return find_sections(bars, params)


def timbre_likeness(bars: BarFeatures) -> FloatArray:
    """Likeness of the sound of all pairs of bars, 0 to 1: instruments and level, not notes."""
    alike = _distances(bars.timbre.reshape(bars.timbre.shape[0], -1))
    alike /= -_typical(alike)
    return np.asarray(np.exp(alike, out=alike))


class Likeness:
    """Likeness of what is played in all pairs of bars, in every transposition: notes and rhythm, not level.

    Iterating yields blocks of shape (n_block, n_bars, n_bars), 0 to 1, which together hold `n_keys` matrices; number k
    compares each bar with all bars moved up by k semitones. All twelve of an hour of music take half a gigabyte, so
    they come as many at a time as fit 64 MB, and are computed again each time.
    """

    def __init__(self, bars: BarFeatures, n_keys: int = 12) -> None:
        n = bars.level_db.size
        self._n_keys = n_keys
        self._shape = bars.chroma.shape
        self._rhythm = _distances(_unit(bars.rhythm.reshape(n, -1)))
        self._rhythm /= _typical(self._rhythm)
        self._chroma = _unit(_centred(bars.chroma).reshape(n, -1))

    def __iter__(self) -> Iterator[FloatArray]:
        n, scale = self._shape[0], 0.0
        most = max(1, _LIKENESS_BYTES // (8 * n * n))
        for first in range(0, self._n_keys, most):
            block = np.empty((min(most, self._n_keys - first), n, n))
            for k, matrix in enumerate(block, start=first):
                # rows are of unit norm, so distances are sqrt(2 - 2ab): one product of matrices a transposition
                moved = np.roll(self._chroma.reshape(self._shape), k, axis=2).reshape(n, -1)
                harmony = 2.0 * self._chroma @ moved.T
                np.subtract(2.0, harmony, out=harmony)
                np.maximum(harmony, 0.0, out=harmony)
                np.sqrt(harmony, out=harmony)
                # the scale of the untransposed: on its own one, a key that fits nowhere looks as alike as the right one
                if k == 0:
                    scale = _typical(harmony)
                harmony /= scale
                np.add(harmony, self._rhythm, out=matrix)
                np.square(matrix, out=matrix)
                np.negative(matrix, out=matrix)
                np.exp(matrix, out=matrix)
            yield block
            del block  # before the next one is made: each takes as much as all else here


def novelty(alike: FloatArray, widths: tuple[int, ...] = (2, 4, 8)) -> FloatArray:
    """How new the bars from each bar on are, by checkerboard kernels of several half-widths in bars.

    It is the mean likeness within both sides less the likeness across, about 0 to 1; 0 for the first bar.
    """
    n = alike.shape[0]
    result = np.zeros(n)
    for width in widths:
        for bar in range(1, n):
            w = min(width, bar, n - bar)  # smaller near the ends, where it counts less
            past, future = slice(bar - w, bar), slice(bar, bar + w)
            within = 0.5 * (alike[past, past].mean() + alike[future, future].mean())
            result[bar] += (within - alike[past, future].mean()) / len(widths) * np.sqrt(w / width)
    return result


def repetition(grounds: Iterable[FloatArray], span: int = 4) -> FloatArray:
    """How clearly a repetition of other bars begins or ends at each bar, 0 to 1.

    It is the largest change, over all distances and keys, of the likeness along a diagonal, held for `span` bars.
    `grounds` are blocks of shape (n_keys, n_bars, n_bars), one matrix a transposition, read twice where there are
    several.
    """
    result, heads, ends = np.zeros(0), np.zeros(0), np.zeros(0)
    counted = _Median()
    for block in grounds:
        if not result.size:
            result, (heads, ends) = np.zeros(block.shape[1]), np.full((2, block.shape[1]), -np.inf)
        counted.add(block)
        _changes_along_diagonals(block, span, result, heads, ends)
        del block
    n, usual = result.size, counted.median(grounds)
    # A repetition of the track's head begins there though no bar precedes it; likewise at the end.
    for lag in range(span, n - 1):
        length = n - lag
        share = np.sqrt(min(span, length) / span)
        result[lag] = max(result[lag], share * float(heads[lag] - usual))
        result[length] = max(result[length], share * float(ends[lag] - usual))
    return result


def _changes_along_diagonals(
    grounds: FloatArray, span: int, result: FloatArray, heads: FloatArray, ends: FloatArray
) -> None:
    """Raise `result` to the changes of the likeness along all diagonals, and `heads` and `ends` to that at their ends.

    `heads` and `ends` go by distance: mean likeness of the first and of the last `span` bars of a diagonal.
    """
    n = grounds.shape[1]
    bars = np.arange(n)
    for lag in range(span, n - 1):
        diagonals = np.diagonal(grounds, lag, axis1=1, axis2=2)
        length = diagonals.shape[1]
        sums = np.concatenate((np.zeros((diagonals.shape[0], 1)), np.cumsum(diagonals, axis=1)), axis=1)
        at = bars[1:length]
        first, last = np.maximum(at - span, 0), np.minimum(at + span, length)
        before = (sums[:, at] - sums[:, first]) / (at - first)
        after = (sums[:, last] - sums[:, at]) / (last - at)
        change = np.abs(after - before).max(axis=0) * np.sqrt(np.minimum(at - first, last - at) / span)
        result[at] = np.maximum(result[at], change)
        result[at + lag] = np.maximum(result[at + lag], change)
        held = min(span, length)
        heads[lag] = max(heads[lag], float((sums[:, held] / held).max()))
        ends[lag] = max(ends[lag], float(((sums[:, length] - sums[:, max(0, length - span)]) / held).max()))


class _Median:
    """The exact median of many values from 0 to 1 that are never in memory together: counted, then looked up."""

    def __init__(self) -> None:
        self._counts = np.zeros(_MEDIAN_BINS + 1, dtype=np.int64)
        self._only: FloatArray | None = None

    def add(self, values: FloatArray) -> None:
        """Take a block of the values, 0 to 1; the first is held until a second comes."""
        if self._only is None and not self._counts.any():
            self._only = values
            return
        if self._only is not None:
            self._count(self._only)
            self._only = None
        self._count(values)

    def _count(self, values: FloatArray) -> None:
        flat = values.reshape(-1)
        for at in range(0, flat.size, 1 << 20):
            bins = (flat[at : at + (1 << 20)] * _MEDIAN_BINS).astype(np.int64)
            self._counts += np.bincount(bins, minlength=_MEDIAN_BINS + 1)

    def median(self, again: Iterable[FloatArray]) -> float:
        """The median of the counted values; `again` are the same blocks, read if one block did not hold all."""
        if self._only is not None:
            return float(np.median(self._only)) if self._only.size else 0.0
        total = int(self._counts.sum())
        places = ((total - 1) // 2, total // 2)
        below = np.cumsum(self._counts)
        first, last = (int(np.searchsorted(below, place, side="right")) for place in places)
        # the counts say which two bins hold the middle values; a second reading gathers just these
        near: list[FloatArray] = []
        for values in again:
            near.append(values[(values >= first / _MEDIAN_BINS) & (values < (last + 1) / _MEDIAN_BINS)])
            del values
        middle = np.sort(np.concatenate(near))
        before = int(below[first - 1]) if first else 0
        return float(np.mean([middle[place - before] for place in places]))


def cut_bars(evidence: FloatArray, params: SectionParams) -> IntArray:
    """Borders with the most evidence less their prices, by dynamic programming; bars, from 0 to n_bars."""
    n = evidence.size
    inner = evidence[1:] if n > 1 else np.zeros(1)
    # evidence on a scale of its own: 0 at the median bar, 1 at the top tenth, so that prices suit every track; the end
    # of the track is a border for nothing
    usual = float(np.median(inner))
    spread = max(float(np.quantile(inner, 0.9)) - usual, 0.02)
    worth = np.append((evidence - usual) / spread, 0.0)
    best = np.full(n + 1, -np.inf)
    best[0] = 0.0
    came = np.zeros(n + 1, dtype=np.int64)
    longest = 4 * params.usual_bars
    prices = {last: [_price(length, last, params) for length in range(1, longest + 1)] for last in (False, True)}
    for end in range(1, n + 1):
        for length in range(1, min(end, longest) + 1):
            score = best[end - length] + worth[end] - prices[end == n][length - 1]
            if score > best[end]:
                best[end], came[end] = score, end - length
    borders = [n]
    while borders[-1] > 0:
        borders.append(int(came[borders[-1]]))
    return np.asarray(borders[::-1], dtype=np.int64)


def _price(length: int, last: bool, params: SectionParams) -> float:
    """Cost of a section of some bars: a fixed part, more for odd lengths and the further from the usual length."""
    # the last section ends where the music ends, which is no choice of a length
    unusual = abs(np.log2(length / params.usual_bars))
    odd = 0.0 if last or length % 4 == 0 else (0.5 if length % 2 == 0 else 1.0)
    return float(params.border_cost * (1.0 + unusual**2) + 2 * _ODD_LENGTH_COST * odd)


def group_sections(borders: IntArray, bars: BarFeatures) -> IntArray:
    """Number sections so that those which repeat each other share a number.

    Two sections are compared bar by bar from their beginnings, in the transposition that fits best. Groups are numbered
    from 0 in order of first appearance.
    """
    n = borders.size - 1
    alike = np.eye(n)
    grounds = _Grounds(bars)
    ranges = [slice(int(first), int(last)) for first, last in pairwise(borders)]
    for a in range(n):
        for b in range(a):
            alike[a, b] = alike[b, a] = grounds.likeness(ranges[a], ranges[b])
    # in order of time, by the mean likeness to all of a group: by the best one, a chain of small steps joins all
    groups = np.full(n, -1, dtype=np.int64)
    for a in range(n):
        scores = [float(np.mean(alike[a, groups == g])) for g in range(int(groups.max()) + 1)]
        if scores and max(scores) >= _SAME_GROUP:
            groups[a] = int(np.argmax(scores))
        else:
            groups[a] = int(groups.max()) + 1
    return groups


class _Grounds:
    """Compares stretches of bars: cosines of chroma, rhythm and timbre, each less what all bars share."""

    def __init__(self, bars: BarFeatures) -> None:
        self._moved = [_centred(np.roll(bars.chroma, k, axis=2)) for k in range(12)]
        self._apart = [bars.rhythm - bars.rhythm.mean(axis=0), bars.timbre - bars.timbre.mean(axis=0)]
        self._norms: dict[tuple[int, int, int], np.floating[Any]] = {}

    def likeness(self, first: slice, second: slice) -> float:
        """Likeness of two stretches, up to 1, in the transposition that fits best; 0 if one has over twice the bars."""
        n = min(first.stop - first.start, second.stop - second.start)
        longest = max(first.stop - first.start, second.stop - second.start)
        if longest > 2 * n:
            return 0.0
        shifts = [self._cosine(0, first.start, k, second.start, n) for k in range(12)]
        return (max(shifts) + sum(self._cosine(k, first.start, k, second.start, n) for k in (12, 13))) / 3.0

    def _cosine(self, a: int, a_from: int, b: int, b_from: int, n: int) -> float:
        """Cosine of two stretches of n bars: feature `a` from bar `a_from` on, feature `b` from bar `b_from` on."""
        scale = float(self._norm(a, a_from, n) * self._norm(b, b_from, n))
        if scale <= 1e-9:
            return 1.0
        return float(np.vdot(self._feature(a)[a_from : a_from + n], self._feature(b)[b_from : b_from + n])) / scale

    def _norm(self, feature: int, start: int, n: int) -> np.floating[Any]:
        key = (feature, start, n)
        if key not in self._norms:
            self._norms[key] = np.linalg.norm(self._feature(feature)[start : start + n])
        return self._norms[key]

    def _feature(self, index: int) -> FloatArray:
        """Chroma in twelve transpositions, then rhythm, then timbre; shape (n_bars, ...)."""
        return self._moved[index] if index < 12 else self._apart[index - 12]


def name_sections(borders: IntArray, groups: IntArray, level_db: FloatArray) -> list[str]:
    """Name sections by energy, place and how often their group occurs.

    The loudest group that comes more than once is the chorus, the next groups that come again are verses; a section
    that comes once is a break if it is 3 dB under the track, else a bridge; one that rises by 2 dB into something
    louder, or is half as long as the chorus it leads into, is a build. The first section is an intro, the last an
    outro, where they come only once, are softer than the track or half as long as the others of their group.
    """
    n = groups.size
    levels = np.array([level_db[a:b].mean() for a, b in pairwise(borders)])
    lengths = np.diff(borders)
    typical = float(np.average(levels, weights=lengths))
    counts = np.bincount(groups)
    group_level = np.array([levels[groups == g].mean() for g in range(counts.size)])
    again = [g for g in np.argsort(-group_level) if counts[g] > 1]
    chorus = int(again[0]) if again else int(np.argmax(group_level))
    leads_in = np.append(groups[1:] == chorus, False)
    short_beside = np.append(2 * lengths[:-1] <= lengths[1:], False)
    # the first rule that holds names a section: place before energy, energy before repetition
    labels: list[str] = []
    for at in range(n):
        group, level = int(groups[at]), levels[at]
        first, last = borders[at], borders[at + 1]
        rise = _slope(level_db[first:last])
        quiet = level < typical - 3.0
        short = 2 * (last - first) <= max(lengths[groups == group])
        if at == 0 and n > 1 and (counts[group] == 1 or quiet or short):
            labels.append("intro")
        elif at == n - 1 and n > 1 and (counts[group] == 1 or quiet or short) and level <= typical + 1.0:
            labels.append("outro")
        elif group == chorus:
            labels.append("chorus")
        elif at + 1 < n and levels[at + 1] > level and (rise > 2.0 or (leads_in[at] and short_beside[at])):
            labels.append("build")
        elif counts[group] > 1:
            labels.append("break" if quiet else "verse")
        elif quiet:
            labels.append("break")
        else:
            labels.append("verse" if len(again) < 2 and at < n - 1 and level < group_level[chorus] else "bridge")
    return labels


def _slope(level_db: FloatArray) -> float:
    """Rise of the level from beginning to end by a straight line, dB."""
    if level_db.size < 2:
        return 0.0
    return float(np.polyfit(np.linspace(0.0, 1.0, level_db.size), level_db, 1)[0])


def _distances(rows: FloatArray) -> FloatArray:
    """Euclidean distances of all pairs of rows."""
    squares = np.square(rows).sum(axis=1)
    apart = squares[:, None] + squares[None, :]
    apart -= 2.0 * rows @ rows.T
    np.maximum(apart, 0.0, out=apart)
    return np.asarray(np.sqrt(apart, out=apart), dtype=np.float64)


def _typical(distance: FloatArray) -> float:
    """Median distance of different bars, the scale on which bars are alike."""
    n = distance.shape[0]
    # rows of the values between one place of the diagonal and the next: all but the diagonal, without a copy
    others = distance.reshape(-1)[1:].reshape(n - 1, n + 1)[:, :-1] if n > 1 else np.ones(1)
    return max(float(np.median(others)), 1e-6)


def _unit(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def _centred(chroma: FloatArray) -> FloatArray:
    """Chroma less its mean over pitch classes, so that unlike chords have a cosine near 0."""
    return np.asarray(chroma - chroma.mean(axis=2, keepdims=True))
