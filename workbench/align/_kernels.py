"""Compiled inner loops of align. Compiled once and cached on disk; importing this module loads numba."""

from __future__ import annotations

import numba

from workbench.recording import FloatArray, IntArray


@numba.njit(cache=True, nogil=True)
def add_coincidences(
    track_s: FloatArray,
    track_tolerance: FloatArray,
    video_s: FloatArray,
    video_tolerance: FloatArray,
    weight: FloatArray,
    first_s: float,
    step_s: float,
    out: FloatArray,
) -> None:
    """Cross-correlation of two sparse trains: every pair adds its weight around the offset that brings it together.

    weight : shape (n_landmarks, n_events); out : shape (n_offsets,), offset k is first_s + k * step_s
    """
    n = out.size
    for j in range(video_s.size):
        for i in range(track_s.size):
            height = weight[i, j]
            if height <= 0.0:
                continue
            reach = (track_tolerance[i] ** 2 + video_tolerance[j] ** 2) ** 0.5
            centre = (video_s[j] - track_s[i] - first_s) / step_s
            width = reach / step_s
            low = max(0, int(centre - width) + 1)
            high = min(n - 1, int(centre + width))
            for k in range(low, high + 1):
                x = (k - centre) / width
                fall = 1.0 - x * x
                if fall > 0.0:
                    out[k] += height * fall * fall


@numba.njit(cache=True, nogil=True)
def meeting_pairs(
    track_s: FloatArray,
    track_tolerance: FloatArray,
    video_s: FloatArray,
    video_tolerance: FloatArray,
    weight: FloatArray,
    offset_s: float,
    pairs: IntArray,
    gaps: FloatArray,
    reaches: FloatArray,
) -> int:
    """Pairs that come within reach of each other at an offset; returns how many, at most the length of `gaps`.

    Fills pairs (n, 2) with landmark and event, gaps with what the moment is later, s, and reaches, s. Both trains are
    in order of time, so that one walk over both is enough.
    """
    count = 0
    if track_s.size == 0 or video_s.size == 0:
        return count
    furthest = (track_tolerance.max() ** 2 + video_tolerance.max() ** 2) ** 0.5
    first = 0
    for j in range(video_s.size):
        while first < track_s.size and track_s[first] + offset_s < video_s[j] - furthest:
            first += 1
        i = first
        while i < track_s.size and track_s[i] + offset_s <= video_s[j] + furthest:
            reach = (track_tolerance[i] ** 2 + video_tolerance[j] ** 2) ** 0.5
            gap = video_s[j] - track_s[i] - offset_s
            if weight[i, j] > 0.0 and abs(gap) < reach:
                if count == gaps.size:
                    return count
                pairs[count, 0] = i
                pairs[count, 1] = j
                gaps[count] = gap
                reaches[count] = reach
                count += 1
            i += 1
    return count
