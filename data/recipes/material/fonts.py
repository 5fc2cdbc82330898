"""Sampled instruments: parts played by FluidSynth in a sound font, each into a stem of its own.

The library is called directly and kept in memory with its fonts, for reading a font costs more than playing a piece.
One synthesizer plays all parts at once; every MIDI channel has its own pair of output buffers. FluidSynth starts voices
at the borders of its 64-sample blocks, so an event is at most 0.7 ms from its time. Samples begin with up to 40 ms of
near-silence, differently in every font: that is measured once for each instrument and the note is struck so much
earlier.
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

RATE = 44_100
BLOCK = 64
CHANNELS = 16
_ALL_SOUND_OFF = 120
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
    "muse": Font(Path("/usr/share/sounds/sf3/MuseScore_General_Lite.sf3"), "musescore-general-soundfont-small", "MIT"),
    "tim": Font(Path("/usr/share/sounds/sf2/TimGM6mb.sf2"), "timgm6mb-soundfont", "GPL-2"),
}


class Sounded(NamedTuple):
    """A note; times in seconds."""

    begin: float
    seconds: float
    pitch: int
    velocity: int


@dataclass
class Played:
    """The notes of one part and the General MIDI program that plays them."""

    program: int
    notes: list[Sounded]


def installed(names: Sequence[str]) -> tuple[str, ...]:
    """Those of the named fonts that this machine can play; none where FluidSynth itself is missing."""
    if ctypes.util.find_library("fluidsynth") is None:
        return ()
    return tuple(name for name in names if FONTS[name].path.exists())


class _Key(NamedTuple):
    """A key of an instrument, whose delay is known."""

    program: int
    pitch: int


@cache
def library() -> ctypes.CDLL:
    """The FluidSynth library with the argument types of the few calls below."""
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
        "fluid_synth_program_select": (number, [pointer, number, number, number, number]),
        "fluid_synth_noteon": (number, [pointer, number, number, number]),
        "fluid_synth_noteoff": (number, [pointer, number, number]),
        "fluid_synth_cc": (number, [pointer, number, number, number]),
        "fluid_synth_process": (number, [pointer, number, number, pointer, number, pointer]),
    }
    for function, (result, arguments) in signatures.items():
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    return lib


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
            program = self._selected(part, channel)
            for note in part.notes:
                begin = note.begin + _LEAD_BLOCKS * BLOCK / RATE - self._delay(part, note, program)
                events.append((begin, 1, channel, note.pitch, note.velocity))
                events.append((begin + max(note.seconds, 0.02), 0, channel, note.pitch, 0))
        sound = self._play(events, _LEAD_BLOCKS + int(np.ceil((seconds + RING_SECONDS) * RATE / BLOCK)))
        sound = sound[:, _LEAD_BLOCKS * BLOCK :]
        return [np.ascontiguousarray(sound[2 * channel : 2 * channel + 2].T) for channel in range(len(parts))]

    def _selected(self, part: Played, channel: int) -> int:
        """Choose the instrument of a channel: the one asked for or its nearest relative in this font."""
        for program in (part.program, part.program // 8 * 8, 0):
            if self._lib.fluid_synth_program_select(self._synth, channel, self._font, 0, program) == 0:
                break
        else:
            raise ValueError("the font has no instrument in bank 0")
        for controller, value in ((7, 100), (10, 64), (11, 127), (91, 0), (93, 0)):
            self._lib.fluid_synth_cc(self._synth, channel, controller, value)
        return program

    def _delay(self, part: Played, note: Sounded, program: int) -> float:
        """Seconds from striking the note until it is heard, measured on first use.

        Heard means a tenth of the peak of the first 0.1 s.
        """
        key = _Key(program, note.pitch)
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
            longest = _LONGEST_STRUCK_DELAY if program in _STRUCK else _LONGEST_DELAY
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
        # ends sort before beginnings of the same block, or a repeated note would end as it begins
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
