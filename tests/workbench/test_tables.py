"""Tables of values: every number of the value is there, by a name, with a unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band, make_plan
from workbench.beats.grid import BeatGrid
from workbench.catalog.track import Track
from workbench.matching.lane import Lane, Match, MatchReason
from workbench.mix.balance import Duck, Mix
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import SEAM_PARTS
from workbench.seams.seam_score import seam_evidence

DUCK = Duck(((1.0, 0.0), (1.2, 14.0), (3.0, 0.0)), 100, ((1.2, 2.5),), 14.0, 100, 400)
MIX = Mix(True, "voice", -3.0, 1.5, DUCK)


def lane() -> Lane:
    reasons = (
        MatchReason("32 cuts a minute", "126 bpm", 0.9, "pace", "pace"),
        MatchReason("calm", "soft", 0.4, "mood", "mood"),
    )
    tracks = [Track(f"trk_{k}", Path(f"/nowhere/{k}.wav"), "0" * 64, title=f"Song {k}", bpm=100.0) for k in range(3)]
    matches = tuple(Match(track, 0.9 - 0.1 * k, reasons[: 2 - k % 2]) for k, track in enumerate(tracks))
    return Lane("A video", "cuts and speech", matches, matches)


@pytest.fixture(scope="module")
def piece() -> Any:
    return band("AABA")


def test_a_grid_has_a_row_a_beat(piece: Any) -> None:
    grid: BeatGrid = piece.grid
    dataset, frame = grid.to_dataset(), grid.to_frame()
    np.testing.assert_array_equal(dataset.time, grid.beats)
    assert dataset.time.attrs["units"] == "s"
    bar = dataset.isel(beat=slice(4, 8))
    assert bar.bar.values.tolist() == [1, 1, 1, 1]
    assert bar.position.values.tolist() == [1, 2, 3, 4]
    assert dataset.attrs["tempo_bpm"] == grid.tempo_bpm
    assert frame.shape == (64, 3)
    np.testing.assert_array_equal(frame[frame.position == 1].time, grid.downbeats)
    pickup = BeatGrid(np.arange(5.0), np.array([4, 1, 2, 3, 4]), 4)
    assert pickup.to_frame().bar.tolist() == [-1, 0, 0, 0, 0]


def test_a_profile_has_its_splices_with_parts_by_name(piece: Any) -> None:
    profile = loop_profile(piece.recording, piece.grid)
    dataset, frame = profile.to_dataset(), profile.to_frame()
    assert list(dataset.seam_part.values) == list(SEAM_PARTS)
    best = dataset.sel(splice=0, seam_part="level").parts.item()
    assert best == profile.splices.parts[0, SEAM_PARTS.index("level")] == frame.level[0]
    assert frame.score.round(6).is_monotonic_decreasing
    np.testing.assert_array_equal(dataset.time, profile.downbeats)
    assert dataset.section_label.values.tolist() == [section.label for section in profile.sections]


def test_evidence_has_its_bands_in_hertz(piece: Any) -> None:
    evidence = seam_evidence(piece.recording, piece.grid)
    dataset = evidence.to_dataset()
    np.testing.assert_array_equal(dataset.band, evidence.band_hz)
    np.testing.assert_array_equal(dataset.loudness, evidence.loudness)
    assert dataset.tones.sel(edge="begins", beat=0).sizes == {"tone": evidence.tones.shape[2]}
    assert dataset.own_breaks.sel(seam_part="pulse").size == evidence.lines.size - 1
    assert evidence.to_frame().shape == (64, 4)


def test_a_plan_has_segments_and_seams() -> None:
    plan = make_plan([(0.0, 40.0, 0.0, 0.0), (20.0, 60.0, 0.0, 0.0)], [0.02], [1.0], song_duration=60.0)
    dataset, frame = plan.to_dataset(), plan.to_frame()
    np.testing.assert_allclose(dataset.time, plan.seam_times)
    assert frame.song_from.tolist() == [segment.song_from for segment in plan.segments]
    np.testing.assert_allclose(frame.video_to[:-1], frame.video_from[1:])
    assert dataset.attrs["kind"] == "loop"


def test_a_mix_and_a_lane() -> None:
    dataset = MIX.to_dataset()
    assert float(dataset.attenuation_db.interp(time=1.1)) == pytest.approx(7.0)
    assert dataset.attrs["music_gain_db"] == -3.0
    assert MIX.to_frame().attenuation_db.max() == 14.0
    assert Mix(False, "silent").to_frame().empty
    table = lane().to_frame()
    assert table.title.tolist() == ["Song 0", "Song 1", "Song 2"]
    assert table.pace.tolist() == [0.9, 0.9, 0.9]
    assert np.isnan(table.mood[1])
    assert lane().to_dataset().reason_score.sel(match=0, reason="mood").item() == 0.4


def test_everything_written_says_its_unit(piece: Any) -> None:
    values = (
        piece.grid,
        loop_profile(piece.recording, piece.grid),
        make_plan([(0.0, 40.0, 0.0, 0.0), (20.0, 60.0, 0.0, 0.0)], [0.02], [1.0], song_duration=60.0),
        MIX,
        lane(),
    )
    for dataset in (value.to_dataset() for value in values):
        for name, variable in dataset.variables.items():
            assert variable.attrs["units"], name
            assert variable.attrs["long_name"], name


def test_what_has_no_table_says_so() -> None:
    with pytest.raises(TypeError, match="no dataset of a Recording"):
        Recording.from_samples(np.zeros(8), 8).to_dataset()
    with pytest.raises(TypeError, match="no table of a Recording"):
        Recording.from_samples(np.zeros(8), 8).to_frame()
