"""What changed between two cuts of a video: which seconds of picture both show, and what was done between them.

`compare_edits` matches the pictures of two edit lists (`workbench.edits.picture_matching`). What stays in order becomes
shared spans, everything between two of them is one change, of the kind that most of its seconds have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Literal, TypeAlias, get_args
from unicodedata import normalize
from urllib.parse import unquote

from workbench.edits.edit_list import Clip, EditList
from workbench.edits.picture_matching import Matching, match_pieces
from workbench.errors import EditError
from workbench.recording import VideoSeconds

# insert: pictures came in, none went. delete: whole clips, or the middle of one, went, none came in. trim: clips that
# both cuts show begin or end elsewhere. swap: pictures of the old cut stand at another place. speed: the same source at
# another speed. replace: pictures went and others came in their place, and nothing of the above.
ChangeKind: TypeAlias = Literal["insert", "delete", "trim", "swap", "speed", "replace"]
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
_ROUNDING = 1e-6  # s; times are exact until they become floats here


@dataclass(frozen=True, slots=True)
class SharedSpan:
    """Seconds of picture that both cuts show, in the same order and at the same speed."""

    old_start: VideoSeconds  # where they begin in the old cut
    new_start: VideoSeconds  # where they begin in the new cut
    seconds: float  # how long they last, in both

    def __post_init__(self) -> None:
        # Written so that NaN fails too.
        if not (self.old_start >= 0 and self.new_start >= 0 and 0 < self.seconds < float("inf")):
            raise EditError(
                f"a shared span needs times of 0 or more and a length, got {self.old_start}, {self.new_start}, "
                f"{self.seconds}"
            )

    @property
    def old_end(self) -> VideoSeconds:
        """Where they end in the old cut."""
        return self.old_start + self.seconds

    @property
    def new_end(self) -> VideoSeconds:
        """Where they end in the new cut."""
        return self.new_start + self.seconds

    @property
    def shift(self) -> float:
        """s by which the picture moved: positive where it is later in the new cut."""
        return self.new_start - self.old_start


@dataclass(frozen=True, slots=True)
class EditChange:
    """What happened between two shared spans, or before the first, or after the last."""

    at: VideoSeconds  # where the change begins in the new cut
    old_at: VideoSeconds  # where it begins in the old cut
    delta_seconds: float  # s that the new cut gains here; negative where it loses
    kind: ChangeKind

    def __post_init__(self) -> None:
        if self.kind not in CHANGE_KINDS:
            raise EditError(f"a change is one of {', '.join(CHANGE_KINDS)}, got {self.kind}")


@dataclass(frozen=True, slots=True)
class EditDifference:
    """What two cuts of a video have in common, and what changed."""

    old_seconds: float  # s, length of the old cut
    new_seconds: float  # s, length of the new cut
    shared: tuple[SharedSpan, ...]  # sorted and disjoint in both cuts, and maximal: no two of them touch in both
    changes: tuple[EditChange, ...]  # one between any two shared spans, and one at an end that is not shared; sorted
    frame_seconds: float  # s that a picture of the old cut lasts
    # frames a second that the edit lists may have as well as the one taken; other times would follow from them
    other_rates: tuple[Fraction, ...] = ()
    # s of the new cut between which the pictures do not say where its one change is; None: they do
    unsure: tuple[VideoSeconds, VideoSeconds] | None = None

    def __post_init__(self) -> None:
        old = new = 0.0
        for place, span in enumerate(self.shared):
            if span.old_start < old - _ROUNDING or span.new_start < new - _ROUNDING:
                raise EditError(f"shared spans must be sorted and disjoint in both cuts, got {span}")
            if place and span.old_start <= old + _ROUNDING and span.new_start <= new + _ROUNDING:
                raise EditError(f"shared spans that touch in both cuts are one span, got {span}")
            old, new = span.old_end, span.new_end
        if old > self.old_seconds + _ROUNDING or new > self.new_seconds + _ROUNDING:
            raise EditError(f"shared spans reach {old} and {new} s, past the ends at {self.old_seconds} and "
                            f"{self.new_seconds} s")  # fmt: skip

    @property
    def shared_seconds(self) -> float:
        """s of picture that both cuts show."""
        return sum(span.seconds for span in self.shared)

    def moved(self, at: VideoSeconds) -> VideoSeconds | None:
        """When the new cut shows the picture that begins nearest to a time of the old one; None: it does not."""
        inside = at + self.frame_seconds / 2  # times are rounded, cuts are not
        shifts = (span.shift for span in self.shared if span.old_start <= inside < span.old_end)
        return next((max(0.0, at + shift) for shift in shifts), None)

    def moved_range(self, first: VideoSeconds, last: VideoSeconds) -> list[tuple[VideoSeconds, VideoSeconds]]:
        """Where the new cut has the pictures that it kept of a stretch of the old one."""
        found: list[tuple[VideoSeconds, VideoSeconds]] = []
        for span in self.shared:
            start, end = max(first, span.old_start), min(last, span.old_end)
            if end - start <= _ROUNDING:
                continue
            start, end = round(start + span.shift, 6), round(end + span.shift, 6)
            if found and start - found[-1][1] <= _ROUNDING:
                start, _ = found.pop()
            found.append((start, end))
        return found


def lasting(difference: EditDifference, new_seconds: float) -> EditDifference:
    """The difference with the new cut `new_seconds` long: pictures of the old one's length do not add up to that."""
    shared = (
        replace(span, seconds=min(span.seconds, new_seconds - span.new_start))
        for span in difference.shared
        if new_seconds - span.new_start > _ROUNDING
    )
    return replace(difference, new_seconds=new_seconds, shared=tuple(shared))


