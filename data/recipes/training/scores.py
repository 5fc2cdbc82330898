"""How well a tracker does on a folder of rendered pieces whose beats are known.

A piece is a FLAC file with a JSON file of the same name beside it: `beats` in seconds, `positions` in the bar from 1,
`bar_beats`, `source` and `tags`. Any tracker can be measured: it takes the path of a recording and gives the times of
its beats and of its downbeats.

Figures are mir_eval's: F at ±70 ms, CMLt and AMLt (the share of beats that continue rightly, at the written level, or
also at half, double, or on the off-beat), and F of the downbeats. The first five seconds count like all others. What
went wrong is named from the same figures: a piece whose beats fit the written ones only when every second of them is
taken was tracked at half tempo, and so on; see `failure`.

    python -m data.recipes.training.scores FOLDER --tracker workbench
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import mir_eval
import numpy as np
import soundfile
from numpy.typing import NDArray

FloatArray = NDArray[np.floating]
Tracker = Callable[[Path], tuple[FloatArray, FloatArray]]
"""From a recording to the seconds of its beats and of its downbeats."""

RIGHT = 0.85
"""F from which on beats or downbeats count as found"""


class Row(NamedTuple):
    """What a tracker did with one recording."""

    name: str
    source: str
    tags: tuple[str, ...]
    f_measure: float
    cmlt: float
    amlt: float
    downbeat_f: float
    failure: str
    """empty where beats and downbeats were found; else what `failure` says"""
    bpm: float
    """written beats a minute, the median"""
    bpm_found: float
    cpu: float
    """seconds of processor time a second of audio, decoding included"""


def beats_f(reference: FloatArray, found: FloatArray) -> float:
    """F at ±70 ms; 0 where either is empty."""
    if not reference.size or not found.size:
        return 0.0
    return float(mir_eval.beat.f_measure(reference, found))


def continuity(reference: FloatArray, found: FloatArray) -> tuple[float, float]:
    """CMLt and AMLt; 0 where there are too few beats to continue."""
    if reference.size < 2 or found.size < 2:
        return 0.0, 0.0
    _, cmlt, _, amlt = mir_eval.beat.continuity(reference, found)
    return float(cmlt), float(amlt)


def divided(beats: FloatArray, parts: int) -> FloatArray:
    """Beats with `parts` - 1 more between each two, evenly."""
    place = np.arange((len(beats) - 1) * parts + 1) / parts
    return np.interp(place, np.arange(len(beats)), beats)


def other_readings(beats: FloatArray) -> dict[str, list[FloatArray]]:
    """Written beats as a tracker often hears them, by the name of the mistake."""
    doubled, tripled = divided(beats, 2), divided(beats, 3)
    return {
        "half": [beats[0::2], beats[1::2]],
        "double": [doubled],
        "off-beat": [doubled[1::2]],
        "swung off-beat": [tripled[2::3], tripled[1::3]],
        "third": [beats[start::3] for start in range(3)],
        "triple": [tripled],
        "two thirds": [doubled[start::3] for start in range(3)],
        "three halves": [tripled[start::2] for start in range(2)],
        "four thirds": [divided(beats, 4)[start::3] for start in range(3)],
        "quarter": [beats[start::4] for start in range(4)],
    }


def failure(reference: FloatArray, found: FloatArray, downbeats: FloatArray, found_downbeats: FloatArray) -> str:
    """What went wrong, in a word, or nothing.

    Of the beats: one of `other_readings` that fits at least half and better than the written beats do, or "unsteady"
    where none does. With the beats found: "metre" where bars are of another length than written, or else "bar phase".
    """
    right = beats_f(reference, found)
    if right < RIGHT:
        fits = {name: max(beats_f(one, found) for one in ways) for name, ways in other_readings(reference).items()}
        best = max(fits, key=lambda name: fits[name])
        return best if fits[best] > max(right, 0.5) else "unsteady"
    if beats_f(downbeats, found_downbeats) >= RIGHT:
        return ""
    if not found_downbeats.size:
        return "no bars"
    written, heard = (len(reference) / max(len(downbeats), 1), len(found) / len(found_downbeats))
    return "metre" if abs(np.log2(written / heard)) > 0.15 else "bar phase"


def tempo(beats: FloatArray) -> float:
    """Beats a minute, from the median interval; 0 with fewer than two."""
    return 60 / float(np.median(np.diff(beats))) if len(beats) > 1 else 0.0


def measure(recording: Path, track: Tracker) -> Row:
    """Track one recording and compare it with the truth beside it."""
    truth = json.loads(recording.with_suffix(".json").read_text(encoding="utf-8"))
    reference = np.array(truth["beats"])
    downbeats = reference[np.array(truth["positions"]) == 1]
    start = time.process_time()
    found, found_downbeats = (np.asarray(times, dtype=np.float64) for times in track(recording))
    seconds = time.process_time() - start
    cmlt, amlt = continuity(reference, found)
    return Row(
        recording.stem,
        truth.get("source", truth.get("family", "")),
        tuple(truth["tags"]),
        beats_f(reference, found),
        cmlt,
        amlt,
        beats_f(downbeats, found_downbeats),
        failure(reference, found, downbeats, found_downbeats),
        tempo(reference),
        tempo(found),
        seconds / soundfile.info(recording).duration,
    )


def evaluate(folder: Path, track: Tracker, pattern: str = "*.flac") -> list[Row]:
    """A row for every recording of a folder whose name fits, in order of names."""
    return [measure(recording, track) for recording in sorted(folder.glob(pattern))]


def mean_line(name: str, rows: Iterable[Row]) -> str:
    """One line of the table: the means over rows."""
    figures = np.array([(row.f_measure, row.cmlt, row.amlt, row.downbeat_f, row.cpu) for row in rows])
    mean = figures.mean(axis=0)
    shown = " | ".join(f"{value:.3f}" for value in mean[:4])
    return f"| {name} | {len(figures)} | {shown} | {mean[4]:.4f} |"


def table(rows: list[Row]) -> str:
    """A Markdown table of means over all rows, by source, by desk and by tag."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        desk = row.name.partition("__")[2]
        for name in ("all", f"source {row.source}", f"desk {desk}", *(f"tag {tag}" for tag in row.tags)):
            groups[name].append(row)
    order = sorted(groups, key=lambda name: (("all", "source", "desk", "tag").index(name.split()[0]), name))
    head = "| of | n | F | CMLt | AMLt | downbeat F | CPU s/s |\n|---|---|---|---|---|---|---|"
    return "\n".join([head, *(mean_line(name, groups[name]) for name in order)])


