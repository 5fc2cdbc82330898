"""The measure of splices by which seam_score is fitted: it knows a repeat from a splice at random, without any grid."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from data.recipes.material.naturalness import Listener

RATE = 22_050
BAR = 2.0


def phrase(seed: int) -> NDArray[np.float32]:
    """Eight seconds of notes, one every quarter of a second, with attacks."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(0.25 * RATE)) / RATE
    notes = [
        np.exp(-8.0 * time) * sum(np.sin(2 * np.pi * hz * k * time) / k for k in range(1, 5))
        for hz in rng.choice([220.0, 262.0, 294.0, 330.0, 392.0, 523.0], 32)
    ]
    return (0.3 * np.concatenate(notes)).astype(np.float32)


@pytest.fixture(scope="module")
def listener() -> Listener:
    """A, B, A, C: 32 s in which A comes twice."""
    music = np.concatenate([phrase(seed) for seed in (1, 2, 1, 3)])
    return Listener(music[None, :], RATE)


def test_a_splice_into_a_repeat_has_no_break(listener: Listener) -> None:
    found = listener.judge(20.0, 4.0)
    assert found.timbre > 0.95
    assert found.harmony > 0.95
    assert found.phase == 1.0
    assert found.level > 0.95
    assert found.total > 0.85


def test_a_splice_into_other_music_has(listener: Listener) -> None:
    found = listener.judge(20.0, 12.0)
    assert found.repetition < 0.2
    assert found.total < listener.judge(20.0, 4.0).total - 0.3


def test_a_repeat_entered_late_is_out_of_phase(listener: Listener) -> None:
    assert listener.judge(20.0, 4.04).phase < 0.5


def test_what_led_there_may_speak_for_a_splice(listener: Listener) -> None:
    """After the second A one hears B again, where C would come: what leads to B was heard."""
    assert listener.judge(24.0, 8.0).total > listener.judge(24.0, 10.0).total + 0.2
