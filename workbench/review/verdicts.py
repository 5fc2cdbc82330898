"""Save the verdicts of reviewers, and gather verdicts to compare scores with: those saved, those of a CSV, a stand-in.

A verdict is a reviewer's on a seam of a plan: good, audible or wrong, with the numbers of the seam and a note.
It belongs to the seam as it was played: with another crossfade it is another seam. Verdicts are saved in the home
folder's database, and written and read as CSV.

The stand-in needs no listener. How a bundled track was composed is known: its beats, its bars, and where sections
begin. From these follow splices whose verdict is given by a rule:

    good      from inside a section to the same bar of another of that name and length: the same music goes on
    audible   from inside a section to inside a section of another name, on bar lines: the beat goes on, the music not
    wrong     a good one, entered a beat late: the bar is a beat short

The rule errs where a section comes again with another melody over it, which it calls good, or where two sections
consist of the same bars, whose splices it calls audible. Splices are scored on the composed grid. The score's weights
were fitted to splices of much the same kinds, so the stand-in shows how to read the pictures and that scores rank; it
is no evidence of what people hear.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias, get_args

import numpy as np
from sqlalchemy import Connection, select
from ulid import ULID

from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import InputError, ParameterError
from workbench.files import bundled_path, decode_text, write_rows
from workbench.media.audio import decode
from workbench.params import SeamParams
from workbench.plans.plan import LoopPlan
from workbench.plots.seams import SeamView
from workbench.seams.measures import part_names
from workbench.seams.seam_score import score_splices, seam_evidence
from workbench.store.database import now, verdicts
from workbench.workflows.plan import Planned

Word: TypeAlias = Literal["good", "audible", "wrong"]
"""the seam is inaudible; it is audible; it is a mistake"""
WORDS: tuple[Word, ...] = get_args(Word)
MAX_NAME = 80
"""characters of a reviewer's name"""
_DIRECTIONS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""bidirectional classes of characters that may turn around what follows a name"""
_COLUMNS = ("verdict_id", "at", "reviewer", "track", "content_hash", "verdict", "note")
_TEXTS = ("verdict_id", "at", "track", "content_hash", "verdict", "note")  # columns of an exported CSV with text


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reviewer's judgement of one seam."""

    verdict_id: str
    content_hash: str
    """SHA-256 of the track's bytes"""
    track: str
    """its name"""
    seam: Mapping[str, float]
    """`leave` and `enter` in track time, s; `fade` s, `exponent`, `score`, and the parts of the score by name"""
    verdict: Word
    note: str
    at: str
    reviewer: str = ""
    """empty: no name was given"""

    @property
    def seam_key(self) -> tuple[int, int, int, int]:
        """The judged seam: ms of track time left and entered, ms of the fade and hundredths of its exponent.

        Verdicts are about the same seam where these are equal; -1 stands for a fade that is not known.
        """
        seam = self.seam
        fade, exponent = seam.get("fade"), seam.get("exponent")
        return (
            round(1000 * seam["leave"]),
            round(1000 * seam["enter"]),
            -1 if fade is None else round(1000 * fade),
            -1 if exponent is None else round(100 * exponent),
        )


def clean_name(name: str, most: int = MAX_NAME) -> str:
    """The name of a reviewer without blanks at its ends.

    ParameterError: nothing is left, it is longer than `most`, or it has characters that control lines or the
    direction of text.
    """
    found = name.strip()
    if not 1 <= len(found) <= most or any(_controls(letter) for letter in found):
        raise ParameterError(f"a reviewer needs a name of 1 to {most} characters on one line: {found[:most]!r}")
    return found


