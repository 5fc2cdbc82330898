"""Verdicts: what reviewers heard at seams, kept for calibrating the seam score.

Functions take a connection whose transaction the caller owns; `write_csv` writes what they return.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias, cast, get_args

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.errors import ParameterError
from workbench.store.database import now, verdicts

Word: TypeAlias = Literal["good", "audible", "wrong"]
"""the seam cannot be heard; it can be heard; it is a mistake"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer heard at one seam."""

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


def add(
    connection: Connection, content_hash: str, track: str, seam: Mapping[str, float], verdict: Word, note: str = ""
) -> Verdict:
    """Keep a verdict. Earlier ones about the same seam stay; the latest counts.

    Parameters
    ----------
    connection : of a transaction that writes
    content_hash : SHA-256 of the track's bytes, hex
    track : the track's name, for the reader
    seam : see `Verdict.seam`
    verdict : good, audible or wrong
    note : in the reviewer's words

    Returns
    -------
    the record, with its id and the current time

    Raises
    ------
    ParameterError : `verdict` is none of the three
    """
    if verdict not in get_args(Word):
        raise ParameterError(f"a verdict is one of {', '.join(get_args(Word))}, not {verdict!r}")
    kept = Verdict(f"ver_{ULID()}", content_hash, track, dict(seam), verdict, note, now())
    values = {name: getattr(kept, name) for name in Verdict.__slots__} | {"seam": json.dumps(kept.seam)}
    connection.execute(verdicts.insert().values(**values))
    return kept


def every(connection: Connection, content_hash: str | None = None) -> list[Verdict]:
    """All verdicts, or those about one track, oldest first.

    Parameters
    ----------
    connection : of a transaction
    content_hash : SHA-256 of the track's bytes, hex; None: all tracks
    """
    query = select(verdicts).order_by(verdicts.c.verdict_id)
    if content_hash is not None:
        query = query.where(verdicts.c.content_hash == content_hash)
    return [
        Verdict(
            row.verdict_id, row.content_hash, row.track, json.loads(row.seam), cast(Word, row.verdict), row.note, row.at
        )
        for row in connection.execute(query)
    ]


def latest(given: Iterable[Verdict]) -> list[Verdict]:
    """The last verdict about each seam.

    Parameters
    ----------
    given : verdicts, oldest first; times that round to the same millisecond are the same seam

    Returns
    -------
    in the order in which the seams first occurred
    """
    found: dict[tuple[str, int, int], Verdict] = {}
    for verdict in given:
        places = (round(1000 * verdict.seam["leave"]), round(1000 * verdict.seam["enter"]))
        found[(verdict.content_hash, *places)] = verdict
    return list(found.values())


def write_csv(given: Iterable[Verdict], out: TextIO) -> None:
    """Write verdicts as CSV, one a line, with a column for each number of the seam.

    Parameters
    ----------
    given : verdicts
    out : text file, open for writing
    """
    rows = list(given)
    names = list(dict.fromkeys(name for verdict in rows for name in verdict.seam))
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["verdict_id", "at", "track", "content_hash", "verdict", "note", *names])
    for verdict in rows:
        numbers = [verdict.seam.get(name, "") for name in names]
        known = [verdict.verdict_id, verdict.at, verdict.track, verdict.content_hash, verdict.verdict, verdict.note]
        writer.writerow([*known, *numbers])
