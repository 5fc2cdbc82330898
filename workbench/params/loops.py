"""Splices, and how a video is covered with them."""

from __future__ import annotations

from pydantic import Field, NonNegativeFloat, field_validator

from workbench.files import read_numbers
from workbench.params.base import SEAM_MEASURES, FittedModel, NamedWeight, Params, names_extension, refuse_repeated

_FITTED = read_numbers("seams.json")


class SeamModel(FittedModel):
    """Weights and scales of the parts of a seam's score; the weights are fitted, see `seams.md`.

    A weight is the log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick. A break
    under `min_` is inaudible, and one over `max_` is audible, in every track.
    """

    expectation_weight: NonNegativeFloat = _FITTED["expectation_weight"]
    context_weight: NonNegativeFloat = _FITTED["context_weight"]
    ringing_weight: NonNegativeFloat = _FITTED["ringing_weight"]
    pulse_weight: NonNegativeFloat = _FITTED["pulse_weight"]
    harmony_weight: NonNegativeFloat = _FITTED["harmony_weight"]
    level_weight: NonNegativeFloat = _FITTED["level_weight"]
    brightness_weight: NonNegativeFloat = _FITTED["brightness_weight"]
    repetition_weight: NonNegativeFloat = _FITTED["repetition_weight"]
    texture_weight: NonNegativeFloat = _FITTED["texture_weight"]
    air_weight: NonNegativeFloat = _FITTED["air_weight"]
    unbroken_log_odds: NonNegativeFloat = _FITTED["unbroken_log_odds"]
    """log-odds that a splice without any break is inaudible"""

    own_break_share: NonNegativeFloat = 0.5
    """share of the track's own typical break that halves a part"""
    min_expectation: NonNegativeFloat = 0.01
    """cosine distance"""
    max_expectation: NonNegativeFloat = 0.06
    min_context: NonNegativeFloat = 0.01
    """cosine distance"""
    max_context: NonNegativeFloat = 0.06
    min_ringing: NonNegativeFloat = 0.01
    """share of the sound that is lost"""
    max_ringing: NonNegativeFloat = 0.1
    min_pulse: NonNegativeFloat = 0.05
    """cosine distance"""
    max_pulse: NonNegativeFloat = 0.15
    min_harmony: NonNegativeFloat = 0.08
    """cosine distance"""
    max_harmony: NonNegativeFloat = 0.33
    min_level: NonNegativeFloat = 1.5
    """dB; a smaller step is hidden by a gain and a glide"""
    max_level: NonNegativeFloat = 6.0
    min_brightness: NonNegativeFloat = 0.15
    """octaves"""
    max_brightness: NonNegativeFloat = 0.6


class SeamParams(Params):
    """How a splice is scored and fitted."""

    model: SeamModel = SeamModel()

    measures: tuple[NamedWeight, ...] = Field(
        json_schema_extra=names_extension(SEAM_MEASURES),
        default=(),
        max_length=8,
        description="external measures and their weights, each as name=weight",
    )

    @field_validator("measures")
    @classmethod
    def _each_part_once(cls, measures: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeated(measures, SeamModel.model_fields, "measure")
        return measures

    context_beats: int = Field(default=4, ge=1, le=16, description="beats compared on each side; one bar of 4/4")
    min_kept_score: float = Field(default=0.05, ge=0.0, le=1.0, description="score under which a splice is dropped")
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
        default=0.5, ge=0.0, le=1.0, description="seam score under which no splice is used, unless it is pinned"
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
        default=4, ge=1, le=16, description="bars between two splices; the shortest stretch that sounds like a phrase"
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
        default=2.0, ge=1.0, le=100.0, description="how often a bar plays at most, in units of the mean of all bars"
    )
    restart_worth_seconds: float = Field(
        default=60.0,
        ge=0.0,
        le=36000.0,
        description="s of over-repeated music that each restart of the whole track must avoid before it is served",
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