def compare_edits(old: EditList, new: EditList) -> EditDifference:
    """Find the changes between two cuts, each in its own frame rate.

    Media are the same if their names differ only in how they are written. Where the cuts name not one media alike, as
    exports of different programs may, the last parts of the names count.
    """
    old, new = _plainly_named(old), _plainly_named(new)
    new = _named_like(old, new)
    matching = match_pieces(old, new)
    frame = 1 / max(old.frame_rate, new.frame_rate)
    return EditDifference(
        old_seconds=float(old.seconds),
        new_seconds=float(new.seconds),
        shared=tuple(_spans(matching, frame)),
        changes=tuple(_changes(old, new, matching, frame)),
        frame_seconds=float(1 / old.frame_rate),
    )


def _plainly_named(edit: EditList) -> EditList:
    clips = (replace(clip, media=None if clip.media is None else _plain_name(clip.media)) for clip in edit.clips)
    return replace(edit, clips=tuple(clips))


def _plain_name(media: str) -> str:
    """The one form of a media's name: a path without escapes and root, composed letters, its suffix in lower case."""
    path = normalize("NFC", unquote(media)).replace("\\", "/")
    path = re.sub(r"^file:/*(localhost/)?", "", path, flags=re.IGNORECASE).lstrip("/")
    suffix = PurePosixPath(path).suffix
    return path.removesuffix(suffix) + suffix.lower()


def _named_like(old: EditList, new: EditList) -> EditList:
    """The new cut with the old one's names of media, where both have none in common but last parts of names."""
    here, there = ({clip.media for clip in edit.clips if clip.media is not None} for edit in (old, new))
    # One name in common shows that both name media alike; guessing further could then only confuse two of them.
    if here & there:
        return new
    # Without folders, suffix and case: what is left when a path, an address and a reel name a media.
    known, named = ({PurePosixPath(media).stem.casefold(): media for media in names} for names in (here, there))
    if len(known) < len(here) or len(named) < len(there):
        return new  # last parts of names that do not tell media apart
    meant = {media: known.get(part, media) for part, media in named.items()}
    clips = (replace(clip, media=None if clip.media is None else meant[clip.media]) for clip in new.clips)
    return replace(new, clips=tuple(clips))


def _spans(matching: Matching, frame: Fraction) -> Iterator[SharedSpan]:
    """Shared pieces; those that go on in both cuts are joined, and less than a frame between them is no change.

    Sources of another frame rate are cut where they have a frame, which is beside the frames of the edit.
    """
    start: tuple[int, int] | None = None
    reached = (0, 0)
    for i, j in matching.in_order:
        old, new = matching.old[i], matching.new[j]
        # A hole counts from a frame on, on either side: what is shorter comes from sources whose frames lie beside the
        # edit's.
        if start is None or max(old.start - reached[0], new.start - reached[1]) * matching.tick >= frame:
            if start is not None:
                yield _span(matching.tick, start, reached)
            start = (old.start, new.start)
        reached = (old.end, new.end)
    if start is not None:
        yield _span(matching.tick, start, reached)


