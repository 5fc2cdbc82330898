"""Two video files, matched by their pictures and soundtracks: which frames of the new one are frames of the old one.

**Candidates.** Where a stretch of the old video stands in the new one, frame k of the new is frame k + d of the old for
one distance d: a diagonal. Every other frame of the new video looks for its nearest neighbours in the old one
(`workbench.edits.traces`, on their principal components); distances that several frames within half a second agree on
are candidates, each made exact by trying the distances around it. Shots that begin or end on like pictures give
candidates of their own, since within a still shot no frame is nearer than another. The soundtrack does the same, for
where the picture stands still and there is speech.

**Path.** Each new frame is then taken from one of the candidates or is new. A frame counts for a candidate by how like
the pictures are, on the scale on which the two encodings differ, times what the frame says: a picture that stands
still says nothing but where it begins and ends, a black one hardly anything, and the sound adds where it moves. Each
change of the distance costs as much as eight good frames. The best path (Viterbi) is thus exact to the frame, follows
a still picture along from what moves beside it, and never goes far to fetch one.

**One cut.** Pictures that stand still say so little that a path may pay for a change too many, or call all new that is
blank. So the path of a single cut is tried too, from the beginning of both videos to the end of both, with the cut
where pictures and the borders of shots speak for it most. It is taken if no picture speaks against it and all together
say as much for it as for the best path, less what its changes cost. Where several places are as good, the difference is
unsure between them.

**Differences.** The path is an edit list whose media is the old video; `workbench.edits.difference` does the rest. A
stretch at another speed changes its distance all the time and is found as replaced, not as `speed`. A shot of less
than half a second that moved on its own is found as new, for it does not pay for two changes of the distance; of a
still shot that became shorter it does not show at which end.

References
----------
Viterbi, "Error bounds for convolutional codes and an asymptotically optimum decoding algorithm", IEEE Transactions on
Information Theory 1967.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np

from workbench.edits.difference import EditDifference, compare_edits
from workbench.edits.edit_list import EditList
from workbench.edits.traces import Trace, trace_video
from workbench.recording import FloatArray, IntArray

_COMPONENTS = 16
_NEAREST = 4
_ALIKE = 0.3  # distance under which two pictures may be the same frame
_WINDOW_SECONDS = 0.5  # in which frames vote for a distance
_VOTES = 3
_AROUND = 6  # frames to each side of a voted distance that are tried
_MOST_DIAGONALS = 400
_CHANGE_COST = 8.0  # good frames
_WORST = -3.0  # what one frame can say against a candidate
_NOISE = (0.004, 0.05)  # bounds of the distance of one frame from two encoders
_STILL = 4.0  # times the noise by which a frame differs from those half a second away when it says all it can
_BLANK_WEIGHT, _STILL_WEIGHT = 0.001, 0.01
_SOUND_WEIGHT, _SOUND_ALIKE_DB, _SOUND_MOVES_DB = 0.3, 6.0, 12.0
_OLD = "old"
_SURE_SECONDS = 1.0  # within which a single cut is known to lie


def compare_videos(old_path: Path, new_path: Path) -> EditDifference:
    """Find the changes between two cuts given as video files; every picture is decoded.

    The old one's frame rate is the grid of both, and the result is exact to a frame of it. Raises `MediaError` where
    one is no video that can be read.
    """
    old = trace_video(Path(old_path))
    new = trace_video(Path(new_path), old.frame_rate)
    return compare_traces(old, new)


def compare_traces(old: Trace, new: Trace) -> EditDifference:
    """Find what changed between two videos that were read on the same grid of frames."""
    rate = old.frame_rate
    one = Fraction(1)
    shots = pairwise([0, *old.cuts.tolist(), old.frames])
    before = EditList.laid(((_OLD, start / rate, (end - start) / rate, one) for start, end in shots), rate)
    path, unsure = _best_path(old, new)
    borders = sorted({0, new.frames, *new.cuts.tolist(), *(np.flatnonzero(np.diff(path)) + 1).tolist()})
    pieces: list[tuple[str | None, Fraction, Fraction, Fraction]] = []
    for start, end in pairwise(borders):
        distance = int(path[start])
        media, source = (_OLD, start + distance) if distance != _NEW else (f"new {start}", 0)
        pieces.append((media, source / rate, (end - start) / rate, one))
    difference = compare_edits(before, EditList.laid(pieces, rate))
    if unsure is None or (unsure[1] - unsure[0]) / rate <= _SURE_SECONDS:
        return difference
    return replace(difference, unsure=(float(unsure[0] / rate), float(unsure[1] / rate)))


_NEW = -(1 << 40)  # in place of a distance: a frame that the old video does not have


def _best_path(old: Trace, new: Trace) -> tuple[IntArray, tuple[int, int] | None]:
    """For each new frame the offset in frames of the old frame that shows the same, or `_NEW`, shape (n,).

    With it the first and the last frame at which the cut may be as well, if it is a single one; else None.
    """
    noise = _noise(old, new)
    weights = [_weights(trace, noise) for trace in (old, new)]
    diagonals = _diagonals(old, new, weights)
    gains = np.stack([_gains(old, new, weights, noise, d) for d in diagonals], axis=1)
    columns = _viterbi(gains)
    path = np.concatenate([np.array(diagonals), [_NEW]])[columns]
    lost = old.frames - new.frames
    if lost <= 0:
        return path, None
    stays, moved = (gains[:, diagonals.index(d)] for d in (0, lost))
    at, first, last = _single_cut(stays, moved, old.cuts, new.cuts, lost)
    said = np.concatenate([stays[:at], moved[at:]])
    followed = np.pad(gains, ((0, 0), (0, 1)))[np.arange(new.frames), columns].sum()
    changes = np.diff(columns) != 0
    known = columns < len(diagonals)
    followed -= _CHANGE_COST / 2 * (np.count_nonzero(changes & known[1:]) + np.count_nonzero(changes & known[:-1]))
    if said.min() < 0.0 or said.sum() < followed:
        return path, None
    return np.where(np.arange(new.frames) < at, 0, lost), (first, last)


def _single_cut(
    stays: FloatArray, moved: FloatArray, old_cuts: IntArray, new_cuts: IntArray, lost: int
) -> tuple[int, int, int]:
    """The new frame at which `lost` old ones were most likely cut out, and the first and last frame about as likely.

    `stays` and `moved` are the evidence that each frame is before the cut, or after it. A border of shots in the new
    video is the cut itself, or is also in the old video: at the same frame before the cut, `lost` later after it.
    """
    said = np.concatenate([[0.0], np.cumsum(stays)]) + np.concatenate([np.cumsum(moved[::-1])[::-1], [0.0]])
    places = np.arange(said.size)
    for border in new_cuts.tolist():
        before, after = (bool(np.any(np.abs(old_cuts - border - by) <= 1)) for by in (0, lost))
        said -= np.where(places > border, _CHANGE_COST * (not before), 0.0)
        said -= np.where(places < border, _CHANGE_COST * (not after), 0.0)
    likely = np.flatnonzero(said >= said.max() - 1.0)  # a good frame
    return int(np.argmax(said)), int(likely[0]), int(likely[-1])


def _viterbi(gains: FloatArray) -> IntArray:
    """The column of each row on the best path; one past the last for none, shape (n,)."""
    count, width = gains.shape
    came = np.zeros((count, width + 1), dtype=np.int16)
    stay = np.arange(width + 1)
    best = np.zeros(width + 1)
    # Into a candidate and out of it cost half a change each, so that new material between two costs no more.
    cost = np.full(width + 1, _CHANGE_COST / 2)
    cost[width] = 0.0
    for row in range(count):
        if row:
            left = best - cost
            top = int(np.argmax(left))
            changed = left[top] - cost
            # The cost is that of leaving plus that of entering, so the best origin is the same for all and one maximum
            # serves every column: the row costs its width, not its square.
            switch = changed > best
            came[row] = np.where(switch, top, stay)
            best = np.where(switch, changed, best)
        best[:width] += gains[row]
    path = np.zeros(count, dtype=np.int64)
    path[-1] = int(np.argmax(best))
    for row in range(count - 1, 0, -1):
        path[row - 1] = came[row, path[row]]
    return path


def _gains(old: Trace, new: Trace, weights: list[FloatArray], noise: float, d: int) -> FloatArray:
    """What each new frame says for being the old frame at a distance, shape (n,)."""
    gains = np.full(new.frames, _WORST, dtype=np.float32)
    first, last = max(0, -d), min(new.frames, old.frames - d)
    if last <= first:
        return gains
    here, there = slice(first, last), slice(first + d, last + d)
    apart = np.linalg.norm(new.picture[here] - old.picture[there], axis=1)
    # A logarithm, as of a distribution with heavy tails: 1 for equal pictures, 0 at `_ALIKE`, and one picture that an
    # encoder spoilt cannot outweigh a second of good ones.
    like = 1.0 - np.log1p((apart / noise) ** 2) / np.log1p((_ALIKE / noise) ** 2)
    weight = np.minimum(weights[1][here], weights[0][there])
    # For a candidate a frame counts by what it says; against it every frame counts, still or not.
    gain = np.where(like > 0, like * weight, np.maximum(4 * like, _WORST))
    sound = np.abs(new.sound[here] - old.sound[there]).mean(axis=1)
    moves = np.minimum(_sound_weights(new)[here], _sound_weights(old)[there])
    gain += np.where(like > 0, _SOUND_WEIGHT * moves * np.clip(1.0 - sound / _SOUND_ALIKE_DB, 0.0, 1.0), 0.0)
    gains[here] = gain
    return gains


def _lag(trace: Trace) -> int:
    return max(1, min(round(_WINDOW_SECONDS * trace.frame_rate), trace.frames - 1))


def _moved(values: FloatArray, lag: int) -> FloatArray:
    """Distance of each row from those `lag` before and after, the larger one, shape (n,)."""
    found = np.zeros(values.shape[0], dtype=np.float32)
    if lag < values.shape[0]:
        step = np.linalg.norm(values[lag:] - values[:-lag], axis=1)
        found[lag:] = step
        found[:-lag] = np.maximum(found[:-lag], step)
    return found


def _weights(trace: Trace, noise: float) -> FloatArray:
    """What each frame says by its picture, 0 to 1, shape (n,)."""
    moved = np.clip((_moved(trace.picture, _lag(trace)) / (_STILL * noise)) ** 2, _STILL_WEIGHT, 1.0)
    return np.where(trace.blank, _BLANK_WEIGHT, moved)


def _sound_weights(trace: Trace) -> FloatArray:
    """What each frame says by its sound, 0 to 1, shape (n,)."""
    moved = _moved(trace.sound, _lag(trace)) / np.sqrt(trace.sound.shape[1])
    return np.asarray(np.clip((moved / _SOUND_MOVES_DB) ** 2, 0.0, 1.0))


def _noise(old: Trace, new: Trace) -> float:
    """How far a frame is from itself after another encoding: the usual distance of a frame to its nearest neighbour."""
    from scipy.spatial import cKDTree

    tree = cKDTree(old.picture[:: max(1, old.frames // 4000)])
    nearest, _ = tree.query(new.picture[:: max(1, new.frames // 500)])
    like = nearest[nearest < _ALIKE / 3]
    return float(np.clip(np.median(like) if like.size else 0.0, *_NOISE))


def _diagonals(old: Trace, new: Trace, weights: list[FloatArray]) -> list[int]:
    """Distances at which stretches of the old video may stand in the new one."""
    # Aligned at the start and at the end: tried even if no frame votes for them.
    votes: Counter[int] = Counter({0: 1, old.frames - new.frames: 1})
    votes.update(_voted(old.picture, new.picture, weights, _ALIKE, _lag(old)))
    sounds = [_sound_weights(trace) for trace in (old, new)]
    if all(weight.max(initial=0.0) > 0.5 for weight in sounds):
        votes.update(_voted(old.sound, new.sound, sounds, 3 * _SOUND_ALIKE_DB, _lag(old)))
    for there in _nearby(old.picture, new.picture, old.cuts, new.cuts):
        votes[there] += _VOTES
    for there in _nearby(old.picture, new.picture, old.cuts - 1, new.cuts - 1):
        votes[there] += _VOTES
    found = [d for d, _ in votes.most_common(_MOST_DIAGONALS)]
    return [*found, *({0, old.frames - new.frames} - set(found))]


def _nearby(olds: FloatArray, news: FloatArray, old_at: IntArray, new_at: IntArray) -> Iterator[int]:
    """Distances of frames at given places that are alike."""
    from scipy.spatial.distance import cdist

    if old_at.size and new_at.size:
        for k, j in np.argwhere(cdist(news[new_at], olds[old_at]) < _ALIKE):
            yield int(old_at[j] - new_at[k])


def _voted(olds: FloatArray, news: FloatArray, weights: list[FloatArray], alike: float, window: int) -> Iterator[int]:
    """Distances that frames within a window agree on, each made exact."""
    from scipy.spatial import cKDTree

    spoken = np.flatnonzero(weights[0] > 0.05)
    asked = np.flatnonzero(weights[1] > 0.05)[::2]
    if not spoken.size or not asked.size:
        return
    mean = olds[spoken].mean(axis=0)
    # In 16 dimensions a k-d tree prunes, in 168 it searches everything; distances only shrink by the projection, so
    # that `alike` loses no neighbour.
    axes = np.linalg.svd(olds[spoken[:: max(1, spoken.size // 4000)]] - mean, full_matrices=False)[2][:_COMPONENTS]
    tree = cKDTree((olds[spoken] - mean) @ axes.T)
    near, which = tree.query((news[asked] - mean) @ axes.T, k=min(_NEAREST, spoken.size), distance_upper_bound=alike)
    near, which = near.reshape(asked.size, -1), which.reshape(asked.size, -1)
    found: dict[int, Counter[int]] = {}
    for row, place in enumerate(asked.tolist()):
        counter = found.setdefault(place // window, Counter())
        counter.update(int(spoken[k]) - place for k, apart in zip(which[row], near[row], strict=True) if apart < alike)
    for number, counter in found.items():
        start, end = number * window, min((number + 1) * window, len(news))
        for d, count in counter.most_common(3):
            if count >= _VOTES:
                yield _exact(olds, news, d, max(0, start - window), min(len(news), end + window), alike)


def _exact(olds: FloatArray, news: FloatArray, d: int, start: int, end: int, alike: float) -> int:
    """The distance around `d` at which the frames that are alike there are most alike."""
    frames = np.arange(start, end)
    frames = frames[(frames + d >= _AROUND) & (frames + d < len(olds) - _AROUND)]
    frames = frames[np.linalg.norm(news[frames] - olds[frames + d], axis=1) < alike]
    if not frames.size:
        return d
    # Nearest first, so that of equally good ones the voted distance stays.
    tried = sorted(range(-_AROUND, _AROUND + 1), key=abs)
    apart = [float(np.linalg.norm(news[frames] - olds[frames + d + by], axis=1).mean()) for by in tried]
    return d + tried[int(np.argmin(apart))]
