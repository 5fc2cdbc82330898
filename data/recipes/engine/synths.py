"""Voices made of numbers, for what a General MIDI font does poorly: sub basses, saws, risers, impacts, machine drums.

A synth is a function of (pitch, seconds, velocity, rng) that returns one note, shape (n,) or (n, 2) at 44.1 kHz, tail
included. The generator is seeded from the note, so the same note always sounds the same, sample for sample.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from data.recipes.engine.sampler import RATE

Samples = NDArray[np.float64]
Synth = Callable[[int, float, int, np.random.Generator], Samples]


def hz_of(pitch: float) -> float:
    """Frequency of a MIDI key in equal temperament, A4 = 440 Hz."""
    return float(440.0 * 2 ** ((pitch - 69) / 12))


def _clock(seconds: float) -> Samples:
    return np.arange(round(seconds * RATE)) / RATE


def envelope(seconds: float, attack: float, decay: float, sustain: float, release: float) -> Samples:
    """Attack, decay, sustain and release; `seconds` is how long the key is held."""
    time = _clock(seconds + release)
    rise = np.clip(time / max(attack, 1e-4), 0, 1)
    fall = sustain + (1 - sustain) * np.exp(-np.maximum(time - attack, 0) / max(decay / 3, 1e-4))
    held = np.where(time < attack, rise, fall)
    level = held[min(round(seconds * RATE), len(held) - 1)]
    let_go = level * np.exp(-np.maximum(time - seconds, 0) / max(release / 5, 1e-4))
    end = np.clip((seconds + release - time) / (0.15 * release + 1e-4), 0, 1)
    return np.where(time < seconds, held, let_go * end)


def saw(hz: float | Samples, n: int, phase: float) -> Samples:
    """A saw tooth whose corner is rounded (polyBLEP), so that it hardly aliases."""
    step = np.broadcast_to(np.asarray(hz, dtype=np.float64) / RATE, n)
    at = (phase + np.cumsum(step) - step) % 1.0
    wave = 2 * at - 1
    near = at < step
    x = at[near] / step[near]
    wave[near] -= 2 * x - x * x - 1
    near = at > 1 - step
    x = (at[near] - 1) / step[near]
    wave[near] -= x * x + 2 * x + 1
    return wave


def swept(sound: Samples, cutoff: Samples, resonance: float = 0.8) -> Samples:
    """A low pass whose corner follows `cutoff` in Hz: fixed filters a half octave apart, cross-faded."""
    wanted = np.log2(np.clip(cutoff, 40, RATE * 0.45))
    result = np.zeros_like(sound)
    for corner in np.arange(np.floor(wanted.min() * 2) / 2, np.ceil(wanted.max() * 2) / 2 + 0.25, 0.5):
        weight = np.clip(1 - np.abs(wanted - corner) / 0.5, 0, 1)
        if weight.any():
            w = 2 * np.pi * min(2**corner, RATE * 0.45) / RATE
            alpha, cos = np.sin(w) / (2 * resonance), np.cos(w)
            b = np.array([(1 - cos) / 2, 1 - cos, (1 - cos) / 2]) / (1 + alpha)
            a = np.array([1 + alpha, -2 * cos, 1 - alpha]) / (1 + alpha)
            weight_ = weight if sound.ndim == 1 else weight[:, None]
            result += signal.lfilter(b, a, sound, axis=0) * weight_
    return result


def _band(sound: Samples, low: float, high: float, order: int = 2) -> Samples:
    passed: Samples = signal.sosfilt(
        signal.butter(order, (low, high), "bandpass", fs=RATE, output="sos"), sound, axis=0
    )
    return passed


def sub_bass(drive: float = 1.5, attack: float = 0.004, release: float = 0.08, decay: float = 9.0) -> Synth:
    """A sine an octave under everything, driven until small speakers hear it."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        level = envelope(seconds, attack, decay, 0.75, release)
        time = np.arange(len(level)) / RATE
        wave = np.sin(2 * np.pi * hz_of(pitch) * time) * level
        return np.tanh(wave * drive) / float(np.tanh(drive)) * (velocity / 110) * 0.5

    return synth


