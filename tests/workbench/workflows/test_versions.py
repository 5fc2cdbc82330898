"""Frozen versions: what is heard the same is one version, and it comes back as it was frozen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError, Sentence
from workbench.mix.balance import Mix
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.review.versions import find_version, freeze_plan, loop_subject, subject_of, thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"))


@pytest.fixture
def loop(reviewed_loop: Planned) -> Planned:
    return replace(reviewed_loop, answer=reviewed_loop.plan.alone)


def test_a_frozen_plan_comes_back_with_its_fades(workspace: Workspace, loop: Planned) -> None:
    assert find_version(workspace, loop) is None
    version = freeze_plan(workspace, loop)
    read = thaw(workspace, version.version_id)
    assert (read.plan, read.number, read.mix, read.video) == (loop.plan, 1, None, None)
    assert read.track.name == "corner_store.ogg"
    assert read.track.is_absolute()
    with pytest.raises(InputError, match="no version"):
        thaw(workspace, "pv_nothing")


def test_another_fade_or_mix_is_another_version_and_the_same_is_none(workspace: Workspace, loop: Planned) -> None:
    first = freeze_plan(workspace, loop)
    faded = replace(loop, answer=replace(loop.plan, seam_fades=(0.3, *loop.plan.seam_fades[1:])))
    mixed = replace(loop, mix=Mix(voiceover=False, classification="silent"))
    second, third = freeze_plan(workspace, faded), freeze_plan(workspace, mixed)
    assert len({first.version_id, second.version_id, third.version_id}) == 3
    assert len({first.subject, second.subject, third.subject}) == 1
    assert freeze_plan(workspace, loop) == first
    assert find_version(workspace, faded) == second
    assert [thaw(workspace, one.version_id).number for one in (first, second, third)] == [1, 2, 3]
    assert thaw(workspace, third.version_id).mix is not None


def test_options_that_are_not_in_use_make_no_version(workspace: Workspace, loop: Planned) -> None:
    with_options = replace(loop, answer=replace(loop.plan, options=(loop.plan,)))
    version = freeze_plan(workspace, with_options)
    assert freeze_plan(workspace, loop) == version
    assert thaw(workspace, version.version_id).plan.options == ()


def test_a_refusal_cannot_be_frozen(workspace: Workspace, loop: Planned) -> None:
    refused = replace(loop, answer=Refusal(RefusalReason.LOW_CONFIDENCE, Sentence("no beat")))
    with pytest.raises(ParameterError, match="refused"):
        freeze_plan(workspace, refused)


def test_the_subject_is_the_track_under_the_video(workspace: Workspace, loop: Planned, tmp_path: Path) -> None:
    assert loop.analysis is not None
    video = tmp_path / "video.mp4"
    video.write_bytes(b"pictures")
    under = loop_subject(workspace, replace(loop, video=video))
    assert under == subject_of(loop.analysis.content_hash, workspace.hash_file(video), 1.0)
    assert under != loop_subject(workspace, loop) == subject_of(loop.analysis.content_hash, None, 240.0)
