"""Cached arrays opened by xarray alone: named axes, the recording's name, no number without a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray
from zarr.storage import ZipStore

from workbench.analysis.landmarks import landmark_stage
from workbench.analysis.track import Sound, analyze
from workbench.analysis.workspace import Workspace
from workbench.seams.profile import SEAM_PARTS
from workbench.store.home import Home


def _opened(home: Path, stage: str) -> xarray.Dataset:
    (path,) = home.rglob(f"*.{stage}.v*.zarr.zip")
    with ZipStore(path, mode="r") as archive:
        found: xarray.Dataset = xarray.open_zarr(archive, chunks=None, consolidated=False).load()
        return found


def test_a_cached_analysis_reads_by_xarray_alone(track: Path, tmp_path: Path) -> None:
    with Workspace(Home(tmp_path)) as workspace:
        analysis = analyze(workspace, track)
        landmark_stage(Sound(workspace, track))
    beats = _opened(tmp_path, "beats")
    assert beats.attrs["recording"] == track.name
    assert set(beats.coords) >= {"time", "beat", "beats", "positions"}
    np.testing.assert_allclose(beats.time.values[:3], [0.0, 0.01, 0.02])
    assert beats.time.attrs["units"] == "s"
    np.testing.assert_array_equal(beats.beats.values, analysis.grid.beats)

    loops = _opened(tmp_path, "loops")
    assert list(loops.seam_part.values) == list(SEAM_PARTS)
    best = loops.splice_parts.sel(splice=0, seam_part="harmony").item()
    assert best == analysis.profile.splices.parts[0, SEAM_PARTS.index("harmony")]
    assert loops.loop_scalars.sel(loop_scalar="song_duration").item() == analysis.profile.song_duration
    assert "loop_downbeats" in loops.coords
    assert loops.bar.size == analysis.profile.downbeats.size

    evidence = _opened(tmp_path, "evidence")
    assert evidence.beat_loudness.dims == ("beat", "tick", "band")
    assert evidence.beat_tones.sel(edge="ends", tone=69).sizes == {"beat": analysis.grid.beats.size}
    assert "band_hz" in evidence.coords

    landmarks = _opened(tmp_path, "landmarks")
    assert landmarks.landmark_span.sel(landmark_edge="length").item() > 0.0
    assert "landmark_times" in landmarks.coords
