"""The profile of a track as arrays for the store, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.labels import DIM_NAMES
from workbench.errors import ParameterError
from workbench.seams.profile import EndingKind, LoopProfile, Restart, Splices, TrackEnding, TrackSection

_SCALARS = DIM_NAMES["loop_scalar"]
_SPLICES = tuple(field.name for field in fields(Splices))


def profile_to_arrays(profile: LoopProfile) -> dict[str, NDArray[Any]]:
    """The profile as arrays for the store; `profile_from_arrays` is the way back.

    Section labels and the kind of ending travel as UTF-8 bytes of a JSON text, so that every array is numeric. The
    names are `loop_scalars`, `loop_downbeats`, `loop_bar_lufs`, `loop_form`, and `splice_` with each field of
    `Splices`.
    """
    arrays: dict[str, NDArray[Any]] = {
        "loop_scalars": np.asarray([float(getattr(profile, name)) for name in _SCALARS]),
        "loop_downbeats": np.asarray(profile.downbeats, dtype=np.float64),
        "loop_bar_lufs": np.asarray(profile.bar_lufs, dtype=np.float64),
    }
    for name in _SPLICES:
        values = np.asarray(getattr(profile.splices, name))
        arrays[f"splice_{name}"] = values.astype(np.int32 if values.dtype.kind == "i" else np.float64)
    form = {
        "sections": [astuple(section) for section in profile.sections],
        "ending": None if profile.ending is None else astuple(profile.ending),
        "parts": profile.part_names,
        "restart": None if profile.restart is None else astuple(profile.restart),
        "file_loop": profile.file_loop,
    }
    arrays["loop_form"] = np.frombuffer(json.dumps(form).encode(), dtype=np.uint8)
    return arrays


def profile_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> LoopProfile:
    """The profile that `profile_to_arrays` made these of.

    An array that is missing or cannot be read raises `ParameterError`.
    """
    try:
        scalars = dict(zip(_SCALARS, np.asarray(arrays["loop_scalars"]).tolist(), strict=True))
        form = json.loads(np.asarray(arrays["loop_form"], dtype=np.uint8).tobytes())
        splices = Splices(**{name: np.asarray(arrays[f"splice_{name}"]) for name in _SPLICES})
        downbeats, bar_lufs = np.asarray(arrays["loop_downbeats"]), np.asarray(arrays["loop_bar_lufs"])
    except KeyError as missing:
        raise ParameterError(f"a loop profile needs the array {missing}") from missing
    except ValueError as damage:
        raise ParameterError(f"a loop profile cannot be read: {damage}") from damage
    ending, restart = form["ending"], form["restart"]
    return LoopProfile(
        song_duration=scalars["song_duration"],
        song_start=scalars["song_start"],
        last_sound=scalars["last_sound"],
        downbeats=downbeats,
        beats_per_bar=int(scalars["beats_per_bar"]),
        grid_confidence=scalars["grid_confidence"],
        bar_lufs=bar_lufs,
        sections=tuple(TrackSection(*row) for row in form["sections"]),
        splices=splices,
        ending=None if ending is None else TrackEnding(EndingKind(ending[0]), ending[1]),
        part_names=tuple(form["parts"]),
        restart=None if restart is None else Restart(*restart),
        file_loop=None if form["file_loop"] is None else (form["file_loop"][0], form["file_loop"][1]),
    )
