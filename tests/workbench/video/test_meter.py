"""A video measured as its pictures come: in runs of any length, in memory that does not grow."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.video.picture import Picture
from workbench.video.picture_meter import PictureMeter


def shots(*lengths: int) -> NDArray[np.float32]:
    """Textures that stand for so many pictures each."""
    dice = np.random.default_rng(5)
    return np.concatenate(
        [np.repeat(dice.uniform(0.1, 0.9, (1, 36, 64)), length, axis=0) for length in lengths]
    ).astype(np.float32)


def measured(luma: NDArray[np.float32], run: int) -> Picture:
    meter = PictureMeter()
    for at in range(0, len(luma), run):
        part = luma[at : at + run]
        meter.add((at + np.arange(len(part))) / 25, part, np.zeros((len(part), 2, 18, 32), np.float32))
    return meter.picture(len(luma) / 25)


@pytest.mark.parametrize("run", [1, 40, 400])
def test_runs_of_any_length_find_the_same(run: int) -> None:
    luma = shots(50, 75, 125)
    found = measured(luma, run)
    assert [(border.kind, border.at) for border in found.borders] == [("hard", 2.0), ("hard", 5.0)]
    np.testing.assert_allclose(found.brightness, luma.mean(axis=(1, 2)), atol=1e-4)
    assert found.duration == 10.0
    assert found.still == ((0.0, 2.0), (2.0, 5.0), (5.0, 10.0))


def test_no_picture_is_no_video() -> None:
    with pytest.raises(ParameterError, match="without a single picture"):
        PictureMeter().picture(1.0)
