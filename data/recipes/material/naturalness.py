"""How natural a splice sounds in music of which nothing is known: no beats, no bars, no sections.

Imports nothing of the project, so that it judges our splices and anybody else's alike, in recordings for which there
are no true beats. A splice leaves the track at `song_to` and goes on at `song_from`. It is natural when what comes
resembles what was about to come, or when what was heard resembles what leads to the place entered: both readings are
measured over the same parts, and the better one counts.

Five parts, each 0 to 1, 1 for no break at all; the total is their mean:

- timbre: distance of log-mel spectra, 50 ms by 40 bands, over 2 s;
- harmony: 1 - cosine of chroma in steps of 0.25 s over 2 s;
- phase: how far the onset pattern of one side has to be moved to agree best with that of the other, over 3 s, as a
  share of 60 ms;
- level: loudness over 2 s, 6 LU apart counts 0;
- repetition: for how long both sides are the same music around the splice, before and after it together; 8 s count 1.

Timbre and harmony are scaled by the track itself: 0 is the median distance of places picked at random among its
attacks, so that a random splice scores about 0 and a splice into an exact repeat 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

RATE = 22050
HOP = 441
"""20 ms at RATE"""
WINDOW = 2048
BANDS = 40
_RANDOM_PAIRS = 240
_RUN_SECONDS = 8.0
_MOST_SHIFT_SECONDS = 0.06


@dataclass(frozen=True)
class Naturalness:
    """The five parts of a splice, 0 to 1 each."""

    timbre: float
    harmony: float
    phase: float
    level: float
    repetition: float

    @property
    def total(self) -> float:
        """Mean of the parts."""
        return float(np.mean([self.timbre, self.harmony, self.phase, self.level, self.repetition]))


class Listener:
    """What is measured once of a track, from samples of shape (channels, n) with full scale 1.0."""

    def __init__(self, samples: NDArray[np.float32], rate: int) -> None:
        mono = np.asarray(samples, dtype=np.float32).mean(axis=0)
        divisor = int(np.gcd(RATE, rate))
        self.mono = resample_poly(mono, RATE // divisor, rate // divisor).astype(np.float32)
        self.seconds = mono.size / rate
        power = _power(self.mono)
        mel = _mel_filters() @ power.T
        self.mel = (10.0 * np.log10(mel + 1e-7)).T.astype(np.float32)
        self.chroma = (_chroma_filters() @ power.T).T.astype(np.float32)
        rise = np.maximum(np.diff(self.mel, axis=0, prepend=self.mel[:1]), 0.0).mean(axis=1)
        # less its mean over half a second, so that steady noise has no attacks
        self.onset = (rise - np.convolve(rise, np.ones(25) / 25, mode="same")).astype(np.float32)
        self.level = power.sum(axis=1)
        rng = np.random.default_rng(0)
        attacks = (
            np.flatnonzero(
                (self.onset[1:-1] > self.onset[:-2]) & (self.onset[1:-1] >= self.onset[2:]) & (self.onset[1:-1] > 0)
            )
            + 1
        )
        # far enough from both ends for the 2 s before and after that are compared
        attacks = attacks[(attacks > 110) & (attacks < len(self.mel) - 160)]
        if attacks.size < 8:
            attacks = np.arange(110, max(len(self.mel) - 160, 112))
        strong = attacks[np.argsort(-self.onset[attacks])[: max(64, attacks.size // 2)]]
        pairs = rng.choice(strong, size=(_RANDOM_PAIRS, 2))
        # places within a second share their sound and would make random places look alike
        pairs = pairs[np.abs(pairs[:, 0] - pairs[:, 1]) > 50]
        apart = [self._apart(a, b, ahead) for a, b in pairs.tolist() for ahead in (True, False)]
        timbre, harmony = (np.array(column) for column in zip(*apart, strict=True))
        self.random_timbre = max(float(np.nanmedian(timbre)), 1.0)
        self.random_harmony = max(float(np.nanmedian(harmony)), 0.02)
        self.alike_db = 0.5 * self.random_timbre

    def judge(self, song_to: float, song_from: float) -> Naturalness:
        """Judge the splice that leaves the track at `song_to` and goes on at `song_from`, seconds."""
        left, entered = round(song_to * RATE / HOP), round(song_from * RATE / HOP)
        readings = [self._reading(left, entered, ahead) for ahead in (True, False)]
        best = max(readings, key=lambda parts: sum(parts))
        return Naturalness(*best, self._repetition(left, entered))

    def apart_at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """1 - cosine of the 2 s after some times, of all pairs, shape (n_times, n_times): a quick look."""
        frames = np.rint(np.asarray(times) * RATE / HOP).astype(int)
        width = round(2.0 * RATE / HOP)
        padded = np.pad(self.mel - self.mel.mean(axis=0), ((0, width), (0, 0)))
        rows = np.stack([_pooled(padded[frame : frame + width], 5).ravel() for frame in frames])
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return np.asarray(1.0 - rows @ rows.T, dtype=np.float64)

    def _reading(self, left: int, entered: int, ahead: bool) -> tuple[float, float, float, float]:
        timbre, harmony = self._apart(left, entered, ahead)
        if not np.isfinite(timbre):
            return (0.0, 0.0, 0.0, 0.0)
        a, b = self._spans(left, entered, ahead, 2.0)
        step = abs(10.0 * np.log10((self.level[a].mean() + 1e-9) / (self.level[b].mean() + 1e-9)))
        return (
            float(np.clip(1.0 - timbre / self.random_timbre, 0.0, 1.0)),
            float(np.clip(1.0 - harmony / self.random_harmony, 0.0, 1.0)),
            self._phase(left, entered, ahead),
            float(np.clip(1.0 - step / 6.0, 0.0, 1.0)),
        )

    def _spans(self, left: int, entered: int, ahead: bool, seconds: float) -> tuple[slice, slice]:
        n = round(seconds * RATE / HOP)
        if ahead:
            n = min(n, len(self.mel) - max(left, entered))
            return slice(left, left + max(n, 0)), slice(entered, entered + max(n, 0))
        n = min(n, left, entered)
        return slice(left - max(n, 0), left), slice(entered - max(n, 0), entered)

    def _apart(self, left: int, entered: int, ahead: bool) -> tuple[float, float]:
        a, b = self._spans(left, entered, ahead, 2.0)
        # less than 0.6 s to compare says nothing: NaN, which `_reading` turns into the worst score
        if a.stop - a.start < 30:
            return float("nan"), float("nan")
        timbre = float(np.sqrt(np.mean((_pooled(self.mel[a], 3) - _pooled(self.mel[b], 3)) ** 2)))
        one, other = _pooled(self.chroma[a], 12), _pooled(self.chroma[b], 12)
        norm = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        return timbre, float(np.mean(1.0 - np.sum(one * other, axis=1) / np.maximum(norm, 1e-9)))

    def _phase(self, left: int, entered: int, ahead: bool) -> float:
        a, b = self._spans(left, entered, ahead, 3.0)
        one, other = self.onset[a], self.onset[b]
        reach = 12  # frames each way: four times _MOST_SHIFT_SECONDS, so that a far better fit counts as none
        if one.size < 4 * reach:
            return 0.0
        middle = one[reach:-reach]
        curve = np.array([np.dot(middle, other[reach + k : other.size - reach + k]) for k in range(-reach, reach + 1)])
        best = int(np.argmax(curve)) - reach
        return float(np.clip(1.0 - (abs(best) * HOP / RATE) / _MOST_SHIFT_SECONDS, 0.0, 1.0))

    def _repetition(self, left: int, entered: int) -> float:
        """Seconds around the splice for which both sides are alike, over _RUN_SECONDS."""
        window = round(0.5 * RATE / HOP)
        # half a second at a time, in steps of a quarter, first ahead of the splice and then back from it
        total = 0
        for way in (1, -1):
            at = 0
            while True:
                a, b = left + way * at, entered + way * at
                low_a, low_b = (a, b) if way > 0 else (a - window, b - window)
                if min(low_a, low_b) < 0 or max(low_a, low_b) + window > len(self.mel):
                    break
                one, other = self.mel[low_a : low_a + window], self.mel[low_b : low_b + window]
                if np.sqrt(np.mean((_pooled(one, 3) - _pooled(other, 3)) ** 2)) > self.alike_db:
                    break
                at += window // 2
                if at * HOP / RATE > _RUN_SECONDS:
                    break
            total += at
        return float(min(1.0, total * HOP / RATE / _RUN_SECONDS))


def _power(mono: NDArray[np.float32]) -> NDArray[np.float32]:
    """Power spectra, shape (frames, WINDOW // 2 + 1); frame k is centred on sample k * HOP."""
    count = 1 + mono.size // HOP
    padded = np.pad(mono, (WINDOW // 2, WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:count]
    window = np.hanning(WINDOW).astype(np.float32)
    out = np.empty((count, WINDOW // 2 + 1), dtype=np.float32)
    # blocks of frames: the windowed frames of a whole recording would take gigabytes
    for start in range(0, count, 2000):
        out[start : start + 2000] = np.abs(np.fft.rfft(frames[start : start + 2000] * window, axis=1)) ** 2
    return out / np.float32(WINDOW / 4) ** 2


def _mel_filters() -> NDArray[np.float32]:
    """Triangles of equal width in mel from 40 Hz to 10 kHz, shape (BANDS, bins)."""
    mel = np.linspace(2595 * np.log10(1 + 40 / 700), 2595 * np.log10(1 + 10000 / 700), BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    hz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return np.maximum(0.0, np.minimum((hz - low) / (mid - low), (high - hz) / (high - mid))).astype(np.float32)


def _chroma_filters() -> NDArray[np.float32]:
    """Pitch classes from 60 Hz to 2.5 kHz, shape (12, bins)."""
    hz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    inside = (hz > 60) & (hz < 2500)
    pitch = np.where(inside, 12 * np.log2(np.maximum(hz, 1.0) / 440.0) + 69, 0.0)
    away = (pitch[None, :] - np.arange(12)[:, None] + 6) % 12 - 6
    return (np.exp(-0.5 * (away / 0.4) ** 2) * inside).astype(np.float32)


def _pooled(values: NDArray[np.float32], frames: int) -> NDArray[np.float32]:
    usable = len(values) // frames * frames
    pooled: NDArray[np.float32] = values[:usable].reshape(-1, frames, values.shape[1]).mean(axis=1)
    return pooled
