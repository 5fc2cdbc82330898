"""How files are written and how media are named."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, PlanError
from workbench.export.files import absolute_url, media_path, media_url, plain_name
from workbench.plans.plan import LoopPlan
from workbench.workflows.export import export_plan


def test_media_beside_and_below_are_relative_and_others_absolute(tmp_path: Path) -> None:
    out = tmp_path / "edits" / "plan.otio"
    assert media_path(tmp_path / "edits" / "a b" / "größe.wav", out) == "a b/größe.wav"
    assert media_path(tmp_path / "track.wav", out) == (tmp_path / "track.wav").as_posix()
    assert media_url(tmp_path / "edits" / "ä&b: 100%#1?.wav", out) == "%C3%A4%26b%3A%20100%25%231%3F.wav"
    assert media_url(tmp_path / "track.wav", out).startswith("file:///")
    assert absolute_url(tmp_path / "edits" / "a b.wav").endswith("/edits/a%20b.wav")


def test_a_name_that_is_no_text_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UTF-8; rename the file"):
        media_path(Path(os.fsdecode(b"/music/\xff.wav")), tmp_path / "plan.rpp")


def test_text_is_kept_on_one_line() -> None:
    assert plain_name("a\tb\nc\x07\ud800d") == "a b c d"


def test_a_plan_of_a_longer_video_is_refused(
    workspace: Workspace, make_plan: Callable[..., LoopPlan], track: Path, video: Path, tmp_path: Path
) -> None:
    longer = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    with pytest.raises(PlanError, match=r"the plan covers 20\.000 s, but .* lasts 17\.017 s"):
        export_plan(workspace, longer, "otio", tmp_path / "out.otio", track=track, video=video)
    assert list(tmp_path.iterdir()) == []
