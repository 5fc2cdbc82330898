"""Compiled inner loops of comparing pictures. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray

BLOCK_ROWS, BLOCK_COLUMNS = 12, 16
"""fields of a block; a picture of 36 by 64 fields has twelve"""
_REACH_ROWS, _REACH_COLUMNS = 4, 8
"""fields that a block may have moved by"""
_SAME = np.float32(0.92)  # correlation over which a block is not searched for further


@kernel(fastmath=True)
def compare(before: FloatArray, after: FloatArray, noise: float) -> float:
    """How unlike two pictures are when blocks may move.

    Each block of `after` is searched for in `before` up to 4 rows and 8 columns away, by the correlation of luma, which
    no change of gain or level alters. Blocks weigh by their contrast, so that flat ones do not count.

    Parameters
    ----------
    before, after : shape (36, 64), luma
    noise : standard deviation of luma that counts as none

    Returns
    -------
    0 for the same picture, also where it moved or was lit otherwise; about 0.5 for unrelated ones, 1 at most
    """
    rows, columns = after.shape
    floor = np.float32(noise * noise)
    total_weight, total = 0.0, 0.0
    row = before.ravel()
    block = np.empty(BLOCK_ROWS * BLOCK_COLUMNS, dtype=np.float32)
    variances = np.empty((rows - BLOCK_ROWS + 1, columns - BLOCK_COLUMNS + 1), dtype=np.float32)
    known = False
    # Most blocks stay where they are or nearly: the search of 153 places, and the variances that it needs, are left
    # for those that do not.
    for top in range(0, rows - BLOCK_ROWS + 1, BLOCK_ROWS):
        for left in range(0, columns - BLOCK_COLUMNS + 1, BLOCK_COLUMNS):
            own = _take_block(before, top, left, block)
            variance = _take_block(after, top, left, block)
            covariance = _covariance(row, top * columns + left, columns, block)
            # with the noise on both sides of the fraction, two flat blocks are alike and not undefined
            best = (covariance + floor) / np.sqrt((own + floor) * (variance + floor))
            if best < _SAME:
                if not known:
                    _block_variances(before, variances)
                    known = True
                for at_y in range(max(0, top - _REACH_ROWS), min(rows - BLOCK_ROWS, top + _REACH_ROWS) + 1):
                    first = max(0, left - _REACH_COLUMNS)
                    for at_x in range(first, min(columns - BLOCK_COLUMNS, left + _REACH_COLUMNS) + 1):
                        covariance = _covariance(row, at_y * columns + at_x, columns, block)
                        there = variances[at_y, at_x]
                        best = max(best, (covariance + floor) / np.sqrt((there + floor) * (variance + floor)))
            weight = np.sqrt(max(own, variance))
            total_weight += weight
            total += weight * (1.0 - min(max(best, np.float32(0)), np.float32(1)))
    return total / total_weight if total_weight > 1e-9 else 0.0


@kernel(fastmath=True)
def _take_block(picture: FloatArray, top: int, left: int, block: FloatArray) -> float:
    """Write a block less its mean to `block`, shape (192,), row by row; its variance."""
    count = np.float32(BLOCK_ROWS * BLOCK_COLUMNS)
    mean, square = np.float32(0), np.float32(0)
    for y in range(BLOCK_ROWS):
        for x in range(BLOCK_COLUMNS):
            mean += picture[top + y, left + x]
    mean /= count
    for y in range(BLOCK_ROWS):
        for x in range(BLOCK_COLUMNS):
            value = picture[top + y, left + x] - mean
            block[y * BLOCK_COLUMNS + x] = value
            square += value * value
    return float(square / count)


@kernel(fastmath=True)
def _covariance(picture: FloatArray, at: int, columns: int, block: FloatArray) -> float:
    """Covariance of a block whose mean is 0 with the fields of a picture, a row of numbers, from its field `at` on.

    This is where comparing spends its time. Indices without a sign, and columns outside rows, let the compiler keep one
    vector of 16 sums for all rows: that is ten times as fast as the plain order.
    """
    here, step, total = np.uint64(at), np.uint64(columns), np.float32(0)
    for x in range(np.uint64(BLOCK_COLUMNS)):
        for y in range(np.uint64(BLOCK_ROWS)):
            total += picture[here + y * step + x] * block[y * np.uint64(BLOCK_COLUMNS) + x]
    return float(total / np.float32(BLOCK_ROWS * BLOCK_COLUMNS))


@kernel(fastmath=True)
def _block_variances(picture: FloatArray, out: FloatArray) -> None:
    """Variance of the block at each place, shape (rows - 11, columns - 15), from sums that run along."""
    rows, columns = picture.shape
    # sums down the columns, then along them: each variance costs a few additions. In float64, for a running sum in
    # float32 would leave a flat block the variance of its rounding errors.
    count = float(BLOCK_ROWS * BLOCK_COLUMNS)
    sums, squares = np.zeros(columns), np.zeros(columns)
    for y in range(rows):
        for x in range(columns):
            value = float(picture[y, x])
            gone = float(picture[y - BLOCK_ROWS, x]) if y >= BLOCK_ROWS else 0.0
            sums[x] += value - gone
            squares[x] += value * value - gone * gone
        if y < BLOCK_ROWS - 1:
            continue
        total, square = 0.0, 0.0
        for x in range(columns):
            total += sums[x]
            square += squares[x]
            if x >= BLOCK_COLUMNS:
                total -= sums[x - BLOCK_COLUMNS]
                square -= squares[x - BLOCK_COLUMNS]
            if x >= BLOCK_COLUMNS - 1:
                variance = square / count - (total / count) ** 2
                out[y - BLOCK_ROWS + 1, x - BLOCK_COLUMNS + 1] = max(variance, 0.0)


@kernel(fastmath=True)
def measure(
    luma: FloatArray,
    chroma: FloatArray,
    noise: float,
    out_level: FloatArray,
    out_change: FloatArray,
    out_tones: FloatArray,
) -> None:
    """Measure each picture of a run, and each against the one before it.

    `luma` and `chroma` have shapes (n, 36, 64) and (n, 2, 18, 32). `out_level` gets mean and standard deviation of
    luma, colourfulness and range of luma; `out_change` unlikeness to the picture before and speed in fields a picture,
    but for row 0; `out_tones`, which comes as zeros, cumulative distributions of luma (64) and both differences (16
    each). A standard deviation of `noise` counts as none.
    """
    n, rows, columns = luma.shape
    for k in range(n):
        total, square, low, high = 0.0, 0.0, np.float32(2), np.float32(-2)
        for y in range(rows):
            for x in range(columns):
                value = luma[k, y, x]
                total += value
                square += value * value
                low, high = min(low, value), max(high, value)
                out_tones[k, min(max(int(value * 64), 0), 63)] += 1
        mean = total / (rows * columns)
        out_level[k, 0] = max(mean, 0.0)
        out_level[k, 1] = np.sqrt(max(square / (rows * columns) - mean * mean, 0.0))
        sum_rg, sum_yb, sum_rg2, sum_yb2 = 0.0, 0.0, 0.0, 0.0
        for y in range(chroma.shape[2]):
            for x in range(chroma.shape[3]):
                blue, red = chroma[k, 0, y, x], chroma[k, 1, y, x]
                out_tones[k, 64 + min(max(int(blue * 48 + 8), 0), 15)] += 1
                out_tones[k, 80 + min(max(int(red * 48 + 8), 0), 15)] += 1
                # R - G and (R + G)/2 - B of Hasler & Süsstrunk (2003), from the differences of BT.601 without luma
                rg = 2.116 * red + 0.344 * blue
                yb = 0.344 * red - 1.944 * blue
                sum_rg += rg
                sum_yb += yb
                sum_rg2 += rg * rg
                sum_yb2 += yb * yb
        count = chroma.shape[2] * chroma.shape[3]
        mean_rg, mean_yb = sum_rg / count, sum_yb / count
        spread = max(sum_rg2 / count - mean_rg * mean_rg, 0.0) + max(sum_yb2 / count - mean_yb * mean_yb, 0.0)
        out_level[k, 2] = np.sqrt(spread) + 0.3 * np.sqrt(mean_rg * mean_rg + mean_yb * mean_yb)
        out_level[k, 3] = high - low
        running = np.float32(0)
        for j in range(96):
            if j == 64 or j == 80:
                running = np.float32(0)
            running += out_tones[k, j] / np.float32(rows * columns if j < 64 else count)
            out_tones[k, j] = running
        if k == 0:
            continue
        # a change of light over all of the picture is no motion; see `workbench.video.motion` for the quotient
        shift = out_level[k, 0] - out_level[k - 1, 0]
        moved, slope = 0.0, 0.0
        for y in range(rows - 1):
            for x in range(columns - 1):
                here = luma[k, y, x]
                moved += abs(here - luma[k - 1, y, x] - shift)
                slope += 0.5 * (abs(luma[k, y, x + 1] - here) + abs(luma[k, y + 1, x] - here))
        fields = (rows - 1) * (columns - 1)
        out_change[k, 0] = compare(luma[k - 1], luma[k], noise)
        out_change[k, 1] = max(moved / fields - noise, 0.0) / (slope / fields + 2 * noise)


@kernel(fastmath=True)
def mixtures(views: FloatArray, reaches: IntArray, out: FloatArray) -> None:
    """How well each picture is a mixture of one before it and one after it.

    The mixture is the nearest point on the line between the two (least squares). `out` of shape (n, n_reaches, 2) gets
    the share of the distance to the nearer of the two that it explains, 0 to 1, and the root mean square distance of
    the two; 0 where a reach goes beyond the run.
    """
    n, d = views.shape
    for k in range(n):
        for r in range(reaches.size):
            reach = reaches[r]
            out[k, r, 0] = 0
            out[k, r, 1] = 0
            if k - reach < 0 or k + reach >= n:
                continue
            ab, ma, mb = np.float32(0), np.float32(0), np.float32(0)
            for j in range(d):
                one, here, other = views[k - reach, j], views[k, j], views[k + reach, j]
                ab += (other - one) * (other - one)
                ma += (here - one) * (here - one)
                mb += (other - here) * (other - here)
            if ab <= 1e-12:
                continue
            # from the three squared distances alone (law of cosines): one pass over the pictures
            share = min(max((ma - mb + ab) / (2 * ab), np.float32(0)), np.float32(1))
            rest = max(ma - 2 * share * (ma - mb + ab) / 2 + share * share * ab, np.float32(0))
            nearer = min(ma, mb)
            between = min(nearer / (np.float32(0.1) * ab), np.float32(1))  # near either end there is no mixture
            out[k, r, 0] = between * (1 - min(rest / (nearer + np.float32(1e-9)), np.float32(1)))
            out[k, r, 1] = np.sqrt(ab / d)


@kernel(fastmath=True)
def fit_ramp(shares: FloatArray) -> tuple[float, int, int]:
    """Fit a straight rise from 0 to 1 to a row of shares: root mean square misfit, first picture over 0, first at 1."""
    n = shares.size
    best, best_start, best_end = np.float32(1e9), 0, n - 1
    for start in range(n - 3):
        for end in range(start + 3, n):
            total = np.float32(0)
            for k in range(n):
                rise = (np.float32(k - start) + np.float32(0.5)) / np.float32(end - start)
                difference = shares[k] - min(max(rise, np.float32(0)), np.float32(1))
                total += difference * difference
                if total >= best:  # most starts and ends are ruled out within a few pictures
                    break
            if total < best:
                best, best_start, best_end = total, start, end
    return np.sqrt(best / np.float32(n)), best_start, best_end


@kernel(fastmath=True)
def change_between(
    luma: FloatArray,
    before_from: int,
    before_to: int,
    after_from: int,
    after_to: int,
    much: float,
    little: float,
    out_before: FloatArray,
    out_after: FloatArray,
) -> tuple[int, int]:
    """Means of two stretches of pictures; how many fields change by over `much`, and how many others over `little`."""
    for out, first, last in ((out_before, before_from, before_to), (out_after, after_from, after_to)):
        flat = out.ravel()
        flat[:] = 0
        for k in range(first, last):
            flat += luma[k].ravel()
        flat /= np.float32(last - first)
    changed, restless = 0, 0
    for one, other in zip(out_before.ravel(), out_after.ravel()):  # noqa: B905  numba knows no strict
        difference = abs(other - one)
        if difference > much:
            changed += 1
        elif difference > little:
            restless += 1
    return changed, restless
