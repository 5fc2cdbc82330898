"""The lexicon: the words that name moods, genres, instruments and scenes, and the sound to expect of each.

`lexicon.toml` beside this file holds the entries, a table each. A *facet* is a mood, a genre or an instrument; it has
words that name it, in English and in six other languages, a mood in eight, and an expected sound: energy, pace,
brightness, mode. A *scene* is a kind of text that is spoken over music ("a cooking video", "a memorial"), with sample
lines and the facets of the music that usually accompanies it. A text is read by looking up its words, one to three at a
time, with regard to negation (`workbench.matching.language.negation`): "no drums" denies drums.

Spoken texts seldom name their moods. The lexicon therefore also holds some nine hundred *lines* as people speak them,
each with the facets of the music that suits; `workbench.matching.script` is fitted to them.

`opposites.toml` names the opposites of feelings: a text that denies a feeling is read as them.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from workbench.matching.language.grammar import read_grammar
from workbench.matching.language.negation import clauses, scopes
from workbench.recording import FloatArray

Kind: TypeAlias = Literal["moods", "genres", "instruments"]
KINDS: tuple[Kind, ...] = ("moods", "genres", "instruments")
LEXICON_FILE = "lexicon.toml"

_RANK_WEIGHTS = (1.0, 0.65, 0.45, 0.3)
"""weight of a scene's first, second, third and fourth facet of a kind"""
_COMPANION_SHARE = 0.3
"""weight of the moods that accompany the one a line was written for"""
_INSTRUMENT_SHARE = 1.5
"""scale of instruments that are derived from genres: a piece uses only some of the instruments of its genre"""
_LONGEST_TERM = 3
_ENDINGS = ("s", "ly", "es")
_VOWELS = "aeiouyąęåäö"
_SHORTEST_STEM, _LONGEST_ENDING = 6, 3
_LONGEST_READ = 20_000
"""characters of a text that are looked up: more than a script may have, and a bound for descriptions"""


class ExpectedSound(NamedTuple):
    """How music is expected to sound."""

    energy: float
    """0 to 1"""
    bpm: float
    """beats a minute"""
    brightness: float
    """0 dull to 1 bright"""
    mode: float
    """-1 minor to +1 major"""

    @property
    def valence(self) -> float:
        """0 sombre to 1 cheerful: what the lexicon calls the mode of a mood is how cheerful such music usually is."""
        return 0.5 + 0.5 * self.mode


@dataclass(frozen=True, slots=True, eq=False)
class TextScene:
    """A kind of text, and the music that suits it."""

    name: str
    """as in "reads like …" """
    lines: tuple[str, ...]
    """sample sentences of such texts"""
    cues: frozenset[str]
    """single words by which it is recognized, in nine languages"""
    music: str
    """how a catalog describes music that suits"""
    facets: FloatArray
    """shape (n_facets,), 0 to 1"""
    sound: ExpectedSound


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A spoken sentence, and the music that suits it."""

    text: str
    facets: FloatArray
    """shape (n_facets,), 0 to 1"""
    sound: ExpectedSound


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The facets that the lexicon finds in a text."""

    facets: FloatArray
    """shape (n_facets,), 1 where a word names the facet, shared out where a word names several of one kind"""
    denied: FloatArray
    """shape (n_facets,), the same of words under a negation"""
    sound: ExpectedSound | None
    """mean expected sound of the named facets; None where there are none"""
    found: Mapping[str, tuple[str, ...]]
    """the words that named each facet"""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All entries of the lexicon."""

    names: tuple[str, ...]
    """of the facets: moods, genres, instruments"""
    kinds: tuple[Kind, ...]
    """of each facet"""
    sounds: FloatArray
    """shape (n_facets, 4), the fields of `ExpectedSound`"""
    music: tuple[str, ...]
    """how a catalog describes each facet"""
    terms: Mapping[str, tuple[int, ...]]
    """a word, or words joined by hyphens, to the facets that it names"""
    foreign: frozenset[str]
    """those of the terms that are not English"""
    scenes: tuple[TextScene, ...]
    cues: Mapping[str, tuple[int, ...]]
    """scenes (indices) that each word points to, including the forms in -ing and -ed of English words"""
    foreign_cues: frozenset[str]
    """those of the cues that are words of another language than English, and perhaps of English too"""
    stems: Mapping[str, str]
    """each long foreign cue by its form without the last vowel; see `inflected`"""
    lines: tuple[Line, ...]

    def of(self, kind: Kind) -> slice:
        """Indices of the facets of a kind."""
        first = self.kinds.index(kind)
        return slice(first, first + self.kinds.count(kind))

    def index(self, name: str) -> int:
        """Index of the facet with a name; of a mood and a genre that share one, the mood's. Raises `ValueError`."""
        return self.names.index(name)


