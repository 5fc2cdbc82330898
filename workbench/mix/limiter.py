"""A true-peak limiter: it holds the waveform under the ceiling, between the samples too.

How it works. The waveform is interpolated at four points a sample, and at the crest of the sinusoid through each
highest point (`workbench.features.loudness`); where it would pass the ceiling, both samples around require the gain
that brings it there. The lowest gain required within a window to both sides is held, released exponentially, and
smoothed by a Hann window of the same width. A mean of values that are all at or under what a sample requires is itself
at or under it, so the ceiling holds while the gain never steps; the look-ahead is twice the window's half. All channels
get one gain, so that the stereo image does not swing.

Where nothing comes near the ceiling the samples pass bit for bit. The result does not depend on how the sound is cut
into blocks.

References
----------
ITU-R BS.1770-5, annex 2; D. Giannoulis et al., "Digital dynamic range compressor design", JAES 60(6), 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from workbench.errors import ParameterError
from workbench.features.loudness import INTERPOLATOR_TAPS, interpolator, raise_peaks
from workbench.mix._kernels import apply_gain, hold_and_release, require_gain
from workbench.params import RenderParams
from workbench.recording import FloatArray

_LOOKAHEAD_SECONDS = 0.005  # over which the gain moves; shorter ones distort bass


class Limiter:
    """The limiter's state between blocks of one stream.

    `push` takes blocks of shape (channels, any length) and returns blocks of the same sound, some milliseconds later;
    `finish` returns the rest. The output as a whole is as long as the input, and not delayed against it. Only the peaks
    of the first `leading` channels are looked at, of all by default; the others get the same gain. Raises
    `ParameterError` for no channel, or a rate under 1 Hz.
    """

    def __init__(
        self, channels: int, rate: int, params: RenderParams | None = None, leading: int | None = None
    ) -> None:
        params = params or RenderParams()
        if channels < 1 or rate < 1:
            raise ParameterError(f"a limiter needs at least one channel and a rate, got {channels} at {rate} Hz")
        reach = max(1, round(_LOOKAHEAD_SECONDS * rate / 2.0))
        hann = np.hanning(2 * reach + 3)[1:-1]
        self._leading = leading
        self._window = hann / hann.sum()
        self._reach = reach
        self._half = INTERPOLATOR_TAPS // 2
        self._taps = interpolator()
        self._ceiling = np.float32(10.0 ** (params.ceiling_dbtp / 20.0))
        self._release = 1.0 - float(np.exp(-1.0 / (params.limiter_release_seconds * rate)))
        # Three buffers over the same samples; the first `margin` samples lie before the stream or are written already.
        # The indices say how far each is known, and how much is written.
        self._margin = margin = 2 * reach + self._half + 2
        self._sound = np.zeros((channels, margin), dtype=np.float32)
        self._required = np.ones(margin)
        self._released = np.ones(margin)
        self._looked_at = margin - 1  # intervals; the one that ends at the first sample counts
        self._released_to = margin - reach  # a peak at the first sample needs its gain before it
        self._level = 1.0
        self._held_back = 0

    def push(self, block: FloatArray) -> FloatArray:
        """Take a block, and return the samples whose gain is known by now.

        Raises `ParameterError` for another number of channels.
        """
        if block.ndim != 2 or block.shape[0] != self._sound.shape[0]:
            raise ParameterError(f"the limiter was made for {self._sound.shape[0]} channels, got shape {block.shape}")
        self._held_back += block.shape[1]
        limited_now = self._advance(block)
        self._held_back -= limited_now.shape[1]
        return limited_now

    def finish(self) -> FloatArray:
        """Return the samples still held back, shape (channels, m), float32; no block may follow."""
        silence = np.zeros((self._sound.shape[0], self._half + 2 * self._reach), dtype=np.float32)
        return self._advance(silence)[:, : self._held_back]

    def _advance(self, block: FloatArray) -> FloatArray:
        reach, half, margin = self._reach, self._half, self._margin
        self._sound = np.concatenate([self._sound, block.astype(np.float32, copy=False)], axis=1)
        self._required = np.concatenate([self._required, np.ones(block.shape[1])])
        self._released = np.concatenate([self._released, np.ones(block.shape[1])])

        # Three fronts, each behind the one before: peaks need `half` samples ahead, held gains `reach` of known peaks,
        # and smoothed gains `reach` of held ones.
        look_to = self._sound.shape[1] - half
        if look_to > self._looked_at:
            peaks = np.zeros(look_to - self._looked_at, dtype=np.float32)
            around = np.ascontiguousarray(self._sound[: self._leading, self._looked_at - half : look_to + half])
            raise_peaks(around, self._taps, self._ceiling, peaks)
            require_gain(peaks, float(self._ceiling), self._required[self._looked_at : look_to + 1])
            self._looked_at = look_to
        release_to = max(self._looked_at - reach, self._released_to)
        self._level = hold_and_release(
            self._required, self._released, self._released_to, release_to, reach, self._release, self._level
        )
        self._released_to = release_to
        written_to = max(release_to - reach, margin)
        gained = np.empty((self._sound.shape[0], written_to - margin), dtype=np.float32)
        apply_gain(self._sound, self._released, self._window, margin, gained)

        done = written_to - margin
        self._sound = self._sound[:, done:].copy()
        self._required = self._required[done:].copy()
        self._released = self._released[done:].copy()
        self._looked_at -= done
        self._released_to -= done
        return gained


def limit_blocks(
    blocks: Iterable[FloatArray], rate: int, params: RenderParams | None = None, leading: int | None = None
) -> Iterator[FloatArray]:
    """Limit a stream of blocks of shape (channels, any length), full scale 1.0, into other blocks of the same sound.

    `leading` is as of `Limiter`. Raises `ParameterError` for blocks of different numbers of channels, or a rate under 1
    Hz.
    """
    limiter = None
    for block in blocks:
        limiter = limiter or Limiter(block.shape[0], rate, params, leading)
        done = limiter.push(block)
        if done.shape[1]:
            yield done
    if limiter is not None:
        yield limiter.finish()


def limit(samples: FloatArray, rate: int, params: RenderParams | None = None) -> FloatArray:
    """Limit sound in memory, shape (channels, n), full scale 1.0.

    Raises `ParameterError` for samples of another shape, or a rate under 1 Hz.
    """
    return np.concatenate(list(limit_blocks([samples], rate, params)), axis=1)
