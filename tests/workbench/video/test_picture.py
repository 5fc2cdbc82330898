"""The picture: its meter, motion and strip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.video.motion import STILL_SECONDS, speeds, still_stretches
from workbench.video.picture import Border, Picture, check_stretches
from workbench.video.picture_meter import PictureMeter
from workbench.video.strip import Strip, strip_of, tone_distance

N = 100


def picture(*borders: Border, **given: Any) -> Picture:
    curve = np.full(N, 0.25)
    arguments: dict[str, Any] = {
        "duration": 10.0, "times": np.arange(N) / 10, "motion": curve, "brightness": curve, "colourfulness": curve,
        "contrast": curve, "borders": borders, "black": (), "still": (),
    }  # fmt: skip
    return Picture(**arguments | given)


OPENING = Border("fade", 0.0, 1.0, 0.2, 1.0)
CUT = Border("hard", 2.0, 2.0, 2.0, 0.9)
FLASH = Border("flash", 3.0, 3.1, 3.0, 0.5)
DISSOLVE = Border("dissolve", 4.0, 5.0, 4.5, 0.4)
CLOSING = Border("fade", 9.0, 10.0, 10.0, 1.0)


def test_borders_part_shots_but_for_flashes_and_the_opening_fade() -> None:
    found = picture(OPENING, CUT, FLASH, DISSOLVE, CLOSING)
    assert found.edits == (CUT, DISSOLVE, CLOSING)
    assert found.flashes == (FLASH,)
    assert found.cuts.tolist() == [2.0, 4.5], "nothing comes after the fade to the end"
    assert found.shots == ((0.0, 2.0), (2.0, 4.5), (4.5, 10.0))
    assert picture().shots == ((0.0, 10.0),)


def test_curves_are_copied_and_read_only() -> None:
    curve = np.full(N, 0.5)
    found = picture(brightness=curve)
    curve[:] = 0.0
    assert found.brightness.max() == 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.times[0] = 1.0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"times": np.arange(N) / 10 - 1}, "increasing seconds from 0 on"),
        ({"times": np.zeros(0)}, "at least one"),
        ({"duration": 5.0}, "after the end of the video"),
        ({"motion": np.zeros(N - 1)}, "motion must hold 100 finite numbers"),
        ({"contrast": np.full(N, np.nan)}, "contrast must hold"),
        ({"black": ((2.0, 1.0),)}, "black must be sorted"),
        ({"titles": ((0.0, 2.0), (1.0, 3.0))}, "titles must be sorted"),
        ({"borders": (DISSOLVE, CUT)}, "borders must be sorted"),
    ],
)
def test_what_no_picture_can_be_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        picture(**given)


@pytest.mark.parametrize(
    "border", [("wipe", 0, 1, 1, 1), ("hard", 2, 1, 1, 1), ("hard", 1, 2, 3, 1), ("hard", 1, 1, 1, 1.5)]
)
def test_what_no_border_can_be_is_refused(border: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError):
        Border(*border)


def test_stretches_touch_but_do_not_overlap() -> None:
    check_stretches("still", ((0.0, 1.0), (1.0, 2.0)))
    with pytest.raises(ParameterError, match="still must be sorted"):
        check_stretches("still", ((0.0, 1.0), (0.5, 2.0)))


def shots(*lengths: int) -> NDArray[np.float32]:
    """Textures that stand for so many pictures each."""
    dice = np.random.default_rng(5)
    return np.concatenate(
        [np.repeat(dice.uniform(0.1, 0.9, (1, 36, 64)), length, axis=0) for length in lengths]
    ).astype(np.float32)


def measured(luma: NDArray[np.float32], run: int) -> Picture:
    meter = PictureMeter()
    for at in range(0, len(luma), run):
        part = luma[at : at + run]
        meter.add((at + np.arange(len(part))) / 25, part, np.zeros((len(part), 2, 18, 32), np.float32))
    return meter.picture(len(luma) / 25)


@pytest.mark.parametrize("run", [1, 40, 400])
def test_runs_of_any_length_find_the_same(run: int) -> None:
    luma = shots(50, 75, 125)
    found = measured(luma, run)
    assert [(border.kind, border.at) for border in found.borders] == [("hard", 2.0), ("hard", 5.0)]
    np.testing.assert_allclose(found.brightness, luma.mean(axis=(1, 2)), atol=1e-4)
    assert found.duration == 10.0
    assert found.still == ((0.0, 2.0), (2.0, 5.0), (5.0, 10.0))


def test_no_picture_is_no_video() -> None:
    with pytest.raises(ParameterError, match="without a single picture"):
        PictureMeter().picture(1.0)


TIMES = np.arange(250) / 25


def test_a_field_a_picture_is_so_many_heights_a_second() -> None:
    motion = speeds(TIMES, np.ones(250, np.float32), ())
    assert motion[0] == 0.0
    assert motion[1:] == pytest.approx(25 / 36, rel=1e-4)


def test_nothing_moves_at_a_cut_or_within_a_dissolve() -> None:
    borders = (Border("hard", 2.0, 2.0, 2.0, 1.0), Border("dissolve", 5.0, 6.0, 5.5, 0.5))
    motion = speeds(TIMES, np.ones(250, np.float32), borders)
    assert TIMES[motion == 0.0].tolist() == [0.0, 2.0, *TIMES[125:151].tolist()]


def test_stretches_that_stand_still_end_at_cuts_and_leave_out_black() -> None:
    motion = np.zeros(250, np.float32)
    motion[:25] = 1.0
    cut = Border("hard", 5.0, 5.0, 5.0, 1.0)
    found = still_stretches(TIMES, motion, ((8.0, 10.0),), (cut,), 10.0)
    assert found == ((1.0, 5.0), (5.0, 8.0))
    assert STILL_SECONDS < 3.0


def test_what_stands_still_for_a_moment_is_no_stretch() -> None:
    motion = np.ones(250, np.float32)
    motion[100 : 100 + round(25 * STILL_SECONDS) - 2] = 0.0
    assert still_stretches(TIMES, motion, (), (), 10.0) == ()
    assert still_stretches(np.zeros(0), np.zeros(0), (), (), 0.0) == ()
    assert still_stretches(TIMES, np.zeros(250), (), (), 10.0) == ((0.0, 10.0),)


def noise(count: int, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(0.2, 0.8, (count, 36, 64)).astype(np.float32)


def strip(luma: NDArray[np.float32], before: Strip | None = None) -> Strip:
    n = len(luma)
    first = 0.0 if before is None else float(before.times[-1]) + 0.04
    return strip_of(first + np.arange(n) / 25, luma, np.zeros((n, 2, 18, 32), np.float32), before)


def test_levels_are_mean_and_spread_of_the_luma() -> None:
    luma = noise(3)
    found = strip(luma)
    assert len(found) == 3
    np.testing.assert_allclose(found.levels[:, 0], luma.mean(axis=(1, 2)), atol=1e-4)
    np.testing.assert_allclose(found.levels[:, 1], luma.std(axis=(1, 2)), atol=1e-3)
    np.testing.assert_allclose(found.levels[:, 2], 0.0, atol=1e-4)


def test_equal_pictures_do_not_change_and_others_do() -> None:
    luma = np.concatenate([np.repeat(noise(1), 3, axis=0), noise(1, seed=2)])
    changes = strip(luma).changes[:, 0]
    assert changes[1:3] == pytest.approx(0.0, abs=1e-3)
    assert changes[3] > 0.5


def test_a_run_in_two_parts_is_measured_as_one() -> None:
    luma = noise(10)
    whole, first = strip(luma), strip(luma[:6])
    both = first.followed_by(strip(luma[6:], first))
    for name in ("times", "luma", "levels", "changes", "tones"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), atol=1e-6)


def test_a_part_looks_at_the_run_and_a_copy_does_not() -> None:
    found = strip(noise(5))
    part = found.part(1, 3)
    assert np.shares_memory(part.luma, found.luma)
    assert not np.shares_memory(part.copied().luma, found.luma)
    assert part.times.tolist() == found.times[1:3].tolist()


def test_tones_stay_when_things_move_and_differ_between_pictures() -> None:
    picture = noise(1)[0]
    moved, brighter = np.roll(picture, 20, axis=1), np.clip(picture + 0.3, 0, 1)
    tones = strip(np.stack([picture, moved, brighter])).tones
    assert tone_distance(tones[0], tones[1]) == pytest.approx(0.0, abs=1e-5)
    assert tone_distance(tones[0], tones[2]) > 0.3
    assert tone_distance(tones[:2], tones[1:]).shape == (2,)
