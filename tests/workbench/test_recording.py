"""Recordings, and the methods that values inherit to be shown."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from workbench.beats.grid import BeatGrid
from workbench.errors import MediaError
from workbench.recording import MonoMixer, NotebookValue, Recording


def test_samples_are_read_only_and_know_their_length() -> None:
    recording = Recording(np.zeros((2, 22_050)), 44_100, "0" * 64)
    assert (recording.channels, recording.duration) == (2, 0.5)
    assert recording.samples.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        recording.samples[0, 0] = 1.0


def test_the_array_that_was_given_stays_writable() -> None:
    given = np.zeros((1, 10), dtype=np.float32)
    Recording(given, 8000, "0" * 64)
    given[0, 0] = 1.0


def test_mono_is_the_mean_of_the_channels() -> None:
    left, right = np.array([1.0, 0.5, -1.0]), np.array([0.0, 0.5, -0.5])
    np.testing.assert_allclose(Recording(np.stack([left, right]), 8000, "0" * 64).mono(), (left + right) / 2)
    np.testing.assert_array_equal(Recording.from_samples(left, 8000).mono(), left.astype(np.float32))


def test_equal_sound_has_an_equal_hash_and_rate_and_shape_count() -> None:
    sound = np.linspace(-1, 1, 100)
    kept = Recording.from_samples(sound, 8000).content_hash
    assert Recording.from_samples(sound.astype(np.float32), 8000).content_hash == kept
    others = (
        Recording.from_samples(sound, 16_000),
        Recording.from_samples(sound.reshape(2, 50), 8000),
        Recording.from_samples(-sound, 8000),
    )
    assert len({kept, *(other.content_hash for other in others)}) == 4


@pytest.mark.parametrize(("shape", "rate"), [((10,), 8000), ((0, 10), 8000), ((1, 2, 3), 8000), ((1, 10), 0)])
def test_what_is_no_recording_is_refused(shape: tuple[int, ...], rate: int) -> None:
    with pytest.raises(MediaError, match=r"samples must have shape|sample rate must be positive"):
        Recording(np.zeros(shape), rate, "0" * 64)


@pytest.mark.parametrize(
    ("samples", "advice"),
    [
        (np.ma.masked_greater(np.linspace(0.0, 2.0, 100), 1.0), "masked"),
        (np.zeros((2, 100), dtype=np.int16), "int16"),
        (np.zeros((2, 100), dtype=np.complex64), "complex64"),
        (np.zeros((44_100, 2)), r"\.T"),
    ],
)
def test_arrays_that_are_no_sound_say_what_to_do(samples: np.ndarray, advice: str) -> None:
    with pytest.raises(MediaError, match=advice):
        Recording.from_samples(samples, 44_100)


def test_sound_from_memory_does_not_change_with_its_array() -> None:
    given = np.ones((1, 10), dtype=np.float32)
    recording = Recording.from_samples(given, 8000)
    given[:] = 0.0
    assert recording.samples.min() == 1.0


def test_channels_that_cancel_are_turned_over_before_they_are_mixed() -> None:
    voice = np.sin(np.arange(16_000) / 7).astype(np.float32)
    noise = 0.01 * np.random.default_rng(0).standard_normal((4, voice.size)).astype(np.float32)
    for gains in ((1, -1), (-1, 0.9), (1, -0.7, 0, -0.7)):  # the last: behind an ambisonic microphone
        sound = np.outer(gains, voice).astype(np.float32) + noise[: len(gains)]
        mixed = MonoMixer().mix(sound)
        assert abs(np.corrcoef(mixed, voice)[0, 1]) > 0.99
        assert np.std(mixed) == pytest.approx(np.mean(np.abs(gains)) * np.std(voice), rel=0.01)
        np.testing.assert_array_equal(Recording.from_samples(sound, 16_000).mono(), mixed)


def test_what_does_not_cancel_is_the_plain_mean() -> None:
    dice = np.random.default_rng(1).standard_normal((6, 8000)).astype(np.float32)
    silence = np.zeros_like(dice)
    wide = np.stack([dice[0], dice[1] - 0.7 * dice[0]])  # as a wide mix of music
    for sound in (dice, dice[:2], silence, np.concatenate([dice[:1], silence[:5]]), wide):
        np.testing.assert_array_equal(MonoMixer().mix(sound), sound.mean(axis=0))


def test_a_pause_is_mixed_as_the_voice_that_it_interrupts() -> None:
    dice = np.random.default_rng(2).standard_normal((3, 8000)).astype(np.float32)
    mixer, inverted, room = MonoMixer(), np.stack([dice[0], -dice[0]]), dice[1:]
    np.testing.assert_array_equal(mixer.mix(inverted), dice[0])
    np.testing.assert_allclose(mixer.mix(room), (room[0] - room[1]) / 2, rtol=1e-6)
    np.testing.assert_array_equal(mixer.mix(-inverted[::-1]), dice[0] * 1)
    common = np.stack([dice[0], dice[0]])
    np.testing.assert_array_equal(mixer.mix(common), dice[0])


def test_a_value_loads_tables_and_pictures_only_when_asked() -> None:
    program = (
        "import sys; from workbench.beats.grid import BeatGrid; g = BeatGrid.from_times([0.0, 0.5, 1.0]); "
        "print('xarray' in sys.modules, 'matplotlib' in sys.modules); g.to_frame(); print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]


def test_every_way_to_show_a_value() -> None:
    grid = BeatGrid.from_times(np.arange(8) * 0.5)
    assert grid.to_dataset().sizes == {"beat": 8}
    assert len(grid.to_frame()) == 8
    assert grid._repr_html_().startswith("<div>")


def test_a_kind_of_value_without_pictures_shows_its_text() -> None:
    value = NotebookValue()
    assert repr(value).strip("<>") in value._repr_html_()
