"""Constraints on seams: records that outlive every cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.catalog.library import Library
from workbench.store import constraints
from workbench.store.database import Database

if TYPE_CHECKING:
    from pydantic import JsonValue

TRACK = "0" * 64


def test_constraints_are_found_by_the_bytes_until_they_are_removed(database: Database) -> None:
    records: dict[str, JsonValue] = {"never_cut": [[40.0, 60.0]], "forbid_seam": None, "pin_seam": [[92.1, 48.000001]]}
    with database.write() as connection:
        revision = constraints.put(connection, TRACK, records)
        assert constraints.get(connection, TRACK) == {"never_cut": [[40.0, 60.0]], "pin_seam": [[92.1, 48.000001]]}
        assert constraints.revision_of(connection, TRACK) == revision
        assert constraints.get(connection, "1" * 64) == {}
        constraints.remove(connection, TRACK)
        assert constraints.get(connection, TRACK) == {}
        assert constraints.revision_of(connection, TRACK) == ""


def test_equal_constraints_have_equal_revisions_and_the_last_ones_count(database: Database) -> None:
    with database.write() as connection:
        first = constraints.put(connection, TRACK, {"never_cut": [[1.0, 2.0]], "pin_seam": [[9.0, 4.0]]})
        again = constraints.put(connection, TRACK, {"pin_seam": [[9.0, 4.0]], "never_cut": [[1.0, 2.0]]})
        other = constraints.put(connection, TRACK, {"never_cut": [[1.0, 3.0]]})
        assert constraints.get(connection, TRACK) == {"never_cut": [[1.0, 3.0]]}
    assert first == again != other


def test_they_change_no_catalog(database: Database) -> None:
    library = Library(database)
    before = library.revision()
    with database.write() as connection:
        constraints.put(connection, TRACK, {"never_cut": [[1.0, 2.0]]})
    assert library.revision() == before
