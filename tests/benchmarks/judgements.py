"""Every judgement on a set of our own, on material by others, and under the simple rule there, side by side.

    WORKBENCH_BENCH_ELSEWHERE=FOLDER python -m tests.benchmarks.run judgements

FOLDER holds what was fetched, as the modules of `tests.benchmarks.elsewhere` say: `videos`, `music`, `texts`, `games`;
what is measured of it is kept in `home` there. A judgement whose material is not there is left out, and the table says
so. Figures on our own sets are those of the sections above in RESULTS.md.

`WORKBENCH_BENCH_JUDGEMENTS` names some of them ("match seam"): these are measured, and the rows of the others stay as
RESULTS.md has them, each with the day on which it was measured.

A judgement that is under its simple rule on material by others does not ship: the rule does, until it is better.
Intervals are bootstraps over sources (of videos, songs or recordings; over scripts where there are no sources), 90 %;
*gain* is what the judgement has over its rule, case by case.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import librosa
import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.match import TRAINING_TRACKS
from data.recipes.fitting.seams import examples_of
from data.recipes.material.elsewhere_pairs import pairs_of
from data.recipes.material.elsewhere_voices import voice_scenes
from data.recipes.material.match_videos import reference_half
from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks import match as own_match
from tests.benchmarks.beats import f_measure
from tests.benchmarks.elsewhere import align, beats, loops, match, reliability, underscore, voice
from tests.benchmarks.elsewhere.intervals import interval
from tests.benchmarks.elsewhere.underscore_catalog import scripts, tracks
from tests.benchmarks.mix import measured
from tests.benchmarks.run import ELSEWHERE_FOLDER
from tests.benchmarks.seams import auc
from tests.benchmarks.table import Table
from workbench.loops.profile import SEAM_PARTS
from workbench.params import MatchParams

RESULTS = Path(__file__).parent / "RESULTS.md"
CHOSEN = "WORKBENCH_BENCH_JUDGEMENTS"
"""The environment variable that names the judgements to measure; all without it."""
TITLE = "Judgements on our own sets, on material by others, and simple rules there"
COLUMNS = (
    "judgement", "own set", "elsewhere", "from", "to", "simple rule", "elsewhere, the rule", "gain from", "gain to",
    "outcome", "measured",
)  # fmt: skip
OWN = {
    "match by sound alone, NDCG@10": (
        "Ranking a generated catalog against videos of known character, NDCG@10", "ours", "held-out half",
    ),
    "underscore, NDCG@10": ("Underscore: NDCG@10 of texts against 620 tracks", "underscore", "held-out half"),
    "underscore, lexicon only, NDCG@10": (
        "Underscore: NDCG@10 of texts against 620 tracks", "underscore, lexicon only", "held-out half",
    ),
    "beats, F": ("Beats: validation pieces", "workbench-network", "F"),
    "beats, downbeat F": ("Beats: validation pieces", "workbench-network", "downbeat F"),
    "speech frames, F1": ("Mix: speech ranges", "at 0 LU or more", "frame F1"),
    "align, planted place first": ("Align: planted truth", "all", "first within 20 ms"),
    "seam, AUC in a recording": ("Splices with known answers, all songs", "all bad ones", "AUC seam_score"),
}  # fmt: skip
"""Where RESULTS.md has the figure on our own set, by judgement: table, row, column; the others have none."""
MATCH_SETS = (("by sound alone", False), ("with the catalog's words", True))
"""and whether these are read"""
MOST_OF_A_SOURCE = 8
"""recordings that loops and seams are judged on: each takes half a minute"""
UNNATURAL, NATURAL = 0.25, 0.75
"""answers up to which a splice is a bad one, and from which it is a good one"""

Values = NDArray[np.float64]


def stored(title: str) -> Table | None:
    """A table as RESULTS.md has it; None where it is not there.

    Parameters
    ----------
    title : of the table
    """
    for part in re.split(r"^### ", RESULTS.read_text(encoding="utf-8"), flags=re.M):
        if part.split("\n", 1)[0].strip() == title:
            lines = [line for line in part.split("\n") if line.startswith("|")]
            head, _, *rows = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines)
            return Table(title, tuple(head), [row for row in rows if len(row) == len(head)])
    return None


def own_figure(judgement: str) -> float | None:
    """A figure on our own set, as RESULTS.md has it; None where there is none.

    Parameters
    ----------
    judgement : as its row is called

    Raises
    ------
    KeyError : RESULTS.md has no such table, row or column
    """
    if judgement not in OWN:
        return None
    title, row, column = OWN[judgement]
    table = stored(title)
    if table is None:
        raise KeyError(title)
    cells = {str(line[0]): line for line in table.rows}[row]
    return float(str(dict(zip(table.columns, cells, strict=True))[column]))


def add(table: Table, judgement: str, ours: Values, sources: Sequence[str], rule: str, ruled: Values | None) -> None:
    """A row, with what follows from it.

    Parameters
    ----------
    table : what it is added to
    judgement : its first word is that of `JUDGEMENTS`
    ours, ruled : shape (n,), each case elsewhere, ours and under the rule; None where the rule was not asked
    sources : of each case, n
    rule : its name
    """
    if not ours.size:
        table.notes.append(f"Not measured: {judgement}; its folder holds nothing to measure.")
        return
    best = None if ruled is None else float(ruled.mean())
    ships = None if best is None else "holds" if ours.mean() >= best else "under its rule"
    gain = (None, None) if ruled is None else interval(ours - ruled, sources)
    shown = (judgement, own_figure(judgement), float(ours.mean()), *interval(ours, sources), rule, best, *gain, ships)
    table.add(*shown, dt.date.today().isoformat())


def match_rows(table: Table, folder: Path) -> None:
    """Ranking music for videos, beside the better of the simple rules."""
    for name, words in MATCH_SETS:
        pairs = pairs_of("test", folder / "videos", folder / "music", folder / "home", words=words)
        ruled = {rule: match.reached(scores, pairs.grades) for rule, scores in match.simple_rules(pairs).items()}
        rule = max(ruled, key=lambda one: float(ruled[one].mean()))
        found = match.reached(match.ours(pairs, MatchParams()), pairs.grades)
        sources = [video.source for video in pairs.videos]
        add(table, f"match {name}, NDCG@10", found, sources, rule, ruled[rule])


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
        add(table, f"{name}, NDCG@10", values, [script.id for script in asked], "cosine and rules", rule)


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
        add(table, f"beats, {name}", np.array(reached[name]), sources, "librosa", np.array(values))


def speech_rows(table: Table, folder: Path) -> None:
    """Who speaks when, beside the bare speech detector; a voice 10 LU under the music is left out."""
    scenes = [(package, video, measured(video)) for package, video in voice_scenes(folder / "music", "test")]
    spoken = [one for one in scenes if one[1].speech and "under" not in one[1].name]
    heard = [(video, soundtrack) for _, video, soundtrack in spoken]
    ours, bare = (np.array(voice.frame_scores(heard, bare=way)) for way in (False, True))
    add(table, "speech frames, F1", ours, [package for package, *_ in spoken], "bare detector", bare)


def recordings_of(folder: Path) -> list[ElsewhereRecording]:
    """The first test recordings of each source."""
    found: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(folder / "music", "test"):
        found.setdefault(one.source.package, []).append(one)
    return [one for some in found.values() for one in some[:MOST_OF_A_SOURCE]]


def seam_rows(table: Table, folder: Path) -> None:
    """How often a natural splice of a recording scores above an unnatural one, beside the likeness of what follows."""
    ours, ruled, sources = [], [], []
    for one in recordings_of(folder):
        examples = examples_of(one)
        good, bad = examples.answers >= NATURAL, examples.answers <= UNNATURAL
        if good.any() and bad.any():
            score, likeness = reliability.scores_of(examples), -examples.breaks[:, SEAM_PARTS.index("expectation")]
            ours.append(auc(score[good], score[bad]))
            ruled.append(auc(likeness[good], likeness[bad]))
            sources.append(one.source.package)
    add(table, "seam, AUC in a recording", np.array(ours), sources, "what follows is alike", np.array(ruled))


def loop_rows(table: Table, folder: Path) -> None:
    """The worst splice that a plan plays, beside the one of PyMusicLooper; a refusal and a failure count 0."""
    found = [loops.judge_recording(one, folder / "home", searched=False) for one in recordings_of(folder)]
    rows = [row for row in found if row.is_judged]
    both = [row for row in rows if np.isfinite(row.ours) and np.isfinite(row.peer)]
    for name, some in (("loop, the worst splice judged", rows), ("loop, where both have a plan", both)):
        ours, peer = (np.nan_to_num(np.array([getattr(row, side) for row in some])) for side in ("ours", "peer"))
        ruled = peer if peer.any() else None
        add(table, name, ours, [row.package for row in some], "PyMusicLooper", ruled)


def align_rows(table: Table, folder: Path) -> None:
    """Planted places that come first, beside a cross-correlation of event and landmark strength."""
    ours, ruled, sources = align.first_share(folder)
    add(table, "align, planted place first", ours, sources, "cross-correlation", ruled)


JUDGEMENTS: tuple[tuple[str, tuple[str, ...], Callable[[Table, Path], None]], ...] = (
    ("match", ("videos", "music"), match_rows),
    ("underscore", ("texts",), underscore_rows),
    ("beats", ("games",), beat_rows),
    ("speech", ("music",), speech_rows),
    ("align", ("videos", "music"), align_rows),
    ("seam", ("music",), seam_rows),
    ("loop", ("music",), loop_rows),
)
"""What is judged, as the first word of its rows, the folders that it needs, and what adds its rows."""


def keep_rows(table: Table, name: str) -> None:
    """Add the rows of a judgement that RESULTS.md has.

    Parameters
    ----------
    table : what they are added to
    name : first word of the rows
    """
    before = stored(TITLE)
    if before is not None and tuple(before.columns) == COLUMNS:
        table.rows += [row for row in before.rows if re.split(r"\W", str(row[0]))[0] == name]


def ablation_table(folder: Path) -> Table:
    """Each part of the match score left out, on our own held-out half and on material by others."""
    half = reference_half(own_match.HELD_OUT_SEED, own_match.HELD_OUT_VIDEOS, TRAINING_TRACKS)
    sets = {"own set": lambda params: float(own_match.reached(half, own_match.ours(half, params)).mean())}
    for name, words in MATCH_SETS:
        pairs = pairs_of("test", folder / "videos", folder / "music", folder / "home", words=words)
        sets[f"elsewhere, {name}"] = match.mean_reached(pairs)
    return match.ablation_table(sets, MatchParams())


def run() -> list[Table]:
    """Measure every judgement that is asked for and whose material is there."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    folder = Path(os.environ[ELSEWHERE_FOLDER])
    names = [name for name, *_ in JUDGEMENTS]
    chosen = os.environ.get(CHOSEN, "").split() or names
    if unknown := sorted(set(chosen) - set(names)):
        raise SystemExit(f"no such judgement: {', '.join(unknown)}; there are {', '.join(names)}")
    table = Table(TITLE, COLUMNS)
    ablation = stored(match.ABLATION)
    for name, needed, add_rows in JUDGEMENTS:
        missing = [one for one in needed if not (folder / one).is_dir()]
        if name not in chosen or missing:
            keep_rows(table, name)
        if name in chosen and missing:
            table.notes.append(f"Not measured: {name}; there is no folder {' and no folder '.join(missing)}.")
        elif name in chosen:
            add_rows(table, folder)
            ablation = ablation_table(folder) if name == "match" else ablation
    return [table, *([ablation] if ablation else [])]
