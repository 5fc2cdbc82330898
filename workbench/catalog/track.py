"""A track of the catalog: a file that may be chosen, and what is known about it.

The field names are those of the interface, so that a manifest, a record and an answer call a thing by one name. A value
is given, by a manifest or a person, or measured; a given one wins, and where both cannot be true, the track lists it
among its `contradictions`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite, log2
from pathlib import Path
from typing import Any, Literal, TypeAlias

from workbench.errors import ParameterError
from workbench.store.ids import check_id

FieldKind: TypeAlias = Literal["text", "number", "flag", "list"]

Contradictions: TypeAlias = tuple[str, ...]

CREDITS = {
    "licence": "Licence", "attribution": "Attribution", "source_url": "Source", "composer": "Composer",
    "publisher": "Publisher", "isrc": "ISRC",
}  # fmt: skip
"""fields that say whose a track is and how it may be used, and what people call them"""
MODES = ("major", "minor")
SAME_TEMPO_OCTAVES = 0.04
"""octaves by which a given and a measured tempo may differ, 3 %: rounding or a ritardando explains as much"""
SAME_SECONDS = 2.0
"""s by which a given and a measured length may differ; catalogs round, and encoders add silence"""
LONGEST_TEXT, _MOST_ITEMS, _MOST_SHOWN = 1000, 500, 80
_LONGEST = {"description": 20_000, "artist_image_url": 4000, "source_url": 4000}
"""characters of a field that may be longer than others"""
_URL = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)
_OPEN = re.compile("CCBY|CC0|CCZERO|CREATIVECOMMONS(ORGLICENSESBY|ORGPUBLICDOMAIN|ATTRIBUTION|BY|ZERO|CC0|0)")
"""in the letters and digits of a licence: Creative Commons of a kind that is named, or CC0"""
_ISRC = re.compile(r"[A-Z]{2}[A-Z0-9]{3}\d{7}")
"""ISO 3901:2019: country, registrant, year and number"""
_BETWEEN = re.compile("[\\s\u2010-\u2015\u2212-]")
"""blanks and dashes between the parts of an ISRC"""
_TONICS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_SIGNS = {"#": 1, "♯": 1, "b": -1, "♭": -1}


@dataclass(frozen=True, slots=True)
class Track:
    """One track. A field that was neither given nor measured is None, a list empty."""

    track_id: str
    """1 to 128 characters; `trk_…` where the manifest gives none"""
    path: Path
    """the file, absolute"""
    content_hash: str
    """SHA-256 of the file's bytes when it was added"""
    catalog_song_id: str | None = None
    """the work; several files may be recordings or edits of one"""
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
    licence: str | None = None
    """identifier or name, such as "CC-BY-4.0" """
    attribution: str | None = None
    """the words in which the licensor asks to be named"""
    source_url: str | None = None
    """where the track comes from: http or https"""
    publisher: str | None = None
    composer: str | None = None
    isrc: str | None = None
    """of the recording, ISO 3901: twelve letters and digits, without hyphens"""
    tags: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    measured: frozenset[str] = frozenset()
    """names of the fields above whose value was measured; the others were given"""
    contradictions: Contradictions = ()
    """given values that cannot be true beside the measured ones, a sentence each"""

    def __post_init__(self) -> None:
        check_id("track_id", self.track_id)
        for name, kind in FIELD_KINDS.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _checked(name, kind, value))

    @property
    def called(self) -> str:
        """What people call it: its title, else the name of its file, without suffix."""
        return self.title or self.path.stem

    @property
    def audio_id(self) -> str:
        """Equal for equal bytes: `aud_` and the start of their hash."""
        return audio_id(self.content_hash)

    @property
    def credits(self) -> dict[str, str]:
        """Those of `CREDITS` that are known, by name."""
        return {name: value for name in CREDITS if (value := getattr(self, name))}

    @property
    def credit(self) -> str:
        """The words in which the track is credited: its `attribution`, else title, artist, source and licence."""
        if self.attribution:
            return self.attribution
        by, licence = self.artist_name or self.composer, self.licence and f"licence {self.licence}"
        named = f'"{self.called}"{f" by {by}" if by else ""}'
        return ", ".join(filter(None, (named, self.source_url, licence)))

    @property
    def credits_in_words(self) -> str:
        """`credits` on one line; empty without any."""
        return " · ".join(f"{CREDITS[name]}: {value}" for name, value in self.credits.items())

    def known(self) -> dict[str, Any]:
        """The fields that have a value, in JSON types; id, path and hash are not among them."""
        values = {name: getattr(self, name) for name in FIELD_KINDS}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None and value != ()
        }


