"""Downloads of a plan: the finished video and music, every format of `workbench export`, with the comments and verdicts
of reviewers as markers, edits also packed with their media, and the plan's JSON, as the command line prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from workbench.analysis.provenance import with_recorded_audio
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import DOWNLOADS, listening_folder, make_room, plan_digest
from workbench.export.formats import Format, caution
from workbench.extensions import EXPORT_FORMATS, find
from workbench.plans.plan import LoopPlan
from workbench.render.remux import suffix_for
from workbench.render.video import VIDEO_SUFFIXES, Playback, render_audio, render_video
from workbench.review.comments import load_review, review_markers
from workbench.review.versions import find_version, thaw
from workbench.workflows.export import PACKED, all_formats, export_plan
from workbench.workflows.plan import Planned, save_plan

_VIDEO = (
    "video",
    "Video",
    "The finished video: its picture as it is, its sound and the music at the levels of the mix.",
)
_MIXED = (
    "mixed-music",
    "Music as in the mix",
    "Ducked, and at its level in the mix, as WAV to lay under the video.",
)
_MUSIC = ("music", "Music alone", "At its own level, without a mix, as WAV.")
_MOST_BYTES = 80
"""of the name of video or track in that of a file, which may have 255"""
_PREMIERE = "xmeml"
_PLAN = ("json", "Plan", "The plan as data, for workbench render and workbench export.")


def offered(loop: Planned | None) -> list[tuple[str, str, str]]:
    """Downloads of a plan: name, title and description; video and Premiere come first."""
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return []
    repeats = loop.answer.body is not None
    forms = sorted(all_formats().values(), key=lambda form: (form.name != _PREMIERE, not form.is_edit))
    found = [
        list(_rows(form, loop.track.path))
        for form in forms
        if repeats or form.holds_placements  # what repeats nothing is to an editor what a placement is
    ]
    return [
        *([] if loop.video is None else [_VIDEO]),
        *found[0],
        *([] if loop.mix is None else [_MIXED]),
        _MUSIC,
        *chain.from_iterable(found[1:]),
        _PLAN,
    ]


def _rows(form: Format, track: Path) -> Iterator[tuple[str, str, str]]:
    warning = caution(form, track)
    said = f"{warning[0].upper()}{warning[1:]}." if warning else ""
    yield form.name, form.title, " ".join(filter(None, (form.what, form.limits, said)))
    if form.is_edit:
        yield f"{form.name}{PACKED}", f"{form.title}, with its media", "The edit and all files that it names, as a zip."


def is_another(loop: Planned | None, option: int) -> bool:
    """Whether an option, counted from 0, is one of a plan and not the one in use, which alone is downloaded."""
    return loop is not None and option + 1 in loop.option_numbers[1:]


def download_label(loop: Planned | None, option: int) -> str:
    """Label of the download button: which option it downloads, or what to do first while another one plays."""
    if loop is None or not isinstance(loop.answer, LoopPlan):
        return ""
    if is_another(loop, option):
        return f"Option {option + 1} plays: use it to download it"
    if len(loop.answer.options) < 2:
        return "Download the plan"
    return f"Download option {loop.option_numbers[0]}, the plan in use"


def download_file(workspace: Workspace, loop: Planned, format_name: str) -> Path:
    """Write a plan in a format of `offered`; the file is named by video, track, version and option."""
    plan = loop.answer
    assert isinstance(plan, LoopPlan), "a refusal has nothing to take away"
    home = workspace.home
    make_room(listening_folder(home))
    folder = home.prepared(listening_folder(home) / DOWNLOADS / plan_digest(plan))
    stem = _stem(workspace, loop)
    if format_name in (_MIXED[0], _MUSIC[0]):
        return _finished(workspace, loop, plan, folder / f"{stem}-{format_name}.wav", None, format_name == _MIXED[0])
    if format_name == _VIDEO[0]:
        assert loop.video is not None, "is not offered without a video"
        suffix = loop.video.suffix.lower()
        out = folder / f"{stem}{suffix if suffix in VIDEO_SUFFIXES else suffix_for(loop.video)}"
        return _finished(workspace, loop, plan, out, loop.video)
    if format_name == _PLAN[0]:
        return save_plan(loop, folder / f"{stem}.plan.json")
    format_name, is_packed = format_name.removesuffix(PACKED), format_name.endswith(PACKED)
    form: Format = find(EXPORT_FORMATS, format_name)
    if is_packed:
        out = folder / f"{stem}-{format_name}{PACKED}"
    else:
        # several formats are tables or text, and each has a file of its own
        named = f".{format_name}" if form.suffix in (".csv", ".txt") and form.suffix != f".{format_name}" else ""
        out = folder / f"{stem}{named}{form.suffix or '.loop' + loop.track.path.suffix}"
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
        record=loop.track.record,
    )
    return out


def _stem(workspace: Workspace, loop: Planned) -> str:
    """Video, track, version and option; a plan that was not frozen is a draft."""
    frozen = find_version(workspace, loop)
    version = "draft" if frozen is None else f"v{thaw(workspace, frozen.version_id).number}"
    named = [loop.track.title]
    if loop.video is not None:
        named.insert(0, loop.video.stem)
    short = [re.sub(r"[^\w-]+", "-", name).encode()[:_MOST_BYTES].decode(errors="ignore") for name in named]
    return "-".join((*short, version, f"option-{loop.option_numbers[0]}"))


def _finished(
    workspace: Workspace, loop: Planned, plan: LoopPlan, out: Path, video: Path | None, mixed: bool = True
) -> Path:
    """The music of a plan, under its video where there is one, as the page plays it."""

    def rendering(done: float) -> None:
        workspace.progress(f"rendering {out.name}", done)

    recording, params = workspace.load_recording(loop.track.path), workspace.params.render
    if video is None:
        playback = Playback(plan.alone, recording, loop.mix if mixed else None)
        return render_audio(playback, out, params, limit=mixed, progress=rendering)
    audio = with_recorded_audio(workspace, loop.provenance).audio
    return render_video(Playback(plan.alone, recording, loop.mix, audio=audio), video, out, params, progress=rendering)
