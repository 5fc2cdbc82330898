"""Which tracks are compared, without a browser: the page's own first, and no more than three."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.tabs.compared import compare_track, compared_tracks, name_of, title_of
from workbench.errors import WorkbenchError
from workbench.files import bundled_path
from workbench.store.home import Home

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")


def test_the_own_track_is_first_and_no_more_than_three_are_compared(tmp_path: Path) -> None:
    session = Session(Workspace(Home(tmp_path)), pool=WaitingPool())
    assert compared_tracks(session) == ()
    session.track = find_track(session.workspace, str(TRACK))
    own = name_of(session.track)
    assert own == str(TRACK.absolute())
    assert title_of(session, own) == session.track.title
    assert title_of(session, "/gone/song.ogg") == "song"
    compare_track(session, "one")
    compare_track(session, "one")
    assert compared_tracks(session) == session.stack == (own, "one")
    compare_track(session, "two")
    with pytest.raises(WorkbenchError, match="3 tracks are compared already"):
        compare_track(session, "three")
    assert compared_tracks(session) == (own, "one", "two")
