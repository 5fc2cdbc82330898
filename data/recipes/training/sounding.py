"""From a performance to a recording: instruments, balance, space, and the dynamics of a mixing desk.

A `Desk` is drawn for every piece: who plays which part (a sound font, or the synthesised instruments of `machines` and
`voices`), how loud, where in the stereo picture, in which room, and what the bus does to the sum. Levels are set on
the stems as they sound, so that a quiet instrument of a font is as audible as a loud one. Nothing here moves an onset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, signal

from data.recipes.training import machines, voices
from data.recipes.training.composition import Role
from data.recipes.training.fonts import RATE, RING_SECONDS, font_player
from data.recipes.training.machines import Kit
from data.recipes.training.performing import Performance, Played
from data.recipes.training.voices import Voice

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
_NO_FONT = 0.1
"""share of the pieces that are synthesised altogether"""
_SYNTHESISED = {"drums": 0.35, "bass": 0.35}
"""share of the other pieces in which the synthesised instruments take these parts; of the rest, `_SYNTH_PARTS`"""
_SYNTH_PARTS = 0.3
_ELECTRONIC_KITS = (24, 25, 26, 27)
_KICKS = (35, 36)
_TAIL_BLOCK = 1 << 17


@dataclass(frozen=True)
class Seat:
    """How one part is played and mixed."""

    instrument: str | Kit | Voice
    """a font by its name, or a synthesised instrument"""
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
    pump_db: float
    """by how much the kick presses all but the drums down; 0: not at all"""
    pump_seconds: float
    """until they are back"""
    squeeze_db: float
    """how far the bus compressor's threshold lies below the loud passages; 0: none"""
    drive: float
    """peak level into the soft clipper of the bus; 0: none"""


def draw_desk(performance: Performance, rng: np.random.Generator, fonts: Sequence[str]) -> Desk:
    """A desk for a performance; `fonts` are names of `fonts.FONTS` that may play, none: all is synthesised."""
    parts = performance.parts
    muted = rng.random() < _MUTED_DRUMS and any(part.notes and part.role != "drums" for part in parts)
    instruments = _drawn_instruments(parts, rng, fonts)
    wet = float(rng.normal(-14, 5))
    drums_db = float(rng.normal(0, 3))
    seats = []
    for part, instrument in zip(parts, instruments, strict=True):
        mean, spread = _LEVELS_DB[part.role]
        level = float(mean + np.clip(rng.normal(), -2, 2) * spread)
        if part.role == "drums":
            level = -np.inf if muted else 0.5 * level + drums_db
        pan = 0.0 if part.role in ("bass", "drums") else float(np.clip(rng.normal() * 0.35, -0.9, 0.9))
        send = wet + (-10.0 if part.role == "bass" else 0.0) + float(rng.normal() * 2)
        seats.append(Seat(instrument, level, pan, float(rng.choice([0.3, 1.0])), send))
    electronic = any(part.role == "drums" and part.program in _ELECTRONIC_KITS for part in parts)
    return Desk(
        tuple(seats),
        reverb_seconds=float(rng.uniform(0.3, 2.6)) if rng.random() < 0.8 else 0.0,
        reverb_damping_hz=float(rng.uniform(2000, 9000)),
        tilt_db=float(np.clip(rng.normal() * 3, -7, 7)),
        pump_db=float(rng.uniform(2, 14)) if rng.random() < (0.45 if electronic else 0.06) else 0.0,
        pump_seconds=float(rng.uniform(0.1, 0.35)),
        squeeze_db=float(rng.uniform(3, 14)) if rng.random() < 0.5 else 0.0,
        drive=float(rng.uniform(0.5, 2.5)) if rng.random() < 0.5 else 0.0,
    )


def _drawn_instruments(
    parts: Sequence[Played], rng: np.random.Generator, fonts: Sequence[str]
) -> list[str | Kit | Voice]:
    """Who plays each part: mostly one font, with synthesised drums, bass or others in its midst."""
    bare = not fonts or rng.random() < _NO_FONT
    names = [str(rng.choice(list(fonts)))] if fonts else []
    if fonts and rng.random() < 0.25:
        names = list(fonts)
    synthesised = {role: bare or rng.random() < share for role, share in _SYNTHESISED.items()}
    synth_share = float(rng.uniform(0.3, 1.0)) if rng.random() < _SYNTH_PARTS else 0.0
    substitute = float(rng.choice([0.0, 0.5, 1.0]))
    found: list[str | Kit | Voice] = []
    for part in parts:
        if not synthesised.get(part.role, bare or rng.random() < synth_share):
            found.append(str(rng.choice(names)))
        elif part.role == "drums":
            found.append(machines.draw_kit(part.program, rng))
        else:
            found.append(voices.draw_voice(part.program, rng, substitute))
    return found


