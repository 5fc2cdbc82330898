"""Ask an external voice detector once a video, and cache what it found.

Ours needs no keeping: its utterances are computed from the measured soundtrack in no time.

Functions: `with_voices`; `voice_parts`, for the keys of results that depend on what is spoken.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import MediaError
from workbench.extensions import OWN, VOICE_DETECTORS, work_of
from workbench.mix.balance import DetectedVoice, SoundtrackMeasure
from workbench.mix.detectors import OwnDetector, ask_detector, find_detector
from workbench.store.fingerprint import CacheKeyPart, KeyPart, StageKey
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.params import VoiceParams

VOICES_VERSION = 1  # raise it when what is stored of a detector's answer changes


def with_voices(workspace: Workspace, soundtrack: SoundtrackMeasure) -> SoundtrackMeasure:
    """The soundtrack with what the workspace's voice detector finds in it, from the store or found now.

    Unchanged unless an external detector is named and the soundtrack has sound and a file. Raises as
    `workbench.mix.detectors.ask_detector`, and `MediaError` if a file is gone.
    """
    params, path = workspace.params.voice, soundtrack.path
    if params.detector == OWN or soundtrack.levels is None or path is None:
        return soundtrack
    detector = find_detector(params.detector)
    with work_of(VOICE_DETECTORS, params.detector):
        files = tuple(detector.reads(path))
    read = ",".join(_digest(file) for file in files)
    key = StageKey.of(
        workspace.hash_file(path),
        "voices",
        VOICES_VERSION,
        *voice_parts(params),
        *workspace.audio_parts,
        CacheKeyPart("VoiceDetectorReads", "files", read),
    )
    arrays = workspace.arrays.load_or_compute(
        key, lambda: {"utterances": np.array(ask_detector(soundtrack, params), dtype=np.float64).reshape(-1, 2)}
    )
    found = tuple((float(start), float(end)) for start, end in arrays["utterances"])
    return replace(soundtrack, detected=DetectedVoice(params, found))


def _digest(path: Path) -> str:
    """SHA-256 of a file's bytes in hex; it may be empty, as labels are without speech."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MediaError(f"{path}: cannot be read ({error.strerror}), and the voice detector needs it") from None


def voice_parts(params: VoiceParams) -> tuple[KeyPart, ...]:
    """Parts of the cache key of utterances beside the video: the parameters, and the version of the detector.

    Raises `ParameterError` if there is no such detector.
    """
    detector = OwnDetector if params.detector == OWN else find_detector(params.detector)
    return params, CacheKeyPart("VoiceDetector", "version", detector.version)
