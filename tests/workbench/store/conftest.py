"""A database of the workbench in a home folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.home import Home
from workbench.settings import WorkbenchSettings
from workbench.store.database import Database

SETTINGS = WorkbenchSettings(database_url=None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.at(Home(tmp_path / "home"), SETTINGS)
    yield opened
    opened.close()
