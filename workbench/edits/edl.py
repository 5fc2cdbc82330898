"""Read an edit from a CMX 3600 edit decision list: its video events, in the order of their record times.

    001  REEL     V     C        00:00:10:00 00:00:15:00 01:00:00:00 01:00:05:00
    002  REEL     V     C        00:00:15:00 00:00:15:00 01:00:05:00 01:00:05:00
    002  OTHER    V     D    024 00:00:02:00 00:00:06:00 01:00:05:00 01:00:09:00
    M2   OTHER         050.0     00:00:02:00
    * FROM CLIP NAME: one.mov
    * TO CLIP NAME: two.mov

A line is event, reel, channels, transition, and four time codes: source in and out, record in and out. Dissolves (D)
and wipes (W) last as many frames as stand behind them and begin at record in. M2 states a speed in frames a second;
one that is not stated follows from the lengths. In a line with a semicolon in some time code, those that have one are
drop frame; for other lines the last line `FCM:` says so. Black (`BL`) is a gap, and so is record time without an event.

A clip's media is the address that a comment gives (`FROM CLIP`, `FROM FILE`, `SOURCE FILE`), else the name in one
(`FROM CLIP NAME`, `TO CLIP NAME`), else its reel.

The format does not state its frame rate. It is, in this order: that of drop frame, 30000/1001; what a comment states
(`FPS: 25`); what the caller says; that of 24, 25, 30, 50 and 60 which has room for the frames written and at which most
sources last as long as their records, or its thousandth less where the edit then has the length that the caller says;
the lowest of those left, which is a guess: `EditList.other_rates` has the others. Nor does it state where the edit
begins: that is the first event, or the full hour before it where that is less than a minute earlier or gives the length
that the caller says.

Function: `read_edl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from pathlib import Path

from workbench.edits.edit_list import EditList
from workbench.edits.shots import Shot, exact_rate, lay_shots, plain_speed
from workbench.errors import EditError

_CODE = r"(\d{1,2}[:;.,]\d{2}[:;.,]\d{2}[:;.,]\d{2,3})"
_EVENT = re.compile(
    rf"\s*(\w+)\s+(.+?)\s+(\S+)\s+(C|D|W\w*|K\w?)\s+(?:(\d{{1,9}})\s+)?{_CODE}\s+{_CODE}\s+{_CODE}\s+{_CODE}"
)
_LOOKS_LIKE_EVENT = re.compile(r"\s*\d{3,}\s")
_SPEED = re.compile(r"\s*M2\s+(.+?)\s+([-+]?\d{1,9}(?:\.\d{1,9})?)\s+(?:[\d:;.,]+)\s*$")
_NAME = re.compile(
    r"\s*\*?\s*(FROM CLIP NAME|TO CLIP NAME|FROM CLIP|TO CLIP|FROM FILE|TO FILE|SOURCE FILE)\s*:\s*(.+?)\s*$"
)
_STATED_RATE = re.compile(r"\s*\*?\s*(?:FPS|FRAME[ _]?RATE)\s*[:=]\s*([\d.]+)", re.IGNORECASE)
_VIDEO = re.compile(r"B$|.*V(?!\d)|.*V1(?!\d)", re.IGNORECASE)
_BLACK = ("BL", "BLACK")
_RATES = tuple(Fraction(n) for n in (24, 25, 30, 50, 60))
_KNOWN_RATES = (*_RATES, *(Fraction(n * 1000, 1001) for n in (24, 30, 60)))
_FULL_HOUR_SECONDS = 60
_M2_STEP = Fraction(1, 20)
"""frames a second: half of the last digit of an M2 line"""
_MOST_BYTES = 50_000_000


@dataclass
class _Event:
    """One line of a list."""

    line: int
    number: str
    reel: str
    transition: str
    frames: int
    """of the transition"""
    codes: tuple[str, str, str, str]
    drop: bool
    """whether codes without a semicolon in a line without any are drop frame"""
    fps: Fraction | None = None
    """of an M2 line"""
    names: dict[str, str] = field(default_factory=dict)
    """comments on the event"""
    outgoing: _Event | None = None
    """of the second line of a transition, the first"""


def read_edl(path: Path, frame_rate: Fraction | None = None, seconds: float | None = None) -> EditList:
    """Read an edit.

    Parameters
    ----------
    path : a text file
    frame_rate : frames a second where the file does not say; None: not known
    seconds : how long the edit is, s, which tells the frame rate and the start; None: not known

    Returns
    -------
    the video events

    Raises
    ------
    EditError : the file cannot be read; the message names the line
    """
    events, stated = _events(path)
    if not events:
        raise EditError(f"{path}: no video event in this list; it is no CMX 3600 edit decision list, or of sound alone")
    fitting = list(_fitting(path, events, stated, frame_rate, seconds))
    if seconds is not None:
        apart = [round(abs(float(edit.seconds) - seconds), 3) for edit in fitting]
        fitting = [edit for edit, by in zip(fitting, apart, strict=True) if by == min(apart)]
    first = fitting[0]
    others = dict.fromkeys(edit.frame_rate for edit in fitting if edit.frame_rate != first.frame_rate)
    return replace(first, other_rates=tuple(others))


def _fitting(
    path: Path, events: list[_Event], stated: Fraction | None, frame_rate: Fraction | None, seconds: float | None
) -> Iterator[EditList]:
    """The edit at each rate and from each start that it may have, likeliest first."""
    most = max(int(re.split(r"[:;.,]", code)[3]) for event in events for code in event.codes)
    drop = any(_is_drop(event, code) for event in events for code in event.codes)
    if drop:
        rates: tuple[Fraction, ...] = (Fraction(30_000 if most < 30 else 60_000, 1001),)
    elif stated is not None:
        rates = (stated,)
    elif frame_rate is not None and most < frame_rate:
        rates = (frame_rate,)
    else:
        possible = tuple(rate for rate in _RATES if rate > most)
        if not possible:
            raise EditError(f"{path}: has a frame number of {most}; no frame rate is so high")
        strays = {rate: _strays(path, events, rate) for rate in possible}
        likely = [rate for rate in possible if strays[rate] == min(strays.values())]
        rates = tuple(likely)
        if seconds is not None:
            rates = tuple(rate for rate in _KNOWN_RATES if round(rate) in likely)
    for rate in rates:
        clock = _Clock(path, rate)
        first_in, hour = min((clock.seconds(event, 2), clock.full_hour(event, 2)) for event in events)
        near = first_in - hour < _FULL_HOUR_SECONDS
        for start in dict.fromkeys((hour, first_in) if near else (first_in, hour)):
            yield lay_shots(_shots(path, events, clock, start), rate)
            if seconds is None:
                break


def _events(path: Path) -> tuple[list[_Event], Fraction | None]:
    """The video events of a file, and the frame rate if it states one."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise EditError(f"{path}: too large for an edit decision list")
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise EditError(f"{path}: cannot be read ({error.strerror or error})") from error
    found: list[_Event] = []
    drop, stated = False, None
    current: list[_Event] = []  # the lines of the last event, of sound too
    for number, line in enumerate(text.splitlines(), start=1):
        event = _EVENT.match(line)
        if event is not None:
            _, reel, channels, transition, frames, *codes = event.groups()
            read = _Event(
                number,
                event[1],
                reel.strip(),
                transition,
                int(frames or 0),
                (codes[0], codes[1], codes[2], codes[3]),
                drop,
            )
            if transition[0] in "DW" and frames is None:
                raise EditError(f"{path}, line {number}: the transition {transition} has no length in frames")
            if current and current[-1].number != read.number:
                current = []
            current.append(read)
            if _VIDEO.match(channels) and transition not in ("K", "KO"):
                found.append(read)
        elif line.strip().upper().startswith("FCM"):
            drop = "NON" not in line.upper()
        elif (speed := _SPEED.match(line)) and current:
            named = [event for event in current if event.reel == speed[1].strip()]
            (named or current)[-1].fps = Fraction(speed[2])
        elif (name := _NAME.match(line)) and current:
            for event_line in current:
                event_line.names[name[1]] = name[2]
        elif (rate := _STATED_RATE.match(line)) and stated is None:
            stated = _stated_rate(rate[1], f"{path}, line {number}")
        elif _LOOKS_LIKE_EVENT.match(line) and ":" in line:
            raise EditError(
                f"{path}, line {number}: not an event of a CMX 3600 list (number, reel, channels, transition, "
                f"four time codes): {line.strip()[:80]}"
            )
    for _, group in groupby(found, key=lambda event: event.number):
        lines = list(group)
        if len(lines) > 1 and lines[-1].transition[0] in "DW":
            lines[-1].outgoing = lines[0]
    return found, stated


