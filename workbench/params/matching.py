"""Ranking a catalog against a video."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field, NonNegativeFloat, field_validator

from workbench.files import read_numbers
from workbench.params.base import (
    MATCH_TERMS,
    FittedModel,
    NamedWeight,
    Params,
    named_weights,
    names_extension,
    refuse_repeated,
)

MATCH_PARTS = ("pulse", "level", "mood", "voice", "length", "bars", "arc", "sync")
"""The parts of a match score, see `workbench.matching.video_ranking`."""
BRIEF_PART = "brief"
"""The part of a match score that is there only where a brief names moods, genres or instruments."""
UNNAMED_NEARNESS = 0.25
"""To what is asked, of a track whose text names nothing of a kind."""


_FITTED = read_numbers("match.json")
_MOOD = read_numbers("mood.json")
_SCORES = read_numbers("match_scores.json")

Weights: TypeAlias = tuple[float, float, float, float, float, float]
"""of 1, pace, movement, loudness, brightness, 4 x colour"""


class MatchModel(FittedModel):
    """What the parts of a match score are made of; see `match.md`, `mood.md` and `match_scores.md` for what is fitted.

    A width is a standard deviation. `usual_` of a part is its mean over the reference set: the value of tracks
    whose part is unknown.
    """

    wanted_energy: Weights = tuple(_FITTED["wanted_energy"])
    wanted_pulse: Weights = tuple(_FITTED["wanted_pulse"])
    """for how fast the music is felt"""
    wanted_valence: Weights = tuple(_FITTED["wanted_valence"])
    """for how cheerful it is"""
    calm_under_voice: float = Field(default=_FITTED["calm_under_voice"], ge=0.0, le=1.0)
    """of the energy that a video wants, given up under speech"""
    much_speech: float = Field(default=_FITTED["much_speech"], gt=0.0)
    """of the video's time, from where on a voice-over decides about vocals"""

    pulse_width: float = Field(default=_FITTED["pulse_width"], gt=0.0)
    """a quarter of all tempi"""
    octave_weight: float = Field(default=0.8, ge=0.0, le=1.0)
    """of half or double the tempo, which many feel, beside the tempo itself"""
    energy_width: float = Field(default=_FITTED["energy_width"], gt=0.0)
    valence_width: float = Field(default=_FITTED["valence_width"], gt=0.0)
    valence_of_music: tuple[float, float, float] = (0.1, 0.28, 0.85)
    """of 1, mode and brightness of the sound, where it was not measured how clear the key is"""
    valence_of_key: tuple[float, float, float] = tuple(_MOOD["valence"])
    """of 1, mode and clarity of the key, where it was measured"""
    words_share_of_energy: float = Field(default=0.5, ge=0.0, le=1.0)
    """of a track's energy, that the moods in the catalog's words decide"""
    words_share_of_valence: float = Field(default=0.7, ge=0.0, le=1.0)
    """of its cheerfulness, that they decide"""
    vocals_share: float = Field(default=0.75, ge=0.0, le=1.0)
    """of the voice part; the rest is the band's"""
    free_band: NonNegativeFloat = 0.08
    """of the power from 1 to 4 kHz, that leaves a voice free"""
    full_band: float = Field(default=0.15, gt=0.0)
    """of the power beyond `free_band`, that drowns a voice"""
    usual_swing: float = Field(default=_FITTED["usual_swing"], gt=0.0)
    """deviation of drive that is half an arc"""
    usual_spread: float = Field(default=_FITTED["usual_spread"], gt=0.0)
    """the same of the music's energy"""

    usual_pulse: float = Field(default=_FITTED["usual_pulse"], gt=0.0, le=1.0)
    usual_level: float = Field(default=_FITTED["usual_level"], gt=0.0, le=1.0)
    usual_mood: float = Field(default=_FITTED["usual_mood"], gt=0.0, le=1.0)
    usual_voice: float = Field(default=_FITTED["usual_voice"], gt=0.0, le=1.0)
    usual_length: float = Field(default=_FITTED["usual_length"], gt=0.0, le=1.0)
    usual_bars: float = Field(default=0.5, gt=0.0, le=1.0)
    """cuts keep no time with most music"""
    usual_arc: float = Field(default=_FITTED["usual_arc"], gt=0.0, le=1.0)
    usual_sync: float = Field(default=0.5, gt=0.0, le=1.0)
    """most music lands nowhere in particular"""
    usual_brief: float = Field(default=UNNAMED_NEARNESS, gt=0.0, le=1.0)
    """of music whose text names nothing of the kinds that a brief names"""
    brief_weight: float = Field(default=0.25, ge=0.0, le=1.0)
    """of the moods, genres and instruments that a brief names, beside the parts of the video"""
    brief_share: float = Field(default=0.75, ge=0.0, le=1.0)
    """of the energy and cheerfulness looked for, that the moods of a brief decide; half as much its other words"""
    asked_gain: float = Field(default=2.0, ge=1.0)
    """by which energy, cheerfulness and tempo weigh more where they were asked for: a picture says little of them"""
    calibration_offset: float = _SCORES["offset"]
    """log-odds of a raw score of 0"""
    calibration_slope: NonNegativeFloat = _SCORES["slope"]
    """log-odds a unit of raw score"""


