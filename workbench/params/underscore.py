"""Reading a script, and ranking a catalog against it."""

from __future__ import annotations

from pydantic import Field

from workbench.models.loading import read_numbers
from workbench.params.base import Params

_FITTED = read_numbers("underscore.json")


class UnderscoreParams(Params):
    """Reading a script and ranking tracks against it; fitted numbers are those of `underscore.json`."""

    foreign_weight: float = Field(
        default=0.3, ge=0.0, le=1.0, description="weight of the reader in a language that it was not trained on"
    )
    half_trust_words: float = Field(
        default=3.0, ge=0.0, le=50.0, description="words of a script at which the reader counts by half"
    )
    lexicon_share: float = Field(
        default=0.35, ge=0.0, le=2.0, description="weight of single words beside the reader of sentences"
    )
    half_trust_cues: float = Field(
        default=4.0, ge=0.1, le=50.0, description="cues in a script at which the lexicon counts by half"
    )
    line_word_share: float = Field(
        default=0.5, ge=0.0, le=2.0, description="cues that a word of the lexicon's lines counts as"
    )
    line_word_gain: float = Field(
        default=4.0, ge=0.0, le=20.0, description="by how much the mean of such words is moved away from the usual"
    )
    line_word_prior: float = Field(
        default=1.0,
        ge=0.0,
        le=20.0,
        description="lines that are added to those of a word, so that a rare one counts less",
    )
    usual_share: float = Field(
        default=0.8,
        ge=0.0,
        le=1.0,
        description="share of the usual reading that is subtracted, so that what is special to a text shows",
    )
    sharpness: float = Field(
        default=2.5, ge=0.5, le=4.0, description="power of the facets; above 1 the first ones count for more"
    )
    sound_gain: float = Field(
        default=1.4, ge=0.5, le=3.0, description="by how much an expected sound is moved away from the usual one"
    )
    brief_share: float = Field(
        default=0.75,
        ge=0.0,
        le=1.0,
        description="weight of a brief beside the script, for a kind of facet that it names",
    )
    unnamed_nearness: float = Field(
        default=0.25, ge=0.0, le=1.0, description="nearness of a track whose text names nothing of a kind"
    )
    unknown_topic: float = Field(default=0.4, ge=0.0, le=1.0, description="topic of a track without a word vector")
    topic_full: float = Field(default=0.35, ge=0.05, le=1.0, description="cosine from where on a topic counts fully")
    energy_reach: float = Field(default=0.6, ge=0.1, le=1.0, description="difference of energy at which the part is 0")
    pace_reach: float = Field(default=1.0, ge=0.1, le=3.0, description="octaves of tempo at which the part is 0")
    brightness_reach: float = Field(
        default=0.5, ge=0.1, le=1.0, description="difference of brightness at which the part is 0"
    )
    moods_weight: float = Field(
        default=_FITTED["moods_weight"], ge=0.0, le=10.0, description="weight of the moods that are named"
    )
    genres_weight: float = Field(
        default=_FITTED["genres_weight"], ge=0.0, le=10.0, description="weight of the genres that are named"
    )
    instruments_weight: float = Field(
        default=_FITTED["instruments_weight"], ge=0.0, le=10.0, description="weight of the instruments"
    )
    energy_weight: float = Field(default=_FITTED["energy_weight"], ge=0.0, le=10.0, description="weight of energy")
    pace_weight: float = Field(default=_FITTED["pace_weight"], ge=0.0, le=10.0, description="weight of tempo")
    brightness_weight: float = Field(
        default=_FITTED["brightness_weight"], ge=0.0, le=10.0, description="weight of brightness"
    )
    mode_weight: float = Field(default=_FITTED["mode_weight"], ge=0.0, le=10.0, description="weight of major and minor")
    voice_weight: float = Field(
        default=_FITTED["voice_weight"], ge=0.0, le=10.0, description="weight of leaving room for the speaker"
    )
    topic_weight: float = Field(
        default=_FITTED["topic_weight"], ge=0.0, le=10.0, description="weight of the cosine of the word vectors"
    )
    opening_weight: float = Field(
        default=_FITTED["opening_weight"], ge=0.0, le=10.0, description="weight of a quick opening, on short video"
    )
    length_weight: float = Field(
        default=_FITTED["length_weight"], ge=0.0, le=10.0, description="weight of being long enough"
    )
    calibration_offset: float = Field(
        default=_FITTED["calibration_offset"], ge=-60.0, le=60.0, description="log-odds of a raw score of 0"
    )
    calibration_slope: float = Field(
        default=_FITTED["calibration_slope"], ge=0.0, le=120.0, description="log-odds a unit of raw score"
    )
    max_compared: int = Field(
        default=4_000, ge=50, le=1_000_000, description="tracks up to which every one is compared; beyond, candidates"
    )
    candidates: int = Field(default=400, ge=50, le=10_000, description="tracks that each way of searching proposes")
