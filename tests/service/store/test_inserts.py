"""An INSERT that meets a row already there, the same for both databases."""

from __future__ import annotations

import sqlalchemy as sa

from service.store.inserts import insert
from service.store.tables import shared_values
from workbench.store.database import Database


def test_a_row_that_is_there_stays_or_is_replaced(database: Database) -> None:
    with database.write() as connection:

        def put(value: str) -> sa.Insert:
            return insert(connection, shared_values).values(name="n", value=value)

        connection.execute(put("first"))
        connection.execute(insert(connection, shared_values).values(name="n", value="x").on_conflict_do_nothing())
        assert connection.scalar(sa.select(shared_values.c.value)) == "first"
        replacing = insert(connection, shared_values).values(name="n", value="second")
        connection.execute(replacing.on_conflict_do_update(index_elements=["name"], set_={"value": "second"}))
        assert connection.scalars(sa.select(shared_values.c.value)).all() == ["second"]