def failures(rows: list[Row]) -> str:
    """The recordings that were missed, by what went wrong, with written and found tempo."""
    kinds: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        kinds[row.failure or "right"].append(row)
    lines = []
    for kind, missed in sorted(kinds.items(), key=lambda item: -len(item[1])):
        lines.append(f"{kind}: {len(missed)} ({len(missed) / len(rows):.0%})")
        if kind != "right":
            lines += [
                f"    {row.name} {row.bpm:.0f} heard {row.bpm_found:.0f}, F {row.f_measure:.2f}" for row in missed
            ]
    return "\n".join(lines)


def workbench_tracker(recording: Path) -> tuple[FloatArray, FloatArray]:
    """The tracker of the library."""
    from workbench.beats.track import track_beats
    from workbench.media.audio import decode

    grid = track_beats(decode(recording))
    return grid.beats, grid.beats[grid.positions == 1]


def librosa_tracker(recording: Path) -> tuple[FloatArray, FloatArray]:
    """librosa's `beat_track` as a user calls it; it gives no downbeats."""
    import librosa

    samples, rate = librosa.load(recording, sr=None)
    _, found = librosa.beat.beat_track(y=samples, sr=rate, units="time")
    return np.asarray(found, dtype=np.float64), np.zeros(0)


TRACKERS: dict[str, Tracker] = {"workbench": workbench_tracker, "librosa": librosa_tracker}


def main() -> None:
    """Measure a tracker on a folder and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tracker", choices=sorted(TRACKERS), default="workbench")
    parser.add_argument("--pattern", default="*.flac", help="which recordings, for example '*__timgm.flac'")
    parser.add_argument("--rows", type=Path, help="also write every row here, as JSON")
    given = parser.parse_args()
    rows = evaluate(given.folder, TRACKERS[given.tracker], given.pattern)
    if given.rows:
        given.rows.write_text(json.dumps([row._asdict() for row in rows], indent=1), encoding="utf-8")
    print(table(rows))
    print()
    print(failures(rows))


if __name__ == "__main__":
    main()
