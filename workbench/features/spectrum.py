"""The spectrogram that beats, sections and seams read: power in log-frequency bands, 100 frames a second.

Convention of time: frame i is centred on sample `i * sample_rate / frames_per_second`, with silence before and after
the sound. So an impulse at t seconds peaks at frame `t * frames_per_second`, at any sample rate.

Convention of level: a full-scale sine in the middle of a band has a power of about 1 there.

A recording is analysed at two resolutions, because onsets need short windows and pitch needs long ones:

- `power`: windows of 2048 samples at 44.1 kHz (46 ms), 24 bands an octave where the transform resolves them, one band a
  bin below (about 750 Hz).
- `tones`: the same length of window at a quarter of the rate (186 ms), one band a semitone, 20 frames a second.

A window only shows that an onset is somewhere inside it. To time onsets (`beats.track`), `energy` has the sound a
millisecond at a time, without a window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.errors import ParameterError
from workbench.features._kernels import add_bands
from workbench.recording import FloatArray, IntArray, MonoMixer, release_pages

ENERGY_PER_SECOND = 1000
"""parts of a second whose energy is summed"""
SAMPLE_RATE = 44_100
"""Hz; all sound is resampled to it"""
FRAMES_PER_SECOND = 100
"""of `power`, at any sample rate"""
TONE_FRAMES_PER_SECOND = 20
"""of `tones`; their window is 186 ms long"""
_WINDOW = 2048
"""samples of the analysis window"""
_BANDS_PER_OCTAVE = 24
"""half a semitone, the resolution of SuperFlux"""
_MIN_HZ = 30.0
"""Hz; centre of the lowest band"""
_MAX_HZ = 17_000.0
"""Hz; lossy codecs end near 16 kHz"""
_MIN_TONE = 28
"""MIDI number; E1, 41 Hz, a bass's lowest string"""
_MAX_TONE = 108
"""MIDI number; C8, a piano's highest key"""
_DIFFERENCES = (1, 2)
"""orders of the differences of samples, which weigh the attack of a sound against a bass that rings on"""
_PIECE_SAMPLES = 1 << 17
"""samples read at a time: mono and stereo of a piece stay in a core's own cache"""
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
    energy: FloatArray
    """shape (2, n), float32, read-only: squares of first and of second differences, summed over each millisecond"""
    duration: float
    """s, length of the sound"""

    def __post_init__(self) -> None:
        if self.power.ndim != 2 or self.power.shape[0] != self.band_hz.size:
            raise ParameterError(f"power must have shape ({self.band_hz.size}, n_frames), got {self.power.shape}")
        if self.tones.ndim != 2 or self.tones.shape[0] != self.tone_midi.size:
            raise ParameterError(f"tones must have shape ({self.tone_midi.size}, n_frames), got {self.tones.shape}")
        for array in (self.power, self.band_hz, self.tones, self.tone_midi, self.energy):
            array.flags.writeable = False

    @property
    def n_frames(self) -> int:
        """Number of frames of `power`."""
        return int(self.power.shape[1])


def analyze_spectrum(sound: FloatArray, sample_rate: int) -> Spectrum:
    """Compute the bands for rhythm and the tones for harmony of one recording, shape (n,) or (channels, n).

    The sound is read once, piece by piece: averaged over its channels, brought to `SAMPLE_RATE`, and again to a
    quarter of that for the tones. Neither sound is ever in memory whole. Raises `ParameterError` for a sound of another
    shape.
    """
    length = _samples_at(sound.shape[-1], sample_rate, SAMPLE_RATE)
    edges, weights, band_hz = log_bands()
    power = _BandedPower(length, SAMPLE_RATE, _WINDOW, FRAMES_PER_SECOND, edges, weights)
    low_rate = SAMPLE_RATE // 4
    tone_midi = np.arange(_MIN_TONE, _MAX_TONE + 1, dtype=np.int32)
    tones = _BandedPower(
        _samples_at(length, SAMPLE_RATE, low_rate),
        low_rate,
        _WINDOW,
        TONE_FRAMES_PER_SECOND,
        *_semitone_bands(tone_midi, low_rate, _WINDOW),
    )
    # at a quarter of the rate a window of as many samples is four times as long, which resolves semitones
    lower = _Resampler(SAMPLE_RATE, low_rate)
    energy = _Energy(length, SAMPLE_RATE)
    for piece in _mono_pieces(sound, sample_rate, SAMPLE_RATE):
        power.add(piece)
        energy.add(piece)
        tones.add(lower.resample(piece))
    tones.add(lower.rest())
    return Spectrum(
        power.finish(),
        band_hz,
        FRAMES_PER_SECOND,
        tones.finish(),
        tone_midi,
        TONE_FRAMES_PER_SECOND,
        energy.sums,
        float(sound.shape[-1] / sample_rate),
    )


