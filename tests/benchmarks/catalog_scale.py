"""A million tracks: building and searching a catalog on one machine.

    python -m tests.benchmarks.run catalog-scale

Tracks are drawn from what is measured in the bundled songs and said in their manifest, with noise. They go through the
database and `open_snapshot` like any others; only the sentence embedding is replaced by drawn vectors. Questions are
asked without sync; embedding the script takes the same time for any size and is left out.

`BENCH_CATALOG_SIZES` names other numbers of tracks, `10000,100000`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.elsewhere.underscore_catalog import scripts
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled
from workbench.analysis.character import measure_track
from workbench.analysis.sources import open_library
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Measurement, pack_descriptor
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.matching.columns import WORD_DIMS
from workbench.matching.language.embedding import find_embedding
from workbench.matching.snapshot import Embedding, Snapshot, open_snapshot
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import rank
from workbench.matching.video_reference import read_reference
from workbench.store.database import Database, now, recordings, revisions, tracks
from workbench.store.home import Home
from workbench.store.settings import load_settings
from workbench.workflows.underscore import the_embedding, underscore

ROOT = Path(__file__).parents[2]
SIZES = (1_000_000,)
WORD_SHARES, WORD_NOISE = (1.0, 0.5, 0.35), 0.3
QUESTIONS, WARMING = 200, 30
VIDEOS = 24
"""of the reference set of match, whose facts are asked for"""
LISTS = ("tags", "moods", "genres", "instruments")
WANTED_P99_MS, COUNT = 60.0, 50
_INSERTED = 10_000
DRAWN = {
    "bpm": (40.0, 240.0), "energy": (0.0, 1.0), "brightness": (0.0, 1.0), "mode": (-1.0, 1.0), "vocals": (0.0, 1.0),
    "drums": (0.0, 1.0), "density": (0.0, 15.0), "dynamics": (0.5, 20.0), "lufs": (-30.0, -5.0),
    "duration": (10.0, 600.0),
}  # fmt: skip
"""numbers that are drawn, and between what"""
_BANK = 4096


class DrawnEmbedding:
    """Vectors of drawn texts: a mix of three, chosen by the number at the end of the title."""

    def __init__(self, folder: Path) -> None:
        kept, dice = folder / "parents.npy", np.random.default_rng(1)
        if not kept.exists():
            words, found = words_of_the_manifest(), find_embedding(load_settings())
            drawn = _unit(dice.normal(size=(len(words), WORD_DIMS)))
            np.save(kept, drawn if found is None else found.embed(words))
        self.parents = np.load(kept)
        self.bank = _unit(dice.normal(size=(_BANK, WORD_DIMS)))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        numbers = np.array([int(_found(r"No\. (\d+)", text)) for text in texts])
        vectors = WORD_NOISE * self.bank[(numbers * 31 + numbers // _BANK) % _BANK]
        for share, step in zip(WORD_SHARES, (1, 7919, 104_729), strict=True):
            vectors = vectors + share * self.parents[(numbers * step) % len(self.parents)]
        return _unit(vectors).astype(np.float32)


def songs() -> list[Track]:
    """The bundled songs, from which tracks are drawn."""
    return [track for track in bundled() if track.is_song]


def words_of_the_manifest() -> list[str]:
    """Every description of a song, and every word of its lists."""
    found = {str(song.row["description"]) for song in songs()}
    for song in songs():
        found |= {word for name in LISTS for word in cast(list[str], song.row[name])}
    return sorted(found)


def _unit(rows: NDArray[Any]) -> NDArray[Any]:
    unit: NDArray[Any] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def measured(folder: Path) -> list[Measurement]:
    """What is measured in the bundled pieces; kept in the folder's store."""
    return [measure_track(Workspace(Home(folder / "pieces")), song.path) for song in songs()]


