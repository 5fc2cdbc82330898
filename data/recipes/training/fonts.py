"""Sampled instruments: the parts of a performance played by FluidSynth, each into a stem of its own.

The library is called directly and kept in memory with its fonts, for reading a font costs more than playing a piece.
One synthesizer plays all parts at once; every MIDI channel has its own pair of output buffers, so that the desk can
balance afterwards. FluidSynth starts voices at the borders of its 64-sample blocks, so an event is at most 0.7 ms from
its time. Samples begin with up to 40 ms of near-silence, differently in every font: that is measured once for each
instrument and the note is struck so much earlier.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.recipes.engine.fluidsynth import library
from data.recipes.training.performing import Played, Sounded

RATE = 44_100
BLOCK = 64
CHANNELS = 16
DRUM_BANK = 128
_ALL_SOUND_OFF = 120
_LOG_ERRORS = 1
_LONGEST_DELAY = 0.012
"""seconds; instruments that speak more slowly do so by nature"""
_LONGEST_STRUCK_DELAY = 0.04
"""seconds; in what is struck or plucked even this is the sample's: its player would have plucked earlier"""
_STRUCK = frozenset((*range(16), *range(24, 40), 45, 46, 47, *range(104, 109), *range(112, 119)))
"""General MIDI programs that are struck or plucked"""
_HEARD_SECONDS = 0.1
"""of a tone that are looked at for its onset"""
_LEAD_BLOCKS = 28
"""blocks before time 0, in which the first note can be struck early"""
RING_SECONDS = 1.5
"""what is played after the last note has been released"""


class Font(NamedTuple):
    """A sound font, the Debian package that it comes with and the licence."""

    path: Path
    package: str
    licence: str


FONTS = {
    "fluid": Font(Path("/usr/share/sounds/sf2/FluidR3_GM.sf2"), "fluid-soundfont-gm", "MIT"),
    "mono": Font(Path("/usr/share/fluidr3mono-gm-soundfont/FluidR3Mono_GM.sf3"), "fluidr3mono-gm-soundfont", "MIT"),
    "muse": Font(Path("/usr/share/sounds/sf3/MuseScore_General_Lite.sf3"), "musescore-general-soundfont-small", "MIT"),
    "tim": Font(Path("/usr/share/sounds/sf2/TimGM6mb.sf2"), "timgm6mb-soundfont", "GPL-2"),
    "csound": Font(Path("/usr/share/sounds/sf2/sf_GMbank.sf2"), "csound-soundfont", "LGPL-2.1"),
    "opl": Font(Path("/usr/share/sounds/sf2/OPL-3_FM_128M.sf2"), "opl3-soundfont", "GPL"),
}
"""Fonts by the name that a desk uses."""

TRAINING_FONTS = ("fluid", "mono", "muse")
"""under a licence that lets what is learnt from them be passed on freely"""
VALIDATION_FONTS = ("tim", "csound", "opl")
"""never heard in training"""


