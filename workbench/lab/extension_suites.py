"""One suite of tests for each extension point, which any implementation inherits.

In a file `test_mine.py` beside your module::

    from workbench.lab.extension_suites import BeatTrackerSuite


    class TestMine(BeatTrackerSuite):
        extension = "my_module:MyTracker"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.

Classes: `BeatTrackerSuite`, `SectionFinderSuite`, `VoiceDetectorSuite`, `SeamMeasureSuite`, `MatchTermSuite`,
`ExportFormatSuite`. Their material: `click_track`, `two_parts`, `narration`, `make_video`, `make_columns`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import extensions
from workbench.analysis.protocols import ask_tracker, sections_by
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.export.formats import Format
from workbench.features.descriptors import CONTOUR_PARTS
from workbench.files import bundled_path
from workbench.lab.evaluate import evaluate
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.terms import find_term, term_parts
from workbench.matching.video_facts import Scene, VideoFacts, drive_of, movement_of, pace_of
from workbench.matching.video_ranking import Ranking, rank
from workbench.media.audio import decode, write_audio
from workbench.params import (
    MATCH_PARTS,
    BeatParams,
    MatchParams,
    SeamParams,
    SectionParams,
    VoiceParams,
    WorkbenchParams,
)
from workbench.recording import FloatArray, Recording
from workbench.seams.build_profile import loop_profile
from workbench.seams.measures import breaks_of, features_of, find_measure
from workbench.seams.profile import SEAM_PARTS, LoopProfile
from workbench.store.home import Home
from workbench.video.speech_ranges import Utterances
from workbench.video.utterances import utterances_in
from workbench.workflows.export import export_plan
from workbench.workflows.mix import measure_soundtrack
from workbench.workflows.splice import plan_of

SPOKEN: Utterances = ((0.4, 5.2), (6.0, 11.17))
"""s, when two sentences of `narration` are spoken"""
_RATE = 22_050
_BEAT = 0.5
_FIRST, _SECONDS = 20.0, 12.0
_SEGMENTS = ((0.25, 16.25), (8.25, 24.25))


class _Suite:
    """What all suites have."""

    group: str
    extension: str
    """its name, as parameters and options take it"""

    def test_it_is_found(self) -> None:
        """Whether the name leads to an implementation of the Protocol."""
        extensions.find(self.group, self.extension)


def click_track(bpm: float, seconds: float = 30.0, per_bar: int = 4) -> tuple[Recording, FloatArray]:
    """Clicks over a soft bass note a bar, the first of each bar lower and louder, and the times of the clicks, s."""
    times = np.arange(0.25, seconds - 0.5, 60.0 / bpm)
    sound = np.zeros(round(seconds * _RATE))
    t = np.arange(round(0.2 * _RATE)) / _RATE
    for number, at in enumerate(times):
        opens = number % per_bar == 0
        click = (0.8 if opens else 0.4) * np.sin(2 * np.pi * (90.0 if opens else 1800.0) * t) * np.exp(-30.0 * t)
        first = round(at * _RATE)
        sound[first : first + t.size] += click[: sound.size - first]
    return Recording.from_samples(sound.astype(np.float32), _RATE), times


class BeatTrackerSuite(_Suite):
    """Tests that every beat tracker passes."""

    group = extensions.BEAT_TRACKERS
    least_f = 0.8  # F-measure at 70 ms on clicks that any usable tracker reaches

    def _track(self, recording: Recording) -> BeatGrid:
        return ask_tracker(self.extension, recording, BeatParams())

    def test_clicks_are_tracked(self) -> None:
        """Whether plain clicks are found, at whichever multiple of the tempo people tap."""
        for bpm in (90.0, 120.0):
            recording, times = click_track(bpm)
            grid = self._track(recording)
            tapped = (times, times[::2], times[1::2])
            assert max(evaluate(grid, one)["beat_f"] for one in tapped) >= self.least_f, bpm

    def test_beats_are_counted_from_downbeats(self) -> None:
        """Whether there are bars."""
        grid = self._track(click_track(120.0)[0])
        assert grid.downbeats.size >= 2
        assert 0.0 <= grid.confidence <= 1.0

    def test_silence_and_very_short_sound_have_no_false_beats(self) -> None:
        """Whether music without a pulse is an answer and not an error."""
        for seconds in (0.1, 4.0):
            silence = Recording.from_samples(np.zeros(round(seconds * _RATE), dtype=np.float32), _RATE)
            grid = self._track(silence)
            assert grid.beats.size == 0 or grid.confidence < 1.0

    def test_channels_and_rate_do_not_matter(self) -> None:
        """Whether stereo at another rate gives the same beats."""
        recording, _ = click_track(120.0)
        loud = np.repeat(recording.samples, 2, axis=0)
        stereo = Recording.from_samples(np.repeat(loud, 2, axis=1), 2 * _RATE)
        assert evaluate(self._track(stereo), self._track(recording))["beat_f"] >= self.least_f

    def test_the_same_sound_has_the_same_beats(self) -> None:
        """Whether nothing is drawn by chance: a cached grid must be what a new one would be."""
        recording, _ = click_track(100.0)
        np.testing.assert_array_equal(self._track(recording).beats, self._track(recording).beats)


def two_parts() -> tuple[Recording, BeatGrid]:
    """Sixteen bars at 120 BPM with their grid: four of a low rough tone, four of a high pure one, and both again."""
    t = np.arange(round(_BEAT * _RATE)) / _RATE
    low = sum(np.sin(2 * np.pi * 110.0 * k * t) / k for k in range(1, 9)) * np.exp(-3.0 * t)
    high = np.sin(2 * np.pi * 660.0 * t) * np.exp(-3.0 * t)
    beats = [low if (number // 16) % 2 == 0 else high for number in range(64)]
    sound = 0.3 * np.concatenate([*beats, np.zeros(_RATE)])
    return Recording.from_samples(sound.astype(np.float32), _RATE), BeatGrid.from_times(_BEAT * np.arange(64))


def _few_bars(n_bars: int) -> tuple[Recording, BeatGrid]:
    """The first bars of `two_parts`."""
    recording, grid = two_parts()
    samples = recording.samples[:, : round((4 * n_bars * 0.5 + 0.4) * recording.sample_rate)]
    return Recording.from_samples(samples, recording.sample_rate), BeatGrid.from_times(grid.beats[: 4 * n_bars])


class SectionFinderSuite(_Suite):
    """Tests that every section finder passes."""

    group = extensions.SECTION_FINDERS
    most_bars_off = 1  # bars by which it may miss the border between two parts that have nothing in common

    def _profile(self, recording: Recording, grid: BeatGrid) -> LoopProfile:
        return loop_profile(recording, grid, find=sections_by(SectionParams(finder=self.extension)))

    def test_a_border_between_different_sounds_is_found(self) -> None:
        """Whether sixteen bars of two sounds in turn are parted where the sound changes."""
        borders = [one.first_bar for one in self._profile(*two_parts()).sections]
        for bar in (4, 8, 12):
            assert min(abs(bar - border) for border in borders) <= self.most_bars_off, borders

    def test_every_bar_is_in_one_section(self) -> None:
        """Whether sections hold all bars, of short music and of silence too."""
        silent = Recording.from_samples(np.zeros(8 * 22_050, dtype=np.float32), 22_050)
        for recording, grid in (two_parts(), _few_bars(2), (silent, BeatGrid.from_times(0.5 * np.arange(16)))):
            profile = self._profile(recording, grid)
            held = [bar for one in profile.sections for bar in range(one.first_bar, one.last_bar)]
            assert held == list(range(profile.downbeats.size))

    def test_the_same_sound_has_the_same_sections(self) -> None:
        """Whether nothing is drawn by chance: cached sections must be what new ones would be."""
        assert self._profile(*two_parts()).sections == self._profile(*two_parts()).sections


def narration() -> tuple[FloatArray, int]:
    """Twelve seconds of the bundled narration, two sentences and a pause: samples of shape (1, n), rate in Hz."""
    voice = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    rate = voice.sample_rate
    return voice.mono()[np.newaxis, round(_FIRST * rate) : round((_FIRST + _SECONDS) * rate)], rate


class VoiceDetectorSuite(_Suite):
    """Tests that every voice detector passes; one that reads labels overrides `prepare`, which writes them."""

    group = extensions.VOICE_DETECTORS
    least_overlap = 0.8  # intersection over union of spoken and found seconds

    def prepare(self, video: Path, spoken: Utterances) -> None:
        """Write what the detector reads beside the video; most need nothing.

        `spoken` are its utterances, in seconds.
        """

    def _found(self, folder: Path, samples: FloatArray, rate: int, spoken: Utterances) -> Utterances:
        video = write_audio(folder / "sound.wav", [samples], rate, samples.shape[0])
        self.prepare(video, spoken)
        voice = VoiceParams(detector=self.extension)
        with Workspace(Home(folder / "home"), WorkbenchParams(voice=voice)) as workspace:
            return utterances_in(measure_soundtrack(workspace, video), samples.shape[1] / rate, voice)

    def test_speech_is_found(self) -> None:
        """Whether two sentences are detected where they are spoken, and the pause between them is none of them."""
        with TemporaryDirectory() as folder:
            found = self._found(Path(folder), *narration(), SPOKEN)
        hundredths = np.arange(0.0, _SECONDS, 0.01)
        spoken, detected = (
            np.any([(hundredths >= start) & (hundredths < end) for start, end in which], axis=0)
            for which in (SPOKEN, found or ((0.0, 0.0),))
        )
        assert np.sum(spoken & detected) >= self.least_overlap * np.sum(spoken | detected), found

    def test_silence_and_noise_are_no_speech(self) -> None:
        """Whether a soundtrack without speech has no utterance, and a very short one is no error."""
        rate = 16_000
        noise = 0.02 * np.random.default_rng(3).standard_normal((1, 4 * rate)).astype(np.float32)
        for samples in (np.zeros_like(noise), noise, noise[:, : rate // 20]):
            with TemporaryDirectory() as folder:
                assert self._found(Path(folder), samples, rate, ()) == ()

    def test_channels_do_not_matter_and_the_answer_is_the_same(self) -> None:
        """Whether a stereo sound has the same utterances, and nothing is drawn by chance."""
        samples, rate = narration()
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            mono = self._found(Path(one), samples, rate, SPOKEN)
            stereo = self._found(Path(other), np.repeat(samples, 2, axis=0), rate, SPOKEN)
        np.testing.assert_allclose(np.array(mono), np.array(stereo), atol=0.05)


class SeamMeasureSuite(_Suite):
    """Tests that every seam measure passes."""

    group = extensions.SEAM_MEASURES

    def _params(self, weight: float = 1.0) -> SeamParams:
        return SeamParams(measures=(f"{self.extension}={weight}",))

    def test_it_says_what_it_is(self) -> None:
        """Whether it has words for people."""
        found = find_measure(self.extension)
        assert found.unit
        assert found.description

    def test_the_same_place_is_no_break(self) -> None:
        """Whether a splice that changes nothing has a break of 0, and others are finite and not negative."""
        (measured,) = features_of(*two_parts(), self._params())
        lines = np.arange(0, 64, 4)
        breaks = breaks_of(measured, lines, lines)
        np.testing.assert_allclose(np.diag(breaks), 0.0, atol=1e-6)

    def test_some_of_the_pairs_do_not_hide_others(self) -> None:
        """Whether the break of a pair is the same whichever others are asked for."""
        (measured,) = features_of(*two_parts(), self._params())
        lines = np.arange(0, 64, 4)
        whole = breaks_of(measured, lines, lines)
        np.testing.assert_allclose(breaks_of(measured, lines[3:5], lines[6:7]), whole[3:5, 6:7], atol=1e-6)

    def test_its_part_stands_behind_ours_and_a_weight_lowers_scores(self) -> None:
        """Whether it takes part in the score: nothing with a weight of 0, and no score is better for more of it."""
        recording, grid = two_parts()
        without = loop_profile(recording, grid).splices
        unweighed = loop_profile(recording, grid, self._params(0.0)).splices
        weighed = loop_profile(recording, grid, self._params(2.0)).splices
        assert unweighed.parts.shape[1] == len(SEAM_PARTS) + 1
        np.testing.assert_allclose(unweighed.score, without.score, atol=1e-9)
        for leave, enter, score in zip(weighed.leave, weighed.enter, weighed.score, strict=True):
            row = without.row_of(int(leave), int(enter))
            assert row is None or score <= without.score[row] + 1e-9


def make_video(
    seconds: float = 60.0,
    *,
    cuts: Sequence[float] | None = None,
    cuts_per_minute: float = 15.0,
    motion: Sequence[float] = (0.1,),
    brightness: float = 0.4,
    colourfulness: float = 0.1,
    speech: float = 0.0,
) -> VideoFacts:
    """Facts of a video with equally long scenes, one for every given motion, in picture heights a second.

    Without `cuts` there are `cuts_per_minute`, evenly spaced. Brightness and colourfulness are 0 to 1, `speech` is the
    share of the video's time with speech.
    """
    spacing = 60.0 / cuts_per_minute
    at = np.arange(spacing, seconds, spacing) if cuts is None else np.asarray(cuts, dtype=np.float64)
    edges = np.linspace(0.0, seconds, len(motion) + 1)
    pace = float(pace_of(60.0 * at.size / seconds))
    scenes = tuple(
        Scene(float(start), float(end), 60.0 * at.size / seconds, moved, brightness, colourfulness,
              float(drive_of(pace, movement_of(moved))))
        for start, end, moved in zip(edges[:-1], edges[1:], motion, strict=True)
    )  # fmt: skip
    mean = float(np.mean(motion))
    return VideoFacts(
        seconds, at, mean, brightness, colourfulness, 0.15, -35.0, speech, round(20 * speech),
        "voice" if speech else "ambient", scenes, pace, float(movement_of(mean)),
    )  # fmt: skip


def make_columns(**numbers: Sequence[float]) -> Columns:
    """Tracks that are alike but for the columns given, a value a track; `contour` takes a row a track.

    There are as many tracks as the longest column has values.
    """
    rows = max(len(values) for values in numbers.values())
    usual = {
        "bpm": 110.0, "energy": 0.5, "brightness": 0.5, "density": 3.0, "mode": 0.5, "lufs": -14.0, "duration": 120.0,
        "vocals": 0.0, "drums": 0.5, "speech_band": 0.1, "loopable": 0.8, "dynamics": 6.0,
        "key_clarity": np.nan, "words_energy": np.nan, "words_valence": np.nan,
    }  # fmt: skip
    base = empty_columns(np.array([f"trk_{k:03d}" for k in range(rows)], dtype=object))
    given: dict[str, NDArray[Any]] = {
        name: np.asarray(numbers.get(name, [value] * rows), dtype=np.float32) for name, value in usual.items()
    }
    contour = np.asarray(numbers.get("contour", np.full((rows, CONTOUR_PARTS), 0.5)), dtype=np.float16)
    return replace(base, **given, beats_per_bar=np.full(rows, 4, dtype=np.int8), contour=contour)


def _many() -> Columns:
    """Forty tracks of all kinds; of the last four nothing is known."""
    dice = np.random.default_rng(7)
    ranges = {
        "bpm": (60.0, 180.0), "energy": (0.0, 1.0), "brightness": (0.0, 1.0), "density": (1.0, 10.0),
        "mode": (-1.0, 1.0), "lufs": (-24.0, -8.0), "duration": (20.0, 400.0), "vocals": (0.0, 1.0),
        "drums": (0.0, 1.0), "loopable": (0.0, 1.0),
    }  # fmt: skip
    known = {name: dice.uniform(low, high, 36).tolist() for name, (low, high) in ranges.items()}
    return make_columns(**{name: [*values, *[float("nan")] * 4] for name, values in known.items()})


class MatchTermSuite(_Suite):
    """Tests that every match term passes."""

    group = extensions.MATCH_TERMS

    def _params(self, weight: float = 0.2) -> MatchParams:
        return MatchParams(terms=(f"{self.extension}={weight}",))

    def _ranking(self, video: VideoFacts, params: MatchParams) -> Ranking:
        return rank(video, _many(), 40, params)

    def test_it_says_what_it_is(self) -> None:
        """Whether it has words for people, and its usual value is a part."""
        found = find_term(self.extension)
        assert found.description
        assert 0.0 < found.usual <= 1.0

    def test_every_pair_has_a_part(self) -> None:
        """Whether parts lie in 0 to 1 for all videos, also for tracks about which nothing is known."""
        tracks = _many()
        for video in (make_video(1.0), make_video(3600.0, cuts=()), make_video(60.0, motion=(0.0, 1.0), speech=1.0)):
            (part,) = term_parts(video, tracks, self._params()).values()
            assert np.all((part >= 0.0) & (part <= 1.0))

    def test_a_track_is_compared_by_itself(self) -> None:
        """Whether the part of a track is the same whichever others are asked for: a catalog is read in pieces."""
        tracks, video = _many(), make_video()
        (whole,) = term_parts(video, tracks, self._params()).values()
        (some,) = term_parts(video, tracks.take(np.array([3, 39, 8])), self._params()).values()
        np.testing.assert_allclose(some, whole[[3, 39, 8]], atol=1e-6)

    def test_its_part_stands_behind_ours_and_its_weight_counts(self) -> None:
        """Whether it takes part in the score: not at all with a weight of 0."""
        video = make_video()
        without, unweighed = (self._ranking(video, params) for params in (MatchParams(), self._params(0.0)))
        np.testing.assert_array_equal(unweighed.rows, without.rows)
        np.testing.assert_allclose(unweighed.raw, without.raw, rtol=1e-6)
        assert list(unweighed.parts) == [*(name for name in MATCH_PARTS if name != "sync"), self.extension]
        heavy = self._ranking(video, self._params(50.0))
        parts = np.maximum(heavy.parts[self.extension], 0.02)
        assert np.all(np.diff(parts) <= 0.2)


def _named(folder: str) -> bytes:
    """The last part of a folder's path, which is the same however a format writes paths."""
    return Path(folder).name.encode()


