"""The beat network: what it hears, its output, and its weights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import workbench
from workbench.beats import network
from workbench.beats.network import (
    FLOOR_DB,
    N_BANDS,
    N_CHANGES,
    N_INPUTS,
    TOP_DB,
    band_groups,
    network_changes,
    network_input,
    network_levels,
)
from workbench.beats.track import track_beats
from workbench.beats.weights import fitted_digest
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
    heard = network.run_network(analyze_spectrum(sound, RATE))
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
    heard = network.run_network(analyze_spectrum(np.zeros(8 * RATE, dtype=np.float32), RATE))
    assert heard.beat.max() < 0.0
    assert heard.beat.shape == (401,)


def test_nothing_to_hear_gives_nothing() -> None:
    heard = network.run_network(analyze_spectrum(np.zeros(0, dtype=np.float32), RATE))
    assert heard.beat.size == heard.downbeat.size == heard.tempo.shape[0] == 0


def test_probabilities_are_probabilities() -> None:
    sound, _ = band(90.0, 3, 15.0)
    heard = network.run_network(analyze_spectrum(sound, RATE))
    for log_chance in (heard.tempo, heard.metre, heard.division):
        np.testing.assert_allclose(np.exp(log_chance).sum(axis=1), 1.0, rtol=1e-4)


def test_what_is_heard_does_not_depend_on_gain() -> None:
    sound, _ = band(100.0, 4, 12.0)
    loud, soft = (network.run_network(analyze_spectrum(np.float32(gain) * sound, RATE)) for gain in (0.9, 0.02))
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


def test_inputs_are_finite_for_any_sound() -> None:
    rng = np.random.default_rng(0)
    for sound in (np.zeros(3000), rng.normal(size=50_000) * 1e-6, np.ones(20_000), rng.normal(size=200)):
        inputs = network_input(analyze_spectrum(sound.astype(np.float32), RATE))
        assert np.isfinite(inputs).all()


def tones(seconds: float, *hertz: float) -> np.ndarray:
    """One tone after the other, each as long."""
    t = np.arange(round(seconds * RATE / len(hertz))) / RATE
    return np.concatenate([0.3 * np.sin(2 * np.pi * hz * t) for hz in hertz]).astype(np.float32)


def test_levels_stay_within_their_range_and_do_not_depend_on_gain() -> None:
    sound = tones(4.0, 220.0, 440.0, 330.0, 110.0)
    loud, soft = (network_levels(analyze_spectrum(gain * sound, RATE)) for gain in (1.0, 0.05))
    assert loud.shape == (201, N_BANDS)
    assert loud.min() >= FLOOR_DB
    assert loud.max() <= TOP_DB
    above = loud > FLOOR_DB / 2
    np.testing.assert_allclose(soft[above], loud[above], atol=0.1)


def test_a_change_of_harmony_is_heard_where_it_is_and_a_held_tone_has_none() -> None:
    changes = network_changes(analyze_spectrum(tones(6.0, 220.0, 311.1), RATE))
    assert changes.shape == (301, N_CHANGES)
    assert changes[:, 1].argmax() == pytest.approx(150, abs=6)
    assert changes[:, 1].max() > 0.5
    assert changes[30:110, 1].max() < 0.01


def test_bands_of_the_network_go_up_with_frequency() -> None:
    groups = band_groups(np.geomspace(30.0, 18_000.0, 300))
    assert np.all(np.diff(groups) >= 0)
    assert groups[0] == 0
    assert groups[-1] == N_BANDS - 1


PROGRAM = "from workbench.beats.weights import fitted_digest as d; print(d('network'), d('onsets'))"


def digests(package: Path) -> list[str]:
    """Of the network's tracker and of the other, as a copy of the package tells them in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-B", "-c", PROGRAM]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=package.parent
    ).stdout.split()


def train_anew(package: Path) -> None:
    path = package / "models" / "beat_network.npz"
    with np.load(path) as packed:
        layers = dict(packed)
    layers["heads_bias"] = layers["heads_bias"] + np.float16(0.01)
    np.savez(path, **layers)


def refit(package: Path) -> None:
    path = package / "models" / "beat_readings.json"
    numbers = json.loads(path.read_text())
    path.write_text(json.dumps(numbers | {"onsets": {**numbers["onsets"], "nats": {}}}))


@pytest.mark.parametrize(("change", "changed"), [(train_anew, [True, False]), (refit, [False, True])])
def test_other_weights_have_another_digest(change: Callable[[Path], None], changed: list[bool], tmp_path: Path) -> None:
    source = Path(str(workbench.__file__)).parent
    package = Path(shutil.copytree(source, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__")))
    before = digests(package)
    assert before == [fitted_digest("network"), fitted_digest("onsets")]
    change(package)
    assert [one != other for one, other in zip(before, digests(package), strict=True)] == changed
