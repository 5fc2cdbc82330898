"""Which tracks are compared under the video: the page's own, and those that were added in Match or in Tracks."""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.sources import TrackSource, find_track
from workbench.dashboards.actions import Session
from workbench.errors import WorkbenchError

MOST_TRACKS = 3


def compared_tracks(session: Session) -> tuple[str, ...]:
    """The tracks that are compared, by id or path; the page's own is always among them."""
    own = () if session.track is None else (name_of(session.track),)
    return session.stack if set(own) <= set(session.stack) else (*own, *session.stack)[:MOST_TRACKS]


def compare_track(session: Session, track_id: str) -> None:
    """Compare one more track, a step of the history; nothing happens where it is compared already."""
    compared = compared_tracks(session)
    if track_id in compared:
        return
    if len(compared) >= MOST_TRACKS:
        raise WorkbenchError(f"{MOST_TRACKS} tracks are compared already: take one away in Tracks first")
    with session.change(f"{title_of(session, track_id)} is compared"):
        session.stack = (*compared, track_id)


def name_of(track: TrackSource) -> str:
    """The name by which a track is found again: its catalog id, else its path."""
    return track.track_id if track.record is not None else str(track.path.absolute())


def title_of(session: Session, named: str) -> str:
    """What a track is called; of one that is gone, the name of its file."""
    try:
        return find_track(session.workspace, named).title
    except WorkbenchError:
        return Path(named).stem
