"""API keys: shown once, found by their hash, useless once revoked or expired."""

from __future__ import annotations

import pytest

from service.store import api_keys
from workbench.store.clock import now
from workbench.store.database import Database

pytestmark = pytest.mark.usefixtures("ada")


def test_a_rotated_key_goes_on_for_an_overlap(database: Database) -> None:
    with database.write() as connection:
        old, secret = api_keys.create(connection, "ada", now(3600.0))
        new, other = api_keys.rotate(connection, old.key_id, 60.0)
        both = [api_keys.find_caller(connection, one) for one in (secret, other)]
        assert [one is not None and one.key_id for one in both] == [old.key_id, new.key_id]
        assert api_keys.find_caller(connection, "\ud800") is None
        ends = {key.key_id: key.expires_at for key in api_keys.list_all(connection)}
    assert now(0.0) < str(ends[old.key_id]) <= now(60.0)
    assert ends[new.key_id] == old.expires_at
    with database.write() as connection:
        api_keys.rotate(connection, new.key_id, 86_400.0)  # longer than it has left
        assert {key.key_id: key.expires_at for key in api_keys.list_all(connection)}[new.key_id] == old.expires_at


def test_use_is_noted_once_a_minute(database: Database) -> None:
    with database.write() as connection:
        _, secret = api_keys.create(connection, "ada")
        caller = api_keys.find_caller(connection, secret)
        assert caller is not None
        api_keys.record_use(connection, caller)
        (used,) = api_keys.list_all(connection)
        assert used.last_used_at is not None
        again = api_keys.find_caller(connection, secret)
        assert again is not None
        api_keys.record_use(connection, again)
        assert api_keys.list_all(connection) == [used]
