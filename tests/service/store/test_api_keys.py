"""API keys: shown once, found by their hash, useless once revoked or expired."""

from __future__ import annotations

import pytest

from service.store import api_keys
from workbench.errors import ParameterError
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
        keys = {key.key_id: key for key in api_keys.list_all(connection)}
    assert now(0.0) < str(keys[old.key_id].revoked_at) <= now(60.0)
    assert keys[new.key_id].expires_at == old.expires_at
    with database.write() as connection:
        with pytest.raises(ParameterError, match="create a new one"):  # a second key would end with the first
            api_keys.rotate(connection, old.key_id, 60.0)
        api_keys.revoke(connection, old.key_id)
        assert api_keys.find_caller(connection, secret) is None, "the overlap can be ended"


def test_a_key_that_has_expired_is_not_rotated(database: Database) -> None:
    with database.write() as connection:
        old, _ = api_keys.create(connection, "ada", now(-1.0))
        with pytest.raises(ParameterError, match="expired"):
            api_keys.rotate(connection, old.key_id)


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
