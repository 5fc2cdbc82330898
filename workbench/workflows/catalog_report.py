"""The table of the catalog report: every track under one length of video, a row each, refused ones with the reason.

Functions: `loops_table`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plots.palette import clock
from workbench.workflows.plan import Planned

HEAD = (
    "track", "length", "bpm", "beats to the bar", "confidence", "seams", "worst seam", "plan score",
    "ending, or why there is no loop",
)  # fmt: skip


def loops_table(loops: Sequence[Planned], reports: Sequence[tuple[str, str]]) -> str:
    """An HTML table with a row for each loop, with all text escaped.

    `reports` holds for each loop the address of its own report, empty without one, and the reason why there is none.
    """
    rows = ["".join(f"<th style='text-align: left'>{name}</th>" for name in HEAD)]
    for loop, (link, fault) in zip(loops, reports, strict=True):
        cells = [_title(loop, link, fault), *(escape(cell) for cell in (*_of_track(loop), *_of_answer(loop.answer)))]
        rows.append("".join(f"<td style='text-align: left'>{cell}</td>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _title(loop: Planned, link: str, fault: str) -> str:
    track = loop.track.record
    title = track.title if track is not None and track.title else loop.track.path.stem
    return f'<a href="{escape(link)}">{escape(title)}</a>' if link else escape(f"{title} {fault}".strip())


def _of_track(loop: Planned) -> tuple[str, str, str, str]:
    """Length, tempo, metre and confidence; empty where the track was not analysed."""
    if loop.analysis is None:
        return "", "", "", ""
    grid = loop.analysis.grid
    return clock(loop.analysis.duration), f"{grid.tempo_bpm:.0f}", str(grid.beats_per_bar), f"{grid.confidence:.2f}"


def _of_answer(answer: LoopPlan | Refusal) -> tuple[str, str, str, str]:
    """Seams, worst seam, plan score and ending; of a refusal, the reason alone."""
    if isinstance(answer, Refusal):
        return "", "", "", f"{answer.reason}: {answer.hint}"
    return str(len(answer.seam_times)), f"{answer.seam_score:.2f}", f"{answer.plan_score:.2f}", answer.end_label
