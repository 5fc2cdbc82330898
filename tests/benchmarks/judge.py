"""What a splice does to the ear, measured on rendered sound. Imports nothing of the project: it judges both sides.

A splice leaves the track at `song_to` and enters it at `song_from`; in the render it lies at `at`. Four measures:

- flux: the strongest spectral flux within 30 ms of the splice, as the percentile it would have among the track's own
  bar lines. 100 means stronger than any of them: the ear notices.
- level step, LU: how much louder the 3 s after the splice are than the 3 s that the track had there (pyloudnorm,
  BS.1770); where the track has nothing there, the same with the 3 s before.
- beat deviation, ms: the beat interval across the splice against the track's own interval there, on the true beats.
- surprise: distance in dB between the log-mel spectrogram of the 2 s after the splice and of the 2 s that the track
  had there, as the percentile among the distances between any two bars of the track. 0: what was expected is heard.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyloudnorm
from numpy.typing import NDArray

HOP = 256
WINDOW = 1024


@dataclass(frozen=True)
class Splice:
    """One splice in a render, and where in the track both sides lie; seconds."""

    at: float
    song_to: float
    song_from: float


@dataclass(frozen=True)
class Verdict:
    """The four measures; NaN where the track has nothing to compare with."""

    flux_percentile: float
    level_step_lu: float
    beat_deviation_ms: float
    surprise_percentile: float


def log_spectrogram(mono: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log magnitude, dB above a -80 dBFS floor, shape (frames, bins); frame k is centred on sample k * HOP."""
    padded = np.pad(mono, (WINDOW // 2, WINDOW))
    count = 1 + len(mono) // HOP
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:count]
    magnitude = np.abs(np.fft.rfft(frames * np.hanning(WINDOW).astype(np.float32), axis=1)) / (WINDOW / 4)
    return (20 * np.log10(np.maximum(magnitude, 1e-4)) + 80).astype(np.float32)


def coarse(spectrogram: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bins pooled to 40 bands of equal ratio and frames to 50 ms: what the ear keeps of a bar."""
    edges = np.unique(np.geomspace(2, spectrogram.shape[1], 41).astype(int))
    bands = np.stack([spectrogram[:, a:b].mean(1) for a, b in itertools.pairwise(edges)], axis=1)
    step = round(0.05 * 44100 / HOP)
    usable = bands[: len(bands) // step * step]
    pooled: NDArray[np.float32] = usable.reshape(-1, step, bands.shape[1]).mean(1)
    return pooled


def flux(mono: NDArray[np.float32], at: float, rate: int) -> float:
    """Strongest positive spectral flux within 30 ms of a time, mean dB a bin."""
    first = max(0, round((at - 0.06) * rate))
    piece = log_spectrogram(mono[first : round((at + 0.06) * rate)])
    rise = np.maximum(np.diff(piece, axis=0), 0).mean(1)
    times = first / rate + (np.arange(len(rise)) + 0.5) * HOP / rate
    near = np.abs(times - at) <= 0.03
    return float(rise[near].max()) if near.any() else float("nan")


def excerpt_distance(a: NDArray[np.float32], b: NDArray[np.float32], rate: int, seconds: float = 2.0) -> float:
    """Root mean square difference of two excerpts' coarse spectrograms, dB."""
    length = min(len(a), len(b), round(seconds * rate))
    if length < 0.5 * rate:
        return float("nan")
    return float(np.sqrt(np.mean((coarse(log_spectrogram(a[:length])) - coarse(log_spectrogram(b[:length]))) ** 2)))


def loudness(samples: NDArray[np.float32], rate: int) -> float:
    """Integrated loudness of an excerpt, LUFS; NaN for silence or less than half a second."""
    if samples.shape[1] < rate // 2:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = float(pyloudnorm.Meter(rate).integrated_loudness(samples.T))
    return value if np.isfinite(value) else float("nan")


def interval_across(beats: NDArray[np.float64], song_to: float, song_from: float) -> float:
    """How far the beat interval across the splice is from the track's own, seconds; NaN outside the grid.

    Phase within the beat is what counts: leaving at phase p of a beat and entering at phase q deviates by the
    circular distance of p and q, in beats of the local length.
    """

    def phase(t: float) -> tuple[float, float]:
        k = int(np.searchsorted(beats, t, side="right")) - 1
        k = min(max(k, 0), len(beats) - 2)
        length = float(beats[k + 1] - beats[k])
        return (t - float(beats[k])) / length, length

    if len(beats) < 2:
        return float("nan")
    (p, length_out), (q, length_in) = phase(song_to), phase(song_from)
    distance = (p - q + 0.5) % 1.0 - 0.5
    return abs(distance) * (length_out + length_in) / 2


def judge(
    rendered: NDArray[np.float32],
    track: NDArray[np.float32],
    rate: int,
    splice: Splice,
    beats: NDArray[np.float64],
    downbeats: NDArray[np.float64],
) -> Verdict:
    """Judge one splice. `rendered` and `track` have shape (channels, n) and the same rate; beats are the true ones."""
    mono, own = rendered.mean(0), track.mean(0)
    span = track.shape[1] / rate
    lines = downbeats[(downbeats > 0.1) & (downbeats < span - 0.1)]
    own_flux = np.array([flux(own, float(line), rate) for line in lines])
    heard_flux = flux(mono, splice.at, rate)
    flux_percentile = float(100 * np.mean(own_flux < heard_flux)) if len(own_flux) else float("nan")

    def cut(source: NDArray[np.float32], start: float, seconds: float) -> NDArray[np.float32]:
        return source[..., max(0, round(start * rate)) : max(0, round((start + seconds) * rate))]

    after = loudness(cut(rendered, splice.at, 3.0), rate) - loudness(cut(track, splice.song_to, 3.0), rate)
    before = loudness(cut(rendered, splice.at - 3.0, 3.0), rate) - loudness(
        cut(track, splice.song_from - 3.0, 3.0), rate
    )
    step = after if np.isfinite(after) else before

    surprise = excerpt_distance(cut(mono, splice.at, 2.0), cut(own, splice.song_to, 2.0), rate)
    rng = np.random.default_rng(0)
    pairs = rng.choice(lines[lines < span - 2.2], size=(60, 2)) if np.any(lines < span - 2.2) else np.zeros((0, 2))
    spread = np.array(
        [excerpt_distance(cut(own, float(a), 2.0), cut(own, float(b), 2.0), rate) for a, b in pairs if a != b]
    )
    known = len(spread) and np.isfinite(surprise)
    surprise_percentile = float(100 * np.mean(spread < surprise)) if known else float("nan")
    deviation = 1000 * interval_across(beats, splice.song_to, splice.song_from)
    return Verdict(flux_percentile, abs(step), deviation, surprise_percentile)


def measures(verdicts: Sequence[Verdict]) -> NDArray[np.float64]:
    """The four measures as columns, shape (n, 4)."""
    rows = [(v.flux_percentile, v.level_step_lu, v.beat_deviation_ms, v.surprise_percentile) for v in verdicts]
    return np.array(rows, dtype=np.float64)
