"""A track of the catalog, and how sure its tempo and its voice are."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.catalog.certainty import (
    NO_SURE_BEAT,
    SURE,
    SURE_BUT_FOR_DOUBLE,
    SURE_BUT_FOR_HALF,
    UNSURE,
    is_sung,
    tempo_certainty,
    tempo_words,
    voice_words,
)
from workbench.catalog.track import FIELD_KINDS, Track, allows_use, validate_fields
from workbench.errors import ParameterError
from workbench.matching.columns import UNKNOWN

# Track fields of the interface specification that belong to a catalog, not to one answer; contract's lists; credits.
SPECIFIED = {
    "catalog_song_id", "catalog_audio_file_id", "bpm", "instrumental", "duration_seconds", "title", "artist_name",
    "artist_image_url", "description", "energy", "musical_key_name", "musical_key_mode", "explicit", "tags", "moods",
    "genres", "instruments", "licence", "attribution", "source_url", "publisher", "composer", "isrc",
}  # fmt: skip


def track(**fields: Any) -> Track:
    return Track(track_id="trk_1", path=Path("/a.ogg"), content_hash="ab" * 32, **fields)


def test_every_field_of_the_interface_is_there() -> None:
    assert set(FIELD_KINDS) == SPECIFIED


def test_equal_bytes_have_one_audio_id() -> None:
    assert track().audio_id == Track("other", Path("/b.ogg"), "ab" * 32).audio_id
    assert track().audio_id.startswith("aud_abab")


def test_known_is_what_has_a_value() -> None:
    assert track(bpm=120, explicit=False, tags=["sea"]).known() == {"bpm": 120.0, "explicit": False, "tags": ["sea"]}


def test_lists_lose_blanks_and_doubles() -> None:
    assert track(moods=[" calm", "calm", "", "warm "]).moods == ("calm", "warm")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bpm", 0), ("bpm", "120"), ("bpm", True), ("bpm", float("nan")), ("energy", 1.1), ("energy", -0.1),
        ("instrumental", "yes"), ("instrumental", 1), ("title", 7), ("tags", "sea"), ("tags", [1]),
        ("musical_key_mode", "dorian"), ("duration_seconds", float("inf")), ("isrc", "GBXYZ210004"),
        ("isrc", "GBXYZ21000423"), ("source_url", "example.org/track"), ("source_url", "ftp://example.org/track"),
    ],
)  # fmt: skip
def test_wrong_types_and_ranges_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        track(**{name: value})
    with pytest.raises(ParameterError, match=name):
        validate_fields({name: value})


def test_credits_are_what_is_known_in_one_form() -> None:
    """ISO 3901: hyphens and the word ISRC are for print."""
    credited = track(title="Slow Ember", artist_name="Kettle", licence="CC-BY-4.0", isrc="ISRC gb-xyz-21-00042")
    assert credited.credits == {"licence": "CC-BY-4.0", "isrc": "GBXYZ2100042"}
    assert credited.credit == '"Slow Ember" by Kettle, licence CC-BY-4.0'
    for printed in ("IS-RC1-21-00042", "ISRC: is–rc1–21–00042", "ISRC IS RC1 21 00042"):
        assert track(isrc=printed).isrc == "ISRC12100042", "an Icelandic one begins like the word"
    assert track(attribution="Music: Kettle (example.org)").credit == "Music: Kettle (example.org)"
    assert track(isrc="", source_url="").credits == {}


@pytest.mark.parametrize(
    ("licence", "allows"),
    [
        ("CC0-1.0", True), ("CC-BY-SA-4.0", True), ("https://creativecommons.org/licenses/by/4.0/", True),
        ("cc by-nc 4.0", False), ("CC-BY-ND-4.0", False), ("Creative Commons Attribution-NonCommercial", False),
        ("Creative Commons Attribution-Non-Commercial-No Derivative Works 3.0", False),
        ("CC BY 4.0 (no derivatives)", False), ("CC BY Non Commercial 4.0", False), ("non-commercial use only", False),
        ("Creative Commons Zero v1.0 Universal", True), ("Creative Commons", None), ("© CC Music Ltd", None),
        ("all rights reserved", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_nc_and_nd_forbid_to_sell_or_broadcast_what_a_track_is_laid_under(licence: str | None, allows: bool) -> None:
    assert allows_use(licence) is allows


@pytest.mark.parametrize("track_id", ["", "x" * 129, " padded"])
def test_ids_have_one_to_128_characters(track_id: str) -> None:
    with pytest.raises(ParameterError, match="track_id"):
        Track(track_id, Path("/a.ogg"), "00")


def test_fields_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ParameterError, match="colour is no field"):
        validate_fields({"colour": "red"})


@pytest.mark.parametrize(
    ("bpm", "confidence", "drums", "certainty", "words"),
    [
        (126.0, 0.9, 0.9, SURE, "126 bpm"),
        (126.0, 0.4, 0.9, SURE, "126 bpm"),
        (126.0, 0.1, 0.9, UNSURE, NO_SURE_BEAT),
        (126.0, 0.9, 0.2, SURE_BUT_FOR_HALF, "126 or 63 bpm"),
        (126.0, 0.4, 0.2, UNSURE, NO_SURE_BEAT),
        (87.0, 0.9, 0.9, SURE_BUT_FOR_DOUBLE, "87 or 174 bpm"),
        (190.0, 0.9, 0.9, SURE_BUT_FOR_HALF, "190 or 95 bpm"),
    ],
)
def test_a_tempo_is_said_with_the_doubt_that_it_deserves(
    bpm: float, confidence: float, drums: float, certainty: int, words: str
) -> None:
    assert tempo_certainty(bpm, confidence, drums) == certainty
    assert tempo_words(bpm, certainty) == words


def test_a_tempo_that_a_catalog_gives_is_said_as_given() -> None:
    assert tempo_words(87.0, UNKNOWN) == "87 bpm"
    assert tempo_words(87.45, UNKNOWN, ".4g") == "87.45 bpm"
    assert tempo_words(math.nan, UNKNOWN) == NO_SURE_BEAT


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (0.04, "a voice with a probability of 4 %"),
        (float(np.float32(0.3)), "a voice with a probability of 30 %"),
        (0.31, "perhaps a voice, with a probability of 31 %"),
        (0.6, "perhaps a voice, with a probability of 60 %"),
        (float(np.float32(0.9)), "a voice with a probability of 90 %"),
    ],
)
def test_what_is_not_sure_is_said_as_a_doubt(chance: float, words: str) -> None:
    assert voice_words(chance) == words


def test_a_track_is_sung_from_where_it_is_not_called_instrumental_any_more() -> None:
    assert is_sung(0.95)
    assert not is_sung(0.6)