def audio_id(content_hash: str) -> str:
    """Id of the sound, which tracks of equal bytes share: `aud_` and the first 24 digits of their SHA-256."""
    return f"aud_{content_hash[:24]}"


def contradictions(given: Mapping[str, Any], measured: Mapping[str, Any]) -> Contradictions:
    """Where given values cannot be true beside measured ones: a sentence each, on tempo, length, voice and key."""
    both = {name: (given[name], measured[name]) for name in given if measured.get(name) is not None}
    found = []
    if "bpm" in both and (apart := _tempo_apart(*both["bpm"])):
        found.append(f"bpm {both['bpm'][0]:g} was given, {both['bpm'][1]:g} was measured{apart}")
    if "duration_seconds" in both:
        stated, decoded = both["duration_seconds"]
        if abs(stated - decoded) > SAME_SECONDS:
            found.append(f"duration_seconds {stated:g} was given, the file plays for {decoded:g} s")
    if "instrumental" in both and both["instrumental"][0] != both["instrumental"][1]:
        detected = "no voice was detected" if both["instrumental"][1] else "a voice was detected"
        found.append(f"instrumental {str(both['instrumental'][0]).lower()} was given, {detected}")
    if {"musical_key_name", "musical_key_mode"} <= both.keys():
        stated = f"{given['musical_key_name']} {given['musical_key_mode']}"
        detected = f"{measured['musical_key_name']} {measured['musical_key_mode']}"
        relation = _key_relation(stated, detected)
        if relation is not None:
            found.append(f"{stated} was given, {detected} was detected{relation}")
    return tuple(found)


def _tempo_apart(given: float, detected: float) -> str | None:
    """How two tempi differ, in words after a comma; None where they are the same."""
    octaves = log2(detected / given)
    for ratio, words in ((1.0, None), (2.0, ", its double"), (0.5, ", its half")):
        if abs(octaves - log2(ratio)) <= SAME_TEMPO_OCTAVES:
            return words
    for ratio in (3.0, 1.5, 2 / 3, 1 / 3):
        if abs(octaves - log2(ratio)) <= SAME_TEMPO_OCTAVES:
            return ", as where three beats are counted as one or two"
    return ", another tempo"


def pitch_class(name: str) -> int | None:
    """Pitch class of the name of a tonic, such as "F#" or "Eb": 0 for C to 11 for B; None for any other text."""
    letter, signs = name.strip()[:1].upper(), name.strip()[1:]
    if letter not in _TONICS or any(sign not in _SIGNS for sign in signs):
        return None
    return (_TONICS[letter] + sum(_SIGNS[sign] for sign in signs)) % 12


def _key_relation(stated: str, detected: str) -> str | None:
    """How two keys differ, in words after a comma; None where they are the same, or one is no key."""
    (stated_tonic, stated_mode), (detected_tonic, detected_mode) = stated.rsplit(" ", 1), detected.rsplit(" ", 1)
    given, found = pitch_class(stated_tonic), pitch_class(detected_tonic)
    if given is None or found is None or (given, stated_mode) == (found, detected_mode):
        return None
    if stated_mode == detected_mode:
        return ", a fifth away" if (found - given) % 12 in (5, 7) else ""
    if given == found:
        return ", the other mode"
    relative = 9 if stated_mode == "major" else 3
    return ", its relative" if (given + relative) % 12 == found else ""


