"""The preview of a track, from file to file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.params import PreviewParams, WorkbenchParams
from workbench.seams.build_profile import loop_profile
from workbench.store.home import Home
from workbench.workflows.preview import make_preview, memorable_stretch

PARAMS = PreviewParams()


@pytest.mark.slow
def test_the_preview_of_a_track_is_an_mp3_of_half_a_minute(tmp_path: Path) -> None:
    track = bundled_path("data", "bundled", "music", "corner_store.ogg")
    shorter = PreviewParams(seconds=12.0, kbps=64)
    for params in (PARAMS, shorter):
        workspace = Workspace(Home(tmp_path / "home"), WorkbenchParams(preview=params))
        made = make_preview(workspace, track, tmp_path / f"{params.seconds}.mp3")
        heard = decode(made.path)
        assert heard.duration == pytest.approx(params.seconds, abs=0.001)
        assert made.path.stat().st_size == pytest.approx(125 * params.kbps * params.seconds, rel=0.1)
        assert made.song_to - made.song_from == pytest.approx(params.seconds)
        assert 0.0 <= made.song_from < made.song_to <= decode(track).duration + 1e-6


def test_a_preview_opens_on_a_bar_line_and_is_never_longer_than_the_track() -> None:
    track = band("AABB", gains={"B": 2.0})
    profile = loop_profile(track.recording, track.grid)
    begin, end = memorable_stretch(profile, 10.0)
    assert end - begin == pytest.approx(10.0)
    assert np.abs(profile.downbeats - begin).min() == pytest.approx(0.0, abs=1e-6)
    assert begin >= track.grid.downbeats[7], "the loud half is what one remembers"
    assert memorable_stretch(profile, 1e6) == (0.0, profile.song_duration)
