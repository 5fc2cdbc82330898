"""The spectrogram that beats, sections and seams read: power in log-frequency bands, 100 frames a second.

Convention of time: frame i is centred on sample `i * sample_rate / frames_per_second`, with silence before and after
the sound. So an impulse at t seconds peaks at frame `t * frames_per_second`, at any sample rate.

Convention of level: a full-scale sine in the middle of a band has a power of about 1 there.

A recording is analysed at two resolutions, because onsets need short windows and pitch needs long ones:

- `power`: windows of 2048 samples at 44.1 kHz (46 ms), 24 bands an octave where the transform resolves them, one band a
  bin below (about 750 Hz).
- `tones`: the same length of window at a quarter of the rate (186 ms), one band a semitone, 20 frames a second.

Functions: `analyze_spectrum` (both), `log_spectrogram`, `stft_power`, `power_blocks`, `log_bands`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.errors import ParameterError
from workbench.params import SpectrumParams
from workbench.recording import FloatArray, IntArray, release_pages

_RESAMPLE_SAMPLES = 1 << 20
"""samples resampled at a time"""
_BLOCK_FRAMES = 128
"""frames transformed at a time: 1 MB of float32 at 2048 samples, which stays in a core's own cache; measured, a quarter
quicker than 512"""


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Power of one recording in bands and frames."""

    power: FloatArray
    """shape (n_bands, n_frames), float32, read-only"""
    band_hz: FloatArray
    """shape (n_bands,), centre of each band, Hz, increasing"""
    frames_per_second: int
    """frame i of `power` is centred at i / frames_per_second s"""
    tones: FloatArray
    """shape (n_tones, n_tone_frames), float32, read-only"""
    tone_midi: IntArray
    """shape (n_tones,), MIDI number of each semitone band"""
    tone_frames_per_second: int
    """frame i of `tones` is centred at i / tone_frames_per_second s"""
    duration: float
    """s, length of the sound"""

    def __post_init__(self) -> None:
        if self.power.ndim != 2 or self.power.shape[0] != self.band_hz.size:
            raise ParameterError(f"power must have shape ({self.band_hz.size}, n_frames), got {self.power.shape}")
        if self.tones.ndim != 2 or self.tones.shape[0] != self.tone_midi.size:
            raise ParameterError(f"tones must have shape ({self.tone_midi.size}, n_frames), got {self.tones.shape}")
        for array in (self.power, self.band_hz, self.tones, self.tone_midi):
            array.flags.writeable = False

    @property
    def n_frames(self) -> int:
        """Number of frames of `power`."""
        return int(self.power.shape[1])


def analyze_spectrum(sound: FloatArray, sample_rate: int, params: SpectrumParams | None = None) -> Spectrum:
    """Compute the bands for rhythm and the tones for harmony of one recording.

    Channels are averaged block by block where they are read, so that no mono copy of a long recording is needed; the
    exception is a recording at another rate than `params.sample_rate`, whose resampled mono sum is held in memory.

    Parameters
    ----------
    sound : shape (n,) or (channels, n), full scale 1.0; may be empty
    sample_rate : Hz
    params : rate, frames and window; None: the defaults

    Returns
    -------
    Spectrum : with floor(duration * frames_per_second) + 1 frames, none for an empty sound

    Raises
    ------
    ParameterError : a sound of another shape
    """
    params = params or SpectrumParams()
    duration = sound.shape[-1] / sample_rate
    if sample_rate != params.sample_rate:
        sound = resampled(sound, sample_rate, params.sample_rate)
    edges, weights, band_hz = log_bands(params)
    power = _banded(sound, params.sample_rate, params.window, params.frames_per_second, edges, weights)
    low_rate = params.sample_rate // 4
    low = resampled(sound, params.sample_rate, low_rate)
    tone_midi = np.arange(params.min_tone, params.max_tone + 1, dtype=np.int32)
    tone_edges, tone_weights = _semitone_bands(tone_midi, low_rate, params.window)
    tones = _banded(low, low_rate, params.window, params.tone_frames_per_second, tone_edges, tone_weights)
    return Spectrum(
        power, band_hz, params.frames_per_second, tones, tone_midi, params.tone_frames_per_second, float(duration)
    )