@cache
def lexicon() -> Lexicon:
    """The lexicon that ships with the package, read once."""
    tables = tomllib.loads(_file(LEXICON_FILE).decode("utf-8"))
    names: list[str] = []
    kinds: list[Kind] = []
    sounds: list[Sequence[float]] = []
    music: list[str] = []
    terms: defaultdict[str, list[int]] = defaultdict(list)
    english: set[str] = set()
    for kind in KINDS:
        for name, entry in tables[kind].items():
            spoken = {name.replace("_", "-"), *entry["words"].split()}
            english |= spoken
            for term in spoken | set(entry["foreign"].split()):
                terms[term].append(len(names))
            names.append(name)
            kinds.append(kind)
            sounds.append(entry["sound"])
            music.append(entry["music"])
    place = {(kind, name): index for index, (kind, name) in enumerate(zip(kinds, names, strict=True))}
    scenes = tuple(_scene(entry, place) for entry in tables["scenes"])
    cues = _cues(tables["scenes"])
    foreign = dict.fromkeys(cue for entry in tables["scenes"] for cue in entry.get("foreign", "").split())
    return Lexicon(
        names=tuple(names),
        kinds=tuple(kinds),
        sounds=np.array(sounds, dtype=np.float64),
        music=tuple(music),
        terms={term: tuple(found) for term, found in terms.items()},
        foreign=frozenset(terms.keys() - english),
        scenes=scenes,
        cues=cues,
        foreign_cues=frozenset(foreign),
        stems={stem: cue for cue in reversed(foreign) if len(stem := cue.rstrip(_VOWELS)) >= _SHORTEST_STEM},
        lines=tuple(_lines(tables, scenes, place, np.array(sounds, dtype=np.float64))),
    )


def read_lexicon(text: str) -> Meaning:
    """The moods, genres and instruments named, and those denied, in the first 20,000 characters of a text."""
    book = lexicon()
    facets, denied = np.zeros(len(book.names)), np.zeros(len(book.names))
    found: defaultdict[str, list[str]] = defaultdict(list)
    for term, negated in terms_in(text, book.terms):
        into = denied if negated else facets
        named = book.terms[term]
        for index in named:
            # A term for two moods says half of each; for a mood and a genre it says both in full.
            alike = sum(book.kinds[other] == book.kinds[index] for other in named)
            into[index] = max(into[index], 1.0 / alike)
            if not negated:
                found[book.names[index]].append(term)
    total = float(facets.sum())
    sound = ExpectedSound(*(facets @ book.sounds / total)) if total > 0 else None
    return Meaning(facets, denied, sound, {name: tuple(dict.fromkeys(words)) for name, words in found.items()})


def terms_in(text: str, known: Mapping[str, object]) -> Iterator[tuple[str, bool]]:
    """Find the known terms of a text, and whether each is negated; where several begin at a word, the longest."""
    for clause in clauses(text[:_LONGEST_READ]):
        words, negated, at = clause.words, scopes(clause.words), 0
        while at < len(words):
            longest = _LONGEST_TERM if words[at] in _openings() else 1
            for length in range(min(longest, len(words) - at), 0, -1):
                term = _known(words[at : at + length], known)
                if term is not None:
                    yield term, negated[at] is not None
                    at += length
                    break
            else:
                at += 1


def inflected(word: str) -> str | None:
    """The foreign cue that a word is another form of: "sjukhus" of "sjukhuset", "ospedale" of "ospedali".

    None for a cue itself. Forms end otherwise by three letters at most, after six or more.
    """
    book = lexicon()
    if word in book.cues:
        return None
    stems = (word[: len(word) - cut] for cut in range(min(_LONGEST_ENDING, len(word) - _SHORTEST_STEM) + 1))
    return next((book.stems[stem] for stem in stems if stem in book.stems), None)


def lexicon_digest() -> str:
    """SHA-256 of the lexicon, hex; models that were fitted to it are valid only with the same one."""
    return hashlib.sha256(_file(LEXICON_FILE)).hexdigest()


@cache
def _openings() -> frozenset[str]:
    """First words of the terms and cues of several words: only after these, several words have to be looked up."""
    book = lexicon()
    return frozenset(term.partition("-")[0] for term in (*book.terms, *book.cues) if "-" in term)


def _known(words: Sequence[str], known: Mapping[str, object]) -> str | None:
    """The known term that some words form, with their ending or without it."""
    term = words[0] if len(words) == 1 else "-".join(words)
    if term in known and len(term) > 2:
        return term
    for ending in _ENDINGS:
        if term.endswith(ending) and len(form := term.removesuffix(ending)) > 2 and form in known:
            return form
    return None


def _cues(entries: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, ...]]:
    """The scenes of each cue, and of the forms of English cues that are no cues themselves."""
    cues: defaultdict[str, list[int]] = defaultdict(list)
    forms: defaultdict[str, list[int]] = defaultdict(list)
    for index, entry in enumerate(entries):
        english = entry["cues"].split()
        for cue in dict.fromkeys([*english, *entry.get("foreign", "").split()]):
            cues[cue].append(index)
        for form in dict.fromkeys(form for cue in english for form in _forms(cue)):
            forms[form].append(index)
    return {cue: tuple(found) for cue, found in (forms | cues).items()}


