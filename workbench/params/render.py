"""Playing a plan, and previews."""

from __future__ import annotations

from pydantic import Field

from workbench.params.base import Params


class RenderParams(Params):
    """Playing a plan."""

    block_seconds: float = Field(default=5.0, ge=0.1, le=60.0, description="s of sound rendered at a time")
    ceiling_dbtp: float = Field(default=-1.0, ge=-12.0, le=0.0, description="dBTP; the limiter's ceiling")
    limiter_lookahead_seconds: float = Field(
        default=0.005, ge=0.001, le=0.05, description="s over which the limiter's gain moves; shorter ones distort bass"
    )
    limiter_release_seconds: float = Field(
        default=0.2, ge=0.01, le=2.0, description="s for the limiter to let go of 63 % of a reduction"
    )
    video_sample_rate: int = Field(default=48_000, ge=44_100, le=48_000, description="Hz of a soundtrack")
    video_kbps: int = Field(default=256, ge=96, le=320, description="kbit/s of a video's AAC stereo sound")


class PreviewParams(Params):
    """An excerpt to judge a track by, marked so that it cannot be used otherwise."""

    seconds: float = Field(default=30.0, ge=5.0, le=30.0, description="s; the longest excerpt")
    fade_seconds: float = Field(default=0.25, ge=0.0, le=2.0, description="s of fade at both ends")
    mark_every_seconds: float = Field(default=4.0, ge=1.0, le=10.0, description="s from one mark to the next")
    mark_seconds: float = Field(default=0.5, ge=0.1, le=1.0, description="s that a mark sounds")
    mark_under_db: float = Field(
        default=6.0, ge=0.0, le=20.0, description="dB by which a mark lies under the music around it; heard, not loud"
    )
    min_mark_dbfs: float = Field(default=-36.0, ge=-60.0, le=-12.0, description="dBFS RMS of a mark in silence")
    kbps: int = Field(default=128, ge=64, le=320, description="kbit/s of the MP3")