def supersaw(
    voices: int = 7,
    detune: float = 0.18,
    cutoff: float = 6000.0,
    sweep: float = 0.0,
    attack: float = 0.01,
    decay: float = 1.0,
    sustain: float = 0.8,
    release: float = 0.35,
    resonance: float = 0.8,
) -> Synth:
    """Detuned saws spread over the stereo field, through a low pass that opens at `cutoff` times 2**`sweep` octaves."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        level = envelope(seconds, attack, decay, sustain, release)
        n = len(level)
        sound = np.zeros((n, 2))
        for voice, offset in enumerate(np.linspace(-1, 1, voices)):
            wave = saw(hz_of(pitch + detune * offset + rng.normal(0, 0.01)), n, rng.uniform())
            angle = (0.5 + 0.45 * (offset if voice % 2 else -offset)) * np.pi / 2
            sound += wave[:, None] * np.array([np.cos(angle), np.sin(angle)])
        fall = np.exp(-np.arange(n) / RATE / max(decay / 3, 1e-3))
        opened = cutoff * 2 ** (sweep * fall) * (0.6 + 0.5 * velocity / 127)
        return swept(sound, opened, resonance) * level[:, None] * (velocity / 110) * 0.3 / float(np.sqrt(voices))

    return synth


def pluck(
    cutoff: float = 900.0, sweep: float = 2.8, decay: float = 0.22, ring: float = 0.35, square: float = 0.4
) -> Synth:
    """A short bright note that darkens as it dies."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(ring + 0.4)
        n = len(time)
        one = saw(hz_of(pitch + 0.05), n, 0.1)
        two = saw(hz_of(pitch - 0.05), n, 0.6)
        left = one - square * saw(hz_of(pitch + 0.05), n, 0.6)
        right = two - square * saw(hz_of(pitch - 0.05), n, 0.1)
        opened = cutoff * 2 ** (sweep * np.exp(-time / decay) * velocity / 110)
        level: Samples = (
            np.exp(-time / (ring / 2.2)) * np.clip(time / 0.002, 0, 1) * np.clip((ring + 0.4 - time) / 0.1, 0, 1)
        )
        return swept(np.stack([left, right], axis=1), opened, 1.1) * level[:, None] * (velocity / 110) * 0.3

    return synth


def reese(cutoff: float = 700.0, motion_hz: float = 0.7, depth: float = 1.2, release: float = 0.06) -> Synth:
    """The growling bass of drum and bass: saws that beat against each other under a moving filter."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        level = envelope(seconds, 0.006, 4.0, 0.85, release)
        n, time = len(level), np.arange(len(level)) / RATE
        left = (
            saw(hz_of(pitch + 0.14), n, 0.0) + saw(hz_of(pitch - 0.11), n, 0.4) + 0.5 * saw(hz_of(pitch + 12.1), n, 0.2)
        )
        right = (
            saw(hz_of(pitch + 0.10), n, 0.2) + saw(hz_of(pitch - 0.15), n, 0.7) + 0.5 * saw(hz_of(pitch + 11.9), n, 0.5)
        )
        opened = cutoff * 2 ** (depth * np.sin(2 * np.pi * motion_hz * time - np.pi / 2))
        sound = np.tanh(1.4 * swept(np.stack([left, right], axis=1), opened, 1.6) * 0.7)
        return sound * level[:, None] * (velocity / 110) * 0.4

    return synth


def bell_tone(ratio: float = 3.5, index: float = 2.2, ring: float = 1.8) -> Synth:
    """A struck bell by frequency modulation."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(ring * 1.6)
        hz = hz_of(pitch)
        depth = index * np.exp(-time / (ring / 4)) * velocity / 110
        level: Samples = (
            np.exp(-time / (ring / 3.5)) * np.clip(time / 0.002, 0, 1) * np.clip((ring * 1.6 - time) / 0.2, 0, 1)
        )
        sides = [
            np.sin(2 * np.pi * hz * d * time + depth * np.sin(2 * np.pi * hz * ratio * d * time))
            for d in (0.9994, 1.0006)
        ]
        return np.stack(sides, axis=1) * level[:, None] * (velocity / 110) * 0.3

    return synth


