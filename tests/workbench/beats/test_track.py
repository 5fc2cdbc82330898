"""Beats of whole recordings, by our tracker and by others."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench import extensions
from workbench.analysis import protocols
from workbench.analysis.protocols import ask_tracker
from workbench.beats.grid import BeatGrid
from workbench.beats.track import gather, track_beats, track_beats_in, track_gathered
from workbench.errors import GridError, MediaError, ParameterError
from workbench.features.spectrum import analyze_spectrum
from workbench.lab.extension_suites import click_track
from workbench.params import BeatParams
from workbench.plans.refusals import SURE_CONFIDENCE
from workbench.recording import Recording

RATE = 44_100
BUNDLED = Path(__file__).parents[3] / "data" / "bundled"
Times = NDArray[np.float64]


def drum(kind: str) -> NDArray[np.float32]:
    t = np.arange(round(0.12 * RATE)) / RATE
    noise = np.random.default_rng(7).normal(size=t.size)
    sounds = {
        "kick": np.sin(2 * np.pi * 60 * t) * np.exp(-t / 0.05),
        "snare": (0.5 * noise + np.sin(2 * np.pi * 190 * t)) * np.exp(-t / 0.04) * 0.6,
        "hat": np.diff(noise, append=0.0) * np.exp(-t / 0.01) * 0.15,
    }
    return (0.5 * sounds[kind]).astype(np.float32)


def note(midi: float, seconds: float) -> NDArray[np.float32]:
    t = np.arange(round(seconds * RATE)) / RATE
    tone = sum(np.sin(2 * np.pi * k * 440 * 2 ** ((midi - 69) / 12) * t) / k for k in range(1, 5))
    return (0.12 * tone * np.exp(-t / 0.6) * np.minimum(t / 0.003, 1.0)).astype(np.float32)


def put(sound: NDArray[np.float32], at: float, what: NDArray[np.float32]) -> None:
    start = round(at * RATE)
    if start < sound.size:
        sound[start : start + what.size] += what[: sound.size - start]


def band(beats: Times, metre: int, parts: Mapping[str, Sequence[float]], first: int = 1) -> NDArray[np.float32]:
    """A bar pattern played over beats: each part's places in beats; bass and a chord a bar from a four-bar row."""
    sound = np.zeros(round((beats[-1] + 1.5) * RATE), dtype=np.float32)
    sound += 1e-4 * np.random.default_rng(3).normal(size=sound.size).astype(np.float32)
    places = np.arange(beats.size)
    roots = (45, 41, 48, 43)
    for k in range(beats.size):
        if (k + first - 1) % metre:
            continue
        bar = (k + first - 1) // metre
        for name, steps in parts.items():
            for step in steps:
                if k + step <= places[-1]:
                    put(sound, float(np.interp(k + step, places, beats)), drum(name))
        length = float(beats[min(k + metre, beats.size - 1)] - beats[k]) or 1.0
        for interval in (-12, 0, 4 if bar % 4 else 3, 7):
            put(sound, beats[k], note(roots[bar % 4] + interval, length))
    return sound


ROCK: dict[str, Sequence[float]] = {"kick": [0, 2], "snare": [1, 3], "hat": [k / 2 for k in range(8)]}
WALTZ: dict[str, Sequence[float]] = {"kick": [0], "snare": [], "hat": [1, 2]}
COMPOUND: dict[str, Sequence[float]] = {"kick": [0], "snare": [1], "hat": [k / 3 for k in range(6)]}


def hit(found: NDArray[np.floating], wanted: NDArray[np.floating], tolerance_s: float) -> float:
    """Share of wanted times that were found."""
    return float(np.mean([np.abs(found - time).min() <= tolerance_s for time in wanted])) if found.size else 0.0


