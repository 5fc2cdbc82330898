"""The picture of a plan that followed an edit: the old cut below, the new one above, and which music stayed where.

Each lane shows the sections that play, in their colours, with the seams. A ribbon goes from untouched picture of the
old cut up to its place in the new one: green where its music came along, grey where the music differs. A seam
that is less sure than those of a loop sticks out of its lane, with its score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.edits.difference import EditDifference
from workbench.params import CoverParams
from workbench.plans.conform import follow_picture, unsure_seams
from workbench.plans.plan import LoopPlan
from workbench.plots.labels import Labels
from workbench.plots.palette import ENDING, SEAM, SOFT_INK, new_figure, quiet, time_axis
from workbench.plots.plan import draw_blocks, name_blocks, played_blocks
from workbench.seams.profile import LoopProfile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NEW, _OLD, _THICK = 1.0, 0.0, 0.18
"""heights of the two lanes, and of each"""
_STICKS_OUT = 0.09


def conform_figure(
    old: LoopPlan,
    plan: LoopPlan,
    difference: EditDifference,
    profile: LoopProfile,
    params: CoverParams = CoverParams(),
) -> Figure:
    """Draw how a plan follows an edit.

    Parameters
    ----------
    old, plan : for the old and the new cut
    difference : of the two cuts
    profile : of the track, for its sections, bars and seam scores
    params : with the floor of seam scores
    """
    figure = new_figure(12.0, 4.2)
    axes = figure.subplots()
    labels = Labels(axes)
    _draw_ribbons(axes, old, plan, difference, profile)
    for each, foot in ((plan, _NEW), (old, _OLD - _THICK)):
        blocks = played_blocks(each, profile.sections)
        draw_blocks(axes, blocks, foot, _THICK)
        name_blocks(labels, blocks, foot + _THICK / 2)
        axes.vlines(each.seam_times, foot, foot + _THICK, color=SEAM, linewidth=1.6)
    unsure = unsure_seams(plan, old, profile, params)
    for seam in unsure:
        axes.vlines(seam.at, _NEW - _STICKS_OUT, _NEW + _THICK, color=SEAM, linewidth=2.4)
        axes.text(seam.at, _NEW - _STICKS_OUT, f" {seam.score:.2f}", color=SEAM, fontsize=8, va="bottom")
    for change in difference.changes:
        axes.annotate(
            f"{change.kind} {_signed(change.delta_seconds)} s",
            (change.at, _NEW + _THICK),
            (0.0, 6.0),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=SOFT_INK,
        )
    span = max(old.window_end, plan.window_end)
    axes.set_xlim(-0.002 * span, 1.002 * span)
    axes.set_ylim(_OLD - _THICK - 0.04, _NEW + _THICK + 0.22)
    axes.set_yticks([_OLD - _THICK / 2, _NEW + _THICK / 2], ["old cut", "new cut"])
    quiet(axes)
    time_axis(axes, span)
    legend = "time in the video; green: untouched picture with the same music, grey: with other music"
    axes.set_xlabel(f"{legend}; number: score of a seam less sure than a loop's" if unsure else legend, fontsize=9)
    return figure


def _signed(seconds: float) -> str:
    """To a tenth, or to a hundredth where a change is of some frames only."""
    return f"{seconds:+.1f}" if abs(seconds) >= 0.1 else f"{round(seconds, 2) + 0.0:+.2f}"


def _draw_ribbons(axes: Axes, old: LoopPlan, plan: LoopPlan, difference: EditDifference, profile: LoopProfile) -> None:
    from matplotlib.patches import Polygon

    half_bar = profile.usual_bar / 2
    for stretch in follow_picture(plan, old, difference, half_bar):
        middle = (stretch.first + stretch.last) / 2
        shift = next(span.shift for span in difference.shared if span.new_start <= middle <= span.new_end)
        corners = [
            (stretch.first - shift, _OLD),
            (stretch.last - shift, _OLD),
            (stretch.last, _NEW),
            (stretch.first, _NEW),
        ]
        colour, strength = (ENDING, 0.45) if stretch.kept else (SOFT_INK, 0.22)
        axes.add_patch(Polygon(corners, facecolor=colour, edgecolor="white", linewidth=0.6, alpha=strength))
