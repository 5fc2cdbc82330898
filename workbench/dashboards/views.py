"""Long sound drawn in part: of what is in view, no more points than the screen has columns.

A file is mapped into memory, not read; beside it is a summary, the lowest and highest of every 256 samples. A view is
taken from the samples where a column is narrow and from the summary where it is wide: some milliseconds either way.
Making the summary takes a second for half an hour, so a worker does it (`write_summary`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.fft
from numpy.typing import NDArray
from scipy.io import wavfile

from workbench.analysis.workspace import Workspace
from workbench.caches import made
from workbench.errors import MediaError
from workbench.plots.video import Tile
from workbench.recording import FloatArray

MOST_COLUMNS = 4000
"""of one view; wider than the widest common screen"""
LOWEST_HZ, HIGHEST_HZ = 40.0, 16_000.0
"""of a spectrogram; lossy codecs end at the top"""
_SUMMARY = 256
"""samples a row of the summary stands for"""
_BLOCK = 1 << 22


class LongSound:
    """A WAV file of 16 bits, to be drawn in part; raises `MediaError` for any other file."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.sample_rate, self._samples = _mapped(self.path)
        self._lows, self._highs = self._summary()

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self._samples.shape[0] / self.sample_rate)

    @property
    def channels(self) -> int:
        """1 or 2."""
        return int(self._samples.shape[1])

    def envelope(self, from_s: float, to_s: float, columns: int = 2000) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Middles, s, and lowest and highest sample, full scale 1.0, of each column of a view, over all channels."""
        first, stop = self._inside(from_s, to_s)
        if stop <= first:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        columns = max(1, min(columns, MOST_COLUMNS, stop - first))
        if (stop - first) / columns >= 4 * _SUMMARY:
            row_from, row_to = first // _SUMMARY, min(-(-stop // _SUMMARY), self._lows.size)
            columns = min(columns, row_to - row_from)
            edges = np.linspace(row_from, row_to, columns + 1).astype(np.int64)
            lows = np.minimum.reduceat(self._lows[:row_to], edges[:-1])
            highs = np.maximum.reduceat(self._highs[:row_to], edges[:-1])
            edges = edges * _SUMMARY
        else:
            edges = np.linspace(first, stop, columns + 1).astype(np.int64)
            # Samples of all channels one after the other: a row of its own for each frame would be ten times slower.
            piece, starts = self._samples[first:stop].reshape(-1), (edges[:-1] - first) * self.channels
            lows, highs = np.minimum.reduceat(piece, starts), np.maximum.reduceat(piece, starts)
        times = (edges[:-1] + edges[1:]) / (2.0 * self.sample_rate)
        return times, lows / 32768.0, highs / 32768.0

    def spectrogram(self, from_s: float, to_s: float, columns: int = 1000, rows: int = 128) -> FloatArray:
        """Level, dB, of a view, shape (rows, columns), in bands evenly spaced in pitch, lowest first."""
        columns = max(1, min(columns, MOST_COLUMNS))
        size = 4096 if self.sample_rate >= 32_000 else 2048
        middles = np.rint((from_s + (np.arange(columns) + 0.5) * (to_s - from_s) / columns) * self.sample_rate)
        frames = np.zeros((columns, size), dtype=np.float32)
        together = np.ones(self.channels, dtype=np.float32)
        for row, start in zip(frames, middles.astype(np.int64) - size // 2, strict=True):
            first, stop = max(0, start), min(start + size, self._samples.shape[0])
            if stop > first:
                row[first - start : stop - start] = self._samples[first:stop].astype(np.float32) @ together
        window = np.hanning(size).astype(np.float32)
        frames *= window / np.float32(32768.0 * self.channels)
        power = np.abs(scipy.fft.rfft(frames, axis=1)).astype(np.float64) ** 2
        power /= np.sum(window) ** 2 / 4.0
        edges = np.geomspace(LOWEST_HZ, min(HIGHEST_HZ, 0.49 * self.sample_rate), rows + 1) * size / self.sample_rate
        lows = np.rint(edges[:-1]).astype(np.int64)
        highs = np.maximum(lows + 1, np.rint(edges[1:]).astype(np.int64))
        total = np.concatenate([np.zeros((columns, 1)), np.cumsum(power, axis=1)], axis=1)
        bands = (total[:, highs] - total[:, lows]) / (highs - lows)
        return np.asarray(10.0 * np.log10(np.maximum(bands.T, 1e-12)))

    def _inside(self, from_s: float, to_s: float) -> tuple[int, int]:
        n = self._samples.shape[0]
        return min(max(0, round(from_s * self.sample_rate)), n), min(max(0, round(to_s * self.sample_rate)), n)

    def _summary(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Lowest and highest of every `_SUMMARY` samples, from the file beside the sound or made now."""
        rows = -(-self._samples.shape[0] // _SUMMARY)
        beside = self.path.with_suffix(f".{rows}.summary.npy")
        both = np.load(made(beside, lambda aside: np.save(aside, self._made(rows))))
        return both[0], both[1]

    def _made(self, rows: int) -> NDArray[np.int16]:
        both = np.zeros((2, rows), dtype=np.int16)
        for first in range(0, self._samples.shape[0], _BLOCK):
            piece = np.asarray(self._samples[first : first + _BLOCK])
            whole = piece[: piece.shape[0] // _SUMMARY * _SUMMARY].reshape(-1, _SUMMARY * self.channels)
            row = first // _SUMMARY
            both[0, row : row + whole.shape[0]] = whole.min(axis=1)
            both[1, row : row + whole.shape[0]] = whole.max(axis=1)
            rest = piece[whole.shape[0] * _SUMMARY :]
            if rest.size:
                both[:, -1] = rest.min(), rest.max()
        return both


def write_summary(workspace: Workspace, path: Path) -> Path:
    """Make the summary beside a sound where it is missing; for a worker."""
    workspace.progress("drawing the sound", 0.0)
    return LongSound(path).path


def video_row(tiles: Sequence[Tile], from_s: float, to_s: float, width: int, height: int) -> NDArray[np.uint32]:
    """Pictures of a video side by side for a view, RGBA packed as Bokeh takes it, the last row first."""
    row = np.zeros((height, width, 4), dtype=np.uint8)
    scale = width / max(1e-9, to_s - from_s)
    for tile in tiles:
        begin, end = round((tile.first_s - from_s) * scale), round((tile.last_s - from_s) * scale)
        if end <= 0 or begin >= width or end <= begin:
            continue
        picture = _scaled(tile.pixels, height)
        across = picture.shape[1]
        gap = 1 if end - begin > 6 else 0
        columns = np.arange(max(0, begin + gap), min(width, end))
        narrow = max(0, (across - (end - begin)) // 2)
        row[:, columns, :3] = picture[:, (columns - begin + narrow) % across]
        row[:, columns, 3] = 255
    return np.ascontiguousarray(row[::-1]).view(np.uint32).reshape(height, width)


def _scaled(pixels: NDArray[np.uint8], height: int) -> NDArray[np.uint8]:
    rows, columns = pixels.shape[:2]
    width = max(1, round(columns * height / rows))
    down = np.arange(height) * rows // height
    across = np.arange(width) * columns // width
    return np.asarray(pixels[down[:, None], across])


def _mapped(path: Path) -> tuple[int, NDArray[np.int16]]:
    """Sample rate of a WAV file, and its samples, shape (n, channels), which are read when they are looked at."""
    try:
        rate, samples = wavfile.read(path, mmap=True)
    except (OSError, ValueError) as error:
        raise MediaError(f"{path}: cannot be read as a WAV file ({error})") from error
    if samples.dtype != np.int16:
        raise MediaError(f"{path}: samples of {8 * samples.dtype.itemsize} bits ({samples.dtype}), not 16-bit integers")
    return rate, samples.reshape(samples.shape[0], -1)