@pytest.mark.parametrize(("bpm", "kind"), [(60, "hat"), (97, "kick"), (120, "impulse"), (143.7, "snare")])
def test_a_click_beats_where_it_clicks(bpm: float, kind: str) -> None:
    beats = np.arange(0.3, 20.0, 60 / bpm)
    sound = np.zeros(21 * RATE, dtype=np.float32)
    struck = np.ones(1, dtype=np.float32) if kind == "impulse" else drum(kind)
    for beat in beats:
        put(sound, beat, struck * np.linspace(1.0, 0.0, struck.size, dtype=np.float32))
    grid = track_beats(sound, RATE)
    assert grid.tempo_bpm == pytest.approx(bpm, rel=2e-3)
    assert grid.beats.size == beats.size
    assert np.median(grid.beats - beats) == pytest.approx(0.0, abs=0.0005)
    assert hit(grid.beats, beats, 0.001) == 1.0


def paced(start: float, *parts: tuple[int, float]) -> Times:
    """Beats from `start` on, so many at each tempo in BPM."""
    return start + np.concatenate(([0.0], np.cumsum([60 / bpm for count, bpm in parts for _ in range(count)])))


SLOWING = [(1, 104 / (1 + 0.25 * k / 8)) for k in range(1, 9)]


@pytest.mark.parametrize(
    ("beats", "metre", "parts", "tolerance", "shares"),
    [
        (np.arange(0.5, 28.0, 60 / 84), 4, ROCK, 0.010, (0.97, 0.97)),
        (np.arange(0.5, 28.0, 60 / 126), 4, ROCK, 0.010, (0.97, 0.97)),
        (np.arange(0.5, 28.0, 60 / 168), 4, ROCK, 0.010, (0.97, 0.97)),
        (np.arange(0.2, 30.0, 60 / 132), 3, WALTZ, 0.015, (0.0, 0.95)),
        (np.arange(0.4, 36.0, 60 / 70), 2, COMPOUND, 0.015, (0.0, 0.95)),
        (paced(0.5, (32, 112), (39, 124)), 4, ROCK, 0.020, (0.95, 0.9)),
        (paced(0.5, (32, 92), (64, 138), (24, 92)), 4, ROCK, 0.070, (0.9, 0.85)),
        (paced(0.3, (53, 160), (66, 200)), 4, ROCK, 0.020, (0.97, 0.95)),
        (paced(0.5, (52, 104), *SLOWING), 4, {"kick": [0, 2], "snare": [1, 3]}, 0.070, (0.95, 0.0)),
    ],
    ids=["rock 84", "rock 126", "rock 168", "waltz", "six-eight", "change", "leap and back", "step", "ritardando"],
)
def test_a_band_is_heard_as_it_plays(
    beats: Times, metre: int, parts: dict[str, Sequence[float]], tolerance: float, shares: tuple[float, float]
) -> None:
    grid = track_beats(band(beats, metre, parts), RATE)
    assert hit(grid.beats, beats, tolerance) >= shares[0]
    assert hit(grid.downbeats, beats[::metre], tolerance) >= shares[1]
    assert hit(beats, grid.beats, tolerance) >= 0.9
    assert grid.beats_per_bar == metre or not shares[1]
    if np.ptp(np.diff(beats)) < 1e-9:
        assert hit(beats[::metre], grid.downbeats, tolerance) >= 0.9
        assert metre != 4 or grid.confidence > SURE_CONFIDENCE


@pytest.mark.parametrize("bpm", [172, 188])
def test_quick_music_whose_harmony_changes_every_second_bar_is_not_read_at_half_its_tempo(bpm: float) -> None:
    beats = np.arange(0.3, 40.0, 60 / bpm)
    over_two_bars = {name: [step + bar for bar in (0, 4) for step in steps] for name, steps in ROCK.items()}
    grid = track_beats(band(beats, 8, over_two_bars), RATE)
    assert grid.tempo_bpm == pytest.approx(bpm, rel=0.01)
    assert grid.beats_per_bar == 4
    assert hit(grid.downbeats, beats[::4], 0.020) >= 0.95


@pytest.mark.parametrize("gain", [0.01, 0.5])
def test_gain_changes_no_beat(gain: float) -> None:
    beats = np.arange(0.5, 20.0, 0.5)
    sound = band(beats, 4, ROCK)
    loud, soft = track_beats(sound, RATE), track_beats(sound * np.float32(gain), RATE)
    np.testing.assert_allclose(loud.beats, soft.beats, atol=1e-3)
    np.testing.assert_array_equal(loud.positions, soft.positions)


