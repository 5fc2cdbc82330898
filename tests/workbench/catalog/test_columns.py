"""Columns: one row a track, unknown until told, and picked in any order."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.matching.columns import DTYPES, NUMBERS, UNKNOWN, WORD_DIMS, Columns, empty_columns

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
