"""Which pictures of one cut are which pictures of another: the matching behind `workbench.edits.difference`.

**Pieces.** Two clips show the same pictures where they show the same media at the same speed and their source ranges
overlap. All clips of both cuts are split at all borders of the ranges of that media and speed, so that any two pieces
show either the very same source or nothing in common. A piece is named by what it shows; a cut becomes a sequence of
names, and a piece that is used several times has its name several times. A gap and a freeze frame stand still: they
count from their own beginning.

**Chain.** Of all pairs of like pieces the chain is chosen that goes forward in both cuts and lasts longest; of those
the one with the fewest jumps, so that of several uses of one shot the one is taken that continues what is before or
after it. This is the heaviest increasing sequence of pairs, by Hunt and Szymanski's method with a tree of maxima: time
grows with the number of pairs, not with the product of the lengths.

**Swaps.** Where two shots have changed places the longest chain would keep one of them, or drop a short shot that
stands between. So pieces that both cuts use equally often are paired first, use with use: a permutation of blocks.
Where changing the places of two blocks, each of one clip, undoes three or more of its breaks, both are touched and
the chain is found again without them. For a shot that is used several times only whole clips are reported as moved, and
only where both cuts use it as often.

References
----------
Hunt & Szymanski, "A fast algorithm for computing longest common subsequences", Communications of the ACM 1977.
Bafna & Pevzner, "Sorting by transpositions", SIAM Journal on Discrete Mathematics 1998 (breaks of a permutation).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from workbench.edits.edit_list import Clip, EditList

_UNDONE_BREAKS = 3  # neighbours that changing two blocks' places must put right: 3 side by side, 4 apart


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a clip that the other cut shows whole or not at all."""

    name: int  # of what is shown: pieces with the same name show the same
    clip: int  # index of its clip
    start: int  # record time, in ticks
    ticks: int  # how long it lasts
    moves: bool  # false for gaps and freeze frames, which all look alike

    @property
    def end(self) -> int:
        """Record time at which it ends, in ticks."""
        return self.start + self.ticks


@dataclass(frozen=True, slots=True)
class Matching:
    """Which pieces of two cuts are the same."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    tick: Fraction  # s, in which starts and lengths of all pieces are whole
    in_order: tuple[
        tuple[int, int], ...
    ]  # indices into `old` and `new` of pieces that stayed in order, increasing in both
    moved: tuple[tuple[int, int], ...]  # the same of pieces that both cuts have, in another order


def match_pieces(old: EditList, new: EditList) -> Matching:
    """Match the pictures of two cuts, whose media are the same where their names are equal."""
    olds, news, tick = pieces_of(old, new)
    in_order = _chain(olds, news, _swapped(olds, news))
    in_chain = set(in_order)
    moved = [pair for pair in _paired(olds, news, in_order) if pair not in in_chain]
    return Matching(olds, news, tick, tuple(in_order), tuple(moved))


def pieces_of(old: EditList, new: EditList) -> tuple[tuple[Piece, ...], tuple[Piece, ...], Fraction]:
    """Split the clips of two cuts into pieces that are the same or have nothing in common.

    Returns the pieces of either, in order, and the seconds of a tick.
    """
    spans = [[_shown(clip) for clip in edit.clips] for edit in (old, new)]
    # All times are whole in a tick of the common denominator: integers compare and sum far faster than fractions.
    whole = lcm(
        *(n.denominator for edit, shown in zip((old, new), spans, strict=True)
          for clip, (_, at) in zip(edit.clips, shown, strict=True) for n in (at, clip.seconds))
    )  # fmt: skip
    borders: dict[Hashable, set[int]] = defaultdict(set)
    for edit, shown in zip((old, new), spans, strict=True):
        for clip, (what, at) in zip(edit.clips, shown, strict=True):
            borders[what] |= {int(at * whole), int((at + clip.seconds) * whole)}
    # Borders of both cuts together, so that a piece of one is never part of a piece of the other.
    ordered = {what: sorted(places) for what, places in borders.items()}
    names: dict[tuple[Hashable, int], int] = {}
    cuts: list[tuple[Piece, ...]] = []
    for edit, shown in zip((old, new), spans, strict=True):
        pieces: list[Piece] = []
        reached = 0
        for number, (clip, (what, at)) in enumerate(zip(edit.clips, shown, strict=True)):
            places, first = ordered[what], int(at * whole)
            low, high = bisect_left(places, first), bisect_right(places, int((at + clip.seconds) * whole))
            moves = clip.media is not None and clip.speed != 0
            for here, there in zip(places[low : high - 1], places[low + 1 : high], strict=True):
                name = names.setdefault((what, here), len(names))
                pieces.append(Piece(name, number, reached + here - first, there - here, moves))
            reached += int(clip.seconds * whole)
        cuts.append(tuple(pieces))
    return cuts[0], cuts[1], Fraction(1, whole)


def _shown(clip: Clip) -> tuple[Hashable, Fraction]:
    """What a clip shows, and from where on, in record seconds at its own speed."""
    if clip.media is None or clip.speed == 0:
        return (clip.media, Fraction(0), clip.source_start), Fraction(0)
    return (clip.media, clip.speed), clip.source_start / clip.speed


def _chain(olds: Sequence[Piece], news: Sequence[Piece], touched: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest chain of like pieces that goes forward in both, of those the one with the fewest jumps.

    `touched` holds (0, index) of old and (1, index) of new pieces that take no part.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for j, piece in enumerate(news):
        if (1, j) not in touched:
            places[piece.name].append(j)
    # A tree of maxima over the new pieces: the best (ticks, -jumps, -pair) that ends before a place.
    size = len(news) + 1
    tree: list[tuple[int, int, int]] = [(0, 0, 1)] * (size + 1)
    pairs: list[tuple[int, int]] = []
    before: list[int] = []
    row_above: dict[int, tuple[int, int, int]] = {}
    for i, piece in enumerate(olds):
        row: dict[int, tuple[int, int, int]] = {}
        for j in places[piece.name] if (0, i) not in touched else ():
            best = (0, 0, 1)
            at = j
            while at > 0:
                best = max(best, tree[at])
                at -= at & -at
            starts_both = i == 0 and j == 0
            ticks, jumps, last = best if starts_both else (best[0], best[1] - 1, best[2])
            # The pair before in both cuts goes on without a jump. It is looked up apart from the tree, whose maxima do
            # not say whether they are adjacent.
            going_on = row_above.get(j - 1)
            # Of equal ways the one that jumps later: what stays where it is comes first.
            if going_on is not None and going_on[:2] > (ticks, jumps):
                ticks, jumps, last = going_on
            row[j] = (ticks + piece.ticks, jumps, -len(pairs))
            pairs.append((i, j))
            before.append(last)
        # After the row is complete: a piece of the old cut may not follow itself.
        for j, found in row.items():
            at = j + 1
            while at <= size:
                tree[at] = max(tree[at], found)
                at += at & -at
        row_above = row
    # Reaching the end of both cuts saves the last jump.
    best, at = (0, 0, 1), size
    while at > 0:
        best = max(best, tree[at])
        at -= at & -at
    ends_both = row_above.get(len(news) - 1)
    if ends_both is not None and ends_both[:2] >= (best[0], best[1] - 1):
        best = ends_both
    chain: list[tuple[int, int]] = []
    number = best[2]
    while number <= 0:
        chain.append(pairs[-number])
        number = before[-number]
    return chain[::-1]


def _paired(olds: Sequence[Piece], news: Sequence[Piece], chain: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The chain, and pairs of like pieces outside it, first with first; pieces that stand still are left out."""
    in_old, in_new = {i for i, _ in chain}, {j for _, j in chain}
    free: dict[int, list[int]] = defaultdict(list)
    for j, piece in enumerate(news):
        if j not in in_new and piece.moves:
            free[piece.name].append(j)
    found = list(chain)
    for i, piece in enumerate(olds):
        if i not in in_old and free.get(piece.name):
            found.append((i, free[piece.name].pop(0)))
    return sorted(found)


