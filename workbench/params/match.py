"""Ranking a catalog against a video."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field, field_validator

from workbench.extensions import MATCH_TERMS
from workbench.models.loading import read_numbers
from workbench.params.base import NamedWeight, Params, named_weights, names_extension, refuse_repeated

_FITTED = read_numbers("match.json")
_MOOD = read_numbers("mood.json")
_SCORES = read_numbers("match_scores.json")

MATCH_PARTS = ("pulse", "level", "mood", "voice", "length", "bars", "arc", "sync")
"""The parts of a match score, see `workbench.match.ranking`."""

Weights: TypeAlias = tuple[float, float, float, float, float, float]


class MatchParams(Params):
    """How a catalog is ranked against a video."""

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

    slow_cuts: float = Field(default=3.0, ge=0.1, le=20.0, description="cuts a minute that count as no pace at all")
    fast_cuts: float = Field(default=60.0, ge=20.0, le=300.0, description="cuts a minute that count as full pace")
    slight_motion: float = Field(
        default=0.02, ge=0.001, le=0.5, description="picture heights a second from where on motion counts by factors"
    )
    fast_motion: float = Field(
        default=0.6, ge=0.1, le=10.0, description="picture heights a second, mean, that count as full movement"
    )
    pace_share: float = Field(default=0.55, ge=0.0, le=1.0, description="of pace in drive; the rest is movement's")
    bell_seconds: float = Field(
        default=4.0, ge=0.5, le=60.0, description="s; standard deviation of the bell under which cuts are counted"
    )
    take_seconds: float = Field(
        default=6.0, ge=1.0, le=60.0, description="s; a longer take is split into pieces of about this length"
    )
    scene_cost: float = Field(
        default=30.0, ge=0.1, le=1000.0, description="seconds times squared deviations that a scene must save"
    )
    min_scene_seconds: float = Field(default=8.0, ge=1.0, le=120.0, description="s; music cannot follow faster")
    candidates: int = Field(
        default=400, ge=50, le=5000, description="tracks of which contours and bars are compared too"
    )
    wanted_energy: Weights = Field(
        default=tuple(_FITTED["wanted_energy"]), description="of 1, pace, movement, loudness, brightness, 4 x colour"
    )
    wanted_pulse: Weights = Field(
        default=tuple(_FITTED["wanted_pulse"]), description="the same, for how fast the music is felt"
    )
    wanted_valence: Weights = Field(
        default=tuple(_FITTED["wanted_valence"]), description="the same, for how cheerful it is"
    )
    calm_under_voice: float = Field(
        default=_FITTED["calm_under_voice"],
        ge=0.0,
        le=0.8,
        description="of the energy that a video wants, given up where somebody speaks",
    )
    valence_of_music: tuple[float, float, float] = Field(
        default=(0.1, 0.28, 0.85),
        description="of 1, mode and brightness of the sound, where it was not measured how clear the key is",
    )
    valence_of_key: tuple[float, float, float] = Field(
        default=tuple(_MOOD["valence"]), description="of 1, mode and clarity of the key, where it was measured"
    )
    words_share_of_energy: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        description="of a track's energy, that the moods in the catalog's words decide",
    )
    words_share_of_valence: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="of its cheerfulness, that they decide",
    )
    pulse_width: float = Field(
        default=_FITTED["pulse_width"], ge=0.05, le=1.0, description="standard deviation; a quarter of all tempi"
    )
    octave_weight: float = Field(
        default=0.8, ge=0.0, le=1.0, description="of half or double the tempo, which many feel, beside the tempo itself"
    )
    energy_width: float = Field(default=_FITTED["energy_width"], ge=0.05, le=1.0, description="standard deviation")
    valence_width: float = Field(default=_FITTED["valence_width"], ge=0.05, le=1.0, description="standard deviation")
    much_speech: float = Field(
        default=_FITTED["much_speech"],
        ge=0.05,
        le=1.0,
        description="of the video's time, from where on a voice-over decides about vocals",
    )
    vocals_share: float = Field(default=0.75, ge=0.0, le=1.0, description="of the voice part; the rest is the band's")
    free_band: float = Field(
        default=0.08, ge=0.0, le=0.9, description="of the power from 1 to 4 kHz, that leaves a voice free"
    )
    full_band: float = Field(
        default=0.15, ge=0.05, le=1.0, description="of the power beyond `free_band`, that drowns a voice"
    )
    usual_swing: float = Field(
        default=_FITTED["usual_swing"], ge=0.01, le=1.0, description="deviation of drive that is half an arc"
    )
    usual_spread: float = Field(
        default=_FITTED["usual_spread"], ge=0.01, le=1.0, description="the same of the music's energy"
    )
    pulse_weight: float = Field(
        default=_FITTED["pulse_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    level_weight: float = Field(
        default=_FITTED["level_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    mood_weight: float = Field(
        default=_FITTED["mood_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    voice_weight: float = Field(
        default=_FITTED["voice_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    length_weight: float = Field(
        default=_FITTED["length_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    bars_weight: float = Field(default=0.05, ge=0.0, le=1.0, description="exponent in the geometric mean")
    arc_weight: float = Field(
        default=_FITTED["arc_weight"], ge=0.0, le=1.0, description="exponent in the geometric mean"
    )
    sync_weight: float = Field(default=0.05, ge=0.0, le=1.0, description="exponent in the geometric mean")
    usual_pulse: float = Field(
        default=_FITTED["usual_pulse"], gt=0.0, le=1.0, description="mean of the part over the reference set"
    )
    usual_level: float = Field(
        default=_FITTED["usual_level"], gt=0.0, le=1.0, description="mean of the part over the reference set"
    )
    usual_mood: float = Field(
        default=_FITTED["usual_mood"], gt=0.0, le=1.0, description="mean of the part over the reference set"
    )
    usual_voice: float = Field(
        default=_FITTED["usual_voice"], gt=0.0, le=1.0, description="mean of the part over the reference set"
    )
    usual_length: float = Field(
        default=_FITTED["usual_length"], gt=0.0, le=1.0, description="mean of the part over the reference set"
    )
    usual_bars: float = Field(
        default=0.5, gt=0.0, le=1.0, description="what most music has in the part: cuts keep no time with it"
    )
    usual_arc: float = Field(default=_FITTED["usual_arc"], gt=0.0, le=1.0, description="what music without an arc has")
    usual_sync: float = Field(
        default=0.5, gt=0.0, le=1.0, description="what most music has in the part: it lands nowhere in particular"
    )
    calibration_offset: float = Field(
        default=_SCORES["offset"], ge=-50.0, le=50.0, description="log-odds of a raw score of 0"
    )
    calibration_slope: float = Field(
        default=_SCORES["slope"], ge=0.0, le=200.0, description="log-odds a unit of raw score"
    )

    @property
    def weights(self) -> dict[str, float]:
        """Exponent of each part in the raw score: ours, and behind them the terms of others."""
        return {name: getattr(self, f"{name}_weight") for name in MATCH_PARTS} | dict(named_weights(self.terms))

    @property
    def usual_parts(self) -> dict[str, float]:
        """Usual value of each part of ours, for a track of which it is unknown."""
        return {name: getattr(self, f"usual_{name}") for name in MATCH_PARTS}
