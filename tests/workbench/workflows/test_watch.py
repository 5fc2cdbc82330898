"""A clip's analysis: measured in one pass, kept, and the same when it is measured again."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.bundled import bundled_path
from workbench.demo.video import FilmTruth, draw_demo_film
from workbench.errors import MediaError
from workbench.home import Home
from workbench.params import CutParams, WorkbenchParams
from workbench.video.footage import Footage
from workbench.workflows.watch import listen, watch
from workbench.workspace import Workspace


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FilmTruth]:
    path = tmp_path_factory.mktemp("film") / "six-ten.mp4"
    narration = bundled_path("data", "bundled", "voice", "narration.ogg")
    return path, draw_demo_film(path, narration=narration, seconds=28.0)


@pytest.fixture(scope="module")
def footage(film: tuple[Path, FilmTruth], tmp_path_factory: pytest.TempPathFactory) -> Footage:
    return watch(Workspace(Home(tmp_path_factory.mktemp("home"))), film[0])


def test_the_demo_film_is_known_to_the_frame(film: tuple[Path, FilmTruth], footage: Footage) -> None:
    truth = film[1]
    assert footage.title == "The Six-Ten"
    assert (footage.width, footage.height, round(footage.fps)) == (640, 360, 25)
    assert footage.duration == pytest.approx(truth.seconds, abs=0.01)
    hard = [border.at for border in footage.picture.borders if border.kind == "hard"]
    assert hard == pytest.approx(truth.cuts, abs=0.005)
    dissolves = [(border.start, border.end) for border in footage.picture.borders if border.kind == "dissolve"]
    assert np.array(dissolves[:1]) == pytest.approx(np.array(truth.dissolves[:1]), abs=0.09)
    assert footage.soundtrack.classification == "voice"
    onsets = footage.soundtrack.onsets
    assert all(np.abs(onsets - hit).min() < 0.03 for hit in truth.hits)


def test_what_was_kept_is_what_was_measured(film: tuple[Path, FilmTruth], footage: Footage, tmp_path: Path) -> None:
    home = Home(tmp_path)
    first = watch(Workspace(home), film[0])
    again = watch(Workspace(home), film[0])
    shutil.rmtree(home.arrays)
    anew = watch(Workspace(home), film[0])
    for other in (first, again, anew):
        for part in ("picture", "soundtrack"):
            one, two = getattr(footage, part), getattr(other, part)
            for field in fields(one):
                np.testing.assert_array_equal(getattr(one, field.name), getattr(two, field.name))


def test_sound_without_a_picture_is_no_clip(tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no moving picture"):
        watch(Workspace(Home(tmp_path)), bundled_path("data", "bundled", "voice", "narration.ogg"))


def test_of_a_long_film_the_cuts_are_placed_to_the_frame_all_the_same(
    film: tuple[Path, FilmTruth], footage: Footage, tmp_path: Path
) -> None:
    long = WorkbenchParams(cuts=CutParams(max_thorough_gigapixels=0.0))
    picture = watch(Workspace(Home(tmp_path), long), film[0]).picture
    assert picture.times.size < 0.8 * footage.picture.times.size
    assert picture.duration == footage.picture.duration
    hard = [border.at for border in picture.borders if border.kind == "hard"]
    assert hard == pytest.approx(film[1].cuts, abs=0.005)


def test_a_profile_holds_for_the_sound_too(tmp_path: Path) -> None:
    """What one profile let through is not taken from the store under another that does not."""
    rate, home = 8_000, Home(tmp_path / "home")
    noise = 0.1 * np.random.default_rng(8).standard_normal(70 * rate)
    soundfile.write(tmp_path / "long.wav", noise, rate)
    levels = listen(Workspace(home), tmp_path / "long.wav")[0]
    assert levels is not None
    assert levels.peak > 0.3
    short = WorkbenchParams(cuts=CutParams(max_video_seconds=60.0))
    with pytest.raises(MediaError, match="its sound goes on for more than 60 s"):
        listen(Workspace(home, short), tmp_path / "long.wav")
    assert Workspace(home).arrays.stats().files == 1


def test_other_cuts_leave_the_sound_where_it_is(film: tuple[Path, FilmTruth], tmp_path: Path) -> None:
    home = Home(tmp_path)
    one = watch(Workspace(home), film[0])
    other = watch(Workspace(home, WorkbenchParams(cuts=CutParams(step_threshold=6.0))), film[0])
    np.testing.assert_array_equal(one.soundtrack.power, other.soundtrack.power)
    assert Workspace(home).arrays.stats().files == 3
