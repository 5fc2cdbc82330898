"""The catalog as ranking reads it: columns, texts and indexes of one revision, on disk and memory-mapped.

The records in the database are authoritative; a snapshot can be rebuilt from them at any time. It is laid out so that
a million tracks are opened in milliseconds and a query touches only the columns it needs. In the home folder:

    index/current.json      names the current generation and states its revision, files and checksums
    index/draft.json        the same of the one being written
    index/<generation>/     columns (.npy), texts, and for each index the rows of its entries
    index/<name>-<token>    an index: of the texts, and for a large catalog of their vectors; later generations may
                            refer to it

A new generation is written beside the old one, with its indexes; then `current.json` is replaced, and the generation
never changes again. So a reader sees one or the other, whole; files that a process has mapped stay readable to it when
they are deleted. Updating a snapshot reads only the tracks that changed since its revision and copies the rest, in
steps: each leaves a draft, without indexes, from which the next goes on, also after an interruption. A word vector is
reused while the text that it embeds is the same.

All files of a generation are checked when it is opened (`workbench.caches`); a damaged one is no base for the
next, which is then made from the records alone.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from workbench.caches import checksum, say_damaged
from workbench.catalog.library import ChangedTrack, Changes, Library
from workbench.catalog.track import Track, allows_use, pitch_class
from workbench.errors import StoreError
from workbench.files import write_text
from workbench.matching.columns import DTYPES, NUMBERS, UNKNOWN, Columns, empty_columns
from workbench.matching.index import ExactIndex, FaissIndex, IndexSizes, VectorIndex, build_faiss, has_faiss
from workbench.matching.texts import TextIndex, mood_of, track_text
from workbench.recording import FloatArray, IntArray

Progress: TypeAlias = Callable[[str, float], None]


class Embedding(Protocol):
    """Turns texts into vectors; `workbench.matching.language.embedding.SentenceEmbedding` is one."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Unit rows of texts of any length, shape (n, WORD_DIMS)."""
        ...


FindEmbedding: TypeAlias = Callable[[], Embedding | None]


MODEL = "all-MiniLM-L6-v2"
_FORMAT = 11
"""Raise it when the files, the columns or the texts of `matching.texts` change: older snapshots are rebuilt."""
_COLUMNS = ("track_ids", *DTYPES)
_CURRENT, _DRAFT = "current.json", "draft.json"
_ABANDONED_SECONDS = 60.0
_TRIES = 5
_BLOCK_ROWS = 65_536
_MIN_MODE_STRENGTH = 0.3
"""probability of a key from which on its mode counts: less than what names a key, as an unsure mode is near 0 anyway"""
_EMBED_ROWS = 256


class Snapshot:
    """One revision of the catalog. Open one with `open_snapshot`; threads may share it."""

    def __init__(self, generation: _Generation, library: Library, sizes: IndexSizes) -> None:
        self.folder = folder = generation.folder
        """of this generation"""
        self._generation = generation
        self._meta = generation.meta
        self._library = library
        self._sizes = sizes
        self.columns = Columns(**{name: _mapped(folder, name) for name in _COLUMNS})

    @property
    def revision(self) -> int:
        """How often the catalog had changed when this snapshot was written."""
        return int(self._meta["revision"])

    @property
    def has_words(self) -> bool:
        """Whether texts were embedded; otherwise the word vectors are zero."""
        return self._meta["embedding"] is not None

    @property
    def is_sound(self) -> bool:
        """Whether its files are as they were written; those that have not changed since are not read again."""
        return _damaged(self._generation) is None

    def __len__(self) -> int:
        return len(self.columns)

    def track(self, row: int) -> Track:
        """The record of one row, as it is now; raises `UnknownTrack` where it was removed since."""
        return self.tracks([row])[0]

    def tracks(self, rows: Sequence[int] | IntArray) -> list[Track]:
        """The records of some rows, as they are now; raises `UnknownTrack` where one was removed since."""
        return self._library.get_all([str(self.columns.track_ids[row]) for row in rows])

    @cached_property
    def words_index(self) -> VectorIndex:
        """Tracks by the embedding of their texts."""
        file = self._meta["files"].get("words")
        if file is None:
            return ExactIndex(self.columns.words)
        row_of = np.load(_rows_file(self.folder, file), mmap_mode="r")
        return FaissIndex(self.folder.parent / file, self.columns.words, row_of, self._sizes)

    @cached_property
    def texts(self) -> TextIndex:
        """Tracks by the words and facets of their texts; its rows are those of the columns."""
        return TextIndex.open(self.folder.parent / self._meta["files"]["texts"])

    def text(self, row: int) -> str:
        """The text of a track as it was indexed; see `texts.track_text`."""
        return _Texts(self.folder)[row]


