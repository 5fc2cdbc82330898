"""Ours and what a stranger wrote pass the suites that extensions inherit; the stranger is in profiles and results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import librosa
import numpy as np
import pytest
from click.testing import CliRunner

import workbench as wb
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.cli.export import command
from workbench.dashboards.sounds.mix import find_utterances, measure_mix_inputs
from workbench.errors import ParameterError
from workbench.export.formats import Format
from workbench.export.timeline import Timeline
from workbench.features.timbre import beat_edges
from workbench.lab.extension_suites import (
    SPOKEN,
    BeatTrackerSuite,
    ExportFormatSuite,
    MatchTermSuite,
    SeamMeasureSuite,
    SectionFinderSuite,
    VoiceDetectorSuite,
    click_track,
    make_columns,
    make_video,
    narration,
    two_parts,
)
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import rank
from workbench.matching.video_reasons import effects
from workbench.media.audio import write_audio
from workbench.params import BeatParams, MatchParams, SeamParams, SectionParams, VoiceParams, WorkbenchParams
from workbench.plots.match import parts_figure
from workbench.recording import FloatArray, IntArray, Recording
from workbench.seams.profile import SEAM_PARTS
from workbench.store.home import Home
from workbench.store.profiles import load_profile, save_profile
from workbench.structure.sections import BarFeatures, Section
from workbench.video.speech_ranges import Utterances, join_utterances
from workbench.video.utterances import SoundtrackMeasure
from workbench.workflows.beats import map_beats
from workbench.workflows.export import all_formats
from workbench.workflows.mix import measure_soundtrack
from workbench.workflows.splice import plan_of


@pytest.fixture(scope="module", autouse=True)
def strangers() -> None:
    """They are registered until the module ends."""
    extensions.register(extensions.BEAT_TRACKERS, "librosa", LibrosaTracker)
    extensions.register(extensions.EXPORT_FORMATS, "markdown", MARKDOWN)
    extensions.register(extensions.MATCH_TERMS, "short", KeepsItShort)
    extensions.register(extensions.SEAM_MEASURES, "chroma", ChromaTimbre)
    extensions.register(extensions.SECTION_FINDERS, "agglomerative", Agglomerative)
    extensions.register(extensions.VOICE_DETECTORS, "rttm", Rttm)


class LibrosaTracker:
    """The tracker of librosa: dynamic programming over onset strength; bars of four from its first beat."""

    version = 1

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        rate = 22050
        sound = librosa.resample(np.asarray(recording.mono()), orig_sr=recording.sample_rate, target_sr=rate)
        _, beats = librosa.beat.beat_track(y=sound, sr=rate, start_bpm=params.usual_bpm, units="time")
        return BeatGrid.from_times(beats[beats < recording.duration], confidence=0.5)


class MadmomTimes:
    """What madmom's DBNDownBeatTracker wrote for files of one folder: a time and a place in the bar a line."""

    version = 1
    folder = Path()

    def track(self, recording: Recording, params: BeatParams) -> BeatGrid:
        for written in sorted(self.folder.glob("*.csv")):
            sound = written.with_suffix(".flac")
            if hashlib.sha256(sound.read_bytes()).hexdigest() == recording.content_hash:
                times, places = np.loadtxt(written, delimiter=",", ndmin=2).T
                return BeatGrid(times, places.astype(np.int32), int(places.max()), confidence=0.9)
        raise LookupError(f"no beats are written for this sound in {self.folder}")


class TestOwnTracker(BeatTrackerSuite):
    extension = "workbench"


class TestLibrosa(BeatTrackerSuite):
    extension = "librosa"


def test_a_tracker_is_in_profiles_cache_keys_and_results(tmp_path: Path) -> None:
    recording, _ = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    profile = tmp_path / "librosa.toml"
    profile.write_text('[beats]\ntracker = "librosa"\n')
    params = load_profile(profile)
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        theirs = map_beats(workspace, track)
        assert map_beats(workspace, track).cached
        np.testing.assert_array_equal(
            theirs.grid.beats, LibrosaTracker().track(workspace.load_recording(track), params.beats).beats
        )
        ours = map_beats(workspace.with_params(WorkbenchParams()), track)
        assert not ours.cached
        assert theirs.grid.confidence == 0.5
        LibrosaTracker.version = 2
        try:
            assert not map_beats(workspace, track).cached
        finally:
            LibrosaTracker.version = 1


