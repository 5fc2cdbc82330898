"""Read an edit from a file of an editing program, and compare two cuts that are given as files.

    .otio, .otioz, .otiod  OpenTimelineIO          `workbench.edits.otio`
    .fcpxml, .fcpxmld      Final Cut Pro, Resolve  `workbench.edits.fcpxml`
    .edl                   CMX 3600                `workbench.edits.edl`

What editing programs save themselves is refused with what to export from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from workbench.edits.difference import EditDifference, compare_edits
from workbench.edits.documents import document_of
from workbench.edits.edit_list import EditList
from workbench.edits.edl import read_edl
from workbench.edits.fcpxml import read_fcpxml
from workbench.edits.otio import read_otio
from workbench.edits.videos import compare_videos
from workbench.errors import EditError

# Suffixes of the files that are read as edit lists, in lower case
EDIT_LIST_SUFFIXES = (".otio", ".otioz", ".otiod", ".fcpxml", ".fcpxmld", ".edl")
_AVID = "in Media Composer choose Tools > List Tool and save an EDL (.edl)"
_PREMIERE = "in Premiere choose File > Export > OpenTimelineIO (.otio) or EDL (.edl)"
_RESOLVE = "in Resolve choose File > Export > Timeline (.otio, .fcpxml or .edl)"
_FINAL_CUT = "in Final Cut choose File > Export XML (.fcpxmld)"
# How to export a readable file, by the suffix of the projects that editing programs save
_OF_PROGRAMS = {
    ".aaf": f"{_AVID}, {_PREMIERE}, {_RESOLVE}",
    **dict.fromkeys((".avb", ".avp"), _AVID),
    ".prproj": _PREMIERE,
    **dict.fromkeys((".drp", ".drt", ".dra"), _RESOLVE),
    **dict.fromkeys((".fcpbundle", ".fcp"), _FINAL_CUT),
    ".xml": f"{_PREMIERE}, {_RESOLVE}",
    **dict.fromkeys((".veg", ".vf"), "in Vegas choose File > Export > Final Cut Pro X (.fcpxml)"),
    ".kdenlive": "in Kdenlive choose File > OpenTimelineIO Export (.otio)",
    ".mlt": "in Shotcut choose File > Export > EDL (.edl)",
    ".osp": "in OpenShot choose File > Export Project > EDL (.edl)",
}


def is_edit_list(path: Path) -> bool:
    """Whether a file, which need not exist, is an edit list by its suffix."""
    return path.suffix.lower() in EDIT_LIST_SUFFIXES


def read_edit_list(
    path: Path,
    frame_rate: Fraction | None = None,
    seconds: float | None = None,
    project: str | None = None,
    beside: Path | None = None,
) -> EditList:
    """Read the first video track of an edit: a file, or a bundle, with one of `EDIT_LIST_SUFFIXES`.

    An EDL seldom states its frame rate: `frame_rate` gives it, or `seconds`, the length of the edit, shows it, and
    `beside`, another cut of the same media, shows those of its sources. `project` names one of several in a file.
    Raises `EditError`, which names file and line, for a missing file, another format, several projects of which none
    has the name, or what cannot be read, and `ExtraMissing` for OTIO without the extra `export`.
    """
    path = Path(path)
    _check_program(path)
    if not is_edit_list(path):
        raise EditError(f"{path}: no edit list by its suffix; give {', '.join(EDIT_LIST_SUFFIXES)}")
    if not path.exists():
        raise EditError(f"{path}: no such file")
    if document_of(path).is_dir():
        raise EditError(f"{path}: a folder without Info.fcpxml or content.otio, so no bundle of an editing program")
    if path.suffix.lower().startswith(".otio"):
        return read_otio(path, project)
    if _is_edl(path):
        is_edl_beside = beside is not None and _is_edl(beside) and beside.exists()
        return read_edl(path, frame_rate, seconds, beside if is_edl_beside else None)
    return read_fcpxml(path, project)


def compare_files(
    old_path: Path,
    new_path: Path,
    old_seconds: float | None = None,
    frame_rate: Fraction | None = None,
    projects: Sequence[str] = (),
) -> EditDifference:
    """Find what changed between two cuts, given as two edit lists, in one format or two, or as two video files.

    `old_seconds`, as from a plan for the old cut, shows the frame rate of an EDL that does not state it. `projects`
    names the project in files that hold several; two names where it is another in the new one. Raises `EditError` where
    one is an edit list and the other is not, or one cannot be read or is an EDL of another frame rate, `MediaError`
    where a video cannot be read, and `ExtraMissing` for OTIO without the extra `export`.
    """
    old_path, new_path = Path(old_path), Path(new_path)
    for path in (old_path, new_path):
        _check_program(path)
    if is_edit_list(old_path) != is_edit_list(new_path):
        lists, video = (old_path, new_path) if is_edit_list(old_path) else (new_path, old_path)
        raise EditError(
            f"{lists.name} is an edit list and {video.name} is not; give two edit lists "
            f"({', '.join(EDIT_LIST_SUFFIXES)}) or two video files"
        )
    if not is_edit_list(old_path):
        return compare_videos(old_path, new_path)
    old_project, new_project = (projects[0], projects[-1]) if projects else (None, None)
    old = read_edit_list(old_path, frame_rate, old_seconds, old_project, new_path)
    new = read_edit_list(new_path, frame_rate or old.frame_rate, None, new_project, old_path)
    # Each list is read with the other beside it: the old one first, whose rate then stands for the new one too.
    possible = old.other_rates
    # The rate that the new cut states, or has room for, is that of the old one too.
    states_rate = not _is_edl(new_path) and _is_edl(old_path)
    if new.frame_rate in possible or (old_seconds is None and frame_rate is None and states_rate):
        old = read_edit_list(old_path, new.frame_rate, old_seconds, old_project, new_path)
    for path, edit in ((old_path, old), (new_path, new)):
        if frame_rate is not None and _is_edl(path) and edit.frame_rate != frame_rate:
            raise EditError(
                f"{path}: is not of {float(frame_rate):.6g} frames a second, but of {float(edit.frame_rate):.6g} by "
                "what it states or by the frames written in it"
            )
    difference = compare_edits(old, new)
    if not _is_edl(new_path) or (_in_whole_seconds(old) and _in_whole_seconds(new)):
        return difference
    return replace(difference, other_rates=tuple(rate for rate in possible if rate > new.frame_rate))


def _check_program(path: Path) -> None:
    """Refuse a project file of an editing program, and say what to export from that program."""
    suffix = path.suffix.lower()
    if suffix in _OF_PROGRAMS:
        what = "Final Cut Pro 7 XML, as Premiere exports it," if suffix == ".xml" else f"a {suffix} file"
        raise EditError(f"{path}: {what} is not read; {_OF_PROGRAMS[suffix]}; or give both cuts as videos")


def _in_whole_seconds(edit: EditList) -> bool:
    """Whether no frames are counted in it, so that its times are the same at any rate."""
    return all(time.denominator == 1 for clip in edit.clips for time in (clip.source_start, clip.start, clip.seconds))


def _is_edl(path: Path) -> bool:
    return path.suffix.lower() == ".edl"
