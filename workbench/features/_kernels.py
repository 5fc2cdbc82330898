"""Compiled inner loops of the features. Compiled once and cached on disk; importing this module loads numba."""

from __future__ import annotations

import numba
import numpy as np

from workbench.recording import FloatArray, IntArray


@numba.njit(cache=True, nogil=True)
def add_bands(power: FloatArray, edges: IntArray, weights: FloatArray, out: FloatArray) -> None:
    """Weighted sums of bins: out[b, t] = sum over the bins of band b of power[t, bin] * weight.

    Parameters
    ----------
    power : shape (n_frames, n_bins), float32
    edges : shape (n_bands, 2), first bin and one past the last bin of each band
    weights : shape (n_bands, widest), float32, weights of those bins
    out : shape (n_bands, n_frames), float32, written to
    """
    for frame in range(power.shape[0]):
        for band in range(edges.shape[0]):
            first = edges[band, 0]
            total = np.float32(0.0)
            for k in range(edges[band, 1] - first):
                total += power[frame, first + k] * weights[band, k]
            out[band, frame] = total


@numba.njit(cache=True, nogil=True)
def superflux(level: FloatArray, group: IntArray, n_groups: int, lag: int, out: FloatArray, spread: FloatArray) -> None:
    """Rise of each band over the maximum of it and its neighbours `lag` frames earlier, averaged in groups.

    Parameters
    ----------
    level : shape (n_bands, n_frames), float32, log magnitude
    group : shape (n_bands,), index of each band's group, -1 for bands in none
    n_groups : number of groups
    lag : frames
    out : shape (n_groups, n_frames), float32, zeros; filled with the mean rise
    spread : shape (n_groups, n_frames), float32, zeros; filled with the share of bands that rise clearly

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
            past = max(level[below, frame - lag], level[band, frame - lag], level[above, frame - lag])
            rise = level[band, frame] - past
            if rise > 0:
                out[where, frame] += rise * share
                if rise > np.float32(0.08):
                    spread[where, frame] += share
