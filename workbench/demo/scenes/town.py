"""Scenes of the city: houses over a river at night, people on a platform, a street full of lights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    PictureLayer,
    Shapes,
    Water,
    below,
    glow,
    gradient,
    mixed,
    rgb,
    rippled,
    shine,
    smooth,
    spot,
    tint,
    vignette,
)
from workbench.demo.scenes.landscape import sky_of
from workbench.demo.scenes.lighting import Look, Painter
from workbench.recording import FloatArray


def skyline(
    generator: np.random.Generator, width: int, low: float, high: float, lit: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Houses side by side.

    Parameters
    ----------
    generator : seeded by the caller
    width : pixels
    low, high : pixels, range of the houses' heights
    lit : 0 to 1, share of the windows that are lit

    Returns
    -------
    row of the roofs, shape (width,); lit windows 0 to 1, and a random number of each window, shape (HEIGHT, width)
    """
    roofs = np.full(width, float(HEIGHT), dtype=np.float32)
    windows, numbers = np.zeros((HEIGHT, width), dtype=np.float32), np.zeros((HEIGHT, width), dtype=np.float32)
    x = 0
    while x < width:
        wide = int(generator.integers(18, 58))
        roof = int(HEIGHT - generator.uniform(low, high) * (1.3 if generator.random() < 0.12 else 1.0))
        roofs[x : x + wide] = roof
        step_x, step_y = int(generator.integers(4, 7)), int(generator.integers(6, 9))
        for y in range(roof + 5, HEIGHT, step_y):
            for left in range(x + 3, min(x + wide, width) - 3, step_x):
                if generator.random() < lit:
                    windows[y : y + 3, left : left + 2] = generator.uniform(0.35, 1.0)
                    numbers[y : y + 3, left : left + 2] = generator.random()
        x += wide + int(generator.integers(0, 4))
    return roofs, windows, numbers


@dataclass(frozen=True, slots=True)
class City:
    """Houses at night on the far bank of a river that doubles their lights."""

    look: Look
    seed: int
    pan: float = 14.0
    bank: int = 262  # row at which the water begins; HEIGHT for none
    lit: float = 0.42
    moon: bool = True

    def painter(self, seconds: float) -> Painter:
        """Prepare three rows of houses and the river."""
        generator = np.random.default_rng(self.seed)
        sky = sky_of(self.look, (500, 70, 13) if self.moon else None)
        sky += rgb("#c47a4a") * (glow(WIDTH / 2, self.bank, 190, power=2.6) * 0.34)
        rows: list[tuple[PictureLayer, float]] = []
        masts: list[tuple[float, float, float]] = []
        for k, (low, high) in enumerate(((105, 215), (70, 165), (40, 110))):
            speed = self.pan * (0.25, 0.55, 1.0)[k]
            width = WIDTH + int(abs(speed) * seconds) + 4
            roofs, windows, numbers = skyline(generator, width, low + 60, high + 60, self.lit * (0.6 + 0.25 * k))
            house = mixed(rgb(self.look.far), rgb(self.look.near), (0.25, 0.62, 0.95)[k])
            lamps = np.where(numbers > 0.22, rgb("#ffc879"), rgb("#bcd6ff")) * (0.45 + 0.27 * k)
            cover = below(roofs)
            lit = windows * cover
            rows.append((PictureLayer.of(house + (lamps - house) * lit, cover), speed))
            if k == 0:
                masts = [(*top, generator.uniform(0, 2)) for top in _towers(roofs)]
        water = Water(generator, HEIGHT - self.bank, choppy=0.8) if self.bank < HEIGHT else None
        dark = vignette()

        def paint(t: float) -> FloatArray:
            canvas = sky.copy()
            for layer, speed in rows:
                layer.onto(canvas, speed * t if speed >= 0 else -speed * (seconds - t))
            for x, y, phase in masts:
                pulse = max(0.0, float(np.sin(2.4 * t + phase * 3))) ** 3
                left = self.pan * 0.25 * (t if self.pan >= 0 else t - seconds)
                shine(canvas, spot(3), rgb("#ff3b30") * 0.9 * pulse, x - left, y)
            if water is not None:
                waves = water.waves(t, 0.7)
                canvas[:, self.bank :] = rippled(canvas[:, : self.bank], waves, 7.0) * (0.5 + 0.1 * waves)
                canvas[:, self.bank :] += rgb("#0b1024") * 0.8
            canvas *= dark
            return canvas

        return paint