def _forms(word: str) -> list[str]:
    """An English word with -ing and -ed, as verbs have them: "baking", "stirred", "carried"."""
    if not re.fullmatch("[a-z]{3,}", word):
        return []
    if re.fullmatch("[^aeiou]+[aeiou][bdgklmnprt]", word):
        return [f"{word}{word[-1]}ing", f"{word}{word[-1]}ed"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word}ing", f"{word[:-1]}ied", f"{word[:-1]}ies"]
    return [f"{word.removesuffix('e')}ing", f"{word.removesuffix('e')}ed"]


def _scene(entry: Mapping[str, Any], place: Mapping[tuple[Kind, str], int]) -> TextScene:
    facets = np.zeros(len(place))
    for kind in KINDS:
        for name, weight in zip(str(entry[kind]).split(), _RANK_WEIGHTS, strict=False):
            facets[place[kind, name]] = weight
    return TextScene(
        name=str(entry["name"]),
        lines=tuple(entry["said"]),
        cues=frozenset(f"{entry['cues']} {entry.get('foreign', '')}".split()),
        music=str(entry["music"]),
        facets=facets,
        sound=ExpectedSound(*entry["sound"]),
    )


def _lines(
    tables: Mapping[str, Any], scenes: Sequence[TextScene], place: Mapping[tuple[Kind, str], int], sounds: FloatArray
) -> Iterator[Line]:
    """All lines. Facets that an entry does not state come from the scenes with the same moods or genres."""
    of_scenes = np.stack([scene.facets for scene in scenes])
    kinds = np.array([kind for kind, _ in place])
    is_mood, is_genre, is_instrument = (kinds == kind for kind in KINDS)
    for name, entry in tables["moods"].items():
        index = place["moods", name]
        facets = of_scenes[:, index] @ of_scenes / of_scenes[:, index].sum()
        facets[is_mood] *= _COMPANION_SHARE
        facets[index] = 1.0
        yield from (Line(text, facets, ExpectedSound(*entry["sound"])) for text in entry["said"])
    for scene in scenes:
        yield from (Line(text, scene.facets, scene.sound) for text in scene.lines)
    played_by = of_scenes[:, is_genre].T @ of_scenes[:, is_instrument] / of_scenes[:, is_genre].sum(axis=0)[:, None]
    for entry in tables["lines"]:
        facets = np.zeros(len(place))
        for kind in ("moods", "genres"):
            for name, weight in zip(entry[kind].split(), _RANK_WEIGHTS, strict=False):
                facets[place[kind, name]] = weight
        genres, moods = facets[is_genre], facets * is_mood
        facets[is_instrument] = _INSTRUMENT_SHARE * (genres @ played_by) / genres.sum()
        sound = ExpectedSound(*(moods @ sounds / moods.sum()))._replace(energy=entry["energy"])
        yield from (Line(text, facets, sound) for text in entry["said"])


def _file(name: str) -> bytes:
    return resources.files("workbench.matching.language").joinpath(name).read_bytes()


def strongest_facets(facets: FloatArray, kinds: Iterable[Kind] = KINDS, least: float = 0.0, most: int = 3) -> list[str]:
    """Names of the strongest facets of some kinds, with a weight over `least`, best first, blanks for underscores."""
    return [lexicon().names[index].replace("_", " ") for index in strongest(facets, kinds, least, most)]


def strongest(facets: FloatArray, kinds: Iterable[Kind] = KINDS, least: float = 0.0, most: int = 3) -> list[int]:
    """Indices of the facets that `strongest_facets` names."""
    wanted = [index for index, kind in enumerate(lexicon().kinds) if kind in kinds and facets[index] > least]
    return sorted(wanted, key=lambda index: -facets[index])[:most]


_GRAMMAR = read_grammar("opposites.toml")
FEELINGS: Mapping[str, str] = _GRAMMAR.pairs("feelings")
"""feelings that are not moods of the lexicon, or whose opposite differs from their mood's"""
_OF_MOODS: Mapping[str, str] = _GRAMMAR.pairs("moods")
_OF_OTHER_MEANING = _GRAMMAR.words("other_meaning")


@cache
def opposites() -> Mapping[str, str]:
    """Opposite by word, of every feeling that has one."""
    book = lexicon()
    found: dict[str, str] = {}
    for word, meant in book.terms.items():
        moods = [book.names[index] for index in meant if book.kinds[index] == "moods"]
        if moods and moods[0] in _OF_MOODS and word not in _OF_OTHER_MEANING:
            found[word] = _OF_MOODS[moods[0]]
    return {**found, **FEELINGS}