def log_spectrogram(mono: FloatArray, sample_rate: int) -> FloatArray:
    """Log-frequency spectrogram in dB re a full-scale sine, -100 at least: shape (n_bands, n_frames).

    The bands are those of `log_bands`. More channels than one are averaged; raises `ParameterError` for another shape.
    """
    edges, weights, _ = log_bands()
    length = _samples_at(mono.shape[-1], sample_rate, SAMPLE_RATE)
    banded = _BandedPower(length, SAMPLE_RATE, _WINDOW, FRAMES_PER_SECOND, edges, weights)
    for piece in _mono_pieces(mono, sample_rate, SAMPLE_RATE):
        banded.add(piece)
    power = banded.finish()
    decibels: FloatArray = np.float32(10.0) * np.log10(np.maximum(power, np.float32(1e-10)))
    np.maximum(decibels, np.float32(-100.0), out=decibels)  # the logarithm rounds differently on other processors
    return decibels


def resampled(sound: FloatArray, sample_rate: int, wanted_rate: int) -> FloatArray:
    """The mean of a sound's channels at another rate, by a filter of linear phase without delay.

    Raises `ParameterError` where the sound's shape is not (n,) or (channels, n).
    """
    pieces = list(_mono_pieces(sound, sample_rate, wanted_rate))
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.float32)


def _samples_at(n_samples: int, sample_rate: int, wanted_rate: int) -> int:
    """Length of a resampled sound, as soxr gives it."""
    return (2 * n_samples * wanted_rate + sample_rate) // (2 * sample_rate)


class _Resampler:
    """Brings a mono sound to another rate as it arrives."""

    def __init__(self, sample_rate: int, wanted_rate: int) -> None:
        import soxr

        self._stream = soxr.ResampleStream(sample_rate, wanted_rate, 1, quality="HQ")

    def resample(self, piece: FloatArray) -> FloatArray:
        """Take the next samples, and give those that are ready at the wanted rate."""
        return np.asarray(self._stream.resample_chunk(piece))

    def rest(self) -> FloatArray:
        """The last samples, which waited for more."""
        return np.asarray(self._stream.resample_chunk(np.zeros(0, dtype=np.float32), last=True))


