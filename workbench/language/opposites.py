"""Opposites of feelings: what a text that denies one is read as saying.

Of the lexicon's moods those have an opposite that music can have as well; each of their words stands for it. Some
feelings that texts deny name no mood of music ("boring", "afraid") and are listed here. Words that mostly mean
something else ("still", "kind", "hard") are left alone.

Function: `opposites`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from workbench.language.lexicon import lexicon

FEELINGS: Mapping[str, str] = {
    "afraid": "confident", "scared": "confident", "fear": "confident", "angst": "confident", "worried": "relaxed",
    "worries": "relaxed", "worry": "relaxed", "boring": "exciting", "bored": "exciting", "dull": "vibrant",
    "langweilig": "exciting", "ennuyeux": "exciting", "aburrido": "exciting", "alone": "friendly", "loud": "quiet",
    "noisy": "quiet", "laut": "quiet", "quiet": "lively", "silent": "lively", "slow": "fast", "tired": "energetic",
    "hopeless": "hopeful", "unhappy": "happy", "depressing": "uplifting", "depressed": "happy", "tears": "cheerful",
    "restless": "calm", "harsh": "gentle", "cruel": "gentle", "ugly": "elegant", "cheesy": "sophisticated",
}  # fmt: skip
"""feelings that are no mood of the lexicon, or whose opposite is another than their mood's"""
_OF_MOODS: Mapping[str, str] = {
    "calm": "tense", "relaxed": "tense", "tender": "fierce", "warm": "bleak", "happy": "sad", "playful": "serious",
    "uplifting": "bleak", "energetic": "calm", "aggressive": "gentle", "dark": "bright", "tense": "relaxed",
    "scary": "comforting", "sad": "cheerful", "serious": "playful", "festive": "quiet",
}  # fmt: skip
_OF_OTHER_MEANING = frozenset(
    {
        "still", "stillness", "kind", "sweet", "bright", "build", "builds", "building", "hard", "heavy", "party",
        "black", "cold", "active", "energy", "loss", "pressure", "pulse", "ticking", "raw", "rising", "floating",
        "spacious", "sunday", "lounge", "minimal", "grave", "pace", "lustig", "emotional", "light", "calma", "quiet",
        "cartoon", "restful", "cheering", "dancing", "driving", "powerful", "workout", "adrenaline", "weighty",
        "thriller",
    }
)  # fmt: skip


@cache
def opposites() -> Mapping[str, str]:
    """The opposite of each feeling that can be denied, by word."""
    book = lexicon()
    found: dict[str, str] = {}
    for word, meant in book.terms.items():
        moods = [book.names[index] for index in meant if book.kinds[index] == "moods"]
        if moods and moods[0] in _OF_MOODS and word not in _OF_OTHER_MEANING:
            found[word] = _OF_MOODS[moods[0]]
    return {**found, **FEELINGS}
