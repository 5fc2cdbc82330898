"""Compiled inner loops of the limiter. Compiled when they are first called, and cached on disk."""

from __future__ import annotations

from workbench.caches import kernel
from workbench.recording import FloatArray


@kernel()
def require_gain(peaks: FloatArray, ceiling: float, required: FloatArray) -> None:
    """Lower the gain required of the samples at both ends of each interval whose peak passes the ceiling.

    `required` has one entry more than `peaks`, for a sample stands at either end of each interval.
    """
    for k in range(peaks.size):
        if peaks[k] > ceiling:
            gain = ceiling / peaks[k]
            required[k] = min(required[k], gain)
            required[k + 1] = min(required[k + 1], gain)


@kernel()
def hold_and_release(
    required: FloatArray, released: FloatArray, start: int, stop: int, reach: int, release: float, level: float
) -> float:
    """Hold the lowest required gain within `reach` samples to both sides, and let it recover exponentially.

    `release` is the share of what is missing to 1 that a sample recovers, `level` the gain of the sample before
    `start`. `required` must hold `reach` samples more on both sides. The answer is the gain of the last sample.
    """
    # The lowest of a sliding window is only searched again when it leaves the window: nearly all samples cost one
    # comparison. Of equal ones the last counts, which leaves latest.
    lowest, lowest_at = 1.0, -1
    if stop > start:
        for i in range(start - reach, start + reach):
            if required[i] <= lowest:
                lowest, lowest_at = required[i], i
    for i in range(start, stop):
        if lowest_at < i - reach:
            lowest = 1.0
            for j in range(i - reach, i + reach + 1):
                if required[j] <= lowest:
                    lowest, lowest_at = required[j], j
        elif required[i + reach] <= lowest:
            lowest, lowest_at = required[i + reach], i + reach
        level += (1.0 - level) * release
        if level > 1.0 - 1.0e-6:  # 0.00001 dB: released, so that samples pass untouched again
            level = 1.0
        level = min(level, lowest)
        released[i] = level
    return level


@kernel(fastmath={"contract", "reassoc"})
def apply_gain(sound: FloatArray, released: FloatArray, window: FloatArray, start: int, gained: FloatArray) -> None:
    """Multiply by the smoothed gain; samples that no reduction reaches are copied.

    `window` has 2 * reach + 1 weights that sum to 1, and `released` holds `reach` samples before the first to write
    and after the last.
    """
    # The window is the mean of reductions, not of gains: where nothing is reduced the sum is exactly 0 and the sample
    # passes bit for bit, even if the weights, rounded, do not sum to 1.
    reach = window.size // 2
    reduced_at = -1
    for i in range(start - reach, start + reach):
        if released[i] < 1.0:
            reduced_at = i
    for k in range(gained.shape[1]):
        i = start + k
        if released[i + reach] < 1.0:
            reduced_at = i + reach
        if reduced_at < i - reach:
            for channel in range(gained.shape[0]):
                gained[channel, k] = sound[channel, i]
        else:
            reduction = 0.0
            around = released[i - reach : i + reach + 1]
            for j in range(window.size):
                reduction += window[j] * (1.0 - around[j])
            for channel in range(gained.shape[0]):
                gained[channel, k] = sound[channel, i] * (1.0 - reduction)