def installed(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the named fonts that this machine can play; none where FluidSynth itself is missing."""
    if ctypes.util.find_library("fluidsynth") is None:
        return ()
    return tuple(name for name in names if FONTS[name].path.exists())


@dataclass(frozen=True)
class _Key:
    """A key of an instrument, whose delay is known."""

    bank: int
    program: int
    pitch: int


class FontPlayer:
    """One font, ready to play."""

    def __init__(self, name: str) -> None:
        self._lib = library()
        settings = self._lib.new_fluid_settings()
        self._lib.fluid_settings_setnum(settings, b"synth.sample-rate", float(RATE))
        self._lib.fluid_settings_setnum(settings, b"synth.gain", 0.4)
        for option, value in (
            (b"synth.reverb.active", 0),
            (b"synth.chorus.active", 0),
            (b"synth.polyphony", 384),
            (b"synth.audio-channels", CHANNELS),
            (b"synth.audio-groups", CHANNELS),
        ):
            self._lib.fluid_settings_setint(settings, option, value)
        self._synth = self._lib.new_fluid_synth(settings)
        self._font = self._lib.fluid_synth_sfload(self._synth, os.fsencode(FONTS[name].path), 0)
        if self._font < 0:
            raise RuntimeError(f"sound font {FONTS[name].path} cannot be read; install {FONTS[name].package}")
        self._delays: dict[_Key, float] = {}

    def stems(self, parts: Sequence[Played], seconds: float) -> list[NDArray[np.float32]]:
        """Each part alone, shape (n, 2) at 44.1 kHz, `seconds` and `RING_SECONDS` long."""
        if len(parts) > CHANNELS:
            raise ValueError(f"{len(parts)} parts; a font plays at most {CHANNELS} at once")
        events: list[tuple[float, int, int, int, int]] = []
        for channel, part in enumerate(parts):
            bank, program = self._selected(part, channel)
            for note in part.notes:
                begin = note.begin + _LEAD_BLOCKS * BLOCK / RATE - self._delay(part, note, bank, program)
                events.append((begin, 1, channel, note.pitch, note.velocity))
                events.append((begin + max(note.seconds, 0.02), 0, channel, note.pitch, 0))
        sound = self._play(events, _LEAD_BLOCKS + int(np.ceil((seconds + RING_SECONDS) * RATE / BLOCK)))
        sound = sound[:, _LEAD_BLOCKS * BLOCK :]
        return [np.ascontiguousarray(sound[2 * channel : 2 * channel + 2].T) for channel in range(len(parts))]

    def _selected(self, part: Played, channel: int) -> tuple[int, int]:
        """Choose the instrument of a channel: the one asked for or its nearest relative in this font."""
        bank = DRUM_BANK if part.role == "drums" else 0
        for program in (part.program, part.program // 8 * 8, 0):
            if self._lib.fluid_synth_program_select(self._synth, channel, self._font, bank, program) == 0:
                break
        else:
            raise ValueError(f"the font has no instrument in bank {bank}")
        for controller, value in ((7, 100), (10, 64), (11, 127), (91, 0), (93, 0)):
            self._lib.fluid_synth_cc(self._synth, channel, controller, value)
        return bank, program

    def _delay(self, part: Played, note: Sounded, bank: int, program: int) -> float:
        """Seconds from striking the note until it is heard, measured on first use.

        Heard means a tenth of the peak of the first 0.1 s.
        """
        key = _Key(bank, program, note.pitch)
        if key not in self._delays:
            channel = CHANNELS - 1
            self._selected(part, channel)
            start = 4 * BLOCK
            sound = self._play(
                [(start / RATE, 1, channel, note.pitch, 110), (_HEARD_SECONDS, 0, channel, note.pitch, 0)],
                round(_HEARD_SECONDS * RATE / BLOCK),
            )
            level = np.abs(sound[2 * channel : 2 * channel + 2]).max(axis=0)
            level[:start] = 0.0
            heard = int(np.argmax(level > 0.1 * level.max())) if level.any() else start
            longest = _LONGEST_STRUCK_DELAY if bank or program in _STRUCK else _LONGEST_DELAY
            self._delays[key] = float(np.clip((heard - start) / RATE, 0.0, longest))
        return self._delays[key]

    def _play(self, events: list[tuple[float, int, int, int, int]], n_blocks: int) -> NDArray[np.float32]:
        """Send every event at the block nearest to its time; shape (2 CHANNELS, samples)."""
        lib, synth = self._lib, self._synth
        sound = np.zeros((2 * CHANNELS, n_blocks * BLOCK), dtype=np.float32)
        pointers = (ctypes.c_void_p * (2 * CHANNELS))()
        base, row = sound.ctypes.data, sound.strides[0]
        done = 0

        def write(until: int) -> None:
            nonlocal done
            if until > done:
                for index in range(2 * CHANNELS):
                    pointers[index] = base + index * row + done * BLOCK * 4
                lib.fluid_synth_process(synth, (until - done) * BLOCK, 0, None, 2 * CHANNELS, pointers)
                done = until

        for channel in range(CHANNELS):
            lib.fluid_synth_cc(synth, channel, _ALL_SOUND_OFF, 0)
        timed = sorted((min(max(round(at * RATE / BLOCK), 0), n_blocks), *rest) for at, *rest in events)
        for block, on, channel, pitch, velocity in timed:
            write(block)
            if on:
                lib.fluid_synth_noteon(synth, channel, pitch, velocity)
            else:
                lib.fluid_synth_noteoff(synth, channel, pitch)
        write(n_blocks)
        return sound


@cache
def font_player(name: str) -> FontPlayer:
    """The one player of a font in this process."""
    return FontPlayer(name)
