"""Beats of recordings that nobody here made, against the grids that the makers of rhythm games set by hand.

    python -m tests.benchmarks.elsewhere.beats FOLDER

FOLDER is searched for songs of two games, each in a folder of its own: Frets on Fire (`song.ogg`, with `guitar.ogg`
where there is one, and `notes.mid`), StepMania (`*.ssc` or `*.sm` beside what its `#MUSIC` names). Debian has the
former in `fretsonfire-songs-muldjord` and `fretsonfire-songs-sectoid`; itgmania/itgmania has the latter under `Songs`.
Songs with stops or with more than one time signature are left out. Beat 0 of a grid opens a bar.

Protocol: as in `tests.benchmarks.beats`. *Off the beat*: share of the found beats that lie nearer to the middle between
two written ones than to either; *slips*: changes of phase at an unchanged tempo.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mir_eval
import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.beats import f_measure
from tests.benchmarks.table import Table
from workbench.beats.straight import slips_of
from workbench.beats.track import track_beats
from workbench.media.audio import decode

Floats = NDArray[np.float64]
_ONE_BYTE = (0xC0, 0xD0)
"""MIDI messages with one byte of data"""


@dataclass(frozen=True)
class Song:
    """A recording with the tempo map that a person set."""

    name: str
    path: Path
    tempi: tuple[tuple[float, float], ...]
    """beat from which a tempo holds, BPM; the first at beat 0"""
    begins: float
    """s, of beat 0"""
    beats_per_bar: int

    def beats(self, seconds: float) -> Floats:
        """Times of the beats inside the recording."""
        starts, beat = np.array([start for start, _ in self.tempi]), np.array([60.0 / bpm for _, bpm in self.tempi])
        reached = self.begins + np.concatenate(([0.0], np.cumsum(np.diff(starts) * beat[:-1])))
        places = np.arange(int(starts[-1] + max(seconds - reached[-1], 0.0) / beat[-1]) + 2, dtype=np.float64)
        part = np.searchsorted(starts, places, side="right") - 1
        times: Floats = reached[part] + (places - starts[part]) * beat[part]
        inside: Floats = times[(times >= 0.0) & (times < seconds)]
        return inside

    def downbeats(self, beats: Floats) -> Floats:
        """Those of the beats inside the recording that open a bar."""
        skipped = -round((beats[0] - self.begins) * self.tempi[0][1] / 60.0) % self.beats_per_bar
        return beats[skipped :: self.beats_per_bar]


def tempo_map(midi: bytes) -> tuple[list[tuple[float, float]], set[tuple[int, int]]]:
    """Tempi by beat, and time signatures, of a Standard MIDI File."""
    ticks_a_beat, at = int.from_bytes(midi[12:14], "big"), 14
    tempi: dict[float, float] = {}
    metres: set[tuple[int, int]] = set()

    def number(place: int) -> tuple[int, int]:
        value = 0
        while True:
            value = value << 7 | midi[place] & 0x7F
            place += 1
            if midi[place - 1] < 0x80:
                return value, place

    while at + 8 <= len(midi):
        place, end, tick, status = at + 8, at + 8 + int.from_bytes(midi[at + 4 : at + 8], "big"), 0, 0
        while place < end:
            wait, place = number(place)
            tick += wait
            if midi[place] >= 0x80:
                status, place = midi[place], place + 1
            if status in (0xFF, 0xF0, 0xF7):
                kind = midi[place] if status == 0xFF else 0
                size, place = number(place + (status == 0xFF))
                data, place = midi[place : place + size], place + size
                if kind == 0x51:
                    tempi[tick / ticks_a_beat] = 6e7 / int.from_bytes(data, "big")
                elif kind == 0x58:
                    metres.add((data[0], 2 ** data[1]))
            else:
                place += 1 if status & 0xF0 in _ONE_BYTE else 2
        at = end
    return sorted(tempi.items()), metres


def frets_on_fire(folder: Path) -> Iterator[Song]:
    """Songs of Frets on Fire below a folder."""
    for notes in sorted(folder.rglob("notes.mid")):
        tempi, metres = tempo_map(notes.read_bytes())
        recording = notes.with_name("song.ogg")
        if recording.exists() and tempi and len(metres) < 2:
            per_bar = next(iter(metres), (4, 4))[0]
            yield Song(notes.parent.name, recording, ((0.0, tempi[0][1]), *tempi[1:]), 0.0, per_bar)


def stepmania(folder: Path) -> Iterator[Song]:
    """Songs of StepMania below a folder."""
    for steps in sorted({path.with_suffix("") for path in (*folder.rglob("*.ssc"), *folder.rglob("*.sm"))}):
        written = next(path for end in (".ssc", ".sm") if (path := Path(f"{steps}{end}")).exists())
        head = written.read_text(encoding="utf-8", errors="replace").split("#NOTEDATA")[0]
        tags = {name: value.strip() for name, value in re.findall(r"#([A-Z]+):([^;]*);", head)}
        recording = written.with_name(tags.get("MUSIC") or "none")
        metres = {tuple(part.split("=")[1:]) for part in tags.get("TIMESIGNATURES", "0=4=4").split(",")}
        pairs = [part.split("=") for part in tags.get("BPMS", "").split(",") if "=" in part]
        if recording.exists() and pairs and not tags.get("STOPS") and not tags.get("WARPS") and len(metres) == 1:
            tempi = tuple((float(beat), float(bpm)) for beat, bpm in pairs)
            per_bar = int(next(iter(metres))[0])
            yield Song(written.parent.name, recording, tempi, -float(tags.get("OFFSET") or 0.0), per_bar)


def samples_of(song: Song) -> tuple[NDArray[np.float32], int]:
    """Samples of a song, with the guitar that Frets on Fire keeps in a file of its own, and their rate."""
    sound = decode(song.path)
    guitar = song.path.with_name("guitar.ogg")
    if not guitar.exists():
        return sound.samples, sound.sample_rate
    other = decode(guitar)
    size = max(sound.samples.shape[1], other.samples.shape[1])
    mixed = sum(np.pad(part.samples, ((0, 0), (0, size - part.samples.shape[1]))) for part in (sound, other))
    return np.array(mixed, dtype=np.float32), sound.sample_rate


def table(songs: Sequence[Song]) -> Table:
    """A row a song, and the means."""
    columns = ("song", "BPM", "found", "F", "AMLt", "downbeat F", "off the beat", "slips", "confidence")
    found = Table("Beats of recordings by others, grids of rhythm games", columns)
    rows: list[list[float]] = []
    for song in songs:
        samples, rate = samples_of(song)
        beats = song.beats(samples.shape[1] / rate)
        grid = track_beats(samples, rate)
        found_beats, found_downbeats = grid.beats.astype(np.float64), grid.downbeats.astype(np.float64)
        place = np.interp(grid.beats, beats, np.arange(beats.size), left=np.nan, right=np.nan)
        off = np.abs(place - np.round(place))
        amlt = float(mir_eval.beat.continuity(beats, grid.beats)[3]) if grid.beats.size > 1 else 0.0
        downbeat_f = f_measure(song.downbeats(beats), found_downbeats)
        share = float(np.mean(off[np.isfinite(off)] > 0.25)) if np.isfinite(off).any() else 0.0
        figures = [f_measure(beats, found_beats), amlt, downbeat_f, share, slips_of(grid.beats), grid.confidence]
        rows.append(figures)
        found.add(song.name, round(song.tempi[0][1], 1), round(grid.tempo_bpm, 1), *figures)
    if rows:
        found.add("mean", None, None, *np.mean(rows, axis=0).tolist())
    return found


def main() -> None:
    """Measure a folder; see the head of the module."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    songs = [*frets_on_fire(given.folder), *stepmania(given.folder)]
    if not songs:
        raise SystemExit(f"{given.folder}: there is no notes.mid, .ssc or .sm beside a recording")
    print(table(songs).markdown())


if __name__ == "__main__":
    main()
