"""The formats that plans and placements are exported in: one table, for command line, documentation and dashboard.

An external format is a `Format` too, found as `workbench.extensions` says: registered, an entry point of
`workbench.export_formats`, or `module:attribute`. It then stands beside ours on the command line and on the page.
`workbench.testing.export_format.ExportFormatSuite` tests it.

Functions: `format_named`, `all_formats`, `caution`; the table `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from workbench.errors import ParameterError
from workbench.export.audacity import write_labels
from workbench.export.csv_tables import write_markers, write_seams
from workbench.export.edl import write_edl
from workbench.export.fcpxml import write_fcpxml
from workbench.export.jams import write_jams
from workbench.export.loop_tags import write_loop_tags
from workbench.export.otio import write_otio
from workbench.export.reaper import write_reaper
from workbench.export.timeline import Timeline
from workbench.export.xmeml import write_xmeml
from workbench.extensions import EXPORT_FORMATS, find, names

Writer: TypeAlias = Callable[[Timeline, Path], None]


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    name: str
    """by which it is chosen"""
    title: str
    """shown to users"""
    what: str
    """a sentence: content and purpose of the file"""
    suffix: str | None
    """usual ending of its files; None: that of the track"""
    write: Writer
    needs_track: bool = False
    """whether it names or copies the track"""
    uses_video: bool = False
    """whether it includes a video, where one is given"""
    uses_analysis: bool = False
    """whether it includes beats and sections of the track, where a track is given"""
    uses_grid: bool = False
    """whether it has the beats of the track at their video times, where a track is given"""
    extra: str = ""
    """the extra of pyproject.toml that its writer needs; empty: none"""
    holds_placements: bool = True
    """whether it can hold a track that is laid straight under a video, which has no loop and no seams"""
    tracks: frozenset[str] = frozenset()
    """suffixes of the tracks that the program imports; empty: all"""
    is_edit: bool = False
    """whether it is an edit whose files stay where they are, so that media can be written beside it"""
    limits: str = ""
    """a sentence: what of the plan it cannot hold; empty: nothing audible"""


_FINAL_CUT_TRACKS = frozenset({".aac", ".aif", ".aiff", ".caf", ".m4a", ".mp3", ".wav"})
"""Apple, "Supported media formats in Final Cut Pro": audio"""

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            "otio", "OpenTimelineIO", "Picture, soundtrack and music with crossfades and gains; Resolve and Premiere.",
            ".otio", write_otio, needs_track=True, uses_video=True, extra="export", is_edit=True,
            limits="Programs other than Resolve ignore the levels, and Resolve places clips on whole frames.",
        ),
        Format(
            "fcpxml", "Final Cut Pro XML", "Picture, soundtrack and music with its fades and levels, for Final Cut.",
            ".fcpxml", write_fcpxml, needs_track=True, uses_video=True, tracks=_FINAL_CUT_TRACKS, is_edit=True,
            limits="Clips lie on whole frames, and the fades at the ends follow Final Cut's S-curve.",
        ),
        Format(
            "xmeml", "Final Cut Pro 7 XML", "Picture, soundtrack and music with crossfades and levels; for Premiere.",
            ".xml", write_xmeml, needs_track=True, uses_video=True, is_edit=True,
            limits="Clips lie on whole frames, and a crossfade has the nearer of two curves: equal power or linear.",
        ),
        Format(
            "edl", "Edit decision list", "Picture and music as CMX 3600, which every editing program reads.",
            ".edl", write_edl, needs_track=True, uses_video=True, is_edit=True,
            limits="Clips lie on whole frames in edit and track, levels are comments, and the soundtrack is left out.",
        ),
        Format(
            "rpp", "REAPER project", "Video and music to the sample, with fades, levels and duck as envelopes.",
            ".rpp", write_reaper, needs_track=True, uses_video=True, uses_grid=True, is_edit=True,
        ),
        Format(
            "audacity", "Audacity labels", "Seams, sync points, bars, sections and speech, in the time of the video.",
            ".txt", write_labels, uses_analysis=True,
        ),
        Format(
            "jams", "JAMS", "Beats, sections and the plan, as annotations of the track.",
            ".jams", write_jams, needs_track=True, uses_analysis=True, extra="export",
        ),
        Format("csv", "Seams as a table", "Place, fade and levels of every seam, one a row.", ".csv", write_seams),
        Format(
            "markers", "Markers as a table", "Start, seams, end, comments and verdicts, one a row.", ".csv",
            write_markers, uses_video=True,
        ),
        Format(
            "loop-tags", "Track with loop points", "A copy of the track that game engines loop by themselves.",
            None, write_loop_tags, needs_track=True, holds_placements=False,
        ),
    )
}  # fmt: skip
"""Every format by its name, in the order in which they are offered."""


def format_named(name: str) -> Format:
    """Get a format by a key of `FORMATS`, or by the name of an external one, also as `module:attribute`.

    Raises `ParameterError` if there is none.
    """
    if name in FORMATS:
        return FORMATS[name]
    if ":" not in name and name not in names(EXPORT_FORMATS):
        raise ParameterError(f"there is no format {name}; known are {', '.join(all_formats())}")
    found = find(EXPORT_FORMATS, name)
    if not isinstance(found, Format):
        raise ParameterError(f"{name} is no export format: it needs to be a workbench.export.formats.Format")
    return found


def all_formats() -> dict[str, Format]:
    """Our formats, and those that others registered or installed, by their names.

    Raises `ParameterError` if one of the others cannot be loaded, or is no format.
    """
    return FORMATS | {name: format_named(name) for name in names(EXPORT_FORMATS) if name not in FORMATS}


def caution(form: Format, track: Path | None) -> str:
    """A warning for the user of a file of this format, with the remedy: a sentence without its stop, or empty.

    `track` is the file that the export names, if it names one.
    """
    if track is None or not form.tracks or track.suffix.lower() in form.tracks:
        return ""
    program = form.title.removesuffix(" XML")
    return f"{program} does not import {track.suffix.lower()} files: export with the track as WAV"