def test_a_tracker_may_read_what_another_program_wrote(tmp_path: Path) -> None:
    recording, times = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    extensions.register(extensions.BEAT_TRACKERS, "madmom", MadmomTimes)
    MadmomTimes.folder = tmp_path
    try:
        with Workspace(Home(tmp_path / "home"), WorkbenchParams(beats=BeatParams(tracker="madmom"))) as workspace:
            with pytest.raises(ParameterError, match="madmom failed: LookupError: no beats are written"):
                map_beats(workspace, track)
            rows = [f"{time:.3f},{number % 3 + 1}\n" for number, time in enumerate(times)]
            track.with_suffix(".csv").write_text("".join(rows))
            grid = map_beats(workspace, track).grid
    finally:
        extensions.unregister(extensions.BEAT_TRACKERS, "madmom")
    np.testing.assert_allclose(grid.beats, times, atol=1e-3)
    assert grid.beats_per_bar == 3


def write_markdown(timeline: Timeline, out: Path) -> None:
    """A table of what is played."""
    rows = [f"| {item.number} | {item.song_from:.3f} | {item.song_to:.3f} |" for item in timeline.items]
    out.write_text("\n".join(["| segment | from, s | to, s |", "|---|---|---|", *rows]) + "\n", encoding="utf-8")


MARKDOWN = Format("markdown", "Markdown", "What is played, as a table.", ".md", write_markdown)


class TestMarkdown(ExportFormatSuite):
    extension = "markdown"


class TestOwnFormats(ExportFormatSuite):
    """Ours, one after another."""

    @pytest.fixture(autouse=True, params=extensions.names(extensions.EXPORT_FORMATS))
    def each(self, request: pytest.FixtureRequest) -> None:
        self.extension = request.param


def test_it_stands_beside_ours() -> None:
    assert list(all_formats())[-1] == "markdown"
    with pytest.raises(ParameterError, match=r"no export format word; known are otio, .*, markdown"):
        extensions.find(extensions.EXPORT_FORMATS, "word")
    with pytest.raises(ParameterError, match="is no export format"):
        extensions.find(extensions.EXPORT_FORMATS, "workbench.beats.grid:SAME_BEAT_SECONDS")


def test_the_command_takes_it(tmp_path: Path) -> None:
    recording, _ = click_track(120.0)
    from workbench.media.audio import write_audio
    from workbench.results.plan import plan_result

    track = write_audio(tmp_path / "track.wav", [recording.samples], recording.sample_rate, 1)
    plan = plan_of([(0.25, 16.25), (8.25, 24.25)], recording).plan
    body = plan_result(plan, video_id="32s", track_id="track.wav", track=None, mix=None).to_json()
    (tmp_path / "plan.json").write_text(json.dumps(body))
    arguments = [str(tmp_path / "plan.json"), "--format", "markdown", "-o", str(tmp_path / "plan.md")]
    arguments += ["--track", str(track), "--home", str(tmp_path / "home")]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "| 2 | 8.250 | 24.250 |" in (tmp_path / "plan.md").read_text()
    wrong = CliRunner().invoke(command, [*arguments[:2], "word", *arguments[3:]])
    assert wrong.exit_code == 2
    assert "'word' is not one of" in wrong.output


class KeepsItShort:
    """A track that is about as long as the video: half as good for each doubling that lies between."""

    usual = 0.5
    description = "about as long as the video"

    def parts(self, video: VideoFacts, columns: Columns) -> FloatArray:
        return np.asarray(0.5 ** np.abs(np.log2(np.asarray(columns.duration, dtype=np.float64) / video.duration)))


class TestShort(MatchTermSuite):
    extension = "short"