def log_spectrogram(mono: FloatArray, sample_rate: int, params: SpectrumParams | None = None) -> FloatArray:
    """Log-frequency spectrogram in dB.

    Parameters
    ----------
    mono : shape (n,), full scale 1.0; more channels are averaged
    sample_rate : Hz
    params : rate, frames, window and bands; None: the defaults

    Returns
    -------
    shape (n_bands, n_frames), float32, dB re a full-scale sine, -100 at least; bands of `log_bands`

    Raises
    ------
    ParameterError : a sound of another shape
    """
    params = params or SpectrumParams()
    sound = resampled(mono, sample_rate, params.sample_rate)
    edges, weights, _ = log_bands(params)
    power = _banded(sound, params.sample_rate, params.window, params.frames_per_second, edges, weights)
    decibels: FloatArray = np.float32(10.0) * np.log10(np.maximum(power, np.float32(1e-10)))
    np.maximum(decibels, np.float32(-100.0), out=decibels)  # the logarithm rounds differently on other processors
    return decibels


def resampled(sound: FloatArray, sample_rate: int, wanted_rate: int) -> FloatArray:
    """The mono sum of a sound at another rate, by a filter of linear phase without delay.

    Parameters
    ----------
    sound : shape (n,) or (channels, n)
    sample_rate, wanted_rate : Hz

    Returns
    -------
    shape (n * wanted_rate / sample_rate,), float32, mean of the channels

    Raises
    ------
    ParameterError : a sound of another shape
    """
    if sample_rate == wanted_rate or sound.shape[-1] == 0:
        return _mono(sound, 0, sound.shape[-1])
    import soxr

    stream = soxr.ResampleStream(sample_rate, wanted_rate, 1, quality="HQ")
    length = sound.shape[-1]
    starts = range(0, length, _RESAMPLE_SAMPLES)
    parts = []
    for at in starts:
        chunk = _mono(sound, at, min(at + _RESAMPLE_SAMPLES, length))
        parts.append(stream.resample_chunk(chunk, last=at + _RESAMPLE_SAMPLES >= length))
        release_pages(sound)
    changed: FloatArray = np.concatenate(parts)
    return changed


def _mono(sound: FloatArray, first: int, stop: int) -> FloatArray:
    """Samples first to stop of a sound as the mean of its channels, shape (n,), float32; zeros outside the sound."""
    if sound.ndim not in (1, 2):
        raise ParameterError(f"sound has shape (n,) or (channels, n), got {sound.shape}")
    inside = sound[..., max(first, 0) : max(stop, 0)]
    if inside.ndim == 2:
        inside = inside[0] if inside.shape[0] == 1 else inside.mean(axis=0, dtype=np.float32)
    before = max(0, min(stop, 0) - first)
    after = stop - first - before - inside.size
    if before or after:
        inside = np.pad(inside, (before, after))
    return np.ascontiguousarray(inside, dtype=np.float32)


def power_blocks(
    sound: FloatArray, sample_rate: int, window: int, frames_per_second: int, block_frames: int = _BLOCK_FRAMES
) -> Iterator[tuple[int, FloatArray]]:
    """Short-time power spectra, a block of frames at a time, so that memory does not grow with the recording.

    Parameters
    ----------
    sound : shape (n,) or (channels, n), full scale 1.0; channels are averaged
    sample_rate : Hz
    window : samples; a Hann window
    frames_per_second : frame i is centred on sample round(i * sample_rate / frames_per_second)
    block_frames : frames in a block

    Yields
    ------
    index of the first frame, and power of shape (n_block, window // 2 + 1), float32; a full-scale sine on a bin is 1
    """
    from scipy import fft

    n_frames = count_frames(sound.shape[-1], sample_rate, frames_per_second)
    half = window // 2
    hann = np.hanning(window + 1)[:-1]
    shape = (hann * (2.0 / hann.sum())).astype(np.float32)
    for first in range(0, n_frames, block_frames):
        count = min(block_frames, n_frames - first)
        centres = np.round(np.arange(first, first + count) * (sample_rate / frames_per_second)).astype(np.int64)
        begin = int(centres[0]) - half
        views = np.lib.stride_tricks.sliding_window_view(_mono(sound, begin, int(centres[-1]) + half), window)
        spectra = fft.rfft(views[centres - half - begin] * shape, axis=1)
        yield first, np.square(spectra.real) + np.square(spectra.imag)
        release_pages(sound)


