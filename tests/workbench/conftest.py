"""A home and its workspace for the tests of a module."""

from collections.abc import Iterator

import pytest

from workbench.analysis.workspace import Workspace
from workbench.store.home import Home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home folder for the tests of a module."""
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def workspace(home: Home) -> Iterator[Workspace]:
    """The workspace of that home."""
    with Workspace(home) as opened:
        yield opened
