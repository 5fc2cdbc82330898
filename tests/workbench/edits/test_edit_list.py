"""An edit list has no holes, and its times are exact."""

from __future__ import annotations

from fractions import Fraction

import pytest

from workbench.edits.edit_list import Clip, EditList
from workbench.errors import EditError

RATE = Fraction(30_000, 1001)
FRAME = 1 / RATE
ONE = Fraction(1)


def test_pieces_are_laid_edge_to_edge_and_gaps_side_by_side_become_one() -> None:
    edit = EditList.laid(
        [
            ("a", 10 * FRAME, 3 * FRAME, ONE),
            (None, Fraction(0), 2 * FRAME, ONE),
            ("a", Fraction(0), Fraction(0), ONE),
            (None, Fraction(5), 4 * FRAME, ONE),
            ("b", Fraction(0), 5 * FRAME, Fraction(2)),
        ],
        RATE,
    )
    assert [clip.media for clip in edit.clips] == ["a", None, "b"]
    assert [clip.start * RATE for clip in edit.clips] == [0, 3, 9]
    assert edit.clips[1] == Clip(None, Fraction(0), 6 * FRAME, ONE, 3 * FRAME)
    assert edit.clips[2].source_end == 10 * FRAME
    assert edit.seconds == 14 * FRAME


def test_thousands_of_frames_meet_exactly() -> None:
    edit = EditList.laid([("a", k * FRAME, FRAME, ONE) for k in range(3000)], RATE)
    assert edit.seconds == Fraction(3000 * 1001, 30_000)


@pytest.mark.parametrize(
    ("clips", "seconds", "words"),
    [
        ((), 0, "at least one clip"),
        ((Clip("a", Fraction(0), ONE, ONE, ONE),), 2, "without holes"),
        ((Clip("a", Fraction(0), ONE, ONE, Fraction(0)),), 2, "the edit at 2 s"),
    ],
)
def test_what_is_no_edit_list_is_refused(clips: tuple[Clip, ...], seconds: int, words: str) -> None:
    with pytest.raises(EditError, match=words):
        EditList(clips, Fraction(seconds), RATE)


def test_what_is_no_clip_is_refused() -> None:
    with pytest.raises(EditError, match="longer than 0 s"):
        Clip("a", Fraction(0), Fraction(0), ONE, Fraction(0))
    with pytest.raises(EditError, match="a gap has no source"):
        Clip(None, ONE, ONE, ONE, Fraction(0))
    with pytest.raises(EditError, match="before 0 s"):
        Clip("a", ONE, ONE, ONE, Fraction(-1))
    with pytest.raises(EditError, match="frame rate"):
        EditList.laid([("a", Fraction(0), ONE, ONE)], Fraction(0))
