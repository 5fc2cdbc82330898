"""A voice that sings over the music, and one that talks: what most recordings have and sound fonts lack.

Singing is a glottal pulse with portamento and vibrato, filtered by the formants of vowels that change with every
syllable. Its notes are taken from the pitch classes that sound in the music, its syllables begin around the beats, as
singers do, or where they like: it is there so that a network learns not to follow it. Talk is synthesised by eSpeak NG.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from functools import cache

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray
from scipy import fft, signal

from data.recipes.training.voices import RATE, Samples

_SUNG_RATE = RATE // 2
_VOWELS_HZ = (
    (800, 1150, 2900), (400, 1600, 2700), (300, 2200, 3000), (450, 800, 2830), (325, 700, 2530), (600, 1700, 2500),
)  # fmt: skip
"""three formants of a, e, i, o, u and an open e, after Peterson and Barney (1952)"""
_SENTENCES = (
    "Welcome back to the show, we have a lot to get through today.",
    "I did not think it would take this long, but here we are.",
    "Turn left at the second light and keep going until you see the river.",
    "So the first thing you want to do is open the box and lay out all the parts.",
    "The weather for the weekend: clouds in the north, sun along the coast.",
    "Nobody told us that the bridge was closed, so we walked.",
    "And then, all of a sudden, the whole room went quiet.",
    "It costs less than you think and it lasts for years.",
    "We met in the spring of that year, somewhere near the old harbour.",
    "Two cups of flour, a pinch of salt, and three eggs.",
    "Yes, no, maybe. Ask me again tomorrow.",
    "Today we are looking at how birds find their way home.",
    "Please mind the gap between the train and the platform.",
    "If you liked this, tell a friend; if you did not, tell us.",
)
_TALKERS = ("en-us", "en-gb", "de", "fr-fr", "es", "it", "pt-br", "sv", "pl", "hi", "en-gb-scotland", "nl")
_TIMBRES = ("", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f3", "+f5", "+croak", "+whisper")


def sung(sound: NDArray[np.float32], rng: np.random.Generator, beats: NDArray[np.float64] | None = None) -> Samples:
    """A sung line over `sound`, mono, shape (n,), RMS near 0.1 while it sings.

    Parameters
    ----------
    sound : shape (n, 2), what is sung to
    beats : seconds; half of the singers are led by them, loosely, the others and all without beats by nothing
    """
    seconds = len(sound) / RATE
    onsets, lengths = _syllables(seconds, rng, beats)
    size = round(seconds * _SUNG_RATE)
    if not onsets.size:
        return np.zeros(len(sound), dtype=np.float32)
    pitches = _melody(sound, onsets, rng)
    time = np.arange(size) / _SUNG_RATE
    glide = rng.uniform(0.02, 0.09)
    knots = np.stack([onsets - glide / 2, onsets + glide / 2], axis=1).ravel()
    values = np.stack([np.concatenate(([pitches[0] - 2.0], pitches[:-1])), pitches], axis=1).ravel()
    pitch = np.interp(time, knots, values)
    since = time - onsets[np.clip(np.searchsorted(onsets, time, side="right") - 1, 0, None)]
    vibrato = rng.uniform(0.1, 0.6) * np.clip((since - 0.2) / 0.4, 0, 1)
    pitch += vibrato * np.sin(2 * np.pi * np.cumsum(np.full(size, rng.uniform(4.8, 6.5) / _SUNG_RATE)))
    source = _glottal(440 * 2 ** ((pitch - 69) / 12), rng)
    level, vowels = _articulation(onsets, lengths, size, rng)
    voice = np.zeros(size)
    for vowel, weight in vowels.items():
        voice += weight * _through_formants(source, _VOWELS_HZ[vowel], rng.uniform(0.9, 1.2))
    voice *= level
    voice /= np.sqrt(np.mean(voice[level > 0.3] ** 2)) * 10 + 1e-9
    voice += _consonants(onsets, size, rng)
    return _fitted(soxr.resample(voice.astype(np.float32), _SUNG_RATE, RATE, "LQ"), len(sound))


def _syllables(
    seconds: float, rng: np.random.Generator, beats: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Onsets and lengths in seconds, in phrases with rests between them."""
    led = beats is not None and len(beats) > 4 and rng.random() < 0.5
    typical, spread = rng.uniform(0.18, 0.5), rng.uniform(0.2, 0.6)
    onsets, lengths = [], []
    now = float(rng.uniform(0, 6))
    while now < seconds - 1:
        phrase_end = min(now + rng.uniform(1.5, 6), seconds - 0.5)
        while now < phrase_end:
            step = float(typical * np.exp(rng.normal() * spread))
            onsets.append(now)
            lengths.append(step * rng.uniform(0.7, 1.0))
            now += step
        now += rng.uniform(0.5, 4)
    found, held = np.array(onsets), np.array(lengths)
    if led and beats is not None:
        halves = np.interp(np.arange(2 * len(beats) - 1) / 2, np.arange(len(beats)), beats)
        nearest = halves[np.abs(found[:, None] - halves).argmin(axis=1)]
        found = nearest + rng.normal(rng.uniform(-0.01, 0.05), rng.uniform(0.02, 0.06), len(found))
        found, index = np.unique(np.round(np.clip(found, 0.05, seconds - 0.2), 3), return_index=True)
        held = held[index]
    return found, held


