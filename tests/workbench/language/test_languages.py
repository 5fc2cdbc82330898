"""Languages are told apart by few words, and what is no language is told from them."""

from __future__ import annotations

import pytest

from workbench.matching.language.languages import is_readable, language_of
from workbench.matching.language.lexicon import lexicon


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


@pytest.mark.parametrize(
    "brief",
    [
        "calm piano", "drums", "no drums", "no drums, piano", "piano ballad", "solo piano", "piano", "sad piano",
        "warm strings", "fast drums", "no vocals", "slow, tender", "party", "epic", "dark suspense", "noir jazz",
        "monks chant", "harp and marimba", "cool elegant lounge", "solo violin", "triumphant brass", "lo-fi beats",
        "El Paso", "Las Vegas", "La La Land", "retro synthesizer", "tempo 90", "piano and drums", "die hard",
    ],
)  # fmt: skip
def test_usual_english_briefs_are_english(brief: str) -> None:
    assert language_of(brief) == "English"


@pytest.mark.parametrize(
    ("brief", "language"),
    [
        ("piano calme et doux", "French"), ("sans piano", "French"), ("geen drums", "Dutch"),
        ("rustige piano, geen drums", "Dutch"), ("el mar", "Spanish"),
        ("la mer", "French"), ("ruhiges Klavier", "German"),
    ],
)  # fmt: skip
def test_words_that_english_has_too_do_not_hide_the_others(brief: str, language: str) -> None:
    assert language_of(brief) == language


def test_english_is_never_taken_for_another_language() -> None:
    """Some nine hundred lines as people speak them."""
    assert [line.text for line in lexicon().lines if language_of(line.text) != "English"] == []


def test_what_is_spoken_is_readable() -> None:
    assert [line.text for line in lexicon().lines if not is_readable(line.text)] == []


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "123 456", "🎉🎉🎉", "!!!", "", "xkcd fghj the wqrt zzzt"])
def test_keys_struck_at_random_numbers_and_emoji_are_not(text: str) -> None:
    assert not is_readable(text)


def test_a_language_that_is_told_is_read_even_of_rare_words() -> None:
    assert is_readable("Kapitänsmütze und Übermut, Straßenlärm")


@pytest.mark.parametrize("text", ["Bugün hava çok güzel", "Kapitänsmütze, Übermut", "Årets första snö föll i går"])
def test_letters_alone_make_no_text_readable(text: str) -> None:
    assert not is_readable(text)


def test_an_embedding_vouches_for_whole_words_but_not_for_crumbs() -> None:
    assert is_readable("kubernetes", lambda word: word == "kubernetes")
    assert not is_readable("zx qv", lambda word: True)
