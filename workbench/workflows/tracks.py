"""The track that a person named: a file, or the id of a catalog track."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UnknownTrack
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.catalog.track import Track


@dataclass(frozen=True, slots=True)
class TrackSource:
    """A track as somebody named it: a file, or an id of the catalog."""

    track_id: str
    """the catalog's id, or the file's name"""
    path: Path
    record: Track | None
    """its record, where the catalog has one"""


def find_track(workspace: Workspace, named: str) -> TrackSource:
    """The file or the catalog track that a name means; a file comes first.

    Raises
    ------
    UnknownTrack : neither a file nor an id of the catalog
    """
    path = Path(named)
    if path.is_file():
        return TrackSource(path.name, path, None)
    from workbench.workflows.library import open_library

    try:
        track = open_library(workspace).get(named)
    except UnknownTrack:
        raise UnknownTrack(f"{named}: no such file, and no track of that id in the catalog") from None
    return TrackSource(track.track_id, track.path, track)