def _stated_rate(text: str, where: str) -> Fraction:
    """The frame rate in a comment, which may end with a full stop."""
    try:
        return exact_rate(float(text.rstrip(".")))
    except ValueError as error:
        raise EditError(f"{where}: states a frame rate of {text[:40]}, which is none") from error


def _strays(path: Path, events: list[_Event], rate: Fraction) -> int:
    """Events of no stated speed whose source lasts longer or shorter than their record: many at a wrong rate."""
    clock = _Clock(path, rate)
    strays = 0
    for event in events:
        if event.fps is None and event.reel.upper() not in _BLACK:
            source_in, source_out, begins, ends = (clock.seconds(event, which) for which in range(4))
            strays += source_out - source_in != ends - begins
    return strays


def _shots(path: Path, events: list[_Event], clock: _Clock, start: Fraction) -> list[Shot]:
    """Events as shots, and gaps where there is none."""
    shots: list[Shot] = []
    reached = start
    for event in sorted(events, key=lambda event: (clock.seconds(event, 2), event.line)):
        begins, ends = clock.seconds(event, 2), clock.seconds(event, 3)
        if ends < begins:
            raise EditError(
                f"{path}, line {event.line}: ends at {event.codes[3]}, before it begins at {event.codes[2]}"
            )
        if ends == begins:
            continue
        if begins < reached:
            raise EditError(
                f"{path}, line {event.line}: begins at {event.codes[2]}, while the event before still runs; give the "
                "list of one video track"
            )
        if begins > reached:
            shots.append(Shot.gap(begins - reached))
        moved_by = Fraction(event.frames) / clock.rate / 2 if event.transition[0] in "DW" else Fraction(0)
        shots.append(_shot(event, clock, ends - begins)._replace(moved_by=moved_by))
        reached = ends
    return shots


