"""What values show of themselves in a notebook: a picture that opens and a sound that decodes."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import fields, is_dataclass
from html import escape
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import workbench as wb
from tests.workbench.played import band, make_plan
from workbench.beats.grid import BeatGrid
from workbench.catalog.track import Track
from workbench.matching.lane import Lane, Match
from workbench.media.audio import decode, write_audio
from workbench.mix.balance import Duck, Mix
from workbench.params.sliders import knob_of

MIX = Mix(True, "voice", -3.0, 1.5, Duck(((1.0, 0.0), (1.2, 14.0)), 100, ((1.2, 2.5),), 14.0, 100, 400))


@pytest.fixture(scope="module")
def piece() -> Any:
    return band("AABA")


def _pictures(html: str) -> list[Image.Image]:
    found = re.findall(r"data:image/png;base64,([^\"]+)", html)
    return [Image.open(io.BytesIO(base64.b64decode(one))) for one in found]


def _seconds(html: str, folder: Path) -> list[float]:
    lengths = []
    for one in re.findall(r"data:audio/mpeg;base64,([^\"]+)", html):
        path = folder / "sound.mp3"
        path.write_bytes(base64.b64decode(one))
        lengths.append(decode(path).duration)
    return lengths


@pytest.mark.slow
def test_sounds_are_heard(piece: Any, tmp_path: Path) -> None:
    recording = piece.recording._repr_html_()
    assert _seconds(recording, tmp_path) == [pytest.approx(min(30.0, piece.recording.duration), abs=0.1)]
    assert _pictures(recording)[0].width > 400
    clicks = piece.grid._repr_html_()
    assert len(_seconds(clicks, tmp_path)) == len(_pictures(clicks)) == 1
    assert "64 beats" in clicks
    tried = wb.splice(piece.recording, leave=piece.grid.beats[32], enter=piece.grid.beats[16], grid=piece.grid)
    assert _seconds(tried._repr_html_(), tmp_path) == [pytest.approx(4.0, abs=0.1)] * 3
    assert _seconds(tried.view._repr_html_(), tmp_path) == [pytest.approx(4.0, abs=0.1)] * 3
    heard = tried.played._repr_html_()
    assert len(_pictures(heard)) == 1
    assert len(_seconds(heard, tmp_path)) == 2


def test_what_has_no_sound_is_drawn(piece: Any) -> None:
    for value in (make_plan([(0.0, 40.0, 0.0, 0.0), (20.0, 60.0, 0.0, 0.0)], [0.02], [1.0], song_duration=60.0), MIX):
        html = value._repr_html_()
        assert len(_pictures(html)) == 1
        assert "<audio" not in html
    assert "nothing to duck" in Mix(False, "silent")._repr_html_()
    assert "0 beats" in BeatGrid([], [], 4, 0.0)._repr_html_()  # type: ignore[arg-type]
    assert "bars" in wb.seam_evidence(piece.recording, piece.grid)._repr_html_()


def test_a_loop_and_a_fit_say_what_they_are(piece: Any, tmp_path: Path) -> None:
    recording = piece.recording
    track = write_audio(tmp_path / "<piece>.wav", [recording.samples], recording.sample_rate, recording.channels)
    with wb.open(tmp_path / "home") as workspace:
        fit, loop = wb.plan_lengths(workspace, track, [10.0, 120.0])
        refused = wb.plan_track(workspace, track, 1.0, wb.PlanRequest(only_loop=True))
    html = fit._repr_html_()
    assert len(_pictures(html)) == 1
    assert "&lt;piece&gt;: straight plan of 0:10, no seam" in html
    seams = f"of 2:00, {len(loop.plan.seam_times)} seams, the worst {loop.plan.seam_score:.2f}, "
    assert seams in loop._repr_html_()
    assert f"{escape(loop.plan.end_label)}; {len(loop.plan.options)} option" in loop._repr_html_()
    assert not _pictures(refused._repr_html_())
    assert "longer" in refused._repr_html_()
    assert all(len(repr(one)) < 300 for one in (loop, refused))


def test_every_value_prints_itself_in_short_and_has_its_table(piece: Any, tmp_path: Path) -> None:
    recording = piece.recording
    track = write_audio(tmp_path / "piece.wav", [recording.samples], recording.sample_rate, recording.channels)
    (tmp_path / "piece.beats").write_text("".join(f"{at}\n" for at in piece.grid.beats))
    with wb.open(tmp_path / "home") as workspace:
        analysis, beats = wb.analyze(workspace, track), wb.map_beats(workspace, track)
        loop, refused = (
            wb.plan_track(workspace, track, 36_000.0, wb.PlanRequest(only_loop=True)),
            wb.plan_track(workspace, track, 1.0, wb.PlanRequest(only_loop=True)),
        )
    dataset, spliced = wb.datasets.load(tmp_path), wb.splice(recording, 16.0, 8.0, grid=piece.grid)
    tables: list[Any] = [
        *(piece.grid, analysis, analysis.profile, beats, loop, loop.plan, spliced, spliced.played, dataset),
        wb.seam_evidence(recording, piece.grid),
    ]
    varied = {
        stage: {name: knob_of(stage, name).values(3)[0] for name, field in type(held).knobs().items()
                if isinstance(field.get_default(), float)}
        for stage, held in wb.WorkbenchParams()
    }  # fmt: skip
    others = [
        *(recording, refused.answer, loop.provenance, spliced.provenance, spliced.view, spliced.beats, loop.request),
        *(loop.plan.segments[0], loop.plan.ending, loop.plan.body, analysis.profile.splices, dataset["piece"], MIX),
        *(wb.WorkbenchParams(), wb.WorkbenchParams.model_validate(varied), workspace.home),
        wb.SweepPlan((wb.read_axis("models.seams.pulse_weight=0:1:5"),), dataset),
    ]
    for value in (*tables, *others):
        assert 0 < len(repr(value)) < 2000, type(value)
    assert all(len(value.to_frame()) for value in tables)
    named = [getattr(wb, name) for name in wb.__all__]
    kinds = {
        kind for kind in (*map(type, (*tables, *others)), *named) if is_dataclass(kind) or hasattr(kind, "_fields")
    }
    for kind in kinds:
        help_text = getdoc(kind) or ""
        names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
        assert [name for name in names if f"\n{name} : " not in help_text] == [], kind


def test_a_lane_plays_the_tracks_that_can_be_read(piece: Any, tmp_path: Path) -> None:
    path = write_audio(tmp_path / "one.wav", [piece.recording.samples], piece.recording.sample_rate, 1)
    tracks = [Track("trk_a", path, "0" * 64, title="<One>"), Track("trk_b", tmp_path / "gone.wav", "1" * 64)]
    matches = tuple(Match(track, 0.5, ()) for track in tracks)
    html = Lane("A video", "why", matches, matches)._repr_html_()
    assert len(_seconds(html, tmp_path)) == len(_pictures(html)) == 1
    assert "&lt;One&gt;" in html
