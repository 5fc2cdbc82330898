"""Verdicts: records that outlive every cache."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.review import verdict_records as verdicts
from workbench.store.database import Database

TRACK = "0" * 64


def test_the_last_verdict_about_a_seam_as_it_was_heard_counts(database: Database) -> None:
    seam = {"leave": 64.0, "enter": 32.0, "fade": 0.02, "exponent": 1.0, "score": 0.93}
    with database.write() as connection:
        verdicts.add(connection, TRACK, "track", seam, "audible", "a cymbal")
        verdicts.add(connection, TRACK, "track", seam | {"enter": 48.0}, "wrong")
        verdicts.add(connection, TRACK, "track", seam | {"fade": 0.1}, "good")
        verdicts.add(connection, TRACK, "track", seam | {"exponent": 0.5}, "wrong")
        verdicts.add(connection, TRACK, "track", seam, "wrong", reviewer="Ana")
        verdicts.add(connection, TRACK, "track", seam | {"leave": 64.0002}, "good", "not any more")
        every = verdicts.every(connection, TRACK)
    assert [verdict.verdict for verdict in every] == ["audible", "wrong", "good", "wrong", "wrong", "good"]
    assert [(verdict.verdict, verdict.reviewer, verdict.note) for verdict in verdicts.latest(every)] == [
        ("good", "", "not any more"), ("wrong", "", ""), ("good", "", ""), ("wrong", "", ""), ("wrong", "Ana", "")
    ]  # fmt: skip


def test_a_verdict_from_before_reviewers_is_read(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO verdicts (verdict_id, content_hash, track, seam, verdict, note, at) VALUES "
            """('ver_1', 'abc', 'track', '{"leave": 1.0, "enter": 2.0}', 'good', '', '2026-01-01')"""
        )
        (kept,) = verdicts.every(connection)
    assert (kept.reviewer, kept.heard) == ("", (1000, 2000, -1, -1))


def test_a_verdict_is_one_of_three(database: Database) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="good, audible, wrong"):
        verdicts.add(connection, TRACK, "track", {}, "nice")  # type: ignore[arg-type]
