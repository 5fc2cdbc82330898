"""A plan, and a workspace with the sound of its track."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.plans.plan import LoopPlan
from workbench.store.home import Home

RATE = 8000


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """One in a home folder of its own."""
    with Workspace(Home(tmp_path / "home")) as opened:
        yield opened


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """Twelve seconds of stereo whose every sample is its number."""
    path = tmp_path / "track.wav"
    ramp = np.arange(12 * RATE, dtype=np.float32) / (12 * RATE)
    soundfile.write(path, np.stack([ramp, -ramp], axis=1), RATE, subtype="FLOAT")
    return path


@pytest.fixture
def plan() -> LoopPlan:
    """Ten seconds, then from 1 s again, twice."""
    rows = [(0.0, 10.0, 0.0, 0.0), (1.0, 10.0, 0.0, 0.0), (1.0, 9.0, 0.0, 0.0)]
    return make_plan(rows, [0.02, 0.04], [1.0, 0.5], song_duration=12.0)
