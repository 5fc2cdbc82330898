"""What a mixing desk does to a stem: equalizers, dynamics, saturation, space. Every maker returns an insert.

An insert is a function from sound to sound, shape (n, 2) at 44.1 kHz, that keeps length and timing: filters are causal
and short, delays add to the dry signal, and nothing here moves an onset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, signal

from data.recipes.engine.sampler import RATE

Sound = NDArray[np.float64]
Insert = Callable[[Sound], Sound]
CONTROL = 64  # samples a step of the slow gain computers


def gain_of(db: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """A level in dB as a factor."""
    return np.power(10.0, np.asarray(db, dtype=np.float64) / 20)


def _biquad(kind: str, hz: float, gain_db: float, q: float) -> Sound:
    """Second-order sections of the cookbook's shelves and bells (R. Bristow-Johnson)."""
    a = 10 ** (gain_db / 40)
    w = 2 * np.pi * hz / RATE
    alpha, cos = np.sin(w) / (2 * q), np.cos(w)
    root = 2 * np.sqrt(a) * alpha
    if kind == "bell":
        b0, b1, b2, a0, a1, a2 = 1 + alpha * a, -2 * cos, 1 - alpha * a, 1 + alpha / a, -2 * cos, 1 - alpha / a
    else:
        s = 1.0 if kind == "low" else -1.0
        b0 = a * ((a + 1) - s * (a - 1) * cos + root)
        b1 = s * 2 * a * ((a - 1) - s * (a + 1) * cos)
        b2 = a * ((a + 1) - s * (a - 1) * cos - root)
        a0 = (a + 1) + s * (a - 1) * cos + root
        a1 = -s * 2 * ((a - 1) + s * (a + 1) * cos)
        a2 = (a + 1) + s * (a - 1) * cos - root
    return np.array([[b0 / a0, b1 / a0, b2 / a0, 1.0, a1 / a0, a2 / a0]])


def _filtering(sos: Sound) -> Insert:
    return lambda sound: signal.sosfilt(sos, sound, axis=0)


def bell(hz: float, gain_db: float, q: float = 0.9) -> Insert:
    """Raise or lower a band."""
    return _filtering(_biquad("bell", hz, gain_db, q))


def low_shelf(hz: float, gain_db: float) -> Insert:
    """Raise or lower everything below."""
    return _filtering(_biquad("low", hz, gain_db, 0.707))


def high_shelf(hz: float, gain_db: float) -> Insert:
    """Raise or lower everything above."""
    return _filtering(_biquad("high", hz, gain_db, 0.707))


def highpass(hz: float, order: int = 2) -> Insert:
    """Take away what lies below."""
    return _filtering(signal.butter(order, hz, "highpass", fs=RATE, output="sos"))


def lowpass(hz: float, order: int = 2) -> Insert:
    """Take away what lies above."""
    return _filtering(signal.butter(order, hz, "lowpass", fs=RATE, output="sos"))


def saturate(drive_db: float, mix: float = 1.0) -> Insert:
    """Round the peaks off as tape does; small signals keep their level, so more drive is louder and denser."""
    drive = float(gain_of(drive_db))

    def insert(sound: Sound) -> Sound:
        reference = float(np.sqrt(np.mean(sound**2)) * 4 + 1e-9)
        shaped = np.tanh(sound / reference * drive) * reference / drive
        shaped *= np.sqrt(np.mean(sound**2) / (np.mean(shaped**2) + 1e-18))
        return mix * shaped + (1 - mix) * sound

    return insert


def amplifier(drive_db: float, bright_hz: float = 4800.0) -> Insert:
    """A guitar amplifier: a tight low end, two valve stages, a loudspeaker that stops at some 5 kHz."""
    drive = float(gain_of(drive_db))
    before = np.vstack([signal.butter(1, 180, "highpass", fs=RATE, output="sos"), _biquad("bell", 900, 5, 0.6)])
    cabinet = np.vstack(
        [
            signal.butter(4, bright_hz, "lowpass", fs=RATE, output="sos"),
            signal.butter(2, 85, "highpass", fs=RATE, output="sos"),
            _biquad("bell", 130, 3, 0.9),
            _biquad("bell", 420, -4, 0.9),
            _biquad("bell", 2600, 4, 1.0),
        ]
    )

    def insert(sound: Sound) -> Sound:
        level = float(np.sqrt(np.mean(sound**2))) + 1e-9
        wide = signal.resample_poly(signal.sosfilt(before, sound / level * 0.25, axis=0), 2, 1, axis=0)
        stage = np.tanh(drive * wide + 0.12) - np.tanh(0.12)
        stage = np.tanh(1.6 * stage)
        narrow = signal.resample_poly(stage, 1, 2, axis=0)[: len(sound)]
        shaped: Sound = signal.sosfilt(cabinet, narrow, axis=0)
        return shaped * level / (float(np.sqrt(np.mean(shaped**2))) + 1e-9)

    return insert


