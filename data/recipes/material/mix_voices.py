"""Sounds that fool speech detectors: singing, laughter, animals. Synthesised from a seed, mono at 24 kHz.

Three singers. `singing` is a glottal pulse with portamento and vibrato through the formants of vowels, with consonants
between, as `data/recipes/training/singing.py` makes it. `sung_words` takes what somebody said apart into a source and a
filter (linear prediction), holds the vowels for the length of notes and drives the filter with a melody.
`sung_diphones` is Festival's singing mode with the recorded diphones of `festvox-kallpc16k`, where they are installed.
Laughter is a row of voiced breaths at about five a second that fall in pitch; barks are harsh, short, falling
harmonics; birds whistle.

Functions: `singing`, `sung_words`, `sung_diphones`, `laughter`, `barks`, `birds`, `monkeys`.

References
----------
B. S. Atal and S. L. Hanauer, "Speech analysis and synthesis by linear prediction of the speech wave", JASA 50 (1971).
P. Taylor, A. Black, R. Caley, "The architecture of the Festival speech synthesis system", ESCA workshop (1998).
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr
from scipy import signal

from data.recipes.material.mix_videos import RATE, Sound, at_level
from data.recipes.training.singing import sung
from data.recipes.training.voices import RATE as TRAINING_RATE

_VOWELS = ((800, 1150, 2900), (400, 1600, 2700), (300, 2200, 3000), (450, 800, 2830))


def singing(rng: np.random.Generator, size: int, over: Sound | None = None) -> Sound:
    """A sung line, its notes from what sounds in `over`, or from a scale of its own."""
    under = _scale(size) if over is None else over
    stereo = np.repeat(soxr.resample(under, RATE, TRAINING_RATE)[:, None], 2, axis=1).astype(np.float32)
    line = soxr.resample(sung(stereo, rng), TRAINING_RATE, RATE)
    return np.pad(line, (0, max(0, size - line.size)))[:size].astype(np.float32)


def _scale(size: int) -> Sound:
    """Something in C major, for the notes to be taken from."""
    time = np.arange(size) / RATE
    tones = [np.sin(2 * np.pi * 261.6 * 2 ** (k / 12) * time) for k in (0, 2, 4, 5, 7, 9)]
    scale: Sound = np.sum(tones, axis=0).astype(np.float32)
    return scale


_STEP = RATE // 200  # of the analysis into source and filter, 5 ms
_FRAME = RATE // 40
_ORDER = 28
_MAJOR = (0, 2, 4, 5, 7, 9, 11)


def _tune(rng: np.random.Generator, count: int, centre: float) -> list[float]:
    """A melody of so many notes in a major key, MIDI numbers: mostly steps, now and then a leap."""
    tonic = centre + rng.uniform(-3, 3)
    scale = sorted(tonic + degree + 12 * octave for octave in (-1, 0, 1) for degree in _MAJOR)
    place, notes = len(scale) // 2, []
    for _ in range(count):
        place = int(np.clip(place + rng.choice((-3, -2, -1, -1, 0, 1, 1, 2, 3)), 4, len(scale) - 5))
        notes.append(scale[place])
    return notes


def sung_words(rng: np.random.Generator, size: int, said: list[Sound]) -> Sound:
    """What somebody said, sung: consonants as they were, vowels held on notes of a melody, rests in between."""
    beat, centre = rng.uniform(0.35, 0.75), float(rng.uniform(52, 68))
    out, now = np.zeros(size, dtype=np.float32), round(rng.uniform(0.5, 2.5) * RATE)
    for sentence in said:
        line = _sung_sentence(rng, sentence, beat, centre)
        room = out[now : now + line.size]
        room += line[: room.size]
        now += line.size + round(beat * rng.choice((1, 2, 4)) * RATE)
        if now > size - RATE:
            break
    return out


def _sung_sentence(rng: np.random.Generator, said: Sound, beat: float, centre: float) -> Sound:
    filters, power, voiced = _taken_apart(said)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], voiced, [False]])))
    vowels = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= 10]
    notes = _tune(rng, max(1, len(vowels)), centre)
    # Which frame of what was said sounds in each step, and on which note; vowels last, the rest goes by as it was.
    frames, pitch, done = list[np.ndarray](), list[np.ndarray](), 0
    for (first, stop), note in zip(vowels, notes, strict=False):
        held = max(stop - first, round(200 * beat * float(rng.choice((0.5, 1, 1, 2)))) - (first - done))
        frames += [np.arange(done, first), np.linspace(first, stop - 1, held).round().astype(int)]
        pitch += [np.full(first - done + held, note)]
        done = stop
    at = np.concatenate([*frames, np.arange(done, len(power))]).astype(int)
    target = np.pad(np.concatenate([*pitch, np.zeros(0)]), (0, at.size), constant_values=notes[-1])[: at.size]
    glide = round(rng.uniform(4, 14))
    smooth = np.convolve(np.pad(target, glide, mode="edge"), np.hanning(2 * glide + 1) / glide, mode="valid")
    time = np.arange(at.size * _STEP) / RATE
    semitones = np.interp(time, np.arange(at.size) / 200, smooth)
    semitones += rng.uniform(0.15, 0.6) * np.sin(2 * np.pi * rng.uniform(4.8, 6.8) * time) + rng.uniform(-0.1, 0.1)
    phase = np.cumsum(440 * 2 ** ((semitones - 69) / 12) / RATE) % 1.0
    buzz = np.diff(np.where(phase < 0.6, phase**2 * (0.6 - phase), 0.0), prepend=0.0)
    hiss = rng.normal(size=buzz.size)
    out, window = np.zeros(buzz.size + _FRAME), np.hanning(2 * _STEP)
    for k, frame in enumerate(at[:-1]):
        source = (buzz if voiced[frame] else hiss)[k * _STEP : k * _STEP + 2 * _STEP]
        if source.size < window.size or not power[frame]:
            continue
        rung = signal.lfilter([1.0], filters[frame], np.pad(source * window, (0, _FRAME - 2 * _STEP)))
        rung *= np.sqrt(power[frame] / (np.mean(rung[: 2 * _STEP] ** 2) + 1e-20))
        out[k * _STEP : k * _STEP + _FRAME] += rung
    return at_level(out[: buzz.size].astype(np.float32), -20.0)


def _taken_apart(said: Sound) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Filter (n_frames, order + 1), power and voicing (n_frames,) of each 5 ms."""
    from scipy.linalg import solve_toeplitz

    frames = np.lib.stride_tricks.sliding_window_view(np.pad(said.astype(np.float64), _FRAME // 2), _FRAME)[::_STEP]
    frames = frames * np.hanning(_FRAME)
    spectrum = np.abs(np.fft.rfft(frames, 2 * _FRAME, axis=1)) ** 2
    correlation = np.fft.irfft(spectrum, axis=1)[:, :_FRAME]
    power = (frames**2).mean(axis=1)
    power[power < power.max() * 1e-5] = 0.0
    lags = slice(RATE // 400, RATE // 70)
    voiced = (correlation[:, lags].max(axis=1) > 0.35 * correlation[:, 0]) & (power > power.max() * 1e-3)
    filters = np.zeros((len(frames), _ORDER + 1))
    filters[:, 0] = 1.0
    for k in np.flatnonzero(power):
        row = correlation[k, : _ORDER + 1].copy()
        row[0] = row[0] * 1.0001 + 1e-9
        filters[k, 1:] = -solve_toeplitz(row[:-1], row[1:])
    return filters, power, voiced


_RHYMES = ("rain come down", "sail on home", "hold my hand now", "stars shine bright tonight", "the road is long",
           "wind and sea", "let the bells ring out", "I will wait here for you", "low light on the hill",
           "all day the river runs", "no one knows my name", "fire in the night")  # fmt: skip


def sung_diphones(rng: np.random.Generator, size: int) -> Sound | None:
    """A recorded man's diphones, sung by Festival; None where it is not installed."""
    if shutil.which("text2wave") is None:
        return None
    lines = [_RHYMES[k] for k in rng.permutation(len(_RHYMES))]
    words = [word for line in lines for word in line.split()]
    score = []
    for word, note in zip(words, _tune(rng, len(words), float(rng.uniform(48, 56))), strict=True):
        name = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")[round(note) % 12]
        beats = rng.choice((0.5, 1.0, 1.0, 1.5, 2.0))
        score.append(f'<PITCH NOTE="{name}{round(note) // 12 - 1}"><DURATION BEATS="{beats}">{word}</DURATION></PITCH>')
    head = '<?xml version="1.0"?><!DOCTYPE SINGING PUBLIC "-//SINGING//DTD SINGING mark up//EN" "Singing.v0_1.dtd" []>'
    with tempfile.TemporaryDirectory() as folder:
        track, sound = Path(folder) / "track.xml", Path(folder) / "track.wav"
        track.write_text(f'{head}<SINGING BPM="{int(rng.integers(80, 130))}">{"".join(score)}</SINGING>')
        subprocess.run(["text2wave", "-mode", "singing", track, "-o", sound], check=True, capture_output=True)
        samples, rate = soundfile.read(sound, dtype="float32")
    line = np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32)
    return at_level(np.tile(line, -(-size // line.size))[:size], -20.0)


def _voiced(hz: np.ndarray, formants: tuple[int, ...], breath: float, rng: np.random.Generator) -> np.ndarray:
    """A buzz of varying pitch through three formants."""
    phase = np.cumsum(hz / RATE) % 1.0
    source = np.diff(np.where(phase < 0.6, phase**2 * (0.6 - phase), 0.0), prepend=0.0) * 40
    source = source + breath * rng.normal(size=hz.size)
    out = np.zeros(hz.size)
    for level, centre in zip((1.0, 0.7, 0.4), formants, strict=True):
        sos = signal.butter(1, (centre * 0.92, centre * 1.08), "bandpass", fs=RATE, output="sos")
        out += level * signal.sosfilt(sos, source)
    return out


def laughter(rng: np.random.Generator, size: int) -> Sound:
    """Bouts of ha-ha-ha of several people."""
    out = np.zeros(size)
    for _ in range(6):
        now, high = rng.uniform(0.5, size / RATE - 4), rng.uniform(180, 420)
        beats = int(rng.integers(5, 12))
        for k in range(beats):
            length = round(rng.uniform(0.09, 0.14) * RATE)
            glide = np.linspace(1.15, 0.85, length) * high * (1 - 0.03 * k)
            ha = _voiced(glide, _VOWELS[0], 0.5, rng) * np.hanning(length) * (0.9**k)
            first = round((now + 0.2 * k) * RATE)
            out[first : first + length] += ha
    return at_level(out.astype(np.float32), -24.0)


def barks(rng: np.random.Generator, size: int) -> Sound:
    """A dog, in twos and threes."""
    out, now = np.zeros(size), rng.uniform(0.5, 2.0)
    while now < size / RATE - 2:
        for k in range(int(rng.integers(2, 4))):
            length = round(rng.uniform(0.12, 0.2) * RATE)
            glide = np.interp(np.arange(length) / length, (0, 0.2, 1), (380, 620, 300)) * rng.uniform(0.9, 1.1)
            first = round((now + 0.35 * k) * RATE)
            out[first : first + length] += _voiced(glide, (700, 1400, 2600), 1.5, rng) * np.hanning(length) ** 0.5
        now += rng.uniform(1.5, 4.0)
    return at_level(out.astype(np.float32), -24.0)


def birds(rng: np.random.Generator, size: int) -> Sound:
    """Whistles that rise and fall between 2 and 6 kHz."""
    out, now = np.zeros(size), 0.3
    while now < size / RATE - 1:
        length = round(rng.uniform(0.05, 0.3) * RATE)
        glide = np.interp(np.linspace(0, 1, length), np.linspace(0, 1, 4), rng.uniform(2000, 6000, 4))
        out[round(now * RATE) : round(now * RATE) + length] += np.sin(2 * np.pi * np.cumsum(glide) / RATE) * np.hanning(
            length
        )
        now += rng.uniform(0.08, 0.9)
    return at_level(out.astype(np.float32), -24.0)


def monkeys(folder: Path, size: int) -> Sound | None:
    """Recorded ones, where the prompts are installed."""
    path = folder / "tt-monkeys.wav"
    if not path.exists():
        return None
    samples, rate = soundfile.read(path, dtype="float32")
    sound = np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32)
    return at_level(np.tile(sound, -(-size // sound.size))[:size], -24.0)
