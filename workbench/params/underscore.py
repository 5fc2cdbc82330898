"""Reading a script, and ranking a catalog against it."""

from __future__ import annotations

from pydantic import Field

from workbench.models.underscore import UnderscoreModel
from workbench.params.base import Params


class UnderscoreParams(Params):
    """Reading a script and ranking tracks against it."""

    model: UnderscoreModel = UnderscoreModel()

    brief_share: float = Field(
        default=0.75,
        ge=0.0,
        le=1.0,
        description="weight of a brief beside the script, for a kind of facet that it names",
    )
    max_compared: int = Field(
        default=4_000, ge=50, le=1_000_000, description="tracks up to which every one is compared; beyond, candidates"
    )
    candidates: int = Field(default=400, ge=50, le=10_000, description="tracks that each way of searching proposes")
