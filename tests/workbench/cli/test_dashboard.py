"""`workbench dashboard`: what cannot be opened is refused at once; the page itself is driven in tests/browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize("port", ["-1", "70000", "http"])
def test_a_port_that_is_none_is_a_usage_error(port: str, workbench: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = workbench("dashboard", "--port", port)
    assert (code, out) == (2, "")
    assert "--port" in err


@pytest.mark.parametrize("given", [("song.wav",), ("--video", "video.mp4")])
def test_a_project_needs_a_track_and_a_video(
    given: tuple[str, ...], workbench: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, err = workbench("dashboard", "--no-show", *given)
    assert (code, out) == (2, "")
    assert "a project needs both TRACK and --video" in err


def test_a_track_that_is_not_there_is_said_before_a_server_runs(
    tmp_path: Path, workbench: Callable[..., tuple[int, str, str]]
) -> None:
    missing, video = tmp_path / "none.wav", tmp_path / "video.mp4"
    video.touch()
    code, out, err = workbench("dashboard", "--no-show", "--port", "0", str(missing), "--video", str(video))
    assert (code, out) == (1, "")
    assert str(missing) in err
    assert len(err.splitlines()) == 1
