"""A plan as the page plays it; that a browser plays it so is in `tests/browser/test_sound.py`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.dashboards.sounds.plan import played_duck, played_plan
from workbench.mix.balance import Duck, Mix
from workbench.params import RenderParams
from workbench.plans.plan import LoopPlan
from workbench.render.schedule import place_track


def test_a_plan_is_played_by_its_cues(plan: LoopPlan) -> None:
    told: dict[str, Any] = json.loads(json.dumps(played_plan(plan, 8000)))
    assert (told["rate"], told["length"]) == (8000, round(plan.window_end * 8000))
    first, second, third = told["cues"]
    assert first["fade_in"] is third["fade_out"] is None
    assert first["fade_out"] == second["fade_in"] == {"centre": 10.0, "seconds": 0.02, "exponent": 1.0}
    assert third["fade_in"]["exponent"] == 0.5
    assert second["song_offset"] == (1 - 10) * 8000


def test_a_placed_track_is_one_cue() -> None:
    told = played_plan(place_track(-2.0, 12.0, 8.0), 8000)
    (cue,) = told["cues"]
    assert (cue["first"], cue["stop"], cue["song_offset"]) == (0, 8 * 8000, 2 * 8000)
    assert told["start_fade_seconds"] == told["end_fade_seconds"] == pytest.approx(0.01)


def test_a_duck_is_played_in_bands_where_that_is_chosen() -> None:
    points = ((1.0, 0.0), (1.3, 10.0), (3.1, 10.0), (4.0, 0.0))
    mix = Mix(True, "voice", 0.0, 0.0, Duck(points, 100, ((1.4, 3.0),), 10.0, 300, 900))
    assert played_duck(mix, RenderParams()) == [list(point) for point in points]
    bands = RenderParams(ducking="bands", speech_band_depth=1.5, other_bands_depth=0.5)
    assert played_duck(mix, bands) == [[1.0, 0.0, 0.0], [1.3, 15.0, 5.0], [3.1, 15.0, 5.0], [4.0, 0.0, 0.0]]
    assert played_duck(None, bands) == []
