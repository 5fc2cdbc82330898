"""The lexicon is whole, and words are found with their negations."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.matching.language.lexicon import KINDS, lexicon, read_lexicon, strongest_facets


def test_every_entry_is_within_its_ranges() -> None:
    book = lexicon()
    energy, bpm, brightness, mode = book.sounds.T
    assert ((energy > 0) & (energy < 1) & (brightness > 0) & (brightness < 1)).all()
    assert ((bpm >= 50) & (bpm <= 180) & (np.abs(mode) <= 1)).all()
    assert len(set(zip(book.kinds, book.names, strict=True))) == len(book.names)


def test_every_scene_names_moods_genres_and_instruments() -> None:
    book = lexicon()
    for scene in book.scenes:
        assert all(scene.facets[book.of(kind)].any() for kind in KINDS), scene.name
        assert len(scene.lines) >= 2
        assert len(scene.cues) >= 6


def test_lines_are_told_once_and_have_facets() -> None:
    lines = lexicon().lines
    assert len(lines) > 900
    assert len({line.text for line in lines}) == len(lines)
    assert all(line.facets.any() for line in lines)


def test_calm_is_quieter_than_heroic() -> None:
    calm, heroic = read_lexicon("calm and peaceful").sound, read_lexicon("an epic, triumphant fanfare").sound
    assert calm is not None
    assert heroic is not None
    assert calm.energy + 0.3 < heroic.energy
    assert calm.bpm < heroic.bpm


def test_words_of_a_track_are_found_in_all_their_forms() -> None:
    found = read_lexicon(
        "Lo-fi hip hop beat with fingerpicked guitars, softly brushed drums; drum and bass break"
    ).found
    assert {"lofi", "hiphop", "guitar", "drums", "tender", "breakbeat"} <= set(found)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("no drums", {"drums"}),
        ("without vocals or guitars", {"vocals", "guitar", "electric guitar"}),
        ("warm, not sad but hopeful", {"sad"}),
        ("ohne Klavier", {"piano"}),
    ],
)
def test_a_negation_denies_what_follows_it(text: str, denied: set[str]) -> None:
    assert denied <= set(strongest_facets(read_lexicon(text).denied, most=9))


def test_a_turn_ends_a_negation() -> None:
    meaning = read_lexicon("not sad but hopeful")
    assert strongest_facets(meaning.facets) == ["uplifting"]


def test_a_text_that_names_nothing_has_no_sound() -> None:
    meaning = read_lexicon("invoice 4711")
    assert meaning.sound is None
    assert not meaning.facets.any()


def test_five_million_characters_are_read_in_no_time() -> None:
    assert read_lexicon("happy piano " * 400_000).facets.any()
