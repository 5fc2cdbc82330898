"""The music that suits a text: facets and sound, read from its sentences.

A script hardly ever names its moods, so counting mood words says little. The reader maps the states of the sentence
embedding (means over the tokens after its second, fourth and sixth layer) to the facets and the sound of the music that
suits. It was fitted by kernel ridge regression on the lexicon's lines, sentence by sentence: a sentence asks for what
the lines near it ask for, and one that is near none for the usual. It ships as the model `script_reader.npz`
(`data/recipes/fitting/underscore.py` makes it). A script is read one sentence at a time and the readings are averaged.

Beside it the lexicon reads single words: scenes by their cues, moods by their names, and in English also the words of
its lines, each as what the lines that hold it have beyond the usual, shrunk where there are few. What it finds is
added, with more weight the more it finds; without the embedding it is the only reader. Both read the text with denied
feelings replaced by their opposites (`workbench.matching.language.negation`). The embedding knows English: for a text
in another language the reader counts little, and the lexicon's foreign words count. For a text that is not readable
(`workbench.matching.language.languages`) no facet is wanted, and the sound is the usual one.

References
----------
C. Saunders, A. Gammerman and V. Vovk, "Ridge regression learning algorithm in dual variables", ICML 1998.
N. Liu et al., "Linguistic knowledge and transferability of contextual representations", NAACL 2019: properties other
than topic are best read from the middle layers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from workbench.errors import ResourceMissing
from workbench.files import open_model
from workbench.matching.language.embedding import SentenceEmbedding, chunks
from workbench.matching.language.languages import ENGLISH, is_common, is_readable, language_of
from workbench.matching.language.lexicon import (
    ExpectedSound,
    inflected,
    lexicon,
    lexicon_digest,
    opposites,
    read_lexicon,
    terms_in,
)
from workbench.matching.language.negation import replace_denials
from workbench.recording import FloatArray

READER_FILE = "script_reader.npz"
WIDTH = 0.7
"""of the kernel of the regression, beside a spread of 1"""
REFERENCE_BPM = 100.0
"""pace is regressed as octaves from here"""

_FOREIGN_WEIGHT = 0.3  # of the reader in a language that it was not trained on
_HALF_TRUST_WORDS = 3.0  # words of a script at which the reader counts by half
_LEXICON_SHARE = 0.35  # of single words beside the reader of sentences
_HALF_TRUST_CUES = 4.0  # cues in a script at which the lexicon counts by half
_LINE_WORD_SHARE = 0.5  # of a cue, that a word of the lexicon's lines counts as
_LINE_WORD_GAIN = 4.0  # factor by which the mean of such words differs more from the usual
_LINE_WORD_PRIOR = 1.0  # lines that are added to those of a word, so that a rare one counts less
_USUAL_SHARE = 0.8  # of the usual reading, that is subtracted so that what is special to a text shows
_SOUND_GAIN = 1.4  # factor by which an expected sound differs more from the usual one
_LONGEST_READ = 20_000
"""characters of a text whose words are looked up"""
_MOST_LINES = 25
"""lines from which on a word is too common to lean anywhere"""
_STEM_ENDINGS = ("ing", "ed", "es", "s", "ly")
_SHORTEST_WORD, _SHORTEST_STEM = 3, 4
_CUES_SHOWN = 2
"""cues of a scene before it is named"""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The music that suits a text, before any brief."""

    facets: FloatArray
    """shape (n_facets,), 0 upwards; less what usual texts have"""
    sound: ExpectedSound
    scene: str | None
    """the kind of text, where single words make it clear; else None"""
    language: str
    """in English, as "German" """
    by_embedding: bool
    vector: FloatArray | None
    """shape (384,), unit; None without the embedding"""
    words: tuple[str, ...]
    """what the lexicon recognised"""
    readable: bool = True
    """whether there was anything to read"""
    denials: tuple[tuple[str, str], ...] = ()
    """feelings that were denied, in the words of the text, and the opposite that each was read as"""