def test_the_same_sound_gives_the_same_grid_by_every_way_in() -> None:
    sound = band(np.arange(0.5, 16.0, 0.5), 4, ROCK)
    first, second = track_beats(sound, RATE), track_beats(Recording.from_samples(sound, RATE))
    third = track_beats_in(analyze_spectrum(sound, RATE), BeatParams())
    for other in (second, third):
        np.testing.assert_array_equal(first.beats, other.beats)
        np.testing.assert_array_equal(first.positions, other.positions)
        assert first.confidence == other.confidence


def test_the_spectrogram_is_not_held_while_beats_are_tracked() -> None:
    sound = band(np.arange(0.5, 20.0, 0.5), 4, ROCK)
    spectrum = analyze_spectrum(sound, RATE)
    expected = track_beats_in(spectrum)
    power = weakref.ref(spectrum.power)
    gathered = gather(spectrum, BeatParams())
    del spectrum
    assert power() is None
    np.testing.assert_array_equal(track_gathered(gathered, BeatParams()).beats, expected.beats)


def test_another_sample_rate_gives_the_same_beats() -> None:
    beats = np.arange(0.5, 16.0, 0.5)
    sound = band(beats, 4, ROCK)
    half = np.ascontiguousarray(0.5 * (sound[0::2][: sound.size // 2] + sound[1::2][: sound.size // 2]))
    assert hit(track_beats(half, RATE // 2).beats, beats, 0.012) >= 0.95


@pytest.mark.parametrize("n_samples", [0, 1, 100, RATE // 2, RATE, 3 * RATE, 12 * RATE])
def test_what_is_too_short_or_silent_has_no_beats(n_samples: int) -> None:
    grid = track_beats(np.zeros(n_samples, dtype=np.float32), RATE)
    assert grid.beats.size == 0
    assert grid.confidence == 0.0


@pytest.mark.parametrize("n_samples", [1, 100, RATE // 2, 2 * RATE])
def test_a_scrap_of_sound_gives_a_grid_or_none(n_samples: int) -> None:
    scrap = np.random.default_rng(2).normal(size=n_samples).astype(np.float32)
    assert isinstance(track_beats(scrap, RATE), BeatGrid)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("rate", [RATE, RATE // 2])
def test_samples_that_are_no_sound_are_refused_in_words(bad: float, rate: int) -> None:
    sound = np.random.default_rng(0).normal(size=(2, 8 * rate)).astype(np.float32)
    sound[1, 6 * rate] = bad
    with pytest.raises(MediaError, match=r"(5\.9|6\.0).* finite"):
        track_beats(Recording.from_samples(sound, rate))


def test_noise_and_a_drone_are_not_trusted() -> None:
    noise = np.random.default_rng(0).normal(size=30 * RATE).astype(np.float32) * np.float32(0.2)
    t = np.arange(30 * RATE) / RATE
    low, high = (np.sin(2 * np.pi * hz * t) * (1 + 0.5 * np.sin(2 * np.pi * t / p)) for hz, p in ((110, 7), (165, 11)))
    threshold = SURE_CONFIDENCE
    assert track_beats(noise, RATE).confidence < threshold
    assert track_beats((0.2 * (low + high)).astype(np.float32), RATE).confidence < threshold


def test_notes_in_free_time_are_not_trusted() -> None:
    rng = np.random.default_rng(4)
    times = np.cumsum(rng.choice([0.4, 0.8, 1.3], 40) * np.exp(rng.normal(0, 0.3, 40)))
    sound = np.zeros(round((times[-1] + 2) * RATE), dtype=np.float32)
    for time in times:
        put(sound, time, note(int(rng.integers(48, 72)), 1.2))
    assert track_beats(sound, RATE).confidence < SURE_CONFIDENCE


@pytest.mark.parametrize("name", ["harbour_lights", "tidewater"])
def test_written_beats_of_bundled_tracks_are_found(name: str) -> None:
    import soundfile

    samples, rate = soundfile.read(BUNDLED / "music" / f"{name}.ogg", dtype="float32", always_2d=True)
    truth = json.loads((BUNDLED / "truth" / f"{name}.jams").read_text())
    rows = next(a["data"] for a in truth["annotations"] if a["namespace"] == "beat_position")
    beats = np.array([row["time"] for row in rows])
    downbeats = np.array([row["time"] for row in rows if row["value"]["position"] == 1])
    grid = track_beats(Recording.from_samples(samples.T, rate))
    assert hit(grid.beats, beats, 0.07) >= 0.95
    assert hit(beats, grid.beats, 0.07) >= 0.95
    assert hit(grid.downbeats, downbeats, 0.07) >= 0.9
    near = grid.beats[np.argmin(np.abs(grid.beats[None] - beats[:, None]), axis=1)] - beats
    assert np.median(np.abs(near)) < 0.008


@pytest.mark.parametrize(("bpm", "metre"), [(96.0, 4), (128.0, 4), (110.0, 3)])
def test_a_kick_on_the_first_sample_is_the_first_beat(bpm: float, metre: int) -> None:
    """Without the noise of a band before it: the file begins with the attack itself."""
    beats: Times = np.arange(16 * metre, dtype=np.float64) * 60.0 / bpm
    sound = band(beats, metre, {"kick": (0.0,), "snare": (1.0,), "hat": (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)})
    grid = track_beats(sound[: round(16 * metre * 60.0 / bpm * RATE)], RATE)
    assert grid.beats[0] == pytest.approx(0.0, abs=0.002)
    assert grid.positions[0] == 1
    assert grid.beats[1] == pytest.approx(60.0 / bpm, abs=0.01)


def test_music_that_begins_between_two_beats_has_none_at_its_head() -> None:
    beats: Times = 0.2 + np.arange(48, dtype=np.float64) * 0.5
    sound = band(beats, 4, {"kick": (0.0, 2.0), "snare": (1.0, 3.0), "hat": tuple(np.arange(0.0, 4.0, 0.5))})
    assert track_beats(sound, RATE).beats[0] == pytest.approx(0.2, abs=0.02)


class LateTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([0.5, recording.duration + 1.0])


class HalfTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([0.5, 1.0, 1.5, 2.0])


class ReversedTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        return BeatGrid.from_times([1.0, 0.5])


class BrokenTracker:
    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        raise IndexError("no onsets")


def test_a_tracker_that_fails_is_named() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "broken", BrokenTracker)
    with pytest.raises(ParameterError, match="the beat tracker broken failed: IndexError: no onsets"):
        ask_tracker("broken", recording, BeatParams())
    extensions.unregister(extensions.BEAT_TRACKERS, "broken")
    extensions.register(extensions.BEAT_TRACKERS, "reversed", ReversedTracker)
    with pytest.raises(GridError, match=r"the beat tracker reversed gave no grid: .*increase strictly"):
        ask_tracker("reversed", recording, BeatParams())
    extensions.unregister(extensions.BEAT_TRACKERS, "reversed")


def test_what_is_no_tracker_is_said() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "late", LateTracker)
    with pytest.raises(ParameterError, match="no beat tracker nobody; known are workbench"):
        ask_tracker("nobody", recording, BeatParams())
    with pytest.raises(ParameterError, match=r"cannot be loaded: No module named 'nowhere'"):
        ask_tracker("nowhere:Tracker", recording, BeatParams())
    with pytest.raises(ParameterError, match="is no beat tracker"):
        ask_tracker("workbench.beats.grid:BeatGrid.from_times", recording, BeatParams())
    with pytest.raises(GridError, match="after the end"):
        ask_tracker("late", recording, BeatParams())


def test_parameters_choose_the_tracker() -> None:
    recording, _ = click_track(120.0, 8.0)
    extensions.register(extensions.BEAT_TRACKERS, "half", HalfTracker())
    assert protocols.track_beats(recording, params=BeatParams(tracker="half")).beats.tolist() == [0.5, 1.0, 1.5, 2.0]
    assert track_beats(recording).beats.size > 10
