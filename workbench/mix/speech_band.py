"""Ducking in the band of speech: the music is cut where it masks words, and less below and above.

Bass and cymbals hide few words, but carry much of what is missed when all the music goes down. So from one envelope
two are made: in the band of speech the music goes down a little further than the envelope says, outside it by a share.
Both have the same times and the same corners, so one is as smooth as the other.

The band is cut out by a filter of linear phase, and what is added back is the rest of the same sound:
`outside · x + (inside - outside) · band(x)`. Where both gains are equal, as everywhere away from speech, the output is
`x` times that gain, to the bit; nothing is coloured and no phase is turned, and without ducking nothing is changed.

Music that makes way for the video's own music goes down as a whole: only stretches of the envelope that lie by speech
from end to end are ducked in bands.

References
----------
ANSI S3.5-1997 (R2017), "Methods for calculation of the speech intelligibility index", table 3, importance of third
octaves: 99 % of the importance for speech is over 180 Hz, 95 % under 5.6 kHz. M. Torcoli et al., JAES 67(12),
2019, on how far music goes down under speech: 10 LU at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, level_curve_of_blocks
from workbench.mix.fades import duck_gain
from workbench.params import RenderParams
from workbench.params.mix import DEEPEST_DUCK_DB, DUCK_REACH_SECONDS
from workbench.recording import FloatArray, runs

SPEECH_BAND_HZ = (90.0, 180.0, 5000.0, 8000.0)
"""the band is 0 up to the first, 1 from the second to the third, and 0 from the fourth on"""
REACH_SECONDS = 0.02
"""of the filter to both sides: long enough for a flank of 100 Hz, too short to sound like an echo"""
CHUNK = 1 << 15
"""samples that are filtered together, counted from the first, so that the output does not depend on the blocks"""
_NOTHING_DB = 400.0
"""dB of attenuation that leave nothing"""


@dataclass(frozen=True, slots=True)
class DuckedBands:
    """Two envelopes made of one."""

    inside: tuple[tuple[float, float], ...]
    """in the band of speech: seconds and positive dB, as `workbench.mix.fades.duck_gain` reads them"""
    outside: tuple[tuple[float, float], ...]
    """below and above it, at the same times"""

    @property
    def differ(self) -> bool:
        """Whether the music is ducked otherwise in the band of speech than outside it."""
        return self.inside != self.outside

    def depths(self, speech_ranges: Sequence[Sequence[float]]) -> tuple[float, float]:
        """Maximum of each envelope under speech, dB: in the band of speech and outside it."""
        return deepest_under(self.inside, speech_ranges), deepest_under(self.outside, speech_ranges)


def deepest_under(points: Sequence[Sequence[float]], ranges: Sequence[Sequence[float]]) -> float:
    """The most that an envelope takes off inside some ranges, sorted and disjoint, dB; 0 without ranges."""
    if not points or not ranges:
        return 0.0
    times, depths = np.array(points, dtype=np.float64).T
    edges = np.array(ranges, dtype=np.float64)
    within = np.searchsorted(edges[:, 0], times, "right") > np.searchsorted(edges[:, 1], times, "left")
    return float(max(np.interp(edges.ravel(), times, depths).max(), depths[within].max(initial=0.0)))


def duck_bands(
    points: Sequence[Sequence[float]], speech_ranges: Sequence[Sequence[float]], params: RenderParams | None = None
) -> DuckedBands:
    """Make the envelopes of both bands from that of a mix.

    They are equal where the music is not ducked for speech, or not in bands, as by default.
    """
    params = params or RenderParams()
    curve = tuple((float(time), float(depth)) for time, depth in points)
    if params.ducking == "broadband":
        return DuckedBands(curve, curve)
    inside, outside = list(curve), list(curve)
    for first, stop in runs(np.array([depth > 0.0 for _, depth in curve], dtype=bool)):
        dip = curve[first:stop]
        from_s, to_s = (curve[max(0, first - 1)][0], curve[min(len(curve), stop + 1) - 1][0])
        deepest = max(depth for _, depth in dip)
        # deeper is silence, which leaves no band out
        if deepest <= DEEPEST_DUCK_DB and _is_by_speech(from_s, to_s, speech_ranges):
            inside[first:stop] = [(time, depth * params.speech_band_depth) for time, depth in dip]
            outside[first:stop] = [
                (time, max(depth * params.other_bands_depth, depth - params.other_bands_gap_db)) for time, depth in dip
            ]
    return DuckedBands(tuple(inside), tuple(outside))


def _is_by_speech(from_s: float, to_s: float, speech_ranges: Sequence[Sequence[float]]) -> bool:
    """Whether there is speech near every instant of a stretch."""
    wide = [(start - DUCK_REACH_SECONDS, end + DUCK_REACH_SECONDS) for start, end in speech_ranges]
    near = [one for one in wide if one[1] >= from_s and one[0] <= to_s]
    if not near or near[0][0] > from_s or near[-1][1] < to_s:
        return False
    return all(after[0] <= before[1] for before, after in pairwise(near))


def speech_band_taps(rate: int) -> FloatArray:
    """The filter that cuts out the band of speech: an odd number of symmetric taps, so of linear phase."""
    reach = round(REACH_SECONDS * rate)
    size = 1 << (8 * reach).bit_length()
    octaves = np.log2(np.maximum(np.fft.rfftfreq(size, 1.0 / rate), 1.0))
    low, full, top, high = np.log2(SPEECH_BAND_HZ)
    rises = np.clip((octaves - low) / (full - low), 0.0, 1.0)
    falls = np.clip((high - octaves) / (high - top), 0.0, 1.0)
    taps = np.fft.irfft(np.sin(0.5 * np.pi * rises) ** 2 * np.sin(0.5 * np.pi * falls) ** 2, size)
    window = 0.5 + 0.5 * np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    return np.asarray(np.concatenate([taps[-reach:], taps[: reach + 1]]) * window)


def duck_blocks(blocks: Iterable[FloatArray], rate: int, ducked: DuckedBands) -> Iterator[FloatArray]:
    """Lower music under speech, block by block, from time 0 on.

    As many samples come out, float32, in other blocks where the envelopes differ. They do not depend on how the sound
    was cut into blocks; at most `CHUNK` samples and those of one block wait.
    """
    if not ducked.differ:
        done = 0
        for block in blocks:
            times = np.arange(done, done + block.shape[1]) / rate
            yield block * duck_gain(ducked.inside, times).astype(np.float32) if ducked.inside else block
            done += block.shape[1]
        return
    taps = speech_band_taps(rate)
    reach = taps.size // 2
    size = 1 << (CHUNK + 2 * reach - 1).bit_length()
    response = np.fft.rfft(taps, size)
    # overlap-save in chunks counted from the first sample: the same products of spectra for blocks of any size
    done, waiting = 0, None
    for block in blocks:
        waiting = np.pad(block, ((0, 0), (reach, 0))) if waiting is None else np.concatenate([waiting, block], axis=1)
        while waiting.shape[1] >= CHUNK + 2 * reach:
            yield _duck_chunk(waiting[:, : CHUNK + 2 * reach], done, rate, ducked, response, reach)
            done, waiting = done + CHUNK, waiting[:, CHUNK:]
    while waiting is not None and waiting.shape[1] > reach:
        left = min(CHUNK, waiting.shape[1] - reach)
        chunk = waiting[:, : CHUNK + 2 * reach]
        chunk = np.pad(chunk, ((0, 0), (0, CHUNK + 2 * reach - chunk.shape[1])))
        yield _duck_chunk(chunk, done, rate, ducked, response, reach)[:, :left]
        done, waiting = done + left, waiting[:, left:]


def outside_levels(blocks: Iterable[FloatArray], rate: int) -> LevelCurve:
    """Levels outside the band of speech."""
    alone = DuckedBands(inside=((0.0, _NOTHING_DB),), outside=((0.0, 0.0),))
    return level_curve_of_blocks(duck_blocks(blocks, rate, alone), rate)


def ducked_levels(music: LevelCurve, outside: LevelCurve | None, ducked: DuckedBands) -> LevelCurve:
    """Levels of music as it is ducked: powers of both bands are added, as if they did not overlap.

    The peak is that of `music`. `outside` is of `outside_levels`; None will do where the envelopes are equal.
    """
    times = (np.arange(music.power.size) + 0.5) / HOPS_PER_SECOND
    inside = duck_gain(ducked.inside, times) ** 2
    if outside is None or not ducked.differ:
        return LevelCurve(music.power * inside, music.peak)
    beyond = np.minimum(outside.power, music.power)
    return LevelCurve((music.power - beyond) * inside + beyond * duck_gain(ducked.outside, times) ** 2, music.peak)


def _duck_chunk(
    chunk: FloatArray, done: int, rate: int, ducked: DuckedBands, response: NDArray[np.complex128], reach: int
) -> FloatArray:
    """Duck the middle of a chunk, which begins at sample `done`; the filter reaches to both sides of it."""
    sound = chunk[:, reach : reach + CHUNK]
    times = np.arange(done, done + CHUNK) / rate
    inside, outside = duck_gain(ducked.inside, times), duck_gain(ducked.outside, times)
    out = sound * outside
    if np.any(inside != outside):
        size = 2 * (response.size - 1)
        # What the circle wraps around falls into the first samples, which lie before the middle.
        band = np.fft.irfft(np.fft.rfft(chunk, size) * response, size)[:, 2 * reach : 2 * reach + CHUNK]
        out += (inside - outside) * band
    return np.asarray(out, dtype=np.float32)
