"""Blind tests of a real plan: files that tell nothing by their names, and hold what the record says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workbench.dashboards.conftest import copy_home
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.blind import (
    BlindTest,
    drop_sounds,
    prepare_fades,
    prepare_options,
    prepare_preference,
    prepare_seams,
    rated_seams,
    seams_of_options,
)
from workbench.dashboards.sounds.plan import listening_folder
from workbench.errors import ParameterError
from workbench.features.loudness import integrated_lufs
from workbench.media.audio import decode
from workbench.review.listening import get_test
from workbench.review.stimuli import plan_excerpt
from workbench.store.home import Home
from workbench.workflows.plan import Planned


@pytest.fixture(scope="module")
def loop(corner_loop: Planned) -> Planned:
    return corner_loop


@pytest.fixture(scope="module")
def workspace(corner_home: Home, loop: Planned, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(copy_home(corner_home, tmp_path_factory.mktemp("blind") / "home"))


def design(workspace: Workspace, test: BlindTest) -> list[dict[str, str]]:
    with workspace.database.read() as connection:
        trials: list[dict[str, str]] = get_test(connection, test.test_id).design["trials"]
    return trials


def samples(path: Path) -> np.ndarray:
    return np.asarray(decode(path).samples)


def test_x_is_what_the_record_says_and_no_name_tells(workspace: Workspace, loop: Planned) -> None:
    own = (loop.plan.seam_fades[0], loop.plan.seam_curves[0])
    test = prepare_fades(workspace, loop, 0, (own, (0.3, 0.5)), 6, "Ana")
    drawn = design(workspace, test)
    assert (test.kind, len(test.trials), len(drawn)) == ("abx", 6, 6)
    assert len(set(test.files)) == 18
    assert len({path.stat().st_mtime_ns for path in test.files}) == 1, "no order is told"
    for trial, kept in zip(test.trials, drawn, strict=True):
        a, b, x = (samples(trial.sounds[letter]) for letter in "ABX")
        assert a.shape == b.shape == x.shape
        assert not np.array_equal(a, b)
        np.testing.assert_array_equal(x, a if kept["x"] == kept["a"] else b)
        assert trial.reference is None


def test_two_options_are_equally_loud(workspace: Workspace, loop: Planned) -> None:
    at_s = loop.plan.seam_times[0]
    test = prepare_options(workspace, loop, (1, 2), at_s, 2, "Ana")
    sounds = [decode(test.trials[0].sounds[letter]) for letter in "AB"]
    levels = [integrated_lufs(sound.samples, sound.sample_rate) for sound in sounds]
    assert levels[0] == pytest.approx(levels[1], abs=0.1)


@pytest.mark.parametrize("whole", [True, False])
def test_options_are_preferred_whole_or_at_the_seams_where_they_differ(
    workspace: Workspace, loop: Planned, whole: bool
) -> None:
    plan, folder = loop.plan, listening_folder(workspace.home)
    before = set(folder.glob("*.blind.wav"))
    test = prepare_preference(workspace, loop, (1, 2), 3, "Ana", whole=whole)
    assert test.kind == "preference"
    assert len(set(test.files)) == 2 * len(test.trials)
    assert len({path.stat().st_mtime_ns for path in test.files}) == 1, "no order is told"
    with workspace.database.read() as connection:
        record = get_test(connection, test.test_id).design
    for trial, drawn in zip(test.trials, record["trials"], strict=True):
        sounds = {letter: decode(path) for letter, path in trial.sounds.items()}
        place = record["items"][drawn["item"]]
        loudness = [integrated_lufs(sound.samples, sound.sample_rate) for sound in sounds.values()]
        assert loudness[0] == pytest.approx(loudness[1], abs=0.1)
        assert not np.array_equal(sounds["A"].samples, sounds["B"].samples)
        if whole:
            assert sounds["A"].duration == sounds["B"].duration == pytest.approx(plan.window_end, abs=1e-3)
            continue
        assert min(abs(at_s - float(place["place"])) for one in plan.options[:2] for at_s in one.seam_times) < 1e-3
        for letter in "AB":
            number = int(drawn[letter.lower()].removeprefix("option "))
            heard = plan_excerpt(plan.option(number), workspace.load_recording(loop.track.path), float(place["place"]))
            gain = np.float32(10 ** (place["gains_db"][f"option {number}"] / 20))
            np.testing.assert_allclose(sounds[letter].samples, heard.samples * gain, atol=1e-5)
    assert len(test.trials) == (3 if whole else len({one["place"] for one in record["items"]}))
    drop_sounds(test)
    assert set(folder.glob("*.blind.wav")) == before, "nothing else was left"


def test_seams_are_rated_beside_a_hidden_reference_and_a_bad_splice(workspace: Workspace, loop: Planned) -> None:
    asked = seams_of_options(loop.plan, len(loop.plan.options))
    served = seams_of_options(loop.plan, 1)
    test = prepare_seams(workspace, loop, asked, "Ana")
    assert test.kind == "mushra"
    assert len({path.stat().st_mtime_ns for path in test.files}) == 1, "no order is told"
    assert len(test.trials) == len(rated_seams(loop.plan, asked)) > len(served) == len(loop.plan.seam_times)
    for trial, kept in zip(test.trials, design(workspace, test), strict=True):
        assert trial.reference is not None
        by_name = {name: samples(trial.sounds[letter]) for letter, name in zip("ABC", kept["hidden"], strict=True)}
        np.testing.assert_array_equal(by_name["reference"], samples(trial.reference))
        half = by_name["reference"].shape[1] // 2 - 4410
        for name in ("seam", "anchor"):
            np.testing.assert_allclose(by_name[name][:, :half], by_name["reference"][:, :half], atol=2e-3)
            assert np.abs(by_name[name] - by_name["reference"]).max() > 0.01


def test_a_seam_that_comes_back_is_asked_about_once(loop: Planned) -> None:
    plan = loop.plan
    served = seams_of_options(plan.alone, 4)
    assert rated_seams(plan, served) == served == [(1, seam) for seam in range(len(plan.seam_times))]
    assert rated_seams(plan, [(1, 1), (1, 0), (1, 1)]) == [(1, 1), (1, 0)]
    every = seams_of_options(plan, len(plan.options))
    assert len(every) == sum(len(option.seam_times) for option in plan.options)
    heard = {
        (option.segments[seam].song_to, option.segments[seam + 1].song_from, option.seam_fades[seam])
        for option in plan.options
        for seam in range(len(option.seam_times))
    }
    assert len(served) < len(rated_seams(plan, every)) == len(heard) <= len(every)


def test_what_cannot_be_tested_is_refused(workspace: Workspace, loop: Planned) -> None:
    own = (loop.plan.seam_fades[0], loop.plan.seam_curves[0])
    with pytest.raises(ParameterError, match="two different sounds"):
        prepare_fades(workspace, loop, 0, (own, own), 6, "Ana")
    with pytest.raises(ParameterError, match="no seam 100"):
        prepare_fades(workspace, loop, 99, (own, (0.3, 0.5)), 6, "Ana")
    with pytest.raises(ParameterError, match="no seam 100"):
        prepare_seams(workspace, loop, [(1, 99)], "Ana")
    with pytest.raises(ParameterError, match="needs a name"):
        prepare_options(workspace, loop, (1, 2), 60.0, 2, " ")
    with pytest.raises(ParameterError, match="two different sounds"):
        prepare_options(workspace, loop, (1, 1), 60.0, 2, "Ana")
    for whole in (True, False):
        with pytest.raises(ParameterError, match="play the same"):
            prepare_preference(workspace, loop, (1, 1), 2, "Ana", whole=whole)