class _Energy:
    """Sums the energy of a mono sound over each millisecond as it arrives, block by block."""

    def __init__(self, n_samples: int, sample_rate: int) -> None:
        self.sums = np.zeros((len(_DIFFERENCES), n_samples * ENERGY_PER_SECOND // sample_rate + 1), dtype=np.float32)
        self._rate = sample_rate
        self._held = np.zeros(max(_DIFFERENCES), dtype=np.float32)
        self._done = 0

    def add(self, piece: FloatArray) -> None:
        """Take the next samples."""
        if not piece.size:
            return
        ends = np.array([self._done, self._done + piece.size - 1]) * ENERGY_PER_SECOND // self._rate
        parts = np.arange(ends[0], ends[1] + 1)
        starts = np.maximum(-(-parts * self._rate // ENERGY_PER_SECOND) - self._done, 0)
        held = np.concatenate((self._held, piece))
        with np.errstate(invalid="ignore", over="ignore"):  # who reads the frames refuses what is not finite
            for row, order in zip(self.sums, _DIFFERENCES, strict=True):
                change = np.diff(held, order)[-piece.size :]
                row[ends[0] : ends[1] + 1] += np.add.reduceat(np.square(change, out=change), starts)
        self._held = held[-self._held.size :].copy()
        self._done += piece.size


def _mono_pieces(sound: FloatArray, sample_rate: int, wanted_rate: int) -> Iterator[FloatArray]:
    """The mean of a sound's channels at a wanted rate, piece by piece; nothing for an empty sound."""
    if sound.ndim not in (1, 2):
        raise ParameterError(f"sound has shape (n,) or (channels, n), got {sound.shape}")
    mixer = MonoMixer()
    resampler = None if sample_rate == wanted_rate or not sound.shape[-1] else _Resampler(sample_rate, wanted_rate)
    for at in range(0, sound.shape[-1], _PIECE_SAMPLES):
        piece = sound[..., at : at + _PIECE_SAMPLES]
        if piece.ndim == 2:
            piece = piece[0] if piece.shape[0] == 1 else mixer.mix(piece)
        piece = np.ascontiguousarray(piece, dtype=np.float32)
        yield piece if resampler is None else resampler.resample(piece)
        release_pages(sound)
    if resampler is not None:
        yield resampler.rest()


class _ShortTimePower:
    """Short-time power spectra of a mono sound of `n_samples`, as it arrives.

    They come in blocks, so that memory does not grow with the recording. A full-scale sine on a bin has the power 1.
    """

    def __init__(self, n_samples: int, sample_rate: int, window: int, frames_per_second: int) -> None:
        self.n_frames = count_frames(n_samples, sample_rate, frames_per_second)
        self.silence = np.zeros(window, dtype=np.float32)
        """what follows the sound"""
        hann = np.hanning(window + 1)[:-1]
        self._shape = (hann * (2.0 / hann.sum())).astype(np.float32)
        self._hop = sample_rate / frames_per_second
        self._window = window
        self._held = np.zeros(window // 2, dtype=np.float32)
        self._held_from = -(window // 2)
        self._done = 0

    def blocks(self, piece: FloatArray) -> Iterator[tuple[int, FloatArray]]:
        """Take the next samples, and give the blocks that are complete.

        Each is its first frame and power of shape (n_block, window // 2 + 1), float32.
        """
        from scipy import fft

        half = self._window // 2
        held = np.concatenate((self._held, piece))
        while self._done < self.n_frames:
            count = min(_BLOCK_FRAMES, self.n_frames - self._done)
            centres = np.round(np.arange(self._done, self._done + count) * self._hop).astype(np.int64)
            starts = centres - half - self._held_from
            # whole blocks only, so that frames do not depend on the pieces in which the sound arrives
            if starts[-1] + self._window > held.size:
                break
            views = np.lib.stride_tricks.sliding_window_view(held, self._window)
            spectra = fft.rfft(views[starts] * self._shape, axis=1)
            yield self._done, np.square(spectra.real) + np.square(spectra.imag)
            self._done += count
        used = min(max(round(self._done * self._hop) - half - self._held_from, 0), held.size)
        self._held = held[used:].copy()
        self._held_from += used


def count_frames(n_samples: int, sample_rate: int, frames_per_second: int) -> int:
    """Number of frames whose centres lie in a sound: floor(duration * frames_per_second) + 1, or 0 for an empty one."""
    return int(n_samples * frames_per_second // sample_rate) + 1 if n_samples else 0


def log_bands() -> tuple[IntArray, FloatArray, FloatArray]:
    """Triangular bands of unit area on a logarithmic frequency axis; one bin wide where bins are wider than bands.

    The unique filters of Böck & Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013: first bin
    and one past the last bin of each band, the weights of those bins (zero beyond the band), and the centres in Hz.
    """
    bin_hz = SAMPLE_RATE / _WINDOW
    top = min(_MAX_HZ, SAMPLE_RATE / 2 - 2 * bin_hz)
    steps = int(np.ceil(_BANDS_PER_OCTAVE * np.log2(top / _MIN_HZ))) + 2
    frequencies = _MIN_HZ * 2.0 ** (np.arange(steps) / _BANDS_PER_OCTAVE)
    # bands that fall on the same bin become one: below about 750 Hz bins are wider than bands
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
        # a low semitone may lie between two bins and hold next to nothing of either
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


class _BandedPower:
    """Short-time power of a mono sound of `n_samples` in the bands of `log_bands`, as it arrives."""

    def __init__(
        self,
        n_samples: int,
        sample_rate: int,
        window: int,
        frames_per_second: int,
        edges: IntArray,
        weights: FloatArray,
    ) -> None:
        self._frames = _ShortTimePower(n_samples, sample_rate, window, frames_per_second)
        self._edges, self._weights = edges, weights
        self._power = np.zeros((edges.shape[0], self._frames.n_frames), dtype=np.float32)

    def add(self, piece: FloatArray) -> None:
        """Take the next samples."""
        for first, block in self._frames.blocks(piece):
            add_bands(block, self._edges, self._weights, self._power[:, first : first + block.shape[0]])

    def finish(self) -> FloatArray:
        """The power in bands, once all of the sound is in, shape (n_bands, n_frames), float32."""
        self.add(self._frames.silence)
        return self._power
