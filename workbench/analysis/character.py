"""The character of a recording, measured in one pass: the facts that ranking, listings and answers use.

    stage       arrays                                      depends on
    character   facts, contour, sound vector, sections      what beats and loops depend on, CoverParams,
                                                            models `character.json`, `mood.json`

    pace        tempo and metre from the grid, onsets a second
    energy      how driving it is, of the whole and in 32 parts; a louder master does not count
    colour      brightness, the share of power in the band of speech, drums
    tonality    key and mode (`workbench.features.key`)
    voice       whether it has singing or speech (`workbench.features.vocals`)
    level       integrated loudness and loudness range
    form        sections, the most memorable part, whether it can be looped

Energy is a weighted sum of what makes people call music driving, none of which a louder master changes: tempo, onsets,
drums, power in the treble, noise rather than tones, little distance between peaks and mean (Gabrielsson & Lindström
2010 review the evidence). Its weights are those of `mood.json`; where the clues say little they leave a track near the
middle. A part of the track has the energy of the whole, corrected by its level and onsets relative to the track's.

The sound and the spectrogram are those of the stages before it; voices are detected in a minute of the recording at
16 kHz. `measure_track`, for the library, finds a track's landmarks too, so that no match has to open a sound file.

References
----------
EBU Tech 3342 (2023) for the loudness range. A. Gabrielsson & E. Lindström, "The role of structure in the musical
expression of emotions", in Juslin & Sloboda, "Handbook of Music and Emotion", Oxford 2010.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.labels import array_labels
from workbench.analysis.landmarks import LANDMARKS_VERSION, landmark_stage
from workbench.analysis.track import (
    MIN_TEMPO_CONFIDENCE,
    Arrays,
    Sound,
    beat_stage,
    detected_grid,
    grid_at_tempo,
    has_tempo,
    loop_stage,
    profile_parts,
    tempo_note,
)
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.catalog.certainty import MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE, SURE, UNSURE, tempo_certainty
from workbench.catalog.library import Measurement
from workbench.catalog.track import LONGEST_TEXT
from workbench.extensions import OWN
from workbench.features.character_model import FILE as CHARACTER_FILE
from workbench.features.descriptors import (
    CONTOUR_PARTS,
    SOUND_DIMS,
    SoundFacts,
    rhythm_shape,
    sound_vector,
    timbre_shape,
)
from workbench.features.drums import drum_chance
from workbench.features.key import find_key, key_clarity, tone_profile
from workbench.features.loudness import integrated_lufs, short_term
from workbench.features.onsets import OnsetStrengths
from workbench.features.spectrum import Spectrum, resampled
from workbench.features.speech_probability import speech_probabilities
from workbench.features.vocals import RATE, excerpts, voice_chance
from workbench.files import model_digest, read_numbers
from workbench.params import CoverParams, WorkbenchParams
from workbench.recording import FloatArray, MonoMixer, Recording
from workbench.seams.profile import LoopProfile
from workbench.store.fingerprint import CacheKeyPart, KeyPart, StageKey
from workbench.store.saved import CorrectedGrid, make_record
from workbench.structure.salience import loudest_stretch, memorable_bars
from workbench.structure.sections import LABELS

_TAGS_VERSION = 1  # raise it when other tags of a file are read
_MIN_GRID_CONFIDENCE = 0.02  # under which a track has no tempo, as drones have none
MIN_KEY_STRENGTH = 0.6  # probability under which no key is named: from here on 96 of 100 external pieces are right
_SALIENT_SECONDS = 30.0  # of the memorable part; the longest preview
_SPEECH_HZ = (1000.0, 4000.0)
_TREBLE_HZ = 4000.0
_NOISE_HZ = (300.0, 8000.0)  # where noise is separated from tones
_SOFTEST = 1e-4  # of the power of loud frames; softer frames are not asked for noise
_SOUNDING_EDGE, _ONSET_APART_FRAMES = 0.005, 5  # least rise of an onset that is counted; frames between two
_DULLEST, _BRIGHTEST = 8.7, 10.5  # log2 Hz of the centre of specific loudness
MOOD_FILE = "mood.json"
_FARTHEST = 2.5  # spreads at which a single clue is clipped
_EVERY = 7  # every seventh sample is enough for a quantile, every seventh frame for a mean
_LEVEL_SHARE, _PUNCH_SHARE = 0.025, 0.06  # energy a dB over the track's level; energy for rises twice the track's mean
_QUIETEST_PART_DB = 24.0  # below the track's level; softer parts count as this soft


@dataclass(frozen=True, slots=True, eq=False)
class Character:
    """The measurements of one recording. A number that cannot be measured is None."""

    duration_seconds: float
    """decoded length, s"""
    bpm: float | None
    """None where no pulse was found"""
    beats_per_bar: int | None
    grid_confidence: float
    """0 to 1, probability that the bar lines are right"""
    energy: float
    """0 to 1"""
    brightness: float
    """0 dull to 1 bright"""
    density: float
    """onsets a second"""
    key_name: str | None
    key_mode: str | None
    key_strength: float
    """probability of the key, 0 to 1"""
    key_clarity: float | None
    """how much the tones keep to one key, see `key.key_clarity`; None for silence"""
    mode: float | None
    """-1 surely minor to 1 surely major"""
    lufs: float | None
    """LUFS integrated; None for silence"""
    dynamics: float | None
    """LU, loudness range"""
    vocals: float
    """probability of singing or speech, 0 to 1"""
    drums: float
    """probability of drums, 0 to 1"""
    speech_band: float
    """share of the power from 1 to 4 kHz, 0 to 1"""
    loopable: float
    """0 to 1: score of the best seam that makes a body; 0 where none is good enough"""
    salient: tuple[float, float]
    """s, start and end of the most memorable part"""
    sections: tuple[tuple[float, float, str], ...]
    """start and end in s, label"""
    contour: FloatArray
    """shape (CONTOUR_PARTS,), energy 0 to 1"""
    sound: FloatArray
    """shape (SOUND_DIMS,), of unit length"""


def measure_character(
    recording: Recording,
    spectrum: Spectrum,
    onsets: OnsetStrengths,
    grid: BeatGrid,
    profile: LoopProfile,
    vocals: float,
    cover: CoverParams,
) -> Character:
    """Measure a recording from its analyses; zeros and None where nothing sounds.

    `vocals` is from `vocals.voice_chance`. Numbers are rounded to the digits that are stored.
    """
    sounding = bool(spectrum.power.size) and float(spectrum.power.max()) > 1e-12
    bpm = grid.tempo_bpm if grid.beats.size > 1 and grid.confidence >= _MIN_GRID_CONFIDENCE else None
    density = _count_onsets(onsets) / max(recording.duration, 1e-3)
    tones = tone_profile(spectrum.tones, spectrum.tone_midi)
    key = find_key(tones) if sounding else None
    named = key if key is not None and key.strength >= MIN_KEY_STRENGTH else None
    lufs = integrated_lufs(recording.samples, recording.sample_rate)
    drums = drum_chance(spectrum, onsets) if sounding else 0.0
    brightness = _brightness(spectrum) if sounding else 0.0
    energy = _energy(energy_clues(recording, spectrum, bpm, density, drums)) if sounding else 0.0
    contour = _contour(spectrum, onsets, energy) if sounding else np.zeros(CONTOUR_PARTS)
    facts = SoundFacts(
        bpm=bpm,
        energy=energy,
        brightness=brightness,
        density=density,
        mode=None if key is None else key.major,
        vocals=vocals,
        drums=drums,
        contour=contour,
        timbre=timbre_shape(spectrum.power, spectrum.band_hz),
        rhythm=rhythm_shape(onsets.attack, onsets.frames_per_second, grid.downbeats),
    )
    return Character(
        duration_seconds=round(recording.duration, 6),
        bpm=None if bpm is None else round(bpm, 3),
        beats_per_bar=None if bpm is None else grid.beats_per_bar,
        grid_confidence=round(grid.confidence, 4),
        energy=round(energy, 4),
        brightness=round(brightness, 4),
        density=round(density, 4),
        key_name=None if named is None else named.name,
        key_mode=None if named is None else named.mode,
        key_strength=0.0 if key is None else round(key.strength, 4),
        key_clarity=None if key is None else round(key_clarity(tones), 4),
        mode=None if key is None else round(key.major, 4),
        lufs=round(lufs, 3) if np.isfinite(lufs) else None,
        dynamics=loudness_range(short_term(recording.samples, recording.sample_rate)),
        vocals=round(vocals, 4),
        drums=round(drums, 4),
        speech_band=round(_speech_band(spectrum), 4) if sounding else 0.0,
        loopable=round(_loopable(profile, cover), 4),
        salient=_salient(profile, spectrum, _SALIENT_SECONDS),
        sections=tuple((section.song_from, section.song_to, section.label) for section in profile.sections),
        contour=contour.astype(np.float32),
        sound=(sound_vector(facts) if sounding else np.zeros(SOUND_DIMS)).astype(np.float32),
    )


def loudness_range(short_term_lufs: FloatArray) -> float | None:
    """How far the loud parts lie over the soft ones (EBU Tech 3342).

    The 95th less the 10th percentile of the short-term loudness, without values below -70 LUFS or 20 LU under the mean
    of the rest. In LU, rounded to 0.001; None for silence or less than 3 s.
    """
    sounding = short_term_lufs[short_term_lufs > -70.0]
    if not sounding.size:
        return None
    gate = 10.0 * np.log10(np.mean(10.0 ** (sounding / 10.0))) - 20.0
    low, high = np.quantile(sounding[sounding >= gate], (0.10, 0.95))
    return round(float(high - low), 3)


def character_to_arrays(character: Character) -> dict[str, NDArray[Any]]:
    """The arrays as they are stored, declared in `workbench.analysis.labels`."""
    numbers = {name: getattr(character, name) for name in FACTS}
    text = json.dumps(numbers, ensure_ascii=False).encode("utf-8")
    edges = [(start, end) for start, end, _ in character.sections]
    return {
        "character_facts": np.frombuffer(text, dtype=np.uint8),
        "contour": character.contour.astype(np.float32),
        "sound_vector": character.sound.astype(np.float32),
        "section_edges": np.array(edges, dtype=np.float64).reshape(-1, 2),
        "section_labels": np.array([LABELS.index(label) for *_, label in character.sections], dtype=np.int8),
    }


def character_from_arrays(arrays: dict[str, NDArray[Any]]) -> Character:
    """Restore a character from its arrays."""
    numbers = json.loads(arrays["character_facts"].tobytes())
    numbers["salient"] = tuple(numbers["salient"])
    labels = [LABELS[int(label)] for label in arrays["section_labels"]]
    sections = tuple((float(a), float(b), label) for (a, b), label in zip(arrays["section_edges"], labels, strict=True))
    return Character(sections=sections, contour=arrays["contour"], sound=arrays["sound_vector"], **numbers)


_ARRAYS = ("sections", "contour", "sound")
FACTS = tuple(field.name for field in fields(Character) if field.name not in _ARRAYS)
"""names of the single numbers and words of a character"""


def _count_onsets(onsets: OnsetStrengths) -> int:
    from scipy.signal import find_peaks

    peaks, _ = find_peaks(onsets.edge.astype(np.float64), height=_SOUNDING_EDGE, distance=_ONSET_APART_FRAMES)
    return int(peaks.size)


def _band_power(spectrum: Spectrum) -> FloatArray:
    """Mean power of each band, shape (n_bands,)."""
    return np.asarray(spectrum.power.mean(axis=1, dtype=np.float64))


def _speech_band(spectrum: Spectrum) -> float:
    """Share of the power from 1 to 4 kHz; bands are means over their bins, so each counts for its width."""
    power = _band_power(spectrum) * np.gradient(spectrum.band_hz)
    inside = (spectrum.band_hz >= _SPEECH_HZ[0]) & (spectrum.band_hz < _SPEECH_HZ[1])
    return float(power[inside].sum() / max(float(power.sum()), 1e-30))


def _brightness(spectrum: Spectrum) -> float:
    loudness = _band_power(spectrum) ** 0.3  # Stevens' law: loudness grows as power ** 0.3
    centre = float((loudness * np.log2(spectrum.band_hz)).sum() / loudness.sum())
    return float(np.clip((centre - _DULLEST) / (_BRIGHTEST - _DULLEST), 0.0, 1.0))


def energy_clues(
    recording: Recording, spectrum: Spectrum, bpm: float | None, density: float, drums: float
) -> dict[str, float | None]:
    """The clues of energy, by name, for which `mood.json` has weights; all are independent of gain.

    `tempo` in octaves over 1 bpm, or None; `density`, onsets a second; `drums`; `treble`, share of the power, dB;
    `noise`, log of spectral flatness, 0 for noise and less for tones; `peaks` over the mean, dB.
    """
    power = _band_power(spectrum) * np.gradient(spectrum.band_hz)
    treble = power[spectrum.band_hz >= _TREBLE_HZ].sum() / max(float(power.sum()), 1e-30)
    sparse = MonoMixer().mix(recording.samples[:, ::_EVERY], np.float64)
    return {
        "tempo": None if bpm is None else float(np.log2(bpm)),
        "density": density,
        "drums": drums,
        "treble": 10.0 * float(np.log10(treble + 1e-9)),
        "noise": _noise(spectrum),
        # a quantile, not the maximum: one click is not a lively piece
        "peaks": 10.0 * float(np.log10((np.quantile(np.square(sparse), 0.9999) + 1e-12) / (sparse.var() + 1e-12))),
    }


def _noise(spectrum: Spectrum) -> float:
    """Log of the flatness of the middle bands, mean over the frames that are not soft."""
    inside = (spectrum.band_hz >= _NOISE_HZ[0]) & (spectrum.band_hz < _NOISE_HZ[1])
    frames = spectrum.power[:, ::_EVERY]
    total = frames.sum(axis=0, dtype=np.float64)
    sounding = frames[inside][:, total > np.quantile(total, 0.98) * _SOFTEST].astype(np.float64)
    sounding += 1e-9 * float(sounding.mean()) + 1e-30  # no logarithm of 0, and the same flatness at any gain
    return float((np.log(sounding).mean(axis=0) - np.log(sounding.mean(axis=0))).mean()) if sounding.size else 0.0


def _energy(clues: Mapping[str, float | None]) -> float:
    fitted, moved = read_numbers(MOOD_FILE)["energy"], 0.0
    for name, clue in fitted["clues"].items():
        value = clues[name]
        if value is None:  # music without a tempo feels slow
            value = clue["mean"] - clue["spread"]
        moved += clue["weight"] * np.clip((value - clue["mean"]) / clue["spread"], -_FARTHEST, _FARTHEST)
    return float(np.clip(fitted["usual"] + moved, 0.0, 1.0))


def _contour(spectrum: Spectrum, onsets: OnsetStrengths, energy: float) -> FloatArray:
    """Energy of equal parts: that of the whole, corrected by how loud each part is and how strong its onsets are."""
    level = spectrum.power.sum(axis=0, dtype=np.float64)
    edge = onsets.edge.astype(np.float64)
    borders = np.linspace(0, level.size, CONTOUR_PARTS + 1).astype(np.int64)
    parts = [slice(a, max(a + 1, b)) for a, b in pairwise(borders)]
    mean_level, mean_edge = max(float(level.mean()), 1e-30), max(float(edge.mean()), 1e-9)
    louder = [10.0 * np.log10(max(float(level[part].mean()), 1e-30) / mean_level) for part in parts]
    harder = [float(edge[part].mean()) / mean_edge - 1.0 for part in parts]
    moved = _LEVEL_SHARE * np.clip(louder, -_QUIETEST_PART_DB, None) + _PUNCH_SHARE * np.clip(harder, -1.0, 2.0)
    return np.asarray(np.clip(energy + moved, 0.0, 1.0))


def _loopable(profile: LoopProfile, cover: CoverParams) -> float:
    splices = profile.splices
    bodies = (splices.song_to - splices.song_from >= cover.min_body_seconds) & (splices.score >= cover.min_seam_score)
    return float(splices.score[bodies].max(initial=0.0))


def _salient(profile: LoopProfile, spectrum: Spectrum, seconds: float) -> tuple[float, float]:
    lines = np.append(profile.downbeats, profile.song_duration)
    if profile.downbeats.size and profile.sections:
        first, last = memorable_bars(profile.bar_lufs, profile.form, np.diff(lines), seconds)
        return round(float(lines[first]), 6), round(float(lines[last]), 6)
    power = spectrum.power.sum(axis=0, dtype=np.float64)
    start, end = loudest_stretch(power, spectrum.frames_per_second, seconds)
    return round(start, 6), round(min(end, profile.song_duration), 6)


# Raise it when the code of character changes a measurement, or a threshold of `catalog.certainty` does
CHARACTER_VERSION = 3

# The names of a track's fields where a character calls the fact otherwise
_TRACK_FIELDS = {"key_name": "musical_key_name", "key_mode": "musical_key_mode"}


def describe(workspace: Workspace, path: Path | str) -> Character:
    """The character of a file."""
    return _character(Sound(workspace, Path(path), keep_spectrum=True))


def measure_track(workspace: Workspace, path: Path | str, given_bpm: float | None = None) -> Measurement:
    """Measure a file for the library, and read title and artist in its tags; its landmarks are left in the store.

    `given_bpm` is the tempo of the catalog: where another is detected and beats at this one can be followed, the track
    is measured on them, and they are to be saved as its grid.
    """
    sound = Sound(workspace, Path(path), keep_spectrum=True)
    at_tempo = None
    if given_bpm is not None and (at_tempo := _grid_of_given_tempo(sound, given_bpm)) is not None:
        sound.correction = at_tempo
    character = _character(sound)
    landmark_stage(sound)
    corrected = sound.correction is not None
    name = analysis_name(sound.params)
    measured = _measurement_of(character, sound.content_hash, name, corrected=corrected)
    return replace(measured, grid=at_tempo, facts={**measured.facts, **_tags(workspace.local_file(path))})


def _tags(path: Path) -> dict[str, str]:
    from workbench.media.probe import read_tags  # PyAV loads where a file is opened

    named = zip(("title", "artist_name"), read_tags(path), strict=True)
    return {name: text[:LONGEST_TEXT].replace("\0", "") for name, text in named if text is not None}


def _grid_of_given_tempo(sound: Sound, bpm: float) -> CorrectedGrid | None:
    """The grid at the tempo that a catalog gives of a track, where another is detected and no grid is saved for it.

    The record is not saved yet. None where the detected or the saved grid stands, and if no beats are found at that
    tempo.
    """
    beats = sound.params.beats
    if beats.tracker != OWN or not beats.min_bpm <= bpm <= beats.max_bpm or sound.correction is not None:
        return None
    heard = detected_grid(sound)
    if heard.beats.size < 2 or has_tempo(heard, bpm):
        return None
    grid = grid_at_tempo(sound, bpm)
    if not grid.downbeats.size or grid.confidence < MIN_TEMPO_CONFIDENCE:
        return None
    return make_record(
        sound.content_hash,
        grid.beats.tolist(),
        grid.positions.tolist(),
        grid.beats_per_bar,
        tempo_note(bpm),
        grid.confidence,
    )


def analysis_name(params: WorkbenchParams) -> str:
    """Versions, parameters and models of a measurement as a short text: "character.v1.landmarks.v3.tags.v1.…", 16 hex.

    Measurements with equal names on equal grids are equal. A corrected grid marks the recording to be measured again,
    see `workbench.store.saved`.
    """
    parts = _character_parts(params, profile_parts(params, correction=""))
    versions = f"character.v{CHARACTER_VERSION}.landmarks.v{LANDMARKS_VERSION}.tags.v{_TAGS_VERSION}"
    key = StageKey.of("0" * 64, "character", CHARACTER_VERSION, *parts, params.landmarks)
    return f"{versions}.{key.params_digest[:16]}"


def _character_parts(params: WorkbenchParams, profile: tuple[KeyPart, ...]) -> tuple[KeyPart, ...]:
    """What a character depends on; `profile` is what its grid and profile depend on."""
    models = (
        CacheKeyPart("Fitted", "character", model_digest(CHARACTER_FILE)),
        CacheKeyPart("FittedMood", "mood", model_digest(MOOD_FILE)),
    )
    return (*profile, params.cover, *models)


def _character(sound: Sound) -> Character:
    params = sound.params
    parts = _character_parts(params, sound.profile_parts)
    key = StageKey.of(sound.content_hash, "character", CHARACTER_VERSION, *parts)

    def compute() -> Arrays:
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
    some = excerpts(resampled(recording.samples, recording.sample_rate, RATE))
    if not some.size:
        return 0.0
    return voice_chance(some, speech_probabilities([some]))


def _measurement_of(character: Character, content_hash: str, analysis: str, *, corrected: bool) -> Measurement:
    """A character for the library: track fields under their own names, the rest as `Columns`.

    `instrumental` is left out where it is not sure either way, and `bpm` where no tempo is to be stated; ranking goes
    by `heard_bpm`. A tempo is sure on a `corrected` grid, which a person gave, confirmed or named the tempo of.
    """
    facts: dict[str, Any] = {name: getattr(character, name) for name in FACTS if name not in _TRACK_FIELDS}
    facts |= {_TRACK_FIELDS[name]: getattr(character, name) for name in _TRACK_FIELDS}
    facts["duration"] = character.duration_seconds
    if character.bpm is not None:
        facts["heard_bpm"] = character.bpm
        detected = tempo_certainty(character.bpm, character.grid_confidence, character.drums)
        certainty = SURE if corrected else detected
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
