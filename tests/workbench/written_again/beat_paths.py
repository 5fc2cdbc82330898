"""The most probable beats, written again from the text on the bar pointer in the head of `workbench.beats.pulses`."""

from __future__ import annotations

import numpy as np

from workbench.recording import FloatArray

_NEAR = 8
"""frames of a change beyond which it is a jump"""


def beats(
    evidence: FloatArray, shortest: int, prior: FloatArray, change_cost: float, free_change: int, jump_cost: float
) -> list[int]:
    lengths = shortest + np.arange(prior.size)
    change = np.abs(lengths[:, None] - lengths)  # of the interval before, of this one
    cost = 0.05 * change + np.maximum(change - free_change, 0) * change_cost / lengths
    cost = np.where(change > _NEAR, jump_cost, np.minimum(cost, jump_cost))
    best = np.full((evidence.size, prior.size), -np.inf)
    came = np.full((evidence.size, prior.size), -1)
    for frame in range(evidence.size):
        for number, length in enumerate(lengths.tolist()):
            before = 0.0
            if frame >= length:
                leading = best[frame - length] - cost[:, number]
                came[frame, number] = int(leading.argmax())
                before = float(leading.max())
            best[frame, number] = evidence[frame] + prior[number] + before
    lasts = np.arange(evidence.size)[:, None] + lengths >= evidence.size
    if not (lengths <= evidence.size).any():
        return []
    frame, number = divmod(int(np.where(lasts, best, -np.inf).argmax()), prior.size)
    path = [frame]
    while came[frame, number] >= 0:
        frame, number = frame - int(lengths[number]), int(came[frame, number])
        path.append(frame)
    return path[::-1]
