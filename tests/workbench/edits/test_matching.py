"""Clips are split where sources overlap; the chain of like pieces is the longest, with the fewest jumps."""

from __future__ import annotations

from fractions import Fraction
from time import process_time

from workbench.edits.edit_list import EditList
from workbench.edits.picture_matching import match_pieces, pieces_of

ONE = Fraction(1)


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
    assert match_pieces(old, new).kept == ((1, 0), (2, 1), (3, 2))
    assert match_pieces(new, old).kept == ((0, 1), (1, 2), (2, 3))


def test_what_changed_places_is_moved() -> None:
    old, new = edit(("a", 0, 1), ("b", 0, 1), ("c", 0, 1)), edit(("c", 0, 1), ("b", 0, 1), ("a", 0, 1))
    found = match_pieces(old, new)
    assert found.kept == ((1, 1),)
    assert found.moved == ((0, 2), (2, 0))


def test_gaps_are_never_moved() -> None:
    found = match_pieces(edit((None, 0, 2), ("a", 0, 5)), edit(("a", 0, 5), (None, 0, 2)))
    assert (found.kept, found.moved) == (((1, 0),), ())


def test_a_shuffled_long_cut_takes_no_age() -> None:
    """Two thousand clips of one media, every third away and thirty of them shuffled: under two seconds."""
    pieces = [("a", 7 * k % 2000, 1) for k in range(2000)]
    other = pieces[::3][::-1][:30] + [piece for k, piece in enumerate(pieces) if k % 3]
    start = process_time()
    found = match_pieces(edit(*pieces), edit(*other))
    assert process_time() - start < 2.0
    assert len(found.kept) >= 1333