class MatchParams(Params):
    """How a catalog is ranked against a video."""

    model: MatchModel = MatchModel()

    terms: tuple[NamedWeight, ...] = Field(
        json_schema_extra=names_extension(MATCH_TERMS),
        default=(),
        max_length=8,
        description="external match terms and their weights, each as name=weight; ours weigh 0 to 1",
    )

    @field_validator("terms")
    @classmethod
    def _each_part_once(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeated(terms, (*cls.model_fields, f"{BRIEF_PART}_weight"), "match term")
        return terms

    candidates: int = Field(
        default=400, ge=50, le=5000, description="tracks of which contours and bars are compared too"
    )
    pulse_weight: float = Field(default=_FITTED["pulse_weight"], ge=0.0, le=1.0, description="weight of the tempo")
    level_weight: float = Field(default=_FITTED["level_weight"], ge=0.0, le=1.0, description="weight of the energy")
    mood_weight: float = Field(
        default=_FITTED["mood_weight"], ge=0.0, le=1.0, description="weight of how cheerful the music is"
    )
    voice_weight: float = Field(
        default=_FITTED["voice_weight"], ge=0.0, le=1.0, description="weight of leaving room for speech"
    )
    length_weight: float = Field(
        default=_FITTED["length_weight"], ge=0.0, le=1.0, description="weight of being long enough, played or looped"
    )
    bars_weight: float = Field(default=0.05, ge=0.0, le=1.0, description="weight of cuts that keep time with the music")
    arc_weight: float = Field(
        default=_FITTED["arc_weight"], ge=0.0, le=1.0, description="weight of rising and falling with the pictures"
    )
    sync_weight: float = Field(
        default=0.05, ge=0.0, le=1.0, description="weight of landing on events, where it is asked for"
    )

    @property
    def weights(self) -> dict[str, float]:
        """Exponent of each part in the raw score: ours, that of a brief, then those of external terms."""
        ours = {name: getattr(self, f"{name}_weight") for name in MATCH_PARTS}
        return {**ours, BRIEF_PART: self.model.brief_weight, **dict(named_weights(self.terms))}

    @property
    def usual_parts(self) -> dict[str, float]:
        """Usual value of each part of ours, for tracks without a value."""
        return {name: getattr(self.model, f"usual_{name}") for name in (*MATCH_PARTS, BRIEF_PART)}


_UNDERSCORE = read_numbers("underscore.json")


class UnderscoreModel(FittedModel):
    """Weights of the parts of an underscore score and its calibration, see `underscore.md`."""

    moods_weight: NonNegativeFloat = _UNDERSCORE["moods_weight"]
    genres_weight: NonNegativeFloat = _UNDERSCORE["genres_weight"]
    instruments_weight: NonNegativeFloat = _UNDERSCORE["instruments_weight"]
    energy_weight: NonNegativeFloat = _UNDERSCORE["energy_weight"]
    pace_weight: NonNegativeFloat = _UNDERSCORE["pace_weight"]
    brightness_weight: NonNegativeFloat = _UNDERSCORE["brightness_weight"]
    mode_weight: NonNegativeFloat = _UNDERSCORE["mode_weight"]
    """of major and minor"""
    voice_weight: NonNegativeFloat = _UNDERSCORE["voice_weight"]
    """of leaving room for the speaker"""
    topic_weight: NonNegativeFloat = _UNDERSCORE["topic_weight"]
    """of the cosine of the word vectors"""
    opening_weight: NonNegativeFloat = _UNDERSCORE["opening_weight"]
    """of a quick opening, on short video"""
    length_weight: NonNegativeFloat = _UNDERSCORE["length_weight"]
    """of being long enough"""
    calibration_offset: float = _UNDERSCORE["calibration_offset"]
    """log-odds of a raw score of 0"""
    calibration_slope: NonNegativeFloat = _UNDERSCORE["calibration_slope"]
    """log-odds a unit of raw score"""


class UnderscoreParams(Params):
    """Reading a script and ranking tracks against it."""

    model: UnderscoreModel = UnderscoreModel()

    brief_share: float = Field(
        default=0.75,
        ge=0.0,
        le=1.0,
        description="weight of a brief beside the script, for a kind of facet that it names",
    )
    max_compared: int = Field(
        default=4_000, ge=50, le=1_000_000, description="tracks up to which every one is compared; beyond, candidates"
    )
    candidates: int = Field(default=400, ge=50, le=10_000, description="tracks that each way of searching proposes")
