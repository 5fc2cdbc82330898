"""Placements of a track under a video, stored for each pair.

    stage        arrays                     depends on
    placements   the placements, as text    the bytes of both files, the grid in use, and all parameters and weights
                                            that landmarks, events and placements depend on

A second match of the same video reads them. Function: `pair_placements`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.align.placements import Coincidence, Placement, place
from workbench.analysis.landmarks import LANDMARKS_VERSION, load_landmarks, track_landmarks
from workbench.analysis.track import Arrays, profile_parts
from workbench.analysis.video import PICTURE_VERSION, SOUNDTRACK_VERSION, voice_parts
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.errors import MediaError
from workbench.extensions import OWN
from workbench.store.fingerprint import CacheKeyPart, StageKey
from workbench.video.events import Events

# Raise it when the code of align changes placements, or that of video.events or mix.voice the events they land on
PLACEMENTS_VERSION = 2
_STORED_COINCIDENCES = 3  # of each placement, in the store

Placements: TypeAlias = tuple[Placement, ...]


def pair_placements(
    workspace: Workspace,
    video_hash: str,
    events: Callable[[], Events],
    track: Track,
    correction: str,
) -> Placements | None:
    """Placements of a track under a video, best first, from the store or found now; None for an unreadable track.

    `events` is called, and the track's file read, only if the store lacks theirs. `correction` is the revision of the
    track's corrected grid, empty without one. A file with other bytes than the track that was added counts as
    unreadable: nothing of it is stored.
    """
    versions = f"{PICTURE_VERSION}:{SOUNDTRACK_VERSION}:{LANDMARKS_VERSION}"
    pair = hashlib.sha256(f"{video_hash}:{track.content_hash}:{versions}".encode()).hexdigest()
    params, store = workspace.params, workspace.arrays
    video_parts = (params.cuts, *voice_parts(params.voice), params.events, *workspace.audio_parts)
    if params.voice.detector != OWN:  # the video's bytes do not say what it finds: it may read other files
        marks = events().marks
        events_digest = hashlib.sha256(b"".join((marks.times.tobytes(), marks.salience.tobytes()))).hexdigest()
        video_parts = (*video_parts, CacheKeyPart("Events", "digest", events_digest))
    stages = (*profile_parts(params, correction), params.landmarks, *video_parts, params.align)

    def compute() -> Arrays:
        landmarks = load_landmarks(track.content_hash, correction, params, store)
        if landmarks is None:
            landmarks = track_landmarks(workspace, track.path, content_hash=track.content_hash)
        return {"placement_list": _to_bytes(place(landmarks, events(), params.align))}

    try:
        arrays = store.load_or_compute(StageKey.of(pair, "placements", PLACEMENTS_VERSION, *stages), compute)
    except MediaError:
        return None
    return _from_bytes(arrays["placement_list"])


def _to_bytes(placements: Placements) -> NDArray[np.uint8]:
    rows = [asdict(found) | {"coincidences": [asdict(met) for met in found.coincidences[:_STORED_COINCIDENCES]]}
            for found in placements]  # fmt: skip
    return np.frombuffer(json.dumps(rows).encode(), dtype=np.uint8)


def _from_bytes(stored: NDArray[np.uint8]) -> Placements:
    return tuple(
        Placement(**row | {"coincidences": tuple(Coincidence(**met) for met in row["coincidences"])})
        for row in json.loads(bytes(stored))
    )
