"""What is kept and what changed between two cuts, for each kind of edit, and for sources used several times."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.recipes.material.re_edits import KINDS, re_edit
from workbench.edits.difference import EditChange, EditDifference, SharedSpan, compare_edits
from workbench.edits.edit_list import EditList
from workbench.edits.picture_matching import match_pieces
from workbench.errors import EditError

RATE = Fraction(25)
Piece = tuple[str | None, float | Fraction, float | Fraction]


def edit(*pieces: Piece, speeds: dict[int, Fraction] | None = None, rate: Fraction = RATE) -> EditList:
    """An edit of (media, source_start, seconds); `speeds` by place."""
    return EditList.laid(
        [
            (media, Fraction(start), Fraction(seconds), (speeds or {}).get(k, Fraction(1)))
            for k, (media, start, seconds) in enumerate(pieces)
        ],
        rate,
    )


A, B, C, D, E = (("a", 10, 6), ("b", 20, 4), ("c", 5, 2), ("d", 0, 8), ("e", 30, 5))
FILM = edit(A, B, C, D, E)


def spans(difference: EditDifference) -> list[tuple[float, float, float]]:
    return [(span.old_start, span.new_start, span.seconds) for span in difference.shared]


def changes(difference: EditDifference) -> list[tuple[float, float, float, str]]:
    return [(change.at, change.old_at, change.delta_seconds, change.kind) for change in difference.changes]


CASES: dict[str, tuple[list[Piece], list[tuple[float, float, float]], list[tuple[float, float, float, str]]]] = {
    "the same": ([A, B, C, D, E], [(0, 0, 25)], []),
    "a blade cut": ([A, ("b", 20, 1), ("b", 21, 3), C, D, E], [(0, 0, 25)], []),
    "an insert": ([A, B, ("x", 0, 3), C, D, E], [(0, 0, 10), (10, 13, 15)], [(10, 10, 3, "insert")]),
    "an insert within a shot": (
        [A, ("b", 20, 1), ("x", 0, 3), ("b", 21, 3), C, D, E], [(0, 0, 7), (7, 10, 18)], [(7, 7, 3, "insert")]
    ),
    "the head deleted": ([B, C, D, E], [(6, 0, 19)], [(0, 0, -6, "delete")]),
    "a shot deleted": ([A, B, D, E], [(0, 0, 10), (12, 10, 13)], [(10, 10, -2, "delete")]),
    "the tail deleted": ([A, B, C, D], [(0, 0, 20)], [(20, 20, -5, "delete")]),
    "the middle of a shot deleted": (
        [A, B, C, ("d", 0, 3), ("d", 5, 3), E], [(0, 0, 15), (17, 15, 8)], [(15, 15, -2, "delete")]
    ),
    "a shorter tail": ([A, ("b", 20, 3), C, D, E], [(0, 0, 9), (10, 9, 15)], [(9, 9, -1, "trim")]),
    "a shorter head": ([A, ("b", 21, 3), C, D, E], [(0, 0, 6), (7, 6, 18)], [(6, 6, -1, "trim")]),
    "a longer tail": ([A, ("b", 20, 5), C, D, E], [(0, 0, 10), (10, 11, 15)], [(10, 10, 1, "trim")]),
    "a rolled cut": ([("a", 10, 5), ("b", 19, 5), C, D, E], [(0, 0, 5), (6, 6, 19)], [(5, 5, 0, "trim")]),
    "swapped neighbours": ([A, C, B, D, E], [(0, 0, 6), (12, 12, 13)], [(6, 6, 0, "swap")]),
    "a short shot between two swapped long ones": (
        [A, D, C, B, E], [(0, 0, 6), (10, 14, 2), (20, 20, 5)], [(6, 6, 4, "swap"), (16, 12, -4, "swap")]
    ),
    "one shot moved over several": (
        [A, C, D, B, E], [(0, 0, 6), (10, 6, 10), (20, 20, 5)], [(6, 6, -4, "swap"), (16, 20, 4, "swap")]
    ),
    "another shot in its place": ([A, ("x", 0, 3), C, D, E], [(0, 0, 6), (10, 9, 15)], [(6, 6, -1, "replace")]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_stays_and_what_changed(case: str) -> None:
    new, kept, changed = CASES[case]
    found = compare_edits(FILM, edit(*new))
    assert (spans(found), changes(found)) == (kept, changed)
    assert found.shared_seconds == sum(seconds for _, _, seconds in kept)
    assert [span.shift for span in found.shared] == [new_start - old_start for old_start, new_start, _ in kept]


def test_a_swap_beside_other_edits_is_still_a_swap() -> None:
    found = compare_edits(FILM, edit(A, ("x", 0, 1), ("d", 1, 7), C, B, E))
    assert spans(found) == [(0, 0, 6), (10, 14, 2), (20, 20, 5)]
    assert [change.kind for change in found.changes] == ["swap", "swap"]


def test_a_clip_at_another_speed_is_touched() -> None:
    found = compare_edits(FILM, edit(A, B, C, ("d", 0, 4), E, speeds={3: Fraction(2)}))
    assert spans(found) == [(0, 0, 12), (20, 16, 5)]
    assert changes(found) == [(12, 12, -4, "speed")]
    fast = edit(A, B, C, ("d", 0, 4), E, speeds={3: Fraction(2)})
    trimmed = edit(A, B, C, ("d", 2, 3), E, speeds={3: Fraction(2)})
    assert spans(compare_edits(fast, trimmed)) == [(0, 0, 12), (13, 12, 8)]
    backwards = edit(A, B, C, ("d", 8, 8), E, speeds={3: Fraction(-1)})
    assert [change.kind for change in compare_edits(FILM, backwards).changes] == ["speed"]
    shorter = edit(A, B, C, ("d", 6, 6), E, speeds={3: Fraction(-1)})
    assert spans(compare_edits(backwards, shorter)) == [(0, 0, 12), (14, 12, 11)]


def test_a_freeze_frame_that_grows_is_trimmed() -> None:
    old = edit(A, ("b", 20, 2), C, speeds={1: Fraction(0)})
    new = edit(A, ("b", 20, 3), C, speeds={1: Fraction(0)})
    found = compare_edits(old, new)
    assert spans(found) == [(0, 0, 8), (8, 9, 2)]
    assert changes(found) == [(8, 8, 1, "trim")]


def test_gaps_are_clips() -> None:
    old = edit(A, (None, 0, 2), B)
    found = compare_edits(old, edit(A, (None, 0, 3), B))
    assert spans(found) == [(0, 0, 8), (8, 9, 4)]
    assert changes(found) == [(8, 8, 1, "trim")]
    assert changes(compare_edits(old, edit(A, B))) == [(6, 6, -2, "delete")]


def test_a_source_that_is_used_again_and_again() -> None:
    """Of equal uses the one is kept that continues its neighbours; the deleted one is the one that went."""
    refrain: Piece = ("r", 0, 3)
    old = edit(refrain, A, refrain, B, refrain, C, refrain)
    found = compare_edits(old, edit(refrain, A, B, refrain, C, refrain))
    assert spans(found) == [(0, 0, 9), (12, 9, 12)]
    assert changes(found) == [(9, 9, -3, "delete")]
    more = compare_edits(old, edit(refrain, A, refrain, refrain, B, refrain, C, refrain))
    assert more.shared_seconds == 24
    assert len(more.changes) == 1


def test_overlapping_uses_of_one_source() -> None:
    old = edit(("a", 0, 10), ("a", 5, 10), ("a", 2, 4))
    found = compare_edits(old, edit(("a", 0, 10), ("a", 7, 8), ("a", 2, 4)))
    assert spans(found) == [(0, 0, 10), (12, 10, 12)]
    assert changes(found) == [(10, 10, -2, "trim")]


def test_cuts_with_nothing_in_common() -> None:
    found = compare_edits(edit(A), edit(B))
    assert found.shared == ()
    assert changes(found) == [(0, 0, -2, "replace")]


def test_each_cut_counts_in_its_own_frames() -> None:
    ntsc = Fraction(30_000, 1001)
    frame = 1 / ntsc
    old = EditList.laid([("a", Fraction(0), 300 * frame, Fraction(1)), ("b", frame, frame, Fraction(1))], ntsc)
    new = EditList.laid([("a", Fraction(0), 300 * frame, Fraction(1))], RATE)
    found = compare_edits(old, new)
    assert spans(found) == [(0, 0, float(300 * frame))]


@pytest.mark.parametrize(
    "name",
    [
        "file:///Volumes/Card%201/Cafe%CC%81.mov",
        "file://localhost/Volumes/Card%201/Caf%C3%A9.MOV",
        "file:/Volumes/Card 1/Cafe\u0301.mov",
        "/Volumes/Card 1/Caf\u00e9.Mov",
        "\\Volumes\\Card 1\\Caf\u00e9.mov",
        "Volumes/Card%201/Caf%c3%a9.mov",
    ],
)
def test_names_of_media_are_compared_in_one_form(name: str) -> None:
    # Another media is named alike in both cuts, so that the last parts of names are not what counts.
    old = edit(("file:///Volumes/Card%201/Caf%C3%A9.mov", 0, 10), ("b.mov", 0, 5))
    assert compare_edits(old, edit((name, 0, 10), ("b.mov", 0, 5))).changes == ()
    other = name.replace("mov", "mxf").replace("MOV", "mxf").replace("Mov", "mxf")
    assert len(compare_edits(old, edit((other, 0, 10), ("b.mov", 0, 5))).changes) == 1
    assert compare_edits(old, edit((other, 0, 10), ("B.mp4", 0, 5))).changes == ()


@pytest.mark.parametrize("digits", [6, 3, 2])
def test_a_rounded_time_on_a_cut_moves_with_the_picture_behind_it(digits: int) -> None:
    """At 30000/1001 frames a second no digit of a decimal time is exact."""
    rate = Fraction(30_000, 1001)
    first, second = Fraction(719) / rate, Fraction(600) / rate
    old = edit(("a", 0, first), ("b", 0, second), rate=rate)
    found = compare_edits(old, edit(("b", 0, second), rate=rate))
    assert found.moved(round(float(first), digits)) == pytest.approx(0.0, abs=10.0**-digits)
    assert found.moved(round(float(first - 1 / rate), digits)) is None
    later = compare_edits(old, edit(("x", 0, second), ("b", 0, second), rate=rate))
    assert later.moved(round(float(first), digits)) == pytest.approx(float(second), abs=10.0**-digits)


def test_less_than_a_frame_is_no_change() -> None:
    frame = float(1 / RATE)
    beside = edit(A, ("b", 20, 4 - 0.9 * frame), ("x", 0, 0.9 * frame), C, D, E)
    found = compare_edits(FILM, beside)
    assert (spans(found), changes(found)) == ([(0, 0, 25)], [])
    assert len(changes(compare_edits(FILM, edit(A, ("b", 20, 4 - frame), ("x", 0, frame), C, D, E)))) == 1


def test_media_that_two_programs_name_unlike_are_told_by_the_last_part() -> None:
    old = edit(("file:///one/place/Wide%20shot.mov", 0, 5), ("file:///one/place/close.mov", 0, 5))
    new = edit(("WIDE SHOT.MOV", 0, 5), ("X", 0, 1), ("close", 0, 5))
    assert spans(compare_edits(old, new)) == [(0, 0, 5), (5, 6, 5)]
    twice = edit(("file:///one/close.mov", 0, 5), ("file:///two/close.mov", 0, 5))
    assert compare_edits(twice, new).shared == ()


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_every_second_that_an_edit_leaves_alone_is_found(kind: int) -> None:
    """Ten cuts of dozens of clips for each kind, some sources used several times; two more edits in many of them."""
    for seed in range(kind, 50, len(KINDS)):
        drawn = re_edit(seed)
        rate = drawn.old.frame_rate
        kept = {
            round(span.old_start * rate) + k: round(span.new_start * rate) + k
            for span in compare_edits(drawn.old, drawn.new).shared
            for k in range(round(span.seconds * rate))
        }
        alone = {part.old_start + k: part.new_start + k for part in drawn.untouched for k in range(part.frames)}
        assert kept == alone, (seed, drawn.kinds)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=8),
)
def test_kept_spans_show_the_same_pictures_whatever_the_cuts(old: list[Piece], new: list[Piece]) -> None:
    """And no more seconds are kept than the longest common subsequence of the two rows of frames has."""
    one, other = edit(*old), edit(*new)
    found = compare_edits(one, other)
    frames = [
        [(media, start + k) for media, start, seconds in pieces for k in range(int(seconds))] for pieces in (old, new)
    ]
    for span in found.shared:
        a, b, n = int(span.old_start), int(span.new_start), int(span.seconds)
        assert frames[0][a : a + n] == frames[1][b : b + n]
    rows = [[0] * (len(frames[1]) + 1) for _ in range(len(frames[0]) + 1)]
    for i, here in enumerate(frames[0], 1):
        for j, there in enumerate(frames[1], 1):
            rows[i][j] = max(rows[i - 1][j], rows[i][j - 1], rows[i - 1][j - 1] + (here == there))
    longest = rows[-1][-1]
    assert found.shared_seconds <= longest
    if not match_pieces(one, other).moved:
        assert found.shared_seconds == longest
    assert sum(change.delta_seconds for change in found.changes) == found.new_seconds - found.old_seconds


def test_what_is_no_difference_is_refused() -> None:
    good = compare_edits(FILM, edit(A, B, ("x", 0, 3), C, D, E))
    with pytest.raises(EditError, match="sorted and disjoint"):
        replace(good, shared=good.shared[::-1])
    with pytest.raises(EditError, match="touch in both"):
        replace(good, shared=(SharedSpan(0, 0, 5), SharedSpan(5, 5, 5)))
    with pytest.raises(EditError, match="past the ends"):
        replace(good, old_seconds=3.0)
    with pytest.raises(EditError, match="a change is one of"):
        EditChange(0.0, 0.0, 1.0, "dissolve")  # type: ignore[arg-type]
    with pytest.raises(EditError, match="times of 0 or more"):
        SharedSpan(0.0, -1.0, 1.0)
