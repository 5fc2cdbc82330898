"""Markers as a table: one row a marker, in the order of the video, for spreadsheets, scripts and editors.

Start, seams, sync points and end of the music, and where they were asked for the comments and verdicts of reviewers.
`timecode` counts whole frames of the edit from 0, drop-frame at 29.97 and 59.94 as in the EDL and the xmeml of the same
plan, and like theirs never comes after the last frame; `video_s` is exact to the microsecond.

Function: `write_markers`.
"""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

from workbench.export.cut_list import format_timecode, is_drop_frame
from workbench.export.timeline import MARKER_COLOURS, Timeline
from workbench.files import write_text

COLUMNS = ("marker", "video_s", "frame", "timecode", "kind", "colour", "text")


def write_markers(timeline: Timeline, out: Path) -> None:
    """Write the table of a plan or a placement, with the markers of its reviews."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    rate = timeline.frame_rate
    for number, marker in enumerate(timeline.markers, start=1):
        frame = timeline.marker_frame(marker)
        timecode = format_timecode(frame, max(1, round(rate)), drops=is_drop_frame(rate))
        row = (number, f"{marker.video_s:.6f}", frame, timecode)
        writer.writerow((*row, marker.kind.value, MARKER_COLOURS[marker.kind], marker.text))
    write_text(out, text.getvalue())
