"""What a value offers in a notebook: tables of it, and how it shows itself there.

Values of the domain know nothing of tables and pictures. They inherit `Shown`, whose methods load what makes tables
(`workbench.tables`) and pages (`workbench.lab.notebook_views`) by name when they are first called, as the names of
`workbench` itself are loaded; so no value depends on them, and importing one costs nothing.

Class: `Shown`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    import xarray

TABLES = "workbench.tables"
PAGES = "workbench.lab.notebook_views"


class Shown:
    """A value that can be had as a table, and shows itself in a notebook."""

    __slots__ = ()

    def to_dataset(self) -> xarray.Dataset:
        """All of it as labelled arrays: axes by name, times and parts as coordinates, units in `attrs`.

        Raises `TypeError` if there is no dataset of this kind of value.
        """
        dataset: xarray.Dataset = import_module(TABLES).dataset_of(self)
        return dataset

    def to_frame(self) -> pandas.DataFrame:
        """The rows that one usually wants of it, as a data frame; raises `TypeError` if there is none of this kind."""
        frame: pandas.DataFrame = import_module(TABLES).frame_of(self)
        return frame

    def _repr_html_(self) -> str:
        """A small picture, and a player where the value has sound, for Jupyter."""
        page: str = import_module(PAGES).html_of(self)
        return page
