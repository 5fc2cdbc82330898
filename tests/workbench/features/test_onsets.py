"""Onsets, marks, and the register of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.analysis.labels import VARIABLES
from workbench.errors import ParameterError
from workbench.features.marks import Marks, marks_of, strongest_apart
from workbench.features.onsets import RANGES, detect_onsets
from workbench.features.spectrum import analyze_spectrum

RATE = 44_100


def struck(hz: float, times: np.ndarray, seconds: float = 6.0) -> np.ndarray:
    sound = np.zeros(round(seconds * RATE), dtype=np.float32)
    t = np.arange(round(0.2 * RATE)) / RATE
    note = np.sin(2 * np.pi * hz * t) * np.exp(-t / 0.05) * np.minimum(t / 0.002, 1.0)
    for time in times:
        start = round(time * RATE)
        sound[start : start + note.size] += note[: sound.size - start].astype(np.float32)
    return sound


def test_a_drum_speaks_in_its_own_range() -> None:
    times = np.arange(0.5, 5.5, 0.5)
    for hz, name in ((60.0, "low"), (800.0, "middle"), (9000.0, "top")):
        onsets = detect_onsets(analyze_spectrum(struck(hz, times), RATE))
        frames = np.round(times * 100).astype(int)
        row = onsets.onsets[RANGES.index(name)]
        assert np.all([row[frame - 3 : frame + 4].max() > 0.5 for frame in frames])


def test_a_glide_is_no_onset() -> None:
    t = np.arange(6 * RATE) / RATE
    glide = np.sin(2 * np.pi * (400 * t + 60 * np.sin(2 * np.pi * 0.4 * t))).astype(np.float32)
    notes = struck(400.0, np.arange(0.5, 5.5, 0.5))
    assert detect_onsets(analyze_spectrum(glide, RATE)).prominence < 0.2 * (
        detect_onsets(analyze_spectrum(notes, RATE)).prominence
    )


def test_gain_changes_nothing() -> None:
    sound = struck(500.0, np.arange(0.5, 5.5, 0.5))
    loud = detect_onsets(analyze_spectrum(sound, RATE))
    soft = detect_onsets(analyze_spectrum(sound * np.float32(0.05), RATE))
    np.testing.assert_allclose(loud.attack, soft.attack, atol=1e-3)


def test_a_new_chord_changes_the_harmony_and_a_repeated_one_does_not() -> None:
    t = np.arange(2 * RATE) / RATE

    def chord(*midi: int) -> NDArray[np.float64]:
        notes = [np.sin(2 * np.pi * 440 * 2 ** ((m - 69) / 12) * t) for m in midi]
        return np.asarray(np.sum(notes, axis=0), np.float64)

    sound = np.concatenate((chord(60, 64, 67), chord(60, 64, 67), chord(62, 65, 69))).astype(np.float32) / 4
    change = detect_onsets(analyze_spectrum(sound, RATE)).harmonic_change
    assert change[200] < 0.02
    assert change[400] > 10 * change[200]


def test_silence_has_no_onsets() -> None:
    onsets = detect_onsets(analyze_spectrum(np.zeros(RATE, dtype=np.float32), RATE))
    assert not onsets.onsets.any()
    assert not onsets.attack.any()
    assert onsets.prominence == 0.0


KINDS = ("cut", "flash")


def test_rows_in_any_order_become_marks_in_order_of_time() -> None:
    marks = marks_of(KINDS, [(3.0, "flash", 0.5, 0.04), (1.0, "cut", 1.0, 0.1)])
    assert marks.times.tolist() == [1.0, 3.0]
    assert [marks.name_of(k) for k in range(len(marks))] == ["cut", "flash"]
    assert marks.of("flash").tolist() == [3.0]
    assert not marks.times.flags.writeable


@pytest.mark.parametrize(
    ("times", "kinds", "salience", "tolerance", "rule"),
    [
        ([2.0, 1.0], [0, 0], [0.5, 0.5], [0.1, 0.1], "not decrease"),
        ([np.nan], [0], [0.5], [0.1], "finite"),
        ([1.0], [2], [0.5], [0.1], "indices into"),
        ([1.0], [0], [1.5], [0.1], "0 to 1"),
        ([1.0], [0], [0.5], [0.0], "over 0"),
        ([1.0], [0, 0], [0.5], [0.1], "shape"),
    ],
)
def test_marks_out_of_range_are_refused(
    times: list[float], kinds: list[int], salience: list[float], tolerance: list[float], rule: str
) -> None:
    with pytest.raises(ParameterError, match=rule):
        Marks(KINDS, np.array(times), np.array(kinds), np.array(salience), np.array(tolerance))


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ParameterError, match="'drop'"):
        marks_of(KINDS, [(1.0, "drop", 1.0, 0.1)])
    with pytest.raises(ParameterError, match="'drop'"):
        marks_of(KINDS, []).of("drop")


def test_the_stronger_of_two_near_marks_stays() -> None:
    times, salience = np.array([5.0, 1.0, 1.05, 1.2]), np.array([0.1, 0.5, 0.9, 0.3])
    assert strongest_apart(times, salience, 0.1).tolist() == [2, 3, 0]
    assert strongest_apart(np.zeros(0), np.zeros(0), 0.1).size == 0


def test_every_variable_says_what_it_is() -> None:
    for name, variable in VARIABLES.items():
        assert variable.name == name
        assert variable.unit
        assert variable.description
        np.dtype(variable.dtype)
