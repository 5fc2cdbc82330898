"""Notes to sound: a standard MIDI file written by hand, played by FluidSynth."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

FONTS = (Path("/usr/share/sounds/sf2/FluidR3_GM.sf2"), Path("/usr/share/sounds/sf2/TimGM6mb.sf2"))
"""of Debian's fluid-soundfont-gm and timgm6mb-soundfont"""
RATE = 44_100
DRUM_CHANNEL = 9
_TICKS_PER_SECOND = 10_000


class Note(NamedTuple):
    """A note; times in seconds, pitch in MIDI numbers, velocity cut to 1 to 127."""

    begin: float
    seconds: float
    channel: int
    pitch: int
    velocity: float


def play(notes: Iterable[Note], programs: Mapping[int, int], font: Path) -> NDArray[np.float32]:
    """Samples, shape (n, 2) at 44.1 kHz, until the last note has rung off."""
    with tempfile.TemporaryDirectory() as folder:
        score, sound = Path(folder, "piece.mid"), Path(folder, "piece.wav")
        score.write_bytes(_midi_file(notes, programs))
        command = ["fluidsynth", "-ni", "-q", "-g", "0.6", "-r", str(RATE), "-F", str(sound), str(font), str(score)]
        subprocess.run(command, check=True, capture_output=True)
        samples, _ = soundfile.read(sound, dtype="float32", always_2d=True)
    return np.asarray(samples, dtype=np.float32)


def _midi_file(notes: Iterable[Note], programs: Mapping[int, int]) -> bytes:
    events = [(0, 0, bytes((0xC0 | channel, program))) for channel, program in programs.items()]
    for note in notes:
        on = max(0, round(note.begin * _TICKS_PER_SECOND))
        off = max(on + 1, round((note.begin + note.seconds) * _TICKS_PER_SECOND))
        velocity = int(np.clip(note.velocity, 1, 127))
        events.append((on, 2, bytes((0x90 | note.channel, note.pitch, velocity))))
        events.append((off, 1, bytes((0x80 | note.channel, note.pitch, 0))))
    events.sort(key=lambda event: event[:2])
    track = b"\x00\xff\x51\x03" + (500_000).to_bytes(3, "big")
    last = 0
    for tick, _, message in events:
        track += _delta(tick - last) + message
        last = tick
    track += b"\x00\xff\x2f\x00"
    # half a second a quarter note
    header = struct.pack(">IHHH", 6, 0, 1, _TICKS_PER_SECOND // 2)
    return b"MThd" + header + b"MTrk" + struct.pack(">I", len(track)) + track


def _delta(ticks: int) -> bytes:
    """A variable-length quantity."""
    found = [ticks & 127]
    while ticks := ticks >> 7:
        found.append(ticks & 127 | 128)
    return bytes(reversed(found))