def _span(tick: Fraction, start: tuple[int, int], reached: tuple[int, int]) -> SharedSpan:
    ticks = min(reached[0] - start[0], reached[1] - start[1])
    return SharedSpan(float(start[0] * tick), float(start[1] * tick), float(ticks * tick))


def _changes(old: EditList, new: EditList, matching: Matching, frame: Fraction) -> list[EditChange]:
    """One change for each place where the shared pieces do not go on in both cuts."""
    found: list[EditChange] = []
    moved = ({i for i, _ in matching.moved}, {j for _, j in matching.moved})
    ends = [(-1, -1), *matching.in_order, (len(matching.old), len(matching.new))]
    for (i, j), (next_i, next_j) in pairwise(ends):
        gone, come = matching.old[i + 1 : next_i], matching.new[j + 1 : next_j]
        lost, gained = (sum(piece.ticks for piece in pieces) * matching.tick for pieces in (gone, come))
        if max(lost, gained) < frame:
            if found:  # what rounding left of the change before
                found[-1] = replace(found[-1], delta_seconds=found[-1].delta_seconds + float(gained - lost))
            continue
        hole = _Hole(old, new, matching, moved, range(i + 1, next_i), range(j + 1, next_j))
        at = come[0].start if come else matching.new[j].end if j >= 0 else 0
        old_at = gone[0].start if gone else matching.old[i].end if i >= 0 else 0
        begins, old_begins = float(at * matching.tick), float(old_at * matching.tick)
        found.append(EditChange(begins, old_begins, float(gained - lost), hole.kind))
    return found


@dataclass(frozen=True, slots=True)
class _Hole:
    """The gap between two shared pieces: old pieces that were removed, new ones that were added."""

    old: EditList
    new: EditList
    matching: Matching
    moved: tuple[set[int], set[int]]  # old and new pieces that the other cut has too, at another place
    gone: range
    come: range

    @property
    def kind(self) -> ChangeKind:
        """The kind of edit here, by the majority of the hole's seconds."""
        ticks = sum(self.matching.old[i].ticks for i in self.gone) + sum(self.matching.new[j].ticks for j in self.come)
        # The order decides: a shot that moved also looks inserted in one place and deleted in the other.
        if 2 * self._moved() >= ticks:
            return "swap"
        if 2 * self._changed_speed() >= ticks:
            return "speed"
        if self._only_trimmed():
            return "trim"
        if not self.gone:
            return "insert"
        return "replace" if self.come else "delete"

    def _moved(self) -> int:
        """Ticks of pieces that the other cut has too, at another place."""
        olds, news = self.moved
        return sum(self.matching.old[i].ticks for i in self.gone if i in olds) + sum(
            self.matching.new[j].ticks for j in self.come if j in news
        )

    def _changed_speed(self) -> int:
        """Ticks of pieces whose clip shows the same source as one across, at another speed."""
        olds = [self.old.clips[self.matching.old[i].clip] for i in self.gone]
        news = [self.new.clips[self.matching.new[j].clip] for j in self.come]
        return sum(
            self.matching.old[i].ticks for i, clip in zip(self.gone, olds, strict=True) if _at_other_speed(clip, news)
        ) + sum(
            self.matching.new[j].ticks for j, clip in zip(self.come, news, strict=True) if _at_other_speed(clip, olds)
        )

    def _only_trimmed(self) -> bool:
        """Whether everything removed or added belongs to the clips right before and after the change."""
        sides = []
        for pieces, hole in ((self.matching.old, self.gone), (self.matching.new, self.come)):
            beside = [pieces[k].clip for k in (hole.start - 1, hole.stop) if 0 <= k < len(pieces)]
            if len(beside) == 2 and beside[0] == beside[1] and len(hole):
                return False  # the middle of a clip
            sides.append(all(pieces[k].clip in beside for k in hole))
        return all(sides)


def _at_other_speed(clip: Clip, others: list[Clip]) -> bool:
    """Whether one of the others shows some of a clip's source at another speed."""
    if clip.media is None:
        return False
    low, high = sorted((clip.source_start, clip.source_end))
    for other in others:
        if other.media == clip.media and other.speed != clip.speed:
            start, end = sorted((other.source_start, other.source_end))
            if (low < end and start < high) or low <= start == end <= high or start <= low == high <= end:
                return True
    return False
