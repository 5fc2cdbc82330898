"""Words to vectors: a sentence embedding, run in numpy.

The embedding is all-MiniLM-L6-v2, a BERT of six layers (Devlin et al. 2019; Wang et al. 2020, MiniLM) fitted so that
sentences of similar meaning lie close (Reimers and Gurevych 2019, Sentence-BERT): tokens to vectors, six times
attention and a feed-forward layer, the mean over the tokens, unit length. Training needs a framework, inference only a
few matrix products. It knows English; of other languages it knows only loan words and names.

The weights do not ship with this package. They are searched in the folder that the settings name, in the user's
Hugging Face cache, and in any installed package that contains them (read as files, never imported), and are accepted
only when their SHA-256 is the published one, so that a ranking is the same on every machine.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.special import erf

from workbench.errors import ResourceMissing, has_extra, require_extra
from workbench.recording import FloatArray
from workbench.store.settings import WorkbenchSettings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Stamp: TypeAlias = tuple[int, int]
"""size of a file in bytes and the time of its last change, ns"""

DIMS = 384
"""length of a vector"""
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"
DIGESTS: Mapping[str, str] = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files in the model's own repository at its revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41, as shown
on its pages (the first is the object id of the 90,868,376 bytes of weights)"""

LONGEST_TOKENS = 256
"""tokens of a text that are read, the limit with which the model was fitted and published"""
DEPTHS = (2, 4, 6)
"""layers whose mean state is used: the last one, for which the model was fitted, represents topics; earlier ones still
represent the way of speaking"""
_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12
_BATCH_TOKENS = 512
"""tokens of one batch: its largest array, the feed-forward one, then has 3 MB and stays in the processor's cache; 4,096
take a quarter longer"""
_LONGEST_CHARACTERS = 4_000
"""of a text that the tokenizer sees; 256 tokens are about 1,200"""
_SHORTEST_CHUNK, _LONGEST_CHUNK = 8, 60
"""words of a chunk of a script: about a spoken sentence. Sentences embedded one by one and averaged give better results
than the whole"""
_WORDLESS = 40
"""characters without a blank from which a text counts as one of a language that writes no blanks"""


class SentenceEmbedding:
    """all-MiniLM-L6-v2. Load one with `find_embedding`; it takes 90 MB of memory, and threads may share it."""

    def __init__(self, weights: Mapping[str, FloatArray], tokenizer: Tokenizer, source: str) -> None:
        self.source = source
        """where the weights were found, in words"""
        self._tokenizer = tokenizer
        self._tokens = weights["embeddings.word_embeddings.weight"]
        positions = weights["embeddings.position_embeddings.weight"][:LONGEST_TOKENS]
        self._positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
        self._first_norm = _norm_of(weights, "embeddings.LayerNorm")
        self._layers = [_layer(weights, f"encoder.layer.{number}.") for number in range(_LAYERS)]

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Embed the first 256 tokens of each text, shape (n, 384), rows of length 1; zeros for an empty text."""
        return _unit(self.states(texts)[:, -1])

    def states(self, texts: Sequence[str]) -> FloatArray:
        """Mean states of texts after the layers of `DEPTHS`, shape (n, len(DEPTHS), 384); zeros for an empty text.

        They hold more than the vector alone.
        """
        ids = [self._tokenizer.encode(text[:_LONGEST_CHARACTERS]).ids for text in texts]
        states = np.zeros((len(ids), len(DEPTHS), DIMS), np.float32)
        by_length = sorted((row for row, text in enumerate(texts) if text.strip()), key=lambda row: len(ids[row]))
        for rows in _batches(by_length, ids):
            states[rows] = self._forward([ids[row] for row in rows])
        return states

    def is_whole(self, word: str) -> bool:
        """Whether a word is one token: common enough to be distinguished from a random row of letters."""
        return self._tokenizer.token_to_id(word) is not None

    def _forward(self, ids: list[list[int]]) -> FloatArray:
        """One batch, padded to its longest: shape (len(ids), len(DEPTHS), 384)."""
        longest = max(map(len, ids))
        padded = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.float32)
        for row, tokens in enumerate(ids):
            padded[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1.0
        share = mask / mask.sum(axis=1, keepdims=True)
        hidden = _normalised(self._tokens[padded] + self._positions[:longest], self._first_norm)
        padding = (mask - 1.0)[:, None, None, :] * np.float32(1e9)
        means = []
        for number, layer in enumerate(self._layers, start=1):
            hidden = _apply(layer, hidden, padding)
            if number in DEPTHS:
                means.append(np.einsum("btd,bt->bd", hidden, share))
        return np.stack(means, axis=1)


def find_embedding(settings: WorkbenchSettings) -> SentenceEmbedding | None:
    """Load the embedding from the first place that has its weights; None where none has, or without the extra `words`.

    Where `settings.words_folder` is set, no other place is searched: `ResourceMissing` if it does not hold the
    published files, `ExtraMissing` without the extra.
    """
    if settings.words_folder is not None:
        return embedding_in(settings.words_folder, "the folder of the settings")
    if not has_extra("words"):
        return None
    for folder, source in _places():
        if all((folder / name).is_file() and _digest(folder / name) == DIGESTS[name] for name in DIGESTS):
            return embedding_in(folder, source)
    return None


def embedding_in(folder: Path, source: str) -> SentenceEmbedding:
    """Load the embedding from a folder, the same object while the weights stay the same; `source` names it in messages.

    Raises `ResourceMissing` for a file that is missing or not the published one, and `ExtraMissing` without `words`.
    """
    require_extra("words", "the sentence embedding")
    for name, digest in DIGESTS.items():
        path = folder / name
        if not path.is_file():
            raise ResourceMissing(f"{path}: no such file; the words folder holds {' and '.join(DIGESTS)} of {MODEL}")
        if _digest(path) != digest:
            raise ResourceMissing(f"{path}: not the published file of {MODEL}, whose SHA-256 is {digest}")
    return _read(folder, source, _stamp(folder / WEIGHTS_FILE))


@lru_cache(maxsize=2)
def _read(folder: Path, source: str, stamp: Stamp) -> SentenceEmbedding:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST_TOKENS)
    return SentenceEmbedding(load_file(folder / WEIGHTS_FILE), tokenizer, source)


def chunks(text: str) -> list[str]:
    """Split a text into pieces: sentences, short ones joined to eight words or more, long ones cut at sixty words.

    Without blanks, eight characters count as a word.
    """
    pieces: list[str] = []
    held: list[str] = []
    for sentence in re.split(r"(?<=[.!?…])\s+|\n+|(?<=[。！？])", text):
        words = sentence.split()
        if len(sentence) > _WORDLESS and " " not in sentence:  # as some scripts are written
            words = [sentence[at : at + 8] for at in range(0, len(sentence), 8)]
        for first in range(0, len(words), _LONGEST_CHUNK):
            held += words[first : first + _LONGEST_CHUNK]
            if len(held) >= _SHORTEST_CHUNK:
                pieces.append(" ".join(held))
                held = []
    if held:
        pieces.append(" ".join(held))
    return pieces


def _places() -> Iterator[tuple[Path, str]]:
    """Folders that may hold the files, each with the kind of place in words."""
    environment = os.environ
    home = Path(environment.get("HF_HOME") or Path(environment.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    hub = Path(environment.get("HF_HUB_CACHE") or home / "hub").expanduser()
    snapshots = hub / f"models--{MODEL.replace('/', '--')}" / "snapshots"
    for folder in sorted(snapshots.glob("*")):
        yield folder, "the Hugging Face cache"
    yield from _packages()


@cache
def _packages() -> tuple[tuple[Path, str], ...]:
    """Folders of installed packages that contain the weights."""
    found: list[tuple[Path, str]] = []
    for distribution in importlib.metadata.distributions():
        # The record is searched as text: parsing it for every installed package would take a second.
        if WEIGHTS_FILE not in (distribution.read_text("RECORD") or ""):
            continue
        files = [file for file in distribution.files or () if file.name == WEIGHTS_FILE]
        found += [
            (Path(str(distribution.locate_file(file))).parent, f"the package {distribution.name}") for file in files
        ]
    return tuple(found)


def _stamp(path: Path) -> Stamp:
    """Size and time of the last change, which differ when a file changes."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _digest(path: Path) -> str:
    return _digest_of(path, _stamp(path))


