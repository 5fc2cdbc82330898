"""Every judgement on a set of our own, on material by others, and under the simple rule there, side by side.

    WORKBENCH_BENCH_ELSEWHERE=FOLDER python -m tests.benchmarks.run judgements

FOLDER holds what was fetched, as the modules of `tests.benchmarks.elsewhere` say: `videos`, `music`, `texts`, `games`;
what is measured of it is kept in `home` there. A judgement whose material is not there is left out, and the table says
so. Figures on our own sets are those of the sections above in RESULTS.md.

A judgement that is under its simple rule on material by others does not ship: the rule does, until it is better.
Intervals are bootstraps over sources (of videos, songs or recordings; over scripts where there are no sources), 90 %.
"""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import librosa
import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import pairs_of
from data.recipes.material.elsewhere_voices import voice_scenes
from data.recipes.material.recordings import recordings
from tests.benchmarks.beats import f_measure
from tests.benchmarks.elsewhere import align, beats, loops, match, underscore, voice
from tests.benchmarks.elsewhere.intervals import interval
from tests.benchmarks.elsewhere.underscore_catalog import scripts, tracks
from tests.benchmarks.mix import measured
from tests.benchmarks.run import ELSEWHERE_FOLDER
from tests.benchmarks.table import Table
from workbench.params import MatchParams

RESULTS = Path(__file__).parent / "RESULTS.md"
MOST_OF_A_SOURCE = 5
"""recordings that loops are judged on: each takes half a minute"""

Values = NDArray[np.float64]


def own_figure(table: str, row: str, column: str) -> float | None:
    """A figure on our own set, as RESULTS.md has it; None where the section was not run yet.

    Parameters
    ----------
    table : its title
    row : its first cell
    column : its head
    """
    parts = re.split(r"^### ", RESULTS.read_text(encoding="utf-8"), flags=re.M)
    for part in parts:
        if part.split("\n", 1)[0].strip() != table:
            continue
        lines = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in part.split("\n") if "|" in line]
        for cells in lines[2:]:
            if cells[0] == row:
                return float(cells[lines[0].index(column)])
    return None


def add(table: Table, judgement: str, own: float | None, ours: Values, sources: Sequence[str], rule: str,
        ruled: Values | None) -> None:  # fmt: skip
    """A row, with what follows from it."""
    if not ours.size:
        table.notes.append(f"Not measured: {judgement}; its folder holds nothing to measure.")
        return
    best = None if ruled is None else float(ruled.mean())
    ships = None if best is None else "holds" if ours.mean() >= best else "under its rule"
    table.add(judgement, own, float(ours.mean()), *interval(ours, sources), rule, best, ships)


def match_rows(table: Table, folder: Path) -> None:
    """Ranking music for videos, beside the better of the simple rules."""
    own = own_figure("Ranking a generated catalog against films of known character, NDCG@10", "ours", "held-out half")
    for name, words in (("by sound alone", False), ("with the catalog's words", True)):
        pairs = pairs_of("test", folder / "videos", folder / "music", folder / "home", words=words)
        ruled = {rule: match.reached(scores, pairs.grades) for rule, scores in match.simple_rules(pairs).items()}
        rule = max(ruled, key=lambda one: float(ruled[one].mean()))
        found = match.reached(match.ours(pairs, MatchParams()), pairs.grades)
        sources = [video.source for video in pairs.videos]
        add(table, f"match {name}, NDCG@10", None if words else own, found, sources, rule, ruled[rule])


def underscore_rows(table: Table, folder: Path) -> None:
    """Ranking music for scripts, beside the nearest sentence embeddings under the rules of the brief."""
    catalog, asked = tracks(folder / "texts", "test"), scripts("test")
    with tempfile.TemporaryDirectory() as home:
        found = {
            name: np.asarray(underscore.measure(one, asked, catalog).ndcg)
            for name, one in underscore.rankings(Path(home), catalog).items()
        }
    rule = found.pop("cosine and rules", None)
    for name, values in found.items():
        add(table, f"{name}, NDCG@10", None, values, [script.id for script in asked], "cosine and rules", rule)


