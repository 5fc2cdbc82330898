"""The picture of a plan that followed an edit shows both cuts, the seams of both and what kept its music."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from tests.workbench.plans.fitted import Fit
from workbench.analysis.workspace import Workspace
from workbench.edits.difference import EditChange, EditDifference, KeptSpan
from workbench.files import bundled_path
from workbench.plans.conform import conform_plan, unsure_seams
from workbench.plans.plan import LoopPlan
from workbench.plots.conform import conform_figure
from workbench.plots.palette import ENDING
from workbench.store.home import Home
from workbench.workflows.plan import loop_track


def test_both_cuts_and_what_stayed(style: str, home: Home, check_legible: Callable[[Figure], None]) -> None:
    track = Path(bundled_path("data", "bundled", "music", "hill_road.ogg"))
    loop = loop_track(Workspace(home), track, 300.0)
    assert isinstance(loop.answer, LoopPlan)
    assert loop.analysis is not None
    kept = (KeptSpan(0.0, 0.0, 90.0), KeptSpan(93.0, 90.0, 207.0))
    difference = EditDifference(300.0, 297.0, kept, (EditChange(90.0, 90.0, -3.0, "trim"),), 0.04)
    old = loop.answer.alone
    new = conform_plan(loop.analysis.profile, old, difference)
    assert isinstance(new, LoopPlan)
    figure = conform_figure(old, new, difference, loop.analysis.profile)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["old cut", "new cut"]
    assert any("trim -3.0 s" in text.get_text() for text in axes.texts)
    frame = replace(difference, changes=(EditChange(90.0, 90.0, -0.033, "trim"),))
    labels = [text.get_text() for text in conform_figure(old, new, frame, loop.analysis.profile).axes[0].texts]
    assert "trim -0.03 s" in labels
    ribbons = [patch for patch in axes.patches if isinstance(patch, Polygon)]
    green = [patch for patch in ribbons if patch.get_facecolor()[:3] == to_rgb(ENDING)]
    assert min(float(patch.get_xy()[:, 0].min()) for patch in green) == old.music_in
    assert not [text for text in axes.texts if text.get_text().strip().startswith("0.")]
    check_legible(figure)
    # The own ending asks for seams that are less sure than those of a loop: each is shown with its score.
    old = Fit(100.0).plan(loop.analysis.profile).alone
    kept = (KeptSpan(0.0, 0.0, 68.0), KeptSpan(70.0, 68.0, 30.0))
    difference = EditDifference(100.0, 98.0, kept, (EditChange(68.0, 68.0, -2.0, "trim"),), 0.04)
    new = conform_plan(loop.analysis.profile, old, difference)
    assert isinstance(new, LoopPlan)
    figure = conform_figure(old, new, difference, loop.analysis.profile)
    scores = [text.get_text().strip() for text in figure.axes[0].texts if text.get_text().strip().startswith("0.")]
    assert scores == [f"{seam.score:.2f}" for seam in unsure_seams(new, old, loop.analysis.profile)]
    assert scores
    check_legible(figure)
