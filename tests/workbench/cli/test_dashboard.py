"""`workbench dashboard`: what cannot be opened is refused at once; the page itself is driven in tests/browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli


@pytest.mark.parametrize("port", ["-1", "70000", "http"])
def test_a_port_that_is_none_is_a_usage_error(port: str, workbench: Cli) -> None:
    err = workbench.refused(2, "dashboard", "--port", port)
    assert "--port" in err


@pytest.mark.parametrize("given", [("song.wav",), ("--video", "video.mp4")])
def test_a_project_needs_a_track_and_a_video(given: tuple[str, ...], workbench: Cli) -> None:
    err = workbench.refused(2, "dashboard", "--no-show", *given)
    assert "a project needs both TRACK and --video" in err


def test_a_track_that_is_not_there_is_said_before_a_server_runs(tmp_path: Path, workbench: Cli) -> None:
    missing, video = tmp_path / "none.wav", tmp_path / "video.mp4"
    video.touch()
    err = workbench.refused(1, "dashboard", "--no-show", "--port", "0", str(missing), "--video", str(video))
    assert str(missing) in err
    assert len(err.splitlines()) == 1
