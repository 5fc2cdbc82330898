"""Answers, facts, repeats, workers, and whose bytes were mapped."""

from __future__ import annotations

from service import cache_keys
from service.store import answers, idempotency_keys, mapped_recordings, rate_windows, shared_values, tables, workers
from service.store.idempotency_keys import EarlierCall
from service.store.moments import moment
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
    made = {cache_keys.loop_key(*parts), cache_keys.align_key(*parts), cache_keys.mix_key(cache_keys.loop_key(*parts))}
    for place in range(4):
        changed = [part + "'" if number == place else part for number, part in enumerate(parts)]
        made |= {cache_keys.loop_key(*changed), cache_keys.align_key(*changed)}
    assert len(made) == 11
    assert cache_keys.loop_key(*parts) == cache_keys.loop_key(*parts)
    assert cache_keys.match_key("v", 1, "r") != cache_keys.match_key("v", 2, "r")
    assert (
        len(
            {
                cache_keys.beats_key("c", "", "r"),
                cache_keys.beats_key("c", "", "s"),
                cache_keys.beats_key("c", "g", "r"),
            }
        )
        == 3
    )


def test_facts_are_set_and_settled(database: Database) -> None:
    with database.write() as connection:
        assert shared_values.get(connection, "name") is None
        assert shared_values.set_if_absent(connection, "name", "first") == "first"
        assert shared_values.set_if_absent(connection, "name", "second") == "first"
        shared_values.set_value(connection, "name", "third")
        assert shared_values.get(connection, "name") == "third"


def test_a_repeat_is_remembered_for_a_day_by_account_and_endpoint(database: Database) -> None:
    with database.write() as connection:
        assert idempotency_keys.find(connection, "ada", BEATS, "k") is None
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f1", "job_1") == EarlierCall("f1", "job_1")
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f2", "job_2") == EarlierCall("f1", "job_1")
        assert idempotency_keys.find(connection, "bob", BEATS, "k") is None
        assert idempotency_keys.find(connection, "ada", "POST /v1/other", "k") is None
        yesterday = moment(-idempotency_keys.LIFETIME.total_seconds())
        connection.execute(tables.idempotency_keys.update().values(created_at=yesterday))
        assert idempotency_keys.find(connection, "ada", BEATS, "k") is None
        assert idempotency_keys.save(connection, "ada", BEATS, "k", "f2", "job_2") == EarlierCall("f2", "job_2")


def test_workers_are_alive_while_they_beat(database: Database) -> None:
    with database.write() as connection:
        workers.send_heartbeat(connection, "w1", ["main", "beats"])
        workers.send_heartbeat(connection, "w1", ["main"])
        workers.send_heartbeat(connection, "w2", ["beats"])
        assert {(one.owner, one.queues) for one in workers.list_alive(connection, 60.0)} == {
            ("w1", ("main",)),
            ("w2", ("beats",)),
        }
        workers.delete(connection, "w2")
        silent = tables.workers.update().where(tables.workers.c.owner == "w1")
        connection.execute(silent.values(seen_at=moment(-120)))
        assert workers.list_alive(connection, 60.0) == []
        workers.delete_silent(connection, 60.0)
        assert workers.list_alive(connection, 3600.0) == []


def test_bytes_are_new_to_an_account_once(database: Database) -> None:
    with database.write() as connection:
        assert not mapped_recordings.has_mapped(connection, "ada", "00")
        mapped_recordings.add(connection, "ada", "00")
        mapped_recordings.add(connection, "ada", "00")
        assert mapped_recordings.has_mapped(connection, "ada", "00")
        assert not mapped_recordings.has_mapped(connection, "bob", "00")
        assert not mapped_recordings.has_mapped(connection, "ada", "01")


def test_requests_out_of_their_order_share_a_window(database: Database) -> None:
    with database.write() as connection:
        moments = (1000.001, 1000.0, 1000.002, 999.9)
        counts = [rate_windows.count(connection, "key_1", 60, at).requests for at in moments]
        assert counts == [1, 2, 3, 4]
        assert rate_windows.count(connection, "key_1", 60, 1060.5).requests == 1
        assert rate_windows.count(connection, "key_1", 60, 500.0).requests == 1, "a clock that was set back"