@lru_cache(maxsize=32)
def _digest_of(path: Path, stamp: Stamp) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _batches(rows: list[int], ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rows sorted by length in batches of at most `_BATCH_TOKENS` tokens, padding counted."""
    batch: list[int] = []
    for row in rows:
        if batch and (len(batch) + 1) * len(ids[row]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _layer(weights: Mapping[str, FloatArray], prefix: str) -> dict[str, Any]:
    """A layer's matrices, transposed for `_apply`; queries, keys and values in one."""
    names = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]

    def dense(name: str) -> tuple[FloatArray, FloatArray]:
        return np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]

    return {
        "qkv": (
            np.ascontiguousarray(np.concatenate([weights[f"{name}.weight"] for name in names]).T),
            np.concatenate([weights[f"{name}.bias"] for name in names]),
        ),
        "out": dense(f"{prefix}attention.output.dense"),
        "out_norm": _norm_of(weights, f"{prefix}attention.output.LayerNorm"),
        "up": dense(f"{prefix}intermediate.dense"),
        "down": dense(f"{prefix}output.dense"),
        "down_norm": _norm_of(weights, f"{prefix}output.LayerNorm"),
    }


def _apply(layer: Mapping[str, Any], hidden: FloatArray, padding: FloatArray) -> FloatArray:
    """One encoder layer, Devlin et al. 2019: attention, then feed-forward, each added and normalised."""
    batch, length, _ = hidden.shape
    weight, bias = layer["qkv"]
    qkv = (hidden @ weight + bias).reshape(batch, length, 3, _HEADS, DIMS // _HEADS).transpose(2, 0, 3, 1, 4)
    query, key, value = qkv
    scores = query @ key.swapaxes(2, 3) * np.float32((DIMS // _HEADS) ** -0.5) + padding
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    context = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, DIMS)
    weight, bias = layer["out"]
    hidden = _normalised(hidden + context @ weight + bias, layer["out_norm"])
    weight, bias = layer["up"]
    inner = hidden @ weight + bias
    inner *= np.float32(0.5) * (1 + erf(inner * np.float32(2**-0.5)))  # GELU, exact
    weight, bias = layer["down"]
    return _normalised(hidden + inner @ weight + bias, layer["down_norm"])


def _unit(rows: FloatArray) -> FloatArray:
    """Rows of length 1; rows of zeros stay."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, np.float32(1.0)))


def _norm_of(weights: Mapping[str, FloatArray], name: str) -> tuple[FloatArray, FloatArray]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def _normalised(x: FloatArray, norm: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Layer normalisation over the last axis."""
    x = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(x).mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(variance + np.float32(_EPSILON)) * norm[0] + norm[1])
