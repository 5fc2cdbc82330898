"""A drawn envelope after an edit: the same curve under the same picture, held under new picture, no jumps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.edits.difference import EditChange, EditDifference, SharedSpan
from workbench.mix.drawn_envelope import GLIDE_SECONDS, Points, follow_edit, on_grid, read_points
from workbench.recording import FloatArray

FRAME = 0.04
DRAWN: Points = ((10.0, 0.0), (11.0, 12.0), (20.0, 12.0), (22.0, 0.0))
"""down from second 11 to 20"""


def edit(seconds: float, new_seconds: float, *kept: tuple[float, float, float]) -> EditDifference:
    """Kept spans by where they began, where they begin, and how long they last."""
    spans = tuple(SharedSpan(*span) for span in kept)
    return EditDifference(seconds, new_seconds, spans, (EditChange(0.0, 0.0, new_seconds - seconds, "swap"),), FRAME)


def levels(points: Points, at: FloatArray) -> FloatArray:
    """Of an envelope: straight between points, held before and after them."""
    times, depths = np.array(points).T
    return np.asarray(np.interp(at, times, depths))


def test_points_move_with_their_picture() -> None:
    later = follow_edit(DRAWN, edit(60.0, 65.0, (0.0, 5.0, 60.0)))
    assert later.points == tuple((at + 5.0, level) for at, level in DRAWN)
    assert (later.moved, later.dropped, later.held_seconds) == (4, 0, 5.0)


def test_points_of_removed_picture_go_with_it() -> None:
    without = follow_edit(DRAWN, edit(60.0, 45.0, (0.0, 0.0, 9.0), (24.0, 9.0, 36.0)))
    assert (without.points, without.dropped) == ((), 4), "nothing is ducked under what is left"
    low = follow_edit(((10.0, 0.0), (11.0, 12.0)), edit(60.0, 40.0, (20.0, 0.0, 40.0)))
    assert low.points is not None
    assert [level for _, level in low.points] == [12.0], "what is left had one level"


def test_new_picture_holds_the_level_before_it() -> None:
    into_speech = follow_edit(DRAWN, edit(60.0, 70.0, (0.0, 0.0, 15.0), (15.0, 25.0, 45.0)))
    assert into_speech.points == ((10.0, 0.0), (11.0, 12.0), (30.0, 12.0), (32.0, 0.0))
    replaced = follow_edit(DRAWN, edit(60.0, 60.0, (0.0, 0.0, 15.0), (25.0, 25.0, 35.0)))
    assert replaced.points == ((10.0, 0.0), (11.0, 12.0), (25.0 - GLIDE_SECONDS, 12.0), (25.0, 0.0))


def test_a_join_glides_where_the_music_is_louder() -> None:
    into = follow_edit(DRAWN, edit(60.0, 50.0, (0.0, 0.0, 5.0), (15.0, 5.0, 45.0)))
    assert into.points == ((5.0 - GLIDE_SECONDS, 0.0), (5.0, 12.0), (10.0, 12.0), (12.0, 0.0))
    out = follow_edit(DRAWN, edit(60.0, 45.0, (0.0, 0.0, 15.0), (30.0, 15.0, 30.0)))
    assert out.points == ((10.0, 0.0), (11.0, 12.0), (15.0, 12.0), (15.0 + GLIDE_SECONDS, 0.0))


def test_nothing_drawn_and_nothing_left() -> None:
    changed = edit(60.0, 30.0, (0.0, 0.0, 30.0))
    assert follow_edit((), changed).points == (), "that nothing is ducked was drawn, too"
    gone = follow_edit(DRAWN, edit(60.0, 30.0))
    assert (gone.points, gone.moved, gone.dropped) == (None, 0, 4)


_LENGTHS = st.lists(st.tuples(*[st.integers(0, 500)] * 2, st.integers(10, 2000)), min_size=1, max_size=5)
_DRAWN = st.lists(
    st.tuples(st.integers(0, 9000), st.integers(0, 30)), min_size=1, max_size=12, unique_by=lambda p: p[0]
)


@given(_LENGTHS, _DRAWN)
def test_untouched_picture_keeps_its_level(holes: list[tuple[int, int, int]], drawn: list[tuple[int, int]]) -> None:
    """Everywhere but for the time of a glide beside a join; and what is made is an envelope."""
    points: Points = tuple((on_grid(at / 100.0), float(level)) for at, level in sorted(drawn))
    spans: list[tuple[float, float, float]] = []
    old = new = 0
    for gone, come, seconds in holes:
        if spans and not (gone or come):
            gone = 1  # spans that touch in both cuts are one
        spans.append(((old + gone) / 100.0, (new + come) / 100.0, seconds / 100.0))
        old, new = old + gone + seconds, new + come + seconds
    found = follow_edit(points, edit(old / 100.0, new / 100.0, *spans))
    made = found.points
    assert made is not None
    assert read_points(made) == made
    assert all(after - before > 0.0099 for (before, _), (after, _) in pairwise(made))
    assert all(0.0 <= at <= new / 100.0 for at, _ in made)
    assert found.moved + found.dropped == len(points)
    for old_start, new_start, length in spans:
        times = np.arange(GLIDE_SECONDS, length - GLIDE_SECONDS, 0.05)
        wanted = levels(points, old_start + times)
        assert np.allclose(levels(made or ((0.0, 0.0),), new_start + times), wanted, atol=0.02)
