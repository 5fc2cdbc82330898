"""Describe a recording for the catalog: its character, from the store or measured now.

    stage       arrays                                      depends on
    character   facts, contour, sound vector, sections      what beats and loops depend on, CoverParams,
                                                            models `character.json`, `mood.json`

It shares the decoded sound and the spectrogram with the stages before it, and needs besides only a minute of the
recording at 16 kHz, in which voices are detected. Measuring a track for the catalog finds its landmarks too, so that no
match has to open a sound file.

Functions: `describe`; `measure_track`, for the library; `analysis_name`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.catalog.library import Measurement
from workbench.catalog.tempo import SURE, UNSURE, tempo_certainty
from workbench.catalog.voice import MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE
from workbench.character.describe import FACTS, MOOD_FILE, Character, character_from_arrays, character_to_arrays
from workbench.character.fitted import fitted_digest
from workbench.models.loading import model_digest
from workbench.params import WorkbenchParams
from workbench.store.fingerprint import CacheKeyPart, KeyPart, StageKey
from workbench.workflows.align import LANDMARKS_VERSION, landmark_stage
from workbench.workflows.analyze import Arrays, Sound, beat_stage, loop_stage, profile_parts
from workbench.workflows.labels import array_labels
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.recording import Recording

# Raise it when the code of character changes a measurement, or a threshold of catalog.tempo or catalog.voice does
CHARACTER_VERSION = 3

# The names of a track's fields where a character calls the fact otherwise
_TRACK_FIELDS = {"key_name": "musical_key_name", "key_mode": "musical_key_mode"}


def describe(workspace: Workspace, path: Path | str) -> Character:
    """The character of a file."""
    return _character(Sound(workspace, Path(path), keep_spectrum=True))


def measure_track(workspace: Workspace, path: Path | str, given_bpm: float | None = None) -> Measurement:
    """Measure a file for the library; its landmarks are left in the store.

    `given_bpm` is the tempo of the catalog: where another is detected and beats at this one can be followed, the track
    is measured on them, and they are to be saved as its grid.
    """
    sound = Sound(workspace, Path(path), keep_spectrum=True)
    at_tempo = None
    if given_bpm is not None:
        from workbench.workflows.own_grid import grid_of_given_tempo

        if (at_tempo := grid_of_given_tempo(sound, given_bpm)) is not None:
            sound.correction = at_tempo
    character = _character(sound)
    landmark_stage(sound)
    corrected = sound.correction is not None
    name = analysis_name(sound.params)
    measured = _measurement_of(character, sound.content_hash, name, corrected=corrected)
    return replace(measured, grid=at_tempo)


def analysis_name(params: WorkbenchParams) -> str:
    """Versions, parameters and models of a measurement as a short text: "character.v1.landmarks.v3." and 16 hex digits.

    Measurements with equal names on equal grids are equal. A corrected grid marks the recording to be measured again,
    see `workbench.store.grids`.
    """
    parts = _character_parts(params, profile_parts(params, correction=""))
    key = StageKey.of("0" * 64, "character", CHARACTER_VERSION, *parts, params.landmarks)
    return f"character.v{CHARACTER_VERSION}.landmarks.v{LANDMARKS_VERSION}.{key.params_digest[:16]}"


def _character_parts(params: WorkbenchParams, profile: tuple[KeyPart, ...]) -> tuple[KeyPart, ...]:
    """What a character depends on; `profile` is what its grid and profile depend on."""
    models = (
        CacheKeyPart("Fitted", "character", fitted_digest()),
        CacheKeyPart("FittedMood", "mood", model_digest(MOOD_FILE)),
    )
    return (*profile, params.cover, *models)


def _character(sound: Sound) -> Character:
    params = sound.params
    parts = _character_parts(params, sound.profile_parts)
    key = StageKey.of(sound.content_hash, "character", CHARACTER_VERSION, *parts)

    def compute() -> Arrays:
        from workbench.character.describe import measure_character

        beat_analysis = beat_stage(sound)
        profile = loop_stage(sound, beat_analysis)
        recording, spectrum, onsets = sound.recording, sound.spectrum, sound.onsets
        sound.progress("describing the sound", 0.0)
        vocals = _vocals(recording)
        character = measure_character(recording, spectrum, onsets, beat_analysis.grid, profile, vocals, params.cover)
        sound.progress("describing the sound", 1.0)
        return character_to_arrays(character)

    labels = array_labels(sound.path.name, params)
    return character_from_arrays(sound.workspace.arrays.load_or_compute(key, compute, labels))


def _vocals(recording: Recording) -> float:
    from workbench.character.vocals import RATE, excerpts, voice_chance
    from workbench.features.spectrum import resampled
    from workbench.media.speech import speech_probabilities

    heard = excerpts(resampled(recording.samples, recording.sample_rate, RATE))
    if not heard.size:
        return 0.0
    return voice_chance(heard, speech_probabilities([heard]))


def _measurement_of(character: Character, content_hash: str, analysis: str, *, corrected: bool) -> Measurement:
    """A character for the library: track fields under their own names, the rest under those of `Columns`.

    `instrumental` is left out where it is not sure either way, and `bpm` where no tempo is to be stated; ranking goes
    by `heard_bpm`. A tempo is sure on a `corrected` grid, which a person gave, confirmed or named the tempo of.
    """
    facts: dict[str, Any] = {name: getattr(character, name) for name in FACTS if name not in _TRACK_FIELDS}
    facts |= {_TRACK_FIELDS[name]: getattr(character, name) for name in _TRACK_FIELDS}
    facts["duration"] = character.duration_seconds
    if character.bpm is not None:
        facts["heard_bpm"] = character.bpm
        heard = tempo_certainty(character.bpm, character.grid_confidence, character.drums)
        certainty = SURE if corrected else heard
        facts["tempo_certainty"] = certainty
        if certainty == UNSURE:
            facts["bpm"] = None
    if character.vocals <= MAX_INSTRUMENTAL_VOICE:
        facts["instrumental"] = True
    elif character.vocals >= MIN_VOCAL_VOICE:
        facts["instrumental"] = False
    known = {name: value for name, value in facts.items() if value is not None}
    return Measurement(
        content_hash, analysis, known, character.contour.astype(np.float16), character.sound.astype(np.float16)
    )
