"""The transport's half on the server: where it is sent, and the lines and clicks that belong to it."""

from __future__ import annotations

from bokeh.models.annotations import Span
from bokeh.plotting import figure

from workbench.dashboards.figures import SeekTo
from workbench.dashboards.styles import ASSETS
from workbench.dashboards.transport import TransportBar, playhead, script, seek_on_tap


def test_a_player_goes_to_the_same_place_again() -> None:
    player = TransportBar()
    player.go(42.0)
    assert player.time == 42.0, "also where it is drawn only after the wish"
    first = list(player.seek)
    player.go(42.0)
    assert player.seek[0] == first[0] == 42.0
    assert player.seek != first


def test_a_playhead_is_found_by_its_name() -> None:
    drawn = figure()
    line = playhead(drawn, "head-1", "#123456")
    assert drawn.select_one({"name": "head-1"}) is line
    assert isinstance(line, Span)
    assert (line.dimension, line.line_color) == ("height", "#123456")


def test_a_click_on_a_figure_seeks() -> None:
    drawn = figure()
    seek_on_tap(drawn)
    (callback,) = drawn.js_event_callbacks["tap"]
    assert isinstance(callback, SeekTo)


def test_a_script_has_the_shared_pieces_before_its_own() -> None:
    both = script("keys", "transport")
    parts = [(ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in ("keys", "transport")]
    assert both.index(parts[0]) == 0
    assert both.endswith(parts[1])
