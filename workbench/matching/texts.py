"""The texts of tracks, ready to be searched and compared: BM25 over the words, and the facets that they name.

BM25 (Robertson and Zaragoza 2009, in the form of Lucene, computed by bm25s) only proposes candidates: a score that
counts shared words favours the longest text. Tracks are compared by *facets*, the moods, genres and instruments that
the lexicon finds in a text, a row of numbers a track. An inverted file, which holds for each facet the tracks that name
it and its share of their facets, compares a million of them in a few milliseconds. What a catalog lists counts for more
than what a description mentions in passing, and that for more than a word of a title (fields with weights, as in
Robertson, Zaragoza and Taylor 2004). A text that names more facets than one piece of music can have is stuffed with
keywords; its *trust* falls with the excess.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.catalog.track import Track
from workbench.errors import StoreError
from workbench.matching._kernels import add_entries
from workbench.matching.index import BoolArray, Hits, best_places
from workbench.matching.language.lexicon import KINDS, ExpectedSound, Kind, lexicon, read_lexicon
from workbench.params.matching import UNNAMED_NEARNESS
from workbench.recording import FloatArray, IntArray

_PLAUSIBLE: dict[Kind, float] = {"moods": 7.0, "genres": 5.0, "instruments": 8.0}
"""facets of a kind that one piece of music may have; naming more lowers the trust"""
_FIELDS = (0.65, 1.0, 0.45)
"""how far a facet counts that the description, a list or the title names"""
_REPEATED_SHARE = 0.3
"""share of a text's words that its commonest word may take"""
_LONG_TEXT_WORDS = 12
"""words of a text from which repetition lowers the trust"""
_READ_CHARACTERS = 20_000
_STEPS = 255
"""a facet is stored in a byte"""

Names: TypeAlias = Mapping[Kind, list[str]]
"""what a text names of each kind, in its own words"""


@dataclass(frozen=True, slots=True)
class TextMood:
    """The mood of music as a text describes it."""

    energy: float
    """0 to 1"""
    valence: float
    """0 sombre to 1 cheerful"""
    words: tuple[str, ...]
    """that name moods, each once"""


