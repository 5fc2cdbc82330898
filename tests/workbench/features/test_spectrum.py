"""Spectra, chroma and timbre."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from workbench.errors import ParameterError
from workbench.features.chroma import LOWEST_MIDI, beat_tones, fold_octaves, stand_out
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import (
    analyze_spectrum,
    count_frames,
    log_bands,
    log_spectrogram,
    resampled,
)
from workbench.features.timbre import (
    LOUDNESS_EXPONENT,
    TICKS_PER_BEAT,
    WINDOW_SECONDS,
    beat_edges,
    ear_bands,
    rises,
    specific_loudness,
    window_samples,
    windowed_power,
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
    rate, hz = 44_100, 20 * 44_100 / 2048
    spectrum = analyze_spectrum(np.sin(2 * np.pi * hz * np.arange(rate) / rate).astype(np.float32), rate)
    assert spectrum.power[np.flatnonzero(spectrum.band_hz == hz)[0], 50] == pytest.approx(1.0, rel=1e-3)


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


def test_every_frame_is_the_transform_of_its_window() -> None:
    sound = np.random.default_rng(1).normal(size=3 * 44_100).astype(np.float32)
    spectrum, (edges, weights, _), hann = analyze_spectrum(sound, 44_100), log_bands(), np.hanning(2049)[:-1]
    centred, shape = np.pad(sound, 2048), 2 * hann / hann.sum()
    for frame in range(spectrum.n_frames):
        window = centred[1024 + 441 * frame :][:2048]
        power = np.abs(np.fft.rfft(window * shape)) ** 2
        banded = [power[first:stop] @ row[: stop - first] for (first, stop), row in zip(edges, weights, strict=True)]
        np.testing.assert_allclose(spectrum.power[:, frame], banded, rtol=1e-3, atol=1e-9)


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


RATE = 44_100


def note(midi: float, seconds: float) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * 440 * 2 ** ((midi - 69) / 12) * np.arange(round(seconds * RATE)) / RATE)


@pytest.mark.parametrize("midi", [48, 57, 69, 84])
def test_a_note_is_found_at_its_semitone(midi: int) -> None:
    tones, _ = beat_tones(note(midi, 2.0), RATE, np.array([0.5, 1.0, 1.5]))
    assert np.all(np.argmax(tones, axis=2) + LOWEST_MIDI == midi)
    assert np.all(np.argmax(fold_octaves(stand_out(tones)[..., : tones.shape[2]]), axis=2) == midi % 12)


@pytest.mark.parametrize("cents", [-40.0, 0.0, 30.0])
def test_a_tuning_off_440_is_measured_and_corrected(cents: float) -> None:
    sound = np.sum([note(midi + cents / 100, 2.0) for midi in (60, 64, 67)], axis=0)
    tones, tuning = beat_tones(sound, RATE, np.array([0.5, 1.0, 1.5]))
    assert 100 * tuning == pytest.approx(cents, abs=3.0)
    assert set(np.argsort(tones[0, 0])[-3:] + LOWEST_MIDI) == {60, 64, 67}


def test_both_windows_of_a_beat_stay_inside_it() -> None:
    sound = np.concatenate((note(60, 1.0), note(67, 1.0)))
    tones, _ = beat_tones(sound, RATE, np.array([0.0, 1.0, 2.0]))
    found = np.argmax(tones, axis=2) + LOWEST_MIDI
    assert found.tolist() == [[60, 60], [67, 67]]
    assert tones[0, 1, 67 - LOWEST_MIDI] < 0.2 * tones[0, 1, 60 - LOWEST_MIDI]


def test_noise_stands_out_less_than_notes() -> None:
    noise = 0.1 * np.random.default_rng(3).standard_normal(2 * RATE)
    edges = np.array([0.5, 1.0, 1.5])
    rise = [stand_out(beat_tones(sound, RATE, edges)[0])[..., :68].max() for sound in (noise, noise + note(60, 2.0))]
    assert rise[1] > 3 * rise[0]


def sine(hz: float, seconds: float, rate: int) -> np.ndarray:
    return np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate).astype(np.float32)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_a_full_scale_sine_has_power_one_at_its_bin_and_loudness_near_one_in_its_band(rate: int) -> None:
    size = window_samples(rate, WINDOW_SECONDS)
    hz = round(1000 * size / rate) * rate / size
    sound = sine(hz, 2.0, rate)
    _, power = next(windowed_power(sound, rate, np.array([1.0]), WINDOW_SECONDS))
    assert power.max() == pytest.approx(1.0, abs=0.01)
    loudness, band_hz = specific_loudness(sound, rate, np.array([0.5, 1.0, 1.5]), 32)
    band = int(np.argmax(loudness[0, 3]))
    assert abs(np.log2(band_hz[band] / hz)) < 0.2
    assert 0.4 < loudness[0, 3, band] <= 1.0


def test_bands_cover_the_ear_and_have_unit_sum() -> None:
    weights, centres = ear_bands(44_100, 2049, 32)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, rtol=1e-5)
    assert np.all(np.diff(centres) > 0)
    assert centres[0] > 40
    assert centres[-1] < 15_000


def test_loudness_is_compressed_power() -> None:
    sound = sine(700.0, 2.0, 44_100)
    edges = np.array([0.5, 1.0, 1.5])
    loud, _ = specific_loudness(sound, 44_100, edges, 24)
    soft, _ = specific_loudness(0.1 * sound, 44_100, edges, 24)
    np.testing.assert_allclose(soft, loud * 0.01**LOUDNESS_EXPONENT, atol=1e-3)


def test_equal_bars_give_equal_numbers_wherever_they_start() -> None:
    rate, beat = 44_100, 0.4637
    bar = np.random.default_rng(1).standard_normal(round(4 * beat * rate)).astype(np.float32)
    sound = np.concatenate((bar, bar, bar))
    beats = np.arange(12) * bar.size / rate / 4
    loudness, _ = specific_loudness(sound, rate, beat_edges(beats, sound.size / rate), 32)
    np.testing.assert_allclose(loudness[4:8, 1:-1], loudness[8:12, 1:-1], rtol=0.05, atol=1e-4)


def test_channels_are_mixed_as_their_mean() -> None:
    left, right = np.random.default_rng(2).standard_normal((2, 44_100)).astype(np.float32)
    centres = np.array([0.02, 0.5, 0.99])
    stereo = next(windowed_power(np.stack((left, right)), 44_100, centres, 0.05))[1]
    mono = next(windowed_power((left + right) / 2, 44_100, centres, 0.05))[1]
    np.testing.assert_allclose(stereo, mono, rtol=1e-3, atol=1e-9)


def test_a_hit_rises_in_its_tick_only() -> None:
    loudness = np.full((2, TICKS_PER_BEAT, 8), 0.1, dtype=np.float32)
    loudness[1, 3:, 6:] = 0.5
    pattern = rises(loudness, 4)
    assert pattern.shape == (2, TICKS_PER_BEAT, 4)
    assert pattern[1, 3].tolist() == pytest.approx([0, 0, 0, 0.8], abs=1e-6)
    assert pattern[1, 4:].sum() == 0


def test_the_last_beat_ends_like_the_one_before_or_with_the_sound() -> None:
    assert beat_edges(np.array([0.0, 0.5, 1.0]), 9.0)[-1] == pytest.approx(1.5)
    assert beat_edges(np.array([0.0, 0.5, 1.0]), 1.2)[-1] == pytest.approx(1.2)
