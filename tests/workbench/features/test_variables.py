import numpy as np
import pytest

from workbench.analysis.labels import VARIABLES, attributes, check, check_together
from workbench.errors import ParameterError


def test_every_variable_says_what_it_is() -> None:
    for name, variable in VARIABLES.items():
        assert variable.name == name
        assert variable.unit
        assert variable.description
        np.dtype(variable.dtype)


def test_an_array_as_declared_passes() -> None:
    check("beats", np.array([0.5, 1.0]))
    check_together({"beats": np.array([0.5, 1.0]), "positions": np.array([1, 2], dtype=np.int32)})


@pytest.mark.parametrize(
    ("name", "array", "complaint"),
    [
        ("beets", np.zeros(3), "no variable"),
        ("beats", np.zeros((3, 2)), "axes"),
        ("beats", np.zeros(3, dtype=np.float32), "float64"),
        ("beats", np.array([0.5, np.nan]), "finite"),
    ],
)
def test_an_array_that_is_not_as_declared_is_refused(name: str, array: np.ndarray, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        check(name, array)


def test_arrays_that_share_a_dimension_share_its_length() -> None:
    with pytest.raises(ParameterError, match="'beat'"):
        check_together({"beats": np.array([0.5, 1.0]), "positions": np.array([1], dtype=np.int32)})


def test_unit_and_sentence_travel_with_the_array() -> None:
    assert attributes("beats")["units"] == "s"
    with pytest.raises(ParameterError, match="no variable"):
        attributes("beets")
