from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.endings import last_hit
from workbench.seams.profile import EndingKind, LoopProfile, TrackEnding

RATE = 22_050


def profile_of(samples: np.ndarray, grid: Any) -> LoopProfile:
    return loop_profile(Recording.from_samples(samples.astype(np.float32), RATE), grid)


def ending_of(samples: np.ndarray, grid: Any) -> TrackEnding | None:
    return profile_of(samples, grid).ending


def test_a_soft_calm_last_part_is_a_come_down_outro() -> None:
    track = band("ABABO", gains={"O": 0.7})
    ending = ending_of(track.recording.samples, track.grid)
    assert ending is not None
    assert ending.kind is EndingKind.OUTRO
    assert ending.start_bar == 16


def test_a_last_chord_that_rings_out_resolves() -> None:
    track = band("ABAB", tail=6.0)
    last = track.grid.downbeats[-1]
    t = np.arange(track.recording.samples.shape[1]) / RATE
    samples = track.recording.samples[0] * (t < last)
    chord = sum(np.sin(2 * np.pi * hz * (t - last)) for hz in (110.0, 220.0, 277.2, 329.6))
    samples = samples + 0.1 * chord * np.exp(-(t - last) / 1.2) * (t >= last)
    profile = profile_of(samples, track.grid)
    ending = profile.ending
    assert ending is not None
    assert ending.kind is EndingKind.RESOLVE
    assert 11 <= ending.start_bar <= 14
    assert profile.last_sound > last + 3.0


def test_a_dry_last_hit_is_abrupt() -> None:
    track = band("ABAB", tail=4.0)
    last = track.grid.downbeats[-1] + 0.5
    t = np.arange(track.recording.samples.shape[1]) / RATE
    samples = track.recording.samples[0] * np.clip((last + 0.15 - t) / 0.1, 0, 1)
    profile = profile_of(samples, track.grid)
    ending = profile.ending
    assert ending is not None
    assert ending.kind is EndingKind.ABRUPT
    assert ending.start_bar >= 13
    assert profile.last_sound == pytest.approx(last + 0.15, abs=0.05)


def test_a_fade_is_no_ending() -> None:
    track = band("ABABABAB")
    t = np.arange(track.recording.samples.shape[1]) / RATE
    end = track.grid.downbeats[-1] + 2.0
    samples = track.recording.samples[0] * np.clip((end - t) / 12.0, 0, 1) ** 2
    assert ending_of(samples, track.grid) is None


def test_a_file_cut_in_mid_phrase_has_no_ending() -> None:
    track = band("ABAB")
    keep = track.grid.beats < track.grid.downbeats[13] + 0.6
    grid = type(track.grid)(track.grid.beats[keep], track.grid.positions[keep], 4, 1.0)
    assert ending_of(track.recording.samples[0, : round((track.grid.downbeats[13] + 0.7) * RATE)], grid) is None


def hits_over_a_chord(ends: float) -> np.ndarray:
    """A chord that is held until it ends and rings, kicks and hats over it until 6 s, and crackle while it rings."""
    t = np.arange(12 * RATE) / RATE
    chord = sum(np.sin(2 * np.pi * hz * t) for hz in (220.0, 277.2, 329.6)) * np.exp(-np.maximum(t - ends, 0.0) / 0.8)
    sound = 0.15 * chord
    for at in np.arange(0.0, 6.1, 0.5):
        sound += 0.5 * np.sin(2 * np.pi * 60.0 * (t - at)) * np.exp(-np.maximum(t - at, 0.0) * 12) * (t >= at)
    rng = np.random.default_rng(0)
    for at in np.arange(0.25, 6.0, 0.25):
        sound[round(at * RATE) :][:800] += 0.05 * rng.normal(size=800) * np.exp(-np.arange(800) / 200)
    for at in (8.3, 9.1):
        sound[round(at * RATE) :][:40] += 0.002 * rng.normal(size=40)
    return np.asarray(sound)


def test_the_last_hit_is_the_last_kick_over_a_chord_and_not_what_crackles_while_it_rings() -> None:
    sound = Recording.from_samples(hits_over_a_chord(7.0).astype(np.float32), RATE)
    assert last_hit(sound, np.arange(0.0, 12.0, 2.0)) == pytest.approx(6.0, abs=0.02)


def test_music_that_is_cut_off_has_its_last_hit_before_that() -> None:
    samples = hits_over_a_chord(20.0)
    samples[round(6.8 * RATE) :] = 0.0
    sound = Recording.from_samples(samples.astype(np.float32), RATE)
    assert last_hit(sound, np.arange(0.0, 12.0, 2.0)) == pytest.approx(6.0, abs=0.02)


def test_sound_without_a_hit_has_its_last_attack() -> None:
    assert last_hit(Recording.from_samples(np.zeros(RATE, dtype=np.float32), RATE), np.zeros(0)) == 0.0
