"""A drawn envelope takes the place of the measured one, and can be taken off again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ParameterError
from workbench.mix.balance import Duck, Mix
from workbench.mix.drawn_envelope import (
    DEEPEST_DB,
    Points,
    add_point,
    delete_point,
    drawn_points,
    measured_points,
    move_point,
    read_points,
    with_drawn,
)
from workbench.results.mix import mix_body

MEASURED = ((1.0, 0.0), (1.5, 15.0), (4.0, 15.0), (5.0, 0.0))
SPOKEN = Mix(True, "voice", -3.0, 2.0, Duck(MEASURED, 100, ((2.0, 3.0),), 15.0, 300, 900))
SILENT = Mix(False, "silent")
SECONDS = 60.0


def test_only_the_envelope_is_another_one() -> None:
    mix = with_drawn(SPOKEN, ((2.0, 6.0), (3.0, 9.0)))
    assert mix.duck is not None
    assert SPOKEN.duck is not None
    assert mix.duck.envelope_points == ((2.0, 6.0), (3.0, 9.0))
    assert mix.duck.depth_db == 9.0
    assert mix.duck.speech_ranges == SPOKEN.duck.speech_ranges
    assert (mix.music_gain_db, mix.video_gain_db) == (-3.0, 2.0)
    assert measured_points(mix) == MEASURED
    assert drawn_points(mix) == mix.duck.envelope_points
    assert drawn_points(SPOKEN) is None
    body = mix_body(mix)
    assert body.duck is not None
    assert body.duck.envelope_points == [[2.0, 6.0], [3.0, 9.0]]


@pytest.mark.parametrize("mix", [SPOKEN, SILENT])
def test_what_was_drawn_is_taken_off_again(mix: Mix) -> None:
    first = with_drawn(mix, ((2.0, 6.0),))
    second = with_drawn(first, ())
    assert second.duck is not None
    assert second.duck.depth_db == 0.0, "without points nothing is ducked"
    assert with_drawn(second, ((2.0, 6.0),)) == first
    assert with_drawn(second, None) == mix
    assert with_drawn(mix, None) == mix


def test_music_may_go_down_where_nobody_speaks() -> None:
    body = mix_body(with_drawn(SILENT, ((2.0, 6.0),)))
    assert body.duck is not None
    assert not body.voiceover
    assert body.duck.depth_db == 6.0


def test_a_point_is_put_on_the_curve_or_at_a_depth() -> None:
    points, k = add_point(MEASURED, 4.5, SECONDS)
    assert points[k] == (4.5, 7.5)
    assert delete_point(points, k) == MEASURED
    assert add_point(MEASURED, 70.0, SECONDS, 3.0) == ((*MEASURED, (60.0, 3.0)), 4)
    assert add_point(MEASURED, 1.504, SECONDS, 3.0) == ((MEASURED[0], (1.5, 3.0), *MEASURED[2:]), 1)
    assert add_point((), 2.0, SECONDS) == (((2.0, 0.0),), 0)


def test_a_point_stays_between_its_neighbours() -> None:
    assert move_point(MEASURED, 1, 9.0, 12.0, SECONDS)[1] == (3.99, 12.0)
    assert move_point(MEASURED, 1, 0.0, -4.0, SECONDS)[1] == (1.01, 0.0)
    assert move_point(MEASURED, 3, 99.0, 200.0, SECONDS)[3] == (SECONDS, DEEPEST_DB)


def test_there_must_be_such_a_point() -> None:
    with pytest.raises(ParameterError, match="4 points"):
        move_point(MEASURED, 4, 1.0, 1.0, SECONDS)
    with pytest.raises(ParameterError, match="none of index -1"):
        delete_point(MEASURED, -1)


def test_points_are_read_from_plain_data() -> None:
    assert read_points(None) is None
    assert read_points([]) == ()
    assert read_points([list(point) for point in MEASURED]) == MEASURED


@pytest.mark.parametrize(
    "given", [3, [[1.0]], [["a", 1]], [[2.0, 1.0], [2.0, 3.0]], [[0.0, -1.0]], [[-1.0, 1.0]], [[float("nan"), 1.0]]]
)
def test_what_is_no_envelope_is_refused(given: object) -> None:
    with pytest.raises(ParameterError):
        read_points(given)


_TIMES = st.floats(-5.0, 70.0)
_DEPTHS = st.floats(-10.0, 120.0)


@given(st.lists(st.tuples(st.sampled_from(["add", "move", "delete"]), st.integers(0, 9), _TIMES, _DEPTHS), max_size=20))
def test_whatever_is_done_the_points_are_an_envelope(done: list[tuple[str, int, float, float]]) -> None:
    points: Points = ()
    for what, index, at, depth in done:
        if what == "add":
            points, k = add_point(points, at, SECONDS, depth)
            assert points[k][1] == pytest.approx(min(max(depth, 0.0), DEEPEST_DB), abs=0.01)
        elif points and what == "move":
            points = move_point(points, index % len(points), at, depth, SECONDS)
        elif points:
            points = delete_point(points, index % len(points))
        assert read_points(points) == points
        assert all(after - before > 0.0099 for (before, _), (after, _) in pairwise(points))
        assert all(0.0 <= time <= SECONDS for time, _ in points)
