"""Find tracks of the catalog by words: of their title, artist, tags, moods, genres and instruments.

The words of all tracks are read once and cached until the catalog changes, so that a search while a user types takes
milliseconds.

Functions: `search_catalog`, `words_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from workbench.analysis.workspace import Workspace

if TYPE_CHECKING:
    from workbench.catalog.track import Track

MOST_FOUND = 20  # tracks that a search returns, if not asked for more


@dataclass(frozen=True, slots=True)
class FoundTrack:
    """A track as a list of choices shows it."""

    track_id: str
    title: str  # the name of its file where it has none
    artist_name: str  # empty where unknown
    duration_seconds: float | None
    bpm: float | None
    tags: tuple[str, ...]


def words_of(track: Track) -> str:
    """The text in which a track of the catalog is searched: case-folded, with blanks between."""
    named = track.called
    words = (*track.moods, *track.genres, *track.tags, *track.instruments, named, track.artist_name or "")
    return " ".join(words).casefold()


_Index = list[tuple[str, FoundTrack]]
# by home folder: the catalog's revision, and the words of its tracks, by title
_indexes: dict[str, tuple[tuple[str, int], _Index]] = {}
_making = Lock()


def search_catalog(workspace: Workspace, words: str, at_most: int = MOST_FOUND) -> list[FoundTrack]:
    """The tracks that match all of some words, or beginnings or parts of words, or whose id they are.

    No words find every track. Sorted by title, with those first whose title or id begins with the search text.
    """
    if workspace.existing_database is None:
        return []
    wanted = words.casefold().split()
    found = [entry for entry in _index(workspace) if all(word in entry[0] for word in wanted)]
    if wanted:
        begins = " ".join(wanted)
        found.sort(key=lambda entry: not entry[1].title.casefold().startswith(begins))
    return [track for _, track in found[:at_most]]


def _index(workspace: Workspace) -> _Index:
    from workbench.workflows.catalog import open_library

    library = open_library(workspace)
    key = str(workspace.home.root)
    with _making:
        revision = library.revision()
        known = _indexes.get(key)
        if known is None or known[0] != revision:
            entries = [(f"{track.track_id.casefold()} {words_of(track)}", _found(track)) for track in library.list()]
            entries.sort(key=lambda entry: (entry[1].title.casefold(), entry[1].track_id))
            _indexes.clear()  # a process works on one catalog
            known = _indexes[key] = revision, entries
        return known[1]


def _found(track: Track) -> FoundTrack:
    tags = dict.fromkeys((*track.genres, *track.moods, *track.tags))
    return FoundTrack(
        track.track_id, track.called, track.artist_name or "", track.duration_seconds, track.bpm,
        tuple(tags),
    )  # fmt: skip