def test_it_is_in_profiles_scores_and_pictures(tmp_path: Path) -> None:
    params = MatchParams(terms=("short=0.5",))
    every = WorkbenchParams(match=params)
    assert load_profile(save_profile(every, tmp_path / "short.toml")) == every
    tracks, video = make_columns(duration=[480.0, 60.0, 240.0]), make_video(60.0)
    ranking = rank(video, tracks, 3, params)
    assert ranking.rows.tolist() == [1, 2, 0]
    assert ranking.parts["short"] == pytest.approx([1.0, 0.25, 0.125])
    parts = [{name: float(part[row]) for name, part in ranking.parts.items()} for row in range(3)]
    assert effects(parts[0], params)["short"] > 0 > effects(parts[1], params)["short"]
    figure = parts_figure(["a", "b", "c"], [0.5, 0.4, 0.3], parts, params)
    assert "short" in [text.get_text() for text in figure.legends[0].get_texts()]


class ChromaTimbre:
    """How unlike the colour of the coming bar is, from pitch classes only: 1 - cosine of four beats of chroma."""

    version = 1
    unit = "1"
    description = "the colour goes on"
    least, most = 0.02, 0.5

    def features(self, recording: Recording, grid: wb.BeatGrid) -> FloatArray:
        import librosa

        chroma = librosa.feature.chroma_stft(y=np.asarray(recording.mono()), sr=recording.sample_rate)
        edges = librosa.time_to_frames(beat_edges(grid.beats, recording.duration), sr=recording.sample_rate)
        means = [chroma[:, a : max(b, a + 1)].mean(axis=1) for a, b in pairwise(edges)]
        return np.array([np.mean(means[k : k + 4], axis=0) for k in range(len(means))])

    def breaks(self, features: FloatArray, leaves: IntArray, enters: IntArray) -> FloatArray:
        unit = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9)
        return np.asarray(np.maximum(1.0 - unit[leaves] @ unit[enters].T, 0.0))


class TestChroma(SeamMeasureSuite):
    extension = "chroma"


def test_it_is_in_profiles_caches_tables_and_pictures(tmp_path: Path) -> None:
    recording, grid = two_parts()
    track = write_audio(tmp_path / "track.wav", [recording.samples], recording.sample_rate, 1)
    params = WorkbenchParams(seams=SeamParams(measures=("chroma=1.5",)))
    assert load_profile(save_profile(params, tmp_path / "chroma.toml")) == params
    tried = wb.splice(recording, leave=grid.beats[32], enter=grid.beats[16], grid=grid, params=params)
    assert list(tried.parts) == [*SEAM_PARTS, "chroma"]
    assert tried.to_frame().loc["chroma", "part"] < 0.5
    other = wb.splice(recording, leave=grid.beats[48], enter=grid.beats[16], grid=grid, params=params)
    assert other.parts["chroma"] > 0.9
    labels = [text.get_text() for axes in tried.figure().axes for text in axes.get_yticklabels()]
    assert "the colour goes on" in labels
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        wb.keep_grid(workspace, track, grid)
        first = wb.analyze(workspace, track).profile.splices
        assert first.parts.shape[1] == len(SEAM_PARTS) + 1
        profile = wb.analyze(workspace, track).profile
        assert profile.to_dataset().seam_part.values.tolist() == [*SEAM_PARTS, "chroma"]
        assert "chroma" in profile.to_frame().columns
        misses = workspace.arrays.stats().misses
        wb.analyze(workspace, track)
        assert workspace.arrays.stats().misses == misses
        ChromaTimbre.version = 2
        try:
            wb.analyze(workspace, track)
            assert workspace.arrays.stats().misses == misses + 1
        finally:
            ChromaTimbre.version = 1
        assert wb.splice(track, 16.0, 8.0, snap="bar", workspace=workspace).parts["chroma"] < 0.5


