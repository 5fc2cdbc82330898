"""Cuts and dissolves of a video, and how much of it is read."""

from __future__ import annotations

from pydantic import Field

from workbench.models.cuts import CutModel
from workbench.params.base import Params


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
