"""Landmarks of music that was made to have them, and of a bundled track with a written form."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.align.landmarks import (
    LandmarkInput,
    Landmarks,
    find_landmarks,
    landmarks_from_arrays,
    landmarks_to_arrays,
    onset_instant,
)
from workbench.analysis.landmarks import track_landmarks
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.files import bundled_path
from workbench.params import LandmarkParams
from workbench.recording import Recording
from workbench.store.home import Home

RATE = 44_100
BEAT = 0.5
START = 0.25
FORM = "ffffffffbbbbffffffff"
"""a bar each: full, or a break without kick and bass"""


def band(form: str, *, last_chord: bool = True, extra_hit: float | None = None) -> Recording:
    """Kick, bass, hi-hat and a held chord at 120 BPM, then a chord that rings out."""
    generator = np.random.default_rng(1)
    sound = np.zeros(round((START + len(form) * 4 * BEAT + 6.0) * RATE))

    def add(at: float, tone: NDArray[np.float64]) -> None:
        first = round(at * RATE)
        sound[first : first + tone.size] += tone[: sound.size - first]

    t = np.arange(round(0.3 * RATE)) / RATE
    kick = 0.8 * np.sin(2 * np.pi * (55 * t + 3 * (1 - np.exp(-t * 40)))) * np.exp(-t * 12)
    hat = 0.05 * generator.standard_normal(t.size) * np.exp(-t * 90)
    held = np.arange(round(4 * BEAT * RATE)) / RATE
    bass = 0.25 * np.sin(2 * np.pi * 55 * held) * np.minimum(1.0, held / 0.01)
    chord = 0.05 * sum(np.sin(2 * np.pi * hz * held) for hz in (220.0, 277.2, 329.6))
    for bar, part in enumerate(form):
        at = START + bar * 4 * BEAT
        add(at, np.asarray(chord))
        for beat in range(4):
            add(at + beat * BEAT, hat)
            if part == "f":
                add(at + beat * BEAT, kick)
        if part == "f":
            add(at, bass)
    if last_chord:
        long = np.arange(5 * RATE) / RATE
        ringing = 0.4 * sum(np.sin(2 * np.pi * hz * long) for hz in (55.0, 220.0, 277.2)) * np.exp(-long * 1.5)
        add(START + len(form) * 4 * BEAT, np.asarray(ringing) * np.minimum(1.0, long / 0.002))
    if extra_hit is not None:
        add(extra_hit, 0.6 * generator.standard_normal(t.size) * np.exp(-t * 18))
    return Recording.from_samples((0.5 * sound).astype(np.float32), RATE)


def landmarks_of(
    recording: Recording, form: str, *, ends: bool = True, params: LandmarkParams | None = None
) -> Landmarks:
    spectrum = analyze_spectrum(recording.samples, recording.sample_rate)
    beats = START + BEAT * np.arange(4 * len(form))
    grid = BeatGrid(beats, np.tile([1, 2, 3, 4], len(form)), 4, confidence=0.9)
    borders = START + 4 * BEAT * np.array(
        [k for k in range(len(form)) if k == 0 or form[k] != form[k - 1]], dtype=float
    )
    return find_landmarks(LandmarkInput(recording, spectrum, detect_onsets(spectrum), grid, borders, ends), params)


@pytest.fixture(scope="module")
def played() -> Landmarks:
    return landmarks_of(band(FORM), FORM)


def at_bar(bar: int) -> float:
    return START + bar * 4 * BEAT


def test_the_break_and_the_drop_are_where_they_were_written(played: Landmarks) -> None:
    assert played.marks.of("break") == pytest.approx([at_bar(8)], abs=0.04)
    assert played.marks.of("drop") == pytest.approx([at_bar(12)], abs=0.005)


def test_the_ending_is_the_last_chord_and_the_last_sound_comes_after(played: Landmarks) -> None:
    assert played.marks.of("ending") == pytest.approx([at_bar(len(FORM))], abs=0.005)
    assert played.marks.of("last sound")[0] == pytest.approx(played.last_sound)
    assert at_bar(len(FORM)) + 2.0 < played.last_sound <= played.track_seconds
    assert played.marks.times.max() == played.last_sound


def test_every_bar_opens_with_a_landmark(played: Landmarks) -> None:
    times = played.marks.times
    for bar in range(len(FORM)):
        assert np.abs(times - at_bar(bar)).min() < 0.04


def test_a_drop_is_noticed_more_than_a_bar_line(played: Landmarks) -> None:
    marks = played.marks
    names = [marks.name_of(k) for k in range(len(marks))]
    assert marks.salience[names.index("drop")] > 3 * marks.salience[names.index("downbeat")]


def test_music_that_just_goes_on_has_bar_lines_only() -> None:
    found = landmarks_of(band("f" * 16), "f" * 16)
    names = {found.marks.name_of(k) for k in range(len(found.marks))}
    assert names == {"downbeat", "ending", "last sound"}


def test_a_lone_hit_is_a_stab() -> None:
    recording = band("b" * 8, last_chord=False, extra_hit=at_bar(5))
    found = landmarks_of(recording, "b" * 8, ends=False)
    assert found.marks.of("stab") == pytest.approx([at_bar(5)], abs=0.004)
    assert found.marks.of("ending").size == 0


def test_neither_the_click_of_a_cut_nor_the_beating_of_a_chord_is_the_last_chord() -> None:
    """The last chord beats twice a second as it rings, and is cut off while it still sounds."""
    sound = np.array(band(FORM).samples[0], dtype=np.float64)
    chord = round(at_bar(len(FORM)) * RATE)
    ringing = np.arange(sound.size - chord) / RATE
    sound[chord:] *= 1.0 + 0.3 * np.sin(2 * np.pi * 2.0 * ringing) * np.minimum(1.0, ringing / 0.5)
    cut = sound[: chord + round(5.2 * RATE)].copy()
    cut[-40:] += 0.5 * np.hanning(40)
    found = landmarks_of(Recording.from_samples(cut.astype(np.float32), RATE), FORM)
    assert found.marks.of("ending") == pytest.approx([at_bar(len(FORM))], abs=0.005)


def test_silence_has_no_landmarks() -> None:
    recording = Recording.from_samples(np.zeros((2, 5 * RATE), dtype=np.float32), RATE)
    spectrum = analyze_spectrum(recording.samples, RATE)
    grid = BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4)
    found = find_landmarks(LandmarkInput(recording, spectrum, detect_onsets(spectrum), grid, np.zeros(0), False))
    assert len(found.marks) == 0
    assert found.first_sound == found.last_sound == 0.0


@pytest.mark.parametrize("true", [1.0, 1.0123, 1.0377])
def test_an_onset_is_found_to_the_millisecond_over_a_held_bass(true: float) -> None:
    t = np.arange(3 * RATE) / RATE
    bass = 0.3 * np.sin(2 * np.pi * 60 * t)
    after = np.maximum(t - true, 0.0)
    hit = np.where(t >= true, 0.3 * np.sin(2 * np.pi * 900 * after) * np.exp(-after * 20), 0.0)
    recording = Recording.from_samples((bass + hit).astype(np.float32), RATE)
    assert onset_instant(recording, 1.02) == pytest.approx(true, abs=0.0015)


def test_an_onset_in_silence_or_outside_is_where_it_was_looked_for() -> None:
    silent = Recording.from_samples(np.zeros(RATE, dtype=np.float32), RATE)
    assert onset_instant(silent, 0.5) == 0.5
    assert onset_instant(silent, 7.0) == 7.0


def test_a_gain_changes_no_landmark() -> None:
    recording = band(FORM)
    louder = landmarks_of(Recording.from_samples(0.25 * recording.samples, RATE), FORM)
    same = landmarks_of(recording, FORM)
    inner = slice(0, -1)  # the last sound is measured against a fixed floor
    assert louder.marks.kinds[inner].tolist() == same.marks.kinds[inner].tolist()
    assert louder.marks.times[inner] == pytest.approx(same.marks.times[inner], abs=1e-6)


def test_landmarks_come_back_from_their_arrays(played: Landmarks) -> None:
    arrays = landmarks_to_arrays(played)
    again = landmarks_from_arrays(arrays)
    assert again.marks.times.tolist() == played.marks.times.tolist()
    assert (again.track_seconds, again.first_sound, again.last_sound) == (
        played.track_seconds,
        played.first_sound,
        played.last_sound,
    )


@pytest.mark.parametrize("name", ["first_snow", "slow_tide"])
def test_a_quiet_track_ends_on_its_last_chord_and_drops_only_where_its_parts_begin(name: str, tmp_path: Path) -> None:
    """Both end with a chord that rings for seconds; neither lets the music go for a beat and come back."""
    found = track_landmarks(Workspace(Home(tmp_path)), bundled_path("data", "bundled", "music", f"{name}.ogg"))
    truth = json.loads(bundled_path("data", "bundled", "truth", f"{name}.jams").read_text())
    listed = {a["namespace"]: a["data"] for a in truth["annotations"]}
    assert found.marks.of("ending") == pytest.approx([listed["beat_position"][-1]["time"]], abs=0.03)
    borders = np.array([section["time"] for section in listed["segment_open"]])
    for drop in found.marks.of("drop"):
        assert np.abs(borders - drop).min() < 0.05


def test_drops_of_a_bundled_track_are_where_its_score_has_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Glass Circuit drops twice, at 38.4 s and 76.8 s, after builds without kick, and breaks at 53.76 s."""
    path = bundled_path("data", "bundled", "music", "glass_circuit.ogg")
    found = track_landmarks(Workspace(Home(tmp_path_factory.mktemp("home"))), path)
    truth = json.loads(bundled_path("data", "bundled", "truth", "glass_circuit.jams").read_text())
    sections = next(a for a in truth["annotations"] if a["namespace"] == "segment_open")["data"]
    for label, kind in (("drop", "drop"), ("break", "break")):
        for section in (s for s in sections if s["value"] == label):
            assert np.abs(found.marks.of(kind) - section["time"]).min() < 0.02