def soft_pad(attack: float = 1.2, release: float = 2.5, cutoff: float = 1400.0, motion_hz: float = 0.11) -> Synth:
    """A slow, wide, breathing chord voice."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        level = envelope(seconds, min(attack, 0.6 * seconds), 6.0, 0.8, release)
        n, time = len(level), np.arange(len(level)) / RATE
        sound = np.zeros((n, 2))
        for side in (0, 1):
            for cents in (-9, -3, 4, 10):
                drift = cents / 100 + 0.03 * np.sin(2 * np.pi * rng.uniform(0.05, 0.3) * time + rng.uniform(0, 6))
                sound[:, side] += saw(440.0 * 2 ** ((pitch + drift - 69) / 12), n, rng.uniform())
        opened = (
            cutoff
            * 2 ** (0.7 * np.sin(2 * np.pi * motion_hz * time + rng.uniform(0, 6)))
            * (0.5 + 0.6 * velocity / 127)
        )
        return swept(sound, opened, 0.7) * level[:, None] * (velocity / 110) * 0.12

    return synth


def kick_drum(body_hz: float = 48.0, punch: float = 4.5, length: float = 0.32, click: float = 0.5) -> Synth:
    """A machine kick: a sine that falls fast, and a click."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(length * 1.7)
        hz = body_hz * (1 + punch * np.exp(-time / 0.022) + 0.35 * np.exp(-time / 0.09))
        wave = np.sin(2 * np.pi * np.cumsum(hz) / RATE + 0.5)
        level: Samples = np.exp(-np.maximum(time - 0.05, 0) / (length / 3)) * np.clip(
            (length * 1.7 - time) / 0.05, 0, 1
        )
        tick = rng.normal(size=len(time)) * np.exp(-time / 0.0025) * click
        return np.tanh(1.8 * wave * level + _band(tick, 1200, 9000)) * (velocity / 115) * 0.75

    return synth


def snare_drum(tone_hz: float = 190.0, noise: float = 1.0, length: float = 0.2, bright: float = 9000.0) -> Synth:
    """A machine snare: two drum tones under noise."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(length * 2.2)
        hz = tone_hz * (1 + 0.6 * np.exp(-time / 0.012))
        tone = np.sin(2 * np.pi * np.cumsum(hz) / RATE) + 0.5 * np.sin(2 * np.pi * np.cumsum(hz * 1.6) / RATE)
        body = 0.6 * tone * np.exp(-time / (length / 4))
        hiss = _band(rng.normal(size=(len(time), 2)), 900, bright) * np.exp(-time / (length / 2.3))[:, None]
        end: Samples = np.clip((length * 2.2 - time) / 0.05, 0, 1)[:, None]
        return np.tanh(1.6 * (body[:, None] + noise * hiss)) * end * (velocity / 115) * 0.6

    return synth


def clap(length: float = 0.22) -> Synth:
    """Several hands, milliseconds apart, in a small room; the loudest and last of them is on the beat's heels."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(length * 2.4)
        level = np.zeros(len(time))
        for at, loud in ((0.0, 0.9), (0.009, 0.7), (0.019, 1.0)):
            level = np.maximum(level, np.where(time >= at, loud * np.exp(-(time - at) / 0.006), 0))
        level = np.maximum(level, np.where(time >= 0.019, 0.65 * np.exp(-(time - 0.019) / (length / 3)), 0))
        end: Samples = np.clip((length * 2.4 - time) / 0.05, 0, 1)
        sound = _band(rng.normal(size=(len(time), 2)), 800, 7500) * (level * end)[:, None]
        return sound * (velocity / 115) * 0.9

    return synth


