"""Words drawn on small pictures at known times."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.video.picture import Stretches
from workbench.video.titles import TitleWatch

FPS = 25
Pictures = NDArray[np.float32]


def scene(seconds: float, seed: int = 0) -> tuple[NDArray[np.float64], Pictures]:
    """A still picture with some noise in it."""
    generator = np.random.default_rng(seed)
    times = np.arange(0.0, seconds, 1 / FPS)
    still = 0.3 + 0.2 * np.linspace(0, 1, 64)[None, :] + 0.05 * generator.standard_normal((36, 1))
    grain = 0.004 * generator.standard_normal((times.size, 36, 64))
    return times, (still[None] + grain).astype(np.float32)


def words(rows: slice, columns: slice, seed: int = 5) -> NDArray[np.float64]:
    """A ragged line: what letters leave on fields of a thirty-sixth of the picture's height."""
    layer = np.zeros((36, 64))
    layer[rows, columns] = np.random.default_rng(seed).uniform(0.1, 0.5, layer[rows, columns].shape)
    return layer


def watched(times: NDArray[np.float64], pictures: Pictures, run: int = 64) -> Stretches:
    watch = TitleWatch()
    for first in range(0, times.size, run):
        watch.put(times[first : first + run], pictures[first : first + run])
    return watch.titles(float(times[-1]) + 1 / FPS)


def shown(times: NDArray[np.float64], start: float, end: float, fade: float = 0.0) -> NDArray[np.float64]:
    rise = np.clip((times - start + 1e-9) / fade, 0, 1) if fade else (times >= start - 1e-9).astype(float)
    return rise * (times < end - 1e-9)


def test_words_that_appear_are_found_to_the_frame() -> None:
    times, pictures = scene(12.0)
    pictures += (shown(times, 4.0, 8.0)[:, None, None] * words(slice(28, 31), slice(5, 30))).astype(np.float32)
    found = watched(times, pictures)
    assert len(found) == 1
    assert found[0] == pytest.approx((4.0, 8.0), abs=0.12)
    assert found[0][0] == pytest.approx(4.0, abs=0.001)
    assert watched(times, pictures, run=7) == watched(times, pictures, run=300)


def test_words_that_fade_in_are_found_where_they_begin_to_show() -> None:
    times, pictures = scene(12.0)
    pictures += (shown(times, 4.0, 9.0, fade=0.5)[:, None, None] * words(slice(15, 20), slice(15, 50))).astype(
        np.float32
    )
    found = watched(times, pictures)
    assert [start for start, _ in found] == pytest.approx([4.2], abs=0.1)


@pytest.mark.parametrize("what", ["a cut", "a thing that crosses", "a lamp that lights up", "words for a moment"])
def test_what_cannot_be_read_is_no_title(what: str) -> None:
    times, pictures = scene(14.0)
    match what:
        case "a cut":
            pictures[times >= 6.0] = (0.9 - scene(14.0, seed=9)[1])[times >= 6.0]
        case "a thing that crosses":
            for k, left in enumerate((8 * (times - 3.0)).astype(int)):
                if 0 <= left < 56:
                    pictures[k, 20:27, left : left + 6] += np.float32(0.4)
        case "a lamp that lights up":
            down, across = np.square(np.arange(36)[:, None] - 15), np.square(np.arange(64)[None, :] - 30)
            rise = np.clip((times - 3.0) / 8.0, 0, 1)[:, None, None]
            pictures += (rise * 0.6 * np.exp(-(down + across) / 30)).astype(np.float32)
        case _:
            line = words(slice(28, 31), slice(5, 30))
            pictures += (shown(times, 4.0, 4.4)[:, None, None] * line).astype(np.float32)
    assert watched(times, pictures) == ()
    assert watched(*scene(0.2)) == ()
