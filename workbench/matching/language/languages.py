"""The language in which a text is written, and whether its words are known at all.

A script other than Latin identifies a language by itself. Of those in Latin letters nine are distinguished by their
commonest words and by letters that only some have. A word that several languages share is divided between them; English
words of the lexicon are evidence for English too, so that "Los Angeles at sunrise" and "calm piano" stay English. That
is enough for two words ("ohne Gesang"). Without evidence a text counts as English, which the lexicon covers best.

A text in which hardly a word is known in any of them is not readable: keys struck at random, numbers, emoji, or a
language that is not among the nine, even where it shares letters with one of them.

The words and letters stand in `languages.toml` beside this file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache

from workbench.matching.language.grammar import read_grammar
from workbench.matching.language.lexicon import lexicon

ENGLISH = "English"
_READ_CHARACTERS = 4_000
_LEAST = 0.6
"""evidence, in words, that another language than English needs"""
_CLEARLY = 1.3
"""factor by which it must exceed the evidence for English"""
_LETTER_SHARE = 0.5
"""weight of a typical letter relative to a common word"""
_KNOWN_SHARE = 0.5
"""weight of an English word that is not among the commonest, relative to one that is"""
_LEAST_KNOWN = 0.25
"""share of a text's words that must be known for it to be readable"""
_SHORTEST_WHOLE = 3
"""fewest letters of a word that is known because an embedding has it as one token; shorter pieces always are"""


def language_of(text: str) -> str:
    """The language of a text, by its first 4,000 characters: its name in English, as "German", and "English" in doubt.

    For a script that several languages use, the name of the script.
    """
    script = _script_of(text)
    if script is not None:
        return script
    english, evidence = 0.0, dict.fromkeys(_COMMONEST, 0.0)
    for word in dict.fromkeys(_words(text)):
        speakers = _speakers().get(word, ())
        for name in speakers:
            evidence[name] += 1.0 / len(speakers)
        if ENGLISH not in speakers:
            english += _KNOWN_SHARE * (word in _english_words())
        if speakers:
            continue
        for letters, names in _LETTERS:
            if letters & set(word):
                for name in names:
                    evidence[name] += _LETTER_SHARE / len(names)
    english += evidence.pop(ENGLISH)
    best = max(evidence, key=lambda name: evidence[name])
    return best if evidence[best] > _CLEARLY * english and evidence[best] >= _LEAST else ENGLISH


def is_common(word: str, language: str) -> bool:
    """Whether a word is one of the commonest of a language, as "con" is of Spanish."""
    return word in _COMMONEST.get(language, ())


def is_readable(text: str, is_whole: Callable[[str], bool] | None = None) -> bool:
    """Whether a text has words of a language that is known here.

    `is_whole` says whether a word is in an embedding's vocabulary, see `SentenceEmbedding.is_whole`.
    """
    words, language = _words(text), language_of(text)
    if language != ENGLISH:
        common = _COMMONEST.get(language)  # None for a script other than Latin, of which every letter is evidence
        return common is None or any(word in common or word in lexicon().foreign for word in words)
    known = sum(
        word in _known_words() or (len(word) >= _SHORTEST_WHOLE and is_whole is not None and is_whole(word))
        for word in words
    )
    return known > 0 and known >= _LEAST_KNOWN * len(words)


def _script_of(text: str) -> str | None:
    """The language or script of a text that is mostly not in Latin letters; None otherwise."""
    letters = [unicodedata.name(letter, "").split(" ")[0] for letter in text[:_READ_CHARACTERS] if letter.isalpha()]
    if not letters:
        return None
    script, count = Counter(letters).most_common(1)[0]
    if script == "LATIN" or count <= len(letters) / 2:
        return None
    return _SCRIPTS.get(script, f"{script.capitalize()} script")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text[:_READ_CHARACTERS].lower())


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """The languages that each common word belongs to."""
    words = {word for common in _COMMONEST.values() for word in common}
    return {word: tuple(name for name, common in _COMMONEST.items() if word in common) for word in words}


@cache
def _english_words() -> frozenset[str]:
    """English words beyond the commonest: those of the lexicon's lines, and of its descriptions of music."""
    book = lexicon()
    texts = (
        *(term for term in book.terms if term not in book.foreign),
        *(line.text for line in book.lines),
        *book.music,
        *(f"{scene.name} {scene.music}" for scene in book.scenes),
    )
    return frozenset(word for text in texts for word in _words(text) if len(word) > 1)


@cache
def _known_words() -> frozenset[str]:
    book = lexicon()
    named = (part for term in (*book.terms, *book.cues) for part in term.split("-") if len(part) > 1)
    return frozenset((*_english_words(), *_speakers(), *named))


_GRAMMAR = read_grammar("languages.toml")
_SCRIPTS = _GRAMMAR.pairs("scripts")
_LETTERS = tuple((frozenset(entry["letters"]), tuple(entry["languages"])) for entry in _GRAMMAR.entry("letters"))
"""letters, and those of the nine languages that use them"""
_COMMONEST = {name: frozenset(words.split()) for name, words in _GRAMMAR.pairs("common").items()}
"""words that occur in most texts of a language, and some that describe music"""