class Agglomerative:
    """Neighbouring bars joined while they are alike in timbre, by librosa's segmentation in Ward's sense."""

    version = 1

    def sections(
        self, recording: Recording, grid: wb.BeatGrid, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        n = bars.level_db.size
        parts = min(n, max(1, round(n / params.usual_bars * 2)))
        borders = [*librosa.segment.agglomerative(bars.timbre.T, parts).tolist(), n]
        return [Section(first, last, "verse", number) for number, (first, last) in enumerate(pairwise(borders))]


class TestOwnFinder(SectionFinderSuite):
    extension = "workbench"


class TestAgglomerative(SectionFinderSuite):
    extension = "agglomerative"


def test_a_finder_is_in_profiles_cache_keys_and_results(tmp_path: Path) -> None:
    recording, times = click_track(120.0)
    track = write_audio(tmp_path / "clicks.flac", [recording.samples], recording.sample_rate, 1)
    grid = wb.BeatGrid.from_times(times)
    params = WorkbenchParams(sections=SectionParams(finder="agglomerative", usual_bars=4))
    assert load_profile(save_profile(params, tmp_path / "theirs.toml")) == params
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        wb.keep_grid(workspace, track, grid)
        theirs = wb.analyze(workspace, track).profile.sections
        assert len(theirs) == round(grid.downbeats.size / 2)
        misses = workspace.arrays.stats().misses
        assert wb.analyze(workspace, track).profile.sections == theirs
        assert workspace.arrays.stats().misses == misses
        Agglomerative.version = 2
        try:
            wb.analyze(workspace, track)
            assert workspace.arrays.stats().misses == misses + 1
        finally:
            Agglomerative.version = 1


class Rttm:
    """The turns of an RTTM file beside the video, of whoever speaks; video.mp4 has video.rttm."""

    version = 1

    def reads(self, video: Path) -> Sequence[Path]:
        return [video.with_suffix(".rttm")]

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        lines = self.reads(video)[0].read_text(encoding="utf-8").splitlines()
        turns = [line.split()[3:5] for line in lines if line.startswith("SPEAKER")]
        spoken = sorted((float(start), float(start) + float(seconds)) for start, seconds in turns)
        return join_utterances(tuple(spoken), params.close_pause_seconds)


def write_rttm(video: Path, spoken: Utterances) -> None:
    turns = [f"SPEAKER sound 1 {a:.3f} {b - a:.3f} <NA> <NA> anna <NA> <NA>\n" for a, b in spoken]
    video.with_suffix(".rttm").write_text("".join(turns), encoding="utf-8")


class TestOwnDetector(VoiceDetectorSuite):
    extension = "workbench"


class TestRttm(VoiceDetectorSuite):
    extension = "rttm"

    def prepare(self, video: Path, spoken: Utterances) -> None:
        write_rttm(video, spoken)


def test_a_detector_is_in_profiles_cache_keys_and_mixes(tmp_path: Path) -> None:
    samples, rate = narration()
    video = write_audio(tmp_path / "sound.wav", [samples], rate, 1)
    write_rttm(video, SPOKEN)
    params = WorkbenchParams(voice=VoiceParams(detector="rttm"))
    assert load_profile(save_profile(params, tmp_path / "rttm.toml")) == params
    with Workspace(Home(tmp_path / "home"), params) as workspace:

        def found() -> tuple[Utterances, bool]:
            misses = workspace.arrays.stats().misses
            detected = measure_soundtrack(workspace, video).detected
            assert detected is not None
            times = tuple((round(start, 3), round(end, 3)) for start, end in detected.utterances)
            return times, workspace.arrays.stats().misses == misses

        assert found() == (SPOKEN, False)
        assert found() == (SPOKEN, True)
        Rttm.version = 2
        assert not found()[1]
        Rttm.version = 1
        write_rttm(video, SPOKEN[:1])
        assert found() == (SPOKEN[:1], False)
        inputs = measure_mix_inputs(workspace, video, video, 12.0)
        assert inputs.utterances == SPOKEN[:1]
        ours, _ = find_utterances(workspace.with_params(WorkbenchParams()), inputs)
        assert len(ours) == 2
        assert find_utterances(workspace, inputs) == (SPOKEN[:1], ())
