import tracemalloc

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import (
    analyze_spectrum,
    count_frames,
    log_bands,
    log_spectrogram,
    power_blocks,
    resampled,
    stft_power,
)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_an_impulse_peaks_at_its_frame_at_any_rate(rate: int) -> None:
    sound = np.zeros(3 * rate, dtype=np.float32)
    sound[rate] = 1.0
    spectrum = analyze_spectrum(sound, rate)
    assert spectrum.n_frames == 301
    assert int(np.argmax(spectrum.power.sum(axis=0))) == 100
    assert int(np.argmax(spectrum.tones.sum(axis=0))) == 20


def test_a_full_scale_sine_on_a_bin_has_power_one() -> None:
    rate, window = 44_100, 2048
    sound = np.sin(2 * np.pi * 100 * rate / window * np.arange(rate) / rate).astype(np.float32)
    power = stft_power(sound, rate, window, 100)
    assert power.shape == (window // 2 + 1, 101)
    assert power[100, 50] == pytest.approx(1.0, rel=1e-3)


def test_a_note_is_loudest_in_its_own_semitone() -> None:
    rate = 44_100
    for midi in (45, 57, 69, 81):
        hz = 440.0 * 2 ** ((midi - 69) / 12)
        spectrum = analyze_spectrum(np.sin(2 * np.pi * hz * np.arange(2 * rate) / rate).astype(np.float32), rate)
        assert spectrum.tone_midi[np.argmax(spectrum.tones[:, 20])] == midi


def test_bands_have_unit_area_and_rise_in_frequency() -> None:
    edges, weights, centres = log_bands()
    assert np.allclose(weights.sum(axis=1), 1.0, atol=1e-5)
    assert np.all(np.diff(centres) > 0)
    assert np.all(edges[:, 1] <= 1025)


def test_blocks_join_without_a_seam() -> None:
    sound = np.random.default_rng(1).normal(size=30_000).astype(np.float32)
    whole = stft_power(sound, 22_050, 1024, 100)
    blocks = np.concatenate([block for _, block in power_blocks(sound, 22_050, 1024, 100, block_frames=7)])
    np.testing.assert_array_equal(whole.T, blocks)


def test_silence_lies_on_the_floor_and_no_sound_has_no_frames() -> None:
    assert np.all(log_spectrogram(np.zeros(4410, dtype=np.float32), 44_100) == -100.0)
    assert analyze_spectrum(np.zeros(0, dtype=np.float32), 44_100).n_frames == 0
    assert count_frames(0, 44_100, 100) == 0


def test_channels_are_averaged_as_they_are_read() -> None:
    sound = np.random.default_rng(2).normal(size=(2, 60_000)).astype(np.float32)
    for rate in (44_100, 48_000):
        stereo, mono = analyze_spectrum(sound, rate), analyze_spectrum(sound.mean(axis=0), rate)
        np.testing.assert_array_equal(stereo.power, mono.power)
        np.testing.assert_array_equal(stereo.tones, mono.tones)


def test_a_third_axis_is_refused() -> None:
    with pytest.raises(ParameterError, match="shape"):
        resampled(np.zeros((2, 100, 1), dtype=np.float32), 44_100, 22_050)


def test_neither_the_resampled_sound_nor_a_second_spectrogram_is_in_memory_whole() -> None:
    sound = 0.1 * np.random.default_rng(0).standard_normal((2, 60 * 48_000)).astype(np.float32)
    detect_onsets(analyze_spectrum(sound[:, :48_000], 48_000))  # what is imported for it takes memory once
    tracemalloc.start()
    spectrum = analyze_spectrum(sound, 48_000)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    detect_onsets(spectrum)
    onsets_peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - held < 6e6  # the sound at 44.1 kHz is 10.6 MB
    assert onsets_peak - held < 0.8 * spectrum.power.nbytes
