"""Accounts: created once with the usual state, changed column by column."""

from __future__ import annotations

import pytest

from service.store import accounts
from workbench.errors import ParameterError
from workbench.store.database import Database


def test_a_new_account_pays_by_method_and_has_no_cap(database: Database) -> None:
    with database.write() as connection:
        assert accounts.get(connection, "ada") is None
        made = accounts.ensure(connection, "ada")
        assert accounts.ensure(connection, "ada") == accounts.get(connection, "ada") == made
    assert (made.payment_method, made.preview, made.spend_cap_micros) == (True, False, None)


def test_columns_are_set_one_by_one(database: Database) -> None:
    with database.write() as connection:
        accounts.ensure(connection, "ada")
        changed = accounts.update(connection, "ada", preview=True)
        assert changed is not None
        assert (changed.preview, changed.payment_method) == (True, True)
        assert accounts.update(connection, "ada") == changed
        assert accounts.update(connection, "bob", preview=True) is None


@pytest.mark.parametrize("name", ["", " ada", ".ada", "ada lovelace", "a" * 129, "ada\n"])
def test_a_name_that_no_account_can_have_is_refused(name: str, database: Database) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="an account is named by"):
        accounts.ensure(connection, name)
