"""Sections: where a track's parts begin, which of them repeat each other, and their names.

Bars are described by timbre, harmony, rhythm and level. A border needs two kinds of evidence, of which the geometric
mean counts: novelty, where the bars after it are like each other and unlike those before it (the checkerboard kernel of
Foote), and repetition, where a stripe of the self-similarity matrix begins or ends, because from the border on the
track repeats bars of another place and before it does not. Phrases inside a section show the second alone. Dynamic
programming then cuts the track where the evidence for borders is strongest, at whole bars and with a price on lengths
that are no multiple of four. Sections that repeat each other, in any key, form a group; groups are named
by energy, place and how often they come.

Functions: `bar_features`, `novelty`, `repetition`, `cut_bars`, `group_sections`, `name_sections`, `find_sections`.

References
----------
Foote, "Automatic audio segmentation using a measure of audio novelty", ICME 2000. McFee & Ellis, "Analyzing track
structure with spectral clustering", ISMIR 2014, for the union of local likeness and repetition. Serrà et al.,
"Unsupervised music structure annotation by time series structure features and segment similarity", IEEE Trans.
Multimedia 16, 2014: borders as starts and ends of repetitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.errors import ParameterError
from workbench.features.chroma import fold_octaves
from workbench.params import SectionParams
from workbench.recording import FloatArray, IntArray

LABELS = ("intro", "verse", "chorus", "break", "build", "bridge", "outro")
"""What sections are called."""


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

    Parameters
    ----------
    lines : shape (n_bars,), beats that open a bar
    beats_per_bar : of the prevailing metre
    loudness : shape (n_beats, ticks, n_bands), specific loudness
    tones : shape (n_beats, 2, n_tones), compressed power of each semitone where a beat begins and where it ends
    rhythm : shape (n_beats, ticks, groups), onsets by group of bands
    level_db : shape (n_bars,), LUFS or dB

    Raises
    ------
    ParameterError : not one level for each bar
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
    """Cut a track into named sections.

    Parameters
    ----------
    bars : of the whole track
    params : usual length and prices; None: the defaults

    Returns
    -------
    sections in order, which together hold every bar once; empty without bars
    """
    params = params or SectionParams()
    if bars.level_db.size == 0:
        return ()
    grounds = likeness(bars)
    new = np.maximum(novelty(0.5 * (timbre_likeness(bars) + grounds[0])), 0.0)
    evidence = np.sqrt(new * repetition(grounds))
    borders = cut_bars(evidence, params)
    groups = group_sections(borders, bars, params)
    labels = name_sections(borders, groups, bars.level_db)
    return tuple(
        Section(int(first), int(last), label, int(group))
        for first, last, label, group in zip(borders[:-1], borders[1:], labels, groups, strict=True)
    )


def timbre_likeness(bars: BarFeatures) -> FloatArray:
    """Likeness of the sound of all pairs of bars: instruments and level, not notes.

    Parameters
    ----------
    bars : of which the timbre is read

    Returns
    -------
    shape (n_bars, n_bars), 0 to 1
    """
    distance = _distances(bars.timbre.reshape(bars.timbre.shape[0], -1))
    return np.asarray(np.exp(-distance / _typical(distance)))


def likeness(bars: BarFeatures) -> FloatArray:
    """Likeness of what is played in all pairs of bars, in every transposition: notes and rhythm, not level.

    Parameters
    ----------
    bars : of which chroma and rhythm are read

    Returns
    -------
    shape (12, n_bars, n_bars), 0 to 1; matrix k compares each bar with all bars moved up by k semitones
    """
    n = bars.level_db.size
    rhythm = _distances(_unit(bars.rhythm.reshape(n, -1)))
    chroma = _unit(_centred(bars.chroma).reshape(n, -1))
    shape = bars.chroma.shape
    moved = [np.roll(chroma.reshape(shape), k, axis=2).reshape(n, -1) for k in range(12)]
    harmony = np.stack([np.sqrt(np.maximum(2.0 - 2.0 * chroma @ other.T, 0.0)) for other in moved])
    scale = _typical(harmony[0])
    return np.asarray(np.exp(-np.square(harmony / scale + rhythm / _typical(rhythm))))


def novelty(alike: FloatArray, widths: tuple[int, ...] = (2, 4, 8)) -> FloatArray:
    """How new the bars from each bar on are, by checkerboard kernels of several half-widths.

    Parameters
    ----------
    alike : shape (n_bars, n_bars), 0 to 1, likeness of all pairs of bars
    widths : bars on each side of a border

    Returns
    -------
    shape (n_bars,), about 0 to 1: mean likeness within both sides less likeness across; 0 for the first bar
    """
    n = alike.shape[0]
    result = np.zeros(n)
    for width in widths:
        for bar in range(1, n):
            w = min(width, bar, n - bar)
            past, future = slice(bar - w, bar), slice(bar, bar + w)
            within = 0.5 * (alike[past, past].mean() + alike[future, future].mean())
            result[bar] += (within - alike[past, future].mean()) / len(widths) * np.sqrt(w / width)
    return result


def repetition(grounds: FloatArray, span: int = 4) -> FloatArray:
    """How clearly a repetition of other bars begins or ends at each bar.

    Parameters
    ----------
    grounds : shape (n_keys, n_bars, n_bars), likeness of what is played, one matrix a transposition
    span : bars over which a repetition must hold

    Returns
    -------
    shape (n_bars,), 0 to 1: the largest change, over all distances and keys, of the likeness along a diagonal
    """
    n = grounds.shape[1]
    result = np.zeros(n)
    bars = np.arange(n)
    usual = float(np.median(grounds)) if n else 0.0
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
        # A repetition of the track's head begins there though no bar precedes it; likewise at the end.
        share = np.sqrt(min(span, length) / span)
        head = sums[:, min(span, length)] / min(span, length)
        end = (sums[:, length] - sums[:, max(0, length - span)]) / min(span, length)
        result[lag] = max(result[lag], share * float((head - usual).max()))
        result[length] = max(result[length], share * float((end - usual).max()))
    return result


def cut_bars(evidence: FloatArray, params: SectionParams) -> IntArray:
    """Borders that are worth most, by dynamic programming.

    Parameters
    ----------
    evidence : shape (n_bars,), evidence for a border before each bar
    params : price of a border, of odd lengths, the usual length

    Returns
    -------
    shape (n_sections + 1,), bars, from 0 to n_bars
    """
    n = evidence.size
    inner = evidence[1:] if n > 1 else np.zeros(1)
    usual = float(np.median(inner))
    spread = max(float(np.quantile(inner, 0.9)) - usual, 0.02)
    worth = np.append((evidence - usual) / spread, 0.0)
    best = np.full(n + 1, -np.inf)
    best[0] = 0.0
    came = np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        for length in range(1, min(end, 4 * params.usual_bars) + 1):
            score = best[end - length] + worth[end] - _price(length, end == n, params)
            if score > best[end]:
                best[end], came[end] = score, end - length
    borders = [n]
    while borders[-1] > 0:
        borders.append(int(came[borders[-1]]))
    return np.asarray(borders[::-1], dtype=np.int64)


def _price(length: int, last: bool, params: SectionParams) -> float:
    """Cost of a section of some bars: a fixed part, more for odd lengths and the further from the usual length."""
    unusual = abs(np.log2(length / params.usual_bars))
    odd = 0.0 if last or length % 4 == 0 else (0.5 if length % 2 == 0 else 1.0)
    return float(params.border_cost * (1.0 + unusual**2) + 2 * params.odd_length_cost * odd)


def group_sections(borders: IntArray, bars: BarFeatures, params: SectionParams) -> IntArray:
    """Number sections so that those which repeat each other share a number.

    Two sections are compared bar by bar from their beginnings, in the transposition that fits best.

    Parameters
    ----------
    borders : shape (n_sections + 1,), bars, of `cut_bars`
    bars : of the whole track
    params : `min_group_similarity`

    Returns
    -------
    shape (n_sections,), groups numbered from 0 in order of first appearance
    """
    n = borders.size - 1
    alike = np.eye(n)
    for a in range(n):
        for b in range(a):
            alike[a, b] = alike[b, a] = _same_ground(bars, slice(*borders[a : a + 2]), slice(*borders[b : b + 2]))
    groups = np.full(n, -1, dtype=np.int64)
    for a in range(n):
        scores = [float(np.mean(alike[a, groups == g])) for g in range(int(groups.max()) + 1)]
        if scores and max(scores) >= params.min_group_similarity:
            groups[a] = int(np.argmax(scores))
        else:
            groups[a] = int(groups.max()) + 1
    return groups


def _same_ground(bars: BarFeatures, first: slice, second: slice) -> float:
    """Likeness of two sections, up to 1: cosines of chroma, rhythm and timbre, each less what all bars share."""
    n = min(first.stop - first.start, second.stop - second.start)
    longest = max(first.stop - first.start, second.stop - second.start)
    if longest > 2 * n:
        return 0.0
    a, b = slice(first.start, first.start + n), slice(second.start, second.start + n)
    shifts = [_cosine(_centred(bars.chroma[a]), _centred(np.roll(bars.chroma[b], k, axis=2))) for k in range(12)]
    rhythm, timbre = bars.rhythm.mean(axis=0), bars.timbre.mean(axis=0)
    apart = (
        _cosine(bars.rhythm[a] - rhythm, bars.rhythm[b] - rhythm),
        _cosine(bars.timbre[a] - timbre, bars.timbre[b] - timbre),
    )
    return (max(shifts) + sum(apart)) / 3.0


def name_sections(borders: IntArray, groups: IntArray, level_db: FloatArray) -> list[str]:
    """Name sections by energy, place and how often their group occurs.

    The loudest group that comes more than once is the chorus, the next groups that come again are verses; what comes
    once is a break if it lies 3 dB under the track, else a bridge; what rises by 2 dB into something louder, or is half
    as long as the chorus it leads into, is a build. The first section is an intro, the last an outro, where they come
    only once, are softer than the track or half as long as the others of their group.

    Parameters
    ----------
    borders : shape (n_sections + 1,), bars
    groups : shape (n_sections,), of `group_sections`
    level_db : shape (n_bars,), LUFS or dB

    Returns
    -------
    one of `LABELS` for each section
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
    return np.asarray(
        np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2.0 * rows @ rows.T, 0.0)), dtype=np.float64
    )


def _typical(distance: FloatArray) -> float:
    """Median distance of different bars, the scale on which bars are alike."""
    n = distance.shape[0]
    return max(float(np.median(distance[~np.eye(n, dtype=bool)])) if n > 1 else 1.0, 1e-6)


def _unit(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def _centred(chroma: FloatArray) -> FloatArray:
    """Chroma less its mean over pitch classes, so that unlike chords have a cosine near 0."""
    return np.asarray(chroma - chroma.mean(axis=2, keepdims=True))


def _cosine(a: FloatArray, b: FloatArray) -> float:
    scale = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.vdot(a, b)) / scale if scale > 1e-9 else 1.0
