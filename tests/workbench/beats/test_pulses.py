"""Pulses that are proposed: ticks at a steady pace, and among the beats those of the click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats._kernels import bar_pointer
from workbench.beats.candidates import FEWEST_BEATS, decode_ticks, propose
from workbench.beats.meter import share_near
from workbench.params import BeatParams


def test_ticks_follow_the_pace_they_are_given() -> None:
    activation = np.zeros(2000, dtype=np.float32)
    wanted = np.arange(30, 1980, 25)
    activation[wanted] = 1.0
    ticks = decode_ticks(activation, 100, 25.0)
    assert np.median(np.diff(ticks)) == pytest.approx(0.25)
    assert share_near(wanted / 100, ticks, 0.011) > 0.95


@pytest.mark.parametrize("bpm", [80.0, 120.0])
def test_the_beats_of_a_click_are_among_the_pulses(bpm: float, clicked: Callable[..., Any]) -> None:
    beats = np.arange(0.5, 20.0, 60 / bpm)
    clicks = clicked(beats, np.arange(beats.size) % 4 == 0)
    params = BeatParams(activation="onsets")
    pulses, readings = propose(clicks.activation, clicks.evidence, params)
    found = [min(share_near(beats, pulse.times), share_near(pulse.times, beats)) for pulse in pulses]
    assert max(found) > 0.9
    assert set(np.unique(readings.pulse)) == set(range(len(pulses)))
    assert all(pulse.times.size >= FEWEST_BEATS for pulse in pulses)
    assert all(np.all(np.diff(pulse.times) > 0) for pulse in pulses)


def test_silence_proposes_nothing(clicked: Callable[..., Any]) -> None:
    clicks = clicked(np.arange(0.5, 4.0, 0.5))
    pulses, readings = propose(np.zeros(400, dtype=np.float32), clicks.evidence, BeatParams(activation="onsets"))
    assert pulses == []
    assert readings.pulse.size == 0


def test_the_last_beat_may_lie_a_whole_interval_before_the_end() -> None:
    evidence = np.zeros(60, dtype=np.float32)
    evidence[::10] = 1.0
    found = bar_pointer(evidence, 10, np.zeros(1, dtype=np.float32), 0.0, 1, 0.0)
    assert found.tolist() == [0, 10, 20, 30, 40, 50]
