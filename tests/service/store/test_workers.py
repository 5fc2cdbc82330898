"""Workers are listed while they send heartbeats."""

from __future__ import annotations

from service.store import tables, workers
from workbench.store.clock import now
from workbench.store.database import Database


def test_workers_are_alive_while_they_send_heartbeats(database: Database) -> None:
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
        connection.execute(silent.values(seen_at=now(-120)))
        assert workers.list_alive(connection, 60.0) == []
        workers.delete_silent(connection, 60.0)
        assert workers.list_alive(connection, 3600.0) == []
