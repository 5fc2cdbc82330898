"""Windows of a sound: the same whatever the blocks are, one for each hop begun."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ParameterError
from workbench.video.windows import MonoWindows

WINDOW, HOP, BEFORE = 12, 4, 5


@given(samples=st.integers(0, 60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_blocks_change_nothing_and_each_hop_has_its_window(samples: int, cuts: list[int]) -> None:
    sound = np.arange(1, samples + 1, dtype=np.float32)
    windows = MonoWindows(WINDOW, HOP, BEFORE)
    blocks = np.split(sound, sorted(min(cut, samples) for cut in cuts))
    found = np.concatenate([*(windows.add(block) for block in blocks), windows.rest()])
    silent = np.concatenate([np.zeros(BEFORE), sound, np.zeros(WINDOW)])
    hops = -(-samples // HOP)
    expected = [silent[k * HOP : k * HOP + WINDOW] for k in range(hops)]
    assert found.shape == (hops, WINDOW)
    np.testing.assert_array_equal(found, np.reshape(expected, (hops, WINDOW)))


def test_two_channels_are_refused() -> None:
    with pytest.raises(ParameterError, match="mono sound"):
        MonoWindows(WINDOW, HOP, BEFORE).add(np.zeros((2, 8), dtype=np.float32))
