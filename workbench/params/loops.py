"""Splices, endings, and how a video is covered with them."""

from __future__ import annotations

from pydantic import Field, field_validator

from workbench.extensions import SEAM_MEASURES
from workbench.models.loading import read_numbers
from workbench.params.base import (
    TOUCHES_BREAKS,
    TOUCHES_EVIDENCE,
    TOUCHES_FITS,
    NamedWeight,
    Params,
    names_extension,
    refuse_repeated,
)

_FITTED = read_numbers("seams.json")


class SeamParams(Params):
    """How a splice is scored and fitted."""

    measures: tuple[NamedWeight, ...] = Field(
        json_schema_extra=names_extension(SEAM_MEASURES),
        default=(),
        max_length=8,
        description="measures of others and their weights, each as name=weight",
    )

    @field_validator("measures")
    @classmethod
    def _each_part_once(cls, measures: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeated(measures, cls.model_fields, "measure")
        return measures

    context_beats: int = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=4,
        ge=1,
        le=16,
        description="beats compared on each side; one bar of 4/4",
    )
    bands: int = Field(
        json_schema_extra=TOUCHES_EVIDENCE,
        default=32,
        ge=8,
        le=64,
        description="bands on the ear's scale; about one a critical band",
    )
    second_bar_weight: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=0.5,
        ge=0.0,
        le=1.0,
        description="weight of the second bar to come; the first bar counts 1",
    )
    beat_jitter_seconds: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=0.02,
        ge=0.002,
        le=0.1,
        description="s; a change of the beat's length that is as bad as a new rhythm",
    )
    rhythm_floor: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=0.1,
        ge=0.01,
        le=1.0,
        description="1 - cosine of onset patterns; a new rhythm",
    )
    bar_phase_penalty: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=10.0,
        ge=0.0,
        le=100.0,
        description="new rhythms that a shift of the bar phase counts for",
    )
    own_break_share: float = Field(
        default=0.5, ge=0.05, le=2.0, description="share of the track's own typical break that halves a part"
    )
    min_expectation: float = Field(default=0.01, ge=0.0, le=1.0, description="inaudible below this cosine distance")
    min_context: float = Field(default=0.01, ge=0.0, le=1.0, description="inaudible below this cosine distance")
    min_ringing: float = Field(default=0.01, ge=0.0, le=1.0, description="share of the sound whose loss is inaudible")
    min_pulse: float = Field(default=0.05, ge=0.0, le=1.0, description="inaudible below this cosine distance")
    min_harmony: float = Field(default=0.08, ge=0.0, le=1.0, description="inaudible below this cosine distance")
    min_level: float = Field(
        default=1.5, ge=0.0, le=20.0, description="dB; a smaller step is hidden by a gain and a glide"
    )
    min_brightness: float = Field(default=0.15, ge=0.0, le=4.0, description="octaves under which a change is inaudible")
    max_expectation: float = Field(
        default=0.06, ge=0.0, le=2.0, description="audible to anybody above this cosine distance"
    )
    max_context: float = Field(
        default=0.06, ge=0.0, le=2.0, description="audible to anybody above this cosine distance"
    )
    max_ringing: float = Field(default=0.1, ge=0.0, le=2.0, description="share of the sound whose loss anybody hears")
    max_pulse: float = Field(default=0.15, ge=0.0, le=2.0, description="audible to anybody above this cosine distance")
    max_harmony: float = Field(
        default=0.33, ge=0.0, le=2.0, description="audible to anybody above this cosine distance"
    )
    max_level: float = Field(default=6.0, ge=0.0, le=40.0, description="dB over which anybody hears a step")
    max_brightness: float = Field(default=0.6, ge=0.0, le=8.0, description="octaves over which anybody hears a change")
    repetition_seconds: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=4.0,
        ge=0.1,
        le=60.0,
        description="s of the same music around a splice at which the part is 1/2",
    )
    alike_distance: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=0.04,
        ge=0.001,
        le=1.0,
        description="cosine distance of two bars that are as likely the same music as not",
    )
    min_texture: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=0.003,
        ge=0.0001,
        le=1.0,
        description="inaudible at the join below this cosine distance",
    )
    min_air: float = Field(
        json_schema_extra=TOUCHES_BREAKS,
        default=1.0,
        ge=0.1,
        le=20.0,
        description="dB; a smaller step above 8 kHz is inaudible at the join",
    )
    expectation_weight: float = Field(
        default=_FITTED["expectation_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    context_weight: float = Field(
        default=_FITTED["context_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    ringing_weight: float = Field(
        default=_FITTED["ringing_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    pulse_weight: float = Field(
        default=_FITTED["pulse_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    harmony_weight: float = Field(
        default=_FITTED["harmony_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    level_weight: float = Field(
        default=_FITTED["level_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    brightness_weight: float = Field(
        default=_FITTED["brightness_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    repetition_weight: float = Field(
        default=_FITTED["repetition_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    texture_weight: float = Field(
        default=_FITTED["texture_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    air_weight: float = Field(
        default=_FITTED["air_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds lost per unit of 2 log(1 + b), b the break in units of its yardstick",
    )
    unbroken_log_odds: float = Field(
        default=_FITTED["unbroken_log_odds"],
        ge=0.0,
        le=20.0,
        description="log-odds that nobody hears a splice without any break",
    )
    min_kept_score: float = Field(default=0.05, ge=0.0, le=1.0, description="score under which a splice is not kept")
    max_splices: int = Field(
        default=1500,
        ge=10,
        le=5000,
        description="splices kept a recording: loops choose among the best 600, a plan that follows an edit among all",
    )
    max_splices_each: int = Field(
        default=2, ge=1, le=20, description="splices kept of each length and bar line, for variety"
    )
    min_body_bars: int = Field(default=2, ge=1, le=64, description="bars; a shorter body is a stutter")
    max_shift_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.0095,
        ge=0.0,
        le=0.0099,
        description="s from the downbeat; the grid rule leaves 10 ms",
    )
    correlation_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.24,
        ge=0.05,
        le=0.5,
        description="s of sound compared; half of it counts, as the window is rounded",
    )
    min_correlation: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.4,
        ge=0.0,
        le=1.0,
        description="correlation over which waveforms, under which attacks are aligned",
    )
    min_alike_correlation: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.9,
        ge=0.5,
        le=1.0,
        description="correlation of sides that count as the same",
    )
    min_fade_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS, default=0.008, ge=0.005, le=0.05, description="s; shorter fades click"
    )
    alike_fade_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS, default=0.02, ge=0.005, le=0.2, description="s; fade between alike sides"
    )
    attack_fade_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.012,
        ge=0.005,
        le=0.02,
        description="s; fade that ends as the attack begins; the grid rule leaves 20 ms",
    )
    unlike_fade_seconds: float = Field(
        json_schema_extra=TOUCHES_FITS,
        default=0.4,
        ge=0.02,
        le=1.0,
        description="s; fade between unlike sides without attacks: pads and strings; never across the next onset",
    )


class EndingParams(Params):
    """How the track's own ending is distinguished from a fade and from a cut."""

    cut_db: float = Field(
        default=30.0, ge=6.0, le=60.0, description="dB under the track; louder at the last sample is a cut"
    )
    onset_db: float = Field(default=5.0, ge=1.0, le=20.0, description="dB that an onset rises over the 60 ms before it")
    ring_seconds: float = Field(
        default=1.0, ge=0.2, le=5.0, description="s; a last sound that decays sooner is a dry hit"
    )
    fade_bars: float = Field(default=2.0, ge=0.5, le=16.0, description="bars; a level that sinks longer may be a fade")
    fade_end_db: float = Field(
        default=24.0,
        ge=6.0,
        le=34.0,
        description="dB under the track; a last attack above it is an ending, not a fade",
    )
    outro_drop_db: float = Field(default=3.0, ge=0.5, le=20.0, description="dB by which an outro lies under the track")
    resolve_bars: int = Field(
        default=2, ge=1, le=8, description="bars before the last attack that belong to the ending"
    )
    restart_ring_db: float = Field(
        default=10.0,
        ge=0.0,
        le=60.0,
        description="LU under the track of the loudest moment of its ring that is left out where it begins again",
    )


class CoverParams(Params):
    """How a video is covered with bodies and an ending."""

    required_excess_seconds: float = Field(
        default=30.0, ge=0.0, le=600.0, description="s; how much longer than the track a video must be to be looped"
    )
    sure_confidence: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        description="chance of right downbeats under which a track without a good seam is refused as low_confidence",
    )
    min_seam_score: float = Field(
        default=0.5, ge=0.0, le=1.0, description="probability; a splice more likely heard than not is never used"
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
    long_body_seconds: float = Field(
        default=120.0,
        ge=12.0,
        le=3600.0,
        description="s; a body that lasts as long may follow itself any number of times: nobody hears that as a run",
    )
    max_plays_over_mean: float = Field(
        default=2.0, ge=1.0, le=100.0, description="how often a bar is heard at most, in units of the mean of all bars"
    )
    limit_penalty: float = Field(
        default=0.06,
        ge=0.0,
        le=1.0,
        description="of plan_score, lost at twice a limit; as much as good seams worse by 0.07",
    )
    restart_worth_seconds: float = Field(
        default=60.0,
        ge=0.0,
        le=36000.0,
        description="s of music heard too often that each restart of the whole track must spare before it is served",
    )
    max_tour_bodies: int = Field(default=20, ge=1, le=64, description="bodies a tour of the track chooses from")
    max_primaries: int = Field(default=20, ge=1, le=128, description="bodies and tours tried; bounds the search")
    max_adjusters: int = Field(
        default=40, ge=0, le=128, description="splices tried to make a length fit; the search grows with their square"
    )
    max_gain_db: float = Field(
        default=6.0, ge=0.0, le=12.0, description="dB; a seam that steps more is smoothed by this much only"
    )
    min_gain_db: float = Field(
        default=0.3, ge=0.0, le=3.0, description="dB; a smaller step at a seam is not heard and left alone"
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
