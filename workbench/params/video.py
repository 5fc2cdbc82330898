"""Cuts and dissolves of a video, and how much of it is read."""

from __future__ import annotations

from pydantic import Field

from workbench.files import read_numbers
from workbench.params.base import FittedModel, Params

_FITTED = read_numbers("cuts.json")


class CutModel(FittedModel):
    """Log-odds of a step to be a cut, and of a ramp to be a dissolve, as sums over their evidence.

    A weight is the log-odds for each factor e, but for `undone`, `afterglow`, `ends` and `sag`, where it is for each
    unit. They are fitted together, so one alone means little; see `cuts.md`.
    """

    step_bias: float = _FITTED["step_bias"]
    """log-odds of a cut before any evidence"""
    unlike_weight: float = _FITTED["unlike_weight"]
    """unlikeness across"""
    stands_out_weight: float = _FITTED["stands_out_weight"]
    """over the usual unlikeness"""
    alone_weight: float = _FITTED["alone_weight"]
    """over the largest step beside it"""
    tones_weight: float = _FITTED["tones_weight"]
    """distance of tones across"""
    tones_alone_weight: float = _FITTED["tones_alone_weight"]
    """over the largest jump of tones beside"""
    undone_weight: float = _FITTED["undone_weight"]
    """a leap of light that is undone within a second"""
    afterglow_weight: float = _FITTED["afterglow_weight"]
    """a leap of light that glows out in a fifth of a second"""

    dissolve_bias: float = _FITTED["dissolve_bias"]
    """log-odds of a dissolve before any evidence"""
    ends_weight: float = _FITTED["ends_weight"]
    """unlikeness of the ends"""
    end_tones_weight: float = _FITTED["end_tones_weight"]
    """distance of tones of the ends"""
    sag_weight: float = _FITTED["sag_weight"]
    """contrast lost in the middle"""
    rest_weight: float = _FITTED["rest_weight"]
    """what the mixture leaves unexplained"""
    misfit_weight: float = _FITTED["misfit_weight"]
    """how far the rise strays from a line"""


class CutParams(Params):
    """How surely cuts and dissolves are detected, and which videos are read in full, in part, or not at all."""

    model: CutModel = CutModel()
    step_threshold: float = Field(
        default=2.0,
        ge=-10.0,
        le=20.0,
        description="log-odds over which a step is a cut; higher finds fewer, surer ones",
    )
    dissolve_threshold: float = Field(
        default=1.5,
        ge=-10.0,
        le=20.0,
        description="log-odds over which a ramp is a dissolve; higher finds fewer, surer ones",
    )
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