class Reader(NamedTuple):
    """The fitted regression; a text's place is its states less `mean`, times `scale`, along `axes`."""

    mean: FloatArray
    """shape (len(DEPTHS), 384)"""
    scale: FloatArray
    """shape (len(DEPTHS), 1)"""
    axes: FloatArray
    """shape (len(DEPTHS) * 384, n_axes), the principal axes of the lines"""
    places: FloatArray
    """shape (n_lines, n_axes), of the lines"""
    weights: FloatArray
    """shape (n_lines, n_facets + 4): what a text as near as can be to each line adds to the usual"""
    usual: FloatArray
    """shape (n_facets + 4,), the mean over all lines"""

    def read(self, states: FloatArray) -> FloatArray:
        """Facets and sound of texts, as rows of `line_targets`, from `SentenceEmbedding.states`."""
        places = ((states - self.mean) * self.scale).reshape(len(states), -1) @ self.axes
        return np.asarray(nearness(places, self.places) @ self.weights + self.usual)


def read_script(text: str, embedding: SentenceEmbedding | None = None) -> Reading:
    """Read which music suits a text (data, never an instruction); without an embedding, by the lexicon alone.

    Of a text that is not readable: the usual sound and no facets. Raises `ResourceMissing` where the reader was not
    fitted on this lexicon.
    """
    language, size = language_of(text), len(lexicon().names)
    usual = usual_request()
    if not is_readable(text, None if embedding is None else embedding.is_whole):
        sound = _sound(usual[size:], usual[size:], _SOUND_GAIN)
        return Reading(np.zeros(size), sound, None, language, False, None, (), readable=False)
    text, denials = replace_denials(text, opposites())
    found, evidence, scene, words = _by_lexicon(text, language)
    read, vector = usual, None
    if embedding is not None:
        states = embedding.states(chunks(text) or [text])
        n_words = len(text.split())
        # One or two words are little evidence.
        trust = (1.0 if language == ENGLISH else _FOREIGN_WEIGHT) * n_words / (n_words + _HALF_TRUST_WORDS)
        read = usual + trust * (reader().read(states).mean(axis=0) - usual)
        vector = _unit(_unit(states[:, -1]).mean(axis=0))
    share = _LEXICON_SHARE if vector is not None and language == ENGLISH else 1.0
    wanted = read + share * evidence / (evidence + _HALF_TRUST_CUES) * (found - usual)
    if denials:
        # Explicit, and what the reader detects worst: denials count by their share of the text.
        share = len(denials) / (len(denials) + len(chunks(text)))
        wanted += share * (_named([opposite for _, opposite in denials]) - wanted)
    return Reading(
        facets=np.clip(wanted[:size] - _USUAL_SHARE * usual[:size], 0.0, None),
        sound=_sound(wanted[size:], usual[size:], _SOUND_GAIN),
        scene=scene,
        language=language,
        by_embedding=vector is not None,
        vector=vector,
        words=words,
        denials=denials,
    )


@cache
def reader() -> Reader:
    """The regression that ships; raises `ResourceMissing` where it was not fitted on this lexicon."""
    with open_model(READER_FILE) as file:
        stored = np.load(file)
        if str(stored["lexicon"]) != lexicon_digest():
            raise ResourceMissing(
                f"{READER_FILE} was fitted on another lexicon; fit it again: data/recipes/fitting/underscore.py"
            )
        return Reader(*(stored[name].astype(np.float32) for name in Reader._fields))


def nearness(places: FloatArray, lines: FloatArray) -> FloatArray:
    """How near places are to those of lines, shape (n, n_lines): 1 for the same, 0 for far away."""
    squares = (places**2).sum(axis=1)[:, None] + (lines**2).sum(axis=1) - 2.0 * places @ lines.T
    return np.asarray(np.exp(-np.maximum(squares, 0.0) / (2.0 * WIDTH**2)))


def line_targets() -> FloatArray:
    """The targets of the regression, from the lexicon's lines.

    Shape (n_lines, n_facets + 4): facets, energy, octaves of pace, brightness, mode.
    """
    return np.array([np.concatenate([line.facets, _coordinates(line.sound)]) for line in lexicon().lines])


@cache
def usual_request() -> FloatArray:
    """The mean of `line_targets`, expected of a text about which nothing is known."""
    return np.asarray(line_targets().mean(axis=0))


