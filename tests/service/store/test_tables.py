"""The service's tables: migrations make those that the code names, and carry the rows of an older database over."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from service.store import (
    api_keys,
    credit_grants,
    idempotency_keys,
    mapped_recordings,
    seen_webhooks,
    shared_values,
    video_owners,
)
from service.store.idempotency_keys import EarlierCall
from service.store.tables import MIGRATIONS, metadata
from tests.service.conftest import Postgres
from workbench.errors import StoreError
from workbench.store import database as database_tables
from workbench.store.database import Database, expands, now

_BEFORE_NAMES = MIGRATIONS[:2]
"""the tables before `service/0003_names`"""
_MOMENT = now()
_OLD_ROWS = (
    ("account_beats", {"account": "ada", "content_hash": "00", "mapped_at": _MOMENT}),
    (
        "repeats",
        {
            "account": "ada",
            "endpoint": "POST /v1/beats",
            "key": "once",
            "fingerprint": "f",
            "job_id": "job_1",
            "created_at": _MOMENT,
        },
    ),
    ("facts", {"name": "link_secret", "value": "of old"}),
    ("notices", {"webhook_id": "msg_1", "received_at": _MOMENT}),
    (
        "claims",
        {
            "video_id": "vid_1",
            "account": "ada",
            "status": "awaiting_upload",
            "title": "holiday.mp4",
            "storage_key": "upl_1",
            "uploaded_bytes": 7,
            "created_at": _MOMENT,
            "updated_at": _MOMENT,
        },
    ),
    ("keys", {"key_id": "key_1", "account": "ada", "digest": "d", "created_at": _MOMENT}),
)


def test_migrations_make_the_tables_that_the_code_names(database: Database) -> None:
    with database.read() as connection:
        inspector = sa.inspect(connection)
        for table in metadata.sorted_tables:
            columns = [column["name"] for column in inspector.get_columns(table.name)]
            assert columns == [column.name for column in table.columns], table.name
        ours = set(inspector.get_table_names())
    assert {table.name for table in metadata.sorted_tables} < ours
    assert ours & {table for table, _ in _OLD_ROWS} == set()


def test_migrations_expand_or_contract() -> None:
    """Each name says whether the version before it can live with it, and an expansion only adds."""
    unnamed = {  # from before the rule; older versions refuse them all
        *(f"service/000{number}" for number in range(1, 7)),
        *(f"000{number}" for number in range(1, 8)),
    }
    only_add = set()
    for name, statements in (*database_tables.MIGRATIONS, *MIGRATIONS):
        number, _, kind = name.partition("_")
        if number not in unnamed:
            assert kind.startswith(("expand_", "contract_")), f"{name}: does it expand or contract?"
            assert expands(statements) or not kind.startswith("expand_"), (
                f"{name}: an older version cannot live with it"
            )
        if expands(statements):
            only_add.add(number)
    assert unnamed - only_add == {"service/0003", "service/0004", "0004"}, "these took something away"


def test_an_older_database_keeps_its_rows_under_the_new_names(database_url: str) -> None:
    older = Database(database_url, _BEFORE_NAMES)
    with older.write() as connection:
        for table, row in _OLD_ROWS:
            columns = ", ".join(row)
            values = ", ".join(f":{name}" for name in row)
            connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), row)
    older.close()

    database = Database(database_url, MIGRATIONS)
    with database.write() as connection:
        assert mapped_recordings.has_mapped(connection, "ada", "00")
        found = idempotency_keys.find(connection, "ada", "POST /v1/beats", "once")
        assert found == EarlierCall("f", "job_1")
        again = idempotency_keys.save(connection, "ada", "POST /v1/beats", "once", "g", "job_2")
        assert again == found, "the primary key still holds"
        assert shared_values.get(connection, shared_values.LINK_SECRET) == "of old"
        assert not seen_webhooks.add(connection, "msg_1")
        video = video_owners.get_by_storage_key(connection, "upl_1")
        assert video is not None
        assert (video.video_id, video.account, video.status) == ("vid_1", "ada", "awaiting_upload")
        assert (video.title, video.uploaded_bytes, video.created_at) == ("holiday.mp4", 7, _MOMENT)
        assert [one.key_id for one in api_keys.list_all(connection)] == ["key_1"]
    database.close()


def test_credit_of_an_older_database_becomes_a_grant_and_adds_up_with_the_ledger(database_url: str) -> None:
    older = Database(database_url, MIGRATIONS[:3])
    accounts = (
        ("ada", 400_000, True, "2099-01-01T00:00:00.000000+00:00"),
        ("bob", 0, False, None),
        ("eve", 0, True, None),
    )
    with older.write() as connection:
        for account, left, granted, expires_at in accounts:
            connection.execute(
                sa.text(
                    """INSERT INTO accounts (account, payment_method, credit_micros, credit_granted, credit_expires_at,
                    preview, created_at) VALUES (:account, :no, :left, :granted, :expires_at, :no, :at)"""
                ),
                {"account": account, "left": left, "granted": granted, "expires_at": expires_at, "no": False}
                | {"at": _MOMENT},
            )
        for key, amount in (("g1", 600_000), ("g2", 100_000)):
            connection.execute(
                sa.text(
                    """INSERT INTO ledger (entry_id, event_key, account, event, endpoint, subject, quantity, unit,
                    amount_micros, at) VALUES (:key, :key, 'ada', 'credit', 'e', 's', 1, 'call', :amount, :at)"""
                ),
                {"key": key, "amount": amount, "at": _MOMENT},
            )
    older.close()

    database = Database(database_url, MIGRATIONS)
    with database.read() as connection:
        (grant,) = credit_grants.get_all(connection, "ada")
        assert (grant.granted_micros, grant.left_micros, grant.expires_at) == (700_000, 400_000, accounts[0][3])
        assert credit_grants.get_all(connection, "bob") == []
        assert [(grant.left_micros, grant.expires_at) for grant in credit_grants.get_all(connection, "eve")] == [
            (0, None)
        ]
    database.close()


def test_a_process_of_the_version_before_goes_on_granting(database_url: str) -> None:
    """It does not know that a grant has the provider's time."""
    older = Database(database_url, MIGRATIONS[:7])
    database = Database(database_url, MIGRATIONS)
    with older.write() as connection:
        connection.execute(
            sa.text(
                """INSERT INTO credit_grants (grant_id, account, granted_micros, left_micros, expires_at, granted_at)
                VALUES ('grt_1', 'ada', 5, 5, NULL, :at)"""
            ),
            {"at": _MOMENT},
        )
    with database.write() as connection:
        credit_grants.add(connection, "ada", 7, None, _MOMENT, _MOMENT)
        credit_grants.set_expiry(connection, "ada", _MOMENT, _MOMENT, granted_by="2020-01-01T00:00:00.000000+00:00")
        found = {one.left_micros: (one.provider_at, one.expires_at) for one in credit_grants.get_all(connection, "ada")}
    assert found == {5: (None, _MOMENT), 7: (_MOMENT, None)}
    older.close()
    Database(database_url, MIGRATIONS[:7]).close()  # it can be started again
    database.close()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_postgresql_that_cannot_hold_every_text_is_refused_in_a_line(postgres: Postgres, encoding: str) -> None:
    url = postgres.url()
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        made = f"CREATE DATABASE {encoding} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        connection.exec_driver_sql(made)
    engine.dispose()
    with pytest.raises(StoreError, match=f"^postgresql.*: the database is in {encoding}; create one with ENCODING"):
        Database(url.replace("/postgres?", f"/{encoding.lower()}?"), MIGRATIONS)