def allows_use(licence: str | None) -> bool | None:
    """Whether a licence allows commercial use and broadcast of music under pictures; None where that is not known.

    Of Creative Commons, NC forbids commercial use, and ND to adapt, which music in time with a picture is (section 1 of
    version 4.0). Of another licence nothing is known unless it says that much itself.
    """
    parts = re.split(r"[^A-Z0-9]+", (licence or "").upper())
    letters = "".join(parts)
    if {"NC", "ND"} & set(parts) or re.search("NON?COMMERCIAL|NODERIV", letters):
        return False
    return True if _OPEN.search(letters) else None


def validate_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Validate track fields, in JSON types, and convert them to their own; None and empty lists are left out.

    Raises `ParameterError` for a name that is not a track field, a wrong type, or a value out of range.
    """
    checked: dict[str, Any] = {}
    for name, value in values.items():
        kind = FIELD_KINDS.get(name)
        if kind is None:
            raise ParameterError(f"{name} is no field of a track")
        if value is not None and (converted := _checked(name, kind, value)) != ():
            checked[name] = converted
    return checked


def _checked(name: str, kind: FieldKind, value: Any) -> Any:
    match kind:
        case "text":
            if not isinstance(value, str):
                raise ParameterError(f"{name} must be text, got {_shown(value)}")
            if len(value) > _LONGEST.get(name, LONGEST_TEXT):
                most = _LONGEST.get(name, LONGEST_TEXT)
                raise ParameterError(f"{name} must have at most {most} characters, got {len(value)}")
            if name == "musical_key_mode" and value not in MODES:
                raise ParameterError(f"musical_key_mode must be major or minor, got {_shown(value)}")
            if name == "source_url" and value and not _URL.fullmatch(value):
                raise ParameterError(f"source_url must begin with https:// or http://, got {_shown(value)}")
            if name == "isrc" and value:
                code = _BETWEEN.sub("", value).upper()
                if not _ISRC.fullmatch(code):  # of an Icelandic one, IS-RC1-…, the word would be part
                    code = code.removeprefix("ISRC").removeprefix(":")
                if not _ISRC.fullmatch(code):
                    raise ParameterError(f"isrc must be like GB-XYZ-21-00042, got {_shown(value)}")
                return code
            return value
        case "flag":
            if not isinstance(value, bool):
                raise ParameterError(f"{name} must be true or false, got {_shown(value)}")
            return value
        case "number":
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ParameterError(f"{name} must be a number, got {_shown(value)}")
            low, high = FIELD_RANGES[name]
            if not low <= value <= high:
                raise ParameterError(f"{name} must be {low:g} to {high:g}, got {value:g}")
            return float(value)
        case "list":
            if isinstance(value, str) or not isinstance(value, list | tuple):
                raise ParameterError(f"{name} must be a list of texts, got {_shown(value)}")
            if not all(isinstance(item, str) for item in value):
                raise ParameterError(f"{name} must hold texts only, got {_shown(value)}")
            if len(value) > _MOST_ITEMS or any(len(item) > LONGEST_TEXT for item in value):
                raise ParameterError(f"{name} must hold at most {_MOST_ITEMS} texts of {LONGEST_TEXT} characters")
            return tuple(dict.fromkeys(item.strip() for item in value if item.strip()))


def _shown(value: Any) -> str:
    """A value as a message shows it: its beginning, where it is long."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


FIELD_RANGES = {"bpm": (1.0, 1000.0), "energy": (0.0, 1.0), "duration_seconds": (0.0, 86_400.0 * 7)}
"""least and greatest value of each field that is a number"""
_KINDS: dict[str, FieldKind] = {
    "str | None": "text", "float | None": "number", "bool | None": "flag", "tuple[str, ...]": "list"
}  # fmt: skip
FIELD_KINDS: Mapping[str, FieldKind] = {
    field.name: _KINDS[str(field.type)] for field in fields(Track) if str(field.type) in _KINDS
}
"""Fields of a track in a manifest, beyond id and path, and the kind of each."""
