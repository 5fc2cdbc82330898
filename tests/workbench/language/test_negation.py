"""Negations reach as far as they do in speech, and denied feelings are read as their opposites."""

from __future__ import annotations

import pytest

from workbench.matching.language.lexicon import opposites
from workbench.matching.language.negation import clauses, replace_denials, scopes


def denied(text: str) -> list[str]:
    return [
        word
        for clause in clauses(text)
        for word, scope in zip(clause.words, scopes(clause.words), strict=True)
        if scope is not None
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not sad at all", ["sad"]),
        ("not sad, but hopeful", ["sad"]),
        ("not sad but hopeful", ["sad"]),
        ("never calm", ["calm"]),
        ("without hope or joy", ["hope", "or", "joy"]),
        ("no drums and bass", ["drums", "and", "bass"]),
        ("not sad and calm", ["sad"]),
        ("not happy in the old house", ["happy"]),
        ("no longer afraid of the dark", ["afraid"]),
        ("anything but boring", ["boring"]),
        ("They aren\u2019t sad", ["sad"]),
        ("neither sad nor angry", ["sad", "angry"]),
        ("not only sad", []),
        ("no doubt a happy day", []),
        ("nothing but joy", []),
        ("not without hope", []),
        ("isn't it lovely", []),
        ("I have never been so happy", ["been"]),
        ("kein Schlagzeug, ohne Gesang", ["schlagzeug", "gesang"]),
        ("pas triste mais calme", ["triste"]),
        ("sin voces", ["voces"]),
        ("I don't want drums", ["want", "drums"]),
        ("I do want drums", []),
        ("I never want drums or bass", ["want", "drums", "or", "bass"]),
        ("I don't want drums and bass", ["want", "drums", "and", "bass"]),
        ("niet droevig want het is feest", ["droevig"]),
        ("We can't wait to be happy again", []),
        ("We can not wait to be happy again", []),
        ("I cannot get enough joy", []),
        ("I couldn't help but smile", []),
        ("I can't get happy", ["get", "happy"]),
        ("not a day goes by without joy", ["a", "day", "goes", "by"]),
        ("she never leaves without a smile", ["leaves"]),
        ("not too loud without drums", ["too", "loud", "drums"]),
        ("not entirely without hope", ["entirely"]),
        ("no more than two tracks", ["more", "than", "two", "tracks"]),
        ("don't go over 120", ["go", "over", "120"]),
        ("no tracks with lyrics", ["tracks", "with", "lyrics"]),
        ("nothing that has drums", ["that", "has", "drums"]),
        ("no drums with lyrics", ["drums"]),
    ],
)
def test_a_negation_covers_its_clause_and_no_more(text: str, words: list[str]) -> None:
    assert [word for word in denied(text) if word != "at" and word != "all"] == words


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It was not sad at all.", "It was cheerful at all."),
        ("She is never calm", "She is tense"),
        ("They aren't sad.", "They are cheerful."),
        ("I don't feel sad, I feel angry.", "I feel cheerful, I feel angry."),
        ("no longer afraid", "confident"),
        ("anything but boring", "exciting"),
        ("The lake has not moved.", "The lake has not moved."),
        ("I have never been so happy", "I have never been so happy"),
        ("We don't want sad music here", "We want cheerful music here"),
        ("We can't wait to be happy again.", "We can't wait to be happy again."),
        ("Not a day goes by without joy.", "Not a day goes by without joy."),
        ("", ""),
    ],
)
def test_a_denied_feeling_is_read_as_its_opposite_and_nothing_else_is_touched(text: str, read: str) -> None:
    assert replace_denials(text, opposites()).text == read


def test_what_was_denied_is_told_as_it_was_said() -> None:
    assert replace_denials("He was NEVER calm.", opposites()).denials == (("NEVER calm", "tense"),)
