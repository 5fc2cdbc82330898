"""Beats of recordings that nobody here made, against the grids that the makers of rhythm games set by hand.

    python -m tests.benchmarks.elsewhere.beats FOLDER [--told]

FOLDER is searched for songs of four games: Frets on Fire (`song.ogg`, with `guitar.ogg` where there is one, and
`notes.mid`), StepMania (`*.ssc` or `*.sm` beside what its `#MUSIC` names), osu! (`*.osu` beside its audio, of unpacked
`*.osz`), Friday Night Funkin' (`songs/NAME/Inst.ogg`, with `Voices.ogg` where there is one, and `NAME/NAME.json`
anywhere in the same source). Each folder right below FOLDER is a source. Debian has the first in
`fretsonfire-songs-muldjord` and `fretsonfire-songs-sectoid`; itgmania/itgmania has the second under `Songs`,
ppy/osu-resources the third. Songs with stops or with more than one time signature are left out. Beat 0 of a grid opens
a bar.

Protocol: as in `tests.benchmarks.beats`. *Off the beat*: share of the found beats that lie nearer to the middle between
two written ones than to either; *slips*: changes of phase at an unchanged tempo. *Half* and *double* tempo: the median
beat against the written one, within 4 %. With `--told` the tracker knows the tempo of most of the song. The intervals
hold 95 of 100 means of sources drawn again, songs with them.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.beats import TEMPO_TOLERANCE, f_measure
from tests.benchmarks.table import Table
from workbench.beats.straight import slips_of
from workbench.beats.track import gather, track_gathered
from workbench.beats.weights import RIGHT_DOWNBEAT_F
from workbench.catalog import tempo
from workbench.character.drums import drum_chance
from workbench.features.spectrum import analyze_spectrum
from workbench.intervals import bootstrap_interval
from workbench.media.audio import decode
from workbench.params import BeatParams

Floats = NDArray[np.float64]
_ONE_BYTE = (0xC0, 0xD0)
"""MIDI messages with one byte of data"""
_PARTS = {"song": "guitar", "Inst": "Voices"}
"""what a game keeps in a second file beside the first, by the names of the files"""
BINS = 5
OFF = 0.1
"""share of the beats off the beat from which a grid is; a slip for a few bars is less"""
SURE = 0.6
"""confidence from which a wrong grid counts"""


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
        recording = written.parent / (tags.get("MUSIC") or "none")
        metres = {tuple(part.split("=")[1:]) for part in tags.get("TIMESIGNATURES", "0=4=4").split(",")}
        pairs = [part.split("=") for part in tags.get("BPMS", "").split(",") if "=" in part]
        if recording.is_file() and pairs and not tags.get("STOPS") and not tags.get("WARPS") and len(metres) == 1:
            tempi = tuple((float(beat), float(bpm)) for beat, bpm in pairs)
            per_bar = int(next(iter(metres))[0])
            yield Song(written.parent.name, recording, tempi, -float(tags.get("OFFSET") or 0.0), per_bar)


def osu(folder: Path) -> Iterator[Song]:
    """Songs of osu! below a folder: of each recording the first map, and its timing points that set a tempo."""
    seen: set[Path] = set()
    for written in sorted(folder.rglob("*.osu")):
        text = written.read_text(encoding="utf-8", errors="replace")
        named = re.search(r"^AudioFilename:\s*(.+?)\s*$", text, re.MULTILINE)
        recording = written.with_name(named[1]) if named else written
        lines = text.partition("[TimingPoints]")[2].partition("[")[0].split()
        points = [line.split(",") for line in lines]
        starts = [(float(at), float(length), int(bar)) for at, length, bar, _, _, _, kind, *_ in points if kind == "1"]
        if len(starts) == 1 and recording.exists() and recording not in seen:
            seen.add(recording)
            at, length, per_bar = starts[0]
            yield Song(written.parent.name, recording, ((0.0, 60000.0 / length),), at / 1000.0, per_bar)


def funkin(folder: Path) -> Iterator[Song]:
    """Songs of Friday Night Funkin' and its mods below a folder, those with sections of four beats throughout."""
    for recording in sorted(folder.rglob("Inst.ogg")):
        name = recording.parent.name
        source = folder / recording.relative_to(folder).parts[0]
        charts = [path for end in ("", "-hard") for path in sorted(source.rglob(f"{name}/{name}{end}.json"))]
        chart = next(filter(None, map(_chart, charts)), None)
        if chart is None:
            continue
        steps = {part.get("lengthInSteps", 4 * part.get("sectionBeats", 4)) for part in chart["notes"]}
        changes = [(4.0 * k, float(part["bpm"])) for k, part in enumerate(chart["notes"]) if part.get("changeBPM")]
        if steps == {16}:
            first = [] if changes and changes[0][0] == 0.0 else [(0.0, float(chart["bpm"]))]
            yield Song(name, recording, (*first, *changes), 0.0, 4)


