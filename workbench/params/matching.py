"""Ranking a catalog against a video."""

from __future__ import annotations

from pydantic import Field, field_validator

from workbench.files import read_numbers
from workbench.models.match import MatchModel
from workbench.models.underscore import UnderscoreModel
from workbench.params.base import MATCH_TERMS, NamedWeight, Params, named_weights, names_extension, refuse_repeated

_FITTED = read_numbers("match.json")

MATCH_PARTS = ("pulse", "level", "mood", "voice", "length", "bars", "arc", "sync")
"""The parts of a match score, see `workbench.matching.video_ranking`."""


class MatchParams(Params):
    """How a catalog is ranked against a video."""

    model: MatchModel = MatchModel()

    terms: tuple[NamedWeight, ...] = Field(
        json_schema_extra=names_extension(MATCH_TERMS),
        default=(),
        max_length=8,
        description="match terms of others and their weights, each as name=weight; ours weigh 0 to 1",
    )

    @field_validator("terms")
    @classmethod
    def _each_part_once(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeated(terms, cls.model_fields, "match term")
        return terms

    candidates: int = Field(
        default=400, ge=50, le=5000, description="tracks of which contours and bars are compared too"
    )
    pulse_weight: float = Field(default=_FITTED["pulse_weight"], ge=0.0, le=1.0, description="weight of the tempo")
    level_weight: float = Field(default=_FITTED["level_weight"], ge=0.0, le=1.0, description="weight of the energy")
    mood_weight: float = Field(
        default=_FITTED["mood_weight"], ge=0.0, le=1.0, description="weight of how cheerful the music is"
    )
    voice_weight: float = Field(
        default=_FITTED["voice_weight"], ge=0.0, le=1.0, description="weight of leaving room for speech"
    )
    length_weight: float = Field(
        default=_FITTED["length_weight"], ge=0.0, le=1.0, description="weight of being long enough, played or looped"
    )
    bars_weight: float = Field(default=0.05, ge=0.0, le=1.0, description="weight of cuts that keep time with the music")
    arc_weight: float = Field(
        default=_FITTED["arc_weight"], ge=0.0, le=1.0, description="weight of rising and falling with the pictures"
    )
    sync_weight: float = Field(
        default=0.05, ge=0.0, le=1.0, description="weight of landing on events, where it is asked for"
    )

    @property
    def weights(self) -> dict[str, float]:
        """Exponent of each part in the raw score: ours, and behind them the terms of others."""
        return {name: getattr(self, f"{name}_weight") for name in MATCH_PARTS} | dict(named_weights(self.terms))

    @property
    def usual_parts(self) -> dict[str, float]:
        """Usual value of each part of ours, for a track of which it is unknown."""
        return {name: getattr(self.model, f"usual_{name}") for name in MATCH_PARTS}


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