def _melody(sound: NDArray[np.float32], onsets: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A pitch for every syllable: near the last one, among the pitch classes that sound then."""
    hop = RATE
    mono = sound[: len(sound) // hop * hop].mean(axis=1).reshape(-1, hop)
    power = np.abs(fft.rfft(mono[:, ::4], axis=1)) ** 2
    hz = np.arange(power.shape[1])
    inside = (hz > 110) & (hz < 1500)
    classes = np.round(12 * np.log2(hz[inside] / 440.0)).astype(int) % 12
    chroma = np.stack([power[:, inside][:, classes == number].sum(axis=1) for number in range(12)], axis=1)
    centre = rng.uniform(50, 70)
    now, found = centre, []
    for onset in onsets:
        strong = np.argsort(chroma[min(int(onset), len(chroma) - 1)])[-int(rng.integers(2, 6)) :]
        candidates = np.array([p for p in range(round(centre) - 12, round(centre) + 13) if (p - 69) % 12 in strong])
        weights = np.exp(-np.abs(candidates - now) / 3.0 - np.abs(candidates - centre) / 6.0)
        now = float(rng.choice(candidates, p=weights / weights.sum()))
        found.append(now + rng.normal() * 0.15)
    return np.array(found)


def _glottal(hz: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Pulses of the vocal folds (open, then closing quickly), with breath."""
    phase = np.cumsum(hz / _SUNG_RATE) % 1.0
    opened = rng.uniform(0.5, 0.8)
    pulse = np.where(phase < opened, (phase / opened) ** 2 * (1 - phase / opened), 0.0)
    breath = rng.standard_normal(len(hz)) * rng.uniform(0.002, 0.03)
    return np.diff(pulse, prepend=0.0) * 8 + breath


def _through_formants(source: NDArray[np.float64], formants: tuple[int, ...], size: float) -> NDArray[np.float64]:
    """The source through parallel resonators; `size` above 1 is a shorter throat."""
    out = np.zeros_like(source)
    for level, hz, width in zip((1.0, 0.8, 0.5), formants, (90, 110, 170), strict=True):
        radius = np.exp(-np.pi * width / _SUNG_RATE)
        angle = 2 * np.pi * hz * size / _SUNG_RATE
        # the sine makes all resonances equally high
        gain = level * (1 - radius) * np.sin(angle)
        out += signal.lfilter([gain], [1, -2 * radius * np.cos(angle), radius**2], source)
    return out


def _articulation(
    onsets: NDArray[np.float64], lengths: NDArray[np.float64], size: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
    """The level over time, and the weight of each vowel over time."""
    level = np.zeros(size)
    vowels = [int(v) for v in rng.choice(len(_VOWELS_HZ), 4, replace=False)]
    weights = {vowel: np.zeros(size) for vowel in vowels}
    for onset, length in zip(onsets, lengths, strict=True):
        begin, end = round(onset * _SUNG_RATE), min(round((onset + length) * _SUNG_RATE), size)
        if end - begin < 64:
            continue
        time = np.arange(end - begin) / _SUNG_RATE
        shape = np.clip(time / rng.uniform(0.01, 0.05), 0, 1) * np.clip((length - time) / 0.05, 0, 1)
        level[begin:end] = shape * rng.uniform(0.5, 1.0)
        weights[vowels[int(rng.integers(4))]][begin:end] = 1.0
    return level, weights


def _consonants(onsets: NDArray[np.float64], size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A short noise before about half of the syllables."""
    noise = np.zeros(size)
    low = rng.uniform(1500, 4000)
    for onset in onsets:
        if rng.random() < 0.5:
            length = round(rng.uniform(0.01, 0.09) * _SUNG_RATE)
            begin = max(round(onset * _SUNG_RATE) - length, 0)
            room = noise[begin : begin + length]
            room += (rng.standard_normal(length) * np.hanning(length) * rng.uniform(0.004, 0.05))[: len(room)]
    sharp: NDArray[np.float64] = signal.sosfilt(signal.butter(2, low, "highpass", fs=_SUNG_RATE, output="sos"), noise)
    return sharp


def can_talk() -> bool:
    """Whether eSpeak NG is installed."""
    return shutil.which("espeak-ng") is not None


def talk(size: int, rng: np.random.Generator) -> Samples:
    """One person talking with pauses, mono, shape (size,), RMS near 0.1 while speaking."""
    out = np.zeros(size, dtype=np.float32)
    talker = str(rng.choice(_TALKERS)) + str(rng.choice(_TIMBRES))
    words, pitch = int(rng.choice([130, 160, 190])), int(rng.choice([25, 45, 65]))
    now = int(rng.uniform(0, 5) * RATE)
    while now < size:
        clip = _spoken(int(rng.integers(len(_SENTENCES))), talker, words, pitch)
        room = out[now : now + len(clip)]
        room += clip[: len(room)]
        now += len(clip) + int(rng.choice([rng.uniform(0.1, 0.6), rng.uniform(1, 5)]) * RATE)
    return out


@cache
def _spoken(sentence: int, talker: str, words_a_minute: int, pitch: int) -> Samples:
    """One sentence at 44.1 kHz, RMS 0.1."""
    command = ["espeak-ng", "-v", talker, "-s", str(words_a_minute), "-p", str(pitch), "--stdout", _SENTENCES[sentence]]
    spoken = subprocess.run(command, check=True, capture_output=True).stdout
    samples, rate = soundfile.read(io.BytesIO(spoken), dtype="float32")
    clip: Samples = soxr.resample(samples, rate, RATE, "LQ")
    return clip * np.float32(0.1 / (np.sqrt(np.mean(clip**2)) + 1e-6))


def _fitted(sound: Samples, size: int) -> Samples:
    return np.pad(sound[:size], (0, max(size - len(sound), 0)))
