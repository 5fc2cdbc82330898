"""The key of chords that are known, in every transposition."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.features.key import find_key, key_clarity, tone_profile


def test_the_key_moves_with_the_music_and_gain_changes_nothing() -> None:
    midi = np.arange(28, 109)
    tones = np.full((midi.size, 200), 1e-9)
    for part, (root, third) in enumerate(((0, 4), (5, 4), (7, 4), (0, 4))):
        for step, power in ((root - 12, 4e-3), (root, 1e-3), (root + third, 1e-3), (root + 7, 1e-3)):
            tones[midi == 60 + step, 50 * part : 50 * part + 50] += power
    profile = tone_profile(tones, midi)
    found = find_key(profile)
    assert found is not None
    assert (found.name, found.mode) == ("C", "major")
    np.testing.assert_allclose(tone_profile(1e-3 * tones, midi), profile, atol=1e-6)
    for up in range(12):
        moved = find_key(np.roll(profile, up, axis=1))
        assert moved is not None
        assert (moved.tonic, moved.mode) == (up, "major")
        assert moved.strength == pytest.approx(found.strength)


def test_clarity_is_that_of_the_notes_of_one_key() -> None:
    scale = np.zeros((3, 12))
    scale[:, [0, 2, 4, 5, 7, 9, 11]] = 1.0
    scale[:, [0, 4, 7]] += 1.0
    clear = key_clarity(scale)
    assert clear > 0.85
    for up in range(12):
        assert key_clarity(np.roll(scale, up, axis=1)) == pytest.approx(clear)
    cluster = np.zeros((3, 12))
    cluster[:, [0, 1, 2, 3, 4, 5]] = 1.0
    assert key_clarity(cluster) < clear - 0.3
    assert key_clarity(np.ones((3, 12))) == 0.0
    assert key_clarity(np.zeros((3, 12))) == 0.0
