"""Find the track that a name stands for: a file, or the id of a catalog track.

Functions: `find_track` for a file or an id, `find_in_catalog` for an id alone.
"""

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
    """A track that was found by name: a file, or a track of the catalog."""

    track_id: str  # the catalog's id, or the file's name
    path: Path
    record: Track | None  # its record; None for a file that was named itself

    @property
    def title(self) -> str:
        """What to call it: as its record says, else the name of the file."""
        return self.track_id if self.record is None else self.record.called


def find_track(workspace: Workspace, named: str) -> TrackSource:
    """Find the track that a name stands for, a path or an id of the catalog; a file comes before an id.

    Raises `UnknownTrack` if it is neither.
    """
    path = Path(named)
    if path.is_file():
        return TrackSource(path.name, path, None)
    try:
        return find_in_catalog(workspace, named)
    except UnknownTrack:
        raise UnknownTrack(f"{named}: no such file, and no track of that id in the catalog") from None


def find_in_catalog(workspace: Workspace, track_id: str) -> TrackSource:
    """Find a track of the catalog by its id, whatever files there are; raises `UnknownTrack`."""
    from workbench.workflows.library import open_library

    track = open_library(workspace).get(track_id)
    return TrackSource(track.track_id, workspace.files.find(track.path) or track.path, track)