def _by_lexicon(text: str, language: str) -> tuple[FloatArray, float, str | None, tuple[str, ...]]:
    """Facets and sound by single words, the amount of evidence, the scene if one is clear, and the words."""
    book = lexicon()
    hits = np.zeros(len(book.scenes))
    # Cues under a negation count too: a text is about what it denies.
    distinct = dict.fromkeys(_cues_in(text, language))
    for cue in distinct:
        for index in book.cues[cue]:
            hits[index] += 1.0 / len(book.cues[cue])
    meaning = read_lexicon(text)
    # its words for genres and instruments are about other things
    moods = np.where([kind == "moods" for kind in book.kinds], meaning.facets, 0.0)
    leaning, of_lines = _by_words_of_lines(text) if language == ENGLISH else (usual_request(), 0.0)
    evidence = float(hits.sum() + moods.sum() + of_lines)
    if evidence == 0.0:
        return usual_request(), 0.0, None, ()
    total = of_lines * leaning
    for share, scene in zip(hits, book.scenes, strict=True):
        total += share * np.concatenate([scene.facets, _coordinates(scene.sound)])
    for index in map(int, np.flatnonzero(moods)):
        total += moods[index] * _of_mood(index)
    best = int(np.argmax(hits))
    clear = hits[best] >= _CUES_SHOWN and hits[best] > hits.sum() / 2
    words = [*distinct, *(word for index in np.flatnonzero(moods) for word in meaning.found[book.names[index]])]
    return total / evidence, evidence, book.scenes[best].name if clear else None, tuple(dict.fromkeys(words))


def _cues_in(text: str, language: str) -> Iterator[str]:
    """The cues of a text. English ones that are common words of its language are none: "con", "war", "van"."""
    book = lexicon()
    for cue, _ in terms_in(text, book.cues):
        if language == ENGLISH or cue in book.foreign_cues or not is_common(cue, language):
            yield cue
    if language != ENGLISH:
        for word in re.findall(r"[^\W\d_]+", text[:_LONGEST_READ].lower()):
            form_of = inflected(word)
            if form_of is not None:
                yield form_of


def _by_words_of_lines(text: str) -> tuple[FloatArray, float]:
    """The leaning of words that the lexicon's lines have too, as a row of `line_targets`, and its weight."""
    known = _leanings()
    found = [known[word] for word in _stems(text) if word in known]
    if not found:
        return usual_request(), 0.0
    mean = np.mean([total / (count + _LINE_WORD_PRIOR) for count, total in found], axis=0)
    return usual_request() + _LINE_WORD_GAIN * mean, _LINE_WORD_SHARE * len(found)


@cache
def _leanings() -> Mapping[str, tuple[int, FloatArray]]:
    """By stem, how many lines have it, and the sum of what they have beyond the usual; none of a common one."""
    beyond = line_targets() - usual_request()
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(lexicon().lines):
        for word in _stems(line.text):
            lines[word].append(index)
    return {
        word: (len(where), np.asarray(beyond[where].sum(axis=0)))
        for word, where in lines.items()
        if len(where) <= _MOST_LINES
    }


def _stems(text: str) -> list[str]:
    """The distinct words of a text without their English endings."""
    words = (word for word in re.findall(r"[^\W\d_]+", text[:_LONGEST_READ].lower()) if len(word) >= _SHORTEST_WORD)
    return list(dict.fromkeys(map(_stem, words)))


def _stem(word: str) -> str:
    for ending in _STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _of_mood(index: int) -> FloatArray:
    """The targets for a text whose mood alone is known, as a row of `line_targets`."""
    book = lexicon()
    row = usual_request().copy()
    row[book.of("moods")] = 0.0
    row[index] = 1.0
    row[len(book.names) :] = _coordinates(ExpectedSound(*book.sounds[index]))
    return row


def _named(words: Sequence[str]) -> FloatArray:
    """The mean of what suits the moods that some words name first."""
    book = lexicon()
    return np.asarray(np.mean([_of_mood(book.terms[word][0]) for word in words], axis=0))


def _coordinates(sound: ExpectedSound) -> FloatArray:
    """A sound as it is regressed."""
    return np.array([sound.energy, np.log2(sound.bpm / REFERENCE_BPM), sound.brightness, sound.mode])


def _sound(coordinates: FloatArray, usual: FloatArray, gain: float) -> ExpectedSound:
    """A sound from regressed numbers; regression shrinks towards the usual, which `gain` undoes."""
    energy, octaves, brightness, mode = usual + gain * (coordinates - usual)
    return ExpectedSound(
        float(np.clip(energy, 0.05, 0.95)),
        float(REFERENCE_BPM * 2.0 ** np.clip(octaves, -0.8, 0.8)),
        float(np.clip(brightness, 0.0, 1.0)),
        float(np.clip(mode, -1.0, 1.0)),
    )


def _unit(rows: FloatArray) -> FloatArray:
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1.0))
