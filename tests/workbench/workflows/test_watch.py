"""A video's analysis: measured in one pass, kept, and the same when it is measured again."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.bundled import bundled_path
from workbench.demo.video import VideoTruth, draw_demo_video
from workbench.errors import MediaError
from workbench.home import Home
from workbench.params import CutParams, WorkbenchParams
from workbench.video.analysis import VideoAnalysis
from workbench.workflows.watch import listen, watch
from workbench.workspace import Workspace


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, VideoTruth]:
    path = tmp_path_factory.mktemp("video") / "six-ten.mp4"
    narration = bundled_path("data", "bundled", "voice", "narration.ogg")
    return path, draw_demo_video(path, narration=narration, seconds=28.0)


@pytest.fixture(scope="module")
def soundtrack(video: tuple[Path, VideoTruth], tmp_path_factory: pytest.TempPathFactory) -> VideoAnalysis:
    return watch(Workspace(Home(tmp_path_factory.mktemp("home"))), video[0])


def test_the_demo_video_is_known_to_the_frame(video: tuple[Path, VideoTruth], soundtrack: VideoAnalysis) -> None:
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
    video: tuple[Path, VideoTruth], soundtrack: VideoAnalysis, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    first = watch(Workspace(home), video[0])
    again = watch(Workspace(home), video[0])
    shutil.rmtree(home.arrays)
    anew = watch(Workspace(home), video[0])
    for other in (first, again, anew):
        for part in ("picture", "soundtrack"):
            one, two = getattr(soundtrack, part), getattr(other, part)
            for field in fields(one):
                np.testing.assert_array_equal(getattr(one, field.name), getattr(two, field.name))


def test_sound_without_a_picture_is_no_video(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no moving picture"):
        watch(Workspace(Home(tmp_path)), bundled_path("data", "bundled", "voice", "narration.ogg"))


def test_of_a_long_video_the_cuts_are_placed_to_the_frame_all_the_same(
    video: tuple[Path, VideoTruth], soundtrack: VideoAnalysis, tmp_path: Path
) -> None:
    long = WorkbenchParams(cuts=CutParams(max_thorough_gigapixels=0.0))
    picture = watch(Workspace(Home(tmp_path), long), video[0]).picture
    assert picture.times.size < 0.8 * soundtrack.picture.times.size
    assert picture.duration == soundtrack.picture.duration
    hard = [border.at for border in picture.borders if border.kind == "hard"]
    assert hard == pytest.approx(video[1].cuts, abs=0.005)


def test_a_profile_holds_for_the_sound_too(tmp_path: Path) -> None:
    """What one profile let through is not taken from the store under another that does not."""
    rate, home = 8_000, Home(tmp_path / "home")
    noise = 0.1 * np.random.default_rng(8).standard_normal(70 * rate)
    soundfile.write(tmp_path / "long.wav", noise, rate)
    levels, *_, voice_odds = listen(Workspace(home), tmp_path / "long.wav")
    assert levels is not None
    assert levels.peak > 0.3
    assert voice_odds.shape == levels.power.shape
    assert voice_odds.max() < 0.0
    short = WorkbenchParams(cuts=CutParams(max_video_seconds=60.0))
    with pytest.raises(MediaError, match="its sound goes on for more than 60 s"):
        listen(Workspace(home, short), tmp_path / "long.wav")
    assert Workspace(home).arrays.stats().files == 1


def test_other_cuts_leave_the_sound_where_it_is(video: tuple[Path, VideoTruth], tmp_path: Path) -> None:
    home = Home(tmp_path)
    one = watch(Workspace(home), video[0])
    other = watch(Workspace(home, WorkbenchParams(cuts=CutParams(step_threshold=6.0))), video[0])
    np.testing.assert_array_equal(one.soundtrack.power, other.soundtrack.power)
    assert Workspace(home).arrays.stats().files == 3