def _shot(event: _Event, clock: _Clock, seconds: Fraction) -> Shot:
    if event.reel.upper() in _BLACK:
        return Shot.gap(seconds)
    source_in, source_out = clock.seconds(event, 0), clock.seconds(event, 1)
    if event.fps is not None:
        nominal = clock.nominal
        speed = plain_speed(event.fps / nominal, _M2_STEP / nominal)
    elif abs(source_out - source_in - seconds) * clock.rate < 1:
        speed = Fraction(1)
    else:
        speed = plain_speed((source_out - source_in) / seconds, 1 / (2 * clock.rate * seconds))
    start = source_out if speed < 0 and source_out > source_in else source_in
    return Shot(_media(event), start, seconds, speed)


def _media(event: _Event) -> str:
    """What an event shows: the side of a transition that it is, by address, by name, by reel."""
    side = "FROM"
    if event.transition[0] in "DW" and (
        any(key.startswith("TO ") for key in event.names)
        or (event.outgoing is not None and event.outgoing.reel.upper() not in _BLACK)
    ):
        side = "TO"
    keys = [f"{side} CLIP", f"{side} FILE", *(["SOURCE FILE"] if side == "FROM" else []), f"{side} CLIP NAME"]
    return next((event.names[key] for key in keys if key in event.names), event.reel)


def _is_drop(event: _Event, code: str) -> bool:
    if any(";" in each for each in event.codes):
        return ";" in code
    return event.drop


class _Clock:
    """Time codes to seconds at one frame rate."""

    def __init__(self, path: Path, rate: Fraction) -> None:
        self.path = path
        self.rate = rate
        self.nominal = round(rate)

    def full_hour(self, event: _Event, which: int) -> Fraction:
        """Seconds of the full hour of the clock at or before one of an event's time codes."""
        hours = int(re.split(r"[:;.,]", event.codes[which])[0])
        minutes = 60 * hours
        left_out = self.nominal // 15 * (minutes - minutes // 10) if _is_drop(event, event.codes[which]) else 0
        return (60 * minutes * self.nominal - left_out) / self.rate

    def seconds(self, event: _Event, which: int) -> Fraction:
        """Seconds of one of an event's four time codes."""
        code = event.codes[which]
        hours, minutes, seconds, frames = (int(part) for part in re.split(r"[:;.,]", code))
        if minutes > 59 or seconds > 59 or frames >= self.nominal:
            raise EditError(
                f"{self.path}, line {event.line}: {code} is no time code at {float(self.rate):.6g} frames a second"
            )
        count = ((hours * 60 + minutes) * 60 + seconds) * self.nominal + frames
        if _is_drop(event, code):
            # Two numbers a minute are left out (four at 59.94), but for every tenth minute.
            whole = hours * 60 + minutes
            left_out = self.nominal // 15
            if seconds == 0 and minutes % 10 and frames < left_out:
                raise EditError(f"{self.path}, line {event.line}: {code} does not exist in drop frame")
            count -= left_out * (whole - whole // 10)
        return count / self.rate
