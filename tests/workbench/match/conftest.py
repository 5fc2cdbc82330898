"""Videos as facts, and catalogs of columns, for tests of ranking."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.testing import match_term

MakeVideo = Callable[..., VideoFacts]
MakeColumns = Callable[..., Columns]


@pytest.fixture
def make_video() -> MakeVideo:
    """`video(seconds, cuts_per_minute=…, motion=(a scene each), speech=…)` makes facts."""
    return match_term.make_video


@pytest.fixture
def columns() -> MakeColumns:
    """`columns(bpm=[…], contour=[[…], …])` makes tracks that differ in what is given only."""
    return match_term.make_columns
