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
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = Database.at(home, SETTINGS)
    yield opened
    opened.close()
