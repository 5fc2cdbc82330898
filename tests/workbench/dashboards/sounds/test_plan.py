"""Files to listen to: a track as it is, a plan as it is heard; and what an option sounds like beside another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import (
    RenderedOption,
    matching_gains,
    measured_levels,
    music_file,
    plan_digest,
    track_file,
    video_times_of,
)
from workbench.features.levels import level_curve
from workbench.plans.plan import LoopPlan
from workbench.render.video import gains_of


def test_a_track_is_written_once_and_below_the_home(workspace: Workspace, track: Path) -> None:
    path = track_file(workspace, track)
    assert path.is_relative_to(workspace.home.renders)
    heard, rate = soundfile.read(path)
    meant, _ = soundfile.read(track)
    assert rate == 8000
    np.testing.assert_allclose(heard, meant, atol=1e-4)
    inode = path.stat().st_ino
    assert track_file(workspace, track) == path
    assert path.stat().st_ino == inode


def test_the_music_of_a_plan_is_as_long_as_the_plan(workspace: Workspace, track: Path, plan: LoopPlan) -> None:
    heard, rate = soundfile.read(music_file(workspace, plan, track))
    assert len(heard) == round(plan.window_end * rate)
    at = round(5.0 * rate)
    assert heard[at] == pytest.approx([5 / 12, -5 / 12], abs=1e-3)
    assert heard[at + 10 * rate] == pytest.approx([6 / 12, -6 / 12], abs=1e-3), "5 s into the second segment"


def test_places_of_the_track_are_heard_once_a_pass(plan: LoopPlan) -> None:
    assert video_times_of(plan, np.array([0.5, 5.0, 9.5, 11.0])).tolist() == [0.5, 5.0, 9.5, 14.0, 18.5, 23.0]


def test_equal_plans_have_equal_digests_and_options_do_not_count(plan: LoopPlan) -> None:
    other = replace(plan, seam_fades=(0.02, 0.05))
    assert plan_digest(plan) == plan_digest(replace(plan, options=(plan, other)))
    assert plan_digest(plan) != plan_digest(other)


def test_options_are_compared_at_equal_loudness(plan: LoopPlan, tmp_path: Path) -> None:
    time = np.arange(10 * 44_100) / 44_100
    loud, soft, silent = (
        RenderedOption(plan, tmp_path, None, level_curve(gain * np.sin(2 * np.pi * 1000 * time), 44_100))
        for gain in (0.5, 0.25, 0.0)
    )
    lower, none = matching_gains(loud, soft, 1.0, 9.0)
    assert lower == pytest.approx(-6.02, abs=0.05)
    assert none == 0.0
    assert matching_gains(soft, loud, 1.0, 9.0) == (none, lower)
    assert matching_gains(loud, silent, 1.0, 9.0) == (0.0, 0.0)
    assert gains_of(loud.mix) == (0.0, 0.0, (), ())


def test_levels_are_measured_once_and_kept_beside_the_sound(workspace: Workspace, track: Path) -> None:
    sound = track_file(workspace, track)
    told: list[str] = []
    listening = workspace.with_progress(lambda stage, done: told.append(stage))
    first = measured_levels(listening, sound)
    assert told
    told.clear()
    again = measured_levels(listening, sound)
    assert told == []
    assert np.array_equal(first.power, again.power)
    assert first.peak == again.peak
    with sound.open("ab") as file:  # another version wrote it otherwise
        file.write(bytes(4))
    measured_levels(listening, sound)
    assert told
    assert measured_levels(listening, track).peak > 0.0
    assert not list(track.parent.glob("*.levels.npy"))