def fill(home: Home, count: int, real: list[Measurement]) -> None:
    """Put drawn tracks into the database of a home, in bulk."""
    written = [song.row for song in songs()]
    facts = {name: np.array([piece.facts.get(name, np.nan) for piece in real], dtype=np.float64) for name in DRAWN}
    database = Database.at(home, load_settings())
    for first in range(0, count, _INSERTED):
        numbers = np.arange(first, min(first + _INSERTED, count))
        dice, stamp = np.random.default_rng(first), now()
        chosen = dice.integers(0, len(real), numbers.size)
        known = {
            name: np.clip(facts[name][chosen] * dice.normal(1.0, 0.05, numbers.size), low, high)
            for name, (low, high) in DRAWN.items()
        }
        contours = np.stack([piece.contour for piece in real])[chosen] + dice.normal(
            0, 0.05, (numbers.size, CONTOUR_PARTS)
        )
        sounds = np.stack([piece.sound for piece in real])[chosen]
        sounds = _unit(sounds + dice.normal(0, 0.5 / np.sqrt(SOUND_DIMS), sounds.shape))
        rows, analyses = [], []
        for at, number in enumerate(numbers):
            one, other = written[number % len(written)], written[number // len(written) % len(written)]
            fields = {"description": one["description"], "title": f"{one['title']} No. {number}"}
            fields |= {"catalog_song_id": f"track{number}", **{name: other[name] for name in LISTS}}
            digest = f"{number:064x}"
            facts_of_one = {
                name: round(float(values[at]), 4) for name, values in known.items() if values[at] == values[at]
            }
            rows.append({
                "track_id": f"trk_{number:026d}", "path": f"/music/{number}.flac", "content_hash": digest,
                "fields": json.dumps(fields), "state": "present", "added_at": stamp, "updated_at": stamp,
                "revision": 2 + first,
            })  # fmt: skip
            analyses.append({
                "content_hash": digest, "analysis": "drawn",
                "measured": json.dumps({**facts_of_one, "beats_per_bar": 4}),
                "measured_at": stamp, "descriptor": pack_descriptor(np.clip(contours[at], 0, 1), sounds[at]),
            })  # fmt: skip
        with database.write() as connection:
            connection.execute(tracks.insert(), rows)
            connection.execute(recordings.insert(), analyses)
            connection.execute(revisions.update().values(revision=2 + first))
    database.close()


def catalog(folder: Path, count: int) -> tuple[Home, float, float]:
    """A home with so many tracks, and the seconds of filling its database and of building its indexes."""
    home, real = Home(folder / str(count)), measured(folder)
    started = time.perf_counter()
    fill(home, count, real)
    filled = time.perf_counter()
    _opened(home, DrawnEmbedding(folder))
    return home, filled - started, time.perf_counter() - filled


def _opened(home: Home, embedding: Embedding) -> Snapshot:
    library = open_library(Workspace(home))
    return open_snapshot(library, home.prepared(home.index), None, None, lambda: embedding)


def _peak_mb() -> float:
    """The most memory that this process has had."""
    return int(_found(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())) / 1024


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise ValueError(f"no {pattern} in {text[:60]!r}")
    return match[1]


def questions(workspace: Workspace, snapshot: Snapshot) -> dict[str, Iterator[Callable[[], object]]]:
    """Both kinds of question, without end: other videos, other scripts."""
    videos = read_reference().videos[:VIDEOS]
    texts = [script.text for script in scripts()]
    params = workspace.params

    def ranked(video: VideoFacts) -> object:
        return snapshot.tracks(rank(video, snapshot.columns, params.match.candidates, params.match).rows[:COUNT])

    def match() -> Iterator[Callable[[], object]]:
        for number in range(10**6):
            yield partial(ranked, videos[number % len(videos)])

    def ask() -> Iterator[Callable[[], object]]:
        for number in range(10**6):
            yield partial(underscore, workspace, texts[number % len(texts)], snapshot=snapshot)

    return {"match": match(), "underscore": ask()}


def _ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def asked(home: Home) -> dict[str, dict[str, float]]:
    """Median and 99th percentile of each kind of question, ms, in a process of its own."""
    embedding, reading = the_embedding(Workspace(home)), [0.0]
    if embedding is not None:
        read = embedding.states

        def timed(*arguments: Any) -> Any:
            started = time.perf_counter()
            answer = read(*arguments)
            reading[0] += 1000 * (time.perf_counter() - started)
            return answer

        embedding.states = timed  # type: ignore[method-assign,assignment]  # `embed` goes by it too
    snapshot = _opened(home, DrawnEmbedding(home.root.parent))
    found = {}
    for kind, stream in questions(Workspace(home), snapshot).items():
        for _ in range(WARMING):
            next(stream)()
        spent = []
        for _ in range(QUESTIONS):
            reading[0] = 0.0
            whole = _ms(next(stream))
            spent.append(whole - reading[0])
        found[kind] = {"p50": float(np.median(spent)), "p99": float(np.quantile(spent, 0.99))}
    return found


def run() -> list[Table]:
    """All tables."""
    sizes = [int(size) for size in os.environ.get("BENCH_CATALOG_SIZES", "").split(",") if size] or list(SIZES)
    building = Table("Building a catalog", ["tracks", "records s", "columns and indexes s", "peak MB"])
    asking = Table("Ranking without sync, ms", ["tracks", "question", "p50", "p99", "goal p99"])
    with tempfile.TemporaryDirectory() as scratch:
        for size in sizes:
            home, filling, indexing = catalog(Path(scratch), size)
            building.add(size, filling, indexing, _peak_mb())
            command = [sys.executable, "-m", "tests.benchmarks.catalog_scale", str(home.root)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            for kind, ms in json.loads(done.stdout.splitlines()[-1]).items():
                asking.add(size, kind, ms["p50"], ms["p99"], WANTED_P99_MS)
    asking.notes.append("Match is ranking and reading 50 records.")
    building.notes.append(
        "Records: rows into SQLite, in bulk. Columns are read and laid out; indexes are BM25, facets and inverted "
        "files. The embedding of the texts is not in it."
    )
    return [building, asking]


if __name__ == "__main__":
    print(json.dumps(asked(Home(Path(sys.argv[1])))))