def hat(length: float = 0.05, tone: float = 1.0) -> Synth:
    """Metal: six square waves that agree on nothing, and noise, high-passed; pitch shifts its brightness."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(length * 4)
        metal = sum(np.sign(np.sin(2 * np.pi * hz * tone * time)) for hz in (2050, 3044, 3654, 5222, 5400, 8000))
        sound: Samples = 0.16 * np.asarray(metal)[:, None] + 0.8 * rng.normal(size=(len(time), 2))
        sound = signal.sosfilt(signal.butter(3, 7200, "highpass", fs=RATE, output="sos"), sound, axis=0)
        level: Samples = np.exp(-time / (length / 1.3)) * np.clip((length * 4 - time) / 0.02, 0, 1)
        return sound * level[:, None] * float((velocity / 115) ** 1.4) * 0.35

    return synth


def riser(low_hz: float = 300.0, high_hz: float = 9000.0, tonal: float = 0.25) -> Synth:
    """Noise and a tone that climb for the note's whole length, and stop dead."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(seconds)
        part = time / seconds
        noise = rng.normal(size=(len(time), 2))
        sound: Samples = swept(noise, low_hz * (high_hz / low_hz) ** part, 2.5)
        sound = signal.sosfilt(signal.butter(2, 250, "highpass", fs=RATE, output="sos"), sound, axis=0)
        tone = saw(hz_of(pitch) * 2 ** (part * 2), len(time), 0.0) * tonal
        level: Samples = part**2.2 * np.clip((seconds - time) / 0.012, 0, 1)
        return (sound + tone[:, None] * 0.4) * level[:, None] * (velocity / 115) * 0.35

    return synth


def faller(seconds_long: float = 2.0) -> Synth:
    """Noise that opens on the beat and closes over two seconds."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(seconds_long)
        sound = swept(rng.normal(size=(len(time), 2)), 9000 * 2 ** (-5 * time / seconds_long), 1.2)
        level: Samples = np.exp(-time / (seconds_long / 4)) * np.clip((seconds_long - time) / 0.2, 0, 1)
        return sound * level[:, None] * (velocity / 115) * 0.3

    return synth


def impact(depth_hz: float = 38.0, length: float = 2.4) -> Synth:
    """A deep hit with a rumbling tail, for the first beat of a big section."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        time = _clock(length)
        hz = depth_hz * (1 + 1.6 * np.exp(-time / 0.06))
        boom = np.sin(2 * np.pi * np.cumsum(hz) / RATE + 0.5) * np.exp(-time / (length / 4))
        crack = _band(rng.normal(size=(len(time), 2)), 120, 4000) * np.exp(-time / 0.09)[:, None]
        dust = _band(rng.normal(size=(len(time), 2)), 60, 900) * np.exp(-time / (length / 5))[:, None]
        sound = boom[:, None] + 0.7 * crack + 0.35 * dust
        return np.tanh(1.3 * sound) * np.clip((length - time) / 0.3, 0, 1)[:, None] * (velocity / 115) * 0.7

    return synth


def crackle(density: float = 14.0) -> Synth:
    """The surface of an old record for the note's whole length."""

    def synth(pitch: int, seconds: float, velocity: int, rng: np.random.Generator) -> Samples:
        n = round(seconds * RATE)
        pops = np.where(rng.uniform(size=(n, 2)) < density / RATE, rng.normal(size=(n, 2)) * 6, 0.0)
        hiss = rng.normal(size=(n, 2)) * 0.02
        fade = np.clip(np.minimum(np.arange(n), n - np.arange(n)) / (0.5 * RATE), 0, 1)[:, None]
        return _band(pops + hiss, 500, 6500) * fade * (velocity / 115) * 0.3

    return synth
