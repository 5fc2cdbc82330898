"""What speaks for a pulse: sound on its beats, kicks on its ones, and nothing where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.beats.evidence import BEAT_CUES, FRACTIONS, LOW, describe_pulse

BEATS = np.arange(0.5, 16.5, 0.5)
ONES = np.arange(BEATS.size) % 4 == 0


def test_a_pulse_on_the_clicks_has_more_support_than_one_between_them(clicked: Callable[..., Any]) -> None:
    evidence = clicked(BEATS, ONES).evidence
    on, off = describe_pulse(BEATS, evidence), describe_pulse(BEATS[:-1] + 0.25, evidence)
    assert on.support > 5 * off.support
    assert on.strengths.shape == (7, BEATS.size, len(FRACTIONS))
    assert on.strengths[:5, :, 0].max(axis=0).mean() > on.strengths[:5, :, 3].max(axis=0).mean()
    assert on.heard is None, "the network was not asked"


def test_a_kick_is_a_cue_for_its_beat(clicked: Callable[..., Any]) -> None:
    pulse = describe_pulse(BEATS, clicked(BEATS, ONES).evidence)
    low = pulse.cues[BEAT_CUES.index("low")]
    assert low[ONES].min() > low[~ONES].max()
    assert low[pulse.sounding].mean() == pytest.approx(0.0, abs=0.05)
    assert low[pulse.sounding].std() == pytest.approx(1.0, abs=0.2)
    assert pulse.strengths[LOW, ONES, 0].min() > pulse.strengths[LOW, ~ONES, 0].max()


def test_beats_a_bar_apart_are_alike(clicked: Callable[..., Any]) -> None:
    likeness = describe_pulse(BEATS, clicked(BEATS, ONES).evidence).likeness
    assert likeness[4] > max(likeness[3], likeness[5])
    assert likeness.max() <= 1.0 + 1e-6


def test_beats_before_the_first_and_after_the_last_sound_do_not_count(clicked: Callable[..., Any]) -> None:
    evidence = clicked(BEATS + 4.0, ONES).evidence
    assert evidence.begins == pytest.approx(4.43, abs=0.05)
    assert evidence.ends == pytest.approx(20.07, abs=0.05)
    pulse = describe_pulse(np.arange(0.5, 21.0, 0.5), evidence)
    assert pulse.times[pulse.sounding].tolist() == (BEATS + 4.0).tolist()