def _towers(roofs: FloatArray) -> list[tuple[float, float]]:
    """Middle and top of the houses that stand highest over their neighbourhood: column, row."""
    edges = np.flatnonzero(np.diff(roofs)) + 1
    houses = [(int(a), int(b)) for a, b in pairwise((0, *edges, roofs.size)) if roofs[a] < HEIGHT]
    highest = sorted(houses, key=lambda house: float(roofs[house[0]]))[: max(3, len(houses) // 8)]
    return [((a + b) / 2, float(roofs[a]) - 2) for a, b in highest]


@dataclass(frozen=True, slots=True)
class Platform:
    """People on a platform against the light, each at their own pace."""

    look: Look
    seed: int
    people: int = 16
    pace: float = 1.0

    def painter(self, seconds: float) -> Painter:
        """Prepare the roof and a walk of eight steps in several sizes."""
        generator = np.random.default_rng(self.seed)
        still = gradient((*self.look.sky[-2:], self.look.light))
        still += rgb(self.look.light) * glow(320, 235, 150, power=2.4) * 0.4
        hall = Shapes()
        hall.polygon([(0, 0), (WIDTH, 0), (WIDTH, 42), (320, 96), (0, 42)])
        for k in range(-6, 7):
            hall.line([(320 + k * 9, 92), (320 + k * 118, -20)], 3.0, value=90)
        for x in (58, 166, 474, 582):
            thick = 5 if x in (166, 474) else 9
            hall.box(x - thick, 30, x + thick, HEIGHT)
        floor = below(np.full(WIDTH, 300, dtype=np.float32))
        near = rgb(self.look.near)
        base = PictureLayer.of(near, np.maximum(hall.cover(), floor * 0.82))
        shine_on_floor = np.exp(-(((np.arange(WIDTH) - 320) / 130.0) ** 2))[None, :] * floor
        still_light = (rgb(self.look.light) * 0.28 * shine_on_floor).astype(np.float32)
        walkers = []
        for k in range(self.people):
            size = 0.62 + 0.75 * (k / self.people) ** 1.3
            steps = _walk(size * generator.uniform(0.92, 1.08), bool(generator.random() < 0.4))
            way = 1 if generator.random() < 0.55 else -1
            speed = way * self.pace * size * generator.uniform(48, 74)
            walkers.append(
                (steps, generator.uniform(-60, WIDTH + 60), speed, 297 + 34 * (size - 0.62), generator.uniform(0, 8))
            )
        dark = vignette(0.5)

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            base.onto(canvas)
            canvas += still_light
            for steps, x, speed, foot, phase in walkers:
                left = (x + speed * t + 80) % (WIDTH + 160) - 80
                sprite = steps[int(phase + t * 8.5 * self.pace) % len(steps)]
                _stamp(canvas, sprite if speed > 0 else sprite[:, ::-1], near * 0.9, left, foot)
            canvas *= dark
            return canvas

        return paint


def _walk(size: float, carries: bool) -> list[FloatArray]:
    """A walk cycle to the right in eight pictures, shape (rows, columns) each, feet on the last row."""
    height, width = int(112 * size), int(64 * size)
    pictures = []
    for k in range(8):
        a = 2 * np.pi * k / 8
        shapes, x = Shapes(height, width), width / 2
        swing, bob = float(np.sin(a)), 1.5 * float(np.cos(2 * a))

        def at(right: float, up: float, x: float = x) -> tuple[float, float]:
            return x + right * size, height - 1 - up * size

        for leg, turn in ((swing, a), (-swing, a + np.pi)):
            lift = 5 * max(0.0, float(np.cos(turn)))
            heel = (19 * leg, 2 + lift)
            knee = at(9 * leg + 3, 25 + lift * 0.4)
            shapes.line([at(0, 50), knee, at(*heel), at(heel[0] + 6, heel[1] - 1.5)], 7.5 * size)
        shapes.polygon([at(-9, 85 - bob), at(9, 85 - bob), at(10, 38), at(-10, 38)])
        shapes.line([at(0, 81 - bob), at(-9 * swing, 64), at(3 - 14 * swing, 50)], 5 * size)
        shapes.ellipse(*at(1, 96 - bob), 7.2 * size, 8.6 * size)
        if carries:
            left, top = at(-17, 47)
            shapes.box(left, top, left + 14 * size, top + 22 * size, round_off=2)
        pictures.append(shapes.cover())
    return pictures


def _stamp(canvas: FloatArray, cover: FloatArray, colour: FloatArray, x: float, foot: float) -> None:
    """Lay a small cover on the canvas, its foot on a row."""
    height, width = cover.shape
    top, left = round(foot) - height, round(x) - width // 2
    x0, x1 = max(left, 0), min(left + width, WIDTH)
    y0, y1 = max(top, 0), min(top + height, HEIGHT)
    if x0 < x1 and y0 < y1:
        tint(canvas, colour, cover[y0 - top : y1 - top, x0 - left : x1 - left], 1.0, y0, x0)


@dataclass(frozen=True, slots=True)
class Road:
    """A street at night from above the traffic: white lights come, red lights go."""

    seed: int
    speed: float = 0.34  # how fast cars come up, 1 is the length of the view in a second
    bend: float = 60.0

    def painter(self, seconds: float) -> Painter:
        """Prepare the street, its lamps and the cars."""
        generator = np.random.default_rng(self.seed)
        still = gradient(("#05070f", "#101633", "#3a2a4a", "#14131d", "#0c0c12"))
        roofs, windows, _ = skyline(generator, WIDTH, 190, 300, 0.25)
        houses = below(roofs) * (np.arange(HEIGHT)[:, None] < 190)
        canyon = smooth(np.abs(np.arange(WIDTH) - 320.0 - self.bend)[None, :], 60, 240)
        tint(still, rgb("#070a15"), houses * canyon)
        still += rgb("#ffb765") * (windows * houses * canyon * 0.45)
        cars = [(way, generator.uniform(0, 1), generator.uniform(0.75, 1.3), lane)
                for way in (1, -1) for lane in (0.34, 0.72) for _ in range(7)]  # fmt: skip
        dark = vignette(0.4)

        def place(depth: float, side: float) -> tuple[float, float]:
            return 320 + self.bend * (1 - depth) ** 2 + side * 300 * depth, 178 + 185 * depth

        def lit(canvas: FloatArray, x: float, y: float, size: float, colour: FloatArray) -> None:
            shine(canvas, spot(max(1, int(size))), colour, x, y)
            for k in range(1, 6):
                shine(canvas, spot(max(1, int(size * 0.75))), colour * (0.16 - 0.025 * k), x, y + k * size * 1.7)

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            for k in range(10):
                depth = 0.10 / (0.10 + (k / 10 - 0.3 * self.speed * t) % 1.0)
                for side in (-1.55, 1.55):
                    x, y = place(depth, side)
                    shine(
                        canvas,
                        spot(max(1, int(17 * depth))),
                        rgb("#ffb257") * min(1.1, 0.5 + depth),
                        x,
                        y - 215 * depth,
                    )
                    shine(canvas, spot(max(1, int(26 * depth))), rgb("#ffb257") * 0.10, x, y + 10 * depth)
            for way, start, pace, lane in cars:
                depth = 0.13 / (0.13 + (start - way * self.speed * pace * t * 0.6) % 1.0)
                colour = rgb("#fff1d0") if way > 0 else rgb("#ff2a1c")
                for half in (-0.10, 0.10):
                    x, y = place(depth, -way * lane + half)
                    lit(canvas, x, y, 15 * depth, colour * np.float32(0.45 + 0.7 * depth))
            canvas *= dark
            return canvas

        return paint
