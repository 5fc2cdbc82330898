"""A lane: the ten tracks that are proposed, the reasons for each, and the pool they were taken from.

Ranking scores how well every candidate suits; a lane is the part of it that a person sees. It holds no track twice: of
a song that has several files the best one, of the same bytes under two ids one, and of two tracks that sound nearly the
same only the better. Where a catalog is so small that this leaves fewer than were asked for, near duplicates fill up
the lane, but never a song twice.

Scores are absolute. A raw score is the sum that a ranking computes; `calibrated` turns it into one of 0 to 1 by a
logistic curve whose two constants were fitted once on graded pairs (Platt 1999). So a pair scores the same in every
catalog, and where nothing suits, all scores are low.

References
----------
J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods",
Advances in Large Margin Classifiers, 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.align.placements import Placement
from workbench.catalog.track import Track
from workbench.matching.brief import SATISFIED
from workbench.matching.columns import Columns
from workbench.recording import FloatArray, IntArray, NotebookValue

LANE_SIZE = 10
"""matches of a lane"""
POOL_SIZE = 50
"""tracks of a candidate pool at most"""
_SAME_SOUND = 0.9995  # cosine of sound vectors from where on two tracks are one recording
_SAME_ARTIST_SOUND = 0.97  # the same where both are of one artist: versions, or an album's sound


@dataclass(frozen=True, slots=True)
class MatchReason:
    """One fact that raised or lowered the score of a match."""

    video: str
    """fact of the video, the brief or the script, with number and unit"""
    audio: str
    """fact of the track"""
    score: float
    """0 to 1: how well the two go together in this respect"""
    category: str | None = None
    """`pace`, `energy`, `mood`, `voice`, `length` or `sync`; None in underscore, for briefs and external terms"""
    called: str = ""
    """what it is about, for people: no two reasons of a match have the same; of underscore only rules have one"""


@dataclass(frozen=True, slots=True)
class Match:
    """One track that is proposed."""

    track: Track
    score: float
    """0 to 1, absolute"""
    reasons: tuple[MatchReason, ...]
    """in the order of their effect on the score, the largest first"""
    matched_tags: tuple[str, ...] = ()
    """tags of the track that retrieval matched"""
    fit_explanation: str = ""
    """one sentence"""
    sync: tuple[Placement, ...] | None = None
    """best first; None where placements were not asked for or could not be computed"""
    sync_status: Literal["warm", "cold"] | None = None
    """`warm`: placements are computed and cached; `cold`: they are not; None: they were not asked for"""
    unmet: str = ""
    """the rules of the brief that it breaks or may break, in words; empty where it meets all"""
    standing: int = SATISFIED
    """the worst judgement of these rules, by which a lane is parted"""


@dataclass(frozen=True, slots=True)
class Lane(NotebookValue):
    """The tracks that are proposed for a video or a script."""

    title: str
    reasoning: str
    """the facts that the ranking weighed, in plain words"""
    matches: tuple[Match, ...]
    """up to ten, best first; tracks that meet the brief's rules come before others (`Match.unmet`)"""
    candidate_pool: tuple[Match, ...]
    """in the same order, up to fifty; the matches are among them"""


class Calibration(NamedTuple):
    """The logistic curve from a raw score to a probability."""

    offset: float
    """log-odds of a raw score of 0"""
    slope: float
    """log-odds a unit of raw score"""


def pick(
    order: IntArray,
    columns: Columns,
    count: int = LANE_SIZE,
    artist_of: Callable[[int], str | None] | None = None,
    standing: NDArray[np.int8] | None = None,
) -> IntArray:
    """Pick the rows that are proposed, best first, no song twice.

    A row is a near duplicate of a better one when both have the same bytes, sound all but the same, or are of one
    artist and sound much the same. Near duplicates are used only to fill up, but before rows of a lower `standing`, by
    which `order`, rows of `columns`, best first, is parted. `artist_of` is called only for rows that sound alike, and
    None says that no two share an artist.
    """
    chosen: list[int] = []
    for _, part in groupby(map(int, order), lambda row: 0 if standing is None else int(standing[row])):
        spare: list[int] = []
        for row in part:
            if len(chosen) == count:
                break
            if columns.song[row] in columns.song[chosen]:
                continue
            twin = bool(chosen) and _sounds_like_one_of(row, chosen, columns, artist_of)
            (spare if twin else chosen).append(row)
        for row in spare:
            if len(chosen) < count and columns.song[row] not in columns.song[chosen]:
                chosen.append(row)
    picked = set(chosen)
    return np.array([row for row in map(int, order) if row in picked], dtype=np.int64)


def _sounds_like_one_of(
    row: int, others: list[int], columns: Columns, artist_of: Callable[[int], str | None] | None
) -> bool:
    if columns.audio[row] in columns.audio[others]:
        return True
    cosine = np.asarray(columns.sound[others], dtype=np.float32) @ np.asarray(columns.sound[row], dtype=np.float32)
    if np.any(cosine >= _SAME_SOUND):
        return True
    alike = [other for other, nearness in zip(others, cosine, strict=True) if nearness >= _SAME_ARTIST_SOUND]
    if not alike or artist_of is None:
        return False
    artist = artist_of(row)
    return artist is not None and any(artist_of(other) == artist for other in alike)


def calibrated(raw: FloatArray, calibration: Calibration) -> FloatArray:
    """Probabilities, 0 to 1, of raw scores, independent of the rest of the catalog."""
    log_odds = calibration.offset + calibration.slope * np.asarray(raw, dtype=np.float64)
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -60.0, 60.0))))
