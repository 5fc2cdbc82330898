"""Beats of recordings that nobody here made, against the grids that the makers of rhythm games set by hand.

    python -m tests.benchmarks.elsewhere.beats FOLDER [--told]

FOLDER is searched for songs of Frets on Fire (Debian's `fretsonfire-songs-muldjord`, `fretsonfire-songs-sectoid`),
StepMania (`Songs` of itgmania/itgmania), osu! (unpacked `*.osz` of ppy/osu-resources) and Friday Night Funkin'
(`songs/NAME/Inst.ogg`, and `NAME/NAME.json` in the same source); each folder right below it is a source. Songs with
stops or with more than one time signature are left out. With `--told` the tracker knows the tempo of most of the song.
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

import mido
import mir_eval
import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.table import Table
from workbench.beats.track import gather, track_gathered
from workbench.beats.weights import RIGHT_DOWNBEAT_F
from workbench.catalog import certainty as tempo
from workbench.features.drums import drum_chance
from workbench.features.spectrum import analyze_spectrum
from workbench.media.audio import decode
from workbench.params import BeatParams
from workbench.recording import FloatArray

Floats = NDArray[np.float64]
_PARTS = {"song": "guitar", "Inst": "Voices"}
"""what a game keeps in a second file beside the first, by the names of the files"""
TEMPO_TOLERANCE = 0.04
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


def tempo_map(path: Path) -> tuple[list[tuple[float, float]], set[tuple[int, int]]]:
    """Tempi by beat, and time signatures, of a Standard MIDI File."""
    file = mido.MidiFile(str(path), clip=True)
    tempi: dict[float, float] = {}
    metres: set[tuple[int, int]] = set()
    for track in file.tracks:
        tick = 0
        for message in track:
            tick += message.time
            if message.type == "set_tempo":
                tempi[tick / file.ticks_per_beat] = 6e7 / message.tempo
            elif message.type == "time_signature":
                metres.add((message.numerator, message.denominator))
    return sorted(tempi.items()), metres


def frets_on_fire(folder: Path) -> Iterator[Song]:
    """Songs of Frets on Fire below a folder."""
    for notes in sorted(folder.rglob("notes.mid")):
        tempi, metres = tempo_map(notes)
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


def tempo_ratio(written: FloatArray, found: FloatArray) -> float:
    """How many found beats there are to a written one, by the median beats; 0 where there is nothing to compare."""
    if min(written.size, found.size) < 2:
        return 0.0
    return float(np.median(np.diff(written)) / np.median(np.diff(found)))


@dataclass(frozen=True)
class Row:
    """How well the grid of one song is found."""

    f: float
    downbeat_f: float
    confidence: float
    bpm: float
    tempo_ratio: float
    """found beats to a written one"""
    drums: float
    """probability of drums"""


def measured(song: Song, *, told: bool = False) -> Row:
    """Track a song and compare its grid; `told`: with its tempo known."""
    samples, rate = samples_of(song)
    beats, params = song.beats(samples.shape[1] / rate), BeatParams()
    spectrum = analyze_spectrum(samples, rate)
    gathered = gather(spectrum, params)
    grid = track_gathered(gathered, params, 60.0 / float(np.median(np.diff(beats))) if told else None)
    return Row(
        f=mir_eval.beat.f_measure(beats, grid.beats),
        downbeat_f=mir_eval.beat.f_measure(song.downbeats(beats), grid.downbeats),
        confidence=grid.confidence,
        bpm=grid.tempo_bpm,
        tempo_ratio=tempo_ratio(beats, grid.beats),
        drums=drum_chance(spectrum, gathered.onsets),
    )


def table(rows: Sequence[Row]) -> Table:
    """The means, and how many grids of a high and of a low confidence are right."""
    found = Table("Beats of recordings by others, grids of rhythm games", ("songs", "F", "downbeat F"))
    found.add(len(rows), *(float(np.mean([getattr(row, name) for row in rows])) for name in ("f", "downbeat_f")))
    surely, unsurely = (
        [row.downbeat_f >= RIGHT_DOWNBEAT_F for row in rows if (row.confidence >= SURE) is sure]
        for sure in (True, False)
    )
    found.notes.append(
        f"Of {len(surely)} songs with a confidence of {SURE} or more {sum(surely)} have the right downbeats, of the "
        f"{len(unsurely)} others {sum(unsurely)}."
    )
    return found


STATED = {
    tempo.SURE: ("one number", (1.0,)),
    tempo.SURE_BUT_FOR_DOUBLE: ("or its double", (1.0, 0.5)),
    tempo.SURE_BUT_FOR_HALF: ("or its half", (1.0, 2.0)),
    tempo.UNSURE: ("not stated", ()),
}
"""how a tempo is stated, by its certainty, and at which found beats to a written one that is true"""


def stated(rows: Sequence[Row]) -> Table:
    """Whether what is said of the tempi of these songs is true, see `workbench.catalog.certainty`."""
    found = Table("Tempi of these songs as they are stated", ("stated as", "songs", "true"))
    for certainty, (name, levels) in STATED.items():
        some = [row for row in rows if tempo.tempo_certainty(row.bpm, row.confidence, row.drums) == certainty]
        true = [any(abs(row.tempo_ratio / level - 1.0) <= TEMPO_TOLERANCE for level in levels) for row in some]
        found.add(name, len(some), sum(true) if levels else None)
    found.notes.append(f"Within {TEMPO_TOLERANCE:.0%}.")
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
    for one in (table(rows), stated(rows)):
        print(one.markdown())


if __name__ == "__main__":
    main()
