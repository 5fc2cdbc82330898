"""Sampled instruments: note events to stereo sound through FluidSynth, one stem at a time.

FluidSynth starts and stops voices only at the borders of its 64-sample blocks, and its file player rounds to whole
milliseconds on top. Truth that is good to a millisecond needs finer steps, so the library is called directly, at
88.2 kHz, where a block lasts 0.73 ms, and every event goes to the block nearest to its time. The result is halved
to 44.1 kHz by a symmetric filter, which moves nothing. FluidSynth's own reverb and chorus stay off: space is made
in the mix, where every stem can have its own.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import signal

RATE = 44_100
SYNTH_RATE = 2 * RATE
BLOCK = 64
POLYPHONY = 512
BLOCKS_PER_SECOND = SYNTH_RATE / BLOCK
DRUM_BANK = 128
ALL_SOUND_OFF = 120  # a controller that ends every voice of a channel at once

FONTS = {
    "fluid": Path("/usr/share/sounds/sf2/FluidR3_GM.sf2"),
    "muse": Path("/usr/share/sounds/sf3/MuseScore_General_Lite.sf3"),
}


@dataclass(frozen=True, slots=True)
class Event:
    """One message to the synthesizer, at a time in seconds."""

    at: float
    kind: str  # "on", "off", "control" or "bend"
    number: int  # key or controller
    value: int  # velocity, controller value, or bend 0..16383


@cache
def _library() -> ctypes.CDLL:
    """The FluidSynth library with the argument types of the few calls used here."""
    name = ctypes.util.find_library("fluidsynth")
    if name is None:
        raise RuntimeError("FluidSynth is not installed; the Debian package is called fluidsynth")
    lib = ctypes.CDLL(name)
    pointer, text, number, real = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double
    signatures = {
        "new_fluid_settings": (pointer, []),
        "fluid_settings_setnum": (number, [pointer, text, real]),
        "fluid_settings_setint": (number, [pointer, text, number]),
        "new_fluid_synth": (pointer, [pointer]),
        "fluid_synth_sfload": (number, [pointer, text, number]),
        "fluid_synth_system_reset": (number, [pointer]),
        "fluid_synth_set_interp_method": (number, [pointer, number, number]),
        "fluid_synth_program_select": (number, [pointer, number, number, number, number]),
        "fluid_synth_noteon": (number, [pointer, number, number, number]),
        "fluid_synth_noteoff": (number, [pointer, number, number]),
        "fluid_synth_cc": (number, [pointer, number, number, number]),
        "fluid_synth_pitch_bend": (number, [pointer, number, number]),
        "fluid_synth_write_float": (number, [pointer, number] + [pointer, number, number] * 2),
    }
    for function, (result, arguments) in signatures.items():
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    return lib


class Sampler:
    """One synthesizer with its sound fonts loaded; `render` turns the events of a stem into sound."""

    def __init__(self) -> None:
        lib = _library()
        settings = lib.new_fluid_settings()
        lib.fluid_settings_setnum(settings, b"synth.sample-rate", float(SYNTH_RATE))
        lib.fluid_settings_setnum(settings, b"synth.gain", 0.6)
        lib.fluid_settings_setint(settings, b"synth.reverb.active", 0)
        lib.fluid_settings_setint(settings, b"synth.chorus.active", 0)
        lib.fluid_settings_setint(settings, b"synth.polyphony", POLYPHONY)
        self._lib = lib
        self._synth = lib.new_fluid_synth(settings)
        self._fonts: dict[str, int] = {}
        self._warm_up()

    def _font(self, name: str) -> int:
        """The synthesizer's number for a font, loaded on first use."""
        if name not in self._fonts:
            path = FONTS[name]
            if not path.exists():
                raise RuntimeError(f"sound font {path} is missing; see data/README.md for its Debian package")
            self._fonts[name] = self._lib.fluid_synth_sfload(self._synth, os.fsencode(path), 0)
        return self._fonts[name]

    def render(
        self, events: Sequence[Event], seconds: float, program: int, bank: int = 0, font: str = "fluid"
    ) -> NDArray[np.float32]:
        """The stem as shape (n, 2) at 44.1 kHz, exactly `seconds` long; tails beyond that are cut."""
        lib, synth = self._lib, self._synth
        channel = 9 if bank == DRUM_BANK else 0
        font_id = self._font(font)
        self._silence()
        lib.fluid_synth_set_interp_method(synth, -1, 7)
        if lib.fluid_synth_program_select(synth, channel, font_id, bank, program) != 0:
            raise ValueError(f"font {font!r} has no program {program} in bank {bank}")
        for controller, value in ((7, 100), (10, 64), (11, 127), (91, 0), (93, 0)):
            lib.fluid_synth_cc(synth, channel, controller, value)
        n_blocks = int(np.ceil(seconds * BLOCKS_PER_SECOND)) + 1
        sound = np.zeros((2, n_blocks * BLOCK), dtype=np.float32)
        send = {
            "on": lambda e: lib.fluid_synth_noteon(synth, channel, e.number, e.value),
            "off": lambda e: lib.fluid_synth_noteoff(synth, channel, e.number),
            "control": lambda e: lib.fluid_synth_cc(synth, channel, e.number, e.value),
            "bend": lambda e: lib.fluid_synth_pitch_bend(synth, channel, e.value),
        }
        # At one instant controls come first and a key is released before it is struck again.
        order = {"control": 0, "bend": 1, "off": 2, "on": 3}
        ready = sorted(
            ((max(0, round(e.at * BLOCKS_PER_SECOND)), order[e.kind], e.number, e.value, e) for e in events),
            key=lambda row: row[:4],
        )
        done = 0
        for block, *_, event in ready:
            block = min(block, n_blocks)
            self._write(sound, done, block)
            done = max(done, block)
            send[event.kind](event)
        self._write(sound, done, n_blocks)
        halved = signal.resample_poly(sound, 1, 2, axis=1, window=("kaiser", 9.0))
        return np.ascontiguousarray(halved[:, : round(seconds * RATE)].T, dtype=np.float32)

    def _warm_up(self) -> None:
        """Use every voice once: one that never sounded starts its filter a little (-95 dB) differently."""
        self._font("fluid")
        for n in range(POLYPHONY + 64):
            self._lib.fluid_synth_noteon(self._synth, n % 8, 30 + n // 8 % 60, 1)
        self._write(np.zeros((2, BLOCK), dtype=np.float32), 0, 1)
        self._silence()

    def _silence(self) -> None:
        """Stop every voice and reset every controller: a reset alone lets voices ring into the next stem."""
        for channel in (0, 9):
            self._lib.fluid_synth_cc(self._synth, channel, ALL_SOUND_OFF, 0)
        self._write(np.zeros((2, 16 * BLOCK), dtype=np.float32), 0, 16)
        self._lib.fluid_synth_system_reset(self._synth)

    @cache  # noqa: B019 - the one sampler lives as long as the process
    def onset_delay(self, key: int, program: int, bank: int = 0, font: str = "fluid") -> float:
        """Seconds from striking `key` until it is heard: many samples begin with up to 5 ms of near-silence.

        Heard means a tenth of the peak of the first 60 ms. At most 8 ms count, so that an instrument that speaks
        slowly by nature still does.
        """
        start = 0.02
        sound = self.render([Event(start, "on", key, 110)], start + 0.06, program, bank, font)
        level = np.abs(sound).max(axis=1)
        if level.max() <= 0.0:
            raise ValueError(f"key {key} of program {program}, bank {bank}, font {font!r} is silent")
        heard = int(np.argmax(level > 0.1 * level.max())) / RATE
        return float(np.clip(heard - start, 0.0, 0.008))

    def _write(self, sound: NDArray[np.float32], first: int, last: int) -> None:
        """Let the synthesizer fill blocks `first` to `last` of both channels."""
        if last <= first:
            return
        left = sound[0, first * BLOCK :].ctypes.data
        right = sound[1, first * BLOCK :].ctypes.data
        self._lib.fluid_synth_write_float(self._synth, (last - first) * BLOCK, left, 0, 1, right, 0, 1)


class SettledSampler(Sampler):
    """A sampler that stops what still sounds before it plays: a reset alone lets voices ring into the next stem.

    What rings on is heard at the start of a recording, and hides the onsets that `onset_delay` looks for.
    """

    def render(
        self, events: Sequence[Event], seconds: float, program: int, bank: int = 0, font: str = "fluid"
    ) -> NDArray[np.float32]:
        """As `Sampler.render`, from silence."""
        for either in (0, DRUM_BANK):
            super().render([Event(0.0, "control", ALL_SOUND_OFF, 0)], 0.01, 0, either)
        return super().render(events, seconds, program, bank, font)


@cache
def settled_sampler() -> SettledSampler:
    """The one settled sampler of this process, with a synthesizer of its own."""
    return SettledSampler()


@cache
def sampler() -> Sampler:
    """The one sampler of this process; loading a font takes a second, so it is shared."""
    return Sampler()
