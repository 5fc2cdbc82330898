"""The seams of a plan in a row."""

from __future__ import annotations

from workbench.dashboards.chips import SeamChips, doubtful_of, worst_of
from workbench.workflows.plan import Planned


def test_the_worst_is_the_lowest_that_is_known() -> None:
    assert worst_of([]) is None
    assert worst_of([None, None]) is None
    assert worst_of([0.9, None, 0.4, 0.4]) == 2


def test_the_worst_is_a_warning_where_many_notice_it() -> None:
    assert doubtful_of([0.9, 0.74]) == 1
    assert doubtful_of([0.9, 0.75]) is None
    assert doubtful_of([None]) is None


def test_a_chip_for_each_seam_also_where_no_score_is_known(corner_loop: Planned) -> None:
    plan, chips = corner_loop.plan, SeamChips()
    count = len(plan.seam_times)
    chips.show_seams(plan, [], seam=1)
    assert chips.scores == [None] * count
    assert (chips.fades, chips.worst, chips.seam) == (list(plan.seam_fades), -1, 1)
    chips.show_seams(plan, [0.9] * (count - 1) + [0.3], verdicts=["good"] + [""] * (count - 1))
    assert (chips.worst, chips.warns, chips.verdicts[0]) == (count - 1, True, "good")
    chips.show_seams(plan, [0.9] * (count - 1) + [0.8])
    assert (chips.worst, chips.warns) == (count - 1, False)
    chips.show_seams(None, [])
    assert (chips.scores, chips.fades, chips.worst) == ([], [], -1)