class TextIndex:
    """The texts of n tracks, on disk. Write one with `build`, open it with `open`."""

    def __init__(self, folder: Path, rows: int, bm25: Any) -> None:
        self._rows = rows
        self._bm25 = bm25
        self.facets: NDArray[np.uint8] = np.load(folder / "facets.npy", mmap_mode="r" if rows else None)
        """shape (n, n_facets), 0 to 255: see `facets_of`"""
        self.trust: NDArray[np.float16] = np.load(folder / "trust.npy", mmap_mode="r" if rows else None)
        """shape (n,), 0 to 1: 1 for a text with no more facets than one piece can have"""
        self._starts, self._rows_of, self._weights = (
            np.load(folder / f"facet_{name}.npy") for name in ("starts", "rows", "weights")
        )

    def __len__(self) -> int:
        return self._rows

    @classmethod
    def build(cls, texts: Sequence[str], folder: Path) -> TextIndex:
        """Write the index of texts, one a track, as `track_text` writes them; of each 20,000 characters are read."""
        import bm25s

        folder.mkdir(parents=True, exist_ok=True)
        facets = np.zeros((len(texts), len(lexicon().names)), np.uint8)
        trust = np.ones(len(texts), np.float16)
        tokens: list[list[str]] = []
        for row, text in enumerate(texts):
            text = text[:_READ_CHARACTERS]
            named, counted = facets_of(text)
            words = words_of(text)
            facets[row] = np.round(counted * _STEPS)
            trust[row] = trust_in(named, words)
            tokens.append(words)
        np.save(folder / "facets.npy", facets)
        np.save(folder / "trust.npy", trust)
        starts, rows_of, weights = _inverted(facets, trust)
        np.save(folder / "facet_starts.npy", starts)
        np.save(folder / "facet_rows.npy", rows_of)
        np.save(folder / "facet_weights.npy", weights)
        searchable = any(tokens)
        if searchable:
            bm25 = bm25s.BM25(method="lucene")
            bm25.index(tokens, show_progress=False)
            bm25.save(folder / "bm25", show_progress=False)
        (folder / "texts.json").write_text(json.dumps({"rows": len(texts), "searchable": searchable}))
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> TextIndex:
        """Open the index that `build` wrote to a folder, memory-mapped; raises `StoreError` if there is none."""
        import bm25s

        try:
            meta = json.loads((folder / "texts.json").read_text())
            bm25 = bm25s.BM25.load(folder / "bm25", mmap=True, show_progress=False) if meta["searchable"] else None
            return cls(folder, int(meta["rows"]), bm25)
        except OSError as error:
            raise StoreError(f"{folder}: no index of texts ({error.strerror})") from error

    def search(self, text: str, count: int, allowed: BoolArray | None = None) -> Hits:
        """Rows that share words with a text, by BM25, best first; of those that are `allowed`, shape (n,), or all."""
        known = [] if self._bm25 is None else [word for word in set(words_of(text)) if word in self._bm25.vocab_dict]
        if not known:
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        scores = self._word_scores(sorted(known))
        if allowed is not None:
            scores[~allowed] = 0.0
        order = best_places(scores, count)
        order = order[scores[order] > 0]
        return Hits(order, scores[order])

    def _word_scores(self, words: Sequence[str]) -> FloatArray:
        """The sum of the BM25 scores of words, shape (n,), float32; as bm25s adds them up, compiled."""
        held = self._bm25.scores
        scores = np.zeros(self._rows, dtype=np.float32)
        for word in words:
            number = self._bm25.vocab_dict[word]
            own = slice(int(held["indptr"][number]), int(held["indptr"][number + 1]))
            add_entries(np.asarray(held["indices"][own]), np.asarray(held["data"][own]), np.float32(1.0), scores)
        return scores

    def counted(self, rows: IntArray | slice) -> tuple[FloatArray, FloatArray]:
        """What the texts of rows name, shape (n, n_facets) 0 to 1, and how far they are trusted, shape (n,)."""
        return self.facets[rows].astype(np.float32) / np.float32(_STEPS), self.trust[rows].astype(np.float32)

    def nearness(self, wanted: FloatArray) -> FloatArray:
        """How well each text agrees with wanted facets, shape (n,): inner products.

        The facets that a text names of a kind have length 1, times its trust.
        """
        near = np.zeros(self._rows, np.float64)
        for facet in map(int, np.flatnonzero(wanted)):
            own = slice(int(self._starts[facet]), int(self._starts[facet + 1]))
            add_entries(self._rows_of[own], self._weights[own], np.float32(wanted[facet]), near)
        return near


