"""A track of the catalog: a file that may be chosen, and what is known about it.

The field names are those of the interface, so that a manifest, a record and an answer call a thing by one name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias

from workbench.errors import ParameterError

FieldKind: TypeAlias = Literal["text", "number", "flag", "list"]

MODES = ("major", "minor")
_MAX_ID = 128


@dataclass(frozen=True, slots=True)
class Track:
    """One track. A field that nobody has given or measured is None, a list empty."""

    track_id: str
    """1 to 128 characters; `trk_…` where the manifest gives none"""
    path: Path
    """the file, absolute"""
    content_hash: str
    """SHA-256 of the file's bytes when it was added"""
    catalog_song_id: str | None = None
    """the work; several files may be of one song"""
    catalog_audio_file_id: str | None = None
    """the file in the licensed catalog"""
    title: str | None = None
    artist_name: str | None = None
    artist_image_url: str | None = None
    description: str | None = None
    bpm: float | None = None
    """beats a minute, above 0"""
    energy: float | None = None
    """0 to 1"""
    musical_key_name: str | None = None
    """tonic, such as "C", "F#" or "Eb" """
    musical_key_mode: str | None = None
    """ "major" or "minor" """
    duration_seconds: float | None = None
    """decoded length, s"""
    instrumental: bool | None = None
    explicit: bool | None = None
    tags: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.track_id) <= _MAX_ID or self.track_id != self.track_id.strip():
            raise ParameterError(
                f"track_id must have 1 to {_MAX_ID} characters, no blanks at its ends: {self.track_id!r}"
            )
        for name, kind in FIELD_KINDS.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _checked(name, kind, value))

    @property
    def audio_id(self) -> str:
        """Equal for equal bytes: `aud_` and the start of their hash."""
        return f"aud_{self.content_hash[:24]}"

    def known(self) -> dict[str, Any]:
        """The fields that have a value, as JSON knows them; id, path and hash are not among them."""
        values = {name: getattr(self, name) for name in FIELD_KINDS}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None and value != ()
        }


def checked_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Track fields checked and in their own types; None and empty lists are left out.

    Raises
    ------
    ParameterError : a name that is no track field, a wrong type, a value out of range
    """
    checked: dict[str, Any] = {}
    for name, value in values.items():
        kind = FIELD_KINDS.get(name)
        if kind is None:
            raise ParameterError(f"{name} is no field of a track")
        if value is not None and (kept := _checked(name, kind, value)) != ():
            checked[name] = kept
    return checked


def _checked(name: str, kind: FieldKind, value: Any) -> Any:
    match kind:
        case "text":
            if not isinstance(value, str):
                raise ParameterError(f"{name} must be text, got {value!r}")
            if name == "musical_key_mode" and value not in MODES:
                raise ParameterError(f"musical_key_mode must be major or minor, got {value!r}")
            return value
        case "flag":
            if not isinstance(value, bool):
                raise ParameterError(f"{name} must be true or false, got {value!r}")
            return value
        case "number":
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ParameterError(f"{name} must be a number, got {value!r}")
            low, high = _RANGES[name]
            if not low <= value <= high:
                raise ParameterError(f"{name} must be {low:g} to {high:g}, got {value:g}")
            return float(value)
        case "list":
            if isinstance(value, str) or not isinstance(value, list | tuple):
                raise ParameterError(f"{name} must be a list of texts, got {value!r}")
            if not all(isinstance(item, str) for item in value):
                raise ParameterError(f"{name} must hold texts only, got {value!r}")
            return tuple(dict.fromkeys(item.strip() for item in value if item.strip()))


_RANGES = {"bpm": (1.0, 1000.0), "energy": (0.0, 1.0), "duration_seconds": (0.0, 86_400.0 * 7)}
_KINDS: dict[str, FieldKind] = {
    "str | None": "text", "float | None": "number", "bool | None": "flag", "tuple[str, ...]": "list"
}  # fmt: skip
FIELD_KINDS: Mapping[str, FieldKind] = {
    field.name: _KINDS[str(field.type)] for field in fields(Track) if str(field.type) in _KINDS
}
"""What a manifest may say about a track besides its id and path, and of which kind it is."""
