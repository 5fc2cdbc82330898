"""Read an edit from a CMX 3600 edit decision list: its video events, in the order of their record times.

    001  REEL     V     C        00:00:10:00 00:00:15:00 01:00:00:00 01:00:05:00
    002  REEL     V     C        00:00:15:00 00:00:15:00 01:00:05:00 01:00:05:00
    002  OTHER    V     D    024 00:00:02:00 00:00:06:00 01:00:05:00 01:00:09:00
    M2   OTHER         050.0     00:00:02:00
    * FROM CLIP NAME: one.mov
    * TO CLIP NAME: two.mov

A line is event, reel, channels, transition, and four time codes: source in and out, record in and out. Dissolves (D)
and wipes (W) last as many frames as stand behind them and begin at record in. Black (`BL`) is a gap, and so is record
time without an event. Time codes go on over midnight, on either side.

M2 states a speed in frames a second of the record, or of the source where the lengths say so; one that is not stated
follows from the lengths. A shot with a negative M2 begins at source out and goes down. So does one whose source out
is before its source in, from there.

A clip's media is the address that a comment gives (`FROM CLIP`, `FROM FILE`, `SOURCE FILE`), else the name in one
(`FROM CLIP NAME`, `TO CLIP NAME`), else its reel.

**Clocks.** The record side has one, each media another. They are drop frame where a code has a semicolon; for lines
without any the last `FCM:` says so, of the record side the first. The format does not state its frame rate. It is, in
this order: that of drop frame, 30000/1001; what a comment states (`FPS: 25`); what the caller says; that of 24, 25, 30,
50 and 60 which has room for the frames written in record codes and at which most sources last as long as their records,
or its thousandth less where the edit then has the length that the caller says; the lowest of those left, which is a
guess: `EditList.other_rates` has the others. A media has the same rate, unless its codes have no room there or more of
its events last as long as their records at another. Nor does the format state where the edit begins: that is the first
event, or the full hour before it where that is less than a minute earlier or gives the length that the caller says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path

from workbench.edits.edit_list import EditList
from workbench.edits.shots import Shot, exact_rate, lay_shots, plain_speed
from workbench.errors import EditError
from workbench.files import decode_text, read_bytes

_CODE = r"(\d{1,2}[:;.,]\d{2}[:;.,]\d{2}[:;.,]\d{2,3})"
_BETWEEN = re.compile("[:;.,]")
_DROP_MARK = re.compile("[;,]")
_EVENT = re.compile(
    rf"\s*(\w+)\s+(.+?)\s+(\S+)\s+(C|D|W\w*|K\w?)\s+(?:(\d{{1,9}})\s+)?{_CODE}\s+{_CODE}\s+{_CODE}\s+{_CODE}"
)
_LOOKS_LIKE_EVENT = re.compile(r"\s*\d{3,}\s")
_SPEED = re.compile(rf"\s*M2\s+(.+?)\s+([-+]?\d{{1,9}}(?:\.\d{{1,9}})?)(?:\s+{_CODE})?\s*$")
_NAME = re.compile(
    r"\s*\*?\s*(FROM CLIP NAME|TO CLIP NAME|FROM CLIP|TO CLIP|FROM FILE|TO FILE|SOURCE FILE)\s*:\s*(.+?)\s*$",
    re.IGNORECASE,
)
_STATED_RATE = re.compile(r"\s*\*?\s*(?:FPS|FRAME[ _]?RATE)\s*[:=]\s*([\d.]+)", re.IGNORECASE)
_VIDEO = re.compile(r"B$|.*V(?!\d)|.*V1(?!\d)", re.IGNORECASE)
_BLACK = ("BL", "BLACK")
_ANY_REEL = "AX"  # stands for any file, so that events without a name need not be of one media
_RATES = tuple(Fraction(n) for n in (24, 25, 30, 50, 60))
_KNOWN_RATES = (*_RATES, *(Fraction(n * 1000, 1001) for n in (24, 30, 60)))
_DROP_RATES = tuple(Fraction(n * 1000, 1001) for n in (30, 60))
_SOURCE_RATES = (*_KNOWN_RATES, *(Fraction(n) for n in (48, 100, 120)), *(Fraction(n * 1000, 1001) for n in (48, 120)))
_FULL_HOUR_SECONDS = 60
_M2_STEP = Fraction(1, 20)  # frames a second: half of the last digit of an M2 line
_MOST_BYTES = 50_000_000


@dataclass
class _Event:
    """One line of a list."""

    where: str  # path and line, for messages
    number: str
    reel: str
    transition: str
    frames: int  # of the transition
    codes: tuple[str, str, str, str]
    drop: bool  # whether the last FCM says drop frame, and no code of the line says anything else
    fps: Fraction | None = None  # of an M2 line
    names: dict[str, str] = field(default_factory=dict)  # comments on the event
    outgoing: _Event | None = None  # of the second line of a transition, the first

    @property
    def is_black(self) -> bool:
        """Whether it shows nothing."""
        return self.reel.upper() in _BLACK

    @cached_property
    def numbers(self) -> tuple[tuple[int, ...], ...]:
        """Hours, minutes, seconds and frames of each code."""
        return tuple(tuple(map(int, _BETWEEN.split(code))) for code in self.codes)


def read_edl(
    path: Path, frame_rate: Fraction | None = None, seconds: float | None = None, beside: Path | None = None
) -> EditList:
    """Read the video events of a text file.

    `seconds` is the length of the edit, `beside` another list of the same media, which also shows their clocks.
    Raises `EditError`, which names the line that cannot be read.
    """
    events, stated = _events(path)
    if not events:
        raise EditError(f"{path}: no video event in this list; it is no CMX 3600 edit decision list, or of sound alone")
    others = [] if beside is None else _events(beside)[0]
    fitting = list(_fitting(path, events, others, stated, frame_rate, seconds))
    if seconds is not None:
        apart = [round(abs(float(edit.seconds) - seconds), 3) for edit in fitting]
        fitting = [edit for edit, by in zip(fitting, apart, strict=True) if by == min(apart)]
    first = fitting[0]
    other_rates = dict.fromkeys(edit.frame_rate for edit in fitting if edit.frame_rate != first.frame_rate)
    return replace(first, other_rates=tuple(other_rates))


def _fitting(
    path: Path,
    events: list[_Event],
    others: list[_Event],
    stated: Fraction | None,
    frame_rate: Fraction | None,
    seconds: float | None,
) -> Iterator[EditList]:
    """The edit at each rate and from each start that it may have, likeliest first."""
    # Drop frame is certain by its marks; then a stated rate, the caller's, and last a guess by how the lengths fit.
    record = [code for event in events for code in event.codes[2:]]
    most = max(code[3] for event in events for code in event.numbers[2:])
    drop = events[0].drop or any(map(_DROP_MARK.search, record))
    if drop:
        rates = tuple(rate for rate in (stated, frame_rate, *_DROP_RATES) if rate in _DROP_RATES and most < rate)[:1]
    elif stated is not None:
        rates = (stated,)
    elif frame_rate is not None and most < frame_rate:
        rates = (frame_rate,)
    else:
        possible = [rate for rate in _RATES if rate > most]
        strays = {rate: _strays(events, _Clock(rate, False)) for rate in possible}
        likely = [rate for rate in possible if strays[rate] == min(strays.values())]
        # Without a length the NTSC rate looks like the whole one, because both count the same numbers.
        rates = tuple(likely)
        if seconds is not None:
            rates = tuple(rate for rate in _KNOWN_RATES if round(rate) in likely)
    if not rates:
        raise EditError(f"{path}: has a frame number of {most}; no frame rate is so high")
    for rate in rates:
        clock = _Clock(rate, drop)
        sources = _source_clocks([*events, *(event for event in others if clock.has(event, 2))], clock)
        begins = sorted({clock.seconds(event, 2) for event in events})
        # An edit may run over midnight: it begins after the longest time without a beginning.
        first_in = max(
            zip((begins[-1] - clock.day, *begins), begins, strict=False), key=lambda pair: pair[1] - pair[0]
        )[1]
        # Editors begin programmes on a full hour; black before the first event may then not be listed.
        hour = first_in - first_in % (clock.day / 24)
        near = first_in - hour < _FULL_HOUR_SECONDS
        for start in dict.fromkeys((hour, first_in) if near else (first_in, hour)):
            yield lay_shots(_shots(events, clock, sources, start), rate)
            if seconds is None:
                break


def _events(path: Path) -> tuple[list[_Event], Fraction | None]:
    """The video events of a file, and the frame rate if it states one."""
    text = decode_text(read_bytes(path, EditError, _MOST_BYTES, "an edit decision list"), "replace")
    found: list[_Event] = []
    drop, stated = False, None
    current: list[_Event] = []  # the lines of the last event, of sound too
    for number, line in enumerate(text.splitlines(), start=1):
        event = _EVENT.match(line)
        if event is not None:
            _, reel, channels, transition, frames, *codes = event.groups()
            read = _Event(
                f"{path}, line {number}",
                event[1],
                reel.strip(),
                transition,
                int(frames or 0),
                (codes[0], codes[1], codes[2], codes[3]),
                drop and not any(_DROP_MARK.search(code) for code in codes),
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
                event_line.names[name[1].upper()] = name[2]
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
            # The second line of a dissolve is the event; its first, of no length, only names what is left.
            lines[-1].outgoing = lines[0]
    return found, stated


def _stated_rate(text: str, where: str) -> Fraction:
    """The frame rate in a comment, which may end with a full stop."""
    try:
        return exact_rate(float(text.rstrip(".")))
    except ValueError as error:
        raise EditError(f"{where}: states a frame rate of {text[:40]}, which is none") from error


def _source_clocks(events: list[_Event], record: _Clock) -> dict[str, _Clock]:
    """The clock of the source codes of events, by where they stand: of all of a media together, for it has one rate."""
    groups: dict[str, list[_Event]] = defaultdict(list)
    for event in events:
        media = event.where if _media(event) == _ANY_REEL else _media(event)
        groups[media].append(event)
    return {
        event.where: clock for group in groups.values() for clock in [_source_clock(group, record)] for event in group
    }


def _source_clock(events: list[_Event], record: _Clock) -> _Clock:
    """The clock on which most events of a media are as long as in the edit; of several, the clock of the edit."""
    marked = any(_DROP_MARK.search(code) for event in events for code in event.codes[:2])
    drops = (True,) if marked else (True, False) if all(event.drop for event in events) else (False,)
    clocks = _possible_clocks(record.rate, drops)
    # All events of a media vote: a single one that was slowed down would choose a wrong rate.
    fitting: dict[_Clock, int] = {}
    for clock in clocks:
        if all(clock.has(event, 0) for event in events):
            fitting[clock] = sum(event.fps is not None or _is_plain(event, clock, record) for event in events)
            if fitting[clock] == len(events):
                break
    # Without any the codes are wrong, which is said where they are counted.
    return max(fitting, key=lambda clock: fitting[clock], default=clocks[0])


@lru_cache
def _possible_clocks(record_rate: Fraction, drops: tuple[bool, ...]) -> tuple[_Clock, ...]:
    """Clocks that a media may have, likeliest first."""
    ntsc = record_rate.denominator > 1
    rates = (record_rate, *sorted(_SOURCE_RATES, key=lambda rate: ((rate.denominator > 1) != ntsc, rate)))
    return tuple(_Clock(rate, drop) for drop in drops for rate in rates if not drop or rate in _DROP_RATES)


def _is_plain(event: _Event, source: _Clock, record: _Clock) -> bool:
    """Whether source and record of an event are equally long, to less than a frame."""
    a, b = source.rate, record.rate  # multiplied out: in whole numbers it is ten times as fast
    shown, lasts = abs(source.frames_apart(event, 0)), record.frames_apart(event, 2)
    stretch, frame = a.numerator * b.denominator, a.denominator * b.numerator
    return abs(shown * frame - lasts * stretch) < frame


def _strays(events: list[_Event], record: _Clock) -> int:
    """How badly sources fit a rate of the record: 2 for each event of another length, 1 for each at another rate."""
    sources = _source_clocks(events, record)
    timed = [(event, sources[event.where]) for event in events if event.fps is None and not event.is_black]
    return sum(2 if not _is_plain(event, source, record) else source.rate != record.rate for event, source in timed)


def _shots(events: list[_Event], clock: _Clock, sources: Mapping[str, _Clock], start: Fraction) -> list[Shot]:
    """Events as shots, and gaps where there is none."""

    def begins_at(event: _Event) -> Fraction:
        return start + (clock.seconds(event, 2) - start) % clock.day

    shots: list[Shot] = []
    reached = start
    for event in sorted(events, key=begins_at):
        begins, seconds = begins_at(event), clock.apart(event, 2)
        if seconds < 0:
            raise EditError(f"{event.where}: ends at {event.codes[3]}, before it begins at {event.codes[2]}")
        if seconds == 0:
            continue
        if begins < reached:
            raise EditError(
                f"{event.where}: begins at {event.codes[2]}, while the event before still runs; give the list of one "
                "video track"
            )
        if begins > reached:
            shots.append(Shot.gap(begins - reached))
        # A dissolve begins at record in, so its middle is half its length later.
        moved_by = Fraction(event.frames) / clock.rate / 2 if event.transition[0] in "DW" else Fraction(0)
        first, *more = [Shot.gap(seconds)] if event.is_black else _shown(event, sources[event.where], clock)
        shots += [first._replace(moved_by=moved_by), *more]
        reached = begins + seconds
    return shots


def _shown(event: _Event, source: _Clock, record: _Clock) -> list[Shot]:
    """The stretch of its source that an event shows; two where the source's time code passes midnight."""
    length, seconds = source.apart(event, 0), record.apart(event, 2)
    off = Fraction(0)
    if event.fps is not None:
        speed = _stated_speed(event.fps, abs(length), seconds, source, record)
    elif _is_plain(event, source, record):
        speed = Fraction(1)
        off = (abs(length) - seconds) / 2  # both codes are rounded to frames of the source
    else:
        speed = plain_speed(length / seconds, 1 / (2 * source.rate * seconds))
    if length < 0:
        speed = -abs(speed)
    at = source.seconds(event, 1 if speed < 0 < length else 0) + (off if length > 0 else -off)
    # A picture has one time code in every clip that shows it: none goes on past the end of the day or below its
    # beginning.
    left = (source.day - at if speed > 0 else at) / abs(speed) if speed else seconds
    if left >= seconds:
        return [Shot(_media(event), at, seconds, speed)]
    midnight = Fraction(0) if speed > 0 else source.day
    return [Shot(_media(event), at, left, speed), Shot(_media(event), midnight, seconds - left, speed)]