def _controls(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in _DIRECTIONS


def add(
    connection: Connection,
    content_hash: str,
    track: str,
    seam: Mapping[str, float],
    verdict: Word,
    note: str = "",
    reviewer: str = "",
) -> Verdict:
    """Save a verdict: good, audible or wrong, else ParameterError.

    Earlier ones stay; a reviewer's latest verdict about a seam and its crossfade counts.
    """
    if verdict not in WORDS:
        raise ParameterError(f"a verdict is one of {', '.join(WORDS)}, not {verdict!r}")
    saved = Verdict(f"ver_{ULID()}", content_hash, track, dict(seam), verdict, note, now(), reviewer)
    put(connection, saved)
    return saved


def put(connection: Connection, verdict: Verdict) -> None:
    """Put a verdict back as it was, under its id and at its time, in place of the record of that id."""
    remove(connection, verdict.verdict_id)
    connection.execute(verdicts.insert().values(asdict(verdict) | {"seam": json.dumps(verdict.seam)}))


def remove(connection: Connection, verdict_id: str) -> None:
    """Delete a verdict."""
    connection.execute(verdicts.delete().where(verdicts.c.verdict_id == verdict_id))


def get(connection: Connection, verdict_id: str) -> Verdict | None:
    """The verdict of an id; None if there is none."""
    row = connection.execute(select(verdicts).where(verdicts.c.verdict_id == verdict_id)).mappings().one_or_none()
    return None if row is None else _stored(row)


def every(connection: Connection, content_hash: str | None = None) -> list[Verdict]:
    """All verdicts, or those about one track, oldest first."""
    query = select(verdicts).order_by(verdicts.c.verdict_id)
    if content_hash is not None:
        query = query.where(verdicts.c.content_hash == content_hash)
    return [_stored(row) for row in connection.execute(query).mappings()]


def _stored(row: Mapping[Any, Any]) -> Verdict:
    return Verdict(**{**row, "seam": json.loads(row["seam"])})


def latest(given: Iterable[Verdict]) -> list[Verdict]:
    """Each reviewer's last verdict about each seam and its crossfade (`Verdict.seam_key`).

    Given oldest first; returned in the order in which the seams were first judged.
    """
    found: dict[tuple[object, ...], Verdict] = {}
    for verdict in given:
        found[(verdict.content_hash, verdict.reviewer, verdict.seam_key)] = verdict
    return list(found.values())


def judge_seam(
    workspace: Workspace,
    loop: Planned,
    plan: LoopPlan,
    view: SeamView,
    word: Word,
    note: str = "",
    reviewer: str = "",
) -> Verdict:
    """Save a reviewer's verdict on a seam under the crossfade that was played; verdicts given before stay.

    `plan` is what was played: one of the loop's options, or one with another crossfade. Raises `ParameterError` if
    `word` is no verdict, or the name of the reviewer is none.
    """
    assert loop.analysis is not None, "a plan comes from an analysis"
    numbers = {
        "leave": view.leave_s, "enter": view.enter_s, "fade": plan.seam_fades[view.number - 1],
        "exponent": plan.seam_curves[view.number - 1], "score": view.score,
        **view.named_parts,
    }  # fmt: skip
    who = clean_name(reviewer) if reviewer.strip() else ""
    with workspace.database.write() as connection:
        return add(connection, loop.analysis.content_hash, loop.track.title, numbers, word, note, who)


def load_verdicts(workspace: Workspace) -> list[Verdict]:
    """All verdicts of a home folder, oldest first."""
    with workspace.database.read() as connection:
        return every(connection)


def newest_verdicts(workspace: Workspace) -> list[Verdict]:
    """Each reviewer's newest verdict about every seam under every crossfade, of all tracks, oldest first."""
    given = load_verdicts(workspace)
    order = {verdict.verdict_id: place for place, verdict in enumerate(given)}
    return sorted(latest(given), key=lambda verdict: order[verdict.verdict_id])


def write_verdicts(given: Iterable[Verdict], out: TextIO) -> None:
    """Write verdicts as CSV, one a line, with a column for each number of the seam, as `read_verdicts` reads them."""
    rows = list(given)
    numbers = list(dict.fromkeys(name for one in rows for name in one.seam))
    write_rows(
        out,
        (*_COLUMNS, *numbers),
        ([*(getattr(one, name) for name in _COLUMNS), *(one.seam.get(name) for name in numbers)] for one in rows),
    )


def read_verdicts(path: Path) -> list[Verdict]:
    """Read verdicts from a CSV file (UTF-8 or UTF-16) as the dashboard exports it, in the order of its rows.

    Raises `InputError` if the file cannot be read, a column is missing, or a row is no verdict.
    """
    try:
        reader = csv.DictReader(io.StringIO(decode_text(path.read_bytes()), newline=""))
        missing = [name for name in (*_TEXTS, "leave", "enter") if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"{path}: no column {missing[0]!r}; export verdicts from the dashboard's seam tab")
        return [_verdict(row, f"{path}, line {reader.line_num}") for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def _verdict(row: dict[str, Any], where: str) -> Verdict:
    texts = {name: row.pop(name) for name in _TEXTS}
    texts["reviewer"] = row.pop("reviewer", "") or ""  # older files have no such column
    if texts["verdict"] not in WORDS:
        raise InputError(f"{where}: a verdict is one of {', '.join(WORDS)}, not {texts['verdict']!r}")
    try:
        seam = {name: float(value) for name, value in row.items() if value}
    except (TypeError, ValueError):
        raise InputError(f"{where}: numbers were expected, got {row}") from None
    if not {"leave", "enter"} <= seam.keys():
        raise InputError(f"{where}: a verdict needs the times that its seam leaves and enters")
    return Verdict(seam=seam, **texts)


@dataclass(frozen=True, slots=True)
class _Notes:
    """The composed truth of a bundled track."""

    grid: BeatGrid
    sections: tuple[tuple[int, int, str], ...]  # first bar, one past the last, name
    one_key: bool  # whether it stays in its key; else sections of one name need not sound alike


def known_splices(tracks: Iterable[str], each: int = 24) -> list[Verdict]:
    """Splices of bundled tracks with verdicts by the rule in the head of this module, without listening.

    At most `each` of each verdict from a track, drawn with a fixed seed. A track that never repeats or that changes key
    has only audible splices, one without beats none. Raises `ResourceMissing` for an unknown name.
    """
    params = SeamParams()
    found: list[Verdict] = []
    for track in tracks:
        notes = _notes(track)
        if notes is None:
            continue
        recording = decode(bundled_path("data", "bundled", "music", f"{track}.ogg"))
        evidence = seam_evidence(recording, notes.grid, params)
        for number, (word, leave, enter) in enumerate(_draw_splices(notes, each)):
            parts, total, _ = score_splices(evidence, np.array([leave]), np.array([enter]), params)
            seam = {
                "leave": float(notes.grid.beats[leave]), "enter": float(notes.grid.beats[enter]),
                "score": float(total[0, 0]), **dict(zip(part_names(params), parts[:, 0, 0].tolist(), strict=True)),
            }  # fmt: skip
            name = f"rule_{track}_{number}"
            found.append(Verdict(name, recording.content_hash, track, seam, word, "by rule, without listening", ""))
    return found


def _notes(track: str) -> _Notes | None:
    """The composed truth of a bundled track; None if it has no beats to splice at."""
    body = json.loads(bundled_path("data", "bundled", "truth", f"{track}.jams").read_text(encoding="utf-8"))
    written = {one["namespace"]: one["data"] for one in body["annotations"]}
    rows = written["beat_position"]
    if not rows:
        return None
    per_bar = int(np.median([row["value"]["num_beats"] for row in rows]))
    places = np.array([row["value"]["position"] for row in rows])
    grid = BeatGrid(np.array([row["time"] for row in rows]), places, per_bar)
    sections = []
    for row in written["segment_open"]:
        first = int(np.argmin(np.abs(grid.downbeats - row["time"])))
        last = int(np.searchsorted(grid.downbeats, row["time"] + row["duration"] - 0.05))
        sections.append((first, last, str(row["value"])))
    moved = any("key change" in trait for trait in body["sandbox"]["traits"])
    return _Notes(grid, tuple(sections), not moved)


def _draw_splices(notes: _Notes, each: int) -> Iterator[tuple[Word, int, int]]:
    """Some splices of every verdict: the verdict, the beat left, the beat entered."""
    lines, n_beats = notes.grid.downbeat_indices, notes.grid.beats.size
    good = [(int(lines[a]), int(lines[b])) for a, b in sorted(_repeated(notes, lines.size))]
    wrong = [(leave, enter + 1) for leave, enter in good if enter + 1 < n_beats and enter + 1 != leave]
    audible = [(int(lines[a]), int(lines[b])) for a, b in _elsewhere(notes, lines.size)]
    dice = np.random.default_rng(0)
    by_word: tuple[tuple[Word, list[tuple[int, int]]], ...] = (("good", good), ("audible", audible), ("wrong", wrong))
    for word, pairs in by_word:
        for k in dice.permutation(len(pairs))[:each]:
            yield word, *pairs[k]


def _repeated(notes: _Notes, n_bars: int) -> set[tuple[int, int]]:
    """Bars inside sections, each with the same bar of another section of that name and length."""
    if not notes.one_key:
        return set()
    return {
        (first + k, other_first + k)
        for first, last, name in notes.sections
        for other_first, other_last, other in notes.sections
        if first != other_first and name == other and last - first == other_last - other_first
        for k in range(1, last - first - 1)
        if max(first, other_first) + k + 1 < n_bars
    }


def _elsewhere(notes: _Notes, n_bars: int) -> list[tuple[int, int]]:
    """Bars inside sections of different names, at least one bar from either border."""
    inside = [
        (bar, name) for first, last, name in notes.sections for bar in range(first + 1, min(last - 1, n_bars - 1))
    ]
    return [(a, b) for a, one in inside for b, other in inside if one != other]
