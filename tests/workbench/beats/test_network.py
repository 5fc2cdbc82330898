"""The network as the tracker uses it: what it hears in plain sounds, and that it can be done without."""

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.beats import network
from workbench.beats.network import N_INPUTS, network_input
from workbench.beats.track import track_beats
from workbench.errors import ParameterError
from workbench.features.spectrum import analyze_spectrum
from workbench.files import model_path
from workbench.params import BeatParams
from workbench.recording import Recording

RATE = 44_100


def band(bpm: float, metre: int, seconds: float) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Kick on every one, hi-hat between, a chord a bar; and the times of the beats."""
    rng = np.random.default_rng(1)
    beats = np.arange(0.5, seconds - 1.0, 60.0 / bpm)
    sound = np.zeros(round(seconds * RATE), dtype=np.float32)
    t = np.arange(round(0.15 * RATE)) / RATE
    kick = 0.7 * np.sin(2 * np.pi * 55 * t) * np.exp(-t / 0.05)
    hat = 0.15 * np.diff(rng.normal(size=t.size), append=0.0) * np.exp(-t / 0.01)
    tone_t = np.arange(round(60.0 / bpm * metre * RATE)) / RATE
    for k, beat in enumerate(beats):
        start = round(beat * RATE)
        sound[start : start + t.size] += (kick if k % metre == 0 else hat)[: sound.size - start]
        if k % metre == 0:
            root = 110.0 * 2.0 ** ((0, 5, 7, 3)[k // metre % 4] / 12.0)
            chord = sum(np.sin(2 * np.pi * root * m * tone_t) for m in (1.0, 1.26, 1.5)) * 0.06 * np.exp(-tone_t)
            stop = min(start + tone_t.size, sound.size)
            sound[start:stop] += chord[: stop - start]
    return sound, beats


def test_beats_stand_out_from_what_lies_between() -> None:
    sound, beats = band(112.0, 4, 24.0)
    heard = network.listen(analyze_spectrum(sound, RATE))
    at = np.round(beats * heard.frames_per_second).astype(int)
    between = np.round((beats[:-1] + 0.5 * np.diff(beats)) * heard.frames_per_second).astype(int)
    on = np.maximum.reduce([heard.beat[at - 1], heard.beat[at], heard.beat[at + 1]])
    assert np.median(on) > np.median(heard.beat[between]) + 2.0


def test_a_little_music_in_much_silence_is_heard_as_it_is() -> None:
    sound, _ = band(112.0, 4, 8.0)
    alone = network_input(analyze_spectrum(sound, RATE))
    padded = network_input(analyze_spectrum(np.concatenate((sound, np.zeros(300 * RATE, dtype=np.float32))), RATE))
    # louder by a constant at most, never by tens of dB
    assert padded.max() < 1.4
    assert np.corrcoef(alone[:380].ravel(), padded[:380].ravel())[0, 1] > 0.95


def test_silence_has_no_beats_to_hear() -> None:
    heard = network.listen(analyze_spectrum(np.zeros(8 * RATE, dtype=np.float32), RATE))
    assert heard.beat.max() < 0.0
    assert heard.beat.shape == (401,)


def test_nothing_to_hear_gives_nothing() -> None:
    heard = network.listen(analyze_spectrum(np.zeros(0, dtype=np.float32), RATE))
    assert heard.beat.size == heard.downbeat.size == heard.tempo.shape[0] == 0


def test_probabilities_are_probabilities() -> None:
    sound, _ = band(90.0, 3, 15.0)
    heard = network.listen(analyze_spectrum(sound, RATE))
    for log_chance in (heard.tempo, heard.metre, heard.division):
        np.testing.assert_allclose(np.exp(log_chance).sum(axis=1), 1.0, rtol=1e-4)


def test_what_is_heard_does_not_depend_on_gain() -> None:
    sound, _ = band(100.0, 4, 12.0)
    loud, soft = (network.listen(analyze_spectrum(np.float32(gain) * sound, RATE)) for gain in (0.9, 0.02))
    assert np.percentile(np.abs(loud.beat - soft.beat), 95) < 0.5


def test_an_odd_number_of_frames_is_no_trouble() -> None:
    inputs = np.random.default_rng(0).random((301, N_INPUTS)).astype(np.float32)
    heard = network.run(inputs, network.weights())
    longer = network.run(np.concatenate((inputs, np.zeros((1, N_INPUTS), dtype=np.float32))), network.weights())
    assert heard.beat.size == 301
    np.testing.assert_allclose(heard.beat, longer.beat[:301], atol=1e-3)


@pytest.mark.parametrize("activation", ["network", "onsets"])
def test_either_way_a_plain_band_is_tracked(activation: str) -> None:
    sound, beats = band(112.0, 4, 30.0)
    grid = track_beats(sound, RATE, BeatParams.model_validate({"activation": activation}))
    assert grid.tempo_bpm == pytest.approx(112.0, rel=0.01)
    assert np.median(np.abs(grid.beats[:, None] - beats[None]).min(axis=1)) < 0.01


@pytest.mark.parametrize("metre", [3, 4, 5, 7])
def test_bars_of_any_length_are_counted(metre: int) -> None:
    sound, beats = band(112.0, metre, 40.0)
    grid = track_beats(sound, RATE)
    assert grid.beats_per_bar == metre
    opens = beats[::metre]
    assert np.mean([np.abs(grid.downbeats - time).min() < 0.05 for time in opens]) > 0.9


def test_parameters_are_not_taken_for_a_sample_rate() -> None:
    sound, _ = band(112.0, 4, 2.0)
    with pytest.raises(ParameterError, match="by name"):
        track_beats(Recording.from_samples(sound[None], RATE), BeatParams())  # type: ignore[arg-type]


def test_weights_are_small_and_say_where_they_come_from() -> None:
    path = model_path(network.WEIGHTS_FILE)
    assert path.stat().st_size < 2_000_000
    with np.load(path) as packed:
        about = json.loads(packed["about"].tobytes())
    assert {"seed", "last"} <= about.keys()
    assert path.with_suffix(".md").exists()
