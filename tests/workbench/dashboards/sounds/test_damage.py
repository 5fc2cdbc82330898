"""What the page plays and shows is made again where a file of it is damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.damage import WAYS, Way, damage, files_in
from tests.workbench.dashboards.sounds.test_mix import GRID
from tests.workbench.dashboards.sounds.test_video import drawn
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.mix import clicked_file, placed_file
from workbench.dashboards.sounds.plan import measured_levels, music_file, track_file
from workbench.dashboards.sounds.video import find_still, proxy_file, still_file
from workbench.dashboards.views import LongSound
from workbench.plans.plan import LoopPlan


@pytest.mark.parametrize("way", WAYS)
def test_sounds_pictures_and_their_summaries(
    workspace: Workspace, track: Path, plan: LoopPlan, tmp_path: Path, way: Way
) -> None:
    video = drawn(tmp_path / "broadcast.ts", 0.5)

    def made() -> dict[str, bytes]:
        sound = track_file(workspace, track)
        paths = [
            sound, music_file(workspace, plan, track), clicked_file(workspace, track, GRID),
            placed_file(workspace, track, 3.0, 20.0), still_file(workspace, video),
        ]  # fmt: skip
        levels, (_, lows, highs) = measured_levels(workspace, sound), LongSound(sound).envelope(0.0, 12.0, 20)
        numbers = np.concatenate([levels.power, [levels.peak], lows, highs])
        return {"numbers": numbers.tobytes()} | {path.name: path.read_bytes() for path in paths if path is not None}

    before = made()
    proxy = proxy_file(workspace, video)
    assert len(damage(files_in(workspace.home.renders), way)) > 10
    assert find_still(workspace.home, video) is None
    assert made() == before
    assert proxy_file(workspace, video).stat().st_size == proxy.stat().st_size > 1000
