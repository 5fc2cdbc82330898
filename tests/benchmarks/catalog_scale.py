"""Ten thousand, a hundred thousand, a million tracks: building, opening and searching a catalog on one machine.

Tracks are drawn from the bundled songs, from what is measured in them and what their manifest says: numbers with noise,
the description of one song with the lists of another, word vectors that mix those of three words of the manifest and a
little noise. They go through the database and `open_snapshot` like any others; only the sentence embedding is replaced
by drawn vectors, whose cost is the same for any size and is reported apart.

Each question is asked by the workflows' own functions: `rank` for a video with known facts, `underscore` for a script,
both without sync. Warm is after thirty questions of the kind; cold is the first in a new process after the files were
dropped from the page cache. The limit is what must be read, over the speed at which this machine reads memory.

`BENCH_CATALOG` names a folder that keeps the built catalogs between runs; `BENCH_CATALOG_SIZES` limits the sizes.
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
import sqlalchemy as sa
from numpy.typing import NDArray

from tests.benchmarks.elsewhere.underscore_catalog import scripts
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import Track, bundled
from workbench.catalog.columns import WORD_DIMS
from workbench.catalog.index import ExactIndex, recall
from workbench.catalog.library import Measurement, pack_descriptor
from workbench.catalog.snapshot import Embedding, Snapshot, open_snapshot
from workbench.character.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.home import Home
from workbench.language.embedding import find_embedding
from workbench.match.ranking import rank
from workbench.match.reference import read_reference
from workbench.match.video_facts import VideoFacts
from workbench.params import WorkbenchParams
from workbench.settings import load_settings
from workbench.store.database import Database, now, recordings, revisions, tracks
from workbench.underscore.brief import read_brief
from workbench.underscore.ranking import want
from workbench.underscore.script import read_script
from workbench.workflows.describe import measure_track
from workbench.workflows.library import open_library
from workbench.workflows.underscore import the_embedding, underscore, words_query
from workbench.workspace import Workspace
from workbench.workspace import open as open_workspace

ROOT = Path(__file__).parents[2]
SIZES = (10_000, 100_000, 1_000_000)
WORD_SHARES, WORD_NOISE = (1.0, 0.5, 0.35), 0.3
QUESTIONS, WARMING, RECALLED = 200, 30, 100
VIDEOS = 24
"""of the reference set of match, whose facts are asked for"""
LISTS = ("tags", "moods", "genres", "instruments")
WANTED_P99_MS, WANTED_RECALL, COUNT = 60.0, 0.98, 50
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
    """Put drawn tracks into the database of a home, in bulk; goes on where it stopped."""
    written = [song.row for song in songs()]
    facts = {name: np.array([piece.facts.get(name, np.nan) for piece in real], dtype=np.float64) for name in DRAWN}
    database = Database.at(home, load_settings())
    with database.read() as connection:
        there = connection.scalar(sa.select(sa.func.count()).select_from(tracks)) or 0
    for first in range(there, count, _INSERTED):
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


def catalog(folder: Path, count: int) -> tuple[Home, dict[str, float]]:
    """A home with so many tracks, built unless it is there, and what building it took."""
    home, told = Home(folder / str(count)), folder / f"{count}.json"
    if not told.exists():
        real = measured(folder)
        started = time.perf_counter()
        fill(home, count, real)
        filled = time.perf_counter()
        at: dict[str, float] = {}

        def show(stage: str, done: float) -> None:
            at.setdefault(stage, time.perf_counter())

        cpu = time.process_time()
        _opened(home, DrawnEmbedding(folder), show)
        ended = time.perf_counter()
        indexing = at.get("indexing the catalog", ended)
        told.write_text(json.dumps({
            "fill": filled - started, "columns": indexing - filled, "index": ended - indexing,
            "cpu": time.process_time() - cpu, "peak": _memory("VmHWM"),
        }))  # fmt: skip
    return home, json.loads(told.read_text())


def _opened(home: Home, embedding: Embedding, progress: Callable[[str, float], None] | None = None) -> Snapshot:
    library = open_library(Workspace(home))
    return open_snapshot(library, home.prepared(home.index), None, progress, lambda: embedding)


def _memory(which: str) -> float:
    """MB of this process: VmHWM the highest, VmRSS now, RssAnon without what is mapped from files."""
    return int(_found(rf"{which}:\s+(\d+)", Path("/proc/self/status").read_text())) / 1024


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise ValueError(f"no {pattern} in {text[:60]!r}")
    return match[1]


def _size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def _forget(folder: Path) -> None:
    """Drop a folder's files from the page cache."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


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


