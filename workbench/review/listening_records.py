"""Blind listening tests as they were designed, and the listeners' answers.

A design is saved before the first sound plays, with its seed and the sound behind each letter, so that a result can be
checked against it. Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.errors import InputError
from workbench.review.review_records import clean_name
from workbench.store.database import listening_answers, listening_tests, now


@dataclass(frozen=True, slots=True)
class ListeningTest:
    """One blind test of one listener."""

    test_id: str
    kind: str
    """abx, preference or mushra"""
    content_hash: str
    """SHA-256 of the track's bytes"""
    track: str
    """its name"""
    reviewer: str
    design: Mapping[str, Any]
    """JSON: see `workbench.review.listening`"""
    at: str


@dataclass(frozen=True, slots=True)
class ListeningAnswer:
    """The answer to one trial."""

    test_id: str
    trial: int
    """from 0"""
    answer: Any
    """JSON: the letter that was chosen, the steps by which B is better than A, or a rating for each letter"""
    seconds: float
    """from the first sound to the answer"""
    at: str


def add_test(
    connection: Connection, kind: str, content_hash: str, track: str, reviewer: str, design: Mapping[str, Any]
) -> ListeningTest:
    """Keep a test before it begins; ParameterError for a reviewer without a name."""
    saved = ListeningTest(f"lst_{ULID()}", kind, content_hash, track, clean_name(reviewer), dict(design), now())
    values = {name: getattr(saved, name) for name in ListeningTest.__slots__}
    connection.execute(listening_tests.insert().values(**values | {"design": json.dumps(saved.design)}))
    return saved


def get_test(connection: Connection, test_id: str) -> ListeningTest:
    """A test by its id; InputError if there is none."""
    row = connection.execute(select(listening_tests).where(listening_tests.c.test_id == test_id)).first()
    if row is None:
        raise InputError(f"there is no listening test {test_id}")
    return _test(row)


def list_tests(connection: Connection) -> list[ListeningTest]:
    """All tests, oldest first."""
    query = select(listening_tests).order_by(listening_tests.c.at, listening_tests.c.test_id)
    return [_test(row) for row in connection.execute(query)]


def _test(row: Any) -> ListeningTest:
    return ListeningTest(
        row.test_id, row.kind, row.content_hash, row.track, row.reviewer, json.loads(row.design), row.at
    )


def add_answer(connection: Connection, test_id: str, trial: int, answer: Any, seconds: float) -> ListeningAnswer:
    """Keep the answer to a trial, counted from 0; it can be given once, InputError the second time."""
    table = listening_answers
    asked = select(table.c.trial).where(table.c.test_id == test_id, table.c.trial == trial)
    if connection.execute(asked).first() is not None:
        raise InputError(f"trial {trial + 1} of this test was answered before")
    saved = ListeningAnswer(test_id, trial, answer, round(float(seconds), 3), now())
    values = {name: getattr(saved, name) for name in ListeningAnswer.__slots__}
    connection.execute(table.insert().values(**values | {"answer": json.dumps(answer)}))
    return saved


def answers_of(connection: Connection, test_id: str) -> list[ListeningAnswer]:
    """The answers of a test, in the order of its trials."""
    table = listening_answers
    query = select(table).where(table.c.test_id == test_id).order_by(table.c.trial)
    return [
        ListeningAnswer(row.test_id, row.trial, json.loads(row.answer), row.seconds, row.at)
        for row in connection.execute(query)
    ]
