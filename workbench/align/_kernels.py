"""Compiled inner loops of align. Compiled once and cached on disk; importing this module loads numba."""

from __future__ import annotations

import numba
import numpy as np

from workbench.recording import FloatArray

WIDTHS = 3.0
"""standard deviations of the wider curve at which a pair no longer counts"""


@numba.njit(cache=True, nogil=True)
def add_evidence(
    track_s: FloatArray,
    video_s: FloatArray,
    near: FloatArray,
    near_s: FloatArray,
    far: FloatArray,
    far_s: FloatArray,
    first_s: float,
    step_s: float,
    out: FloatArray,
    moments: FloatArray,
) -> None:
    """Add what every event says for every offset: log(1 + odds that it was put on one of the landmarks there).

    The odds of a pair fall off with its gap as the sum of two normal curves. They are added up over the landmarks of an
    event before the logarithm is taken, so that an event meets landmarks once.

    Parameters
    ----------
    track_s : shape (n_landmarks,), s of track time
    video_s : shape (n_events,), s of video time
    near, far : shape (n_events, n_landmarks), odds of a pair without a gap, by each curve; pairs at 0 are left out
    near_s, far_s : shape (n_events, n_landmarks), s, standard deviations of the two curves, the second the wider
    first_s, step_s : s; offset k of the grid is first_s + k * step_s
    out : shape (n_offsets,), added to in place
    moments : shape (2, n_events), gets the sums over all offsets of what each event says, and of its squares
    """
    n = out.size
    odds = np.zeros(n)
    for j in range(video_s.size):
        for counting in (True, False):
            for i in range(track_s.size):
                if near[j, i] + far[j, i] <= 0.0:
                    continue
                centre = (video_s[j] - track_s[i] - first_s) / step_s
                width = WIDTHS * far_s[j, i] / step_s
                for k in range(max(0, int(np.ceil(centre - width))), min(n - 1, int(centre + width)) + 1):
                    if counting:
                        gap = (k - centre) * step_s
                        odds[k] += near[j, i] * np.exp(-0.5 * (gap / near_s[j, i]) ** 2)
                        odds[k] += far[j, i] * np.exp(-0.5 * (gap / far_s[j, i]) ** 2)
                    elif odds[k] > 0.0:
                        said = np.log1p(odds[k])
                        odds[k] = 0.0
                        out[k] += said
                        moments[0, j] += said
                        moments[1, j] += said * said
