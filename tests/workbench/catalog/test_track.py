"""What a track may say about itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.catalog.track import FIELD_KINDS, Track, validate_fields
from workbench.errors import ParameterError

# The track fields of the interface specification that belong to a catalog, not to one answer, and contract's lists.
SPECIFIED = {
    "catalog_song_id", "catalog_audio_file_id", "bpm", "instrumental", "duration_seconds", "title", "artist_name",
    "artist_image_url", "description", "energy", "musical_key_name", "musical_key_mode", "explicit", "tags", "moods",
    "genres", "instruments",
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
        ("musical_key_mode", "dorian"), ("duration_seconds", float("inf")),
    ],
)  # fmt: skip
def test_wrong_types_and_ranges_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        track(**{name: value})
    with pytest.raises(ParameterError, match=name):
        validate_fields({name: value})


@pytest.mark.parametrize("track_id", ["", "x" * 129, " padded"])
def test_ids_have_one_to_128_characters(track_id: str) -> None:
    with pytest.raises(ParameterError, match="track_id"):
        Track(track_id, Path("/a.ogg"), "00")


def test_fields_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ParameterError, match="colour is no field"):
        validate_fields({"colour": "red"})