def beat_rows(table: Table, folder: Path) -> None:
    """Beats and downbeats, beside librosa's beats, of which every fourth from the first is a downbeat."""
    songs = beats.songs_in(folder / "games")
    tracked = [beats.measured(song) for song in songs]
    ruled: dict[str, list[float]] = {"F": [], "downbeat F": []}
    for song in songs:
        samples, rate = beats.samples_of(song)
        true = song.beats(samples.shape[1] / rate)
        heard = librosa.beat.beat_track(y=samples.mean(axis=0), sr=rate, units="time")[1].astype(np.float64)
        ruled["F"].append(f_measure(true, heard))
        ruled["downbeat F"].append(f_measure(song.downbeats(true), heard[::4]))
    sources = [beats.source_of(song, folder / "games") for song in songs]
    reached = {"F": [row.f for row in tracked], "downbeat F": [row.downbeat_f for row in tracked]}
    for name, values in ruled.items():
        own = own_figure("Beats: validation pieces", "workbench-network", name)
        add(table, f"beats, {name}", own, np.array(reached[name]), sources, "librosa", np.array(values))


def voice_rows(table: Table, folder: Path) -> None:
    """Who speaks when, beside the bare speech detector; a voice 10 LU under the music is left out."""
    scenes = [(package, video, measured(video)) for package, video in voice_scenes(folder / "music", "test")]
    spoken = [one for one in scenes if one[1].speech and "under" not in one[1].name]
    heard = [(video, soundtrack) for _, video, soundtrack in spoken]
    ours, bare = (np.array(voice.frame_scores(heard, bare=way)) for way in (False, True))
    own = own_figure("Mix: speech ranges", "at 0 LU or more", "frame F1")
    add(table, "speech frames, F1", own, ours, [package for package, *_ in spoken], "bare detector", bare)


def loop_rows(table: Table, folder: Path) -> None:
    """The worst splice that a plan plays, beside PyMusicLooper; a refusal and a failure count 0."""
    found: dict[str, list[loops.Row]] = {}
    with tempfile.TemporaryDirectory() as home:
        for one in recordings(folder / "music", "test"):
            rows = found.setdefault(one.source.package, [])
            if len(rows) < MOST_OF_A_SOURCE:
                rows.append(loops.judge_recording(one, Path(home)))
    rows = [row for some in found.values() for row in some]
    ours, peer = (np.nan_to_num(np.array([getattr(row, name) for row in rows])) for name in ("ours", "peer"))
    add(table, "loop, the worst splice judged", None, ours, [row.name for row in rows], "PyMusicLooper",
        peer if peer.any() else None)  # fmt: skip


def align_rows(table: Table, folder: Path) -> None:
    """Planted places that come first, beside a cross-correlation of event and landmark strength."""
    ours, ruled, sources = align.first_share(folder)
    own = own_figure("Align: planted truth", "all", "first within 20 ms")
    add(table, "align, planted place first", own, ours, sources, "cross-correlation", ruled)


JUDGEMENTS: tuple[tuple[str, tuple[str, ...], Callable[[Table, Path], None]], ...] = (
    ("match", ("videos", "music"), match_rows),
    ("underscore", ("texts",), underscore_rows),
    ("beats", ("games",), beat_rows),
    ("voice", ("music",), voice_rows),
    ("align", ("videos", "music"), align_rows),
    ("loop", ("music",), loop_rows),
)
"""What is judged, the folders that it needs, and what adds its rows."""


def run() -> list[Table]:
    """Measure every judgement whose material is there."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    folder = Path(os.environ[ELSEWHERE_FOLDER])
    table = Table(
        "Judgements on our own sets, on material by others, and simple rules there",
        ("judgement", "own set", "elsewhere", "from", "to", "simple rule", "elsewhere, the rule", "outcome"),
    )
    for name, needed, add_rows in JUDGEMENTS:
        if missing := [one for one in needed if not (folder / one).is_dir()]:
            table.notes.append(f"Not measured: {name}; there is no folder {' and no folder '.join(missing)}.")
        else:
            add_rows(table, folder)
    return [table]
