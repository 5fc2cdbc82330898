"""Compiled inner loops of beat tracking. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

import numpy as np

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray


@kernel()
def bar_pointer(
    evidence: FloatArray, shortest: int, prior: FloatArray, change_cost: float, free_change: int, jump_cost: float
) -> IntArray:
    """Most probable beat frames: exact Viterbi of the bar-pointer model over the compact state space.

    The model is in the head of `workbench.beats.candidates`, there with 1 for `free_change`, `TEMPO_CHANGE_COST` for
    `change_cost` and `MAX_TEMPO_CHANGE_COST` for `jump_cost`.

    `evidence` and `prior` are float32; `prior[i]` belongs to an interval of `shortest + i` frames, `shortest` 1 at
    least. The answer are frames of the beats, increasing, and empty where not even one interval fits.

    References
    ----------
    Krebs, Böck & Widmer, "An efficient state-space model for joint tempo and meter tracking", ISMIR 2015.
    """
    n_frames = evidence.size
    n_intervals = prior.size
    reach = 8  # frames by which an interval may differ from the one before; anything more is a jump
    lookback = shortest + n_intervals  # frames that a later one looks back to; their scores are in a ring
    # float32 and int16: an hour at 50 frames a second has 180,000 rows of back pointers
    best = np.full((lookback, n_intervals), -1e30, dtype=np.float32)
    back = np.full((n_frames, n_intervals), -1, dtype=np.int16)
    top = np.full(n_frames, -1e30, dtype=np.float32)
    top_at = np.zeros(n_frames, dtype=np.int16)
    for t in range(n_frames):
        here = evidence[t]
        row = best[t % lookback]
        for i in range(n_intervals):
            n = shortest + i
            if t < n:
                # no earlier beat fits: the path begins here, at no cost for where in the first bar that is
                row[i] = here + prior[i]
                back[t, i] = -1
            else:
                past = t - n
                before = best[past % lookback]
                # a jump to any tempo costs the same, so only the best of that frame can win by one; just the
                # `reach` neighbours are compared singly, so the search is linear in the number of intervals
                value = top[past] - jump_cost
                arg = top_at[past]
                for j in range(max(0, i - reach), min(n_intervals, i + reach + 1)):
                    change = abs(i - j)
                    # a frame's change may be rounding and costs next to nothing: of equal paths the steadiest wins
                    cost = 0.05 * change
                    if change > free_change:
                        cost += change_cost * (change - free_change) / n
                    candidate = before[j] - cost
                    if candidate > value:
                        value = candidate
                        arg = j
                row[i] = value + here + prior[i]
                back[t, i] = arg
            if row[i] > top[t]:
                top[t] = row[i]
                top_at[t] = i
    # the last beat is within one interval of the end
    t_end = -1
    i_end = 0
    value = np.float32(-1e30)
    for t in range(max(0, n_frames - shortest - n_intervals), n_frames):
        for i in range(n_intervals):
            if n_frames - t <= shortest + i and best[t % lookback, i] > value:
                value = best[t % lookback, i]
                t_end = t
                i_end = i
    frames = np.empty(n_frames // max(shortest, 1) + 2, dtype=np.int64)
    count = 0
    t = t_end
    i = i_end
    while t >= 0:
        frames[count] = t
        count += 1
        origin = back[t, i]
        if origin < 0:
            break
        t = t - (shortest + i)
        i = origin
    return frames[:count][::-1].copy()


@kernel()
def bar_positions(
    emission: FloatArray, first_state: IntArray, lengths: IntArray, switch_cost: float, slip_cost: float
) -> IntArray:
    """Most probable state of every beat, where a state is a metre and a place in its bar.

    `emission` has shape (n_beats, n_states), one beat at least, in log units as both costs. The states of metre m are
    `first_state[m]` to `first_state[m] + lengths[m] - 1`, in the order of its bar.
    """
    n_beats, n_states = emission.shape
    n_metres = lengths.size
    best = np.empty((n_beats, n_states))
    back = np.zeros((n_beats, n_states), dtype=np.int32)
    best[0] = emission[0]
    for k in range(1, n_beats):
        # the best bar end and the best unfinished bar of the beat before
        end_value = -1e300
        end_state = 0
        any_value = -1e300
        any_state = 0
        for s in range(n_states):
            if best[k - 1, s] > any_value:
                any_value = best[k - 1, s]
                any_state = s
        for m in range(n_metres):
            last = first_state[m] + lengths[m] - 1
            if best[k - 1, last] > end_value:
                end_value = best[k - 1, last]
                end_state = last
        for m in range(n_metres):
            start = first_state[m]
            last = start + lengths[m] - 1
            # a bar opens after a full bar of its metre (free), a full bar of another, a cut bar of any, or of its own
            value = best[k - 1, last]
            arg = last
            if end_value - switch_cost > value:
                value = end_value - switch_cost
                arg = end_state
            if any_value - slip_cost - switch_cost > value:
                value = any_value - slip_cost - switch_cost
                arg = any_state
            for s in range(start, last):
                if best[k - 1, s] - slip_cost > value:
                    value = best[k - 1, s] - slip_cost
                    arg = s
            best[k, start] = value + emission[k, start]
            back[k, start] = arg
            # inside a bar there is one way on: counting neither repeats nor leaves out a beat
            for p in range(1, lengths[m]):
                best[k, start + p] = best[k - 1, start + p - 1] + emission[k, start + p]
                back[k, start + p] = start + p - 1
    states = np.empty(n_beats, dtype=np.int64)
    states[n_beats - 1] = np.argmax(best[n_beats - 1])
    for k in range(n_beats - 1, 0, -1):
        states[k - 1] = back[k, states[k]]
    return states
