"""Cuts, dissolves, fades and flashes in pictures whose every border is known; all but one clip made in memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from tests.film import CLIPS, clip_cuts
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video
from workbench.params import CutParams
from workbench.video.cuts import first_of_shot
from workbench.video.picture import Border, Picture
from workbench.video.picture_meter import PictureMeter

RATE = 25
Shot = Callable[[int], NDArray[np.float64]]
"""from a picture's number to luma, shape (36, 64)"""


def texture(seed: int, pan: float = 0.1, gain: float = 1.0) -> Shot:
    """A wide smooth texture that the camera pans over, so many fields a picture."""
    noise = np.random.default_rng(seed).normal(0, 1, (36, 400))
    wide = ndimage.gaussian_filter(noise, 2.5)
    wide = gain * np.clip(0.5 + 0.2 * wide / wide.std(), 0.05, 0.95)

    def view(number: int) -> NDArray[np.float64]:
        return np.asarray(ndimage.shift(wide, (0, -pan * number), order=1, mode="wrap")[:, :64])

    return view


def picture_of(
    lumas: list[NDArray[np.float64]], run: int = 100, rate: float = RATE, params: CutParams | None = None
) -> Picture:
    """Measure pictures that come in runs."""
    meter = PictureMeter(params)
    for at in range(0, len(lumas), run):
        luma = np.array(lumas[at : at + run], dtype=np.float32)
        times = (at + np.arange(luma.shape[0])) / rate
        meter.add(times, luma, np.zeros((luma.shape[0], 2, 18, 32), np.float32))
    return meter.picture(len(lumas) / rate)


def shots(*parts: tuple[Shot, int]) -> list[NDArray[np.float64]]:
    return [shot(k) for shot, length in parts for k in range(length)]


def kinds(picture: Picture) -> list[tuple[str, float]]:
    return [(border.kind, round(border.at, 3)) for border in picture.borders]


def test_hard_cuts_are_found_to_the_picture() -> None:
    video = shots((texture(1), 50), (texture(2), 37), (texture(3), 63))
    assert kinds(picture_of(video)) == [("hard", 2.0), ("hard", 3.48)]


def test_where_runs_end_changes_nothing() -> None:
    video = shots(*((texture(seed), 90 + seed) for seed in range(9)))
    whole, pieces = picture_of(video, run=len(video)), picture_of(video, run=33)
    assert len(whole.cuts) == 8
    assert whole.borders == pieces.borders
    np.testing.assert_array_equal(whole.motion, pieces.motion)


@pytest.mark.parametrize("pan", [0.5, 2.0, 5.0])
def test_a_pan_is_no_cut(pan: float) -> None:
    assert kinds(picture_of(shots((texture(4, pan), 100)))) == []


@pytest.mark.parametrize("gain", [0.08, 0.04])
def test_a_cut_in_the_dark_is_a_cut(gain: float) -> None:
    video = shots((texture(5, gain=gain), 50), (texture(6, gain=gain), 50))
    assert kinds(picture_of(video)) == [("hard", 2.0)]


def test_a_flash_returns_to_its_shot() -> None:
    video = shots((texture(7), 100))
    for k in (40, 41):
        video[k] = 0.1 * video[k] + 0.9
    picture = picture_of(video)
    assert kinds(picture) == [("flash", 1.6)]
    assert picture.flashes[0].end == pytest.approx(42 / RATE)
    assert not picture.cuts.size


def test_shots_of_one_place_and_light_are_told_apart() -> None:
    """Scenes under one sky: smooth, of like tones, and with one horizon."""
    path, meter = CLIPS / "storm.mp4", PictureMeter()
    with open_video(path, VideoLimits(60.0, 100.0)) as video:
        for block in video.blocks(listen=False):
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
        picture = meter.picture(video.info().duration)
    assert [border.kind for border in picture.edits] == ["hard"] * len(clip_cuts(path))
    np.testing.assert_allclose(picture.cuts, clip_cuts(path), atol=1e-4)


