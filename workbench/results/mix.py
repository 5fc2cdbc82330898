"""The JSON body of a mix: levels of music and soundtrack, and the ducking of the music under speech.

To render: the soundtrack at `video_gain_db`, the music at `music_gain_db`, then `envelope_points` as further
attenuation of the music alone, linear in dB between points and held before the first and after the last; sum, limit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Len
from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from workbench.results.body import Body, optional

if TYPE_CHECKING:  # processes that answer HTTP load no array code
    from workbench.mix.balance import Mix

Pair = Annotated[list[float], Len(2, 2)]  # two numbers: a point, or the start and end of a range


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
    """Levels for a video of soundtrack and music."""

    voiceover: bool = Field(description="whether there is a sustained, measured voice to duck under")
    classification: Literal["voice", "ambient", "silent", "none"] = Field(description="the video's own sound")
    music_gain_db: float | SkipJsonSchema[None] = optional("dB for the music; only with a voiceover")
    video_gain_db: float | SkipJsonSchema[None] = optional("dB for the soundtrack; only with a voiceover")
    duck: DuckBody | None = Field(description="null without a voiceover, unless music gives way to the video's own")

    @model_validator(mode="after")
    def _goes_with_voiceover(self) -> MixBody:
        for name in ("music_gain_db", "video_gain_db"):
            if (getattr(self, name) is not None) != self.voiceover:
                raise ValueError(f"{name} is given with a voiceover and only then")
        if self.voiceover and self.duck is None:
            raise ValueError("duck is given with a voiceover")
        if self.duck is not None and self.duck.speech_ranges and not self.voiceover:
            raise ValueError("without a voiceover nothing is ducked under speech")
        return self


def mix_body(mix: Mix | MixBody) -> MixBody:
    """The body of a measured mix, with times rounded to the microsecond and levels to a hundredth of a dB.

    Raises pydantic's `ValidationError` for a mix that breaks a rule of its body.
    """
    gains = {"music_gain_db": mix.music_gain_db, "video_gain_db": mix.video_gain_db}
    given: dict[str, Any] = {name: round(float(gain), 2) for name, gain in gains.items() if gain is not None}
    duck = None
    if mix.duck is not None:
        points = [[round(float(time), 6), round(float(gain), 2) + 0.0] for time, gain in mix.duck.envelope_points]
        duck = DuckBody(
            envelope_points=points,
            envelope_hz=int(mix.duck.envelope_hz),
            speech_ranges=[[round(float(edge), 6) for edge in pair] for pair in mix.duck.speech_ranges],
            depth_db=max((gain for _, gain in points), default=0.0),
            attack_ms=round(mix.duck.attack_ms),
            release_ms=round(mix.duck.release_ms),
        )
    return MixBody(voiceover=bool(mix.voiceover), classification=str(mix.classification), duck=duck, **given)  # type: ignore[arg-type]  # the body checks the word
