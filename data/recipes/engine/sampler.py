"""Sampled instruments: note events to stereo sound through FluidSynth, one stem at a time.

FluidSynth starts and stops voices only at the borders of its 64-sample blocks, and its file player rounds to whole
milliseconds on top. Truth that is good to a millisecond needs finer steps, so the library is called directly, at
88.2 kHz, where a block lasts 0.73 ms, and every event goes to the block nearest to its time. The result is halved
to 44.1 kHz by a symmetric filter, which moves nothing. FluidSynth's own reverb and chorus stay off: space is made
in the mix, where every stem can have its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from data.recipes.engine.fluidsynth import library

RATE = 44_100
SYNTH_RATE = 2 * RATE
BLOCK = 64
POLYPHONY = 512
BLOCKS_PER_SECOND = SYNTH_RATE / BLOCK
DRUM_BANK = 128
ALL_SOUND_OFF = 120  # a controller that ends every voice of a channel at once
LONGEST_DELAY = 0.008  # seconds; instruments that speak more slowly do so by nature

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


class Sampler:
    """Plays stems, each on a synthesizer of its own.

    A used synthesizer is never quite at rest: voices ring into what comes next, and a voice that sounded before ramps
    up from its last level. A new one for every stem makes a stem depend on nothing but its events. The fonts' samples
    stay in memory with a synthesizer that is kept for this and never plays, so a new one costs a tenth of a second.
    """

    def __init__(self) -> None:
        self._lib = library()
        self._settings = self._lib.new_fluid_settings()
        self._lib.fluid_settings_setnum(self._settings, b"synth.sample-rate", float(SYNTH_RATE))
        self._lib.fluid_settings_setnum(self._settings, b"synth.gain", 0.6)
        self._lib.fluid_settings_setint(self._settings, b"synth.reverb.active", 0)
        self._lib.fluid_settings_setint(self._settings, b"synth.chorus.active", 0)
        self._lib.fluid_settings_setint(self._settings, b"synth.polyphony", POLYPHONY)
        self._keeper = self._lib.new_fluid_synth(self._settings)
        self._kept: set[str] = set()
        self._delays: dict[tuple[str, int, int], dict[int, float]] = {}

    def _load(self, synth: int, name: str) -> int:
        """The number of a font in a synthesizer that has just loaded it."""
        path = FONTS[name]
        if not path.exists():
            raise RuntimeError(f"sound font {path} is missing; see data/README.md for its Debian package")
        return int(self._lib.fluid_synth_sfload(synth, os.fsencode(path), 0))

    def render(
        self, events: Sequence[Event], seconds: float, program: int, bank: int = 0, font: str = "fluid"
    ) -> NDArray[np.float32]:
        """The stem as shape (n, 2) at 44.1 kHz, exactly `seconds` long; tails beyond that are cut."""
        lib = self._lib
        channel = 9 if bank == DRUM_BANK else 0
        if font not in self._kept:
            self._load(self._keeper, font)
            self._kept.add(font)
        synth = lib.new_fluid_synth(self._settings)
        try:
            lib.fluid_synth_set_interp_method(synth, -1, 7)
            if lib.fluid_synth_program_select(synth, channel, self._load(synth, font), bank, program) != 0:
                raise ValueError(f"font {font!r} has no program {program} in bank {bank}")
            for controller, value in ((7, 100), (10, 64), (11, 127), (91, 0), (93, 0)):
                lib.fluid_synth_cc(synth, channel, controller, value)
            sound = self._play(synth, channel, events, int(np.ceil(seconds * BLOCKS_PER_SECOND)) + 1)
        finally:
            lib.delete_fluid_synth(synth)
        halved = signal.resample_poly(sound, 1, 2, axis=1, window=("kaiser", 9.0))
        return np.ascontiguousarray(halved[:, : round(seconds * RATE)].T, dtype=np.float32)

    def _play(self, synth: int, channel: int, events: Sequence[Event], n_blocks: int) -> NDArray[np.float32]:
        """Send every event at the block nearest to its time; shape (2, samples) at the synthesizer's rate."""
        lib = self._lib
        sound = np.zeros((2, n_blocks * BLOCK), dtype=np.float32)
        send = {
            "on": lambda e: lib.fluid_synth_noteon(synth, channel, e.number, e.value),
            "off": lambda e: lib.fluid_synth_noteoff(synth, channel, e.number),
            "control": lambda e: lib.fluid_synth_cc(synth, channel, e.number, e.value),
            "bend": lambda e: lib.fluid_synth_pitch_bend(synth, channel, e.value),
        }
        # At one instant controls come first and a key is released before it is struck again.
        order = {"control": 0, "bend": 1, "off": 2, "on": 3}
        rows = [(max(0, round(e.at * BLOCKS_PER_SECOND)), order[e.kind], e.number, e.value, e) for e in events]
        done = 0
        for block, *_, event in sorted(rows, key=lambda row: row[:4]):
            block = min(block, n_blocks)
            self._write(synth, sound, done, block)
            done = max(done, block)
            send[event.kind](event)
        self._write(synth, sound, done, n_blocks)
        return sound

    def _write(self, synth: int, sound: NDArray[np.float32], first: int, last: int) -> None:
        """Let the synthesizer fill blocks `first` to `last` of both channels."""
        if last <= first:
            return
        left = sound[0, first * BLOCK :].ctypes.data
        right = sound[1, first * BLOCK :].ctypes.data
        self._lib.fluid_synth_write_float(synth, (last - first) * BLOCK, left, 0, 1, right, 0, 1)

    def onset_delays(self, keys: Iterable[int], program: int, bank: int = 0, font: str = "fluid") -> dict[int, float]:
        """Seconds from striking each key until it is heard: many samples begin with up to 5 ms of near-silence.

        Heard means a tenth of the peak of the first 60 ms. At most `LONGEST_DELAY` counts, so that an instrument that
        speaks slowly by nature still does.
        """
        known = self._delays.setdefault((font, bank, program), {})
        fresh = sorted(set(keys) - set(known))
        slot, start = 138 / BLOCKS_PER_SECOND, 28 / BLOCKS_PER_SECOND  # whole blocks: nothing is rounded
        events = [
            event
            for n, key in enumerate(fresh)
            for event in (
                Event(n * slot, "control", ALL_SOUND_OFF, 0),
                Event(n * slot + start, "on", key, 110),
                Event(n * slot + 0.09, "off", key, 0),
            )
        ]
        sound = np.zeros(0, np.float32)
        if fresh:
            sound = np.abs(self.render(events, len(fresh) * slot + slot, program, bank, font)).max(axis=1)
        for n, key in enumerate(fresh):
            begin = round(n * slot * RATE)
            level = sound[begin : begin + round((start + 0.06) * RATE)]
            if level.max() <= 0.0:
                raise ValueError(f"key {key} of program {program}, bank {bank}, font {font!r} is silent")
            quiet = round(start * RATE / 2)  # what is left of the key before ends at once
            heard = (quiet + int(np.argmax(level[quiet:] > 0.1 * level[quiet:].max()))) / RATE
            known[key] = float(np.clip(heard - start, 0.0, LONGEST_DELAY))
        return known


@cache
def sampler() -> Sampler:
    """The one sampler of this process, which keeps the fonts in memory."""
    return Sampler()
