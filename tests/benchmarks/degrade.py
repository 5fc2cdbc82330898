"""A recording spoiled in the ways that recordings are, with its truth kept: the same samples every time.

| kind        | what is done                                                                                |
|-------------|---------------------------------------------------------------------------------------------|
| noise       | pink noise, 10 dB under the music                                                           |
| mp3         | MP3 at 48 kb/s and back                                                                     |
| telephone   | mono, 300 to 3400 Hz, 8-bit mu-law                                                          |
| small       | a small speaker: mono, nothing under 250 Hz or over 8 kHz, a resonance, soft saturation      |
| clipped     | turned up until a tenth of the samples is cut off                                           |
| speech      | the bundled narration, over and over, 6 dB above the music                                  |
| slower      | played 4 % slower and lower, as from a tape                                                 |
| faster      | played 4 % faster and higher                                                                |

Nothing here delays: filters run both ways, and what a codec adds in front is found by correlation with what went in,
and taken off. Only `slower` and `faster` move the truth: times are divided by `speed(kind)`.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction

import av
import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray
from scipy import signal

from tests.benchmarks.tracks import BUNDLED

Samples = NDArray[np.float32]

NOISE_BELOW_DB = 10.0
MP3_BITS_PER_SECOND = 48_000
TELEPHONE_HZ = (300.0, 3400.0)
SPEAKER_HZ = (250.0, 8000.0)
SPEAKER_RESONANCE_HZ = 900.0
CLIPPED_SHARE = 0.1
SPEECH_ABOVE_DB = 6.0
SPEEDS = {"slower": 0.96, "faster": 1.04}
CODEC_REACH_SECONDS = 0.2  # longest delay of a codec that is looked for


def speed(kind: str) -> float:
    """How many seconds of the original pass in one second of the degraded recording."""
    return SPEEDS.get(kind, 1.0)


def degrade(samples: Samples, rate: int, kind: str) -> Samples:
    """The spoiled recording, shape (channels, n) as given (n divided by `speed(kind)`), peaks at most 1.

    Raises KeyError for a kind that is not in `KINDS`.
    """
    spoiled = KINDS[kind](samples.astype(np.float64), rate)
    return (spoiled / max(1.0, float(np.abs(spoiled).max(initial=0.0)))).astype(np.float32)


def rms(samples: NDArray[np.float64]) -> float:
    """Root mean square over all channels; a tiny number for silence, so that it can be divided by."""
    return float(np.sqrt(np.mean(samples**2)) + 1e-12)


def noisy(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """Pink noise from 20 Hz up, the same in every run, its own in every channel."""
    n = samples.shape[1]
    frequency = np.maximum(np.fft.rfftfreq(n, 1.0 / rate), 20.0)
    white = np.fft.rfft(np.random.default_rng(0).normal(size=samples.shape), axis=1)
    pink = np.fft.irfft(white / np.sqrt(frequency), n, axis=1)
    noise: NDArray[np.float64] = pink * (rms(samples) / rms(pink) * 10.0 ** (-NOISE_BELOW_DB / 20.0))
    return samples + noise


def through_mp3(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """Encoded and decoded, lined up with what went in, as long as it."""
    layout = "mono" if samples.shape[0] == 1 else "stereo"
    kept = np.ascontiguousarray(samples[:2].astype(np.float32))
    coded = io.BytesIO()
    with av.open(coded, "w", format="mp3") as container:
        stream = container.add_stream("libmp3lame", rate=rate, layout=layout)
        stream.bit_rate = MP3_BITS_PER_SECOND
        frame = av.AudioFrame.from_ndarray(kept, format="fltp", layout=layout)
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    coded.seek(0)
    with av.open(coded, "r") as decoded:
        resampler = av.AudioResampler(format="fltp", layout=layout, rate=rate)
        parts = [part.to_ndarray() for frame in decoded.decode(audio=0) for part in resampler.resample(frame)]
        parts += [part.to_ndarray() for part in resampler.resample(None)]
    return lined_up(samples, np.concatenate(parts, axis=1).astype(np.float64), rate)


def lined_up(samples: NDArray[np.float64], decoded: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """`decoded` moved to where it agrees most with `samples`, cut or padded to their length."""
    n, reach = samples.shape[1], int(CODEC_REACH_SECONDS * rate)
    agreement = signal.correlate(decoded.mean(axis=0), samples.mean(axis=0), method="fft")
    lags = signal.correlation_lags(decoded.shape[1], n)
    near = np.abs(lags) <= reach
    lag = int(lags[near][np.argmax(agreement[near])])
    moved = np.pad(decoded, ((0, 0), (max(0, -lag), n)))[:, max(0, lag) :]
    return moved[:, :n]


def band(samples: NDArray[np.float64], rate: int, edges: tuple[float, float]) -> NDArray[np.float64]:
    """What lies between two frequencies, without delay."""
    sections = signal.butter(4, [edges[0], min(edges[1], 0.45 * rate)], "bandpass", fs=rate, output="sos")
    return np.asarray(signal.sosfiltfilt(sections, samples, axis=1))


def mono(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """All channels alike, their number kept."""
    return np.repeat(samples.mean(axis=0, keepdims=True), samples.shape[0], axis=0)


def telephone(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """The band of a telephone, then 255 steps of mu-law (ITU-T G.711's curve)."""
    heard = band(mono(samples), rate, TELEPHONE_HZ)
    heard = heard / max(float(np.abs(heard).max(initial=0.0)), 1e-12)
    coded = np.round(127.0 * np.sign(heard) * np.log1p(255.0 * np.abs(heard)) / np.log(256.0)) / 127.0
    return np.asarray(np.sign(coded) * np.expm1(np.abs(coded) * np.log(256.0)) / 255.0)


def small_speaker(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """A narrow band with a resonance, driven until it saturates."""
    heard = band(mono(samples), rate, SPEAKER_HZ)
    numerator, denominator = signal.iirpeak(SPEAKER_RESONANCE_HZ, 2.0, fs=rate)
    heard = heard + signal.filtfilt(numerator, denominator, heard, axis=1)
    return np.asarray(np.tanh(heard / (3.0 * rms(heard))))


def clipped(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """Cut off at the level that one sample in ten exceeds."""
    level = max(float(np.quantile(np.abs(samples), 1.0 - CLIPPED_SHARE)), 1e-12)
    cut: NDArray[np.float64] = np.clip(samples / level, -1.0, 1.0)
    return cut


def under_speech(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
    """The narration on both sides, from the first sample to the last."""
    words, words_rate = soundfile.read(BUNDLED / "voice" / "narration.ogg", dtype="float64", always_2d=True)
    voice: NDArray[np.float64] = np.asarray(soxr.resample(words.mean(axis=1), words_rate, rate))
    looped = np.resize(voice, samples.shape[1])
    spoken: NDArray[np.float64] = looped * (rms(samples) / rms(voice) * 10.0 ** (SPEECH_ABOVE_DB / 20.0))
    return samples + spoken


def varispeed(kind: str) -> Callable[[NDArray[np.float64], int], NDArray[np.float64]]:
    """Tempo and pitch together, by resampling."""

    def play(samples: NDArray[np.float64], rate: int) -> NDArray[np.float64]:
        return np.ascontiguousarray(soxr.resample(samples.T, rate, rate / SPEEDS[kind]).T)

    return play


KINDS: dict[str, Callable[[NDArray[np.float64], int], NDArray[np.float64]]] = {
    "noise": noisy,
    "mp3": through_mp3,
    "telephone": telephone,
    "small": small_speaker,
    "clipped": clipped,
    "speech": under_speech,
    "slower": varispeed("slower"),
    "faster": varispeed("faster"),
}
