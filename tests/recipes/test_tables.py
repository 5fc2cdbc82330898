"""Tables of evidence: what is written is read, and other versions of the features are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.recipes.fitting.tables import OutdatedTable, read_table, write_table

VERSIONS = {"picture": 5, "soundtrack": 7}


def test_a_table_comes_back_to_the_bit(tmp_path: Path) -> None:
    arrays = {"evidence": np.array([[0.1 + 0.2, -0.0]]), "true": np.array([True])}
    write_table(tmp_path / "a.npz", VERSIONS, arrays)
    found = read_table(tmp_path / "a.npz", VERSIONS)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].tobytes() == array.tobytes()
        assert found[name].dtype == array.dtype


def test_a_table_of_other_features_is_refused_in_one_line(tmp_path: Path) -> None:
    write_table(tmp_path / "a.npz", VERSIONS, {"true": np.array([True])})
    with pytest.raises(OutdatedTable) as refused:
        read_table(tmp_path / "a.npz", VERSIONS | {"picture": 6})
    said = str(refused.value)
    assert "a.npz" in said
    assert "'picture': 5" in said
    assert "'picture': 6" in said
    assert "\n" not in said
