"""Sections of a track."""

from __future__ import annotations

from pydantic import Field

from workbench.extensions import OWN, SECTION_FINDERS
from workbench.params.base import Params, names_extension


class SectionParams(Params):
    """Sections of a track."""

    finder: str = Field(
        json_schema_extra=names_extension(SECTION_FINDERS),
        default=OWN,
        min_length=1,
        max_length=200,
        description="which section finder; ours, one that is installed, or one of a module as module:attribute",
    )
    usual_bars: int = Field(default=8, ge=2, le=32, description="bars; the usual length of a section")
    border_cost: float = Field(
        default=0.3,
        ge=0.0,
        le=10.0,
        description="evidence that one more border must be worth; 1 is the top tenth of bars",
    )