def test_a_strobe_is_no_cut() -> None:
    video = [view * (1.0 if k // 2 % 2 else 0.2) for k, view in enumerate(shots((texture(8), 100)))]
    assert not picture_of(video).cuts.size


def test_a_white_picture_between_two_shots_leaves_one_cut() -> None:
    video = shots((texture(9), 50), (texture(10), 50))
    video[50] = video[51] = np.ones((36, 64))
    picture = picture_of(video)
    assert [border.at for border in picture.edits] == [pytest.approx(52 / RATE)]


def dissolve(length: int) -> list[NDArray[np.float64]]:
    """Two shots under moving cameras, and a dissolve of so many pictures from the sixtieth on."""
    one, other = texture(11), texture(12)
    video = shots((one, 60))
    video += [one(60 + k) * (1 - (k + 0.5) / length) + other(k) * (k + 0.5) / length for k in range(length)]
    return video + [other(length + k) for k in range(60)]


def test_a_slow_dissolve_under_moving_cameras_is_a_matter_of_the_threshold() -> None:
    assert not picture_of(dissolve(50)).borders
    (border,) = picture_of(dissolve(50), params=CutParams(dissolve_threshold=0.0)).borders
    assert border.kind == "dissolve"


@pytest.mark.parametrize("length", [10, 25])
def test_a_dissolve_has_two_ends(length: int) -> None:
    (border,) = picture_of(dissolve(length)).borders
    assert border.kind == "dissolve"
    assert border.start == pytest.approx(60 / RATE, abs=0.1)
    assert border.end == pytest.approx((60 + length) / RATE, abs=0.1)
    assert border.at == pytest.approx((60 + length / 2) / RATE, abs=0.1)


@pytest.mark.parametrize("colour", [0.0, 1.0])
def test_a_fade_runs_from_the_first_picture_that_dims_to_the_last(colour: float) -> None:
    one, other = texture(13), texture(14)
    video = shots((one, 60))
    video += [colour + (one(60 + k) - colour) * (1 - (k + 1) / 20) for k in range(20)]
    video += [np.full((36, 64), colour)] * 10
    video += [colour + (other(k) - colour) * (k + 1) / 15 for k in range(15)]
    video += [other(15 + k) for k in range(60)]
    picture = picture_of(video)
    (border,) = picture.borders
    assert border.kind == "fade"
    assert border.start == pytest.approx(60 / RATE, abs=0.12)
    assert border.end == pytest.approx(105 / RATE, abs=0.12)
    assert border.at == pytest.approx(90 / RATE, abs=0.12)
    assert len(picture.black) == (1 if colour == 0.0 else 0)


def test_a_video_that_fades_in_opens_with_a_fade_and_no_cut() -> None:
    one = texture(30)
    video = [np.zeros((36, 64))] * 6 + [one(k) * (k + 1) / 40 for k in range(40)]
    video += shots((one, 50), (texture(31), 50))
    picture = picture_of(video)
    assert kinds(picture) == [("fade", pytest.approx(6 / RATE, abs=0.2)), ("hard", 96 / RATE)]
    assert picture.borders[0].start == 0.0
    assert list(picture.cuts) == [96 / RATE]
    assert len(picture.shots) == 2


@pytest.mark.parametrize("place", [1, 2, 4])
def test_a_cut_is_placed_among_pictures_that_were_left_out(place: int) -> None:
    one, other = shots((texture(20), 5)), shots((texture(21), 5))
    assert first_of_shot(np.array(one[:place] + other[: 5 - place], dtype=np.float32)) == place


def test_still_stretches_end_at_cuts() -> None:
    page, other = texture(15, pan=0.0), texture(16, pan=0.0)
    picture = picture_of(shots((page, 50), (other, 50), (texture(17, pan=0.5), 50)))
    assert np.array(picture.still) == pytest.approx(np.array([[0.0, 2.0], [2.0, 4.0]]), abs=0.05)


def test_motion_is_in_picture_heights_a_second() -> None:
    picture = picture_of(shots((texture(18, pan=0.5), 60)))
    assert float(np.median(picture.motion[1:])) == pytest.approx(0.5 / 36 * RATE, rel=0.35)


def test_one_picture_is_a_video() -> None:
    picture = picture_of(shots((texture(19), 1)))
    assert picture.shots == ((0.0, 0.04),)
    assert kinds(picture) == []


def test_borders_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="start over at to end"):
        Border("hard", 2.0, 1.0, 2.0, 0.5)
    with pytest.raises(ValueError, match="0 to 1"):
        Border("hard", 2.0, 2.0, 2.0, 1.5)
