"""The facts of every track that ranking reads: one array a fact, so that a few passes compare a million tracks.

A row is a track, the same one in every array. A number that was neither given nor measured is NaN, so that a rule
which needs it can leave the track alone rather than guess. Arrays may be memory-mapped: a fact that a ranking does not
need is never read from disk. Where a value was both given and measured, the columns hold the given one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.recording import FloatArray, IntArray

WORD_DIMS = 384
"""length of a track's word vector, see `workbench.matching.language.embedding`"""
UNKNOWN = -1
"""value of int8 columns where nothing is known"""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The facts of n tracks that ranking reads; row i of each array is the same track."""

    track_ids: NDArray[Any]
    """shape (n,), text"""
    song: IntArray
    """shape (n,), int64, equal for equal `catalog_song_id`; a track without one is a song of its own"""
    audio: IntArray
    """shape (n,), int64, equal for equal bytes"""
    bpm: FloatArray
    """shape (n,), float32, beats a minute"""
    energy: FloatArray
    """shape (n,), float32, 0 to 1, independent of loudness"""
    brightness: FloatArray
    """shape (n,), float32, 0 dull to 1 bright"""
    density: FloatArray
    """shape (n,), float32, onsets a second"""
    mode: FloatArray
    """shape (n,), float32, -1 surely minor to +1 surely major"""
    key_clarity: FloatArray
    """shape (n,), float32, -1 to 1, how much the tones keep to one key; NaN where only the mode is known"""
    words_energy: FloatArray
    """shape (n,), float32, 0 to 1, of the moods in the catalog's words; NaN without any, or where an energy is given"""
    words_valence: FloatArray
    """shape (n,), float32, 0 sombre to 1 cheerful, of the moods in the catalog's words; NaN without any"""
    lufs: FloatArray
    """shape (n,), float32, LUFS integrated"""
    duration: FloatArray
    """shape (n,), float32, s"""
    vocals: FloatArray
    """shape (n,), float32, 0 to 1, probability that a voice sings or speaks"""
    drums: FloatArray
    """shape (n,), float32, 0 to 1, probability of drums"""
    speech_band: FloatArray
    """shape (n,), float32, 0 to 1, share of the sound's power from 1 to 4 kHz, over the track"""
    loopable: FloatArray
    """shape (n,), float32, 0 to 1: grid confidence times the best seam's score; 0 where looping is refused"""
    dynamics: FloatArray
    """shape (n,), float32, LU, loudness range"""
    explicit: IntArray
    """shape (n,), int8, 1 explicit, 0 not, -1 unknown"""
    licence: IntArray
    """shape (n,), int8, whether it allows commercial use and broadcast (`catalog.track.allows_use`), -1 unknown"""
    beats_per_bar: IntArray
    """shape (n,), int8, -1 unknown"""
    tempo_certainty: IntArray
    """shape (n,), int8, of a measured tempo (`workbench.catalog.certainty`); -1 where it was given or there is none"""
    contour: FloatArray
    """shape (n, CONTOUR_PARTS), float16, energy 0 to 1 in equal parts of the track; NaN where nothing was measured"""
    sound: FloatArray
    """shape (n, SOUND_DIMS), float16, unit rows; zero rows where nothing was measured"""
    words: FloatArray
    """shape (n, WORD_DIMS), float16, unit rows; zero rows where there is no text or no embedding"""

    def __post_init__(self) -> None:
        rows = len(self.track_ids)
        for field in fields(self):
            array = getattr(self, field.name)
            if array.shape != (rows, *_TRAILING.get(field.name, ())):
                raise ParameterError(
                    f"{field.name} must have shape {(rows, *_TRAILING.get(field.name, ()))}, got {array.shape}"
                )

    def __len__(self) -> int:
        return len(self.track_ids)

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Which tracks are known to hold no sound: no loudness (BS.1770 gates what is under -70 LUFS), and no onset."""
        found = np.isnan(self.lufs)
        unsure = np.flatnonzero(found)  # few, so that the other columns are hardly read
        found[unsure] = (self.density[unsure] == 0.0) & (self.drums[unsure] == 0.0)
        return np.asarray(found)

    def take(self, rows: IntArray | slice) -> Columns:
        """The tracks of some rows, copied into memory unless they are a slice."""
        return Columns(**{field.name: np.asarray(getattr(self, field.name)[rows]) for field in fields(self)})


_TRAILING = {"contour": (CONTOUR_PARTS,), "sound": (SOUND_DIMS,), "words": (WORD_DIMS,)}

NUMBERS = (
    "bpm", "energy", "brightness", "density", "mode", "key_clarity", "words_energy", "words_valence", "lufs",
    "duration", "vocals", "drums", "speech_band", "loopable", "dynamics",
)  # fmt: skip
"""Columns of one float32 a track, NaN where unknown."""

DTYPES: dict[str, str] = {
    "song": "int64",
    "audio": "int64",
    **dict.fromkeys(NUMBERS, "float32"),
    "explicit": "int8",
    "licence": "int8",
    "beats_per_bar": "int8",
    "tempo_certainty": "int8",
    **dict.fromkeys(_TRAILING, "float16"),
}
"""Numpy name of the type of every column but `track_ids`."""


def empty_columns(track_ids: NDArray[Any]) -> Columns:
    """Columns of tracks known by their ids alone: NaN, -1 and zero rows; each track is its own song and audio."""
    rows = len(track_ids)
    arrays: dict[str, NDArray[Any]] = {}
    for name, dtype in DTYPES.items():
        shape = (rows, *_TRAILING.get(name, ()))
        unknown = UNKNOWN if dtype == "int8" else 0.0 if name in ("sound", "words") else np.nan
        arrays[name] = np.arange(rows, dtype=dtype) if dtype == "int64" else np.full(shape, unknown, dtype=dtype)
    return Columns(track_ids=track_ids, **arrays)
