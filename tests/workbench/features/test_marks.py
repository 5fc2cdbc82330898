import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.marks import Marks, marks_of, strongest_apart

KINDS = ("cut", "flash")


def test_rows_in_any_order_become_marks_in_order_of_time() -> None:
    marks = marks_of(KINDS, [(3.0, "flash", 0.5, 0.04), (1.0, "cut", 1.0, 0.1)])
    assert marks.times.tolist() == [1.0, 3.0]
    assert [marks.name_of(k) for k in range(len(marks))] == ["cut", "flash"]
    assert marks.of("flash").tolist() == [3.0]
    assert not marks.times.flags.writeable


@pytest.mark.parametrize(
    ("times", "kinds", "salience", "tolerance", "rule"),
    [
        ([2.0, 1.0], [0, 0], [0.5, 0.5], [0.1, 0.1], "not decrease"),
        ([np.nan], [0], [0.5], [0.1], "finite"),
        ([1.0], [2], [0.5], [0.1], "indices into"),
        ([1.0], [0], [1.5], [0.1], "0 to 1"),
        ([1.0], [0], [0.5], [0.0], "over 0"),
        ([1.0], [0, 0], [0.5], [0.1], "shape"),
    ],
)
def test_marks_out_of_range_are_refused(
    times: list[float], kinds: list[int], salience: list[float], tolerance: list[float], rule: str
) -> None:
    with pytest.raises(ParameterError, match=rule):
        Marks(KINDS, np.array(times), np.array(kinds), np.array(salience), np.array(tolerance))


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ParameterError, match="'drop'"):
        marks_of(KINDS, [(1.0, "drop", 1.0, 0.1)])
    with pytest.raises(ParameterError, match="'drop'"):
        marks_of(KINDS, []).of("drop")


def test_the_stronger_of_two_near_marks_stays() -> None:
    times, salience = np.array([5.0, 1.0, 1.05, 1.2]), np.array([0.1, 0.5, 0.9, 0.3])
    assert strongest_apart(times, salience, 0.1).tolist() == [2, 3, 0]
    assert strongest_apart(np.zeros(0), np.zeros(0), 0.1).size == 0
