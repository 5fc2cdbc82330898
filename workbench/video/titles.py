"""Titles: where words appear over the picture and stay.

Words differ from everything else that changes: they appear within a small part of the picture while the rest stays as
it is; nothing moved there before and nothing moves there after; they are brighter, or darker, than all that they cover;
and they have edges. A cut changes everything, a person who walks in moves on, swaying leaves are now brighter and now
darker, a shadow has no edges, and what goes on growing is no title. Compared are four short stretches of small pictures
(`workbench.media.video_reader`): two before the words, which must be alike, and two after, which must be alike too.

On pictures of 36 by 64 fields letters are only a ragged line: a logo or a drawn arrow that appears is found as well,
and an editor would time it in the same way. Words over a busy, moving picture are not found, nor are those that appear
with a cut, where the cut is the event.

Memory is three seconds of small pictures, however long the video.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.recording import BoolArray, FloatArray, VideoSeconds
from workbench.video._kernels import change_between
from workbench.video.picture import Stretches

_STRETCH_SECONDS = 0.4
"""s of picture averaged in each of the four stretches"""
_FADE_SECONDS = 0.7
"""s in which words may fade in"""
_STAND_SECONDS = 0.6
"""s from the first stretch after to the second: words stand a second at least"""
_STEP_SECONDS = 0.1
"""s from one test to the next"""
_LEAST_CHANGE = 0.05
"""of full luma, by which words change a field, which also holds what is between the letters"""
_REST_CHANGE = 0.012
"""of full luma, by which at most half of the other fields may change"""
_LEAST_AREA, _MOST_AREA = 0.004, 0.25
"""share of the picture that words cover"""
_UNREST = 0.25
"""mean change of the words' fields within before and within after, of their change in between"""
_ONE_WAY = 0.8
"""share of the change that goes one way, brighter or darker"""
_LEAST_EDGES = 1.0
"""mean step from field to field of the words, across and down, of their mean change"""
_SHOWS, _GONE, _OTHER = 0.3, 0.5, 1.6
"""of the full change: from where on words show, under which they are gone, over which something else is there"""
_GROW_SECONDS = 1.5
"""s; what changes again in the same place within it is growing"""
_BEFORE = 2 * _STRETCH_SECONDS
_AFTER = _FADE_SECONDS + _STAND_SECONDS + _STRETCH_SECONDS
"""s of picture that a test needs before and after a time"""


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """Words that are shown in the picture."""

    start: VideoSeconds
    fields: BoolArray
    """shape (36, 64), where they are"""
    ground: FloatArray
    """shape (n_fields,), luma before"""
    change: FloatArray
    """shape (n_fields,), change of luma by the words"""

    def shares(self, other: _Words) -> bool:
        """Whether other words are in much the same place."""
        both = np.count_nonzero(self.fields & other.fields)
        return bool(both > 0.3 * min(self.change.size, other.change.size))

    def shown(self, luma: FloatArray) -> float:
        """How much of them one picture shows: 0 none, 1 all."""
        return float(np.dot(luma[self.fields] - self.ground, self.change) / np.dot(self.change, self.change))


