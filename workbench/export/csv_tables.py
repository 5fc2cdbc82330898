"""Seams and markers as tables for spreadsheets and scripts: one row each, in the order of the video.

Times are the plan's own, to the microsecond. In the table of seams further columns give, with a track, the same places
in samples, as they are rendered; levels are those on either side of the seam, without crossfade and mix. A placement
has no seams: its table has one row, with the stretch of the track that plays and where.

Markers are start, seams, sync points and end of the music and, if asked for, the comments and verdicts of reviewers.
Their `timecode` counts whole frames of the edit from 0, drop-frame at 29.97 and 59.94 as in the EDL and the xmeml of
the same plan, and like theirs never comes after the last frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from pathlib import Path

from workbench.export.cut_list import format_timecode, is_drop_frame
from workbench.export.formats import Format
from workbench.export.timeline import MARKER_COLOURS, Timeline
from workbench.files import write_rows, write_text
from workbench.plans.plan import LoopPlan

COLUMNS = (
    "seam", "video_s", "leaves_song_s", "enters_song_s", "fade_s", "exponent", "fade_from_video_s", "fade_to_video_s",
    "leaves_db", "enters_db",
)  # fmt: skip
# Columns that a given track adds
SAMPLE_COLUMNS = ("sample_rate_hz", "video_sample", "leaves_song_sample", "enters_song_sample")
# Columns of the table of a placement
PLACED_COLUMNS = ("music_in_video_s", "music_end_video_s", "song_from_s", "song_to_s", "start_fade_s", "end_fade_s")
PLACED_SAMPLE_COLUMNS = ("sample_rate_hz", "first_video_sample", "stop_video_sample", "first_song_sample")


def write_seams(timeline: Timeline, out: Path) -> None:
    """Write the table of a plan or a placement; columns in samples need its track."""
    columns: tuple[str, ...]
    if timeline.plan is None:
        columns, in_samples, rows = PLACED_COLUMNS, PLACED_SAMPLE_COLUMNS, [_placed_row(timeline)]
    else:
        columns, in_samples, rows = COLUMNS, SAMPLE_COLUMNS, list(_seam_rows(timeline, timeline.plan))
    text = StringIO()
    write_rows(text, columns + in_samples if timeline.track else columns, rows)
    write_text(out, text.getvalue())


def _placed_row(timeline: Timeline) -> list[object]:
    item, ends = timeline.items[0], timeline.ends
    times = (item.begins, item.ends, item.song_from, item.song_to, ends.start_fade_seconds, ends.end_fade_seconds)
    samples = (timeline.rate, item.first, item.stop, item.first + item.song_offset)
    return [*(f"{time:.6f}" for time in times), *(samples if timeline.track else ())]


def _seam_rows(timeline: Timeline, plan: LoopPlan) -> Iterator[list[object]]:
    for k, (before, after) in enumerate(pairwise(timeline.items)):
        seam, fade = plan.seam_times[k], plan.seam_fades[k]
        times = (seam, before.song_to, after.song_from, fade)
        around = (seam - fade / 2.0, seam + fade / 2.0)
        row: list[object] = [
            k + 1,
            *(f"{time:.6f}" for time in times),
            f"{plan.seam_curves[k]:g}",
            *(f"{time:.6f}" for time in around),
            f"{before.gain_db:.4f}",
            f"{after.gain_in_db:.4f}",
        ]
        if timeline.track:
            places = (after.placed, after.placed + before.song_offset, after.placed + after.song_offset)
            row += [timeline.rate, *places]
        yield row


MARKER_COLUMNS = ("marker", "video_s", "frame", "timecode", "kind", "colour", "text")


def write_markers(timeline: Timeline, out: Path) -> None:
    """Write the table of a plan or a placement, with the markers of its reviews."""
    rows, rate = [], timeline.frame_rate
    for number, marker in enumerate(timeline.markers, start=1):
        frame = timeline.marker_frame(marker)
        timecode = format_timecode(frame, max(1, round(rate)), drops=is_drop_frame(rate))
        row = (number, f"{marker.video_s:.6f}", frame, timecode)
        rows.append((*row, marker.kind.value, MARKER_COLOURS[marker.kind], marker.text))
    text = StringIO()
    write_rows(text, MARKER_COLUMNS, rows)
    write_text(out, text.getvalue())


SEAMS = Format("csv", "Seams as a table", "Place, fade and levels of every seam, one a row.", ".csv", write_seams)
MARKERS = Format(
    "markers",
    "Markers as a table",
    "Start, seams, end, comments and verdicts, one a row.",
    ".csv",
    write_markers,
    uses_video=True,
)
