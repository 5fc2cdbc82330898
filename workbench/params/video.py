"""Cuts, fades, flashes and still stretches of a video."""

from __future__ import annotations

from pydantic import Field

from workbench.models.loading import read_numbers
from workbench.params.base import Params

_FITTED = read_numbers("cuts.json")


class CutParams(Params):
    """How cuts, fades, flashes and still stretches are detected; weights are fitted, see `workbench/models/cuts.md`."""

    step_unlikeness: float = Field(
        default=0.1, ge=0.02, le=0.5, description="unlikeness to the picture before from where on a cut is considered"
    )
    step_tones: float = Field(
        default=0.25, ge=0.05, le=1.0, description="distance of tones from where on a cut is considered"
    )
    step_bias: float = Field(
        default=_FITTED["step_bias"], ge=-50.0, le=50.0, description="log-odds of a cut before any evidence"
    )
    step_threshold: float = Field(
        default=2.0,
        ge=-10.0,
        le=20.0,
        description="log-odds over which a step is a cut; higher finds fewer, surer ones",
    )
    unlike_weight: float = Field(
        default=_FITTED["unlike_weight"], ge=0.0, le=50.0, description="log-odds for each factor e in unlikeness across"
    )
    stands_out_weight: float = Field(
        default=_FITTED["stands_out_weight"],
        ge=0.0,
        le=50.0,
        description="log-odds for each factor e over the usual unlikeness",
    )
    alone_weight: float = Field(
        default=_FITTED["alone_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e over the largest step beside it",
    )
    tones_weight: float = Field(
        default=_FITTED["tones_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e in distance of tones across",
    )
    tones_alone_weight: float = Field(
        default=_FITTED["tones_alone_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e over the largest jump of tones beside",
    )
    undone_weight: float = Field(
        default=_FITTED["undone_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds when a leap of light is undone within a second",
    )
    afterglow_weight: float = Field(
        default=_FITTED["afterglow_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds when a leap of light glows out in a fifth of a second",
    )
    min_shot_seconds: float = Field(
        default=0.2, ge=0.0, le=2.0, description="s; of two cuts closer than this the surer one is kept"
    )
    dissolve_rms: float = Field(
        default=0.06, ge=0.01, le=0.5, description="of full scale; ends that differ by less are hardly two shots"
    )
    dissolve_quality: float = Field(
        default=0.45, ge=0.1, le=1.0, description="share that a mixture explains from where on a dissolve is considered"
    )
    dissolve_unlikeness: float = Field(
        default=0.12,
        ge=0.0,
        le=0.5,
        description="unlikeness of the ends under which a slow pan is taken for a dissolve",
    )
    dissolve_misfit: float = Field(
        default=0.08, ge=0.01, le=0.5, description="share by which the rise may stray from a straight line"
    )
    dissolve_bias: float = Field(
        default=_FITTED["dissolve_bias"], ge=-50.0, le=50.0, description="log-odds of a dissolve before any evidence"
    )
    dissolve_threshold: float = Field(
        default=1.5,
        ge=-10.0,
        le=20.0,
        description="log-odds over which a ramp is a dissolve; higher finds fewer, surer ones",
    )
    ends_weight: float = Field(
        default=_FITTED["ends_weight"], ge=-50.0, le=50.0, description="log-odds a unit of unlikeness of the ends"
    )
    end_tones_weight: float = Field(
        default=_FITTED["end_tones_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e in distance of tones of the ends",
    )
    sag_weight: float = Field(
        default=_FITTED["sag_weight"], ge=-50.0, le=50.0, description="log-odds for contrast lost in the middle"
    )
    rest_weight: float = Field(
        default=_FITTED["rest_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e that the mixture leaves unexplained",
    )
    misfit_weight: float = Field(
        default=_FITTED["misfit_weight"],
        ge=-50.0,
        le=50.0,
        description="log-odds for each factor e that the rise strays from a line",
    )
    blank_range: float = Field(
        default=0.06, ge=0.01, le=0.3, description="of full luma; a picture with less from dark to light is blank"
    )
    featureless_range: float = Field(
        default=0.02,
        ge=0.001,
        le=0.3,
        description="of full luma; a picture with less from dark to light does not show its shot; much less than "
        "`blank_range`, for a shot may be very dark",
    )
    black_luma: float = Field(
        default=0.08, ge=0.01, le=0.3, description="mean luma under which a blank picture is black"
    )
    white_luma: float = Field(default=0.9, ge=0.5, le=1.0, description="mean luma over which a blank picture is white")
    min_fade_seconds: float = Field(
        default=0.16, ge=0.04, le=2.0, description="s; a faster way to black or white is a cut"
    )
    max_fade_seconds: float = Field(default=4.0, ge=0.5, le=20.0, description="s over which a slope is followed")
    leap_in_fade: float = Field(default=0.25, ge=0.02, le=1.0, description="of full luma that a fade takes at a time")
    min_fade: float = Field(default=0.05, ge=0.01, le=1.0, description="of full luma that a fade covers at least")
    flash_leap: float = Field(default=0.1, ge=0.02, le=1.0, description="of full luma by which a flash lights up")
    flash_rise_seconds: float = Field(
        default=0.13, ge=0.02, le=1.0, description="s within which a flash reaches its height"
    )
    flash_seconds: float = Field(default=0.8, ge=0.05, le=3.0, description="s within which a flash is over")
    flash_undone: float = Field(
        default=0.6, ge=0.1, le=1.0, description="share of the leap that is undone by the end of a flash"
    )
    still_speed: float = Field(
        default=0.004, ge=0.0, le=0.1, description="picture heights a second under which nothing moves"
    )
    still_seconds: float = Field(default=1.0, ge=0.2, le=10.0, description="s; shorter rests are not reported")
    max_thorough_gigapixels: float = Field(
        default=60.0,
        ge=0.0,
        le=100_000.0,
        description="10^9 pixels, size by rate by length, up to which every picture is decoded: 20 minutes of 1080p25, "
        "about 160 s of CPU; of longer videos only pictures that others are predicted from, for three quarters of that",
    )
    max_video_seconds: float = Field(
        default=86_400.0, ge=60.0, le=604_800.0, description="s; a video that goes on for longer is refused"
    )
    max_pictures_per_second: float = Field(
        default=500.0, ge=60.0, le=10_000.0, description="mean rate over which a video is taken for damaged"
    )
