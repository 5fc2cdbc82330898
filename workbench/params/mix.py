"""Utterances, how far the music is lowered under them, and what it does where the video has music of its own."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from workbench.params.base import OWN, VOICE_DETECTORS, Params, names_extension


class VoiceParams(Params):
    """Speech probabilities to utterances, and what counts as a voice-over."""

    detector: str = Field(
        json_schema_extra=names_extension(VOICE_DETECTORS),
        default=OWN,
        min_length=1,
        max_length=200,
        description="which voice detector; ours, one that is installed, or one of a module as module:attribute",
    )
    onset_probability: float = Field(
        default=0.5,
        ge=0.2,
        le=0.95,
        description="an utterance reaches it at least once; higher finds fewer, surer ones",
    )
    close_pause_seconds: float = Field(
        default=0.3,
        ge=0.0,
        le=1.0,
        description="s; shorter pauses belong to the utterance, breaths and stops among them",
    )
    min_spoken_odds: float = Field(
        default=-1.0,
        ge=-20,
        le=5,
        description="log-odds under which an utterance counts as sung; -20 takes all as spoken",
    )
    min_speech_seconds: float = Field(
        default=3.0, ge=0.0, le=60.0, description="s of speech in all that make a voice-over; less is a few words"
    )


DUCK_PRESETS: dict[str, dict[str, float]] = {
    "documentary": {},
    "tutorial": {"under_voice_lu": 17.0, "attack_ms": 200, "release_ms": 1200, "bridge_seconds": 3.0},
    "social": {
        "voice_lufs": -16.0,
        "under_voice_lu": 13.0,
        "attack_ms": 200,
        "release_ms": 500,
        "bridge_seconds": 1.0,
        "piece_seconds": 5.0,
    },
    "accessible": {
        "under_voice_lu": 20.5,  # WCAG 2.1, 1.4.7: 20 dB at least; half a dB for what meters and edges differ by
        "piece_seconds": 3.0,  # so that it holds in every passage, not in the mean of 8 s
        "quiet_utterance_lu": 40.0,  # under every speaker, however quiet beside the others
        "max_depth_db": 48.0,  # however loud the music is
    },
}
"""Ducking by name, as what differs from the defaults. Documentary: the score comes back between passages; tutorial:
every word counts, the music stays down through longer pauses; social: a louder voice, livelier music, quick return;
accessible: music at least 20 dB under speech, as WCAG 2.1 asks in 1.4.7 (Low or No Background Audio, level AAA)"""


DEEPEST_DUCK_DB = 48.0
"""dB; music that is further down is silent for another reason than speech"""
DUCK_REACH_SECONDS = 2.0
"""s from speech beyond which music is untouched: the longest ramps of `DuckParams` end within"""


class DuckParams(Params):
    """How far and how fast the music is lowered under a voice.

    `preset` may be given beside the fields: a name in `DUCK_PRESETS`, from which the other fields then differ.

    The longest attack and the longest release, with `AHEAD_SECONDS` and `HOLD_SECONDS` of `workbench.mix.ducking`, end
    within `DUCK_REACH_SECONDS`.
    """

    voice_lufs: float = Field(
        default=-18.0, ge=-28.0, le=-14.0, description="LUFS of the voice in the mix; AES TD1008 asks -18 of speech"
    )
    max_video_gain_db: float = Field(
        default=12.0, ge=0.0, le=24.0, description="dB by which a quiet voice is raised at most; its noise comes along"
    )
    max_music_gain_db: float = Field(
        default=12.0, ge=0.0, le=24.0, description="dB by which quiet music is raised at most to meet the voice"
    )
    under_voice_lu: float = Field(
        default=15.0,
        ge=13.0,
        le=24.0,
        # Torcoli et al., JAES 67(12), 2019: 10 LU at least; non-experts want 4 LU more than experts. WCAG 1.4.7: 20.
        description="LU that music is held under the voice; 13 is lively, 17 is clear, listeners ask for 10 at least "
        "(Torcoli et al., JAES 67(12), 2019), WCAG 1.4.7 for 20",
    )
    quiet_utterance_lu: float = Field(
        default=8.0,
        ge=0.0,
        le=40.0,
        description="LU under the median utterance down to which the music follows a quieter one",
    )
    max_depth_db: float = Field(
        default=40.0, ge=12.0, le=DEEPEST_DUCK_DB, description="dB that music is pulled down at most"
    )
    piece_seconds: float = Field(
        default=8.0, ge=2.0, le=60.0, description="s of speech that share one depth; longer utterances follow the music"
    )
    attack_ms: int = Field(default=300, ge=50, le=1500, description="ms of the fade down; slow enough to be inaudible")
    release_ms: int = Field(
        default=900,
        ge=100,
        le=1800,
        description="ms of the fade up; longer than the fade down",
    )
    bridge_seconds: float = Field(
        default=2.5, ge=0.0, le=3.5, description="s; music stays down through shorter pauses instead of pumping"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "preset" not in values:
            return values
        given = dict(values)
        name = given.pop("preset")
        if name not in DUCK_PRESETS:
            raise ValueError(f"no such preset; there are {', '.join(DUCK_PRESETS)}")
        return {**DUCK_PRESETS[name], **given}


class MixParams(Params):
    """What the music does where the soundtrack is music itself."""

    own_music: Literal["ignore", "mix", "yield"] = Field(
        default="ignore",
        description="ignore: it plays on; mix: it plays on under the video's own; yield: it is silent until that ends",
    )
    own_music_at: tuple[tuple[float, float], ...] | None = Field(
        default=None,
        max_length=100,
        description="s of the video, from and to, of its own music, instead of where it is detected",
    )
    under_own_music_lu: float = Field(
        default=15.0,
        ge=6.0,
        le=24.0,
        # As far as it is held under a voice: two pieces of music at once are a clash, not a balance.
        description="LU that music is held under the video's own with `mix`",
    )

    @field_validator("own_music_at")
    @classmethod
    def _in_order(cls, ranges: tuple[tuple[float, float], ...] | None) -> tuple[tuple[float, float], ...] | None:
        if ranges is None:
            return None
        ordered = tuple(sorted(ranges))
        if any(not 0.0 <= first < last for first, last in ordered):
            raise ValueError("each range ends after it begins, and begins at 0 or later")
        if any(end > start for (_, end), (start, _) in pairwise(ordered)):
            raise ValueError("two ranges overlap")
        return ordered
