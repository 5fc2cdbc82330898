"""The methods that values inherit find what makes tables and pages, and cost nothing until then."""

import subprocess
import sys

import numpy as np
import pytest

from workbench.beats.grid import BeatGrid
from workbench.recording import Shown


def test_a_value_loads_tables_and_pictures_only_when_asked() -> None:
    program = (
        "import sys; from workbench.beats.grid import BeatGrid; g = BeatGrid.from_times([0.0, 0.5, 1.0]); "
        "print('xarray' in sys.modules, 'matplotlib' in sys.modules); g.to_frame(); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]


def test_every_way_to_show_a_value() -> None:
    grid = BeatGrid.from_times(np.arange(8) * 0.5)
    assert grid.to_dataset().sizes == {"beat": 8}
    assert len(grid.to_frame()) == 8
    assert grid._repr_html_().startswith("<div>")


def test_a_kind_of_value_without_pictures_says_so() -> None:
    with pytest.raises(TypeError, match="no picture of a Shown"):
        Shown()._repr_html_()
