from __future__ import annotations

import numpy as np
import pytest

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    PictureLayer,
    Shapes,
    Water,
    blank,
    noise,
    rgb,
    shine,
    spot,
    tint,
)
from workbench.demo.video import SHOTS

ONE_OF_EACH = list({type(shot.scene): shot.scene for shot in SHOTS}.values())


def test_a_layer_covers_what_lies_under_it_by_its_cover() -> None:
    canvas = blank() + 100
    cover = np.zeros((HEIGHT, WIDTH), dtype=np.float32)
    cover[10:20], cover[20:30] = 1.0, 0.5
    PictureLayer.of(rgb("#ff0000"), cover).onto(canvas)
    assert canvas[:, 5, 0].tolist() == [100, 100, 100]
    assert canvas[:, 15, 0].tolist() == [255, 0, 0]
    assert canvas[:, 25, 0].tolist() == [177.5, 50, 50]


def test_a_layer_glides_by_parts_of_a_pixel() -> None:
    cover = np.zeros((HEIGHT, WIDTH + 10), dtype=np.float32)
    cover[:, 50] = 1.0
    canvas = blank()
    PictureLayer.of(rgb("#ffffff"), cover).onto(canvas, 2.25)
    assert canvas[0, 0, 46:50] == pytest.approx([0, 0.25 * 255, 0.75 * 255, 0])


def test_a_layer_may_leave_the_picture_above_and_below() -> None:
    cover = np.ones((HEIGHT, WIDTH), dtype=np.float32)
    up, down = blank(), blank()
    PictureLayer.of(rgb("#ffffff"), cover).onto(up, y=-100)
    PictureLayer.of(rgb("#ffffff"), cover).onto(down, y=100)
    assert (up[0, :, 0] > 0).sum() == HEIGHT - 100
    assert (down[0, :, 0] > 0).sum() == HEIGHT - 100


def test_tint_moves_a_place_towards_a_colour() -> None:
    canvas = blank()
    tint(canvas, rgb("#ffffff"), np.ones((4, 6), dtype=np.float32), 0.5, top=10, left=20)
    assert canvas.sum() == pytest.approx(3 * 4 * 6 * 127.5)
    assert canvas[0, 10, 20] == 127.5


def test_light_outside_the_picture_is_lost() -> None:
    canvas = blank()
    shine(canvas, spot(5), rgb("#ffffff"), -200, 50)
    assert canvas.max() == 0
    shine(canvas, spot(5), rgb("#ffffff"), 0, 0)
    assert canvas[0, 0, 0] == pytest.approx(255)


def test_noise_is_level_and_tiles() -> None:
    field = noise(np.random.default_rng(1), 128, 256, 1.0)
    assert field.mean() == pytest.approx(0, abs=1e-5)
    assert field.std() == pytest.approx(1, abs=1e-5)
    inside = np.abs(np.diff(field, axis=1)).mean()
    assert np.abs(field[:, 0] - field[:, -1]).mean() < 2 * inside


def test_edges_of_shapes_are_smooth() -> None:
    shapes = Shapes(40, 40)
    shapes.ellipse(20, 20, 12, 12)
    cover = shapes.cover()
    assert cover.sum() == pytest.approx(np.pi * 144, rel=0.04)
    assert ((cover > 0) & (cover < 1)).any()


def test_water_moves_and_is_calmer_far_out() -> None:
    water = Water(np.random.default_rng(2), 150)
    first, later = water.waves(0.0), water.waves(0.5)
    assert not np.array_equal(first, later)
    assert first[:10].std() < first[-40:].std()


@pytest.mark.parametrize("scene", ONE_OF_EACH, ids=lambda scene: type(scene).__name__)
def test_a_scene_always_paints_the_same_pictures(scene: object) -> None:
    one, other = scene.painter(2.0), scene.painter(2.0)  # type: ignore[attr-defined]
    picture = one(1.0)
    assert picture.shape in ((3, HEIGHT, WIDTH), (3, HEIGHT // 2, WIDTH // 2))
    assert picture.dtype == np.float32
    assert np.isfinite(picture).all()
    one(0.5)
    assert np.array_equal(one(1.0), other(1.0))
