"""The sounds of blind tests: alike but for the splice, equally loud, the anchor a beat late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.loudness import integrated_lufs
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.review.stimuli import anchor_of, match_loudness, plan_excerpt, reference_of

SEAM_S = 20.25


@pytest.fixture(scope="module")
def piece(band: Callable[..., Any]) -> Any:
    """Five parts of four bars at 120 BPM: a bar is 2 s."""
    return band("AABAO")


@pytest.fixture(scope="module")
def plan(piece: Any, make_plan: Callable[..., LoopPlan]) -> LoopPlan:
    """Leaves after ten bars, enters at the second bar."""
    rows = [(0.0, SEAM_S, 0.0, 0.0), (2.25, 30.0, 0.0, 0.0)]
    return make_plan(rows, [0.02], [0.5], song_duration=piece.recording.duration)


def is_track(recording: Recording, sound: Any, at_s: float) -> bool:
    """Whether sound is that of the track from a time on, to the sample next to it."""
    at = round(at_s * recording.sample_rate)
    near = [recording.samples[:, first : first + sound.shape[1]] for first in (at - 1, at, at + 1)]
    return any(np.abs(one - sound).max() < 1e-6 for one in near)


def test_the_sounds_of_a_seam_are_alike_before_it_and_differ_after_it(piece: Any, plan: LoopPlan) -> None:
    recording = piece.recording
    seam = plan_excerpt(plan, recording, plan.seam_times[0], 4.0)
    reference = reference_of(plan, recording, 0, 4.0)
    anchor = anchor_of(plan, recording, piece.grid, 0, 4.0)
    rate = recording.sample_rate
    assert seam.samples.shape == reference.samples.shape == anchor.samples.shape == (1, 4 * rate)
    before, after = slice(0, round(1.98 * rate)), slice(2 * rate + 441, 2 * rate + 42_000)
    np.testing.assert_allclose(seam.samples[:, before], reference.samples[:, before], atol=1e-6)
    np.testing.assert_allclose(anchor.samples[:, before], reference.samples[:, before], atol=1e-6)
    assert is_track(recording, reference.samples[:, after], SEAM_S + 0.02)
    assert is_track(recording, anchor.samples[:, after], 2.25 + 0.5 + 0.02)  # a beat of half a second late
    assert np.abs(seam.samples[:, after] - anchor.samples[:, after]).max() > 0.05


def test_sounds_rise_and_fall_at_their_ends(piece: Any, plan: LoopPlan) -> None:
    sound = plan_excerpt(plan, piece.recording, 10.0, 3.0).samples
    assert np.abs(sound[:, :5]).max() < 1e-3
    assert np.abs(sound[:, -5:]).max() < 1e-3
    assert plan_excerpt(plan, piece.recording, 0.5, 3.0).duration == pytest.approx(2.0)
    with pytest.raises(ParameterError, match="not at 99"):
        plan_excerpt(plan, piece.recording, 99.0)


def test_all_are_as_loud_as_the_quietest(piece: Any, plan: LoopPlan) -> None:
    loud = plan_excerpt(plan, piece.recording, 10.0, 4.0)
    quiet = replace(loud, samples=loud.samples * np.float32(0.25))
    matched, gains = match_loudness({"loud": loud, "quiet": quiet})
    assert gains == pytest.approx({"loud": -12.04, "quiet": 0.0}, abs=0.01)
    levels = [integrated_lufs(sound.samples, sound.sample_rate) for sound in matched.values()]
    assert levels[0] == pytest.approx(levels[1], abs=0.05)
    silence = Recording.from_samples(np.zeros((1, 48_000), dtype=np.float32), 24_000)
    assert match_loudness({"loud": loud, "silence": silence})[1] == {"loud": 0.0, "silence": 0.0}


def test_a_step_of_level_at_the_splice_is_left_to_be_heard(piece: Any, plan: LoopPlan) -> None:
    reference = reference_of(plan, piece.recording, 0, 4.0)
    stepped = reference.samples.copy()
    stepped[:, stepped.shape[1] // 2 :] *= np.float32(0.3)
    sounds = {"reference": reference, "stepped": replace(reference, samples=stepped)}
    assert match_loudness(sounds, until_s=2.0)[1] == pytest.approx({"reference": 0.0, "stepped": 0.0}, abs=1e-6)
