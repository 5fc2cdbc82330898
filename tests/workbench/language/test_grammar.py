"""Grammar files: read whole, and a mistake in one is named."""

from __future__ import annotations

import pytest

from workbench.errors import ResourceMissing
from workbench.matching.language.grammar import Grammar, read_grammar

FILES = ("briefs.toml", "negation.toml", "opposites.toml", "languages.toml")
TABLES = {
    "list": ["b", "a"],
    "voice": {"named": {"en": ["vocals?", "voice"], "de": ["gesang"], "fr": ["voix"]}},
    "mixed": {"en": "voice"},
    "numbers": {"one": "1"},
    "wrong": {"en": ["("]},
    "none": [],
}


@pytest.fixture
def grammar() -> Grammar:
    return Grammar("a.toml", TABLES)


@pytest.mark.parametrize("name", FILES)
def test_files_are_read(name: str) -> None:
    with pytest.raises(ResourceMissing, match=f"{name}: there is no entry no.such"):
        read_grammar(name).entry("no.such")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ResourceMissing, match=r"none\.toml"):
        read_grammar("none.toml")


def test_phrases_keep_their_order(grammar: Grammar) -> None:
    assert grammar.phrases("list") == ("b", "a")
    assert grammar.phrases("voice.named") == ("vocals?", "voice", "gesang", "voix")
    assert grammar.phrases("voice.named", "fr", "de", "nl") == ("voix", "gesang")
    assert grammar.any_of("voice.named", "en") == "vocals?|voice"
    assert grammar.words("list") == {"a", "b"}
    assert grammar.pairs("numbers") == {"one": "1"}


@pytest.mark.parametrize("path", ["voice", "mixed", "numbers", "none"])
def test_an_entry_without_phrases_is_named(grammar: Grammar, path: str) -> None:
    with pytest.raises(ResourceMissing, match=rf"a\.toml: {path} has to hold lists of phrases"):
        grammar.phrases(path)


def test_other_mistakes_are_named(grammar: Grammar) -> None:
    with pytest.raises(ResourceMissing, match=r"a\.toml: wrong: '\(' is no regular expression"):
        grammar.any_of("wrong")
    with pytest.raises(ResourceMissing, match=r"a\.toml: voice has to give a word for each word"):
        grammar.pairs("voice")
