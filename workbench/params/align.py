"""Landmarks of a track, events of a video, and placements of the track under the video."""

from __future__ import annotations

from pydantic import Field

from workbench.models.loading import read_numbers
from workbench.params.base import Params

_FITTED = read_numbers("align.json")


class LandmarkParams(Params):
    """What counts as a landmark of a track."""

    low_hz: float = Field(default=150.0, ge=60.0, le=300.0, description="Hz; below it is the low end: kick and bass")
    compare_bars: int = Field(default=2, ge=1, le=8, description="bars compared on each side of a bar line")
    apart_bars: int = Field(default=4, ge=1, le=16, description="bars between two drops, breaks or section borders")
    rise_db: float = Field(default=3.0, ge=1.0, le=20.0, description="dB that the full range gains at a drop")
    low_rise_db: float = Field(default=2.0, ge=0.0, le=40.0, description="dB that the low end gains with it")
    gap_db: float = Field(
        default=5.0, ge=1.0, le=30.0, description="dB over the last beat before it, where a drop follows a held breath"
    )
    low_gap_db: float = Field(
        default=20.0,
        ge=1.0,
        le=60.0,
        description="dB that the low end gains over that beat: it was gone, not only softer",
    )
    gain_db: float = Field(
        default=1.0,
        ge=0.0,
        le=10.0,
        description="dB that both gain at such a drop too; less is only the rest of a phrase",
    )
    full_db: float = Field(
        default=3.0, ge=0.5, le=12.0, description="dB under the track's loud bars that still are full"
    )
    fall_db: float = Field(default=3.0, ge=1.0, le=20.0, description="dB that the full range loses at a break")
    low_fall_db: float = Field(default=8.0, ge=1.0, le=60.0, description="dB that the low end loses at a break without")
    gone_db: float = Field(
        default=20.0,
        ge=6.0,
        le=60.0,
        description="dB under the track's loud bars from which on it has ended, not paused",
    )
    min_bar_attack: float = Field(
        default=0.4, ge=0.05, le=2.0, description="onset strength from which a bar line is heard; 1 is a strong onset"
    )
    section_contrast: float = Field(
        default=0.15,
        ge=0.0,
        le=1.0,
        description="change of the spectrum at a border, from 0, as from bar to bar, to 1, three times that",
    )
    stab_attack: float = Field(default=0.8, ge=0.2, le=3.0, description="onset strength of a stab; 1 is a strong onset")
    stab_loud_db: float = Field(
        default=5.0, ge=0.0, le=20.0, description="dB under the track's loud passages that a stab may lie"
    )
    stab_rise_db: float = Field(
        default=4.0, ge=0.0, le=30.0, description="dB that a stab rises over what was before it"
    )
    stab_fall_db: float = Field(default=8.5, ge=2.0, le=30.0, description="dB that a stab decays before the next sound")
    stab_rest_seconds: float = Field(default=0.8, ge=0.4, le=4.0, description="s that a stab stands alone")
    max_stab_next_attack: float = Field(
        default=0.5, ge=0.1, le=1.0, description="of a stab's strength, that onsets in its rest stay under"
    )
    stab_rest_db: float = Field(
        default=5.0, ge=0.0, le=30.0, description="dB under a stab that the sound in its rest stays"
    )
    ending_attack: float = Field(default=0.5, ge=0.1, le=2.0, description="onset strength of a last chord")
    ending_db: float = Field(
        default=14.0, ge=6.0, le=40.0, description="dB under the track's loud passages that a last chord may lie"
    )
    ending_rise_db: float = Field(
        default=2.0,
        ge=0.0,
        le=20.0,
        description="dB by which a last chord rises over what rings, where it is no strong onset",
    )
    ring_seconds: float = Field(
        default=4.0, ge=0.5, le=15.0, description="s after the last chord when only its ringing is left"
    )
    ring_db: float = Field(
        default=14.0, ge=3.0, le=40.0, description="dB under the track's loud passages that the ringing lies then"
    )
    downbeat_salience: float = Field(
        default=0.2, ge=0.0, le=1.0, description="of a clear downbeat; there are many, so each of them counts little"
    )
    sure_grid: float = Field(
        default=0.5, ge=0.1, le=1.0, description="grid confidence from which on downbeats count in full"
    )
    event_seconds: float = Field(
        default=0.12, ge=0.02, le=0.5, description="s within which two landmarks are the same event"
    )


