"""Audacity labels: a text file, one label a line, start and end in seconds, a tab between.

Times are those of the rendered music, video time: import the render and the labels, and they line up. Bars and sections
are the track's own, moved to the video time at which each segment plays them; a section that is cut by a seam has one
label for each part that is played. Audacity shows all labels in one label track, so each text names its kind.

Limit: six decimals, a microsecond; Audacity itself snaps to samples of its project.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workbench.export.files import plain_name
from workbench.export.formats import Format
from workbench.export.timeline import Item, Notes, Timeline
from workbench.files import write_text


class Label(NamedTuple):
    """One line."""

    start: float
    end: float
    text: str


def write_labels(timeline: Timeline, out: Path) -> None:
    """Write seams, segments and speech, and with the notes of an analysis bars and sections."""
    lines = [f"{start:.6f}\t{end:.6f}\t{plain_name(text)}\n" for start, end, text in sorted(_labels(timeline))]
    write_text(out, "".join(lines))


def _labels(timeline: Timeline) -> Iterator[Label]:
    plan, ends = timeline.plan, timeline.ends
    if plan is not None:
        for k, seam in enumerate(plan.seam_times):
            half = plan.seam_fades[k] / 2.0
            yield Label(seam - half, seam + half, f"seam {k + 1}")
    for item in timeline.items:
        yield Label(item.begins, item.ends, f"segment {item.number} ({item.song_from:.3f}-{item.song_to:.3f} s)")
    yield Label(ends.music_end, ends.music_end, f"music end: {ends.end_label}")
    for marker in (*timeline.sync_points, *timeline.reviews):
        yield Label(marker.video_s, marker.video_s, marker.text)
    for start, end in timeline.balance.speech:
        yield Label(start, end, "speech")
    if timeline.notes is not None:
        for item in timeline.items:
            yield from _bars(item, timeline.notes)
            yield from _sections(item, timeline.notes)


def _bars(item: Item, notes: Notes) -> Iterator[Label]:
    """Bars that begin within the item; each ends where the next begins, or where the item ends."""
    starts = [(time, bar + 1) for bar, time in enumerate(time for time, place in notes.beats if place == 1)]
    # A splice may lie up to 10 ms off its bar line.
    inside = [(time, bar) for time, bar in starts if item.song_from - 0.010 <= time < item.song_to - 0.010]
    ends = [time for time, _ in inside[1:]] + [item.song_to]
    for (time, bar), end in zip(inside, ends, strict=True):
        yield Label(_played_at(item, time), _played_at(item, end), f"bar {bar}")


def _sections(item: Item, notes: Notes) -> Iterator[Label]:
    for start, end, name in notes.sections:
        if min(end, item.song_to) - max(start, item.song_from) > 0.010:
            yield Label(_played_at(item, start), _played_at(item, end), f"section {name}")


def _played_at(item: Item, track_s: float) -> float:
    """Video time at which an item plays a place of the track, clipped to the item."""
    return item.begins + min(max(track_s, item.song_from), item.song_to) - item.song_from


FORMAT = Format(
    "audacity",
    "Audacity labels",
    "Seams, sync points, bars, sections and speech, in the time of the video.",
    ".txt",
    write_labels,
    uses_analysis=True,
)
