"""The formats that a plan can be exported in: one table, for the command line, the documentation and the dashboard.

Functions: `format_named`, `caution`; the table `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from workbench.errors import ParameterError
from workbench.export.audacity import write_labels
from workbench.export.fcpxml import write_fcpxml
from workbench.export.jams import write_jams
from workbench.export.loop_tags import write_loop_tags
from workbench.export.otio import write_otio
from workbench.export.reaper import write_reaper
from workbench.export.seams_csv import write_seams
from workbench.export.timeline import Timeline

Writer: TypeAlias = Callable[[Timeline, Path], None]


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    name: str
    """as `--format` takes it"""
    title: str
    """as a person calls it"""
    what: str
    """a sentence: what is in the file and what it is for"""
    suffix: str | None
    """usual ending of its files; None: that of the track"""
    write: Writer
    needs_track: bool = False
    """whether it names or copies the track"""
    uses_video: bool = False
    """whether a video, where it is given, is in it"""
    uses_analysis: bool = False
    """whether it tells beats and sections of the track, where a track is given"""
    uses_grid: bool = False
    """whether it draws the beats of the track where they are heard, where a track is given"""
    extra: str = ""
    """the extra of pyproject.toml that its writer needs; empty: none"""
    tracks: frozenset[str] = frozenset()
    """endings of the tracks that the program it is for imports; empty: all that there are"""


_FINAL_CUT_TRACKS = frozenset({".aac", ".aif", ".aiff", ".caf", ".m4a", ".mp3", ".wav"})
"""Apple, "Supported media formats in Final Cut Pro": audio"""

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            "otio", "OpenTimelineIO", "Picture, soundtrack and music with crossfades and gains; Resolve and Premiere.",
            ".otio", write_otio, needs_track=True, uses_video=True, extra="export",
        ),
        Format(
            "fcpxml", "Final Cut Pro XML", "Picture, soundtrack and music with every gain as keyframes, for Final Cut.",
            ".fcpxml", write_fcpxml, needs_track=True, uses_video=True, tracks=_FINAL_CUT_TRACKS,
        ),
        Format(
            "rpp", "REAPER project", "Video and music to the sample, with fades, levels and duck as envelopes.",
            ".rpp", write_reaper, needs_track=True, uses_video=True, uses_grid=True,
        ),
        Format(
            "audacity", "Audacity labels", "Seams, segments, bars, sections and speech, in the time of the video.",
            ".txt", write_labels, uses_analysis=True,
        ),
        Format(
            "jams", "JAMS", "Beats, sections and the plan, as annotations of the track.",
            ".jams", write_jams, needs_track=True, uses_analysis=True, extra="export",
        ),
        Format("csv", "Seams as a table", "Place, fade and levels of every seam, one a row.", ".csv", write_seams),
        Format(
            "loop-tags", "Track with loop points", "A copy of the track that game engines loop by themselves.",
            None, write_loop_tags, needs_track=True,
        ),
    )
}  # fmt: skip
"""Every format by its name, in the order in which they are offered."""


def format_named(name: str) -> Format:
    """The format of a name.

    Raises
    ------
    ParameterError : there is none
    """
    if name not in FORMATS:
        raise ParameterError(f"there is no format {name}; known are {', '.join(FORMATS)}")
    return FORMATS[name]


def caution(form: Format, track: Path | None) -> str:
    """What to know before a file of this format is opened, with what to do; empty where there is nothing.

    Parameters
    ----------
    track : that the file names; None for none
    """
    if track is None or not form.tracks or track.suffix.lower() in form.tracks:
        return ""
    program = form.title.removesuffix(" XML")
    return f"{program} does not import {track.suffix.lower()} files: export with the track as WAV"
