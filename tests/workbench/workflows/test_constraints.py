"""Constraints as they are typed and recorded, and kept by the plans of bundled songs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.errors import ConstraintError, PlanError
from workbench.files import bundled_path
from workbench.plans.constraints import NamedSplice, SeamConstraints, TrackRange, line_pair
from workbench.plans.plan import LoopPlan, nearest_line
from workbench.plans.refusals import Refusal
from workbench.plans.request import Keep, KeptPart, PlanRequest
from workbench.seams.profile import LoopProfile
from workbench.workflows.constraints import (
    read_range,
    read_request,
    read_seconds,
    read_splice,
    request_records,
    with_pinned,
)
from workbench.workflows.plan import plan_track, planned_json
from workbench.workflows.reproduce import reproduce


@pytest.fixture(scope="module")
def song() -> Path:
    return bundled_path("data", "bundled", "music", "hill_road.ogg")


def seams(plan: LoopPlan) -> list[tuple[float, float]]:
    return [(left.song_to, entered.song_from) for left, entered in pairwise(plan.segments)]


def lines_of(plan: LoopPlan, profile: LoopProfile) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in nearest_line(profile.downbeats, np.array(seams(plan)).reshape(-1, 2))}


def test_texts_are_read() -> None:
    assert [read_seconds(text) for text in ("1:05", "65.5", " 0:00.25 ", "1:75", "soon", "-1")] == [
        65.0, 65.5, 0.25, None, None, None,
    ]  # fmt: skip
    assert read_range("0:40-1:00") == TrackRange(40.0, 60.0)
    assert read_splice("1:32-0:48") == NamedSplice(92.0, 48.0)
    for text, why in (("1:00-0:40", "ends before it begins"), ("0:40", "is not a range"), ("a-b", "is not a range")):
        with pytest.raises(ConstraintError, match=why):
            read_range(text)
    with pytest.raises(ConstraintError, match="is not a splice"):
        read_splice("1:32-0:48-0:50")


def test_a_provenance_holds_them() -> None:
    constraints = SeamConstraints((TrackRange(40.0, 60.0),), (NamedSplice(92.0, 48.0),), (NamedSplice(80.0, 16.0),))
    assert read_request(request_records(PlanRequest(constraints))) == PlanRequest(constraints)
    assert read_request({}) == PlanRequest()
    torn_ones: list[dict[str, Any]] = [
        {"pin_seam": 3}, {"pin_seam": [[1.0]]}, {"never_cut": [[2.0, 1.0]]}, {"forbid_seam": [["a", "b"]]},
    ]  # fmt: skip
    for torn in torn_ones:
        with pytest.raises(PlanError, match=r"provenance\.constraints"):
            read_request(torn)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [256.0, 80.0])
def test_a_song_is_planned_with_each_constraint_and_the_plan_is_made_again(
    workspace: Workspace, song: Path, seconds: float
) -> None:
    def plan_of(constraints: SeamConstraints) -> tuple[LoopPlan, dict[str, object]]:
        if seconds > 200.0:
            loop = plan_track(workspace, song, seconds, PlanRequest(constraints, only_loop=True))
            return loop.plan, planned_json(loop)
        # With its intro the best plan of this length has seams.
        fit = plan_track(workspace, song, seconds, PlanRequest(constraints, (Keep(KeptPart.INTRO),)))
        return fit.plan, planned_json(fit)

    profile = analyze(workspace, song).profile
    free, _ = plan_of(SeamConstraints())
    left, entered = next(seam for option in free.options for seam in seams(option))
    used = NamedSplice(round(left), round(entered))
    never = TrackRange(round(left) - 4.0, round(left) + 4.0)

    plan, body = plan_of(SeamConstraints(never_cut=(never,)))
    for option in plan.options:
        assert not any(never.song_from < time < never.song_to for seam in seams(option) for time in seam)
    assert reproduce(workspace, body, track=song).same

    plan, body = plan_of(SeamConstraints(forbidden=(used,)))
    assert all(line_pair(profile, used, "") not in lines_of(option, profile) for option in plan.options)
    assert reproduce(workspace, body, track=song).same

    ahead = NamedSplice(24.0, 58.0) if seconds < 200.0 else NamedSplice(92.0, 48.0)
    assert profile.splices.row_of(*line_pair(profile, ahead, "")) is None, "so bad that the profile lacks it"
    plan, body = plan_of(SeamConstraints(pinned=(ahead,)))
    assert all(line_pair(profile, ahead, "") in lines_of(option, profile) for option in plan.options)
    assert plan.seam_score < workspace.params.cover.min_seam_score
    assert reproduce(workspace, body, track=song).same


def test_what_contradicts_is_named(workspace: Workspace, song: Path) -> None:
    pin = (NamedSplice(92.0, 48.0),)
    sung = SeamConstraints(never_cut=(TrackRange(40.0, 60.0),), pinned=pin)
    refused = plan_track(workspace, song, 256.0, PlanRequest(sung, only_loop=True)).answer
    assert isinstance(refused, Refusal)
    assert [one.id for one in refused.constraints] == ["pinned 1:32-0:48", "never_cut 0:40-1:00"]
    others = SeamConstraints((TrackRange(3.0, 5.0),), (NamedSplice(20.0, 40.0),), pin)
    refused = plan_track(workspace, song, 30.0, PlanRequest(others, start_at=28.0)).answer
    assert isinstance(refused, Refusal)
    assert refused.hint == "start at 0:28 and pinned 1:32-0:48 cannot be kept together in 30 s."
    assert [one.id for one in refused.constraints] == ["start_at 0:28", "pinned 1:32-0:48"]


def test_a_splice_that_the_profile_lacks_is_measured_like_the_others(workspace: Workspace, song: Path) -> None:
    analysis = analyze(workspace, song)
    profile, lines = analysis.profile, analysis.profile.downbeats
    missing = NamedSplice(92.0, 48.0)
    more = with_pinned(workspace, song, analysis, SeamConstraints(pinned=(missing,))).profile
    assert more.splices.leave.size == profile.splices.leave.size + 1
    # One that the profile holds is measured the same way: left out and measured again, it is the same splice.
    row = 5
    rest = np.delete(np.arange(profile.splices.leave.size), row)
    held = NamedSplice(float(lines[profile.splices.leave[row]]), float(lines[profile.splices.enter[row]]))
    without = replace(analysis, profile=replace(profile, splices=profile.splices.rows(rest)))
    again = with_pinned(workspace, song, without, SeamConstraints(pinned=(held,))).profile.splices.rows(
        np.array([rest.size])
    )
    for name in ("song_to", "song_from", "score", "parts", "fade_seconds", "exponent", "level_step_db"):
        np.testing.assert_allclose(
            getattr(again, name)[0], getattr(profile.splices, name)[row], rtol=0, atol=1e-4, err_msg=name
        )
