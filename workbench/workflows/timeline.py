"""Gather what the picture of a video's timeline shows: the analysed video, a few of its pictures, the plan as it plays.

The analysis comes from the store if the video was analysed before; a hundred small pictures at most are read from the
file, however long it is.

Functions: `video_timeline`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.analysis.progress import Progress
from workbench.analysis.video import watch
from workbench.analysis.workspace import Workspace
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, level_curve_of_blocks
from workbench.media.video import still
from workbench.plans.plan import LoopPlan
from workbench.plots.video import PlayedMusic, Tile, VideoOverview, frame_times, tile_spans
from workbench.recording import FloatArray, Recording
from workbench.render.playback import render_blocks
from workbench.workflows.align import align_track
from workbench.workflows.plan import Planned
from workbench.workflows.render import own_music_ranges, uncertain_speech

_FRAME_PIXELS, _TILE_PIXELS = 200, 128  # widths of the large frames and of the tiles


def video_timeline(workspace: Workspace, loop: Planned, recording: Recording) -> VideoOverview:
    """Gather everything that was found in a video and planned under it."""
    plan = loop.answer
    assert isinstance(plan, LoopPlan), "a refusal has no timeline"
    assert loop.video is not None, "a bare length has no timeline"
    assert loop.analysis is not None, "a plan comes from an analysis"
    watched = watch(workspace, loop.video)
    alignment = align_track(workspace, loop.track, loop.video)
    frames, tiles = _pictures(loop.video, watched.picture.shots, workspace.progress)
    heard = level_curve_of_blocks(render_blocks(plan, recording, workspace.params.render), recording.sample_rate)
    duck = loop.mix.duck if loop.mix is not None else None
    points = () if duck is None else tuple((float(at), float(db)) for at, db in duck.envelope_points)
    gives_way = bool(points) and workspace.params.mix.own_music != "ignore"
    own_music = own_music_ranges(workspace, loop.video, loop.video_seconds) if gives_way else ()
    music_db = _gain(loop.mix.music_gain_db if loop.mix is not None else None)
    soundtrack_db = _gain(loop.mix.video_gain_db if loop.mix is not None else None)
    own = LevelCurve(watched.soundtrack.power, watched.soundtrack.peak).raised(soundtrack_db)
    return VideoOverview(
        watched=watched,
        events=alignment.events,
        frames=frames,
        tiles=tiles,
        music=PlayedMusic(
            plan=plan,
            sections=tuple(loop.analysis.profile.sections),
            music_power=_ducked(heard.raised(music_db).power, points),
            soundtrack_power=own.power,
            duck_points=points,
            own_music=own_music,
        ),
        placements=alignment.placements,
        track_span=(alignment.landmarks.first_sound, alignment.landmarks.last_sound),
        uncertain=uncertain_speech(workspace, loop.video, loop.mix),
    )


def _pictures(
    video: Path, shots: tuple[tuple[float, float], ...], progress: Progress
) -> tuple[tuple[tuple[float, np.ndarray], ...], tuple[Tile, ...]]:
    """The large frames and the tiles of the strip."""
    stage = "looking at the shots"
    times, spans = frame_times(shots), tile_spans(shots)
    frames: list[tuple[float, np.ndarray]] = []
    for time in times:
        progress(stage, len(frames) / (len(times) + len(spans)))
        frames.append((time, still(video, time, _FRAME_PIXELS).pixels))
    tiles: list[Tile] = []
    for first, last, at in spans:
        progress(stage, (len(times) + len(tiles)) / (len(times) + len(spans)))
        tiles.append(Tile(first, last, still(video, at, _TILE_PIXELS).pixels))
    progress(stage, 1.0)
    return tuple(frames), tuple(tiles)


def _gain(gain_db: float | None) -> float:
    return 0.0 if gain_db is None else gain_db


def _ducked(power: FloatArray, points: tuple[tuple[float, float], ...]) -> FloatArray:
    """Power of each hop after the attenuation at its middle."""
    if not points:
        return power
    at, attenuation = np.array(points, dtype=np.float64).T
    middles = (np.arange(power.size) + 0.5) / HOPS_PER_SECOND
    return np.asarray(power * 10.0 ** (-np.interp(middles, at, attenuation) / 10.0))
