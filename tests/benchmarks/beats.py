"""Beats and downbeats beside librosa, essentia, madmom and BeatNet, in one run on the same files.

Protocol: mir_eval's F-measure at ±70 ms, CMLt and AMLt, on whole recordings (mir_eval's usual trimming of the first
five seconds is left out: a loop may start there). A tracker that finds nothing or fails scores 0. Tempo: 60 over the
median beat, found against written; *tempo 1* within 4 %, *tempo 2* also at a third, half, double or triple of it.
Timing error: distance of written beats from the nearest found one within 70 ms, signed as found minus written; median
of a piece, then over pieces. CPU: seconds of one single-threaded process, after a warm-up, from decoded samples to
times, a second of audio, when the tracker last met the piece: answers are kept in .venv/bench-beats. Every other figure
is a mean over pieces.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import mir_eval
import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.beat_pieces import TAGS, Piece, Times, bundled_piece, degraded_pieces, sample
from tests.benchmarks.beat_trackers import SLOW, Answer, Tracker, answers, installed
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.beats.weights import RIGHT_DOWNBEAT_F

SAMPLE = 60  # pieces of a set that slow trackers run on
TEMPO_TOLERANCE = 0.04
SAME_TEMPO = (1.0,)
RELATED_TEMPI = (1.0, 1 / 3, 1 / 2, 2.0, 3.0)
CONFIDENCE_EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
COLUMNS = (
    *("tracker", "pieces", "F", "CMLt", "AMLt", "downbeat F", "tempo 1", "tempo 2"),
    *("|error| ms", "error ms", "CPU s/s"),
)
PROTOCOL = (__doc__ or "").split("\n\n")[-1].strip().replace("\n", " ")


@dataclass(frozen=True)
class Score:
    """One tracker on one piece; None where there is nothing to measure."""

    f: float
    cmlt: float
    amlt: float
    downbeat_f: float | None
    tempo_1: float | None
    tempo_2: float | None
    absolute_ms: float | None
    signed_ms: float | None
    cpu_share: float | None


Scores = dict[str, dict[str, Score]]  # tracker -> piece -> score


def timing(reference: Times, found: Times) -> tuple[float | None, float | None]:
    """Median absolute and signed distance in ms of written beats from found ones, where one is within 70 ms."""
    if not found.size or not reference.size:
        return None, None
    nearest = found[np.argmin(np.abs(found[None, :] - reference[:, None]), axis=1)]
    error = (nearest - reference)[np.abs(nearest - reference) <= 0.07] * 1000.0
    return (float(np.median(np.abs(error))), float(np.median(error))) if error.size else (None, None)


def f_measure(reference: Times, found: Times) -> float:
    """mir_eval's F at ±70 ms; 0 where nothing was found."""
    return float(mir_eval.beat.f_measure(reference, found)) if found.size and reference.size else 0.0


def tempo_right(reference: Times, found: Times, ratios: Iterable[float]) -> float | None:
    """1 where the found tempo is one of `ratios` times the written one, else 0; None where there is no tempo."""
    if reference.size < 2:
        return None
    if found.size < 2:
        return 0.0
    ratio = float(np.median(np.diff(reference)) / np.median(np.diff(found)))
    return float(any(abs(ratio / wanted - 1.0) <= TEMPO_TOLERANCE for wanted in ratios))


def score(piece: Piece, answer: Answer) -> Score:
    """How well a tracker did on a piece that has beats."""
    found = answer.beats
    cmlt, amlt = mir_eval.beat.continuity(piece.beats, found)[1::2] if found.size > 1 else (0.0, 0.0)
    downbeat_f = None if answer.downbeats is None else f_measure(piece.downbeats, answer.downbeats)
    return Score(
        f_measure(piece.beats, found),
        float(cmlt),
        float(amlt),
        downbeat_f,
        tempo_right(piece.beats, found, SAME_TEMPO),
        tempo_right(piece.beats, found, RELATED_TEMPI),
        *timing(piece.beats, found),
        answer.cpu_share,
    )


def over(
    scores: Iterable[Score], name: str, average: Callable[[list[float]], np.floating | float] = np.mean
) -> float | None:
    """One figure over the pieces that have it."""
    known = [value for one in scores if (value := getattr(one, name)) is not None]
    return float(average(known)) if known else None


