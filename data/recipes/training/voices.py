"""Synthesised instruments: one additive model whose parameters, drawn for every piece.

A tone is a bank of decaying partials. Where their levels come from (a plucked point, drawbars, a filtered saw tooth),
how fast each decays, how far they are from harmonic, how many detuned copies sound, how the tone begins and ends: that
tells a harp from a clavinet, an organ or a wall of saws. The whole bank is two small matrices multiplied with one
another, so a note costs about a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from data.recipes.training.performing import Sounded

RATE = 44_100
_CHUNK = 512
_LONGEST_SECONDS = 10.0
_TOP_HZ = 15_000.0

Samples = NDArray[np.float32]


def ringing(
    hz: NDArray[np.float64],
    decay_seconds: NDArray[np.float64],
    levels: NDArray[np.float64],
    phases: NDArray[np.float64],
    size: int,
) -> Samples:
    """The sum of decaying sines, shape (size,); `decay_seconds` until a partial has fallen by 60 dB.

    A partial at sample m + 512 k is a product of a factor of m and a factor of k, so the sum over partials is a
    product of matrices.
    """
    rate = -6.91 / (np.maximum(decay_seconds, 1e-3) * RATE) + 2j * np.pi * hz / RATE
    coarse = np.exp(np.outer(np.arange(-(-size // _CHUNK)) * _CHUNK, rate) + 1j * phases) * levels
    fine = np.exp(np.outer(rate, np.arange(_CHUNK)))
    left = np.concatenate([coarse.imag, coarse.real], axis=1).astype(np.float32)
    right = np.concatenate([fine.real, fine.imag], axis=0).astype(np.float32)
    return (left @ right).reshape(-1)[:size]


def hz_of(pitch: float) -> float:
    """Frequency of a MIDI key, A4 = 440 Hz."""
    return float(440.0 * 2 ** ((pitch - 69) / 12))


@dataclass(frozen=True)
class Voice:
    """An instrument of the additive model."""

    rolloff: float = 1.0
    """partial k has level k ** -rolloff"""
    even: float = 1.0
    """level of the even partials: 1 a saw tooth, 0 a square wave"""
    plucked_at: float = 0.0
    """place on the string, as a share of its length, whose nodes are missing; 0: not a string"""
    ratios: tuple[float, ...] = ()
    """frequencies of the partials in units of the note; empty: harmonics"""
    drawbars: tuple[float, ...] = ()
    """levels of the partials; empty: by `rolloff`"""
    stiffness: float = 0.0
    """inharmonicity: partial k is sharp by the factor sqrt(1 + stiffness k**2)"""
    cutoff_hz: float = 20_000.0
    """corner of a low pass of 12 dB an octave"""
    cutoff_key: float = 0.0
    """corner further up by this many fundamentals"""
    formants: tuple[tuple[float, float], ...] = ()
    """(Hz, dB) of resonances a third of an octave wide"""
    decay_seconds: float = 1e3
    """of the fundamental of C4 to fall by 60 dB"""
    decay_slope: float = 0.0
    """how much shorter higher notes ring: factor 2 ** -slope an octave"""
    damping: float = 0.0
    """how much shorter higher partials ring: divided by 1 + damping (k - 1)"""
    attack: float = 0.001
    """seconds to full level"""
    release: float = 0.08
    """seconds to fall by 60 dB after the key is let go"""
    unison: int = 1
    """detuned copies, spread over the stereo picture"""
    detune_cents: float = 0.0
    vibrato_hz: float = 0.0
    vibrato_cents: float = 0.0
    tremolo: float = 0.0
    """depth, at `vibrato_hz`"""
    noise: float = 0.0
    """level of breath or bow noise"""
    click: float = 0.0
    """level of a hammer, pick or key noise at the onset"""
    glide_cents: float = 0.0
    """how far above the note the onset begins"""
    drive: float = 0.0
    """soft clipping; 0: none"""
    seed: int = 0


def play(voice: Voice, notes: Sequence[Sounded], size: int) -> NDArray[np.float32]:
    """The notes as a stereo stem, shape (size, 2), each onset at the sample nearest to its time."""
    out = np.zeros((size, 2), dtype=np.float32)
    longest: dict[int, float] = {}
    for note in notes:
        longest[note.pitch] = max(longest.get(note.pitch, 0.0), note.seconds)
    raw = {pitch: _tone(voice, pitch, min(held, _LONGEST_SECONDS)) for pitch, held in longest.items()}
    release = max(round(voice.release * RATE), 64)
    falling = np.exp(-6.9 * np.arange(release, dtype=np.float32) / release)[:, None]
    for note in notes:
        begin = round(note.begin * RATE)
        held = min(round(note.seconds * RATE), round(_LONGEST_SECONDS * RATE))
        tone = raw[note.pitch][: held + release] * np.float32((note.velocity / 100) ** 1.6)
        tone[held:] *= falling[: len(tone) - held]
        room = out[begin : begin + len(tone)]
        room += tone[: len(room)]
    return out


def _tone(voice: Voice, pitch: int, held: float) -> NDArray[np.float32]:
    """One key held down, shape (n, 2), its release not yet shaped."""
    rng = np.random.default_rng((voice.seed, pitch))
    size = round((held + voice.release) * RATE) + 64
    f0 = hz_of(pitch)
    ratios, levels = _partials(voice, f0)
    decay = voice.decay_seconds * 2 ** (-voice.decay_slope * (pitch - 60) / 12)
    decays = decay / (1 + voice.damping * np.maximum(ratios - 1, 0))
    spread = np.linspace(-1, 1, voice.unison) if voice.unison > 1 else np.zeros(1)
    sides = [np.zeros(size, np.float32), np.zeros(size, np.float32)]
    for place in spread:
        hz = f0 * ratios * 2 ** (place * voice.detune_cents / 1200)
        # a lone oscillator starts like a struck string; several start anywhere, or they would sweep like a phaser
        phases = np.zeros(len(hz)) if voice.unison == 1 else rng.uniform(0, 2 * np.pi, len(hz))
        copy = ringing(hz, decays, levels / voice.unison**0.5, phases, size)
        sides[0] += np.float32(1 - 0.6 * place) * copy
        sides[1] += np.float32(1 + 0.6 * place) * copy
    tone = np.stack(sides, axis=1)
    tone /= np.float32(np.sqrt(np.mean(tone[: RATE // 4] ** 2)) + 1e-9)
    time = np.arange(size, dtype=np.float32) / np.float32(RATE)
    if voice.glide_cents or voice.vibrato_cents:
        tone = _bent(tone, voice, time)
    if voice.noise:
        hiss = signal.lfilter([1, -1], [1, -0.85], rng.standard_normal(size)).astype(np.float32)
        tone += (voice.noise * hiss)[:, None]
    if voice.drive:
        tone = np.tanh(tone * np.float32(voice.drive * 0.5)) * np.float32(1 / np.tanh(voice.drive * 0.5))
    if voice.attack > 0:
        tone *= np.clip(time / voice.attack, 0, 1)[:, None] ** 0.7
    if voice.tremolo:
        tone *= (1 - voice.tremolo * (0.5 - 0.5 * np.cos(2 * np.pi * voice.vibrato_hz * time)))[:, None]
    if voice.click:
        burst = rng.standard_normal(400).astype(np.float32) * np.exp(-np.arange(400, dtype=np.float32) / 70)
        tone[:400] += np.float32(voice.click) * burst[: len(tone), None]
    return tone * np.float32(0.1)


def _partials(voice: Voice, f0: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Frequencies, in units of the note, and levels of the partials that are audible."""
    if voice.ratios:
        ratios = np.array(voice.ratios)
    else:
        count = len(voice.drawbars) or 120
        number = np.arange(1, count + 1, dtype=np.float64)
        ratios = number * np.sqrt(1 + voice.stiffness * number**2)
    index = np.arange(1, len(ratios) + 1, dtype=np.float64)
    levels = np.array(voice.drawbars) if voice.drawbars else index**-voice.rolloff
    levels = levels * np.where(index % 2 == 0, voice.even, 1.0)
    if voice.plucked_at:
        levels = levels * np.abs(np.sin(np.pi * index * voice.plucked_at))
    hz = f0 * ratios
    levels = levels / (1 + (hz / (voice.cutoff_hz + voice.cutoff_key * f0)) ** 2)
    for centre, boost_db in voice.formants:
        octaves = np.log2(hz / centre)
        levels = levels * 10 ** (boost_db / 20 * np.exp(-((octaves / 0.4) ** 2)))
    audible = (hz < _TOP_HZ) & (levels > 2e-4 * levels.max())
    audible[0] = True
    return ratios[audible], levels[audible]


