"""Snapshots, their columns and index."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.damage import WAYS, Way, damage, files_in, flipped
from workbench.catalog.certainty import UNSURE
from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.errors import ParameterError, StoreError, UnknownTrack
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.matching.columns import DTYPES, NUMBERS, UNKNOWN, WORD_DIMS, Columns, empty_columns
from workbench.matching.index import ExactIndex, FaissIndex, IndexSizes, best_places, build_faiss
from workbench.matching.snapshot import Embedding, Snapshot, open_snapshot
from workbench.matching.texts import TextIndex
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


class Letters:
    """Reads how often each byte comes: a plain embedding, which counts what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        counts = np.array([np.bincount(np.frombuffer(t.encode(), np.uint8), minlength=256) for t in texts], np.float32)
        rows = np.pad(counts, ((0, 0), (0, WORD_DIMS - 256)))
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def library(home: Home) -> Library:
    return Library(Database.at(home, WorkbenchSettings(database_url=None)))


@pytest.fixture
def letters() -> Letters:
    return Letters()


def entry(number: int, tmp_path: Path, **fields: object) -> LibraryEntry:
    return LibraryEntry(
        tmp_path / f"{number}.ogg", {"title": f"Piece {number}", **fields}, f"t{number}", f"{number:064x}"
    )


def measured(number: int, **facts: object) -> Measurement:
    contour = np.linspace(0, 1, CONTOUR_PARTS).astype(np.float16)
    return Measurement(f"{number:064x}", "a", facts, contour, np.eye(SOUND_DIMS, dtype=np.float16)[number % SOUND_DIMS])


class Draws:
    """Gives each title of `entry` a vector of its own, drawn at random."""

    def __init__(self, count: int) -> None:
        vectors = np.random.default_rng(0).normal(size=(count, WORD_DIMS))
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        rows: NDArray[np.float64] = self.vectors[[int(text.split()[1].strip(".,")) for text in texts]]
        return rows


def opened(home: Home, embedding: Embedding, **sizes: Any) -> Snapshot:
    library = Library(Database.at(home, WorkbenchSettings(database_url=None)))
    return open_snapshot(library, home.prepared(home.index), IndexSizes(**sizes), None, lambda: embedding)


def test_an_empty_catalog_has_no_rows(home: Home, letters: Letters) -> None:
    snapshot = opened(home, letters)
    assert len(snapshot) == 0
    assert snapshot.words_index.search(np.ones(WORD_DIMS), 5).rows.size == 0
    assert snapshot.texts.search("piano", 5).rows.size == 0


