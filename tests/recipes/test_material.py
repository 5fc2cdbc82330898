"""Material by others: fonts, and the measure of splices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from data.recipes.material.fonts import RATE, RING_SECONDS, Played, Sounded, font_player, installed
from data.recipes.material.naturalness import Listener

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


MUSIC_RATE = 22_050


def phrase(seed: int) -> NDArray[np.float32]:
    """Eight seconds of notes, one every quarter of a second, with attacks."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(0.25 * MUSIC_RATE)) / MUSIC_RATE
    notes = [
        np.exp(-8.0 * time) * sum(np.sin(2 * np.pi * hz * k * time) / k for k in range(1, 5))
        for hz in rng.choice([220.0, 262.0, 294.0, 330.0, 392.0, 523.0], 32)
    ]
    return (0.3 * np.concatenate(notes)).astype(np.float32)


@pytest.fixture(scope="module")
def listener() -> Listener:
    """A, B, A, C: 32 s in which A comes twice."""
    music = np.concatenate([phrase(seed) for seed in (1, 2, 1, 3)])
    return Listener(music[None, :], MUSIC_RATE)


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
