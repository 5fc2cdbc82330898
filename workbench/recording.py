"""A recording: decoded samples, their rate, and the hash of the bytes they came from.

Also what every layer shares: array types, the two clocks (track time, seconds from the first decoded sample of a track,
and video time, seconds from the first picture of a video), and `NotebookValue`, the base of values that
show themselves as tables and a picture. It loads the modules that make these by name on the first call, so that no
value depends on them.
"""

from __future__ import annotations

import hashlib
import mmap
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.errors import MediaError

if TYPE_CHECKING:
    import pandas
    import xarray


TABLES = "workbench.results.tables"
PAGES = "workbench.lab.notebook_views"


class NotebookValue:
    """A value that can be had as a table, and shows itself in a notebook."""

    __slots__ = ()

    def to_dataset(self) -> xarray.Dataset:
        """All of it as labelled arrays: axes by name, times and parts as coordinates, units in `attrs`.

        Raises `TypeError` if there is no dataset of this kind of value.
        """
        dataset: xarray.Dataset = import_module(TABLES).dataset_of(self)
        return dataset

    def to_frame(self) -> pandas.DataFrame:
        """The rows that one usually wants of it, as a data frame; raises `TypeError` if there is none of this kind."""
        frame: pandas.DataFrame = import_module(TABLES).frame_of(self)
        return frame

    def _repr_html_(self) -> str:
        """A small picture, and a player where the value has sound, for Jupyter."""
        page: str = import_module(PAGES).html_of(self)
        return page


FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
TrackSeconds: TypeAlias = float
VideoSeconds: TypeAlias = float
# Share of the power that channels without a common source leave in their mean; below it they cancel. Music has 0.8
# and more over ten seconds; of a voice that is inverted between left and right only the sound beside it is left
_CANCELLED = 0.25
_MOST_CHANNELS = 64  # more of them count as samples whose axes were swapped


def release_pages(samples: FloatArray) -> None:
    """Release the memory behind samples that lie in a file; they are read from it again when they are next used.

    What reads a long recording from end to end calls this between blocks, so that the recording is never in memory
    whole. Samples in memory stay as they are.
    """
    behind = _memory_behind(samples)
    if isinstance(behind, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        behind.madvise(mmap.MADV_DONTNEED)


def _memory_behind(samples: FloatArray) -> Any:
    """What an array is a view of in the end."""
    base: Any = samples
    while isinstance(base, np.ndarray):
        base = base.base
    return base


class MonoMixer:
    """Mixes sound to mono, block by block, for everything that detects: the mean of the channels.

    Where they cancel in it, as where one is inverted, channels are turned over until they do not; they stay so until
    that cancels in turn, so that pauses are mixed as what they interrupt.
    """

    def __init__(self) -> None:
        self._signs: FloatArray = np.ones(1, dtype=np.float32)

    def mix(self, samples: FloatArray, dtype: type[np.floating[Any]] = np.float32) -> FloatArray:
        """Mix the next block, or a whole recording, of shape (channels, n) to the mean, shape (n,)."""
        if self._signs.size != samples.shape[0]:
            self._signs = np.ones(samples.shape[0], dtype=np.float32)
        with np.errstate(invalid="ignore"):  # samples that are not finite are refused by who reads them
            common = samples @ samples.T
            cancels = self._signs @ common @ self._signs < _CANCELLED * common.trace()
        if cancels:
            self._signs = np.where(common[common.diagonal().argmax()] < 0, -1, 1).astype(np.float32)
        if (self._signs < 0).any():
            samples = samples * self._signs[:, np.newaxis]
        return np.asarray(samples.mean(axis=0, dtype=dtype))


def _check_floats(samples: FloatArray) -> None:
    """Refuse integers, which have another full scale, complex numbers, and masks, which a conversion would drop."""
    if np.ma.isMaskedArray(samples) or samples.dtype.kind != "f":
        kind = "a masked array" if np.ma.isMaskedArray(samples) else str(samples.dtype)
        raise MediaError(f"samples must be real floats with a full scale of 1.0, got {kind}; convert them first")


@dataclass(frozen=True, slots=True, eq=False)
class Recording(NotebookValue):
    """Decoded sound of one file, or sound computed in memory.

    Attributes
    ----------
    samples : shape (channels, n), float32, full scale 1.0, read-only
    sample_rate : Hz
    content_hash : SHA-256 of the file's bytes in hex; of the samples where there is no file
    bits : with which it is written again: 24 if the file holds more than 16 without loss, else 16
    """

    samples: FloatArray
    sample_rate: int
    content_hash: str
    bits: int = 16

    def __post_init__(self) -> None:
        _check_floats(self.samples)
        samples = np.ascontiguousarray(self.samples, dtype=np.float32)
        if samples.ndim != 2 or samples.shape[0] < 1:
            raise MediaError(f"samples must have shape (channels, n), got {self.samples.shape}")
        if self.sample_rate <= 0:
            raise MediaError(f"the sample rate must be positive, got {self.sample_rate}")
        if samples is self.samples:
            samples = samples.view()
        samples.flags.writeable = False
        object.__setattr__(self, "samples", samples)

    @classmethod
    def from_samples(cls, samples: FloatArray, sample_rate: int) -> Recording:
        """Wrap samples from memory.

        Parameters
        ----------
        samples : shape (channels, n), or (n,) for mono, full scale 1.0
        sample_rate : Hz

        Raises
        ------
        MediaError : samples of another shape, masked or no floats, or a rate that is not positive
        """
        _check_floats(np.asanyarray(samples))
        block = np.array(samples, dtype=np.float32, order="C", ndmin=2)  # a copy: the hashed sound does not change
        if block.ndim == 2 and block.shape[0] > max(block.shape[1], _MOST_CHANNELS):
            raise MediaError(f"samples must have shape (channels, n), got {block.shape}; turn them over with `.T`")
        digest = hashlib.sha256(f"{block.shape}@{sample_rate}:".encode() + block.tobytes()).hexdigest()
        return cls(block, sample_rate, digest)

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.samples.shape[0])

    @property
    def is_filed(self) -> bool:
        """Whether the samples lie in a file, from which they are read as they are used."""
        return isinstance(_memory_behind(self.samples), mmap.mmap)

    @property
    def duration(self) -> float:
        """Length in seconds."""
        return float(self.samples.shape[1] / self.sample_rate)

    def mono(self) -> FloatArray:
        """Mean over the channels, shape (n,), float32; see `MonoMixer` for channels that cancel."""
        return self.samples[0] if self.channels == 1 else MonoMixer().mix(self.samples)


def runs(on: BoolArray) -> list[tuple[int, int]]:
    """The stretches of True in a row of flags: the first of each, and one past its last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]))).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def counted(count: int, noun: str) -> str:
    """A number of things, such as "1 seam" or "3 seams"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def clock(seconds: float, _: object = None) -> str:
    """Format a time as minutes and seconds: 75.0 becomes 1:15; from an hour on, 1:01:15."""
    whole = round(seconds)
    sign, whole = ("-", -whole) if whole < 0 else ("", whole)
    hours, minutes = divmod(whole // 60, 60)
    return f"{sign}{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{sign}{minutes}:{whole % 60:02d}"