def _inverted(
    facets: NDArray[np.uint8], trust: NDArray[np.float16]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """The inverted file, facet by facet: where each begins, the rows that name it, their weights."""
    rows_of, weights, starts = [], [], [0]
    for kind in KINDS:
        where = lexicon().of(kind)
        own = facets[:, where].astype(np.float32)
        length = np.linalg.norm(own, axis=1)
        scale = trust.astype(np.float32) / np.where(length > 0, length, np.float32(1.0))
        for column in range(own.shape[1]):
            rows = np.flatnonzero(own[:, column])
            rows_of.append(rows.astype(np.int32))
            weights.append(own[rows, column] * scale[rows])
            starts.append(starts[-1] + rows.size)
    return np.array(starts, dtype=np.int64), np.concatenate(rows_of), np.concatenate(weights)


def facets_of(text: str) -> tuple[FloatArray, FloatArray]:
    """The facets named in the text of a track, and how much each counts by its field, 0 to 1.

    A text that `track_text` did not write is read as one list.
    """
    fields = text.split("\n")
    if len(fields) != len(_FIELDS):
        facets = read_lexicon(text).facets
        return facets, facets
    named = np.stack([read_lexicon(field).facets for field in fields])
    return named.max(axis=0), (named * np.array(_FIELDS)[:, None]).max(axis=0)


def trust_in(facets: FloatArray, words: Sequence[str]) -> float:
    """How far a text can be trusted: less, the more facets it names beyond what one piece of music can have.

    One that repeats a word too often also loses trust. `words` are without function words.
    """
    book = lexicon()
    excess = sum(max(0.0, float(facets[book.of(kind)].sum()) / most - 1.0) for kind, most in _PLAUSIBLE.items())
    if len(words) >= _LONG_TEXT_WORDS:
        commonest = Counter(words).most_common(1)[0][1] / len(words)
        excess += max(0.0, commonest / _REPEATED_SHARE - 1.0)
    return float(1.0 / (1.0 + 2.0 * excess))


def words_of(text: str) -> list[str]:
    """Words of a text of two letters or more, in lower case, without English function words."""
    return [word for word in re.findall(r"\w\w+", text.lower()) if word not in _function_words()]


@cache
def _function_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


def mood_of(text: str) -> TextMood | None:
    """How lively and how cheerful the music is that a text describes: the mean of the moods it names, None without."""
    book = lexicon()
    meaning = read_lexicon(text)
    moods = meaning.facets[book.of("moods")]
    if not moods.any():
        return None
    sound = ExpectedSound(*(moods @ book.sounds[book.of("moods")] / moods.sum()))
    named = (meaning.found.get(name, ()) for name in book.names[book.of("moods")])
    words = tuple(dict.fromkeys(word for words in named for word in words))
    return TextMood(float(sound.energy), float(sound.valence), words)


def nearness_of(kind: Kind, wanted: FloatArray, facets: FloatArray) -> FloatArray:
    """Cosines between the facets of one kind in texts and the wanted ones, a unit vector; shape (n,)."""
    where = lexicon().of(kind)
    own = facets[:, where]
    length = np.linalg.norm(own, axis=1)
    cosine = own @ wanted[where] / np.where(length > 0, length, 1.0)
    asked = (length > 0) & wanted[where].any()
    return np.where(asked, cosine, UNNAMED_NEARNESS)


def names_in(track: Track) -> Names:
    """The words of a track's own text that name moods, genres and instruments."""
    return _names_in_text(track_text(track))


@lru_cache(maxsize=4096)
def _names_in_text(text: str) -> Names:
    """As `names_in`; cached, because the next query ranks many of the same tracks first."""
    book = lexicon()
    found = read_lexicon(text).found
    names: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
    for name, kind in zip(book.names, book.kinds, strict=True):
        names[kind] += [word.replace("-", " ") for word in found.get(name, ())]
    return {kind: list(dict.fromkeys(words)) for kind, words in names.items()}


@lru_cache(maxsize=8192)
def facets_named(word: str) -> frozenset[int]:
    """The facets that a word of a list names; cached, because catalogs use the same few words again and again."""
    return frozenset(map(int, np.flatnonzero(read_lexicon(word).facets)))


def track_text(track: Track) -> str:
    """The text that stands for a track in searches: description, moods, genres, instruments, tags, title.

    The most descriptive fields come first; an embedding reads only the beginning of a long text. There are three lines,
    each of which may be empty: the description, what the catalog lists, the title; empty where none has a value.
    """
    lists = (", ".join(words) for words in (track.moods, track.genres, track.instruments, track.tags) if words)
    fields = [_sentences([track.description]), _sentences(lists), _sentences([track.title])]
    if not any(fields):
        return ""
    return "\n".join(f"{field}." if field and any(fields[at + 1 :]) else field for at, field in enumerate(fields))


def _sentences(parts: Iterable[str | None]) -> str:
    """The text on one line."""
    return ". ".join(" ".join(part.split()).rstrip(".") for part in parts if part and part.strip())
