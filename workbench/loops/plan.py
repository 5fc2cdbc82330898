"""The loop plan: what is played, stored and exported."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.recording import SongSeconds, VideoSeconds

PLAN_VERSION = 1
"""Plan-format version; raising it invalidates cached plans."""


@dataclass(frozen=True, slots=True)
class LoopSegment:
    """A range of the song, played once."""

    song_from: SongSeconds
    song_to: SongSeconds
    gain_db: float
    gain_in_db: float


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """Song ranges played back to back under a clip, with their seams, gains and ends."""

    segments: tuple[LoopSegment, ...]
    seam_fades: tuple[float, ...]
    seam_curves: tuple[float, ...]
    gain_glide_seconds: float
    music_in: VideoSeconds
    music_out: VideoSeconds
    window_end: VideoSeconds
    music_end: VideoSeconds
    tail_seconds: float
    song_start: SongSeconds
    song_duration: float
    loop_start_a: SongSeconds
    loop_end_b: SongSeconds
    bars: int
    beats_per_bar: int
    repeats: int
    seam_score: float
    seam_times: tuple[VideoSeconds, ...]
    sections_covered: tuple[str, ...]
    end_label: str
    start_fade_seconds: float
    end_fade_seconds: float
    plan_score: float
    outro_start: SongSeconds | None = None
    outro_end: SongSeconds | None = None
    options: tuple[LoopPlan, ...] = ()
    version: int = PLAN_VERSION
