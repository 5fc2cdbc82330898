"""Answers, facts, repeats, workers, and whose bytes were mapped."""

from __future__ import annotations

from service.answers import keys
from service.store import account_beats, answers, facts, rate_windows, repeats, tables, workers
from service.store.moments import moment
from service.store.repeats import Repeat
from workbench.store.database import Database

BEATS = "POST /v1/beats"


def test_an_answer_is_kept_as_it_was_first(database: Database) -> None:
    with database.write() as connection:
        assert answers.find(connection, "loop:1") is None
        answers.store(connection, "loop:1", "loop", {"title": "Größe", "points": [1.5]})
        answers.store(connection, "loop:1", "loop", {"title": "other"})
        assert answers.find(connection, "loop:1") == {"title": "Größe", "points": [1.5]}


def test_a_key_changes_with_everything_it_depends_on() -> None:
    parts = ("video", "track", "grid", "revision")
    made = {keys.loop_key(*parts), keys.align_key(*parts), keys.mix_key(keys.loop_key(*parts))}
    for place in range(4):
        changed = [part + "'" if number == place else part for number, part in enumerate(parts)]
        made |= {keys.loop_key(*changed), keys.align_key(*changed)}
    assert len(made) == 11
    assert keys.loop_key(*parts) == keys.loop_key(*parts)
    assert keys.match_key("v", 1, "r") != keys.match_key("v", 2, "r")
    assert len({keys.beats_key("c", "", "r"), keys.beats_key("c", "", "s"), keys.beats_key("c", "g", "r")}) == 3


def test_facts_are_set_and_settled(database: Database) -> None:
    with database.write() as connection:
        assert facts.get(connection, "name") is None
        assert facts.settle(connection, "name", "first") == "first"
        assert facts.settle(connection, "name", "second") == "first"
        facts.put(connection, "name", "third")
        assert facts.get(connection, "name") == "third"


def test_a_repeat_is_remembered_for_a_day_by_account_and_endpoint(database: Database) -> None:
    with database.write() as connection:
        assert repeats.find(connection, "ada", BEATS, "k") is None
        assert repeats.remember(connection, "ada", BEATS, "k", "f1", "job_1") == Repeat("f1", "job_1")
        assert repeats.remember(connection, "ada", BEATS, "k", "f2", "job_2") == Repeat("f1", "job_1")
        assert repeats.find(connection, "bob", BEATS, "k") is None
        assert repeats.find(connection, "ada", "POST /v1/other", "k") is None
        yesterday = moment(-repeats.LIFETIME.total_seconds())
        connection.execute(tables.repeats.update().values(created_at=yesterday))
        assert repeats.find(connection, "ada", BEATS, "k") is None
        assert repeats.remember(connection, "ada", BEATS, "k", "f2", "job_2") == Repeat("f2", "job_2")


def test_workers_are_alive_while_they_beat(database: Database) -> None:
    with database.write() as connection:
        workers.beat(connection, "w1", ["main", "beats"])
        workers.beat(connection, "w1", ["main"])
        workers.beat(connection, "w2", ["beats"])
        assert {(one.owner, one.queues) for one in workers.alive(connection, 60.0)} == {
            ("w1", ("main",)),
            ("w2", ("beats",)),
        }
        workers.leave(connection, "w2")
        silent = tables.workers.update().where(tables.workers.c.owner == "w1")
        connection.execute(silent.values(seen_at=moment(-120)))
        assert workers.alive(connection, 60.0) == []
        workers.forget(connection, 60.0)
        assert workers.alive(connection, 3600.0) == []


def test_bytes_are_new_to_an_account_once(database: Database) -> None:
    with database.write() as connection:
        assert not account_beats.noted(connection, "ada", "00")
        account_beats.note(connection, "ada", "00")
        account_beats.note(connection, "ada", "00")
        assert account_beats.noted(connection, "ada", "00")
        assert not account_beats.noted(connection, "bob", "00")
        assert not account_beats.noted(connection, "ada", "01")


def test_requests_out_of_their_order_share_a_window(database: Database) -> None:
    with database.write() as connection:
        moments = (1000.001, 1000.0, 1000.002, 999.9)
        counts = [rate_windows.count(connection, "key_1", 60, at).requests for at in moments]
        assert counts == [1, 2, 3, 4]
        assert rate_windows.count(connection, "key_1", 60, 1060.5).requests == 1
        assert rate_windows.count(connection, "key_1", 60, 500.0).requests == 1, "a clock that was set back"
