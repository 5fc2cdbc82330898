"""Values that all processes share: set, or set by whoever is first."""

from __future__ import annotations

from service.store import shared_values
from workbench.store.database import Database


def test_a_value_is_set_or_set_by_the_first(database: Database) -> None:
    with database.write() as connection:
        assert shared_values.get(connection, "name") is None
        assert shared_values.set_if_absent(connection, "name", "first") == "first"
        assert shared_values.set_if_absent(connection, "name", "second") == "first"
        shared_values.set_value(connection, "name", "third")
        assert shared_values.get(connection, "name") == "third"