def stft_power(sound: FloatArray, sample_rate: int, window: int, frames_per_second: int) -> FloatArray:
    """Short-time power spectrum as one array; see `power_blocks` for the conventions.

    Parameters
    ----------
    sound : shape (n,) or (channels, n), full scale 1.0; channels are averaged
    sample_rate : Hz
    window : samples
    frames_per_second : frames of the result

    Returns
    -------
    shape (window // 2 + 1, n_frames), float32
    """
    n_frames = count_frames(sound.shape[-1], sample_rate, frames_per_second)
    power = np.empty((n_frames, window // 2 + 1), dtype=np.float32)
    for first, block in power_blocks(sound, sample_rate, window, frames_per_second):
        power[first : first + block.shape[0]] = block
    return np.ascontiguousarray(power.T)


def count_frames(n_samples: int, sample_rate: int, frames_per_second: int) -> int:
    """Number of frames whose centres lie in a sound.

    Parameters
    ----------
    n_samples : length of the sound
    sample_rate : Hz
    frames_per_second : of the spectrogram

    Returns
    -------
    floor(duration * frames_per_second) + 1, or 0 for an empty sound
    """
    return int(n_samples * frames_per_second // sample_rate) + 1 if n_samples else 0


def log_bands(params: SpectrumParams) -> tuple[IntArray, FloatArray, FloatArray]:
    """Triangular bands of unit area on a logarithmic frequency axis; one bin wide where bins are wider than bands.

    Parameters
    ----------
    params : rate, window, range of frequency and bands an octave

    Returns
    -------
    edges : shape (n_bands, 2), first bin and one past the last bin of each band
    weights : shape (n_bands, widest), float32, weights of those bins, zero beyond the band
    centres : shape (n_bands,), Hz

    References
    ----------
    The unique filters of Böck & Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.
    """
    bin_hz = params.sample_rate / params.window
    top = min(params.max_hz, params.sample_rate / 2 - 2 * bin_hz)
    steps = int(np.ceil(params.bands_per_octave * np.log2(top / params.min_hz))) + 2
    frequencies = params.min_hz * 2.0 ** (np.arange(steps) / params.bands_per_octave)
    bins = np.unique(np.round(frequencies[frequencies <= top] / bin_hz).astype(np.int64))
    bins = bins[bins >= 1]
    corners = np.concatenate(([bins[0] - 1], bins, [bins[-1] + 1]))
    rows = []
    for low, centre, high in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        inside = np.arange(low + 1, high)
        rise = (inside - low) / (centre - low)
        fall = (high - inside) / (high - centre)
        row = np.minimum(rise, fall)
        rows.append((int(low + 1), row / row.sum()))
    edges, weights = _packed(rows)
    return edges, weights, bins * bin_hz


def _semitone_bands(midi: IntArray, sample_rate: int, window: int) -> tuple[IntArray, FloatArray]:
    """Bands one semitone wide: triangles over the bins within a semitone of each tone, or its nearest bin."""
    bin_hz = sample_rate / window
    rows = []
    for number in midi:
        centre = 440.0 * 2.0 ** ((int(number) - 69) / 12) / bin_hz
        low, high = centre * 2.0 ** (-1 / 12), centre * 2.0 ** (1 / 12)
        inside = np.arange(int(np.ceil(low)), int(np.floor(high)) + 1)
        distance = np.abs(12 * np.log2(inside / centre)) if inside.size else np.zeros(0)
        row = np.maximum(1.0 - distance, 0.0)
        if row.sum() < 0.2:
            inside, row = np.array([round(centre)]), np.ones(1)
        rows.append((int(inside[0]), row))
    return _packed(rows)


def _packed(rows: list[tuple[int, FloatArray]]) -> tuple[IntArray, FloatArray]:
    """First bin and weights of each band as the two rectangular arrays that the kernel reads."""
    widest = max(row.size for _, row in rows)
    edges = np.array([(first, first + row.size) for first, row in rows], dtype=np.int64)
    weights = np.zeros((len(rows), widest), dtype=np.float32)
    for band, (_, row) in enumerate(rows):
        weights[band, : row.size] = row
    return edges, weights


def _banded(
    sound: FloatArray, sample_rate: int, window: int, frames_per_second: int, edges: IntArray, weights: FloatArray
) -> FloatArray:
    """Short-time power summed in bands, shape (n_bands, n_frames), float32."""
    from workbench.features._kernels import add_bands

    n_frames = count_frames(sound.shape[-1], sample_rate, frames_per_second)
    power = np.zeros((edges.shape[0], n_frames), dtype=np.float32)
    for first, block in power_blocks(sound, sample_rate, window, frames_per_second):
        add_bands(block, edges, weights, power[:, first : first + block.shape[0]])
    return power