def row(tracker: str, scores: Sequence[Score]) -> list[object]:
    """A row of COLUMNS."""
    means = [over(scores, name) for name in ("f", "cmlt", "amlt", "downbeat_f", "tempo_1", "tempo_2")]
    medians = [over(scores, name, np.median) for name in ("absolute_ms", "signed_ms")]
    cpu = over(scores, "cpu_share")
    return [tracker, len(scores), *means, *medians, None if cpu is None else f"{cpu:.4f}"]


def summary(title: str, pieces: Sequence[Piece], scores: Scores) -> Table:
    """A row a tracker, over those of the pieces that it ran on."""
    table = Table(f"Beats: {title}", COLUMNS)
    for tracker, by_piece in scores.items():
        known = [by_piece[piece.name] for piece in pieces if piece.name in by_piece]
        if known:
            table.add(*row(tracker, known))
    return table


def one_by_one(title: str, pieces: Sequence[Piece], scores: Scores, found: dict[str, dict[str, Answer]]) -> Table:
    """A row a piece, F and downbeat F of every tracker, with our confidence."""
    ours = next(iter(scores))
    table = Table(f"Beats: {title}, one by one", ("piece", "our confidence", *scores))
    for piece in pieces:
        cells = [triple([by_piece[piece.name]]) if piece.name in by_piece else None for by_piece in scores.values()]
        table.add(piece.name, found[ours][piece.name].confidence, *cells)
    table.notes.append("F / AMLt / downbeat F.")
    return table


def triple(scores: Sequence[Score]) -> str:
    """F / AMLt / downbeat F in a cell."""
    figures = [over(scores, name) for name in ("f", "amlt", "downbeat_f")]
    return " / ".join("–" if figure is None else f"{figure:.2f}" for figure in figures)


def by_tag(title: str, pieces: Sequence[Piece], scores: Scores) -> Table:
    """A row a tag: the tags every set is broken down by, then those that this one has besides."""
    known = {tag for piece in pieces for tag in piece.tags}
    tags = [*(tag for tag in TAGS if tag in known), *sorted(known - set(TAGS))]
    table = Table(f"Beats: {title}, by tag", ("tag", "pieces", *scores))
    for tag in tags:
        tagged = [piece.name for piece in pieces if tag in piece.tags]
        cells = [[by_piece[name] for name in tagged if name in by_piece] for by_piece in scores.values()]
        table.add(tag, len(tagged), *(triple(cell) if cell else None for cell in cells))
    table.notes.append("F / AMLt / downbeat F, means over the pieces with the tag; a piece may have several.")
    return table


def judged(pieces: Sequence[Piece], found: dict[str, Answer]) -> list[tuple[float, bool]]:
    """Our confidence in each piece, and whether the grid was good; where there is no pulse, no grid is."""
    return [
        (answer.confidence, f_measure(piece.downbeats, answer.downbeats) >= RIGHT_DOWNBEAT_F)
        for piece in pieces
        if (answer := found[piece.name]).confidence is not None and answer.downbeats is not None
    ]


def calibration(title: str, judgements: Sequence[tuple[float, bool]]) -> Table:
    """How often grids of a confidence are good."""
    table = Table(f"Confidence, {title}", ("confidence", "pieces", "mean confidence", "share with the right downbeats"))
    for low, high in itertools.pairwise(CONFIDENCE_EDGES):
        inside = [one for one in judgements if low <= one[0] < high or one[0] == high == CONFIDENCE_EDGES[-1]]
        if inside:
            confidence, good = np.mean(np.array(inside, dtype=np.float64), axis=0)
            table.add(f"{low:.1f} to {high:.1f}", len(inside), float(confidence), float(good))
    table.notes.append(
        f"Right: downbeat F at least {RIGHT_DOWNBEAT_F}. A piece without a pulse has no right downbeats."
    )
    return table


