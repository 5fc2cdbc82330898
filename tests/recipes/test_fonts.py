"""Sound fonts: a note sounds at its time, and a synthesiser that was used plays the same again."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from data.recipes.material.fonts import RATE, RING_SECONDS, Played, Sounded, font_player, installed

PIANO, ORGAN = 0, 19
AT = (0.5, 1.25, 2.0)


def heard_ms(stem: NDArray[np.float32], at: float) -> float:
    """From the written time until a tenth of the peak of the next 60 ms."""
    begin = round(at * RATE)
    level = np.abs(stem[begin - 400 : begin + 2600]).max(axis=1)
    return (float(np.argmax(level > 0.1 * level.max())) - 400) / RATE * 1000


@pytest.mark.parametrize("font", installed(("fluid", "tim")))
def test_a_struck_note_sounds_when_it_is_written_and_each_part_alone(font: str) -> None:
    piano = Played(PIANO, [Sounded(at, 0.3, 60 + k, 100) for k, at in enumerate(AT)])
    parts = [piano, Played(ORGAN, [Sounded(2.8, 0.3, 48, 90)])]
    stems = font_player(font).stems(parts, 3.5)
    assert [stem.shape for stem in stems] == [(stems[0].shape[0], 2)] * 2
    assert stems[0].shape[0] == pytest.approx((3.5 + RING_SECONDS) * RATE, abs=64)
    assert [heard_ms(stems[0], at) for at in AT] == pytest.approx([0.0] * 3, abs=1.5)
    assert np.abs(stems[1][: 2 * RATE]).max() < 1e-4 < np.abs(stems[1][3 * RATE :]).max()
    again = font_player(font).stems(parts, 3.5)
    assert np.abs(again[0]).max() == pytest.approx(np.abs(stems[0]).max(), rel=0.05)


@pytest.mark.parametrize("font", installed(("fluid", "tim")))
def test_an_onset_at_the_very_beginning_is_kept(font: str) -> None:
    (stem,) = font_player(font).stems([Played(PIANO, [Sounded(0.0, 0.2, 64, 100), Sounded(1.0, 0.2, 64, 100)])], 1.5)
    first, second = np.abs(stem[: RATE // 10]).max(), np.abs(stem[RATE : RATE + RATE // 10]).max()
    assert first == pytest.approx(second, rel=0.3)
