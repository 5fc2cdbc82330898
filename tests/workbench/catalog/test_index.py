"""Nearest rows: the exact scan is right by definition, the inverted file nearly always."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import ParameterError, StoreError
from workbench.matching.index import ExactIndex, FaissIndex, IndexSizes, best_places, build_faiss, recall

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
        assert recall(index, exact, queries, 50) >= 0.98
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
