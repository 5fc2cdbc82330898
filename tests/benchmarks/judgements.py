"""Every judgement on material by others, and what a simple rule reaches there.

    WORKBENCH_BENCH_ELSEWHERE=FOLDER python -m tests.benchmarks.run judgements

FOLDER holds `videos`, `music`, `texts` and `games`, as the modules of `tests.benchmarks.elsewhere` say; what is
measured is cached in `home` there. A judgement without its material is left out, and the table says so.
`WORKBENCH_BENCH_JUDGEMENTS` names some of them ("match seam"). Intervals are over sources, or over scripts where there
are none.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import librosa
import mir_eval
import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.seams import examples_of
from data.recipes.material.elsewhere_pairs import pairs_of
from data.recipes.material.elsewhere_voices import voice_scenes
from data.recipes.material.recordings import ElsewhereRecording
from tests.benchmarks.elsewhere import align, beats, loops, match, reliability, underscore, voice
from tests.benchmarks.elsewhere.underscore_catalog import scripts, tracks
from tests.benchmarks.mix import measured
from tests.benchmarks.run import ELSEWHERE_FOLDER
from tests.benchmarks.table import Table, auc
from workbench.lab.statistics import mean_interval
from workbench.params import MatchParams
from workbench.seams.profile import SEAM_PARTS

CHOSEN = "WORKBENCH_BENCH_JUDGEMENTS"
"""The environment variable that names the judgements to measure; all without it."""
TITLE = "Judgements on material by others, and simple rules there"
COLUMNS = ("judgement", "ours", "from", "to", "simple rule", "the rule", "gain from", "gain to", "outcome")
MOST_OF_A_SOURCE = 8
"""recordings that loops and seams are judged on: each takes half a minute"""
UNNATURAL, NATURAL = 0.25, 0.75
"""answers up to which a splice is a bad one, and from which it is a good one"""

Values = NDArray[np.float64]


def add(table: Table, judgement: str, ours: Values, sources: Sequence[str], rule: str, ruled: Values | None) -> None:
    """A row, with what follows from it.

    `ours` and `ruled` have shape (n,), a value a case, as `sources` has; `ruled` is None if the rule was not asked.
    """
    if not ours.size:
        table.notes.append(f"Not measured: {judgement}; its folder holds nothing to measure.")
        return
    best = None if ruled is None else float(ruled.mean())
    ships = None if best is None else "holds" if ours.mean() >= best else "under its rule"
    gain = (None, None) if ruled is None else mean_interval(ours - ruled, sources)
    table.add(judgement, float(ours.mean()), *mean_interval(ours, sources), rule, best, *gain, ships)


def match_rows(table: Table, folder: Path) -> None:
    """Ranking music for videos, beside the better of the simple rules."""
    for name, words in match.SETS.items():
        pairs = pairs_of("test", folder / "videos", folder / "music", folder / "home", words=words)
        ruled = {rule: match.reached(scores, pairs.grades) for rule, scores in match.simple_rules(pairs).items()}
        rule = max(ruled, key=lambda one: float(ruled[one].mean()))
        found = match.reached(match.ours(pairs, MatchParams()), pairs.grades)
        sources = [video.source for video in pairs.videos]
        add(table, f"match {name}, NDCG@10", found, sources, rule, ruled[rule])


def underscore_rows(table: Table, folder: Path) -> None:
    """Ranking music for scripts, beside the nearest sentence embeddings under the rules of the brief."""
    catalog, asked = tracks(folder / "texts"), scripts("test")
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
        ruled["F"].append(mir_eval.beat.f_measure(true, heard))
        ruled["downbeat F"].append(mir_eval.beat.f_measure(song.downbeats(true), heard[::4]))
    sources = [beats.source_of(song, folder / "games") for song in songs]
    reached = {"F": [row.f for row in tracked], "downbeat F": [row.downbeat_f for row in tracked]}
    for name, values in ruled.items():
        add(table, f"beats, {name}", np.array(reached[name]), sources, "librosa", np.array(values))


def speech_rows(table: Table, folder: Path) -> None:
    """Who speaks when, beside the bare speech detector; a voice 10 LU under the music is left out."""
    scenes = [(package, video, measured(video.sound)) for package, video in voice_scenes(folder / "music", "test")]
    spoken = [one for one in scenes if one[1].speech and "under" not in one[1].name]
    heard = [(video, soundtrack) for _, video, soundtrack in spoken]
    ours, bare = (np.array(voice.found_in(heard, bare=way).per_video) for way in (False, True))
    add(table, "speech frames, F1", ours, [package for package, *_ in spoken], "bare detector", bare)


def recordings_of(folder: Path) -> list[ElsewhereRecording]:
    """The first test recordings of each source."""
    return loops.first_recordings(folder / "music", MOST_OF_A_SOURCE, loops=False)


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


def run() -> list[Table]:
    """Measure every judgement that is asked for and whose material is there."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    folder = Path(os.environ[ELSEWHERE_FOLDER])
    names = [name for name, *_ in JUDGEMENTS]
    chosen = os.environ.get(CHOSEN, "").split() or names
    if unknown := sorted(set(chosen) - set(names)):
        raise SystemExit(f"no such judgement: {', '.join(unknown)}; there are {', '.join(names)}")
    table = Table(TITLE, COLUMNS)
    for name, needed, add_rows in JUDGEMENTS:
        missing = [one for one in needed if not (folder / one).is_dir()]
        if name in chosen and missing:
            table.notes.append(f"Not measured: {name}; there is no folder {' and no folder '.join(missing)}.")
        elif name in chosen:
            add_rows(table, folder)
    return [table]
