"""A database of the workbench in a home folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

SETTINGS = WorkbenchSettings(database_url=None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.at(Home(tmp_path / "home"), SETTINGS)
    yield opened
    opened.close()