def _chart(path: Path) -> dict[str, Any] | None:
    """The chart in a file of Friday Night Funkin'; None where it holds something else."""
    text = path.read_text(encoding="utf-8", errors="replace")
    chart = json.loads(text[: text.rindex("}") + 1]).get("song")
    return chart if isinstance(chart, dict) and "notes" in chart else None


def songs_in(folder: Path) -> list[Song]:
    """All songs of all games below a folder, of a recording that is in several sources the first."""
    found = [song for game in (frets_on_fire, stepmania, osu, funkin) for song in game(folder)]
    by_size: dict[int, Song] = {}
    for song in found:
        by_size.setdefault(song.path.stat().st_size, song)
    return list(by_size.values())


def source_of(song: Song, folder: Path) -> str:
    """The name of the package or repository that a song came from."""
    return song.path.relative_to(folder).parts[0]


def samples_of(song: Song) -> tuple[NDArray[np.float32], int]:
    """Samples of a song, with the guitar or the voices that a game keeps in a file of its own, and their rate."""
    sound = decode(song.path)
    part = song.path.with_name(f"{_PARTS.get(song.path.stem)}.ogg")
    if not part.exists():
        return sound.samples, sound.sample_rate
    other = decode(part)
    size = max(sound.samples.shape[1], other.samples.shape[1])
    mixed = sum(np.pad(part.samples, ((0, 0), (0, size - part.samples.shape[1]))) for part in (sound, other))
    return np.array(mixed, dtype=np.float32), sound.sample_rate


def tempo_ratio(written: Floats, found: Floats) -> float | None:
    """How many found beats there are to a written one, by the median beats; None where there is nothing to compare."""
    if min(written.size, found.size) < 2:
        return None
    return float(np.median(np.diff(written)) / np.median(np.diff(found)))


@dataclass(frozen=True)
class Row:
    """How well the grid of one song is found."""

    song: Song
    f: float
    amlt: float
    downbeat_f: float
    off_the_beat: float
    """share of the found beats"""
    slips: int
    confidence: float
    bpm: float
    tempo_ratio: float
    """found beats to a written one; 0 where there is nothing to compare"""
    drums: float
    """probability of drums"""

    @property
    def figures(self) -> list[float]:
        """Those that have a mean."""
        return [self.f, self.amlt, self.downbeat_f, self.off_the_beat, self.slips, self.confidence]


def measured(song: Song, *, told: bool = False) -> Row:
    """Track a song and compare its grid; `told`: with its tempo known."""
    samples, rate = samples_of(song)
    beats, params = song.beats(samples.shape[1] / rate), BeatParams()
    spectrum = analyze_spectrum(samples, rate)
    gathered = gather(spectrum, params)
    grid = track_gathered(gathered, params, 60.0 / float(np.median(np.diff(beats))) if told else None)
    found_beats, found_downbeats = grid.beats.astype(np.float64), grid.downbeats.astype(np.float64)
    place = np.interp(grid.beats, beats, np.arange(beats.size), left=np.nan, right=np.nan)
    off = np.abs(place - np.round(place))
    return Row(
        song=song,
        f=f_measure(beats, found_beats),
        amlt=float(mir_eval.beat.continuity(beats, grid.beats)[3]) if grid.beats.size > 1 else 0.0,
        downbeat_f=f_measure(song.downbeats(beats), found_downbeats),
        off_the_beat=float(np.mean(off[np.isfinite(off)] > 0.25)) if np.isfinite(off).any() else 0.0,
        slips=slips_of(grid.beats),
        confidence=grid.confidence,
        bpm=grid.tempo_bpm,
        tempo_ratio=tempo_ratio(beats, found_beats) or 0.0,
        drums=drum_chance(spectrum, gathered.onsets),
    )


