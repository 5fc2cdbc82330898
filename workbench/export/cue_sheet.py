"""Cue sheets and credits: what music plays from when to when, whose it is, and how it may be used.

A cue is a stretch through which the music plays: seams do not part it, and where it is silent for the video's own music
it ends and another begins. The columns are those that collecting societies ask for (ASCAP, BMI, PRS for Music: title,
writers, publishers, usage, duration) and broadcasters add (ISRC, time in and out as timecode of the edit from 0). Usage
is background music, the only one there is here: instrumental or vocal as the catalog says or was measured.

Titles and credits are those of the catalog; of a file that is in none, title and artist in its tags, or its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import groupby
from pathlib import Path

from workbench.catalog.track import CREDITS, Track
from workbench.export.cut_list import format_timecode, is_drop_frame
from workbench.export.files import plain_name
from workbench.export.formats import Format
from workbench.export.timeline import Timeline
from workbench.files import write_rows, write_text
from workbench.params.mix import DEEPEST_DUCK_DB
from workbench.recording import VideoSeconds

COLUMNS = (
    "cue", "title", "artist", "composer", "publisher", "isrc", "usage", "time_in", "time_out", "duration", "licence",
    "source_url", "credit",
)  # fmt: skip
_USAGES = {True: "background instrumental", False: "background vocal", None: "background"}


def write_cues(timeline: Timeline, out: Path) -> None:
    """Write the table of a plan or a placement."""
    record, rate, rows = _record(timeline), timeline.frame_rate, []
    writers = (record.artist_name, record.composer, record.publisher, record.isrc, _USAGES[record.instrumental])
    for number, (begins, ends) in enumerate(_cues(timeline), start=1):
        codes = [
            format_timecode(round(at * rate), max(1, round(rate)), drops=is_drop_frame(rate)) for at in (begins, ends)
        ]
        times = (*codes, _clock(max(1.0, ends - begins)))
        row = (number, record.called, *writers, *times, record.licence or "not known", record.source_url, record.credit)
        rows.append(["" if cell is None else _text(str(cell)) for cell in row])
    text = StringIO()
    write_rows(text, COLUMNS, rows)
    write_text(out, f"\ufeff{text.getvalue()}")  # without the mark Excel reads the letters of another alphabet


def write_credits(timeline: Timeline, out: Path) -> None:
    """Write the credits of a plan or a placement as text."""
    record = _record(timeline)
    by = "artist_name" if record.artist_name else "composer"
    said = {"attribution"} if record.attribution else {by, "source_url", "licence"}
    known = record.credits if record.licence else {"licence": "not known", **record.credits}
    lines = [f"{CREDITS[name]}: {value}" for name, value in known.items() if name not in said & record.credits.keys()]
    played = ", ".join(f"{_clock(begins)} to {_clock(ends)}" for begins, ends in _cues(timeline))
    plays = f"Plays from {played}" if played else "Silent throughout"
    write_text(out, "\n".join(["Music", "", record.credit, *lines, plays, ""]))


def _record(timeline: Timeline) -> Track:
    """What the catalog has of the track; of a file that is in none, its name."""
    assert timeline.track is not None, "the format needs a track"
    return timeline.record or Track("track", timeline.track.path, "")


def _cues(timeline: Timeline) -> Iterator[tuple[VideoSeconds, VideoSeconds]]:
    """Where the music begins and ends: all of it, less where its envelope takes it away."""
    begins, ends = timeline.items[0].begins, float(timeline.seconds(timeline.items[-1].stop))
    points = [(float(time), float(depth)) for time, depth in timeline.balance.duck]
    for is_silent, run in groupby(points, key=lambda point: point[1] > DEEPEST_DUCK_DB):
        times = [time for time, _ in run]
        if is_silent and times[0] < ends and times[-1] > begins:
            if times[0] > begins and times[0] > points[0][0]:
                yield begins, times[0]
            begins = times[-1] if times[-1] < points[-1][0] else ends
    if begins < ends:
        yield begins, ends


def _text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = plain_name(cell)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


CUE_SHEET = Format(
    "cue-sheet",
    "Cue sheet",
    "What plays from when to when, for broadcasters and collecting societies, one cue a row.",
    ".csv",
    write_cues,
    needs_track=True,
    uses_video=True,
    uses_catalog=True,
    limits="Title, makers and licence come from the catalog; of another file its tags name title and artist.",
)
CREDITS_TEXT = Format(
    "credits",
    "Credits",
    "Whose the music is and under which licence, as text for a video's description or its end titles.",
    ".txt",
    write_credits,
    needs_track=True,
    uses_catalog=True,
)
