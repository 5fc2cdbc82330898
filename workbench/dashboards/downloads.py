"""Downloads of a plan: its JSON, as the command line prints it, and every format of `workbench export`, with the
comments and verdicts of reviewers as markers.

Functions: `offered`, the formats for a plan; `what_is_taken`, the option that they hold; `download_file`.
"""

from __future__ import annotations

import re
from pathlib import Path

from workbench.audition.plans import listening_folder, plan_digest
from workbench.export.formats import Format, all_formats, caution, format_named
from workbench.loops.plan import LoopPlan
from workbench.workflows.comments import load_review, review_markers
from workbench.workflows.export import export_plan
from workbench.workflows.loop import Loop, save_plan
from workbench.workspace import Workspace

_PLAN = ("json", "Plan", "The plan as data, for workbench render and workbench export.")


def offered(loop: Loop | None) -> list[tuple[str, str, str]]:
    """The formats in which a plan can be downloaded.

    Parameters
    ----------
    loop : None: nothing is open

    Returns
    -------
    list : name, title and a sentence of each format; empty where there is no plan
    """
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return []
    track, repeats = loop.track.path, loop.answer.body is not None
    return [
        _PLAN,
        *(
            (form.name, form.title, " ".join(filter(None, (form.what, form.limits, _caution(form, track)))))
            for form in all_formats().values()
            if repeats or form.holds_placements  # what repeats nothing is to an editor what a placement is
        ),
    ]


def _caution(form: Format, track: Path) -> str:
    warning = caution(form, track)
    return f"{warning[0].upper()}{warning[1:]}." if warning else ""


def what_is_taken(loop: Loop | None) -> str:
    """Which of a plan's options a download holds, in words.

    Parameters
    ----------
    loop : None: nothing is open

    Returns
    -------
    str : empty where there is no plan
    """
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return ""
    if len(loop.answer.options) < 2:
        return "Download the plan"
    return "Download option 1, the plan in use"


def download_file(workspace: Workspace, loop: Loop, format_name: str) -> Path:
    """Write a plan in a format, into a file that has the name of its track.

    Parameters
    ----------
    workspace : below whose home the file is written
    loop : with a plan
    format_name : one of `offered`

    Returns
    -------
    Path : of the file

    Raises
    ------
    WorkbenchError : the format cannot hold the plan, or the home folder cannot be written to
    """
    plan = loop.answer
    assert isinstance(plan, LoopPlan), "a refusal has nothing to take away"
    home = workspace.home
    folder = home.prepared(listening_folder(home) / "downloads" / plan_digest(plan))
    stem = re.sub(
        r"[^\w-]+", "-", (loop.track.record.title if loop.track.record is not None else None) or loop.track.path.stem
    )
    if format_name == _PLAN[0]:
        return save_plan(loop, folder / f"{stem}.plan.json")
    form = format_named(format_name)
    out = folder / f"{stem}{form.suffix or '.loop' + loop.track.path.suffix}"
    export_plan(
        workspace,
        plan.alone,
        format_name,
        out,
        track=loop.track.path,
        video=loop.video,
        mix=loop.mix,
        provenance=loop.provenance,
        reviews=review_markers(plan.alone, load_review(workspace, loop)),
    )
    return out
