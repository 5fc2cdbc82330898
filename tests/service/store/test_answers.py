"""A stored answer is kept as it was first."""

from __future__ import annotations

from service.store import answers
from workbench.store.database import Database


def test_an_answer_is_kept_as_it_was_first(database: Database) -> None:
    with database.write() as connection:
        assert answers.use(connection, "loop:1") is None
        answers.store(connection, "loop:1", "loop", {"title": "Größe", "points": [1.5]})
        answers.store(connection, "loop:1", "loop", {"title": "other"})
        assert answers.use(connection, "loop:1") == {"title": "Größe", "points": [1.5]}
