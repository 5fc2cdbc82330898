"""Verdicts: reviewers' judgements of seams, saved for calibrating the seam score.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from sqlalchemy import Connection, Row, select
from ulid import ULID

from workbench.errors import ParameterError
from workbench.store.database import now, verdicts

Word: TypeAlias = Literal["good", "audible", "wrong"]
"""the seam is inaudible; it is audible; it is a mistake"""


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
    if verdict not in get_args(Word):
        raise ParameterError(f"a verdict is one of {', '.join(get_args(Word))}, not {verdict!r}")
    saved = Verdict(f"ver_{ULID()}", content_hash, track, dict(seam), verdict, note, now(), reviewer)
    put(connection, saved)
    return saved


def put(connection: Connection, verdict: Verdict) -> None:
    """Put a verdict back as it was, under its id and at its time, in place of the record of that id."""
    remove(connection, verdict.verdict_id)
    values = {name: getattr(verdict, name) for name in Verdict.__slots__} | {"seam": json.dumps(dict(verdict.seam))}
    connection.execute(verdicts.insert().values(**values))


def remove(connection: Connection, verdict_id: str) -> None:
    """Delete a verdict."""
    connection.execute(verdicts.delete().where(verdicts.c.verdict_id == verdict_id))


def get(connection: Connection, verdict_id: str) -> Verdict | None:
    """The verdict of an id; None if there is none."""
    row = connection.execute(select(verdicts).where(verdicts.c.verdict_id == verdict_id)).one_or_none()
    return None if row is None else _verdict(row)


def every(connection: Connection, content_hash: str | None = None) -> list[Verdict]:
    """All verdicts, or those about one track, oldest first."""
    query = select(verdicts).order_by(verdicts.c.verdict_id)
    if content_hash is not None:
        query = query.where(verdicts.c.content_hash == content_hash)
    return [_verdict(row) for row in connection.execute(query)]


def _verdict(row: Row[Any]) -> Verdict:
    return Verdict(
        row.verdict_id,
        row.content_hash,
        row.track,
        json.loads(row.seam),
        cast(Word, row.verdict),
        row.note,
        row.at,
        row.reviewer,
    )


def latest(given: Iterable[Verdict]) -> list[Verdict]:
    """Each reviewer's last verdict about each seam and its crossfade (`Verdict.seam_key`).

    Given oldest first; returned in the order in which the seams were first judged.
    """
    found: dict[tuple[object, ...], Verdict] = {}
    for verdict in given:
        found[(verdict.content_hash, verdict.reviewer, verdict.seam_key)] = verdict
    return list(found.values())
