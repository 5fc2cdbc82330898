"""Knobs: what they turn is what the library computes, with sliders, without them, and on a page of its own."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.workbench.played import band
from workbench.errors import ExtraMissing, ParameterError
from workbench.media.audio import decode
from workbench.params import DuckParams, SeamParams

VOICE = wb.bundled_path("data", "bundled", "voice", "narration.ogg")
MUSIC = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")


@pytest.fixture(scope="module")
def turned() -> Any:
    piece = band("AABA")
    times = piece.grid.beats
    return wb.widgets.seam(piece.recording, leave=times[32], enter=times[16], grid=piece.grid, knobs=("context_beats",))


@pytest.fixture(scope="module")
def ducked() -> Any:
    return wb.widgets.ducking(VOICE, MUSIC, seconds=26.0)


def test_a_turned_seam_is_the_splice_of_these_parameters(turned: Any) -> None:
    piece, before = band("AABA"), turned.value.score
    assert repr(turned).startswith("<<splice from beat 32 to beat 16")
    assert turned.turn(context_beats=8) is turned
    params = wb.WorkbenchParams(seams=SeamParams(context_beats=8))
    alone = wb.splice(
        piece.recording, leave=piece.grid.beats[32], enter=piece.grid.beats[16], grid=piece.grid, params=params
    )
    assert turned.params == params
    assert turned.value.score == alone.score != before
    html = turned.html()
    assert html.count("data:audio/mpeg") == 3
    assert "<td>context beats</td><td>8</td>" in html
    for wrong, complaint in (({"context_beats": 0}, "context_beats"), ({"min_body_bars": 1}, "no knob min_body_bars")):
        with pytest.raises(ParameterError, match=complaint):
            turned.turn(**wrong)
    assert turned.params == params


def test_music_goes_further_down_where_it_is_asked_to(ducked: Any) -> None:
    depths = [ducked.turn(under_voice_lu=lu).value.mix.duck.depth_db for lu in (13.0, 16.0)]
    assert depths[0] < depths[1]
    assert ducked.params == wb.WorkbenchParams(duck=DuckParams(under_voice_lu=16.0))
    assert "music ducked by up to" in ducked.picture()


def test_a_page_turns_without_a_kernel(ducked: Any, tmp_path: Path) -> None:
    page = ducked.turn(bridge_seconds=2.5).save(tmp_path / "page.html", "bridge_seconds", (0.5, 2.0)).read_text()
    assert re.findall(r'<div data-step="(\d)"( hidden)?>', page) == [("0", " hidden"), ("1", "")]
    assert 'max="1" value="1"' in page
    sounds = re.findall(r"data:audio/mpeg;base64,([^\"]+)", page)
    assert len(sounds) == 2
    (tmp_path / "sound.mp3").write_bytes(base64.b64decode(sounds[0]))
    assert decode(tmp_path / "sound.mp3").duration == pytest.approx(26.0, abs=0.1)
    assert not re.search(r"https?://", page)
    with pytest.raises(ParameterError, match="no knob depth"):
        ducked.page("depth")


def test_without_ipywidgets_the_page_is_shown(turned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    bundle = turned._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert "turn(context_beats=" in bundle["text/html"]
    with pytest.raises((ExtraMissing, ImportError), match="ipywidgets"):
        turned.widget()


def test_a_slider_turns_its_knob(turned: Any) -> None:
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    slider, shown = turned.widget().children
    assert (slider.min, slider.max, slider.value) == (1, 16, turned.params.seams.context_beats)
    before = turned.value.score
    slider.value = 16
    assert turned.params.seams.context_beats == 16
    assert shown.value == turned.picture()
    assert turned.value.score != before
    bundle = turned._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["text/html"] == turned.html()
