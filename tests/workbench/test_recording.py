"""A recording: samples that nobody changes, a rate, and a hash that tells two apart."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import MediaError
from workbench.recording import Recording


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
