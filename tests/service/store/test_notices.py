"""Notices that there is work, between connections to PostgreSQL."""

from __future__ import annotations

import select
from collections.abc import Iterator
from typing import Any

import pytest

from service.store import accounts, jobs, notices
from service.store.jobs import NewJob
from service.store.tables import SCHEMA
from workbench.store.database import Database


@pytest.fixture
def listener(postgres: Any) -> Iterator[tuple[Database, notices.Listener]]:
    database = Database(postgres.url(), (SCHEMA,))
    listening = notices.Listener(database.url)
    assert listening.connect()
    yield database, listening
    listening.close()
    database.close()


def arrives(listening: notices.Listener, seconds: float) -> bool:
    return bool(select.select([listening], [], [], seconds)[0])


def test_an_accepted_job_arrives_once_it_is_committed(listener: tuple[Database, notices.Listener]) -> None:
    database, listening = listener
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        jobs.submit(connection, NewJob("loop", jobs.MAIN, "ada", "a build"))
        assert not arrives(listening, 0.1)

    assert arrives(listening, 20.0)
    assert listening.drain()
    assert not arrives(listening, 0.1)


def test_a_lost_connection_is_opened_again(listener: tuple[Database, notices.Listener], postgres: Any) -> None:
    database, listening = listener
    postgres.stop()
    postgres.start()

    while listening.connected:  # first the server says that it stops, then the connection ends
        assert arrives(listening, 20.0)
        listening.drain()

    assert listening.connect()
    with database.write() as connection:
        notices.send(connection)
    assert arrives(listening, 20.0)


def test_a_server_that_is_gone_without_a_word_is_noticed(postgres: Any) -> None:
    """The address may say after how long; both kinds of connection do as it says."""
    url = f"{postgres.url()}&keepalives_idle=7"
    database, listening = Database(url, (SCHEMA,)), notices.Listener(url)
    assert listening.connect()
    with database.read() as connection:
        for driver in (connection.connection.dbapi_connection, listening._connection):
            said = driver.info.get_parameters()  # type: ignore[union-attr]
            assert (said["keepalives_idle"], said["tcp_user_timeout"]) == ("7", "30000")
    listening.close()
    database.close()


def test_sqlite_has_none(tmp_path: Any) -> None:
    database = Database(f"sqlite:///{tmp_path / 'records'}", (SCHEMA,))
    listening = notices.Listener(database.url)

    assert not listening.connect()
    with database.write() as connection:
        notices.send(connection)
    database.close()