def sound_of(performance: Performance, desk: Desk, rng: np.random.Generator) -> NDArray[np.float32]:
    """The mixed recording, shape (n, 2) at 44.1 kHz, peak below 1; the truth's times hold in it."""
    size = round((performance.seconds + RING_SECONDS) * RATE)
    mix = np.zeros((size, 2), dtype=np.float32)
    pumped = np.zeros((size, 2), dtype=np.float32) if desk.pump_db else mix
    send = np.zeros(size, dtype=np.float32)
    for part, seat, stem in zip(performance.parts, desk.seats, _stems(performance, desk, size), strict=True):
        if stem is None:
            continue
        placed = _placed(stem, seat, _gain(stem, seat.level_db))
        target = mix if part.role == "drums" else pumped
        target += placed
        send += (placed[:, 0] + placed[:, 1]) * np.float32(0.5 * 10 ** (seat.send_db / 20))
    if desk.pump_db:
        mix += pumped * _pump(performance, desk, size)[:, None]
    if desk.reverb_seconds > 0:
        mix += reverberated(send, desk.reverb_seconds, desk.reverb_damping_hz, rng)
    return _bus(mix, desk)


def _stems(performance: Performance, desk: Desk, size: int) -> list[NDArray[np.float32] | None]:
    """Each part alone, shape (size, 2); None for a part that is silent."""
    stems: list[NDArray[np.float32] | None] = [None] * len(performance.parts)
    by_font: dict[str, list[int]] = {}
    for index, (part, seat) in enumerate(zip(performance.parts, desk.seats, strict=True)):
        if not part.notes or not np.isfinite(seat.level_db):
            continue
        if isinstance(seat.instrument, Kit):
            stems[index] = machines.play(seat.instrument, part.notes, size)
        elif isinstance(seat.instrument, Voice):
            stems[index] = voices.play(seat.instrument, part.notes, size)
        else:
            by_font.setdefault(seat.instrument, []).append(index)
    for font, indices in by_font.items():
        played = font_player(font).stems([performance.parts[index] for index in indices], performance.seconds)
        for index, stem in zip(indices, played, strict=True):
            stems[index] = stem[:size]
    return stems


def _pump(performance: Performance, desk: Desk, size: int) -> NDArray[np.float32]:
    """The gain of what gives way to the kick, shape (size,)."""
    kicks = [n.begin for part in performance.parts if part.role == "drums" for n in part.notes if n.pitch in _KICKS]
    down_db = np.zeros(size, dtype=np.float32)
    shape = np.float32(desk.pump_db) * (1 - np.linspace(0, 1, round(desk.pump_seconds * RATE), dtype=np.float32)) ** 1.5
    for kick in kicks:
        room = down_db[round(kick * RATE) :][: len(shape)]
        np.maximum(room, shape[: len(room)], out=room)
    return (10 ** (-down_db / 20)).astype(np.float32, copy=False)


