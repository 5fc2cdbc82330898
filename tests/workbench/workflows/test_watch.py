"""A video's analysis: measured in one pass, kept, and the same when it is measured again."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.film import SIX_TEN, SIX_TEN_SECONDS, FilmTruth, film_truth
from tests.videos import narration, write_screencast, write_sounds
from workbench.analysis.video import analyze_video, load_soundtrack, unused_speech
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.media.probe import probe
from workbench.media.sound_streams import SoundChoice
from workbench.params import CutParams, WorkbenchParams
from workbench.store.home import Home
from workbench.video.analysis import VideoAnalysis


@pytest.fixture(scope="module")
def video() -> tuple[Path, FilmTruth]:
    return SIX_TEN, film_truth(SIX_TEN_SECONDS)


@pytest.fixture(scope="module")
def soundtrack(video: tuple[Path, FilmTruth], tmp_path_factory: pytest.TempPathFactory) -> VideoAnalysis:
    return analyze_video(Workspace(Home(tmp_path_factory.mktemp("home"))), video[0])


def test_the_demo_video_is_known_to_the_frame(video: tuple[Path, FilmTruth], soundtrack: VideoAnalysis) -> None:
    truth = video[1]
    assert soundtrack.title == "The Six-Ten"
    assert (soundtrack.width, soundtrack.height, round(soundtrack.fps)) == (640, 360, 25)
    assert soundtrack.duration == pytest.approx(truth.seconds, abs=0.01)
    hard = [border.at for border in soundtrack.picture.borders if border.kind == "hard"]
    assert hard == pytest.approx(truth.cuts, abs=0.005)
    dissolves = [(border.start, border.end) for border in soundtrack.picture.borders if border.kind == "dissolve"]
    assert np.array(dissolves[:1]) == pytest.approx(np.array(truth.dissolves[:1]), abs=0.09)
    assert soundtrack.soundtrack.classification == "voice"
    onsets = soundtrack.soundtrack.onsets
    assert all(np.abs(onsets - hit).min() < 0.03 for hit in truth.hits)


@pytest.mark.slow
def test_what_was_kept_is_what_was_measured(
    video: tuple[Path, FilmTruth], soundtrack: VideoAnalysis, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    first = analyze_video(Workspace(home), video[0])
    again = analyze_video(Workspace(home), video[0])
    shutil.rmtree(home.arrays)
    anew = analyze_video(Workspace(home), video[0])
    for other in (first, again, anew):
        for part in ("picture", "soundtrack"):
            one, two = getattr(soundtrack, part), getattr(other, part)
            for field in fields(one):
                np.testing.assert_array_equal(getattr(one, field.name), getattr(two, field.name))


def test_sound_without_a_picture_is_no_video(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no moving picture"):
        analyze_video(Workspace(Home(tmp_path)), bundled_path("data", "bundled", "voice", "narration.ogg"))


def test_of_a_long_video_the_cuts_are_placed_to_the_frame_all_the_same(
    video: tuple[Path, FilmTruth], soundtrack: VideoAnalysis, tmp_path: Path
) -> None:
    long = WorkbenchParams(cuts=CutParams(max_thorough_gigapixels=0.0))
    picture = analyze_video(Workspace(Home(tmp_path), long), video[0]).picture
    assert picture.times.size < 0.8 * soundtrack.picture.times.size
    assert picture.duration == soundtrack.picture.duration
    hard = [border.at for border in picture.borders if border.kind == "hard"]
    assert hard == pytest.approx(video[1].cuts, abs=0.005)


def test_a_profile_holds_for_the_sound_too(tmp_path: Path) -> None:
    """What one profile let through is not taken from the store under another that does not."""
    rate, home = 8_000, Home(tmp_path / "home")
    noise = 0.1 * np.random.default_rng(8).standard_normal(70 * rate)
    soundfile.write(tmp_path / "long.wav", noise, rate)
    measured = load_soundtrack(Workspace(home), tmp_path / "long.wav")
    levels, voice_odds = measured.levels, measured.voice_odds
    assert levels is not None
    assert voice_odds is not None
    assert levels.peak > 0.3
    assert voice_odds.shape == levels.power.shape
    assert voice_odds.max() < 0.0
    short = WorkbenchParams(cuts=CutParams(max_video_seconds=60.0))
    with pytest.raises(MediaError, match="its sound goes on for more than 60 s"):
        load_soundtrack(Workspace(home, short), tmp_path / "long.wav")
    assert Workspace(home).arrays.stats().files == 1


def test_other_cuts_leave_the_sound_where_it_is(video: tuple[Path, FilmTruth], tmp_path: Path) -> None:
    home = Home(tmp_path)
    one = analyze_video(Workspace(home), video[0])
    other = analyze_video(Workspace(home, WorkbenchParams(cuts=CutParams(step_threshold=6.0))), video[0])
    np.testing.assert_array_equal(one.soundtrack.power, other.soundtrack.power)
    assert Workspace(home).arrays.stats().files == 3


def test_speech_in_a_stream_that_is_not_used_is_one_line(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    path = write_screencast(tmp_path / "obs.mkv")
    assert analyze_video(workspace, path).soundtrack.classification == "ambient"
    for _ in range(2):  # measured, then from the store
        line = unused_speech(workspace, path)
        assert line is not None
        assert line.startswith("obs.mkv: of 2 sound streams 1 (Desktop) is used; more speech is in 2 (Mic), ")
        assert line.endswith(" s: 2 takes it, all mixes all")
    for choice in ("2", "all", "1"):
        chosen = workspace.with_audio(SoundChoice.parse(choice))
        assert analyze_video(chosen, path).soundtrack.classification == ("ambient" if choice == "1" else "voice")
        assert unused_speech(chosen, path) is None
    assert analyze_video(workspace, path).soundtrack.classification == "ambient"


@pytest.mark.parametrize("order", [(None, "2"), ("2", None)])
def test_what_a_video_is_does_not_depend_on_the_stream_that_somebody_chose_first(
    tmp_path: Path, order: tuple[str | None, str | None]
) -> None:
    noise = 0.1 * np.random.default_rng(1).standard_normal((1, 9 * 48_000)).astype(np.float32)
    path = write_sounds(tmp_path / "a.mkv", [noise[:, : 5 * 48_000], noise], picture_seconds=5.0)
    home = Home(tmp_path / "home")
    for choice in order:
        audio = None if choice is None else SoundChoice.parse(choice)
        assert analyze_video(Workspace(home).with_audio(audio), path).duration == pytest.approx(probe(path).duration)


def test_only_the_first_of_many_further_streams_are_looked_at(tmp_path: Path) -> None:
    voice = narration(6.0)
    silence = np.zeros_like(voice)
    workspace = Workspace(Home(tmp_path / "home"))
    near = write_sounds(tmp_path / "near.mkv", [*[silence] * 8, voice], codec="flac", picture=None)
    assert "more speech is in 9, " in (unused_speech(workspace, near) or "")
    far = write_sounds(tmp_path / "far.mkv", [*[silence] * 9, voice], codec="flac", picture=None)
    assert unused_speech(workspace, far) is None


def test_what_another_stream_says_at_the_same_time_is_not_missed(tmp_path: Path) -> None:
    voice = narration()
    silence = np.zeros_like(voice)
    dubbed = write_sounds(tmp_path / "a.mkv", [voice, 0.7 * voice, silence], tags=[{"language": "eng"}])
    assert unused_speech(Workspace(Home(tmp_path)), dubbed) is None
    camera = write_sounds(tmp_path / "b.mov", [silence, silence, silence, voice], codec="pcm_s16le")
    line = unused_speech(Workspace(Home(tmp_path)), camera)
    assert line is not None
    assert "of 4 sound streams 1 and 2 are used; more speech is in 4, " in line
    assert "4 takes it" in line


def test_a_voice_is_found_wherever_the_channels_have_it(tmp_path: Path) -> None:
    voice = narration(6.0)
    none, dice = np.zeros_like(voice), np.random.default_rng(6)
    rest = 0.001 * dice.standard_normal((6, voice.size)).astype(np.float32)
    for name, rows in {
        "one side": [none, voice],
        "inverted": [voice, -voice],
        "centre": [none, none, voice, none, none, none],
        "two tracks": [voice, -voice],
    }.items():
        sound = np.concatenate(rows) + rest[: len(rows)]
        tracks = [row[np.newaxis] for row in sound] if name == "two tracks" else [sound]
        path = write_sounds(tmp_path / f"{name}.mov", tracks, codec="pcm_s16le")
        soundtrack = analyze_video(Workspace(Home(tmp_path)), path).soundtrack
        assert soundtrack.classification == "voice", name
        assert np.array(soundtrack.speech_ranges) == pytest.approx(np.array([[0.4, 5.2]]), abs=0.15), name
