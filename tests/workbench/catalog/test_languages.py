"""Languages are told apart by few words, and what is no language is told from them."""

from __future__ import annotations

import pytest

from workbench.catalog.languages import is_readable, language_of
from workbench.catalog.lexicon import lexicon


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The night is still and we are not alone.", "English"),
        ("Die Nacht ist still, und wir sind nicht allein.", "German"),
        ("La nuit est calme et nous ne sommes pas seuls.", "French"),
        ("La noche está en calma y no estamos solos en el mar.", "Spanish"),
        ("La notte è calma e non siamo soli nel mare.", "Italian"),
        ("A noite está calma e não estamos sós no mar.", "Portuguese"),
        ("De nacht is stil en wij zijn niet alleen.", "Dutch"),
        ("夜は静かで、海は穏やかです。", "Japanese"),
        ("Ночь тиха, и мы не одни.", "Cyrillic script"),
        ("ohne Gesang", "German"),
        ("kein Schlagzeug", "German"),
        ("langsam", "German"),
        ("Ein ruhiger Morgen am Meer", "German"),
        ("Un matin calme", "French"),
        ("sans chant", "French"),
        ("Una mañana tranquila", "Spanish"),
        ("sin voces", "Spanish"),
        ("Los Angeles at sunrise", "English"),
        ("Die Hard", "English"),
        ("a la carte", "English"),
        ("Wow!", "English"),
        ("", "English"),
    ],
)
def test_the_language_is_told_of_short_texts_too(text: str, language: str) -> None:
    assert language_of(text) == language


def test_english_is_never_taken_for_another_language() -> None:
    """Some nine hundred lines as people speak them."""
    assert [line.text for line in lexicon().lines if language_of(line.text) != "English"] == []


def test_what_is_spoken_is_readable() -> None:
    assert [line.text for line in lexicon().lines if not is_readable(line.text)] == []


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "123 456", "🎉🎉🎉", "!!!", "", "xkcd fghj the wqrt zzzt"])
def test_keys_struck_at_random_numbers_and_emoji_are_not(text: str) -> None:
    assert not is_readable(text)


def test_a_language_that_is_told_is_read_even_of_rare_words() -> None:
    assert is_readable("Kapitänsmütze, Übermut, Straßenlärm")


def test_an_embedding_vouches_for_whole_words_but_not_for_crumbs() -> None:
    assert is_readable("kubernetes", lambda word: word == "kubernetes")
    assert not is_readable("zx qv", lambda word: True)
