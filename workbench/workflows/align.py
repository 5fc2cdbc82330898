"""Place a track under a video: find landmarks and events, each once for all placements of a recording, then place.

    stage       arrays                                          depends on
    landmarks   landmarks and level of the track                those of beats and loops, LandmarkParams

A video that was analysed before is not measured again; placing reads a few hundred numbers. The mix of an alignment
does not depend on where the track lies: it takes the music at its integrated loudness throughout.

Functions: `align_track` for all of it; `track_landmarks`, `load_landmarks`, `video_events`, `mix_beside`,
`track_level` for its parts; `landmark_stage` for a `Sound`; `align_json`, the result as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.align.landmarks import (
    LandmarkInput,
    Landmarks,
    find_landmarks,
    landmarks_from_arrays,
    landmarks_to_arrays,
)
from workbench.align.placements import Placement, place
from workbench.analysis.labels import array_labels
from workbench.analysis.provenance import grid_record, make_provenance, with_provenance
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Sound, beat_stage, loop_stage, profile_parts
from workbench.analysis.video import watch
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, from_lufs, level_curve
from workbench.mix.balance import plan_mix
from workbench.params import WorkbenchParams
from workbench.recording import VideoSeconds
from workbench.results.align import align_result
from workbench.results.mix import mix_body
from workbench.store.fingerprint import KeyPart, StageKey
from workbench.video.events import Events, find_events
from workbench.workflows.mix import measure_soundtrack

if TYPE_CHECKING:
    from workbench.features.levels import LevelCurve
    from workbench.mix.balance import Mix
    from workbench.store.arrays import ArrayStore

LANDMARKS_VERSION = 3  # raise it when the code of align changes landmarks


@dataclass(frozen=True, slots=True)
class Alignment:
    """One track under one video."""

    track: TrackSource
    video: Path
    landmarks: Landmarks
    events: Events
    placements: tuple[Placement, ...]  # best first; none where nothing ever coincides
    mix: Mix | None  # only where it was asked for


def align_track(
    workspace: Workspace,
    track: TrackSource | Path | str,
    video: Path | str,
    *,
    auto_mix: bool = False,
) -> Alignment:
    """Find where a track can be placed under a video; `auto_mix` also measures the soundtrack and the ducking.

    Raises `MediaError` if track or video cannot be read.
    """
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    video = Path(video)
    events = video_events(workspace, video)
    landmarks = track_landmarks(workspace, track.path)
    workspace.progress("placing", 0.0)
    placements = place(landmarks, events, workspace.params.align)
    workspace.progress("placing", 1.0)
    mix = mix_beside(workspace, track.path, video, events.video_seconds) if auto_mix else None
    return Alignment(track, video, landmarks, events, placements, mix)


def align_json(workspace: Workspace, alignment: Alignment, video_id: str | None = None) -> dict[str, Any]:
    """The JSON of an alignment that was just computed, as the command line prints it, with its provenance.

    Without a `video_id` the video is named by its file's name.
    """
    mix = None
    if alignment.mix is not None:
        mix = mix_body(alignment.mix)
    body = align_result(
        ((found.offset_seconds, found.score, found.label) for found in alignment.placements),
        video_id=video_id or alignment.video.name,
        track_id=alignment.track.track_id,
        cached=False,
        mix=mix,
    )
    sound = Sound(workspace, alignment.track.path)
    provenance = make_provenance(
        workspace,
        "align",
        ("beats", "loops", "landmarks", "picture", "soundtrack"),
        track=alignment.track.path,
        video=alignment.video,
        grid=grid_record(beat_stage(sound).grid, sound.correction),
        constraints={"auto_mix": alignment.mix is not None},
    )
    return with_provenance(body.to_json(), provenance)


def track_landmarks(workspace: Workspace, path: Path | str, *, content_hash: str | None = None) -> Landmarks:
    """Landmarks of a track, from the store or found now.

    Raises `MediaError` if the file has no sound, or other bytes than `content_hash`.
    """
    sound = Sound(workspace, Path(path), keep_spectrum=True)
    if content_hash not in (None, sound.content_hash):
        raise MediaError(f"{path}: this file is not the one that was added to the catalog; add it again")
    return landmarks_from_arrays(landmark_stage(sound))


def load_landmarks(content_hash: str, correction: str, params: WorkbenchParams, store: ArrayStore) -> Landmarks | None:
    """Landmarks of a recording that was analysed before, without reading its file; None if the store has none.

    `correction` is the revision of its corrected grid, empty without one.
    """
    arrays = store.load(_landmark_key(content_hash, profile_parts(params, correction), params))
    return None if arrays is None else landmarks_from_arrays(arrays)


def video_events(workspace: Workspace, video: Path | str) -> Events:
    """Events of a video, whose picture and sound come from the store or are measured now.

    Raises `MediaError` without a moving picture.
    """
    watched = watch(workspace, video)
    return find_events(watched.picture, watched.soundtrack, workspace.params.events)


def mix_beside(workspace: Workspace, track: Path, video: Path, video_seconds: VideoSeconds) -> Mix:
    """Levels and ducking for a track under a video, wherever the track lies there."""
    soundtrack = measure_soundtrack(workspace, video)
    music = track_level(workspace, track, video_seconds)
    params = workspace.params
    return plan_mix(soundtrack, music, video_seconds, params.voice, params.duck, own=params.mix)


def track_level(workspace: Workspace, path: Path | str, seconds: VideoSeconds) -> LevelCurve:
    """The level of a track as a curve that holds its integrated loudness throughout, wherever the track is placed."""
    arrays = landmark_stage(Sound(workspace, Path(path), keep_spectrum=True))
    hops = max(1, int(np.ceil(seconds * HOPS_PER_SECOND)))
    return LevelCurve(np.full(hops, float(arrays["track_power"])), float(arrays["track_peak"]))


def landmark_stage(sound: Sound) -> dict[str, NDArray[Any]]:
    """Landmarks and level of a track, from the store or measured now: the arrays of the stage, by name."""
    workspace, path = sound.workspace, sound.path
    params, progress = workspace.params, workspace.progress
    key = _landmark_key(sound.content_hash, sound.profile_parts, params)

    def compute() -> dict[str, NDArray[Any]]:
        beat_analysis = beat_stage(sound)
        profile = loop_stage(sound, beat_analysis)
        stage = f"looking for landmarks in {path.name}"
        progress(stage, 0.0)
        borders = np.array([section.song_from for section in profile.sections], dtype=np.float64)
        recording = sound.recording
        ends = profile.ending is not None
        heard = LandmarkInput(recording, sound.spectrum, sound.onsets, beat_analysis.grid, borders, ends_by_itself=ends)
        arrays = landmarks_to_arrays(find_landmarks(heard, params.landmarks))
        level = level_curve(recording.samples, recording.sample_rate)
        progress(stage, 1.0)
        return arrays | {
            "track_power": np.array(from_lufs(level.integrated()), dtype=np.float64),
            "track_peak": np.array(level.peak, dtype=np.float64),
        }

    labels = array_labels(path.name, params)
    arrays: dict[str, NDArray[Any]] = dict(workspace.arrays.load_or_compute(key, compute, labels))
    return arrays


def _landmark_key(content_hash: str, profile: tuple[KeyPart, ...], params: WorkbenchParams) -> StageKey:
    """The key of landmarks on a grid and profile that depend on some parts."""
    return StageKey.of(content_hash, "landmarks", LANDMARKS_VERSION, *profile, params.landmarks)
