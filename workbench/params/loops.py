"""Splices, and how a video is covered with them."""

from __future__ import annotations

from pydantic import Field, field_validator

from workbench.models.seams import SeamModel
from workbench.params.base import SEAM_MEASURES, NamedWeight, Params, names_extension, refuse_repeated


class SeamParams(Params):
    """How a splice is scored and fitted."""

    model: SeamModel = SeamModel()

    measures: tuple[NamedWeight, ...] = Field(
        json_schema_extra=names_extension(SEAM_MEASURES),
        default=(),
        max_length=8,
        description="measures of others and their weights, each as name=weight",
    )

    @field_validator("measures")
    @classmethod
    def _each_part_once(cls, measures: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeated(measures, SeamModel.model_fields, "measure")
        return measures

    context_beats: int = Field(default=4, ge=1, le=16, description="beats compared on each side; one bar of 4/4")
    min_kept_score: float = Field(default=0.05, ge=0.0, le=1.0, description="score under which a splice is not kept")
    min_body_bars: int = Field(default=2, ge=1, le=64, description="bars; a shorter body is a stutter")
    alike_fade_seconds: float = Field(default=0.02, ge=0.005, le=0.2, description="s; fade between alike sides")
    unlike_fade_seconds: float = Field(
        default=0.4,
        ge=0.02,
        le=1.0,
        description="s; fade between unlike sides without attacks: pads and strings; never across the next onset",
    )


class CoverParams(Params):
    """How a video is covered with bodies and an ending."""

    required_excess_seconds: float = Field(
        default=30.0, ge=0.0, le=600.0, description="s; how much longer than the track a video must be to be looped"
    )
    min_seam_score: float = Field(
        default=0.5, ge=0.0, le=1.0, description="probability; a splice more likely heard than not is never used"
    )
    min_variety_seconds: float = Field(
        default=60.0,
        ge=0.0,
        le=300.0,
        description="s of different music in any five minutes, or all of a shorter track; for it fair seams are taken, "
        "and then the whole track again",
    )
    min_body_seconds: float = Field(
        default=12.0, ge=4.0, le=120.0, description="s; a shorter body repeats too often to be bearable"
    )
    min_segment_seconds: float = Field(
        default=8.0, ge=2.0, le=30.0, description="s between two splices; a closer one is more noticeable"
    )
    min_segment_bars: int = Field(
        default=4, ge=1, le=16, description="bars between two splices; the shortest stretch that is heard as a phrase"
    )
    min_opening_seconds: float = Field(
        default=16.0,
        ge=2.0,
        le=120.0,
        description="s before the first splice; a track that starts over sooner sounds like a stutter",
    )
    fresh_seconds: float = Field(
        default=80.0, ge=5.0, le=300.0, description="s; time constant after which repeated music sounds fresh again"
    )
    max_passes_in_a_row: int = Field(
        default=3, ge=2, le=32, description="passes of one body back to back while another body can stand between"
    )
    max_plays_over_mean: float = Field(
        default=2.0, ge=1.0, le=100.0, description="how often a bar is heard at most, in units of the mean of all bars"
    )
    restart_worth_seconds: float = Field(
        default=60.0,
        ge=0.0,
        le=36000.0,
        description="s of music heard too often that each restart of the whole track must spare before it is served",
    )
    gain_glide_seconds: float = Field(
        default=4.0,
        ge=0.1,
        le=30.0,
        description="s from the matched level back to the track's own; slow ones are inaudible",
    )
    min_fade_out_seconds: float = Field(
        default=8.0, ge=1.0, le=30.0, description="s; least length of a closing fade, rounded up to whole bars"
    )
    seams_weight: float = Field(default=0.46, ge=0.0, le=1.0, description="share of plan_score: how good the seams are")
    ending_weight: float = Field(
        default=0.23,
        ge=0.0,
        le=1.0,
        description="share of plan_score: how it ends; an own ending outweighs good seams worse by 0.11",
    )
    freshness_weight: float = Field(
        default=0.10, ge=0.0, le=1.0, description="share of plan_score: how long until the same music comes again"
    )
    phrasing_weight: float = Field(
        default=0.05, ge=0.0, le=1.0, description="share of plan_score: whether splices keep whole phrases"
    )
    coverage_weight: float = Field(
        default=0.12, ge=0.0, le=1.0, description="share of plan_score: how evenly the track is used"
    )
    economy_weight: float = Field(
        default=0.04, ge=0.0, le=1.0, description="share of plan_score: how few seams there are"
    )
