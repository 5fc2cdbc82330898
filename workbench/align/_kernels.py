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
    """Cross-correlate two sparse trains: every pair adds its weight around the offset that brings it together.

    A pair's vote has the shape (1 - x²)², with x the distance from that offset in units of the pair's reach, the root
    of the sum of both squared tolerances.

    Parameters
    ----------
    track_s, track_tolerance : shape (n_landmarks,), s of track time; s, above 0
    video_s, video_tolerance : shape (n_events,), s of video time; s, above 0
    weight : shape (n_landmarks, n_events), height of each pair's vote; pairs at 0 or below do not vote
    first_s, step_s : s; offset k of the grid is first_s + k * step_s
    out : shape (n_offsets,), added to in place
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
    """List the pairs that come within reach of each other at an offset.

    Both trains are in order of time, so that one walk over both is enough.

    Parameters
    ----------
    track_s, track_tolerance : shape (n_landmarks,), s of track time, in order; s, above 0
    video_s, video_tolerance : shape (n_events,), s of video time, in order; s, above 0
    weight : shape (n_landmarks, n_events); pairs at 0 or below are left out
    offset_s : video time at which the track's time 0 falls
    pairs : shape (n, 2), filled with the indices of landmark and event
    gaps : shape (n,), s, filled with how much later than the landmark the event comes
    reaches : shape (n,), s, filled with the distance at which each pair's vote is gone

    Returns
    -------
    how many rows were filled, n at most; further pairs are dropped
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
