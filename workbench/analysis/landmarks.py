"""Landmarks of a track, found once for all placements of it, and its level.

stage       arrays                                          depends on
landmarks   landmarks and level of the track                those of beats and loops, LandmarkParams
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.align.landmarks import (
    LandmarkInput,
    Landmarks,
    find_landmarks,
    landmarks_from_arrays,
    landmarks_to_arrays,
)
from workbench.analysis.labels import array_labels
from workbench.analysis.track import Arrays, Sound, beat_stage, loop_stage, profile_parts
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve, from_lufs, level_curve
from workbench.params import WorkbenchParams
from workbench.recording import VideoSeconds
from workbench.store.arrays import ArrayStore
from workbench.store.fingerprint import KeyPart, StageKey

LANDMARKS_VERSION = 3  # raise it when the code of align changes landmarks


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


def track_level(workspace: Workspace, path: Path | str, seconds: VideoSeconds) -> LevelCurve:
    """The level of a track as a curve that holds its integrated loudness throughout, wherever the track is placed."""
    arrays = landmark_stage(Sound(workspace, Path(path), keep_spectrum=True))
    hops = max(1, int(np.ceil(seconds * HOPS_PER_SECOND)))
    return LevelCurve(np.full(hops, float(arrays["track_power"])), float(arrays["track_peak"]))


def landmark_stage(sound: Sound) -> Arrays:
    """Landmarks and level of a track, from the store or measured now: the arrays of the stage, by name."""
    workspace, path = sound.workspace, sound.path
    params, progress = workspace.params, workspace.progress
    key = _landmark_key(sound.content_hash, sound.profile_parts, params)

    def compute() -> Arrays:
        beat_analysis = beat_stage(sound)
        profile = loop_stage(sound, beat_analysis)
        stage = f"looking for landmarks in {path.name}"
        progress(stage, 0.0)
        borders = np.array([section.song_from for section in profile.sections], dtype=np.float64)
        recording = sound.recording
        ends = profile.ending is not None
        given = LandmarkInput(recording, sound.spectrum, sound.onsets, beat_analysis.grid, borders, ends_by_itself=ends)
        arrays = landmarks_to_arrays(find_landmarks(given, params.landmarks))
        level = level_curve(recording.samples, recording.sample_rate)
        progress(stage, 1.0)
        return arrays | {
            "track_power": np.array(from_lufs(level.integrated()), dtype=np.float64),
            "track_peak": np.array(level.peak, dtype=np.float64),
        }

    labels = array_labels(path.name, params)
    arrays: Arrays = dict(workspace.arrays.load_or_compute(key, compute, labels))
    return arrays


def _landmark_key(content_hash: str, profile: tuple[KeyPart, ...], params: WorkbenchParams) -> StageKey:
    """The key of landmarks on a grid and profile that depend on some parts."""
    return StageKey.of(content_hash, "landmarks", LANDMARKS_VERSION, *profile, params.landmarks)
