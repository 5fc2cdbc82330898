"""Accounts: created once with the usual state, changed column by column."""

from __future__ import annotations

import pytest

from service.store import accounts
from workbench.errors import ParameterError
from workbench.store.database import Database


@pytest.mark.parametrize("name", ["", " ada", ".ada", "ada lovelace", "a" * 129, "ada\n"])
def test_a_name_that_no_account_can_have_is_refused(name: str, database: Database) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="an account is named by"):
        accounts.ensure(connection, name)
