"""Formats that plans and placements are exported in, for command line, documentation and dashboard.

Each module of a format has its `FORMAT`, and `workbench.extensions` names them in the order in which they are offered.
An external format is a `Format` too: registered, an entry point of `workbench.export_formats`, or `module:attribute`.
It then stands beside ours. `workbench.lab.extension_suites.ExportFormatSuite` tests it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from workbench.export.timeline import Timeline

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
    uses_catalog: bool = False
    """whether it includes what the catalog has of the track, where it is there"""
    extra: str = ""
    """the extra of pyproject.toml that its writer needs; empty: none"""
    holds_placements: bool = True
    """whether it can hold a track that is laid straight under a video, which has no loop and no seams"""
    tracks: frozenset[str] = frozenset()
    """suffixes of the tracks that the program imports; empty: all"""
    is_edit: bool = False
    """whether it is an edit whose files stay where they are, so that media can be written beside it"""
    holds_stems: bool = False
    """whether each stem of the track has a track of its own in it"""
    limits: str = ""
    """a sentence: what of the plan it cannot hold; empty: nothing audible"""


def caution(form: Format, track: Path | None) -> str:
    """A warning for the user of a file of this format, with the remedy: a sentence without its stop, or empty.

    `track` is the file that the export names, if it names one.
    """
    if track is None or not form.tracks or track.suffix.lower() in form.tracks:
        return ""
    program = form.title.removesuffix(" XML")
    return f"{program} does not import {track.suffix.lower()} files: export with the track as WAV"
