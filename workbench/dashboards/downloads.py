"""Downloads of a plan: the finished video and music, its JSON, as the command line prints it, and every format of
`workbench export`, with the comments and verdicts of reviewers as markers.
"""

from __future__ import annotations

import re
from pathlib import Path

from workbench.analysis.provenance import with_recorded_audio
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import listening_folder, plan_digest
from workbench.export.formats import Format, caution
from workbench.extensions import EXPORT_FORMATS, find
from workbench.plans.plan import LoopPlan
from workbench.render.remux import suffix_for
from workbench.render.video import VIDEO_SUFFIXES, render_audio, render_video
from workbench.review.comments import load_review, review_markers
from workbench.workflows.export import all_formats, export_plan
from workbench.workflows.plan import Planned, save_plan

_VIDEO = (
    "video",
    "Video",
    "The finished video: its picture as it is, its sound and the music at the levels of the mix.",
)
_MUSIC = ("music", "Music", "The finished music alone, as WAV.")
_PLAN = ("json", "Plan", "The plan as data, for workbench render and workbench export.")


def offered(loop: Planned | None) -> list[tuple[str, str, str]]:
    """The formats in which a plan can be downloaded."""
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return []
    track, repeats = loop.track.path, loop.answer.body is not None
    return [
        _PLAN,
        *([] if loop.video is None else [_VIDEO]),
        _MUSIC,
        *(
            (form.name, form.title, " ".join(filter(None, (form.what, form.limits, _caution(form, track)))))
            for form in all_formats().values()
            if repeats or form.holds_placements  # what repeats nothing is to an editor what a placement is
        ),
    ]


def _caution(form: Format, track: Path) -> str:
    warning = caution(form, track)
    return f"{warning[0].upper()}{warning[1:]}." if warning else ""


def what_is_taken(loop: Planned | None) -> str:
    """Which of a plan's options a download holds, in words."""
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return ""
    if len(loop.answer.options) < 2:
        return "Download the plan"
    return "Download option 1, the plan in use"


def download_file(workspace: Workspace, loop: Planned, format_name: str) -> Path:
    """Write a plan in a format, or what it sounds like, into a file that has the name of its track."""
    plan = loop.answer
    assert isinstance(plan, LoopPlan), "a refusal has nothing to take away"
    home = workspace.home
    folder = home.prepared(listening_folder(home) / "downloads" / plan_digest(plan))
    stem = re.sub(
        r"[^\w-]+", "-", (loop.track.record.title if loop.track.record is not None else None) or loop.track.path.stem
    )
    if format_name == _MUSIC[0]:
        return _finished(workspace, loop, plan, folder / f"{stem}.wav", None)
    if format_name == _VIDEO[0]:
        assert loop.video is not None, "is not offered without a video"
        suffix = loop.video.suffix.lower()
        out = folder / f"{stem}{suffix if suffix in VIDEO_SUFFIXES else suffix_for(loop.video)}"
        return _finished(workspace, loop, plan, out, loop.video)
    if format_name == _PLAN[0]:
        return save_plan(loop, folder / f"{stem}.plan.json")
    form: Format = find(EXPORT_FORMATS, format_name)
    # Two formats are tables; each has a file of its own.
    table = f".{format_name}" if form.suffix == ".csv" and format_name != "csv" else ""
    out = folder / f"{stem}{table}{form.suffix or '.loop' + loop.track.path.suffix}"
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


def _finished(workspace: Workspace, loop: Planned, plan: LoopPlan, out: Path, video: Path | None) -> Path:
    """The music of a plan, under its video where there is one, as the page plays it."""

    def rendering(done: float) -> None:
        workspace.progress(f"rendering {out.name}", done)

    recording, params = workspace.load_recording(loop.track.path), workspace.params.render
    if video is None:
        return render_audio(plan.alone, recording, out, params, progress=rendering)
    audio = with_recorded_audio(workspace, loop.provenance).audio
    return render_video(plan.alone, recording, video, out, loop.mix, params, audio=audio, progress=rendering)