def _swapped(olds: Sequence[Piece], news: Sequence[Piece]) -> set[tuple[int, int]]:
    """Pieces of clips that changed places with another, as `_chain` takes them."""
    touched: set[tuple[int, int]] = set()
    uses = [Counter(piece.name for piece in pieces) for pieces in (olds, news)]
    # A shot that one cut uses more often cannot be paired use with use.
    pairs = [(i, j) for i, j in _paired(olds, news, ()) if uses[0][olds[i].name] == uses[1][news[j].name]]
    lengths = [Counter[int](), Counter[int]()]
    for length, pieces in zip(lengths, (olds, news), strict=True):
        for piece in pieces:
            length[piece.clip] += piece.ticks

    def is_one_shot(block: Sequence[tuple[int, int]]) -> bool:
        """Whether a block is of one clip: all of it, or a part that is used nowhere else."""
        clips = {(olds[i].clip, news[j].clip) for i, j in block}
        if len(clips) > 1:
            return False
        ((old, new),) = clips
        ticks = sum(olds[i].ticks for i, _ in block)
        return ticks == lengths[0][old] == lengths[1][new] or all(uses[0][olds[i].name] == 1 for i, _ in block)

    while True:
        blocks = _blocks(pairs)
        order = sorted(range(len(blocks)), key=lambda number: blocks[number][0][1])
        exchanged = _exchange(order, [is_one_shot(block) for block in blocks])
        if exchanged is None:
            return touched
        gone = {pair for number in exchanged for pair in blocks[number]}
        touched |= {(0, i) for i, _ in gone} | {(1, j) for _, j in gone}
        pairs = [pair for pair in pairs if pair not in gone]


def _blocks(pairs: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Runs of pairs that follow one another in both cuts, in the order of the old one."""
    rank = {j: number for number, j in enumerate(sorted(j for _, j in pairs))}
    blocks: list[list[tuple[int, int]]] = []
    for pair in pairs:
        if blocks and rank[pair[1]] == rank[blocks[-1][-1][1]] + 1:
            blocks[-1].append(pair)
        else:
            blocks.append([pair])
    return blocks


def _exchange(order: Sequence[int], single: Sequence[bool]) -> tuple[int, int] | None:
    """The two blocks, each of one clip, whose exchange undoes most breaks; None where none undoes enough.

    `order` holds the numbers of blocks, which are their order in the old cut, in the order of the new one.
    """
    place = {number: k for k, number in enumerate(order)}
    best: tuple[int, tuple[int, int]] | None = None

    def breaks(joints: set[int], changed: dict[int, int]) -> int:
        """Count joints, each before a place, whose two sides do not follow one another."""

        def at(k: int) -> int:
            return -1 if k < 0 else len(order) if k == len(order) else changed.get(k, order[k])

        return sum(at(k) != at(k - 1) + 1 for k in joints)

    for k, number in enumerate(order):
        wanted = (order[k - 1] if k else -1) + 1
        if wanted == number or wanted >= len(order) or not (single[number] and single[wanted]):
            continue
        other = place[wanted]
        # Only the joints at both blocks change, so each try costs four looks instead of a pass over the permutation.
        joints = {k, k + 1, other, other + 1}
        undone = breaks(joints, {}) - breaks(joints, {k: wanted, other: number})
        if undone >= _UNDONE_BREAKS and (best is None or undone > best[0]):
            best = (undone, (number, wanted))
    return None if best is None else best[1]
