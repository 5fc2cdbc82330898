"""Open the catalog of a home folder."""

from __future__ import annotations

from workbench.catalog.library import Library
from workbench.home import Home
from workbench.settings import load_settings
from workbench.store.database import Database


def open_library(home: Home) -> Library:
    """The tracks of a home folder, or of the database that settings name.

    Raises
    ------
    StoreError : the folder or the database cannot be used
    """
    return Library(Database.at(home, load_settings()))