def test_given_wins_over_measured_and_unknown_is_nan(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    library.add_all(
        [
            entry(0, tmp_path, bpm=90.0, instrumental=True, catalog_song_id="s", explicit=False),
            entry(1, tmp_path, catalog_song_id="s", musical_key_mode="minor"),
            entry(2, tmp_path),
        ],
        [measured(0, bpm=120.0, energy=0.5, vocals=0.7), measured(1, bpm=100.0, mode=0.4, beats_per_bar=3)],
    )
    columns = opened(home, letters).columns
    assert list(columns.track_ids) == ["t0", "t1", "t2"]
    np.testing.assert_array_equal(columns.bpm, np.array([90, 100, np.nan], np.float32))
    assert (columns.energy[0], columns.vocals[0]) == (0.5, 0.0)
    assert list(columns.mode[:2]) == pytest.approx([np.nan, -1.0], nan_ok=True)
    assert list(columns.beats_per_bar) == [-1, 3, -1]
    assert list(columns.explicit) == [0, -1, -1]
    assert columns.song[0] == columns.song[1] != columns.song[2]
    assert columns.sound[1].argmax() == 1
    assert not columns.sound[2].any()
    assert np.isnan(columns.contour[2]).all()


def test_a_tempo_that_is_not_stated_is_ranked_by(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    heard = {"heard_bpm": 77.0, "tempo_certainty": UNSURE}
    library.add_all([entry(0, tmp_path), entry(1, tmp_path, bpm=90.0)], [measured(0, **heard), measured(1, **heard)])
    columns = opened(home, letters).columns
    assert columns.bpm.tolist() == [77.0, 90.0]
    assert columns.tempo_certainty.tolist() == [UNSURE, UNKNOWN], "what a catalog gives is stated as given"
    assert [library.get(name).bpm for name in ("t0", "t1")] == [None, 90.0]


@pytest.mark.parametrize(
    ("given", "heard", "mode"),
    [
        ({}, {"musical_key_name": "A", "musical_key_mode": "minor", "key_strength": 0.6, "mode": -0.7}, -0.7),
        ({}, {"key_strength": 0.2, "mode": 0.4}, np.nan),
        ({}, {"key_strength": 0.4, "mode": -0.2}, -0.2),
        (
            {"musical_key_name": "Eb"},
            {"musical_key_name": "C", "musical_key_mode": "minor", "key_strength": 0.6, "mode": -0.7},
            np.nan,
        ),
        (
            {"musical_key_name": "D#"},
            {"musical_key_name": "Eb", "musical_key_mode": "minor", "key_strength": 0.6, "mode": -0.7},
            -0.7,
        ),
        (
            {"musical_key_name": "Eb", "musical_key_mode": "major"},
            {"musical_key_name": "C", "musical_key_mode": "minor", "key_strength": 0.6, "mode": -0.7},
            1.0,
        ),
    ],
)
def test_a_mode_counts_only_in_a_key_that_is_sure_and_that_nobody_denies(
    home: Home, library: Library, tmp_path: Path, given: dict[str, str], heard: dict[str, object], mode: float
) -> None:
    library.add_all([entry(0, tmp_path, **given)], [measured(0, **heard)])
    assert opened(home, Letters()).columns.mode[0] == pytest.approx(mode, nan_ok=True)


def test_it_follows_what_changes_and_reads_only_new_texts(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    library.add_all([entry(number, tmp_path) for number in range(4)])
    first = opened(home, letters)
    assert sorted(letters.asked) == [f"Piece {number}" for number in range(4)]
    library.remove("t1")
    library.add_all([entry(2, tmp_path, title="Other"), entry(4, tmp_path)])
    library.record(measured(3, bpm=77.0))
    letters.asked.clear()
    for file in files_in(home.index):
        os.utime(file.parent, (0, 0))  # long since written: what is replaced now is deleted
    second = opened(home, letters)
    assert second.revision > first.revision
    assert set(second.columns.track_ids) == {"t0", "t2", "t3", "t4"}
    assert sorted(letters.asked) == ["Other", "Piece 4"]
    row = list(second.columns.track_ids).index("t3")
    assert second.columns.bpm[row] == 77.0
    assert second.track(row).track_id == "t3"
    assert second.words_index.search(letters.embed(["Piece 3"])[0], 1).rows[0] == row
    assert second.texts.search("other", 3).rows.tolist() == [list(second.columns.track_ids).index("t2")]
    assert second.is_sound
    # the older one still reads its own files
    assert first.columns.track_ids.tolist() == ["t0", "t1", "t2", "t3"]
    with pytest.raises(UnknownTrack):
        first.track(1)


def test_the_order_of_steps_does_not_matter(home: Home, library: Library, letters: Letters, tmp_path: Path) -> None:
    for number in range(7):
        library.add_all([entry(number, tmp_path)])
    stepped = opened(home, letters, build_rows=1000)
    assert stepped.columns.track_ids.tolist() == [f"t{number}" for number in range(7)]


def test_a_lost_index_is_made_again(home: Home, library: Library, letters: Letters, tmp_path: Path) -> None:
    library.add_all([entry(0, tmp_path)], [measured(0, energy=0.25)])
    before = opened(home, letters)
    (home.index / "current.json").unlink()
    again = opened(home, letters)
    assert again.folder != before.folder
    assert again.columns.energy[0] == 0.25


@pytest.mark.parametrize("way", WAYS)
def test_damaged_files_are_made_again_and_said(
    home: Home, library: Library, letters: Letters, tmp_path: Path, caplog: pytest.LogCaptureFixture, way: Way
) -> None:
    library.add_all([entry(number, tmp_path, moods=["calm"]) for number in range(40)], [measured(0, energy=0.25)])
    first = opened(home, letters, max_exact_rows=20)
    files = files_in(first.folder, *home.index.glob("texts-*"), *home.index.glob("words-*"))
    for file in files:
        whole = file.read_bytes()
        assert damage([file], way) == [file]
        assert not first.is_sound, file
        file.write_bytes(whole)
    assert first.is_sound
    damage(files, way)
    again = opened(home, letters, max_exact_rows=20)
    assert "is damaged" in caplog.text
    damage([home.index / "current.json"], way)
    again = opened(home, letters, max_exact_rows=20)
    assert "current.json is damaged" in caplog.text
    assert again.columns.energy[0] == 0.25
    assert again.texts.search("calm", 50).rows.size == 40
    assert again.words_index.search(again.columns.words[3], 1).scores[0] == pytest.approx(1.0, abs=1e-3)


def test_a_damaged_draft_is_no_base(home: Home, library: Library, letters: Letters, tmp_path: Path) -> None:
    library.add_all([entry(number, tmp_path) for number in range(3)])
    stop_before_indexes(home, library, letters)
    damage(files_in(home.index), flipped)
    assert opened(home, letters).columns.track_ids.tolist() == ["t0", "t1", "t2"]


class Stopped(Exception):
    """The power went off."""


def pointed(home: Home) -> str:
    return str(json.loads((home.index / "current.json").read_text())["meta"]["generation"])


def stop_before_indexes(home: Home, library: Library, letters: Letters) -> None:
    """Bring the snapshot up to date and be interrupted after the columns, before the indexes."""

    def progress(stage: str, done: float) -> None:
        if stage == "indexing the catalog":
            raise Stopped

    with pytest.raises(Stopped):
        open_snapshot(library, home.prepared(home.index), IndexSizes(), progress, lambda: letters)


def test_before_its_indexes_are_made_readers_have_the_generation_before(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    library.add_all([entry(0, tmp_path)])
    first = opened(home, letters)
    library.add_all([entry(1, tmp_path), entry(2, tmp_path), entry(3, tmp_path, title="Other")])
    stop_before_indexes(home, library, letters)
    assert pointed(home) == first.folder.name
    assert first.texts.search("piece", 9).rows.tolist() == [0]
    letters.asked.clear()
    second = opened(home, letters)
    assert letters.asked == []  # the columns were kept
    assert len(second.texts) == len(second) == 4
    assert second.texts.search("other", 1).rows.tolist() == [second.columns.track_ids.tolist().index("t3")]
    assert pointed(home) == second.folder.name
    assert not first.folder.exists()


def test_an_interrupted_first_generation_is_not_served(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    library.add_all([entry(number, tmp_path) for number in range(3)])
    stop_before_indexes(home, library, letters)
    assert not (home.index / "current.json").exists()
    assert len(opened(home, letters).texts) == 3


def test_a_generation_that_was_put_forward_never_changes(
    home: Home, library: Library, letters: Letters, tmp_path: Path
) -> None:
    library.add_all([entry(number, tmp_path) for number in range(3)])
    first = opened(home, letters)
    files = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in first.folder.iterdir()}
    library.update("t1", {"title": "Other"})
    stop_before_indexes(home, library, letters)
    library.remove("t2")
    stop_before_indexes(home, library, letters)
    assert {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in first.folder.iterdir()} == files
    # interrupted between the pointers: what is put forward is no draft any more
    shutil.copyfile(home.index / "current.json", home.index / "draft.json")
    stop_before_indexes(home, library, letters)
    assert {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in first.folder.iterdir()} == files
    assert len(opened(home, letters).texts) == 2


def test_texts_of_other_tracks_are_made_again(home: Home, library: Library, letters: Letters, tmp_path: Path) -> None:
    library.add_all([entry(0, tmp_path)])
    snapshot = opened(home, letters)
    (texts,) = home.index.glob("texts-*")
    TextIndex.build(["one", "two"], texts)
    assert not snapshot.is_sound
    assert len(opened(home, letters).texts) == 1


def test_a_large_catalog_is_indexed_and_later_rows_are_found_too(home: Home, library: Library, tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    count = 300
    draws = Draws(count)
    library.add_all([entry(number, tmp_path) for number in range(count - 5)])
    settings = {"max_exact_rows": 20, "max_scan_rows": 0, "cells": 4, "cells_searched": 4, "max_stale_share": 0.5}
    assert isinstance(opened(home, draws, **settings).words_index, FaissIndex)
    library.add_all([entry(number, tmp_path) for number in range(count - 5, count)])
    library.remove("t3")
    snapshot = opened(home, draws, **settings)
    index = snapshot.words_index
    assert isinstance(index, FaissIndex)
    assert index.later == 5
    for number in (0, 200, count - 2):
        row = list(snapshot.columns.track_ids).index(f"t{number}")
        assert index.search(draws.vectors[number], 3).rows[0] == row
    allowed = np.zeros(len(snapshot), bool)
    allowed[10:20] = True
    assert set(index.search(draws.vectors[0], 30, allowed).rows) == set(range(10, 20))


IDS = np.array(["a", "b", "c"])


def test_nothing_is_known_at_first() -> None:
    columns = empty_columns(IDS)
    assert len(columns) == 3
    for name in NUMBERS:
        assert np.isnan(getattr(columns, name)).all(), name
    assert (columns.explicit == UNKNOWN).all()
    assert (columns.beats_per_bar == UNKNOWN).all()
    assert columns.song.tolist() == columns.audio.tolist() == [0, 1, 2]
    assert not columns.sound.any()
    assert not columns.words.any()
    assert (columns.contour.shape, columns.sound.shape, columns.words.shape) == (
        (3, CONTOUR_PARTS), (3, SOUND_DIMS), (3, WORD_DIMS),
    )  # fmt: skip
    assert {field.name for field in fields(Columns)} == {"track_ids", *DTYPES}
    assert all(getattr(columns, name).dtype == dtype for name, dtype in DTYPES.items())


def test_rows_are_taken_in_the_order_that_is_asked_for() -> None:
    columns = empty_columns(IDS)
    columns.bpm[:] = [60.0, 90.0, 120.0]
    taken = columns.take(np.array([2, 0]))
    assert taken.track_ids.tolist() == ["c", "a"]
    assert taken.bpm.tolist() == [120.0, 60.0]
    taken.bpm[0] = 1.0
    assert columns.bpm[2] == 120.0, "rows are copied"


def test_a_track_is_silent_only_where_that_is_known() -> None:
    columns = empty_columns(IDS)
    columns.density[:2] = columns.drums[:2] = 0.0
    columns.lufs[1] = -14.0
    assert columns.silent.tolist() == [True, False, False]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"bpm must have shape \(3,\), got \(2,\)"):
        replace(empty_columns(IDS), bpm=np.zeros(2, dtype=np.float32))
    with pytest.raises(ParameterError, match="contour must have shape"):
        replace(empty_columns(IDS), contour=np.zeros((3, 1), dtype=np.float16))


DICE = np.random.default_rng(3)


def clustered(count: int, dims: int) -> NDArray[np.float16]:
    """Rows around forty directions, as tracks around styles."""
    middles = DICE.normal(size=(40, dims))
    rows = middles[DICE.integers(0, 40, count)] + 0.8 * DICE.normal(size=(count, dims))
    unit: NDArray[np.float16] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    return unit


VECTORS = clustered(5000, 48)


def test_the_scan_agrees_with_plain_arithmetic() -> None:
    query = VECTORS[7].astype(np.float64) + 0.1
    hits = ExactIndex(VECTORS).search(query, 20)
    cosine = VECTORS.astype(np.float64) @ query / np.linalg.norm(query)
    np.testing.assert_array_equal(hits.rows, np.argsort(-cosine, kind="stable")[:20])
    np.testing.assert_allclose(hits.scores, cosine[hits.rows], atol=1e-5)


def test_every_half_float_is_widened_right() -> None:
    bits = np.arange(2**16, dtype=np.uint16)
    numbers = bits.view(np.float16)
    halves = numbers[np.isfinite(numbers)].reshape(-1, 1)
    scores = ExactIndex(halves).scores(np.ones(1, np.float32))
    np.testing.assert_array_equal(scores, halves[:, 0].astype(np.float32))


def test_equal_scores_come_in_the_order_of_rows() -> None:
    vectors = np.tile(VECTORS[:1], (9, 1))
    assert ExactIndex(vectors).search(VECTORS[0], 4).rows.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("levels", [1, 3, 1_000_000])
@pytest.mark.parametrize("count", [0, 1, 7, 120, 5000])
def test_the_best_places_are_those_of_a_whole_order(levels: int, count: int) -> None:
    scores = (DICE.integers(0, levels, 4000) / levels).astype(np.float32)
    scores[DICE.random(4000) < 0.1] = -np.inf
    np.testing.assert_array_equal(best_places(scores, count), np.argsort(-scores, kind="stable")[:count])


def test_few_scores_over_many_equal_ones_are_the_best_places() -> None:
    """As of the words of a text that hardly any track has: all the others score 0."""
    scores = np.zeros(4000, np.float32)
    scores[[3999, 5, 1600]] = 0.5, 0.5, 0.9
    assert best_places(scores, 6).tolist() == [1600, 5, 3999, 0, 1, 2]


def test_a_filter_leaves_only_what_is_allowed() -> None:
    allowed = DICE.random(5000) < 0.01
    rows = ExactIndex(VECTORS).search(VECTORS[0], 500, allowed).rows
    assert set(rows) == set(np.flatnonzero(allowed))


def test_nothing_is_near_to_no_direction() -> None:
    assert ExactIndex(VECTORS).search(np.zeros(48), 5).rows.size == 0


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ParameterError, match="float16"):
        ExactIndex(VECTORS.astype(np.float32))
    with pytest.raises(ParameterError, match="query"):
        ExactIndex(VECTORS).search(np.ones(3), 5)
    with pytest.raises(ParameterError, match="allowed"):
        ExactIndex(VECTORS).search(np.ones(48), 5, np.ones(3, bool))


class TestInvertedFile:
    def test_recall_and_exact_scores(self, tmp_path: Path) -> None:
        pytest.importorskip("faiss")
        build_faiss(VECTORS, tmp_path / "a")
        exact = ExactIndex(VECTORS)
        index = FaissIndex(tmp_path / "a", VECTORS, None, IndexSizes(cells_searched=40, max_scan_rows=0))
        queries = VECTORS[:60].astype(np.float32) + DICE.normal(0, 0.1, (60, 48)).astype(np.float32)
        found = [np.isin(exact.search(query, 50).rows, index.search(query, 50).rows).mean() for query in queries]
        assert np.mean(found) >= 0.98
        hits, true = index.search(queries[0], 10), exact.search(queries[0], 10)
        np.testing.assert_allclose(hits.scores[0], true.scores[0], atol=1e-6)

    def test_a_filter_that_allows_everything_changes_nothing(self, tmp_path: Path) -> None:
        pytest.importorskip("faiss")
        build_faiss(VECTORS, tmp_path / "a")
        params = IndexSizes(cells_searched=40, max_scan_rows=0)
        order = DICE.permutation(5000)
        for index in (
            FaissIndex(tmp_path / "a", VECTORS, None, params),
            FaissIndex(tmp_path / "a", VECTORS[order], np.argsort(order), params),
        ):
            some = np.ones(5000, bool)
            plain = index.search(VECTORS[3], 20)
            np.testing.assert_array_equal(index.search(VECTORS[3], 20, some).rows, plain.rows)
            some[plain.rows[::2]] = False
            assert not set(index.search(VECTORS[3], 20, some).rows) & set(plain.rows[::2].tolist())

    def test_a_file_that_cannot_be_written_is_told_and_leaves_nothing(self, tmp_path: Path) -> None:
        pytest.importorskip("faiss")
        with pytest.raises(StoreError, match="cannot be written"):
            build_faiss(VECTORS[:100], tmp_path / "no folder" / "a")
        (tmp_path / "a").mkdir()
        with pytest.raises(StoreError, match="cannot be written"):
            build_faiss(VECTORS[:100], tmp_path / "a")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]

    def test_a_file_of_other_vectors_is_refused(self, tmp_path: Path) -> None:
        pytest.importorskip("faiss")
        build_faiss(VECTORS, tmp_path / "a")
        with pytest.raises(ParameterError, match="holds 5000 vectors"):
            FaissIndex(tmp_path / "a", VECTORS[:100], np.arange(100))
