"""API keys: shown once, found by their hash, useless once revoked or expired."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from service.store import accounts, api_keys
from service.store.tables import api_keys as table
from service.store.times import time_from_now
from workbench.errors import ParameterError
from workbench.store.database import Database

pytestmark = pytest.mark.usefixtures("ada")


def test_a_key_leads_to_its_account_and_is_stored_as_a_hash(database: Database) -> None:
    with database.write() as connection:
        key, secret = api_keys.create(connection, "ada")
        accounts.update(connection, "ada", preview=True)
        caller = api_keys.find_caller(connection, secret)
        assert caller is not None
        assert (caller.account, caller.key_id, caller.preview) == ("ada", key.key_id, True)
        assert api_keys.find_caller(connection, secret + "x") is None
        assert api_keys.find_caller(connection, "\ud800") is None
        assert secret not in str(connection.execute(sa.select(table)).all())


def test_an_expired_or_revoked_key_leads_nowhere(database: Database) -> None:
    with database.write() as connection:
        _, expired = api_keys.create(connection, "ada", time_from_now(-1))
        key, revoked = api_keys.create(connection, "ada", time_from_now(3600))
        assert api_keys.find_caller(connection, expired) is None
        assert api_keys.find_caller(connection, revoked) is not None
        first = api_keys.revoke(connection, key.key_id)
        assert api_keys.revoke(connection, key.key_id) == first
        assert api_keys.find_caller(connection, revoked) is None


def test_a_rotated_key_goes_on_for_an_overlap(database: Database) -> None:
    with database.write() as connection:
        old, secret = api_keys.create(connection, "ada", time_from_now(3600.0))
        new, other = api_keys.rotate(connection, old.key_id, 60.0)
        both = [api_keys.find_caller(connection, one) for one in (secret, other)]
        assert [one is not None and one.key_id for one in both] == [old.key_id, new.key_id]
        ends = {key.key_id: key.expires_at for key in api_keys.list_all(connection)}
    assert time_from_now(0.0) < str(ends[old.key_id]) <= time_from_now(60.0)
    assert ends[new.key_id] == old.expires_at
    with database.write() as connection:
        api_keys.rotate(connection, new.key_id, 86_400.0)  # longer than it has left
        assert {key.key_id: key.expires_at for key in api_keys.list_all(connection)}[new.key_id] == old.expires_at


def test_a_rotated_key_gives_way_to_one_of_the_same_account_and_expiry(database: Database) -> None:
    with database.write() as connection:
        old, secret = api_keys.create(connection, "ada", time_from_now(3600))
        new, other = api_keys.rotate(connection, old.key_id)
        assert (new.account, new.expires_at) == (old.account, old.expires_at)
        assert api_keys.find_caller(connection, secret) is None
        assert api_keys.find_caller(connection, other) is not None
        assert [key.key_id for key in api_keys.list_all(connection)] == [old.key_id, new.key_id]
        with pytest.raises(ParameterError, match="was revoked at"):
            api_keys.rotate(connection, old.key_id)
        with pytest.raises(ParameterError, match="no key 'key_none'"):
            api_keys.revoke(connection, "key_none")


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
