"""From a performance to a recording: instruments, balance, space, and the dynamics of a mixing desk.

A `Desk` is drawn for every piece: who plays which part (a sound font, or the synthesised instruments of `machines` and
`voices`), how loud, where in the stereo picture, in which room, and what the bus does to the sum. Levels are set on
the stems as they sound, so that a quiet instrument of a font is as audible as a loud one. Nothing here moves an onset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from composition import Role
from fonts import RATE, RING_SECONDS, font_player
from numpy.typing import NDArray
from performing import Performance, Played
from scipy import fft

_LEVELS_DB: dict[Role, tuple[float, float]] = {
    "drums": (-1.0, 4.0),
    "bass": (-2.5, 3.5),
    "chords": (-5.0, 3.5),
    "pad": (-8.0, 3.5),
    "melody": (-2.0, 3.5),
    "counter": (-6.0, 3.5),
    "riff": (-3.5, 3.5),
}
"""mean and spread of a part's level while it plays"""
_MUTED_DRUMS = 0.08
_TAIL_BLOCK = 1 << 17


@dataclass(frozen=True)
class Seat:
    """How one part is played and mixed."""

    source: str
    """name of a font"""
    level_db: float
    """level of the part's loud passages; -inf: silent"""
    pan: float
    """-1 left to 1 right"""
    width: float
    """0 mono, 1 as the instrument gives it"""
    send_db: float
    """level in the reverb, relative to the part"""


@dataclass(frozen=True)
class Desk:
    """Everything that is decided between the notes and the mix."""

    seats: tuple[Seat, ...]
    reverb_seconds: float
    """until the reverb has decayed by 60 dB"""
    reverb_damping_hz: float
    tilt_db: float
    """brightness: gain at 10 kHz less gain at 100 Hz"""
    drive: float
    """peak level into the soft clipper of the bus; 0: none"""


def draw_desk(performance: Performance, rng: np.random.Generator, fonts: Sequence[str]) -> Desk:
    """A desk for a performance; `fonts` are names of `fonts.FONTS` that may play."""
    main = str(rng.choice(list(fonts)))
    mixed = rng.random() < 0.25
    muted = rng.random() < _MUTED_DRUMS and any(part.role != "drums" for part in performance.parts)
    wet = float(rng.normal(-14, 5))
    seats = []
    for part in performance.parts:
        mean, spread = _LEVELS_DB[part.role]
        level = float(mean + np.clip(rng.normal(), -2, 2) * spread)
        if part.role == "drums" and muted:
            level = -np.inf
        pan = 0.0 if part.role in ("bass", "drums") else float(np.clip(rng.normal() * 0.35, -0.9, 0.9))
        send = wet + (-10.0 if part.role == "bass" else 0.0) + float(rng.normal() * 2)
        source = str(rng.choice(list(fonts))) if mixed else main
        seats.append(Seat(source, level, pan, float(rng.choice([0.3, 1.0])), send))
    return Desk(
        tuple(seats),
        reverb_seconds=float(rng.uniform(0.3, 2.4)) if rng.random() < 0.8 else 0.0,
        reverb_damping_hz=float(rng.uniform(2000, 9000)),
        tilt_db=float(np.clip(rng.normal() * 3, -7, 7)),
        drive=float(rng.uniform(0.5, 2.5)) if rng.random() < 0.6 else 0.0,
    )


def sound_of(performance: Performance, desk: Desk, rng: np.random.Generator) -> NDArray[np.float32]:
    """The mixed recording, shape (n, 2) at 44.1 kHz, peak below 1; the truth's times hold in it."""
    size = round((performance.seconds + RING_SECONDS) * RATE)
    mix = np.zeros((size, 2), dtype=np.float32)
    send = np.zeros(size, dtype=np.float32)
    for seat, stem in zip(desk.seats, _stems(performance, desk), strict=True):
        if stem is None:
            continue
        stem = stem[:size] * _gain(stem, seat.level_db)
        placed = _placed(stem, seat)
        mix[: len(placed)] += placed
        send[: len(placed)] += placed.mean(axis=1) * np.float32(10 ** (seat.send_db / 20))
    if desk.reverb_seconds > 0:
        mix += _reverberated(send, desk, rng)
    return _bus(mix, desk)


