"""Edit lists: exact times without holes, their shots, their pieces, and the document of a bundle."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest

from workbench.edits.documents import choose_project, document_of
from workbench.edits.edit_list import Clip, EditList
from workbench.edits.picture_matching import match_pieces, pieces_of
from workbench.edits.shots import (
    Shot,
    cut_at_middles,
    exact_number,
    exact_rate,
    find_usual_rate,
    lay_shots,
    part_of,
    plain_speed,
)
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


@pytest.mark.parametrize("rate", [23.976, 23.98, 23.976023976023978])
def test_a_decimal_rate_is_the_broadcast_one(rate: float) -> None:
    assert exact_rate(rate) == Fraction(24_000, 1001)
    assert exact_rate(rate * 5 / 4) == Fraction(30_000, 1001)
    assert exact_rate(24.0) == 24
    assert exact_rate(12.5) == Fraction(25, 2)


@pytest.mark.parametrize(
    ("measured", "exact"),
    [
        (23.976, Fraction(24000, 1001)),
        (24.0, Fraction(24)),
        (29.97003, Fraction(30000, 1001)),
        (59.9401, Fraction(60000, 1001)),
        (119.88, Fraction(120000, 1001)),
        (12.5, Fraction(25, 2)),
    ],
)
def test_the_mean_of_a_video_stands_for_a_usual_rate(measured: float, exact: Fraction) -> None:
    assert find_usual_rate(measured, 2e-4) == exact
    assert exact_rate(measured) == pytest.approx(exact)
    assert find_usual_rate(1.0005 * measured, 2e-4) is None


def test_numbers_and_speeds() -> None:
    assert exact_number(86_400.0) == 86_400
    assert exact_number(10.5) == Fraction(21, 2)
    assert plain_speed(Fraction("1.332"), Fraction("0.002")) == Fraction(4, 3)
    assert plain_speed(Fraction("-0.5"), Fraction("0.002")) == Fraction(-1, 2)
    for bad in (0.0, 0.0001, float("nan")):
        with pytest.raises(EditError, match="must be positive"):
            exact_rate(bad)
    with pytest.raises(EditError, match="finite"):
        exact_number(float("inf"))


def test_a_part_of_a_row_forwards_backwards_and_past_its_ends() -> None:
    row = [Shot("a", Fraction(10), Fraction(4), ONE), Shot("b", Fraction(0), Fraction(4), Fraction(2))]
    assert part_of(row, Fraction(2), Fraction(4)) == [
        Shot("a", Fraction(12), Fraction(2), ONE), Shot("b", Fraction(0), Fraction(2), Fraction(2)),
    ]  # fmt: skip
    assert part_of(row, Fraction(6), Fraction(2), Fraction(-2)) == [
        Shot("b", Fraction(4), ONE, Fraction(-4)), Shot("a", Fraction(14), ONE, Fraction(-2)),
    ]  # fmt: skip
    assert part_of(row, Fraction(-1), Fraction(2)) == [Shot.gap(ONE), Shot("a", Fraction(10), ONE, ONE)]
    assert part_of(row, Fraction(7), Fraction(3)) == [Shot("b", Fraction(6), ONE, Fraction(2)), Shot.gap(Fraction(2))]
    assert part_of(row, Fraction(9), Fraction(3)) == [Shot.gap(Fraction(3))]
    assert part_of(row, Fraction(5), Fraction(3), Fraction(0)) == [Shot("b", Fraction(2), Fraction(3), Fraction(0))]


def test_a_transition_no_shot_has_room_for() -> None:
    row = [Shot("a", ONE, ONE, ONE), Shot("b", ONE, ONE, ONE, Fraction(5)), Shot("c", ONE, ONE, ONE, Fraction(-1, 2))]
    assert cut_at_middles(row) == [Shot("a", ONE, Fraction(2), ONE), Shot("c", ONE, ONE, ONE)]
    with pytest.raises(EditError, match="no shot"):
        lay_shots([], Fraction(25))


def edit(*pieces: tuple[str | None, float, float]) -> EditList:
    return EditList.laid([(media, Fraction(start), Fraction(length), ONE) for media, start, length in pieces], ONE)


def test_pieces_show_the_very_same_or_nothing_in_common() -> None:
    olds, news, tick = pieces_of(edit(("a", 0, 10), ("b", 0, 2)), edit(("a", 4, 3), ("a", 6, 6)))
    assert tick == 1
    assert [piece.ticks for piece in olds] == [4, 2, 1, 3, 2]
    assert [piece.ticks for piece in news] == [2, 1, 1, 3, 2]
    assert [piece.name for piece in olds[1:4]] == [piece.name for piece in (news[0], news[1], news[3])]
    assert news[1].name == news[2].name
    assert [piece.clip for piece in news] == [0, 0, 1, 1, 1]


def test_of_equal_chains_the_one_with_fewest_jumps() -> None:
    old, new = edit(("r", 0, 1), ("a", 0, 1), ("r", 0, 1), ("b", 0, 1)), edit(("a", 0, 1), ("r", 0, 1), ("b", 0, 1))
    assert match_pieces(old, new).in_order == ((1, 0), (2, 1), (3, 2))
    assert match_pieces(new, old).in_order == ((0, 1), (1, 2), (2, 3))


def test_what_changed_places_is_moved() -> None:
    old, new = edit(("a", 0, 1), ("b", 0, 1), ("c", 0, 1)), edit(("c", 0, 1), ("b", 0, 1), ("a", 0, 1))
    found = match_pieces(old, new)
    assert found.in_order == ((1, 1),)
    assert found.moved == ((0, 2), (2, 0))


def test_gaps_are_never_moved() -> None:
    found = match_pieces(edit((None, 0, 2), ("a", 0, 5)), edit(("a", 0, 5), (None, 0, 2)))
    assert (found.in_order, found.moved) == (((1, 0),), ())


def test_a_shuffled_long_cut_takes_no_age() -> None:
    """Two thousand clips of one media, every third away and thirty of them shuffled: under two seconds."""
    pieces = [("a", 7 * k % 2000, 1) for k in range(2000)]
    other = pieces[::3][::-1][:30] + [piece for k, piece in enumerate(pieces) if k % 3]
    start = process_time()
    found = match_pieces(edit(*pieces), edit(*other))
    assert process_time() - start < 2.0
    assert len(found.in_order) >= 1333


def test_the_document_in_a_bundle(tmp_path: Path) -> None:
    for bundle, name in (("a.fcpxmld", "Info.fcpxml"), ("b.otiod", "content.otio")):
        (tmp_path / bundle).mkdir()
        assert document_of(tmp_path / bundle) == tmp_path / bundle
        document = tmp_path / bundle / name
        document.write_text("")
        assert document_of(tmp_path / bundle) == document_of(document) == document
    assert document_of(tmp_path / "none.edl") == tmp_path / "none.edl"


def test_the_project_of_a_name() -> None:
    path, names = Path("cuts.fcpxml"), ["one", "Cafe\u0301", "one"]
    assert choose_project(path, ["alone"], None) == choose_project(path, ["alone"], "other") == 0
    assert choose_project(path, names, "Caf\u00e9") == 1
    for wanted, words in ((None, "3 projects: one"), ("two", "none of them two: one"), ("one", "several of them one:")):
        with pytest.raises(EditError, match=words) as caught:
            choose_project(path, names, wanted)
        assert "say which with projects" in str(caught.value)
