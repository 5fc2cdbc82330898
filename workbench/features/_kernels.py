"""Compiled inner loops of the features. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray


@kernel()
def add_bands(power: FloatArray, edges: IntArray, weights: FloatArray, out: FloatArray) -> None:
    """Weighted sums of bins: out[b, t] = sum over the bins of band b of power[t, bin] * weight.

    `power` has shape (n_frames, n_bins), `edges` (n_bands, 2), the first bin of each band and one past its last.
    """
    # a band has a few of 1,025 bins: a product with the full matrix would multiply mostly zeros
    for frame in range(power.shape[0]):
        for band in range(edges.shape[0]):
            first = edges[band, 0]
            total = np.float32(0.0)
            for k in range(edges[band, 1] - first):
                total += power[frame, first + k] * weights[band, k]
            out[band, frame] = total


@kernel()
def superflux(level: FloatArray, group: IntArray, n_groups: int, lag: int, out: FloatArray, spread: FloatArray) -> None:
    """Rise of each band over the maximum of it and its neighbours `lag` frames earlier, averaged in groups.

    `level` is log magnitude of shape (n_bands, n_frames); a band of group -1 is left out. `out` and `spread`, shape
    (n_groups, n_frames), come as zeros and get the mean rise and the share of bands that rise clearly.

    References
    ----------
    Böck & Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.
    """
    n_bands, n_frames = level.shape
    counts = np.zeros(n_groups, dtype=np.float32)
    for band in range(n_bands):
        if group[band] >= 0:
            counts[group[band]] += np.float32(1.0)
    for band in range(n_bands):
        where = group[band]
        if where < 0:
            continue
        below = max(band - 1, 0)
        above = min(band + 1, n_bands - 1)
        share = np.float32(1.0) / counts[where]
        for frame in range(lag, n_frames):
            # a tone that glides into the neighbouring band was already there and is no onset
            past = max(level[below, frame - lag], level[band, frame - lag], level[above, frame - lag])
            rise = level[band, frame] - past
            if rise > 0:
                out[where, frame] += rise * share
                if rise > np.float32(0.08):  # of the range of level, 0 to about 1
                    spread[where, frame] += share


@kernel()
def add_energy(
    sound: FloatArray, sections: FloatArray, at: IntArray, weight: float, energy: FloatArray, state: FloatArray
) -> None:
    """K-weight a block of a channel and add its weighted energy so far at some positions.

    Both biquads, transposed direct form II. `at` are samples re the start of the block, not decreasing; those past its
    end count as its end. `state` of both filters and of the energy so far is zeros before the first block.
    """
    # local names, not `state[...]`, so that the compiler holds the filters in registers
    b0, b1, b2, a1, a2 = sections[0, 0], sections[0, 1], sections[0, 2], sections[0, 4], sections[0, 5]
    c1, c2 = sections[1, 4], sections[1, 5]
    s1, s2, t1, t2, total = state[0], state[1], state[2], state[3], state[4]
    n = sound.size
    i = 0
    for k in range(at.size + 1):
        stop = min(at[k], n) if k < at.size else n
        while i < stop:
            x = float(sound[i])
            y = b0 * x + s1
            s1 = b1 * x - a1 * y + s2
            s2 = b2 * x - a2 * y
            # the high-pass has the numerator 1, -2, 1 at any rate, as BS.1770 prints it
            z = y + t1
            t1 = -2.0 * y - c1 * z + t2
            t2 = y - c2 * z
            total += z * z
            i += 1
        if k < at.size:
            energy[k] += weight * total
    state[0], state[1], state[2], state[3], state[4] = s1, s2, t1, t2, total


@kernel(fastmath={"contract", "reassoc", "nsz"})
def raise_peaks(sound: FloatArray, taps: FloatArray, worth: np.float32, peaks: FloatArray) -> None:
    """Raise `peaks` to the highest value the waveform reaches from each sample to the next, over all channels.

    `sound` has half a filter's taps more at both ends than the n intervals of `peaks`; entry k is the interval that
    sample k + half opens. Where the waveform provably stays below `worth` (linear), `peaks` is left as it is, which
    saves most of the work. `taps` are of `workbench.features.loudness.interpolator`.
    """
    n_taps = taps.shape[1]
    half = n_taps // 2
    stop_all = sound.shape[1] - half
    # No point between samples exceeds the loudest sample in reach times the largest sum of taps: quiet stretches need
    # no interpolation.
    gain = np.float32(1.0)
    for phase in range(taps.shape[0]):
        total = np.float32(0.0)
        for j in range(n_taps):
            total += abs(taps[phase, j])
        gain = max(gain, total)
    chunk = 64  # samples: few enough that one peak leaves most chunks below `worth`, and whole vectors
    # The waveform from a quarter before the chunk to the sample after it, four points a sample.
    curve = np.empty(4 * chunk + 2, dtype=np.float32)
    row = np.empty(chunk + 1, dtype=np.float32)
    for channel in range(sound.shape[0]):
        for start in range(half, stop_all, chunk):
            stop = min(start + chunk, stop_all)
            loudest = np.float32(0.0)
            for i in range(start - half, stop + half):
                loudest = max(loudest, abs(sound[channel, i]))
            # A crest adds at most an eighth to the highest point.
            if loudest * gain * np.float32(1.125) < worth:
                continue
            # Tap by tap over the whole chunk, which compilers turn into vector instructions.
            count = stop - start + 1
            for phase in range(3):
                row[:count] = np.float32(0.0)
                for j in range(n_taps):
                    tap = taps[phase, j]
                    part = sound[channel, start - half + j : start - half + j + count]
                    for i in range(count):
                        row[i] += tap * part[i]
                # row[i] is the signal after sample start - 1 + i
                if phase == 2:
                    curve[0] = row[0]
                for i in range(1, count):
                    curve[4 * (i - 1) + 2 + phase] = row[i]
            for i in range(start, stop):
                curve[4 * (i - start) + 1] = sound[channel, i]
            last = 4 * (stop - start) + 1
            curve[last] = sound[channel, stop]
            for at in range(1, last):
                if abs(curve[at]) * np.float32(1.125) < worth:
                    continue
                sign = np.float32(1.0) if curve[at] >= 0.0 else np.float32(-1.0)
                before, top, after = sign * curve[at - 1], sign * curve[at], sign * curve[at + 1]
                if top > 0.0 and top >= before and top >= after:
                    cosine = 0.5 * (before + after) / top  # of the phase from point to point, were this one sinusoid
                    if cosine < 1.0:
                        beside = 0.5 * (before - after)
                        crest = np.sqrt(top * top + beside * beside / (1.0 - cosine * cosine))
                        top = min(np.float32(crest), np.float32(1.125) * top)
                k = start - half + (at - 1) // 4
                peaks[k] = max(peaks[k], top)