def _bent(tone: NDArray[np.float32], voice: Voice, time: Samples) -> NDArray[np.float32]:
    """Vibrato that comes in slowly, and a glide down into the note, by reading the tone at a changing speed."""
    cents = voice.glide_cents * np.exp(-time / 0.03)
    if voice.vibrato_cents:
        cents = cents + voice.vibrato_cents * np.clip(time / 0.5, 0, 1) * np.sin(2 * np.pi * voice.vibrato_hz * time)
    place = np.cumsum(2 ** (cents / 1200)) - 1
    where = np.arange(len(tone))
    return np.stack([np.interp(place, where, tone[:, side]) for side in (0, 1)], axis=1).astype(np.float32)


def draw_voice(program: int, rng: np.random.Generator, substitute: float = 0.0) -> Voice:
    """A voice in the manner of a General MIDI program; with probability `substitute` an electronic one instead."""
    draw: Callable[[np.random.Generator], Voice]
    if rng.random() < substitute:
        draw = _synth_bass if 32 <= program < 40 else _SYNTHS[int(rng.integers(len(_SYNTHS)))]
    else:
        draw = _EXCEPTIONS.get(program, _FAMILIES[program // 8])
    return replace(draw(rng), seed=int(rng.integers(1 << 31)))


def _piano(rng: np.random.Generator) -> Voice:
    kind = rng.choice(["grand", "electric", "clav"], p=[0.5, 0.35, 0.15])
    if kind == "electric":
        return _electric_piano(rng)
    if kind == "clav":
        return _plucked(rng, bright=True)
    return Voice(
        rolloff=rng.uniform(1.0, 1.7),
        plucked_at=rng.uniform(0.08, 0.14),
        stiffness=10 ** rng.uniform(-4.2, -3.2),
        cutoff_hz=rng.uniform(800, 3500),
        cutoff_key=rng.uniform(1, 4),
        decay_seconds=rng.uniform(4, 12),
        decay_slope=0.5,
        damping=rng.uniform(0.1, 0.5),
        release=rng.uniform(0.15, 0.5),
        unison=int(rng.choice([1, 2, 3])),
        detune_cents=rng.uniform(0.5, 3) if rng.random() < 0.8 else rng.uniform(5, 14),
        click=rng.uniform(0.05, 0.5),
    )


def _electric_piano(rng: np.random.Generator) -> Voice:
    chime = rng.uniform(0.05, 0.8)
    return Voice(
        ratios=(1.0, 2.0, 3.0, 4.0, float(rng.choice([6.98, 9.0, 14.0, 10.2])), 1.002),
        drawbars=(1.0, rng.uniform(0, 0.6), rng.uniform(0, 0.3), rng.uniform(0, 0.15), chime, 0.3),
        decay_seconds=rng.uniform(3, 8),
        decay_slope=0.4,
        damping=rng.uniform(0.3, 1.5),
        release=rng.uniform(0.1, 0.4),
        drive=rng.uniform(0.5, 3) if rng.random() < 0.5 else 0.0,
        tremolo=rng.uniform(0.2, 0.6) if rng.random() < 0.3 else 0.0,
        vibrato_hz=rng.uniform(3, 7),
        click=rng.uniform(0, 0.25),
    )


def _mallet(rng: np.random.Generator) -> Voice:
    modes = [(1.0, 3.93, 9.2, 16.1), (1.0, 2.76, 5.40, 8.93), (1.0, 2.0, 3.01, 4.1, 5.43), (1.0, 4.0, 10.0), (1.0, 3.5)]
    ratios = modes[int(rng.integers(len(modes)))]
    return Voice(
        ratios=ratios,
        drawbars=tuple(float(x) for x in rng.uniform(0.1, 0.9, len(ratios)) / np.arange(1, len(ratios) + 1) ** 0.7),
        decay_seconds=10 ** rng.uniform(-0.3, 0.8),
        decay_slope=rng.uniform(0.3, 1),
        damping=rng.uniform(0.2, 1.5),
        release=rng.uniform(0.2, 1.0),
        click=rng.uniform(0.1, 1.0),
        tremolo=rng.uniform(0.2, 0.6) if rng.random() < 0.2 else 0.0,
        vibrato_hz=rng.uniform(3, 7),
    )


def _organ(rng: np.random.Generator) -> Voice:
    bars = rng.uniform(0, 1, 8) * (rng.random(8) < 0.6)
    bars[0] = 1.0
    ratios = (
        (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0) if rng.random() < 0.5 else (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    )
    return Voice(
        ratios=ratios,
        drawbars=tuple(float(x) for x in bars),
        attack=rng.uniform(0.002, 0.012) if rng.random() < 0.7 else rng.uniform(0.02, 0.06),
        release=rng.uniform(0.04, 0.2),
        click=rng.uniform(0, 0.3),
        unison=int(rng.choice([1, 2])),
        detune_cents=rng.uniform(1, 8),
        vibrato_hz=rng.choice([0.8, rng.uniform(5.5, 7)]),
        vibrato_cents=rng.uniform(0, 18),
        tremolo=rng.uniform(0, 0.3),
        drive=rng.uniform(0.5, 4) if rng.random() < 0.4 else 0.0,
    )


def _reed(rng: np.random.Generator) -> Voice:
    return Voice(
        rolloff=rng.uniform(0.5, 1.1),
        even=rng.uniform(0.3, 1),
        cutoff_hz=rng.uniform(1000, 4500),
        attack=rng.uniform(0.01, 0.04),
        release=rng.uniform(0.04, 0.12),
        unison=int(rng.choice([1, 2, 3])),
        detune_cents=rng.uniform(2, 16),
        noise=rng.uniform(0, 0.02),
    )


def _plucked(rng: np.random.Generator, bright: bool = False) -> Voice:
    return Voice(
        rolloff=rng.uniform(0.4, 1.2),
        plucked_at=rng.uniform(0.05, 0.4),
        stiffness=10 ** rng.uniform(-5, -3.7),
        cutoff_hz=rng.uniform(3000, 9000) if bright else 10 ** rng.uniform(2.9, 3.8),
        cutoff_key=rng.uniform(0, 3),
        decay_seconds=10 ** rng.uniform(0.0, 0.9),
        decay_slope=rng.uniform(0.3, 0.9),
        damping=10 ** rng.uniform(-1.4, -0.2),
        release=rng.uniform(0.04, 0.4),
        unison=int(rng.choice([1, 1, 2])),
        detune_cents=rng.uniform(1, 10),
        click=rng.uniform(0, 0.6),
        glide_cents=rng.uniform(0, 15),
    )


def _guitar(rng: np.random.Generator) -> Voice:
    if rng.random() < 0.3:
        return replace(
            _plucked(rng, bright=True),
            drive=rng.uniform(3, 25),
            decay_seconds=rng.uniform(5, 20),
            damping=rng.uniform(0.01, 0.1),
            cutoff_hz=rng.uniform(1200, 4000),
        )
    return _plucked(rng)


def _bass(rng: np.random.Generator) -> Voice:
    """An electric or upright bass."""
    return Voice(
        rolloff=rng.uniform(0.6, 1.4),
        plucked_at=rng.uniform(0.08, 0.35),
        cutoff_hz=10 ** rng.uniform(2.3, 3.4),
        decay_seconds=rng.uniform(0.8, 6),
        decay_slope=0.3,
        damping=10 ** rng.uniform(-1.2, 0),
        release=rng.uniform(0.03, 0.15),
        attack=rng.uniform(0.001, 0.006),
        click=rng.uniform(0, 0.5),
        drive=rng.uniform(0.5, 3) if rng.random() < 0.4 else 0.0,
        noise=0.0,
    )


def _synth_bass(rng: np.random.Generator) -> Voice:
    """A sub, a filtered saw or square, a growl of detuned saws, a long 808."""
    kind = rng.choice(["sub", "filtered", "growl", "808", "rubber"])
    if kind == "sub":
        return Voice(rolloff=rng.uniform(2.5, 4), drive=rng.uniform(0, 2), attack=0.004, release=0.06)
    if kind == "808":
        return Voice(
            rolloff=3.5,
            decay_seconds=rng.uniform(1.0, 5),
            drive=rng.uniform(0.5, 6),
            glide_cents=rng.uniform(200, 1400),
            click=rng.uniform(0, 0.4),
            release=0.1,
        )
    shared = Voice(
        rolloff=1.0,
        even=float(rng.choice([0.0, 0.5, 1.0])),
        cutoff_hz=10 ** rng.uniform(2.1, 3.2),
        attack=rng.uniform(0.001, 0.008),
        release=rng.uniform(0.03, 0.15),
        drive=rng.uniform(0.3, 4) if rng.random() < 0.5 else 0.0,
    )
    if kind == "growl":
        return replace(shared, unison=int(rng.integers(2, 5)), detune_cents=rng.uniform(6, 30))
    if kind == "rubber":
        return replace(shared, decay_seconds=rng.uniform(0.4, 2), damping=rng.uniform(0.1, 1.5), cutoff_hz=2500.0)
    return shared


def _strings(rng: np.random.Generator) -> Voice:
    ensemble = rng.random() < 0.7
    return Voice(
        rolloff=rng.uniform(0.9, 1.4),
        cutoff_hz=rng.uniform(1500, 6000),
        formants=((rng.uniform(300, 700), rng.uniform(0, 8)), (rng.uniform(2000, 3500), rng.uniform(0, 8))),
        attack=10 ** rng.uniform(-1.9, -0.8),
        release=rng.uniform(0.1, 0.6),
        unison=int(rng.integers(3, 6)) if ensemble else 1,
        detune_cents=rng.uniform(6, 16),
        vibrato_hz=rng.uniform(4.5, 6.5),
        vibrato_cents=0.0 if ensemble else rng.uniform(5, 30),
        noise=rng.uniform(0, 0.04),
    )


def _blown(rng: np.random.Generator) -> Voice:
    """Brass, reeds and pipes differ in partials, formants and breath."""
    return Voice(
        rolloff=rng.uniform(0.6, 2.2),
        even=float(rng.choice([0.1, 0.6, 1.0])),
        cutoff_hz=10 ** rng.uniform(2.9, 3.7),
        cutoff_key=rng.uniform(0, 3),
        formants=((rng.uniform(400, 1800), rng.uniform(0, 10)),),
        attack=rng.uniform(0.008, 0.05),
        release=rng.uniform(0.04, 0.15),
        unison=int(rng.choice([1, 1, 3])),
        detune_cents=rng.uniform(3, 12),
        vibrato_hz=rng.uniform(4, 6.5),
        vibrato_cents=rng.uniform(0, 25),
        noise=rng.uniform(0, 0.12),
        glide_cents=rng.uniform(-60, 10),
    )


def _lead(rng: np.random.Generator) -> Voice:
    return Voice(
        rolloff=rng.uniform(0.9, 1.3) if rng.random() < 0.8 else 3.0,
        even=float(rng.choice([0.0, 0.3, 1.0])),
        cutoff_hz=10 ** rng.uniform(2.8, 4.1),
        attack=rng.uniform(0.001, 0.012),
        decay_seconds=float(rng.choice([1e3, rng.uniform(0.5, 4)])),
        damping=rng.uniform(0.02, 0.5),
        release=rng.uniform(0.03, 0.3),
        unison=int(rng.choice([1, 1, 2, 3])),
        detune_cents=rng.uniform(3, 20),
        vibrato_hz=rng.uniform(4, 7),
        vibrato_cents=rng.choice([0.0, rng.uniform(5, 40)]),
        drive=rng.uniform(0.5, 5) if rng.random() < 0.3 else 0.0,
    )


def _supersaw(rng: np.random.Generator) -> Voice:
    return Voice(
        rolloff=1.0,
        cutoff_hz=10 ** rng.uniform(2.8, 4.1),
        attack=rng.uniform(0.002, 0.02),
        release=rng.uniform(0.08, 0.5),
        unison=int(rng.integers(3, 8)),
        detune_cents=rng.uniform(8, 28),
    )


def _synth_pluck(rng: np.random.Generator) -> Voice:
    return replace(
        _supersaw(rng),
        unison=int(rng.integers(1, 4)),
        decay_seconds=10 ** rng.uniform(-0.4, 0.5),
        damping=10 ** rng.uniform(-1.3, 0.0),
        cutoff_hz=10 ** rng.uniform(3.2, 4.1),
        attack=0.001,
    )


def _pad(rng: np.random.Generator) -> Voice:
    return replace(
        _supersaw(rng),
        attack=10 ** rng.uniform(-1.7, -0.4),
        release=rng.uniform(0.3, 1.2),
        cutoff_hz=10 ** rng.uniform(2.5, 3.5),
        tremolo=rng.uniform(0, 0.4),
        vibrato_hz=rng.uniform(0.1, 0.6),
    )


def _struck(rng: np.random.Generator) -> Voice:
    return replace(_mallet(rng), decay_seconds=10 ** rng.uniform(-0.7, 0.3), click=rng.uniform(0.3, 1.5))


_FAMILIES: tuple[Callable[[np.random.Generator], Voice], ...] = (
    _piano, _mallet, _organ, _guitar, _bass, _strings, _strings, _blown,
    _blown, _blown, _lead, _pad, _synth_pluck, _plucked, _struck, _pad,
)  # fmt: skip
"""by General MIDI family, eight programs each"""
_EXCEPTIONS: dict[int, Callable[[np.random.Generator], Voice]] = {
    4: _electric_piano, 5: _electric_piano, 6: _plucked, 7: _plucked, 15: _plucked,
    20: _reed, 21: _reed, 22: _reed, 23: _reed, 38: _synth_bass, 39: _synth_bass,
    45: _plucked, 46: _plucked, 47: _mallet, 55: _synth_pluck, 109: _reed, 110: _strings, 111: _blown,
}  # fmt: skip
"""programs that sound unlike the rest of their family"""
_SYNTHS = (_supersaw, _synth_pluck, _lead, _lead, _electric_piano, _organ, _pad, _mallet, _plucked)
