"""What is measured of the catalog's tracks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.params.base import Params


class CatalogParams(Params):
    """What is measured of a track beside its character when it is added."""

    ears: Literal["off", "on"] = Field(
        default="off",
        description="whether a network that others trained says how cheerful a track is; needs the extra ears",
    )