def refusals(title: str, judgements: Sequence[tuple[float, bool]]) -> Table:
    """What a threshold of confidence refuses that was good, and lets pass that was bad."""
    columns = ("threshold", "good grids refused", "bad grids passed", "good among those passed")
    table = Table(f"Refusing below a confidence, {title}", columns)
    confidence = np.array([one[0] for one in judgements])
    good = np.array([one[1] for one in judgements], dtype=bool)
    for threshold in THRESHOLDS:
        passed = confidence >= threshold
        table.add(threshold, share(~passed[good]), share(passed[~good]), share(good[passed]))
    table.notes.append(f"{good.sum()} good grids, {(~good).sum()} bad ones.")
    return table


def share(true: NDArray[np.bool_]) -> float | None:
    """Share of true ones; None of nothing."""
    return float(true.mean()) if true.size else None


@dataclass(frozen=True)
class Set:
    """Pieces that are measured together."""

    title: str
    pieces: list[Piece]
    sampled: list[Piece]  # those that slow trackers run on

    def pieces_for(self, tracker: Tracker) -> list[Piece]:
        return self.sampled if tracker.name in SLOW else self.pieces


def sets() -> list[Set]:
    """The bundled tracks in their two batches, and their spoiled versions."""
    tracks = [track for track in bundled() if track.beats()[0].size]
    first, last = ([bundled_piece(track) for track in tracks if track.batch == batch] for batch in (1, 2))
    spoiled = degraded_pieces()
    return [
        Set("bundled tracks composed first", first, first),
        Set("bundled tracks composed after the tracker was done", last, last),
        Set("bundled tracks spoiled", spoiled, sample(spoiled, SAMPLE)),
    ]


def set_tables(part: Set, trackers: Sequence[Tracker], found: dict[str, dict[str, Answer]]) -> list[Table]:
    """Every table of one set."""
    scores = {
        tracker.name: {piece.name: score(piece, found[tracker.name][piece.name]) for piece in part.pieces_for(tracker)}
        for tracker in trackers
    }
    tables = [summary(part.title, part.pieces, scores)]
    if len(part.sampled) < len(part.pieces):
        tables.append(summary(f"{part.title}, those that every tracker ran on", part.sampled, scores))
    tables.append(by_tag(part.title, part.pieces, scores))
    if len(part.pieces) <= SAMPLE and part.sampled == part.pieces:
        tables.append(one_by_one(part.title, part.pieces, scores, found))
    for tracker in trackers:
        errors = [error for piece in part.pieces_for(tracker) if (error := found[tracker.name][piece.name].error)]
        if errors:
            tables[0].notes.append(f"{tracker.name} failed on {len(errors)} pieces, the first time with: {errors[0]}")
    return tables


def run() -> list[Table]:
    """All tables."""
    warnings.simplefilter("ignore")  # mir_eval's, about pieces in which nothing was found
    trackers, missing = installed()
    parts = sets()
    silent = [bundled_piece(track) for track in bundled() if not track.beats()[0].size]
    wanted = {t.name: [piece for part in parts for piece in part.pieces_for(t)] for t in trackers}
    ours = [tracker.name for tracker in trackers if tracker.is_ours]
    wanted |= {name: [*wanted[name], *silent] for name in ours}
    found = answers(trackers, wanted)
    tables = [table for part in parts for table in set_tables(part, trackers, found)]
    versions = ", ".join(f"{tracker.name} {tracker.version}" for tracker in trackers if not tracker.is_ours)
    tables[0].notes += [PROTOCOL, f"Peers: {versions}.", *missing]
    return [*tables, *confidence_tables(parts, silent, found[ours[0]])]


def confidence_tables(parts: Sequence[Set], silent: Sequence[Piece], found: dict[str, Answer]) -> list[Table]:
    """How well our confidence predicts a right grid."""
    title = ", ".join(part.title for part in parts)
    pieces = [piece for part in parts for piece in part.pieces]
    judgements = judged([*pieces, *silent], found)
    return [calibration(title, judgements), refusals(title, judgements), refused(silent, found)]


def refused(silent: Sequence[Piece], found: dict[str, Answer]) -> Table:
    """The pieces that are there to be refused."""
    table = Table("Beats: pieces without a pulse", ("piece", "beats found", "confidence"))
    for piece in silent:
        table.add(piece.name, found[piece.name].beats.size, found[piece.name].confidence)
    return table
