"""How much moves, in picture heights a second, and where nothing does."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.video.motion import STILL_SECONDS, speeds, still_stretches
from workbench.video.picture import Border

TIMES = np.arange(250) / 25


def test_a_field_a_picture_is_so_many_heights_a_second() -> None:
    motion = speeds(TIMES, np.ones(250, np.float32), ())
    assert motion[0] == 0.0
    assert motion[1:] == pytest.approx(25 / 36, rel=1e-4)


def test_nothing_moves_at_a_cut_or_within_a_dissolve() -> None:
    borders = (Border("hard", 2.0, 2.0, 2.0, 1.0), Border("dissolve", 5.0, 6.0, 5.5, 0.5))
    motion = speeds(TIMES, np.ones(250, np.float32), borders)
    assert TIMES[motion == 0.0].tolist() == [0.0, 2.0, *TIMES[125:151].tolist()]


def test_stretches_that_stand_still_end_at_cuts_and_leave_out_black() -> None:
    motion = np.zeros(250, np.float32)
    motion[:25] = 1.0
    cut = Border("hard", 5.0, 5.0, 5.0, 1.0)
    found = still_stretches(TIMES, motion, ((8.0, 10.0),), (cut,), 10.0)
    assert found == ((1.0, 5.0), (5.0, 8.0))
    assert STILL_SECONDS < 3.0


def test_what_stands_still_for_a_moment_is_no_stretch() -> None:
    motion = np.ones(250, np.float32)
    motion[100 : 100 + round(25 * STILL_SECONDS) - 2] = 0.0
    assert still_stretches(TIMES, motion, (), (), 10.0) == ()
    assert still_stretches(np.zeros(0), np.zeros(0), (), (), 0.0) == ()
    assert still_stretches(TIMES, np.zeros(250), (), (), 10.0) == ((0.0, 10.0),)
