"""The elsewhere set of underscore is consistent in itself: labels, words, parts, and the rule of its grades."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.elsewhere.underscore_catalog import (
    Script,
    Tagged,
    grade,
    keeps_rules,
    label_words,
    scripts,
    sources,
)
from workbench.catalog.track import Track

SCRIPT = Script(
    id="x", register="advert", part="fit", text="x", moods=("calm", "warm"), unwanted=("dark",), energy=0.2,
    families=("ambient",), sounds=("piano",), voice="unwelcome",
)  # fmt: skip


def tagged(moods: set[str], **given: object) -> Tagged:
    fields = {"families": frozenset(), "sounds": frozenset(), "voice": "unknown", "energy": 0.2} | given
    track = Track(track_id="trk_1", path=Path("/1.wav"), content_hash="1" * 64, bpm=90.0)
    return Tagged(source="x", track=track, moods=frozenset(moods), **fields)  # type: ignore[arg-type]


def test_there_are_enough_scripts_registers_and_languages() -> None:
    found = scripts()
    assert len(found) >= 60
    assert len({script.register for script in found}) >= 20
    assert len({script.language for script in found}) == 9
    assert len({script.id for script in found}) == len(found)
    assert {script.part for script in found} == {"fit", "test"}


def test_labels_use_the_words_that_grades_know() -> None:
    for script in scripts():
        assert set(script.moods) | set(script.unwanted) <= label_words("moods"), script.id
        assert set(script.families) <= label_words("families"), script.id
        assert set(script.sounds) | set(script.barred) <= label_words("sounds"), script.id
        assert not set(script.moods) & set(script.unwanted), script.id


def test_at_least_200_texts_are_tested() -> None:
    assert len({source.name for source in sources()}) == len(sources())
    assert sum(source.count for source in sources()) >= 200


@pytest.mark.parametrize(
    ("track", "expected"),
    [
        (tagged({"calm"}, families=frozenset({"ambient"}), sounds=frozenset({"piano"})), 3),
        (tagged({"calm"}), 3),
        (tagged({"calm"}, families=frozenset({"rock"}), energy=0.3), 2),
        (tagged({"calm", "dark", "warm"}), 1),
        (tagged({"calm", "dark"}), 0),
        (tagged({"joyful"}), 0),
        (tagged({"calm"}, voice="heard"), 1),
    ],
)
def test_a_grade_follows_from_tags(track: Tagged, expected: int) -> None:
    assert grade(SCRIPT, track) == expected


def test_rules_are_kept_as_far_as_tags_tell() -> None:
    assert not keeps_rules(replace(SCRIPT, voice="wanted"), tagged({"calm"}))
    assert keeps_rules(replace(SCRIPT, voice="wanted"), tagged({"calm"}, voice="heard"))
    assert keeps_rules(replace(SCRIPT, voice="barred"), tagged({"calm"}))
    assert not keeps_rules(replace(SCRIPT, barred=("piano",)), tagged({"calm"}, sounds=frozenset({"piano"})))
    assert not keeps_rules(replace(SCRIPT, bpm=(100.0, 120.0)), tagged({"calm"}))
