"""Onsets of a soundtrack."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.video.soundtrack import OnsetMeter, Soundtrack

RATE = 16_000


def test_hits_are_found_where_they_begin() -> None:
    dice = np.random.default_rng(1)
    sound = dice.normal(0, 0.002, 8 * RATE).astype(np.float32)
    hits = (1.0, 2.5, 4.21, 6.0)
    for at in hits:
        begin = round(at * RATE)
        sound[begin : begin + 3000] += (dice.normal(0, 0.3, 3000) * np.exp(-np.arange(3000) / 600)).astype(np.float32)
    meter = OnsetMeter(RATE)
    for at in range(0, sound.size, 7001):
        meter.add(sound[at : at + 7001])
    attack, onsets, strengths = meter.onsets(800)
    assert attack.shape == (800,)
    strong = onsets[strengths > 20]
    assert strong == pytest.approx(hits, abs=0.015)


def test_silence_has_no_onsets() -> None:
    meter = OnsetMeter(RATE)
    meter.add(np.zeros(3 * RATE, np.float32))
    attack, onsets, _ = meter.onsets(300)
    assert not onsets.size
    assert not attack.any()


def test_no_stream_is_classified_none() -> None:
    nothing = Soundtrack.none()
    assert nothing.classification == "none"
    assert nothing.loudness.size == 0
    assert nothing.speech_share == 0.0