def open_snapshot(
    library: Library,
    folder: Path,
    sizes: IndexSizes | None = None,
    progress: Progress | None = None,
    embedding: FindEmbedding | None = None,
) -> Snapshot:
    """Open a catalog as columns and indexes, updated to its latest revision and memory-mapped.

    They are in `folder`, which exists. `progress` is called with the name of a slow stage, in words, and the share
    done. `embedding` finds the embedding of texts, or None where none is installed, and is called only where that
    matters; without it texts are not embedded. Raises `StoreError` where folder or database cannot be used.
    """
    sizes, embedding = sizes or IndexSizes(), embedding or (lambda: None)
    for _ in range(_TRIES):
        try:
            current = _named_by(folder / _CURRENT)
            if current is None or _damaged(current) is not None or not _holds(current, library, embedding):
                with _one_writer(folder):
                    current = _brought_up_to_date(folder, library, sizes, progress or _silent, embedding())
            return Snapshot(current, library, sizes)
        except FileNotFoundError:  # another process has just replaced it and cleared it away
            continue
    raise StoreError(f"{folder}: the index of the catalog is replaced faster than it can be opened; try again")


@dataclass(frozen=True, slots=True)
class _Generation:
    folder: Path
    meta: Mapping[str, Any]


def _named_by(pointer: Path) -> _Generation | None:
    """The generation that a file names; None if the file is missing or damaged, or other code wrote it."""
    try:
        stored = json.loads(pointer.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(stored, dict) or stored.get("checksum") != _checksum_of(stored.get("meta")):
        return None
    meta = stored["meta"]
    return _Generation(pointer.parent / meta["generation"], meta) if meta.get("format") == _FORMAT else None


def _sound(pointer: Path) -> _Generation | None:
    """The undamaged generation that a pointer file names, else None; damage is logged."""
    named = _named_by(pointer)
    if named is None:
        if pointer.exists():
            say_damaged(pointer)
        return None
    damaged = _damaged(named)
    if damaged is None:
        return named
    say_damaged(damaged)
    return None


def _damaged(generation: _Generation) -> Path | None:
    """A file of a generation or its indexes that is missing or not as it was written; None: all are sound."""
    noted: Mapping[str, str] = generation.meta["checksums"]
    files = ((generation.folder.parent / name, written) for name, written in noted.items())
    return next((path for path, written in files if checksum(path) != written), None)


def _checksum_of(meta: object) -> int:
    return zlib.crc32(json.dumps(meta, sort_keys=True).encode())


def _holds(generation: _Generation, library: Library, embedding: FindEmbedding) -> bool:
    """Whether the generation is current: no change of the catalog since, and no embedding installed since."""
    made, revision = library.revision()
    if (generation.meta["catalog"], generation.meta["revision"]) != (made, revision):
        return False
    return generation.meta["embedding"] is not None or embedding() is None


def _brought_up_to_date(
    folder: Path, library: Library, sizes: IndexSizes, progress: Progress, embedding: Embedding | None
) -> _Generation:
    made, last = library.revision()
    labels = {"catalog": made, "embedding": None if embedding is None else MODEL}
    holds = _sound(folder / _CURRENT)
    if holds is not None and _labelled(holds, labels) and holds.meta["revision"] >= last and not _missing(holds, sizes):
        return holds
    draft = _draft(folder, holds, labels)
    before = draft or (holds if holds is not None and _labelled(holds, labels) else None)
    while draft is None or draft.meta["revision"] < last:
        since = 0 if before is None else int(before.meta["revision"])
        changes = library.changes(since, sizes.build_rows)
        draft = _next_generation(folder, before, changes, embedding, labels, progress)
        if before is not None and before is not holds:
            _discard(before.folder)
        before = draft
        progress("reading the catalog", min(1.0, changes.revision / max(1, last)))
    if _missing(draft, sizes):
        progress("indexing the catalog", 0.0)
        draft = _indexed(folder, draft, sizes)
        progress("indexing the catalog", 1.0)
    _put_forward(folder, draft)
    if holds is not None:
        _discard(holds.folder)
    _clear(folder, draft)
    return draft


def _labelled(generation: _Generation, labels: Mapping[str, Any]) -> bool:
    """Whether it is of this catalog, with texts embedded by this model."""
    return all(generation.meta[name] == label for name, label in labels.items())


def _draft(folder: Path, holds: _Generation | None, labels: Mapping[str, Any]) -> _Generation | None:
    """The draft that an interrupted writer left, if it is newer than the current generation."""
    draft = _sound(folder / _DRAFT)
    if draft is None or not _labelled(draft, labels):
        return None
    if holds is None or not _labelled(holds, labels):
        return draft
    put_forward = draft.folder == holds.folder  # interrupted between the pointers: nothing in it may change any more
    return None if put_forward or draft.meta["revision"] < holds.meta["revision"] else draft


def _next_generation(
    folder: Path,
    before: _Generation | None,
    changes: Changes,
    embedding: Embedding | None,
    labels: Mapping[str, Any],
    progress: Progress,
) -> _Generation:
    """Write a draft with some changes applied: unchanged rows, in their order, then those added or changed."""
    aside = folder / f"g{changes.revision}-{secrets.token_hex(4)}"
    aside.mkdir()
    new, texts = _columns_of(changes.changed)
    old = None if before is None else Columns(**{name: _mapped(before.folder, name) for name in _COLUMNS})
    stay = np.empty(0, dtype=np.int64)
    if before is not None and old is not None:
        touched = {change.track.track_id for change in changes.changed} | set(changes.removed)
        rows = _rows_of(old, touched)
        _keep_words(new, texts, old, _Texts(before.folder), rows)
        stay = np.setdiff1d(np.arange(len(old)), np.fromiter(rows.values(), dtype=np.int64, count=len(rows)))
    if embedding is not None:
        _embed(new, texts, embedding, progress)
    for name in _COLUMNS:
        _write_joined(aside / f"{name}.npy", None if old is None else getattr(old, name), stay, getattr(new, name))
    _write_texts(aside, None if before is None else _Texts(before.folder), stay, texts)
    files: dict[str, str] = {}
    if before is not None:
        place = np.full(len(old) if old is not None else 0, -1, dtype=np.int64)
        place[stay] = np.arange(stay.size)
        for name, file in before.meta["files"].items():
            row_of = np.load(_rows_file(before.folder, file))
            np.save(_rows_file(aside, file), np.where(row_of >= 0, place[row_of], -1))
            files[name] = file
    of_indexes: dict[str, str] = {}
    if before is not None:
        noted = before.meta["checksums"].items()
        of_indexes = {name: written for name, written in noted if name.partition("/")[0] in files.values()}
    meta = {
        **labels,
        "generation": aside.name,
        "format": _FORMAT,
        "revision": changes.revision,
        "rows": stay.size + len(new),
        "files": files,
        "checksums": of_indexes | _checksums_of(folder, aside),
    }
    # The pointer comes last: a writer that is killed before leaves an unread folder, which `_clear` deletes.
    _write_pointer(folder / _DRAFT, meta)
    return _Generation(aside, meta)


def _checksums_of(folder: Path, *paths: Path) -> dict[str, str]:
    """Checksums of files and of all files in folders, by their paths in the folder of the snapshots."""
    files = sorted(file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    return {file.relative_to(folder).as_posix(): found for file in files if (found := checksum(file)) is not None}


def _embed(new: Columns, texts: Sequence[str], embedding: Embedding, progress: Progress) -> None:
    """Fill in the missing word vectors; equal texts are embedded once."""
    missing = np.asarray(~new.words.any(axis=1))
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        if text and missing[row]:
            rows.setdefault(" ".join(text.split()), []).append(row)
    distinct = list(rows)
    for first in range(0, len(distinct), _EMBED_ROWS):
        some = distinct[first : first + _EMBED_ROWS]
        for text, vector in zip(some, embedding.embed(some).astype(np.float16), strict=True):
            new.words[rows[text]] = vector
        progress("embedding the texts of the tracks", min(1.0, (first + len(some)) / len(distinct)))


def _put_forward(folder: Path, draft: _Generation) -> None:
    """Make a draft with its indexes the current generation."""
    # In this order: killed in between, both pointers name one generation, which `_draft` knows; never none does.
    _write_pointer(folder / _CURRENT, draft.meta)
    (folder / _DRAFT).unlink(missing_ok=True)


def _write_pointer(path: Path, meta: Mapping[str, Any]) -> None:
    """Write a file that names a generation whole, or leave the old one; `StoreError` where it cannot be written."""
    write_text(path, json.dumps({"meta": meta, "checksum": _checksum_of(meta)}, indent=1), StoreError)


def _rows_file(generation: Path, index: str) -> Path:
    """The file that maps entries of an index to rows of a generation, -1 for none."""
    return generation / f"{index}_rows.npy"


def _missing(generation: _Generation, sizes: IndexSizes) -> list[str]:
    """Names of the indexes that are missing, or lack too many of the tracks."""
    rows = int(generation.meta["rows"])
    wanted = ["texts"]
    if generation.meta["embedding"] is not None and rows > sizes.max_exact_rows and has_faiss():
        wanted.append("words")
    missing = []
    for name in wanted:
        file = generation.meta["files"].get(name)
        if file is None:
            missing.append(name)
            continue
        row_of = np.load(_rows_file(generation.folder, file), mmap_mode="r")
        unknown = rows - int(np.count_nonzero(row_of >= 0))
        moved = name == "texts" and not np.array_equal(row_of, np.arange(rows))  # whose rows are those of the columns
        if moved or unknown > sizes.max_stale_share * rows:
            missing.append(name)
    return missing


def _indexed(folder: Path, draft: _Generation, sizes: IndexSizes) -> _Generation:
    """The same draft, with missing and stale indexes built."""
    rows = np.arange(int(draft.meta["rows"]))
    files = dict(draft.meta["files"])
    checksums = dict(draft.meta["checksums"])
    for name in _missing(draft, sizes):
        file = folder / f"{name}-{secrets.token_hex(4)}"
        if name == "texts":
            TextIndex.build(_Texts(draft.folder), file)
        else:
            build_faiss(_mapped(draft.folder, name), file, sizes)
        rows_file = _rows_file(draft.folder, file.name)
        np.save(rows_file, rows)
        replaced, files[name] = files.get(name), file.name
        checksums = {path: noted for path, noted in checksums.items() if path.partition("/")[0] != replaced}
        checksums |= _checksums_of(folder, file, rows_file)
    meta = {**draft.meta, "files": files, "checksums": checksums}
    return _Generation(draft.folder, meta)


def _columns_of(changed: Sequence[ChangedTrack]) -> tuple[Columns, list[str]]:
    """Columns and texts of tracks; word vectors are left zero."""
    columns = empty_columns(np.array([change.track.track_id for change in changed], dtype=np.str_))
    texts = []
    for row, change in enumerate(changed):
        _fill(columns, row, change)
        texts.append(track_text(change.track))
        mood = mood_of(texts[-1])
        if mood is not None:
            if change.track.energy is None or "energy" in change.track.measured:
                columns.words_energy[row] = mood.energy
            columns.words_valence[row] = mood.valence
    return columns, texts


def _fill(columns: Columns, row: int, change: ChangedTrack) -> None:
    """Write the facts of one track into its row; given values win."""
    track, measurement = change.track, change.measurement
    columns.song[row] = _number(f"song:{track.catalog_song_id}" if track.catalog_song_id else f"track:{track.track_id}")
    columns.audio[row] = _number(track.content_hash)
    facts = {} if measurement is None else measurement.facts
    for name in NUMBERS:
        value = facts.get(name)
        if value is not None:
            getattr(columns, name)[row] = value
    columns.beats_per_bar[row] = facts.get("beats_per_bar", UNKNOWN)
    columns.bpm[row] = facts.get("heard_bpm", facts.get("bpm", np.nan))
    if measurement is not None:
        columns.contour[row], columns.sound[row] = measurement.contour, measurement.sound
    for name, value in (("bpm", track.bpm), ("energy", track.energy), ("duration", track.duration_seconds)):
        if value is not None:
            getattr(columns, name)[row] = value
    if track.bpm is None or "bpm" in track.measured:
        columns.tempo_certainty[row] = facts.get("tempo_certainty", UNKNOWN)
    for name, flag in (("explicit", track.explicit), ("licence", allows_use(track.licence))):
        if flag is not None:
            getattr(columns, name)[row] = flag
    columns.mode[row] = _mode_of(track, facts)
    if track.instrumental is not None and "instrumental" not in track.measured:
        columns.vocals[row] = 0.0 if track.instrumental else 1.0


def _mode_of(track: Track, facts: Mapping[str, Any]) -> float:
    """-1 minor to +1 major: the given mode, or the measured one with its certainty; NaN where that is in doubt.

    A measured mode counts only where the key is not a mere guess, and where a given tonic agrees with the named one.
    """
    given = {"musical_key_name", "musical_key_mode"} - track.measured
    if track.musical_key_mode is not None and "musical_key_mode" in given:
        return 1.0 if track.musical_key_mode == "major" else -1.0
    detected = facts.get("musical_key_name")
    unsure = facts.get("key_strength", 1.0) < _MIN_MODE_STRENGTH
    denied = (
        detected is not None
        and track.musical_key_name is not None
        and "musical_key_name" in given
        and pitch_class(track.musical_key_name) != pitch_class(detected)
    )
    return float("nan") if unsure or denied else float(facts.get("mode", np.nan))


def _number(text: str) -> int:
    """63 bits of a digest: equal for equal texts; two different texts collide in one of 10^7 catalogs of a million."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def _rows_of(columns: Columns, track_ids: set[str]) -> dict[str, int]:
    """Row by id, of those ids that are in the columns."""
    if not track_ids:
        return {}
    found = np.flatnonzero(np.isin(columns.track_ids, np.array(sorted(track_ids), dtype=np.str_)))
    return {str(columns.track_ids[row]): int(row) for row in found}


def _keep_words(
    new: Columns, texts: Sequence[str], old: Columns, old_texts: Sequence[str], rows: Mapping[str, int]
) -> None:
    """Copy the word vectors of tracks whose text is the same."""
    for at, track_id in enumerate(new.track_ids):
        row = rows.get(str(track_id))
        if row is not None and old_texts[row] == texts[at]:
            new.words[at] = old.words[row]


def _write_joined(path: Path, old: NDArray[Any] | None, stay: IntArray, new: NDArray[Any]) -> None:
    """Write the rows of an array that stay and new ones as one .npy, block by block."""
    dtype = new.dtype if old is None else np.promote_types(old.dtype, new.dtype)
    joined = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(stay.size + len(new), *new.shape[1:]))
    if old is not None:
        for first in range(0, stay.size, _BLOCK_ROWS):
            some = stay[first : first + _BLOCK_ROWS]
            joined[first : first + some.size] = old[some]
    joined[stay.size :] = new
    joined.flush()


def _mapped(folder: Path, name: str) -> NDArray[Any]:
    """An array of a generation, memory-mapped read-only."""
    array: NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r")
    return array


class _Texts(Sequence[str]):
    """The texts of a generation: one file, and the byte at which each begins."""

    def __init__(self, folder: Path) -> None:
        self._starts = np.load(folder / "text_starts.npy", mmap_mode="r")
        size = int(self._starts[-1])
        self._bytes = np.memmap(folder / "texts.bin", mode="r") if size else np.empty(0, dtype=np.uint8)

    def __len__(self) -> int:
        return int(self._starts.size) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[at] for at in range(*row.indices(len(self)))]
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self.raw(row).decode("utf-8")

    def raw(self, row: int) -> bytes:
        return self._bytes[self._starts[row] : self._starts[row + 1]].tobytes()


def _write_texts(folder: Path, old: _Texts | None, stay: IntArray, new: Sequence[str]) -> None:
    starts = np.zeros(stay.size + len(new) + 1, dtype=np.int64)
    with (folder / "texts.bin").open("wb") as file:
        for row, text in enumerate(_chained(old, stay, new), start=1):
            file.write(text)
            starts[row] = starts[row - 1] + len(text)
    np.save(folder / "text_starts.npy", starts)


def _chained(old: _Texts | None, stay: IntArray, new: Sequence[str]) -> Iterator[bytes]:
    if old is not None:
        for row in stay:
            yield old.raw(int(row))
    for text in new:
        yield text.encode("utf-8", "replace")


def _clear(folder: Path, current: _Generation) -> None:
    """Delete files of generations that ended over a minute ago: no reader opens them any more."""
    needed = {current.folder.name, *current.meta["files"].values(), _CURRENT, "writer.lock"}
    for left in folder.iterdir():
        try:
            if left.name not in needed and time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                _discard(left)
        except FileNotFoundError:  # another process clears up too
            continue


def _discard(path: Path) -> None:
    """Delete a file or folder; a reader that has it mapped can go on, one about to open it opens the current one."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _one_writer(folder: Path) -> Iterator[None]:
    """Let one process of this machine write at a time; the lock ends with the process that holds it."""
    with (folder / "writer.lock").open("ab") as lock:
        try:
            import fcntl
        except ImportError:  # Windows: two writers do the work twice, and either is right
            yield
            return
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _silent(stage: str, done: float) -> None:
    """Say nothing."""