class EventParams(Params):
    """What counts as an event of a video."""

    event_seconds: float = Field(
        default=0.1, ge=0.02, le=0.5, description="s within which two events are the same event"
    )
    crowd_seconds: float = Field(
        default=2.0, ge=0.2, le=10.0, description="s; a cut or hit whose neighbour is nearer is noticed less"
    )
    soft_cut: float = Field(
        default=0.7, ge=0.0, le=1.0, description="salience of a dissolve or a fade, of that of a hard cut"
    )
    title_salience: float = Field(default=0.7, ge=0.0, le=1.0, description="of words that appear")
    title_tolerance: float = Field(default=0.08, ge=0.01, le=0.5, description="s; words fade in over some frames")
    hit_rise_db: float = Field(default=10.0, ge=3.0, le=40.0, description="dB that a hit rises over what came before")
    hit_loud_db: float = Field(
        default=8.0, ge=0.0, le=40.0, description="dB under the loud passages of the soundtrack that a hit may lie"
    )
    syllable_seconds: float = Field(
        default=0.1, ge=0.0, le=0.5, description="s before speech in which a sound may be its first syllable"
    )
    motion_seconds: float = Field(default=0.5, ge=0.1, le=3.0, description="s over which motion is smoothed")
    motion_apart_seconds: float = Field(default=2.0, ge=0.2, le=20.0, description="s between two peaks of motion")
    motion_deviations: float = Field(
        default=4.0, ge=1.0, le=20.0, description="usual deviations by which a peak of motion stands out"
    )
    min_motion: float = Field(
        default=0.1, ge=0.0, le=2.0, description="picture heights a second by which any peak of motion stands out"
    )
    motion_tolerance: float = Field(default=0.15, ge=0.04, le=1.0, description="s; a gesture has no exact instant")
    end_salience: float = Field(default=0.5, ge=0.0, le=1.0, description="of the first and of the last picture")


class AlignParams(Params):
    """How a track is placed under a video."""

    grid_ms: float = Field(default=10.0, ge=1.0, le=20.0, description="ms between the offsets that are tried")
    max_placements: int = Field(default=12, ge=1, le=12, description="placements answered at most")
    min_apart_seconds: float = Field(default=1.0, ge=1.0, le=60.0, description="s between two placements")
    min_cover: float = Field(
        default=0.6,
        ge=0.6,
        le=1.0,
        description="of the salience and of the time that the best-covering placement has music under",
    )
    used_share: float = Field(
        default=0.3,
        ge=0.01,
        le=0.6,
        description="of usual events, put on a landmark where a video was cut to the track; more of salient ones",
    )
    end_share: float = Field(
        default=0.25,
        ge=0.0,
        le=1.0,
        description="of that share, for the first and the last picture, which nobody moves",
    )
    landmark_power: float = Field(
        default=2.0,
        ge=0.5,
        le=4.0,
        description="of a landmark's salience, as which it draws events: bar lines draw few",
    )
    near_share: float = Field(
        default=0.5, ge=0.0, le=1.0, description="of the events on landmarks, put there exactly; the others by eye"
    )
    near_reach: float = Field(
        default=0.3, ge=0.05, le=1.0, description="standard deviation of exact ones, of both tolerances together"
    )
    far_reach: float = Field(
        default=1.2, ge=0.2, le=3.0, description="the same of those put by eye: a frame or two at usual tolerances"
    )
    prior_odds: float = Field(
        default=_FITTED["prior_odds"],
        ge=0.0001,
        le=1.0,
        description="odds, before looking, that a track fits a video somewhere",
    )
    trust: float = Field(
        default=_FITTED["trust"],
        ge=0.1,
        le=2.0,
        description="power of the odds that the evidence gives, in the score; near a logistic fit",
    )
    bare_cost: float = Field(
        default=0.5, ge=0.0, le=1.0, description="of the score, lost where all that could have music has none"
    )