def table(rows: Sequence[Row], folder: Path) -> Table:
    """A row a song, and the means."""
    columns = ("song", "BPM", "found", "F", "AMLt", "downbeat F", "off the beat", "slips", "confidence")
    found = Table("Beats of recordings by others, grids of rhythm games", columns)
    for row in rows:
        found.add(row.song.name, round(row.song.tempi[0][1], 1), round(row.bpm, 1), *row.figures)
    if rows:
        figures = np.array([row.figures for row in rows])
        found.add("mean", None, None, *figures.mean(axis=0).tolist())
        sources = [source_of(row.song, folder) for row in rows]
        for name, column in (("F", 0), ("downbeat F", 2)):
            low, high = bootstrap_interval(figures[:, column], sources)
            found.notes.append(f"{name} over {len(set(sources))} sources: {low:.3f} to {high:.3f}.")
        counts = [sum(abs(row.tempo_ratio / wanted - 1.0) <= TEMPO_TOLERANCE for row in rows) for wanted in (0.5, 2.0)]
        found.notes.append(f"Of {len(rows)} songs {counts[0]} at half tempo, {counts[1]} at double.")
    return found


def reliability(rows: Sequence[Row]) -> Table:
    """Whether `confidence` is the chance of right downbeats: a row for each fifth of the scale."""
    columns = ("confidence", "songs", "mean confidence", "right", "mean downbeat F", "off the beat")
    found = Table("Reliability of confidence on these songs", columns)
    claimed, downbeat_f = (np.array([getattr(row, name) for row in rows]) for name in ("confidence", "downbeat_f"))
    right, off = downbeat_f >= RIGHT_DOWNBEAT_F, np.array([row.off_the_beat >= OFF for row in rows])
    bins = np.minimum((claimed * BINS).astype(np.intp), BINS - 1)
    for one in np.unique(bins).tolist():
        some = bins == one
        means = [float(column[some].mean()) for column in (claimed, right, downbeat_f)]
        found.add(f"{one / BINS:.1f} to {(one + 1) / BINS:.1f}", int(some.sum()), *means, int(off[some].sum()))
    found.notes += [
        f"*Right*: downbeat F of {RIGHT_DOWNBEAT_F} or more. *Off the beat*: songs with a tenth of their beats there.",
        f"Mean squared error {np.mean((claimed - right) ** 2):.3f}; the share of right grids, said of all, "
        f"{np.mean(right) * (1.0 - np.mean(right)):.3f}.",
        f"With a confidence of {SURE} or more {int(np.sum(~right & (claimed >= SURE)))} of {int(np.sum(~right))} wrong "
        f"grids, and {int(np.sum(off & (claimed >= SURE)))} of {int(off.sum())} off the beat.",
    ]
    return found


STATED = {
    tempo.SURE: ("one number", (1.0,)),
    tempo.SURE_BUT_FOR_DOUBLE: ("or its double", (1.0, 0.5)),
    tempo.SURE_BUT_FOR_HALF: ("or its half", (1.0, 2.0)),
    tempo.UNSURE: ("not stated", ()),
}
"""how a tempo is stated, by its certainty, and at which found beats to a written one that is true"""


def stated(rows: Sequence[Row]) -> Table:
    """Whether what is said of the tempi of these songs is true, see `workbench.catalog.tempo`."""
    found = Table("Tempi of these songs as they are stated", ("stated as", "songs", "true", "share", "written so"))
    levels = {certainty: levels for certainty, (_, levels) in STATED.items()}
    said = [tempo.tempo_certainty(row.bpm, row.confidence, row.drums) for row in rows]
    holds = [
        any(abs(row.tempo_ratio / level - 1.0) <= TEMPO_TOLERANCE for level in levels[certainty])
        for row, certainty in zip(rows, said, strict=True)
    ]
    written = [abs(row.tempo_ratio - 1.0) <= TEMPO_TOLERANCE for row in rows]
    for certainty, (name, _) in STATED.items():
        some = [at for at, one in enumerate(said) if one == certainty]
        true = sum(holds[at] for at in some)
        share = true / len(some) if some and certainty != tempo.UNSURE else None
        found.add(name, len(some), None if certainty == tempo.UNSURE else true, share, sum(written[at] for at in some))
    told = [at for at, one in enumerate(said) if one != tempo.UNSURE]
    true = sum(holds[at] for at in told)
    found.add("all that are stated", len(told), true, true / max(len(told), 1), sum(written[at] for at in told))
    found.notes.append(f"Within {TEMPO_TOLERANCE:.0%}. *Written so*: the measured tempo is the written one.")
    return found


def main() -> None:
    """Measure a folder; see the head of the module."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--told", action="store_true", help="tell the tracker the tempo of each song")
    given = arguments.parse_args()
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    songs = songs_in(given.folder)
    if not songs:
        raise SystemExit(f"{given.folder}: there is no notes.mid, .ssc, .sm, .osu or chart that belongs to a recording")
    rows = [measured(song, told=given.told) for song in songs]
    print(table(rows, given.folder).markdown())
    print(reliability(rows).markdown())
    print(stated(rows).markdown())


if __name__ == "__main__":
    main()
