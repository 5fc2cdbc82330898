"""Small pictures and their measures: levels, changes, and tones that motion leaves alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.video.strip import Strip, strip_of, tone_distance


def noise(count: int, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(0.2, 0.8, (count, 36, 64)).astype(np.float32)


def strip(luma: NDArray[np.float32], before: Strip | None = None) -> Strip:
    n = len(luma)
    first = 0.0 if before is None else float(before.times[-1]) + 0.04
    return strip_of(first + np.arange(n) / 25, luma, np.zeros((n, 2, 18, 32), np.float32), before)


def test_levels_are_mean_and_spread_of_the_luma() -> None:
    luma = noise(3)
    found = strip(luma)
    assert len(found) == 3
    np.testing.assert_allclose(found.levels[:, 0], luma.mean(axis=(1, 2)), atol=1e-4)
    np.testing.assert_allclose(found.levels[:, 1], luma.std(axis=(1, 2)), atol=1e-3)
    np.testing.assert_allclose(found.levels[:, 2], 0.0, atol=1e-4)


def test_equal_pictures_do_not_change_and_others_do() -> None:
    luma = np.concatenate([np.repeat(noise(1), 3, axis=0), noise(1, seed=2)])
    changes = strip(luma).changes[:, 0]
    assert changes[1:3] == pytest.approx(0.0, abs=1e-3)
    assert changes[3] > 0.5


def test_a_run_in_two_parts_is_measured_as_one() -> None:
    luma = noise(10)
    whole, first = strip(luma), strip(luma[:6])
    both = first.followed_by(strip(luma[6:], first))
    for name in ("times", "luma", "levels", "changes", "tones"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), atol=1e-6)


def test_a_part_looks_at_the_run_and_a_copy_does_not() -> None:
    found = strip(noise(5))
    part = found.part(1, 3)
    assert np.shares_memory(part.luma, found.luma)
    assert not np.shares_memory(part.copied().luma, found.luma)
    assert part.times.tolist() == found.times[1:3].tolist()


def test_tones_stay_when_things_move_and_differ_between_pictures() -> None:
    picture = noise(1)[0]
    moved, brighter = np.roll(picture, 20, axis=1), np.clip(picture + 0.3, 0, 1)
    tones = strip(np.stack([picture, moved, brighter])).tones
    assert tone_distance(tones[0], tones[1]) == pytest.approx(0.0, abs=1e-5)
    assert tone_distance(tones[0], tones[2]) > 0.3
    assert tone_distance(tones[:2], tones[1:]).shape == (2,)