def _stated_speed(fps: Fraction, length: Fraction, seconds: Fraction, source: _Clock, record: _Clock) -> Fraction:
    """The speed that an M2 line states. NTSC programs write 30 as well as 29.97 frames a second for the plain one."""
    bases = (Fraction(record.nominal), record.rate, Fraction(source.nominal), source.rate)
    speeds = [plain_speed(fps / base, _M2_STEP / base) for base in bases]
    # Of the four readings those come first that agree with the source length, then those by the record's rate, then the
    # plainest fraction.
    off = [abs(abs(speed) * seconds - length) > 1 / source.rate + _M2_STEP / record.rate * seconds for speed in speeds]
    return speeds[min(range(len(bases)), key=lambda k: (off[k], k // 2, speeds[k].denominator))]


def _media(event: _Event) -> str:
    """The media of an event, of its own side in a transition: an address, else a name, else the reel."""
    side = "FROM"
    if event.transition[0] in "DW" and (
        any(key.startswith("TO ") for key in event.names)
        or (event.outgoing is not None and event.outgoing.reel.upper() not in _BLACK)
    ):
        side = "TO"
    keys = [f"{side} CLIP", f"{side} FILE", *(["SOURCE FILE"] if side == "FROM" else []), f"{side} CLIP NAME"]
    return next((event.names[key] for key in keys if key in event.names), event.reel)


@dataclass(frozen=True)
class _Clock:
    """Time codes to seconds at one frame rate."""

    rate: Fraction
    drop: bool  # whether two numbers a minute are left out (four at 59.94), but for every tenth minute

    @cached_property
    def nominal(self) -> int:
        """Frame numbers a second."""
        return round(self.rate)

    @cached_property
    def day_frames(self) -> int:
        """Frames until the same time code comes again."""
        return self._count(24 * 60, 0)

    @cached_property
    def day(self) -> Fraction:
        """Seconds until the same time code comes again."""
        return self.day_frames / self.rate

    def has(self, event: _Event, which: int) -> bool:
        """Whether there is such a time code as one of an event's and the next."""
        try:
            self.frames_apart(event, which)
        except EditError:
            return False
        return True

    def apart(self, event: _Event, which: int) -> Fraction:
        """Seconds from one of an event's time codes to the next, the short way round the clock; backwards negative."""
        return self.frames_apart(event, which) / self.rate

    def frames_apart(self, event: _Event, which: int) -> int:
        """Frames from one of an event's time codes to the next, as of `apart`."""
        half = self.day_frames // 2
        # Modulo a day, moved by half of it: an event over midnight is short, and one that runs backwards negative.
        return (self.frames(event, which + 1) - self.frames(event, which) + half) % self.day_frames - half

    def seconds(self, event: _Event, which: int) -> Fraction:
        """Seconds from midnight of one of an event's four time codes."""
        return self.frames(event, which) / self.rate

    def frames(self, event: _Event, which: int) -> int:
        """Frames from midnight of one of an event's four time codes."""
        code = event.codes[which]
        hours, minutes, seconds, frames = event.numbers[which]
        if minutes > 59 or seconds > 59 or frames >= self.nominal:
            raise EditError(f"{event.where}: {code} is no time code at {float(self.rate):.6g} frames a second")
        if self.drop and seconds == 0 and minutes % 10 and frames < self.nominal // 15:
            raise EditError(f"{event.where}: {code} does not exist in drop frame")
        return self._count(hours * 60 + minutes, seconds * self.nominal + frames)

    def _count(self, minutes: int, frames: int) -> int:
        left_out = self.nominal // 15 * (minutes - minutes // 10) if self.drop else 0
        return 60 * minutes * self.nominal + frames - left_out
