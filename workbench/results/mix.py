"""The JSON body of a mix: how loud music and footage play together, and how the music makes way for a voice.

To render: the footage's sound at `video_gain_db`, the music at `music_gain_db`, then `envelope_points` as further
attenuation of the music alone, linear in dB between points and held before the first and after the last; sum, limit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from annotated_types import Len
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from workbench.results.body import Body, optional

Pair = Annotated[list[float], Len(2, 2)]


class DuckBody(Body, title="Duck"):
    """How far the music goes down, and when."""

    envelope_points: list[Pair] = Field(description="[video s, dB to pull the music down, positive], s increasing")
    envelope_hz: int = Field(ge=1, description="grid on which the curve was sampled; not needed to render")
    speech_ranges: list[Pair] = Field(description="[start, end] of speech, video s, sorted and disjoint")
    depth_db: float = Field(ge=0, description="maximum of the curve, dB")
    attack_ms: int = Field(ge=0, description="nominal time of the fade down into speech")
    release_ms: int = Field(ge=0, description="nominal time of the fade up after it")

    @model_validator(mode="after")
    def _in_order(self) -> DuckBody:
        times = [time for time, _ in self.envelope_points]
        if any(after <= before for before, after in pairwise(times)):
            raise ValueError("envelope_points must increase strictly in time")
        if any(gain < 0 for _, gain in self.envelope_points):
            raise ValueError("envelope_points hold positive attenuations")
        edges = [edge for pair in self.speech_ranges for edge in pair]
        if any(after < before for before, after in pairwise(edges)):
            raise ValueError("speech_ranges must be sorted and disjoint")
        return self


class MixBody(Body, title="Mix"):
    """Levels for a film of footage and music."""

    voiceover: bool = Field(description="whether there is a sustained, measured voice to duck under")
    classification: Literal["voice", "ambient", "silent", "none"] = Field(description="the video's own sound")
    music_gain_db: float | SkipJsonSchema[None] = optional("dB for the music; only with a voiceover")
    video_gain_db: float | SkipJsonSchema[None] = optional("dB for the footage; only with a voiceover")
    duck: DuckBody | None = Field(description="null without a voiceover")

    @model_validator(mode="after")
    def _goes_with_voiceover(self) -> MixBody:
        for name in ("music_gain_db", "video_gain_db", "duck"):
            if (getattr(self, name) is not None) != self.voiceover:
                raise ValueError(f"{name} is given with a voiceover and only then")
        return self