class TitleWatch:
    """Takes small pictures run by run, and finds where words appear and how long they stay."""

    def __init__(self) -> None:
        self._times = np.zeros(0)
        self._luma = np.zeros((0, 0, 0), dtype=np.float32)  # shape (n, 36, 64), one picture a time
        self._next_look = 0.0
        self._standing: list[_Words] = []
        self._found: list[tuple[VideoSeconds, VideoSeconds]] = []
        self._growing: VideoSeconds | None = None

    def put(self, times: FloatArray, luma: FloatArray) -> None:
        """Take the next run of pictures, later than the last: luma of shape (n, 36, 64), float32, 0 to 1."""
        if not times.size:
            return
        known = self._times.size
        self._times = np.concatenate([self._times, times])
        self._luma = np.concatenate([self._luma, luma]) if known else luma
        for k in range(known, self._times.size):
            time = float(self._times[k])
            if time >= self._next_look:
                self._next_look = time + _STEP_SECONDS
                self._close(time, self._luma[k])
                self._look(time - _AFTER, k + 1)
        first = int(np.searchsorted(self._times, self._times[-1] - _BEFORE - _AFTER - _STEP_SECONDS))
        self._times, self._luma = self._times[first:].copy(), self._luma[first:].copy()

    def titles(self, end: VideoSeconds) -> Stretches:
        """Where words were shown; each appearance begins a stretch, and words that are still shown last until `end`."""
        merged: list[tuple[VideoSeconds, VideoSeconds]] = []
        for start, stop in sorted([*self._found, *((words.start, end) for words in self._standing)]):
            if merged and start <= merged[-1][1]:
                # Words that appear beside others begin a stretch of their own.
                merged[-1] = (merged[-1][0], start)
            if start < stop:
                merged.append((start, stop))
        return tuple((start, stop) for start, stop in merged if start < stop)

    def _close(self, time: VideoSeconds, picture: FloatArray) -> None:
        gone = [words for words in self._standing if not _GONE <= words.shown(picture) <= _OTHER]
        self._found += [(words.start, time) for words in gone]
        self._standing = [words for words in self._standing if words not in gone]

    def _look(self, at: VideoSeconds, known: int) -> None:
        """Test whether words have appeared since a time, with the first `known` pictures."""
        words = self._appeared(at, known)
        if words is None:
            return
        # Several tests find the same words; and words that disappear uncover what was there, which looks like words.
        seen = [other.start for other in self._standing] + [edge for stretch in self._found for edge in stretch]
        if any(abs(words.start - other) <= _STRETCH_SECONDS for other in seen):
            return
        grown = [other for other in self._standing if other.start > words.start - _GROW_SECONDS and other.shares(words)]
        if grown or (self._growing is not None and words.start < self._growing + _GROW_SECONDS):
            self._growing = words.start
            self._standing = [other for other in self._standing if other not in grown]
        else:
            self._standing.append(words)

    def _appeared(self, at: VideoSeconds, known: int) -> _Words | None:
        """Words that were not there before a time and are there after it."""
        if self._times[0] > at - _BEFORE + _STEP_SECONDS:
            return None
        before, after = (np.empty(self._luma.shape[1:], dtype=np.float32) for _ in range(2))
        first, second = self._stretch(at - _STRETCH_SECONDS, known), self._stretch(at + _FADE_SECONDS, known)
        changed, restless = change_between(self._luma, *first, *second, _LEAST_CHANGE, _REST_CHANGE, before, after)
        if not _LEAST_AREA <= changed / before.size <= _MOST_AREA or 2 * restless > before.size - changed:
            return None
        # the cheap tests come first; nearly every look ends there
        change = after - before
        fields = np.abs(change) > _LEAST_CHANGE
        inside = change[fields]
        size = float(np.abs(inside).mean())
        one_way = max(inside[inside > 0].sum(), -inside[inside < 0].sum()) / np.abs(inside).sum()
        across = np.abs(np.diff(change, axis=1))[fields[:, 1:] | fields[:, :-1]].mean()
        down = np.abs(np.diff(change, axis=0))[fields[1:] | fields[:-1]].mean()
        if one_way < _ONE_WAY or across + down < _LEAST_EDGES * size:
            return None
        earlier, later = (
            self._luma[slice(*self._stretch(start, known))][:, fields].mean(axis=0)
            for start in (at - _BEFORE, at + _FADE_SECONDS + _STAND_SECONDS)
        )
        unrest = max(np.abs(before[fields] - earlier).mean(), np.abs(later - after[fields]).mean())
        if unrest > _UNREST * size:
            return None
        start = self._first_showing(at, known, fields, before[fields], inside)
        return _Words(start, fields, before[fields], inside)

    def _stretch(self, start: VideoSeconds, known: int) -> tuple[int, int]:
        """Pictures of a stretch, from and to; the next picture where it holds none."""
        first = min(int(np.searchsorted(self._times[:known], start - 1e-6)), known - 1)
        return first, max(first + 1, int(np.searchsorted(self._times[:known], start + _STRETCH_SECONDS - 1e-6)))

    def _first_showing(
        self, at: VideoSeconds, known: int, fields: BoolArray, ground: FloatArray, change: FloatArray
    ) -> VideoSeconds:
        """Time of the first picture that shows the words, from a time on."""
        words = _Words(at, fields, ground, change)
        for k in range(int(np.searchsorted(self._times, at)), known):
            if words.shown(self._luma[k]) >= _SHOWS:
                return float(self._times[k])
        return at
