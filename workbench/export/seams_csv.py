"""Seams as a table: one row a seam, in the order of the video, for spreadsheets and scripts.

Times are the plan's own, to the microsecond; with a track further columns give the same places in samples, as they are
rendered. Levels are those on either side of the seam, without crossfade and mix.

Function: `write_seams`.
"""

from __future__ import annotations

import csv
from io import StringIO
from itertools import pairwise
from pathlib import Path

from workbench.export.timeline import Timeline
from workbench.files import write_text

COLUMNS = (
    "seam", "video_s", "leaves_song_s", "enters_song_s", "fade_s", "exponent", "fade_from_video_s", "fade_to_video_s",
    "leaves_db", "enters_db",
)  # fmt: skip
SAMPLE_COLUMNS = ("sample_rate_hz", "video_sample", "leaves_song_sample", "enters_song_sample")
"""Added where a track is given."""


def write_seams(timeline: Timeline, out: Path) -> None:
    """Write the table.

    Parameters
    ----------
    timeline : the plan; columns in samples need its track
    out : the file to write, replaced where it exists

    Raises
    ------
    MediaError : the file cannot be written
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS + (SAMPLE_COLUMNS if timeline.track else ()))
    plan = timeline.plan
    for k, (before, after) in enumerate(pairwise(timeline.items)):
        seam, fade = plan.seam_times[k], plan.seam_fades[k]
        times = (seam, before.song_to, after.song_from, fade)
        around = (seam - fade / 2.0, seam + fade / 2.0)
        row = [
            str(k + 1),
            *(f"{time:.6f}" for time in times),
            f"{plan.seam_curves[k]:g}",
            *(f"{time:.6f}" for time in around),
            f"{before.gain_db:.4f}",
            f"{after.gain_in_db:.4f}",
        ]
        if timeline.track:
            places = (after.placed, after.placed + before.song_offset, after.placed + after.song_offset)
            row += [str(timeline.rate), *(str(place) for place in places)]
        writer.writerow(row)
    write_text(out, text.getvalue())
