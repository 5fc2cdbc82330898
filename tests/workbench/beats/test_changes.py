"""Leaps of tempo are followed, a tempo that stays is not cut up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.evidence import describe_pulse
from workbench.beats.meter import share_near
from workbench.beats.tempo_changes import follow_changes, tempo_stretches
from workbench.params import BeatParams

PARAMS = BeatParams(activation="onsets")
SLOW, FAST = 60 / 84, 60 / 126


@pytest.fixture(scope="module")
def leaping(clicked: Callable[..., Any]) -> tuple[np.ndarray, Any]:
    """24 beats at 84 BPM, then 40 at 126, with a kick on each one."""
    slow = 0.5 + SLOW * np.arange(24)
    fast = 0.5 + SLOW * 24 + FAST * np.arange(40)
    times = np.concatenate([slow, fast])
    return times, clicked(times, np.arange(times.size) % 4 == 0).evidence


def test_a_leap_is_found_where_it_is(leaping: tuple[np.ndarray, Any]) -> None:
    times, evidence = leaping
    starts = 0.5 + SLOW * 24
    pulses = [
        describe_pulse(np.arange(0.5, times[-1] + 0.1, SLOW), evidence),
        describe_pulse(np.arange(starts % FAST, times[-1] + 0.1, FAST), evidence),
    ]
    stretches = tempo_stretches(pulses, evidence, PARAMS)
    assert [index for _, _, index in stretches] == [0, 1]
    assert stretches[0][1] == stretches[1][0] == pytest.approx(starts, abs=3.0)
    changed = follow_changes(pulses, 0, evidence, PARAMS)
    assert changed is not None
    assert np.all(np.diff(changed.times) > 0)
    assert min(share_near(times, changed.times), share_near(changed.times, times)) > 0.9
    assert 0.0 < changed.confidence <= 1.0


def test_one_tempo_is_left_alone(clicked: Callable[..., Any]) -> None:
    beats = np.arange(0.5, 30.5, 0.5)
    evidence = clicked(beats, np.arange(beats.size) % 4 == 0).evidence
    pulses = [describe_pulse(beats, evidence), describe_pulse(np.arange(0.5, 30.5, 0.4), evidence)]
    assert follow_changes(pulses, 0, evidence, PARAMS) is None


def test_no_pulse_has_no_stretches(leaping: tuple[np.ndarray, Any]) -> None:
    assert tempo_stretches([], leaping[1], PARAMS) == []