class Stopwatch:
    """Adds up what a function takes, wall and CPU, ms."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def timed(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            wall, cpu = time.perf_counter(), time.process_time()
            answer = work(*arguments)
            self.wall += 1000 * (time.perf_counter() - wall)
            self.cpu += 1000 * (time.process_time() - cpu)
            return answer

        return run


def _without(reading: Stopwatch, work: Callable[[], object]) -> tuple[float, float, float]:
    """Wall and CPU ms of a question without its embedding, and the wall ms of that."""
    reading.wall = reading.cpu = 0.0
    cpu = time.process_time()
    wall = _ms(work)
    spent = 1000 * (time.process_time() - cpu)
    return wall - reading.wall, spent - reading.cpu, reading.wall


def asked(home: Home) -> dict[str, Any]:
    """Everything that is measured in a process of its own: opening, cold, warm, memory, recall."""
    params = WorkbenchParams()
    embedding, reading = the_embedding(Workspace(home)), Stopwatch()
    if embedding is not None:
        embedding.states = reading.timed(embedding.states)  # type: ignore[method-assign]  # `embed` goes by it too
    empty = _memory("RssAnon")
    drawn = DrawnEmbedding(home.root.parent)
    _forget(home.root)
    opening = [_ms(lambda: _opened(home, drawn))]
    snapshot = _opened(home, drawn)
    found: dict[str, Any] = {"open": opening[0]}
    kinds = questions(Workspace(home, params), snapshot)
    for kind, stream in kinds.items():
        _forget(home.root)
        found[kind] = {"cold": _without(reading, next(stream))[0]}
        for _ in range(WARMING):
            next(stream)()
        spent = np.array([_without(reading, next(stream)) for _ in range(QUESTIONS)])
        found[kind] |= {"p50": float(np.median(spent[:, 0])), "p99": float(np.quantile(spent[:, 0], 0.99))}
        found[kind] |= {"cpu": float(np.median(spent[:, 1])), "cpu99": float(np.quantile(spent[:, 1], 0.99))}
        found[kind] |= {"embedding": float(np.median(spent[:, 2]))}
    vectors = snapshot.columns.words
    index, exact = snapshot.words_index, ExactIndex(vectors)
    queries, real = drawn_queries(vectors), real_queries()
    found["words"] = {
        "kind": type(index).__name__,
        "recall": recall(index, exact, queries, COUNT),
        "real": None if real is None else recall(index, exact, real, COUNT),
        "ms": float(np.median([_ms(partial(index.search, q, COUNT)) for q in queries])),
        "exact_ms": float(np.median([_ms(partial(exact.search, q, COUNT)) for q in queries[:20]])),
        "megabytes": vectors.nbytes / 2**20,
    }
    found["anonymous"], found["resident"] = _memory("RssAnon") - empty, _memory("VmRSS")
    return found


def drawn_queries(vectors: NDArray[np.float16]) -> NDArray[np.float32]:
    """Rows of the catalog with noise, shape (RECALLED, d)."""
    dice = np.random.default_rng(5)
    chosen = np.sort(dice.integers(0, len(vectors), RECALLED))
    noise = dice.normal(0, 0.5 / np.sqrt(vectors.shape[1]), (RECALLED, vectors.shape[1]))
    return np.asarray(vectors[chosen].astype(np.float32) + noise.astype(np.float32))


def real_queries() -> NDArray[np.float32] | None:
    """The queries of underscore for the benchmark's scripts, shape (n, d); None without the embedding.

    Videos are ranked by numbers and ask no index.
    """
    embedding = the_embedding(open_workspace())
    if embedding is None:
        return None
    params = WorkbenchParams().underscore
    wanted = [want(read_script(one.text, embedding), read_brief(""), None, params) for one in scripts()]
    return np.stack([words_query(one, embedding) for one in wanted])


def bandwidth() -> float:
    """GB/s at which one thread reads memory: the quickest of five sums over 512 MB."""
    block = np.ones(2**26, dtype=np.float64)
    return max(block.nbytes / 1e9 / (_ms(block.sum) / 1000) for _ in range(5))


def run() -> list[Table]:
    """All tables."""
    sizes = [int(size) for size in os.environ.get("BENCH_CATALOG_SIZES", "").split(",") if size] or list(SIZES)
    building = Table(
        "Building a catalog",
        ["tracks", "records s", "columns s", "indexes s", "tracks/s", "peak MB", "disk MB", "database MB"],
    )
    asking = Table(
        "Ranking without sync, ms",
        [
            "tracks",
            "question",
            "cold",
            "p50",
            "p99",
            "goal p99",
            "CPU p50",
            "CPU p99",
            "embedding p50",
            "opening, cold",
            "memory of its own MB",
        ],
    )
    vectors = Table(
        "Vectors: nearest 50",
        [
            "tracks",
            "vectors",
            "index",
            "recall@50, drawn",
            "recall@50, real",
            "ms",
            "exact ms",
            "limit ms",
            "matrix MB",
        ],
    )
    speed = bandwidth()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("BENCH_CATALOG", scratch))
        for size in sizes:
            home, cost = catalog(folder, size)
            made = cost["columns"] + cost["index"]
            index, records = _size(home.index), home.database.stat().st_size / 2**20
            building.add(size, cost["fill"], cost["columns"], cost["index"], size / made, cost["peak"], index, records)
            command = [sys.executable, "-m", "tests.benchmarks.catalog_scale", str(home.root)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            for kind in ("match", "underscore"):
                own = found[kind]
                times = [own[part] for part in ("cold", "p50", "p99")]
                processor = [own[part] for part in ("cpu", "cpu99", "embedding")]
                asking.add(size, kind, *times, WANTED_P99_MS, *processor, found["open"], found["anonymous"])
            own = found["words"]
            limit = own["megabytes"] * 2**20 / 1e6 / speed
            recalls = own["recall"], own["real"]
            vectors.add(size, "words", own["kind"], *recalls, own["ms"], own["exact_ms"], limit, own["megabytes"])
    asking.notes.append(
        "Match is ranking and reading 50 records. Underscore embeds the script too; that stands apart. "
        "CPU times do not depend on what else the machine does; wall times do."
    )
    vectors.notes.append(
        f"Limit: the matrix at {speed:.1f} GB/s, at which one thread reads memory here. "
        f"Recall wanted: {WANTED_RECALL}. "
        "Drawn: rows of the catalog with noise. Real: what underscore asks for the scripts of *underscore*. "
        "Videos are ranked by a scan of all tracks, which misses none."
    )
    building.notes.append(
        "Records: rows into SQLite, in bulk. Columns: read and laid out. Indexes: BM25, facets, inverted files. "
        "The embedding of the texts is not in it. Beyond a million all of it grows in proportion, by extrapolation."
    )
    return [building, asking, vectors]


if __name__ == "__main__":
    print(json.dumps(asked(Home(Path(sys.argv[1])))))
