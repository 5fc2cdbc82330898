"""Scenes of open country: hills, stars, woods, grass in the wind; and sky, clouds and ridges for other scenes too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    PictureLayer,
    Shapes,
    below,
    disc,
    glow,
    gradient,
    mixed,
    noise,
    outline,
    rgb,
    shine,
    smooth,
    spot,
    tint,
    vignette,
)
from workbench.demo.scenes.lighting import NIGHT, Look, Painter
from workbench.recording import FloatArray


def sky_of(look: Look, sun: tuple[float, float, float] | None = None) -> FloatArray:
    """The sky of a look.

    Parameters
    ----------
    look : its `sky` and `light` are read
    sun : column, row and radius, drawn with a halo; None: no sun

    Returns
    -------
    shape (3, HEIGHT, WIDTH)
    """
    picture = gradient(look.sky)
    if sun is not None:
        x, y, radius = sun
        light = rgb(look.light)
        for reach, share in ((radius * 9, 0.35), (radius * 2.6, 0.45)):
            halo = glow(x, y, reach) * share
            picture += (light - picture) * halo
        face = disc(x, y, radius, soft=1.5)
        picture += (light - picture) * face
    return picture


class ClimbingSun:
    """A sky whose sun climbs: its light is painted once, taller than the picture, and shown through a moving window."""

    def __init__(self, look: Look, sun: tuple[float, float, float], climb: float) -> None:
        x, y, radius = sun
        room = int(abs(climb)) + 2
        self._slack = room if climb >= 0 else 0
        height, middle = HEIGHT + room, y + (room - self._slack)
        dim = np.ones((height, WIDTH), dtype=np.float32)
        for reach, share in ((radius * 9, 0.35), (radius * 2.6, 0.45)):
            dim *= 1 - share * glow(x, middle, reach, height)
        dim *= 1 - disc(x, middle, radius, height, soft=1.5)
        self._shade, self._light, self._sky = 1 - dim, rgb(look.light), gradient(look.sky)
        self._first = 0.0 if climb >= 0 else float(room - 1)

    def at(self, climbed: float) -> FloatArray:
        """The sky with the sun at a height.

        Parameters
        ----------
        climbed : pixels above its starting place
        """
        top = self._first + climbed
        whole = int(np.floor(top))
        part = np.float32(top - whole)
        share = self._shade[whole : whole + HEIGHT] * (1 - part) + self._shade[whole + 1 : whole + 1 + HEIGHT] * part
        picture = self._sky.copy()
        tint(picture, self._light, share)
        return picture


def clouds_of(look: Look, generator: np.random.Generator, width: int, amount: float) -> PictureLayer:
    """Streaks of cloud.

    Parameters
    ----------
    look : its `cloud` is read
    generator : seeded by the caller
    width : pixels, as wide as the layer glides
    amount : 0 to 1, share of the sky that is covered

    Returns
    -------
    layer for the upper two thirds of the picture, thinner towards the zenith
    """
    height = HEIGHT * 3 // 4
    field = noise(generator, height, -(-width // 64) * 64, 0.75, stretch=2.8)[:, :width]  # such widths are fast
    rows = np.arange(height, dtype=np.float32)
    fall = np.asarray(smooth(rows, -60, 160) * (1 - smooth(rows, 200, 268)))
    cover = smooth(field, 1.3 - 1.9 * amount, 3.0 - 1.4 * amount) * fall[:, None] * 0.8
    return PictureLayer.of(rgb(look.cloud), cover)


def conifers(generator: np.random.Generator, line: FloatArray, count: int, size: float) -> FloatArray:
    """A line with a wood of pointed trees on it.

    Parameters
    ----------
    generator : seeded by the caller
    line : shape (width,), row of the ground at each column
    count : trees
    size : pixels of the tallest one

    Returns
    -------
    shape (width,), row of the treetops
    """
    grown = line.copy()
    columns = np.arange(line.size)
    for _ in range(count):
        x, tall = generator.integers(0, line.size), size * generator.uniform(0.45, 1.0)
        half = max(2, int(tall * 0.24))
        near = slice(max(0, x - half), min(line.size, x + half + 1))
        slope = np.abs(columns[near] - x) / half
        saw = 0.12 * tall * ((slope * 4) % 1.0)
        grown[near] = np.minimum(grown[near], line[x] - tall * (1 - slope) - saw + 2)
    return grown


def broadleaf(generator: np.random.Generator, line: FloatArray, count: int, size: float) -> FloatArray:
    """A line with round trees on it, single and in clumps.

    Parameters
    ----------
    generator : seeded by the caller
    line : shape (width,), row of the ground at each column
    count : clumps
    size : pixels, about the width of a tree

    Returns
    -------
    shape (width,), row of the treetops
    """
    grown = line.copy()
    columns = np.arange(line.size)
    for _ in range(count):
        x = generator.integers(0, line.size)
        for _ in range(int(generator.integers(2, 6))):
            middle, r = x + generator.normal(0, size * 0.7), size * generator.uniform(0.4, 0.8)
            arch = np.sqrt(np.clip(r * r - (columns - middle) ** 2, 0, None))
            grown = np.where(arch > 0, np.minimum(grown, line - 0.15 * r - arch), grown)
    return grown


def ridges_of(
    look: Look, generator: np.random.Generator, seconds: float, count: int, pan: float, base: float, woods: bool
) -> list[tuple[PictureLayer, float]]:
    """Ridges from far to near; haze gathers in the valleys between.

    Parameters
    ----------
    look : its `sky`, `far` and `near` are read
    generator : seeded by the caller
    seconds : length of the shot
    count : ridges
    pan : pixels a second of the nearest ridge; farther ones are slower
    base : mean row of the farthest ridge
    woods : whether trees stand on the nearest two

    Returns
    -------
    list : layer and pixels a second of each ridge
    """
    haze = rgb(look.sky[-1])
    layers: list[tuple[PictureLayer, float]] = []
    hidden = HEIGHT  # nearer ridges cover everything from this row down
    lines = []
    for k in range(count):
        depth = k / max(1, count - 1)
        speed = pan * (0.12 + 0.88 * depth**1.6)
        width = WIDTH + int(abs(speed) * seconds) + 4
        rough = outline(generator, max(width, 1200), 1.5 + 0.35 * depth, 560 - 120 * depth)[:width]
        lines.append((depth, speed, base + (HEIGHT - base) * depth**1.2 * 0.8 - (17 + 7 * depth) * rough))
    for k, (depth, speed, line) in reversed(list(enumerate(lines))):
        soft = ndimage.gaussian_filter1d(line, 30)
        lowest = int(line.max()) + 2
        if woods and k >= count - 2:
            line = conifers(generator, line, int(line.size / (7 if k == count - 2 else 17)), 13 + 38 * (k == count - 1))
        cover = below(line)
        cover[hidden:] = 0
        hidden = min(hidden, lowest)
        colour = mixed(rgb(look.far), rgb(look.near), depth**0.8)
        rows = np.arange(HEIGHT, dtype=np.float32)[:, None]
        share = smooth(rows - soft[None, :], -12, 105) * (0.8 - 0.74 * depth)
        layers.insert(0, (PictureLayer.of(colour + (haze - colour) * share, cover), speed))
    return layers


@dataclass(frozen=True, slots=True)
class Hills:
    """Ridge behind ridge, passing at their own speeds."""

    look: Look
    seed: int
    pan: float = 20.0  # pixels a second of the nearest ridge
    sun: tuple[float, float, float] | None = None
    rise: float = 0.0  # pixels a second that the sun climbs
    ridges: int = 5
    base: float = 175.0
    woods: bool = True
    cloud: float = 0.5
    birds: int = 0

    def painter(self, seconds: float) -> Painter:
        """Prepare sky, clouds and ridges."""
        generator = np.random.default_rng(self.seed)
        clouds = clouds_of(self.look, generator, WIDTH + int(6 * seconds) + 4, self.cloud)
        ridges = ridges_of(self.look, generator, seconds, self.ridges, self.pan, self.base, self.woods)
        flock = _Flock(generator, self.birds)
        dark = vignette()
        still = sky_of(self.look, self.sun)
        moving = ClimbingSun(self.look, self.sun, self.rise * seconds) if self.sun is not None and self.rise else None

        def paint(t: float) -> FloatArray:
            canvas = still.copy() if moving is None else moving.at(self.rise * t)
            clouds.onto(canvas, 6 * t)
            flock.fly(canvas, t, rgb(self.look.near))
            for layer, speed in ridges:
                layer.onto(canvas, speed * t if speed >= 0 else -speed * (seconds - t))
            canvas *= dark
            return canvas

        return paint


class _Flock:
    """Birds in a loose formation, each a pair of beating wings."""

    def __init__(self, generator: np.random.Generator, count: int) -> None:
        self._places = generator.normal(0, 1, (count, 2)) * (70, 24) + (-40, 95)
        self._beats = generator.uniform(2.2, 3.4, count)
        self._phases = generator.uniform(0, 7, count)
        self._sizes = generator.uniform(3.5, 6.5, count)

    def fly(self, canvas: FloatArray, t: float, colour: FloatArray) -> None:
        """Draw them at `t` seconds."""
        if not self._sizes.size:
            return
        shapes = Shapes(200)
        for (x, y), beat, phase, size in zip(self._places, self._beats, self._phases, self._sizes, strict=True):
            left = x + 52 * t + 3 * np.sin(t + phase)
            top = y - 3 * t + 4 * np.sin(0.7 * t + phase)
            lift = size * 0.8 * np.sin(2 * np.pi * beat * t + phase)
            wings = [(left - size, top - lift), (left - size * 0.4, top - lift * 0.5 - 1), (left, top)]
            wings += [(left + size * 0.4, top - lift * 0.5 - 1), (left + size, top - lift)]
            shapes.line(wings, 1.2)
        cover = shapes.cover()
        tint(canvas, colour, cover)


@dataclass(frozen=True, slots=True)
class Stars:
    """The night sky turning about the pole over a wooded edge."""

    seed: int
    turn: float = 1.6  # degrees a second
    meteor: float | None = None  # seconds into the shot

    def painter(self, seconds: float) -> Painter:
        """Prepare the galaxy, the stars and the trees."""
        generator = np.random.default_rng(self.seed)
        picture = gradient(NIGHT.sky)
        band = np.exp(-(((np.arange(HEIGHT)[:, None] - 40) - 0.42 * (np.arange(WIDTH)[None, :] - 60)) ** 2) / 9000)
        dust = smooth(noise(generator, HEIGHT, WIDTH, 0.7), -1.2, 2.5) * band.astype(np.float32)
        picture += rgb("#6d78b8") * dust * 0.55
        wood = PictureLayer.of(
            rgb("#02030a"), below(conifers(generator, 318 - 12 * outline(generator, WIDTH, 1.2), 70, 62))
        )
        radius = 560 * np.sqrt(generator.uniform(0.001, 1, 1500))
        angle = generator.uniform(0, 2 * np.pi, 1500)
        magnitude = 420 * generator.power(0.30, 1500) + 40
        tint = np.where(generator.random(1500) < 0.3, 0.78, 1.0)
        twinkle = generator.uniform(2, 9, 1500)

        def paint(t: float) -> FloatArray:
            canvas = picture.copy()
            turned = angle + np.radians(self.turn) * t
            x, y = 350 + radius * np.cos(turned), 130 + radius * np.sin(turned)
            seen = (x > 1) & (x < WIDTH - 2) & (y > 1) & (y < HEIGHT - 2)
            column, row = x[seen].astype(int), y[seen].astype(int)
            fx, fy = x[seen] - column, y[seen] - row
            light = magnitude[seen] * (1 + 0.25 * np.sin(twinkle[seen] * t + angle[seen] * 40))
            for dy in (0, 1):
                for dx in (0, 1):
                    share = light * np.abs(1 - dx - fx) * np.abs(1 - dy - fy)
                    np.add.at(canvas[0], (row + dy, column + dx), share * tint[seen])
                    np.add.at(canvas[1], (row + dy, column + dx), share * (0.5 + tint[seen] / 2))
                    np.add.at(canvas[2], (row + dy, column + dx), share)
            self._streak(canvas, t)
            wood.onto(canvas)
            return canvas

        return paint

    def _streak(self, canvas: FloatArray, t: float) -> None:
        """A meteor: half a second of light along a line."""
        if self.meteor is None or not 0 <= t - self.meteor < 0.6:
            return
        head = (t - self.meteor) / 0.6
        for share in np.linspace(0, 0.22, 60):
            at = head - share
            if at > 0:
                strength = 210 * (1 - share / 0.22) ** 2 * np.sin(np.pi * head)
                shine(canvas, spot(1), rgb("#eaf2ff") / 255 * strength, 470 - 330 * at, 30 + 120 * at)


@dataclass(frozen=True, slots=True)
class Forest:
    """Trunks near and far, shafts of light between them."""

    look: Look
    seed: int
    pan: float = 40.0

    def painter(self, seconds: float) -> Painter:
        """Prepare four depths of trunks and the light."""
        generator = np.random.default_rng(self.seed)
        still = gradient((self.look.light, self.look.sky[-1], self.look.sky[-2]))
        still += rgb(self.look.light) * glow(430, 30, 170) * 0.35
        rows: list[tuple[PictureLayer, float]] = []
        for k in range(4):
            depth = k / 3
            speed = self.pan * (0.2 + 0.8 * depth**1.5)
            width = WIDTH + int(speed * seconds) + 4
            shapes = Shapes(HEIGHT, width)
            x = float(generator.uniform(0, 30))
            while x < width:
                thick = (3.5 + 24 * depth**1.5) * generator.uniform(0.6, 1.25)
                lean = generator.normal(0, 5)
                crown, foot = thick * 0.38, thick * 0.55
                shapes.polygon(
                    [(x - crown + lean, -2), (x + crown + lean, -2), (x + foot, HEIGHT + 2), (x - foot, HEIGHT + 2)]
                )
                x += (20 + 105 * depth) * generator.uniform(0.5, 1.6)
            ground = below(HEIGHT - 70 + 58 * depth**0.7 + 5 * outline(generator, max(width, 700), 1.0, 160)[:width])
            colour = mixed(rgb(self.look.far), rgb(self.look.near), depth**0.9)
            rows.append((PictureLayer.of(colour, np.maximum(shapes.cover(), ground)), speed))
        y, x_grid = np.arange(HEIGHT)[:, None], np.arange(WIDTH)[None, :]
        ray = (x_grid - 430) / (y + 120.0)
        shafts = smooth(np.sin(ray * 17 + 1.0) + 0.6 * np.sin(ray * 41), 0.3, 1.5) * (1 - y / HEIGHT) ** 0.8
        dust = generator.uniform((0, 40, 4, 0), (WIDTH, 300, 16, 6), (46, 4))  # column, row, pace, phase
        light, dark = rgb(self.look.light), vignette(0.5)

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            for k, (layer, speed) in enumerate(rows):
                layer.onto(canvas, speed * t)
                if k == 1:
                    canvas += light * (shafts * np.float32(0.24 + 0.04 * np.sin(0.8 * t)))
            for x, height, speed, phase in dust:
                left = (x - speed * t * 2) % WIDTH
                shine(
                    canvas,
                    spot(1),
                    light * np.float32(0.3 + 0.2 * np.sin(t + phase)),
                    left,
                    height + 6 * np.sin(0.6 * t + phase),
                )
            canvas *= dark
            return canvas

        return paint


@dataclass(frozen=True, slots=True)
class Reeds:
    """Grass close by, bending in the wind before a bright sky."""

    look: Look
    seed: int
    wind: float = 1.0
    sun: tuple[float, float, float] | None = (240.0, 210.0, 30.0)

    def painter(self, seconds: float) -> Painter:
        """Prepare the light and the stalks."""
        generator = np.random.default_rng(self.seed)
        still = sky_of(self.look, self.sun)
        haze = below(300 - 10 * outline(generator, WIDTH, 1.2)) * 0.7
        tint(still, mixed(rgb(self.look.far), rgb(self.look.near), 0.4), haze)
        stalks = sorted(
            (
                generator.uniform(0.35, 1),
                generator.uniform(-20, WIDTH + 20),
                generator.uniform(120, 290),
                generator.uniform(0, 6),
            )
            for _ in range(78)
        )
        dark = vignette(0.45)
        near = rgb(self.look.near)

        def paint(t: float) -> FloatArray:
            shapes = Shapes()
            gust = 0.6 + 0.4 * np.sin(0.9 * t)
            for depth, x, tall, phase in stalks:
                tone = 255 if depth > 0.7 else 150
                sway = self.wind * (18 * gust + 11 * np.sin(1.9 * t + phase + x / 90)) * tall / 200
                curve = [(x + sway * (s**1.8), HEIGHT + 4 - tall * s) for s in np.linspace(0, 1, 7)]
                shapes.line(curve, 0.8 + 2.1 * depth, tone)
                tip_x, tip_y = curve[-1]
                shapes.ellipse(tip_x + sway * 0.04, tip_y, 1.4 + 2.4 * depth, 9 * depth, tone)
            canvas = still.copy()
            tint(canvas, near, shapes.cover())
            canvas *= dark
            return canvas

        return paint
