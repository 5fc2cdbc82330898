"""A run of small pictures with the measures in which cuts and motion are found.

Pictures are those of `workbench.media.video_reader`: luma in 36 by 64 fields, both colour differences in 18 by
32. That is coarse enough for noise and compression to vanish and fine enough to recognise a shot.

References
----------
Hasler & Süsstrunk, "Measuring colourfulness in natural images", SPIE Human Vision and Electronic Imaging 2003.
Rubner, Tomasi & Guibas, "The earth mover's distance as a metric for image retrieval", IJCV 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from workbench.recording import FloatArray
from workbench.video._kernels import measure

NOISE = 0.002
"""standard deviation of luma that counts as none: half a step of eight bits"""
_LUMA_TONES, _TONES = 64, 96
"""steps of the distribution of luma, and of all three distributions"""
_WIDTHS = np.repeat(np.array([1 / 64, 1 / 48, 1 / 48], dtype=np.float32), [_LUMA_TONES, 16, 16])
"""width of each step, of full luma or of full colour difference"""
_LEAST_SPREAD = np.float32(0.04)
"""added to the spread of luma, so that flat pictures have no infinite distance"""


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Pictures that follow one another, and their measures."""

    times: FloatArray
    """shape (n,), video seconds"""
    luma: FloatArray
    """shape (n, 36, 64), 0 to 1"""
    chroma: FloatArray
    """shape (n, 2, 18, 32), -0.5 to 0.5"""
    levels: FloatArray
    """shape (n, 4): mean and standard deviation of luma, colourfulness, range of luma"""
    changes: FloatArray
    """shape (n, 2): unlikeness to the picture before, 0 to 1; speed in fields a picture"""
    tones: FloatArray
    """shape (n, 96), cumulative distributions of luma and both colour differences"""

    def __len__(self) -> int:
        return int(self.times.size)

    def part(self, start: int, end: int) -> Strip:
        """A part of the run, not copied; `end` is one past the last picture."""
        return Strip(*(getattr(self, field.name)[start:end] for field in fields(self)))

    def copied(self) -> Strip:
        """A copy, so that the run it is a part of can be freed."""
        return Strip(*(getattr(self, field.name).copy() for field in fields(self)))

    def followed_by(self, other: Strip) -> Strip:
        """This run and the next as one."""
        return Strip(*(np.concatenate([getattr(self, f.name), getattr(other, f.name)]) for f in fields(self)))


def strip_of(times: FloatArray, luma: FloatArray, chroma: FloatArray, before: Strip | None = None) -> Strip:
    """Measure a run of pictures, the first against the last of the run `before`; without one its change is 0."""
    # the last picture of the run before is measured again, for the kernel compares each with the one before it
    lead = 0 if before is None or not len(before) else 1
    if lead and before is not None:
        luma = np.concatenate([before.luma[-1:], luma])
        chroma = np.concatenate([before.chroma[-1:], chroma])
    levels = np.zeros((luma.shape[0], 4), dtype=np.float32)
    changes = np.zeros((luma.shape[0], 2), dtype=np.float32)
    tones = np.zeros((luma.shape[0], _TONES), dtype=np.float32)
    measure(luma, chroma, NOISE, levels, changes, tones)
    return Strip(times, luma[lead:], chroma[lead:], levels[lead:], changes[lead:], tones[lead:])


def tone_distance(one: FloatArray, other: FloatArray) -> FloatArray:
    """How far luma and colour must move to turn one picture's tones into another's, over the spread of their luma.

    Earth mover's distance of the distributions, shape (..., 96) as `Strip.tones`, which is the area between their
    cumulative ones; motion leaves it 0, between most shots it is over 0.3.
    """
    area = np.abs(one - other) @ _WIDTHS
    spread = 0.5 * (_spread(one) + _spread(other))
    return np.asarray(area / (spread + _LEAST_SPREAD))


def _spread(tones: FloatArray) -> FloatArray:
    """Distance of the tenth and the ninetieth percentile of luma."""
    luma = tones[..., :_LUMA_TONES]
    return np.asarray(((luma > 0.1) & (luma < 0.9)).sum(axis=-1) / np.float32(_LUMA_TONES))
