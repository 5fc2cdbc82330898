"""Scripts ranked against catalog texts by others, with the embedding, without it, and beside a simple rule.

    python -m tests.benchmarks.elsewhere.underscore FOLDER

FOLDER holds the files of `underscore_sources.toml`; the tracks are known by their texts alone. "near zero": NDCG@10
under 0.05; "worst quarter": its mean over the worst quarter of the scripts; "wanted voices": share of tracks with a
voice by their own tags where the brief asks for one. The simple rule is given the rules of the brief as labels.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.grading import ndcg
from tests.benchmarks.elsewhere.underscore_catalog import Script, Tagged, grade, keeps_rules, scripts, tracks
from tests.benchmarks.table import Table, measure_folder
from workbench.analysis.workspace import Workspace
from workbench.catalog.library import Library, LibraryEntry
from workbench.matching.language.embedding import SentenceEmbedding, chunks
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import load_settings
from workbench.workflows.catalog import open_catalog
from workbench.workflows.underscore import the_embedding, underscore

CUT = 10
NEAR_ZERO = 0.05

Ranking = Callable[[Script], list[int]]
"""a script with its brief to rows of tracks, best first"""


@dataclass(frozen=True)
class Measured:
    """One ranking over all scripts."""

    ndcg: NDArray[np.float64]
    """shape (n_scripts,)"""
    wanted_voices: float
    broken: int

    @property
    def worst_quarter(self) -> float:
        """Mean NDCG@10 of the worst quarter of the scripts."""
        return float(np.sort(self.ndcg)[: max(1, len(self.ndcg) // 4)].mean())


def measure(ranking: Ranking, asked: Sequence[Script], catalog: Sequence[Tagged]) -> Measured:
    """Rank the catalog for every script."""
    orders = [ranking(script)[:CUT] for script in asked]
    values = [
        ndcg(order, np.array([grade(script, tagged) for tagged in catalog]))
        for script, order in zip(asked, orders, strict=True)
    ]
    pairs = [(script, catalog[row]) for script, order in zip(asked, orders, strict=True) for row in order]
    voices = [tagged.voice == "heard" for script, tagged in pairs if script.voice == "wanted"]
    return Measured(
        np.array(values),
        float(np.mean(voices)) if voices else float("nan"),
        sum(not keeps_rules(script, tagged) for script, tagged in pairs),
    )


def rankings(folder: Path, catalog: Sequence[Tagged]) -> Mapping[str, Ranking]:
    """Ours, and the simple rule."""
    home = Home(folder / "home")
    home.prepared()
    database = Database.at(home, load_settings())
    entries = [
        LibraryEntry(one.track.path, one.track.known(), one.track.track_id, one.track.content_hash) for one in catalog
    ]
    Library(database).add_all(entries, [])
    database.close()
    workspace = Workspace(home)
    snapshot = open_catalog(workspace)
    row_of = {one.track.track_id: row for row, one in enumerate(catalog)}

    def ours(script: Script, *, lexicon_only: bool) -> list[int]:
        lane = underscore(workspace, script.text, snapshot=snapshot, brief=script.brief, lexicon_only=lexicon_only)
        return [row_of[match.track.track_id] for match in lane.matches]

    found: dict[str, Ranking] = {"underscore, lexicon only": lambda script: ours(script, lexicon_only=True)}
    embedding = the_embedding(workspace)
    if embedding is None:
        return found
    rows = np.array([row_of[str(track_id)] for track_id in snapshot.columns.track_ids])
    vectors = np.empty(snapshot.columns.words.shape, np.float32)
    vectors[rows] = snapshot.columns.words
    simple = _by_cosine(embedding, vectors, catalog)
    return {"underscore": lambda script: ours(script, lexicon_only=False), **found, "cosine and rules": simple}


def _by_cosine(embedding: SentenceEmbedding, vectors: NDArray[np.float32], catalog: Sequence[Tagged]) -> Ranking:
    def ranking(script: Script) -> list[int]:
        text = f"{script.text} {script.brief or ''}"
        cosine = vectors @ embedding.embed(chunks(text)).mean(axis=0)
        left = np.array([keeps_rules(script, one) for one in catalog])
        return list(np.lexsort((-cosine, ~left)))

    return ranking


def tables(folder: Path) -> list[Table]:
    """A ranking a row."""
    catalog, asked = tracks(folder), scripts("test")
    columns = ["ranking", "NDCG@10", "near zero", "worst quarter", "wanted voices", "rules broken"]
    table = Table(f"Underscore elsewhere: {len(asked)} scripts, {len(catalog)} texts", columns)
    with tempfile.TemporaryDirectory() as home:
        for name, ranking in rankings(Path(home), catalog).items():
            one = measure(ranking, asked, catalog)
            near = int(np.count_nonzero(one.ndcg < NEAR_ZERO))
            table.add(name, float(one.ndcg.mean()), near, one.worst_quarter, one.wanted_voices, one.broken)
    return [table]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