def _smooth_db(wanted: Sound, attack_s: float, release_s: float) -> Sound:
    """A gain reduction in dB a control step, followed with one time down and another back up."""
    step = CONTROL / RATE
    down, up = float(np.exp(-step / attack_s)), float(np.exp(-step / release_s))
    result, state = np.empty_like(wanted), 0.0
    for n, target in enumerate(wanted.tolist()):
        state = target + (state - target) * (down if target < state else up)
        result[n] = state
    return result


def compress(
    threshold_db: float,
    ratio: float = 3.0,
    attack_ms: float = 10.0,
    release_ms: float = 120.0,
    knee_db: float = 6.0,
    makeup_db: float = 0.0,
    mix: float = 1.0,
) -> Insert:
    """Hold the level above a threshold; the threshold is relative to the stem's own loud passages (95th percentile)."""

    def insert(sound: Sound) -> Sound:
        steps = -(-len(sound) // CONTROL)
        power = np.zeros(steps * CONTROL)
        power[: len(sound)] = (sound**2).mean(axis=1)
        level = 10 * np.log10(power.reshape(steps, CONTROL).mean(axis=1) + 1e-12)
        loud = level[level > -90]
        if not len(loud):
            return sound
        over = level - np.percentile(loud, 95) - threshold_db
        bent = np.where(
            over > knee_db / 2, over, np.where(over < -knee_db / 2, 0.0, (over + knee_db / 2) ** 2 / (2 * knee_db))
        )
        reduction = _smooth_db(-bent * (1 - 1 / ratio), attack_ms / 1000, release_ms / 1000)
        at = (np.arange(steps) + 0.5) * CONTROL
        gain = gain_of(np.interp(np.arange(len(sound)), at, reduction) + makeup_db)[:, None]
        return sound * (mix * gain + (1 - mix))

    return insert


def transient(attack_db: float, sustain_db: float = 0.0) -> Insert:
    """Sharpen or soften the strokes of drums: a fast and a slow follower tell attack from ring."""

    def insert(sound: Sound) -> Sound:
        steps = -(-len(sound) // CONTROL)
        padded = np.zeros(steps * CONTROL)
        padded[: len(sound)] = np.abs(sound).max(axis=1)
        level = padded.reshape(steps, CONTROL).max(axis=1)
        fast = ndimage.maximum_filter1d(level, 3)
        slow = signal.lfilter([0.03], [1, -0.97], fast)
        attack = np.clip((fast - slow) / (fast + 1e-6), 0, 1)
        db = attack_db * attack + sustain_db * (1 - attack)
        at = (np.arange(steps) + 0.5) * CONTROL
        return sound * gain_of(np.interp(np.arange(len(sound)), at, db))[:, None]

    return insert


def widen(amount: float) -> Insert:
    """Scale the side signal: 0 is mono, 1 leaves it, more is wider."""

    def insert(sound: Sound) -> Sound:
        middle, side = sound.mean(axis=1), (sound[:, 0] - sound[:, 1]) / 2 * amount
        return np.stack([middle + side, middle - side], axis=1)

    return insert


def mono_below(hz: float) -> Insert:
    """Keep the low end in the middle."""
    sos = signal.butter(2, hz, "highpass", fs=RATE, output="sos")

    def insert(sound: Sound) -> Sound:
        middle, side = sound.mean(axis=1), signal.sosfilt(sos, (sound[:, 0] - sound[:, 1]) / 2)
        return np.stack([middle + side, middle - side], axis=1)

    return insert


def _delayed(sound: Sound, delay_samples: Sound) -> Sound:
    """A channel read at a moving delay, linearly interpolated."""
    at = np.arange(len(sound)) - delay_samples
    return np.interp(at, np.arange(len(sound)), sound, left=0.0)


def chorus(rate_hz: float = 0.6, depth_ms: float = 2.0, mix: float = 0.4, delay_ms: float = 11.0) -> Insert:
    """Detuned copies to the left and right of the dry sound."""

    def insert(sound: Sound) -> Sound:
        seconds = np.arange(len(sound)) / RATE
        wet = []
        for channel, phase in ((0, 0.0), (1, np.pi / 2)):
            delay = delay_ms + depth_ms * np.sin(2 * np.pi * rate_hz * seconds + phase)
            wet.append(_delayed(sound[:, channel], delay / 1000 * RATE))
        return (1 - mix / 2) * sound + mix * np.stack(wet, axis=1)

    return insert


def tremolo(rate_hz: float, depth: float = 0.3, stereo: bool = False) -> Insert:
    """Level that swings; with `stereo` the sound walks from side to side, as electric pianos do."""

    def insert(sound: Sound) -> Sound:
        phase = 2 * np.pi * rate_hz * np.arange(len(sound)) / RATE
        left = 1 - depth / 2 + depth / 2 * np.sin(phase)
        right = 1 - depth / 2 + depth / 2 * np.sin(phase + (np.pi if stereo else 0.0))
        return sound * np.stack([left, right], axis=1)

    return insert


def sweep(points: Sequence[tuple[float, float]], kind: str = "lowpass", order: int = 2) -> Insert:
    """A filter whose corner moves: `points` are (seconds, Hz). Neighbouring fixed filters are cross-faded."""
    times = np.array([seconds for seconds, _ in points])
    corners = np.log2([hz for _, hz in points])

    def insert(sound: Sound) -> Sound:
        wanted = np.interp(np.arange(len(sound)) / RATE, times, corners)
        bank = np.arange(np.floor(wanted.min() * 2) / 2, np.ceil(wanted.max() * 2) / 2 + 0.25, 0.5)
        result = np.zeros_like(sound)
        for corner in bank:
            weight = np.clip(1 - np.abs(wanted - corner) / 0.5, 0, 1)
            if not weight.any():
                continue
            sos = signal.butter(order, min(2.0**corner, RATE * 0.47), kind, fs=RATE, output="sos")
            result += signal.sosfilt(sos, sound, axis=0) * weight[:, None]
        return result

    return insert


@cache
def _impulse(seconds: float, predelay_ms: float, bright: float, low: float, early: float, seed: int) -> Sound:
    """A room's answer to a click: early reflections, then noise that dies at its own speed in every octave."""
    rng = np.random.default_rng(seed)
    n = int(seconds * 1.3 * RATE)
    time = np.arange(n) / RATE
    noise = np.fft.rfft(rng.normal(size=(2, n)), axis=1)
    hz = np.fft.rfftfreq(n, 1 / RATE)
    octave = np.log2(np.maximum(hz, 20.0) / 1000)
    tail = np.zeros((2, n))
    centres = np.arange(-5, 5)
    for centre in centres:
        mask = np.clip(1 - np.abs(octave - centre), 0, 1)
        mask = np.where((centre == centres[0]) & (octave < centre), 1.0, mask)
        mask = np.where((centre == centres[-1]) & (octave > centre), 1.0, mask)
        decay = seconds * (low if centre < -2 else 1.0) * (bright**centre if centre > 0 else 1.0)
        tail += np.fft.irfft(noise * mask, n, axis=1) * np.exp(-6.91 * time / decay)
    tail *= 1 - np.exp(-time / (0.004 + seconds * 0.004))
    tail /= np.sqrt((tail**2).sum(axis=1, keepdims=True))
    for channel in range(2):
        for _ in range(14):
            at = int(rng.uniform(0.004, 0.055) * RATE * min(1.0, 0.4 + seconds / 3))
            tail[channel, at] += rng.choice([-1.0, 1.0]) * early * 0.16 * np.exp(-at / RATE / 0.05)
    tail = signal.sosfilt(signal.butter(1, 160, "highpass", fs=RATE, output="sos"), tail, axis=1)
    tail = signal.sosfilt(signal.butter(1, 9000, "lowpass", fs=RATE, output="sos"), tail, axis=1)
    fade = np.minimum(1.0, (n - np.arange(n)) / (0.1 * n))
    return np.pad(tail * fade, ((0, 0), (int(predelay_ms / 1000 * RATE), 0))).T


def reverb(
    seconds: float, predelay_ms: float = 18.0, bright: float = 0.72, low: float = 1.1, early: float = 1.0, seed: int = 1
) -> Insert:
    """A room, plate or hall: `seconds` until it is 60 dB down, times `bright` for each octave above 1 kHz."""

    def insert(sound: Sound) -> Sound:
        answer = _impulse(seconds, predelay_ms, bright, low, early, seed)
        wet: Sound = signal.oaconvolve(sound, answer, axes=0)[: len(sound)]
        return wet

    return insert


def echo(
    seconds: float, feedback: float = 0.4, tone_hz: float = 3500.0, ping_pong: bool = True, times: int = 8
) -> Insert:
    """Repeats of the sound, each duller and softer; they change sides when `ping_pong`."""

    def insert(sound: Sound) -> Sound:
        result, repeat = np.zeros_like(sound), sound
        sos = np.vstack(
            [
                signal.butter(1, tone_hz, "lowpass", fs=RATE, output="sos"),
                signal.butter(1, 220, "highpass", fs=RATE, output="sos"),
            ]
        )
        if ping_pong:
            repeat = np.stack([sound.mean(axis=1), np.zeros(len(sound))], axis=1)
        for n in range(1, times + 1):
            shift = round(n * seconds * RATE)
            if shift >= len(sound) or feedback ** (n - 1) < 0.01:
                break
            repeat = signal.sosfilt(sos, repeat, axis=0)
            repeat = repeat[:, ::-1] if ping_pong and n > 1 else repeat
            result[shift:] += repeat[: len(sound) - shift] * feedback ** (n - 1)
        return result

    return insert


def chain(*inserts: Insert) -> Insert:
    """Several inserts as one, from left to right."""

    def insert(sound: Sound) -> Sound:
        for one in inserts:
            sound = one(sound)
        return sound

    return insert