class ExportFormatSuite(_Suite):
    """Tests that every export format passes."""

    group = extensions.EXPORT_FORMATS

    @property
    def _format(self) -> Format:
        found: Format = extensions.find(self.group, self.extension)
        return found

    def _written(self, folder: Path, *, with_track: bool = True) -> bytes:
        """The file that it writes for a plan with one seam."""
        recording, _ = click_track(120.0)
        track = write_audio(folder / "track.wav", [recording.samples], recording.sample_rate, 1)
        plan = plan_of(_SEGMENTS, recording).plan
        out = folder / f"out{self._format.suffix or track.suffix}"
        with Workspace(Home(folder / "home")) as workspace:
            export_plan(workspace, plan, self.extension, out, track=track if with_track else None)
        return out.read_bytes()

    def test_it_says_what_it_is(self) -> None:
        """Whether it has words for people."""
        form = self._format
        assert form.title
        assert form.what.endswith(".")
        assert form.suffix is None or form.suffix.startswith(".")
        assert not form.limits or form.limits.endswith(".")

    def test_a_plan_is_written_and_nothing_else(self) -> None:
        """Whether one file appears, and the track stays as it is."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            written = self._written(folder)
            assert written
            others = {path.name for path in folder.iterdir()} - {"track.wav", "home"}
            assert len(others) == 1, others

    def test_the_same_plan_is_written_the_same(self) -> None:
        """Whether two exports of one plan do not differ but in the folder that they name."""
        with TemporaryDirectory() as first, TemporaryDirectory() as second:
            one, other = (self._written(Path(name)).replace(_named(name), b"FOLDER") for name in (first, second))
            assert one == other

    def test_a_track_that_it_needs_is_asked_for(self) -> None:
        """Whether it is written without a track, or refuses exactly because it says that it needs one."""
        complaint = ""
        with TemporaryDirectory() as name:
            try:
                written = self._written(Path(name), with_track=False)
            except ParameterError as error:
                written, complaint = b"", str(error)
        assert bool(written) != self._format.needs_track
        assert ("track" in complaint) == self._format.needs_track