def _gain(stem: NDArray[np.float32], level_db: float) -> float:
    """The factor that brings a stem's loud passages to a level; 0 dB is an RMS of 0.1 in windows of 0.2 s."""
    window = RATE // 5
    whole = stem[: len(stem) // window * window].reshape(-1, window * 2)
    power = np.einsum("ij,ij->i", whole, whole) / whole.shape[1]
    loud = float(np.sqrt(np.percentile(power[power > 1e-9], 85))) if (power > 1e-9).any() else 1.0
    return float(0.1 * 10 ** (level_db / 20) / loud)


def _placed(stem: NDArray[np.float32], seat: Seat, gain: float) -> NDArray[np.float32]:
    """A stem at its level, narrowed and panned."""
    angle = (seat.pan + 1) * np.pi / 4
    left, right = np.sqrt(2) * gain * np.cos(angle), np.sqrt(2) * gain * np.sin(angle)
    near, far = (1 + seat.width) / 2, (1 - seat.width) / 2
    matrix = np.array([[near * left, far * right], [far * left, near * right]], dtype=np.float32)
    return stem @ matrix


def reverberated(
    send: NDArray[np.float32], seconds: float, damping_hz: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """What a room answers to a mono send, shape (n, 2) and as loud as the send.

    The room is noise that decays by 60 dB in `seconds` (at most 2.9), darker above `damping_hz`, 8 ms behind.
    """
    size = min(round(seconds * RATE), _TAIL_BLOCK)
    time = np.arange(size, dtype=np.float32) / RATE
    noise = rng.standard_normal((2, size), dtype=np.float32) * np.exp(-6.9 * time / seconds)
    noise[:, : round(0.008 * RATE)] = 0.0
    spectra = fft.rfft(noise, 2 * _TAIL_BLOCK)
    bins = np.linspace(0, RATE / 2, spectra.shape[1], dtype=np.float32)
    spectra *= (bins > 150) / (1 + (bins / damping_hz) ** 2)
    spectra /= np.sqrt(np.mean(np.abs(spectra[:, bins < damping_hz]) ** 2))
    tail = np.zeros((len(send) + 2 * _TAIL_BLOCK, 2), dtype=np.float32)
    for begin in range(0, len(send), _TAIL_BLOCK):
        piece = fft.rfft(send[begin : begin + _TAIL_BLOCK], 2 * _TAIL_BLOCK)
        tail[begin : begin + 2 * _TAIL_BLOCK] += fft.irfft(spectra * piece, 2 * _TAIL_BLOCK).T
    return tail[: len(send)]


def _bus(mix: NDArray[np.float32], desk: Desk) -> NDArray[np.float32]:
    """Tilt, compression, soft clipping, and a peak of 0.9."""
    if not mix.any():
        raise ValueError(f"the mix of {len(desk.seats)} parts is silent")
    if abs(desk.tilt_db) > 1:
        mix = _tilted(mix, desk.tilt_db)
    if desk.squeeze_db:
        mix = compressed(mix, desk.squeeze_db, ratio=4.0, release_seconds=0.15)
    mix = mix / np.abs(mix).max()
    if desk.drive:
        mix = np.tanh(mix * np.float32(desk.drive)) / np.float32(np.tanh(desk.drive))
    return mix * np.float32(0.9)


def compressed(
    sound: NDArray[np.float32], below_db: float, ratio: float, release_seconds: float
) -> NDArray[np.float32]:
    """Loud moments turned down; the threshold lies `below_db` below the peaks of the louder passages.

    The gain falls within 6 ms of a peak, beginning before it, as a compressor with look-ahead does.
    """
    block = RATE * 3 // 1000
    whole = sound[: len(sound) // block * block].reshape(-1, block * 2)
    peaks = 20 * np.log10(np.abs(whole).max(axis=1) + 1e-6)
    threshold = float(np.percentile(peaks, 90)) - below_db
    wanted = np.maximum(peaks - threshold, 0) * (1 - 1 / ratio)
    kept = float(np.exp(-block / RATE / release_seconds))
    down, now = np.empty(len(wanted)), 0.0
    for index, value in enumerate(wanted.tolist()):
        now = max(value, now * kept)
        down[index] = now
    centres = (np.arange(len(down)) + 0.5) * block
    gain = 10 ** (-np.interp(np.arange(len(sound)), centres, down) / 20)
    return sound * gain.astype(np.float32)[:, None]


def _tilted(mix: NDArray[np.float32], tilt_db: float) -> NDArray[np.float32]:
    """A first-order shelf around 1 kHz that puts `tilt_db` between the bass and the treble."""
    root = 10 ** (tilt_db / 40)
    corner = np.tan(np.pi * 1000 / RATE)
    # H(s) = (s root + corner) / (s + corner root), by the bilinear transform; 1/root below, root above
    numerator = np.array([root + corner, corner - root]) / (1 + corner * root)
    denominator = np.array([1.0, (corner * root - 1) / (1 + corner * root)])
    tilted: NDArray[np.float32] = signal.lfilter(
        numerator.astype(np.float32), denominator.astype(np.float32), mix, axis=0
    )
    return tilted
