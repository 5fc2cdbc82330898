"""What the Plan tab knows of a plan: options, what is compared, what is heard of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import render_option
from workbench.dashboards.tabs.plan_state import PlanState
from workbench.plans.request import PlanRequest
from workbench.store.home import Home
from workbench.workflows.move_seam import plan_around
from workbench.workflows.plan import Planned


@pytest.fixture
def state(tide_loop: Planned) -> PlanState:
    """The tab's state with that plan."""
    state = PlanState()
    state.take(tide_loop)
    return state


def test_a_card_says_what_begins_after_silence(tide_home: Home, tide_loop: Planned, state: PlanState) -> None:
    params = Workspace(tide_home).params.cover
    assert "music from" not in state.facts(params)[0]["words"]
    asked = plan_around(
        Workspace(tide_home), tide_loop.track, tide_loop.video_seconds, PlanRequest(start_at=2.8, only_loop=True)
    )
    state.take(asked)
    assert "music from 0:02.8 · " in state.facts(params)[0]["words"]


def test_two_options_are_compared_and_never_one_with_itself(state: PlanState) -> None:
    state.pick(0, "b")
    assert (state.a, state.b, state.chosen) == (0, None, "a")
    state.pick(1, "b")
    assert (state.shown, state.chosen) == (1, "b")
    state.pick(1, "a")
    assert (state.a, state.b, state.shown) == (1, None, 1)


def test_a_and_b_are_equally_loud_after_matching(tide_home: Home, tide_loop: Planned, state: PlanState) -> None:
    state.pick(1, "b")
    for option in (0, 1):
        state.rendered[option] = render_option(Workspace(tide_home), tide_loop, state.options[option])
    gains = state.matching(60.0, [])
    assert max(gains) == 0.0
    a, b = (state.rendered[n].lufs(55.0, 65.0) + gain for n, gain in enumerate(gains))
    assert a == pytest.approx(b, abs=1e-6)
    assert state.headroom_db() <= 0.0


def test_the_same_plan_under_another_mix_is_the_same_plan(tide_loop: Planned, state: PlanState) -> None:
    assert state.is_same_plan(replace(tide_loop, mix=None))
    assert not state.is_same_plan(replace(tide_loop, video_seconds=100.0, answer=state.options[1]))
    assert not PlanState().is_same_plan(tide_loop)