def _stems(performance: Performance, desk: Desk) -> list[NDArray[np.float32] | None]:
    """Each part alone, shape (n, 2); None for a part that is silent."""
    stems: list[NDArray[np.float32] | None] = [None] * len(performance.parts)
    by_source: dict[str, list[int]] = {}
    for index, (part, seat) in enumerate(zip(performance.parts, desk.seats, strict=True)):
        if part.notes and np.isfinite(seat.level_db):
            by_source.setdefault(seat.source, []).append(index)
    for source, indices in by_source.items():
        parts: list[Played] = [performance.parts[index] for index in indices]
        for index, stem in zip(indices, font_player(source).stems(parts, performance.seconds), strict=True):
            stems[index] = stem
    return stems


def _gain(stem: NDArray[np.float32], level_db: float) -> np.float32:
    """The factor that brings a stem's loud passages to a level; 0 dB is an RMS of 0.1 in windows of 0.2 s."""
    window = RATE // 5
    whole = stem[: len(stem) // window * window].reshape(-1, window * 2)
    power = np.einsum("ij,ij->i", whole, whole) / whole.shape[1]
    loud = float(np.sqrt(np.percentile(power[power > 1e-9], 85))) if (power > 1e-9).any() else 1.0
    return np.float32(0.1 * 10 ** (level_db / 20) / loud)


def _placed(stem: NDArray[np.float32], seat: Seat) -> NDArray[np.float32]:
    """A stem narrowed and panned."""
    angle = (seat.pan + 1) * np.pi / 4
    left, right = np.sqrt(2) * np.cos(angle), np.sqrt(2) * np.sin(angle)
    near, far = (1 + seat.width) / 2, (1 - seat.width) / 2
    matrix = np.array([[near * left, far * right], [far * left, near * right]], dtype=np.float32)
    return stem @ matrix


def _reverberated(send: NDArray[np.float32], desk: Desk, rng: np.random.Generator) -> NDArray[np.float32]:
    """What the room answers: the send convolved with decaying noise that loses its treble as it decays."""
    size = min(round(desk.reverb_seconds * RATE), _TAIL_BLOCK)
    time = np.arange(size, dtype=np.float32) / RATE
    noise = rng.standard_normal((2, size), dtype=np.float32) * np.exp(-6.9 * time / desk.reverb_seconds)
    noise[:, : round(0.008 * RATE)] = 0.0
    spectra = fft.rfft(noise, 2 * _TAIL_BLOCK)
    bins = np.linspace(0, RATE / 2, spectra.shape[1], dtype=np.float32)
    spectra *= (bins > 150) / (1 + (bins / desk.reverb_damping_hz) ** 2)
    spectra /= np.sqrt(np.mean(np.abs(spectra) ** 2))
    tail = np.zeros((len(send) + 2 * _TAIL_BLOCK, 2), dtype=np.float32)
    for begin in range(0, len(send), _TAIL_BLOCK):
        piece = fft.rfft(send[begin : begin + _TAIL_BLOCK], 2 * _TAIL_BLOCK)
        tail[begin : begin + 2 * _TAIL_BLOCK] += fft.irfft(spectra * piece, 2 * _TAIL_BLOCK).T
    return tail[: len(send)]


def _bus(mix: NDArray[np.float32], desk: Desk) -> NDArray[np.float32]:
    """Tilt, soft clipping, and a peak of 0.9."""
    peak = float(np.abs(mix).max())
    if peak == 0.0:
        raise ValueError("the mix is silent")
    if desk.tilt_db:
        mix = _tilted(mix, desk.tilt_db)
        peak = float(np.abs(mix).max())
    mix = mix / np.float32(peak)
    if desk.drive > 0:
        mix = np.tanh(mix * np.float32(desk.drive)) / np.float32(np.tanh(desk.drive))
    return mix * np.float32(0.9)


def _tilted(mix: NDArray[np.float32], tilt_db: float) -> NDArray[np.float32]:
    """A zero-phase tilt around 1 kHz, applied in the spectrum of the whole recording."""
    size = fft.next_fast_len(len(mix), real=True)
    spectrum = fft.rfft(mix, size, axis=0)
    octaves = np.log2(np.clip(np.linspace(0, RATE / 2, spectrum.shape[0], dtype=np.float32), 60, 14_000) / 1000)
    spectrum *= (10 ** (tilt_db / 6.6 * octaves / 20)).astype(np.float32)[:, None]
    return fft.irfft(spectrum, size, axis=0)[: len(mix)]
