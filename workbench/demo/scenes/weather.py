"""Scenes of sea and rain: water under a low sun, a lighthouse, a downpour, drops on a pane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    PictureLayer,
    Shapes,
    Water,
    below,
    disc,
    glow,
    mixed,
    outline,
    rgb,
    shine,
    smooth,
    spot,
    tint,
    vignette,
)
from workbench.demo.scenes.landscape import clouds_of, ridges_of, sky_of
from workbench.demo.scenes.lighting import Look, Painter
from workbench.recording import FloatArray

LANTERN = (104.0, 54.0)  # column and row of the lighthouse's lamp


@dataclass(frozen=True, slots=True)
class Sea:
    """Water to the horizon under a low sun, the light lying on it in a path."""

    look: Look
    seed: int
    sun: tuple[float, float, float] = (400.0, 140.0, 17.0)
    horizon: int = 170
    choppy: float = 1.0
    glitter: float = 1.0
    boat: float | None = None  # its column at the start
    beam: bool = False  # a lighthouse with a turning light
    drift: float = 4.0  # pixels a second of the clouds

    def painter(self, seconds: float) -> Painter:
        """Prepare sky, headland and water."""
        generator = np.random.default_rng(self.seed)
        sky = sky_of(self.look, self.sun)
        clouds = clouds_of(self.look, generator, WIDTH + int(self.drift * seconds) + 4, 0.55)
        rows = HEIGHT - self.horizon
        water = Water(generator, rows, choppy=self.choppy)
        depth = np.linspace(0, 1, rows, dtype=np.float32)[None, :, None]
        top = mixed(rgb(self.look.sky[-1]), rgb(self.look.sky[-2]), 0.45) * 0.8
        bottom = mixed(rgb(self.look.near), rgb(self.look.sky[0]), 0.5)
        body = top + (bottom - top) * depth**0.45
        spread = 16 + 150 * depth[0]
        path = np.exp(-(((np.arange(WIDTH, dtype=np.float32)[None, :] - self.sun[0]) / spread) ** 2))
        path *= (1 - 0.55 * depth[0]) * self.glitter
        light = rgb(self.look.light)
        shore, beam = self._headland(generator), _beam()
        dark = vignette()

        def paint(t: float) -> FloatArray:
            canvas = sky.copy()
            clouds.onto(canvas, self.drift * t)
            waves = water.waves(t)
            canvas[:, self.horizon :] = body * (1 + 0.15 * waves)
            sparkle = np.clip(1.5 * waves - 0.5 + 0.75 * path, 0, 1.3) * path
            tint(canvas, light, np.minimum(sparkle, 0.95), 1.0, self.horizon)
            if self.boat is not None:
                self._sail(canvas, t)
            for layer in shore:
                layer.onto(canvas)
            if self.beam:
                self._sweep(canvas, t, beam)
            canvas *= dark
            return canvas

        return paint

    def _headland(self, generator: np.random.Generator) -> list[PictureLayer]:
        far = mixed(rgb(self.look.far), rgb(self.look.sky[-1]), 0.25)
        x = np.arange(WIDTH, dtype=np.float32)
        rough = outline(generator, WIDTH, 1.1, 200)
        low = self.horizon + 1 - np.maximum(0, 26 * (1 - x / 210) + 3.5 * rough * (x < 210))
        bars = [PictureLayer.of(far, below(low) * (np.arange(HEIGHT)[:, None] < self.horizon + 1))]
        if self.beam:
            cliff = self.horizon + 10 - np.maximum(0, 64 * smooth(-x, -210, -90) + 4 * rough * (x < 200))
            cliff[x > 205] = HEIGHT
            shapes = Shapes()
            shapes.polygon([(96, 60), (112, 60), (110, 48), (98, 48)])
            shapes.polygon([(96, 48), (112, 48), (104, 40)])
            shapes.polygon([(92, 128), (97, 60), (111, 60), (116, 128)])
            shapes.box(94, 59, 114, 62)
            foot = (np.arange(HEIGHT)[:, None] < self.horizon + 12 + 2 * rough[None, :]).astype(np.float32)
            bars.append(PictureLayer.of(rgb(self.look.near), np.maximum(below(cliff) * foot, shapes.cover())))
        return bars

    def _sail(self, canvas: FloatArray, t: float) -> None:
        assert self.boat is not None
        x, y = self.boat + 5 * t, self.horizon + 24 + 1.2 * np.sin(1.7 * t)
        lean = 1.5 * np.sin(1.1 * t)
        shapes = Shapes()
        shapes.polygon([(x - 17, y - 4), (x + 19, y - 4), (x + 12, y + 3), (x - 13, y + 3)])
        shapes.polygon([(x + 1 + lean, y - 42), (x + 1, y - 6), (x + 17, y - 7)])
        shapes.polygon([(x - 1 + lean, y - 40), (x - 1, y - 6), (x - 13, y - 7)])
        shapes.line([(x, y - 4), (x + lean, y - 45)], 1.0)
        tint(canvas, rgb(self.look.near), shapes.cover())

    def _sweep(self, canvas: FloatArray, t: float, beam: FloatArray) -> None:
        x, y = LANTERN
        turn = 0.9 * t + 0.6
        side = np.sin(turn)
        half = slice(int(x), WIDTH) if side > 0 else slice(0, int(x))
        canvas[:, :, half] += rgb(self.look.light) * (beam[:, half] * np.float32(0.5 * abs(side)))
        shine(canvas, spot(9), rgb(self.look.light) * np.float32(0.35 + 0.9 * max(0.0, np.cos(turn)) ** 8), x, y)


def _beam() -> FloatArray:
    """The light of the lantern to both sides, shape (HEIGHT, WIDTH)."""
    dy = (np.arange(HEIGHT, dtype=np.float32) - LANTERN[1])[:, None]
    dx = np.abs(np.arange(WIDTH, dtype=np.float32) - LANTERN[0])[None, :] + 1
    return np.asarray(np.exp(-((np.arctan(dy / dx) / 0.07) ** 2)) / (1 + np.hypot(dx, dy) / 240), dtype=np.float32)


class Droplets:
    """Rain on a pane: beads that stay, and beads that run down in jerks and leave a trail."""

    def __init__(self, generator: np.random.Generator, look: Look) -> None:
        dark, bright = np.zeros((HEIGHT, WIDTH), np.float32), np.zeros((HEIGHT, WIDTH), np.float32)
        for _ in range(420):
            x, y = generator.uniform(0, WIDTH), generator.uniform(0, HEIGHT)
            self._bead(dark, bright, x, y, generator.uniform(0.8, 3.2) ** 1.15)
        self._beads = (PictureLayer.of(rgb(look.near) * 0.6, dark * 0.5), bright)
        self._runs = [
            (generator.uniform(20, WIDTH - 20), generator.uniform(30, 110), generator.uniform(0, 9),
             generator.uniform(2.4, 4.4)) for _ in range(16)
        ]  # fmt: skip
        self._light = rgb(look.light)

    @staticmethod
    def _bead(dark: FloatArray, bright: FloatArray, x: float, y: float, r: float) -> None:
        size = int(r + 3)
        x0, y0 = int(x) - size, int(y) - size
        if x0 < 0 or y0 < 0 or x0 + 2 * size + 1 > WIDTH or y0 + 2 * size + 1 > HEIGHT:
            return
        place = (slice(y0, y0 + 2 * size + 1), slice(x0, x0 + 2 * size + 1))
        cover = disc(x - x0, y - y0, r, 2 * size + 1, 2 * size + 1, 1.3)
        shade = np.linspace(1, 0.1, 2 * size + 1, dtype=np.float32)[:, None]
        dark[place] = np.maximum(dark[place], cover * shade)
        bright[place] = np.maximum(bright[place], cover * (1 - shade) * 0.55)
        bright[place] += disc(x - x0 - r * 0.3, y - y0 - r * 0.35, r * 0.28, 2 * size + 1, 2 * size + 1, 1.0) * 0.9

    def onto(self, canvas: FloatArray, t: float) -> None:
        """Draw the pane at `t` seconds."""
        layer, bright = self._beads
        layer.onto(canvas)
        tint(canvas, self._light, bright, 0.6)
        for x, speed, phase, size in self._runs:
            clock = t + phase
            y = (speed * (clock + 0.35 * np.sin(3.1 * clock + phase))) % (HEIGHT + 80) - 40
            wander = x + 5 * np.sin(y / 31 + phase)
            for back in range(9):
                shine(canvas, spot(1), self._light * (0.10 * (1 - back / 9)), wander, y - 3 - back * 4)
            shine(canvas, spot(round(size)), self._light * 0.22, wander, y)
            shine(canvas, spot(1), self._light * 0.5, wander - 1, y - 1)


@dataclass(frozen=True, slots=True)
class Downpour:
    """Rain in sheets before dark ridges; now and then the sky lights up."""

    look: Look
    seed: int
    wind: float = 0.25
    lamp: tuple[float, float] | None = None
    lightning: float | None = None  # seconds into the shot

    def painter(self, seconds: float) -> Painter:
        """Prepare the place, and two sheets of rain that tile."""
        generator = np.random.default_rng(self.seed)
        still = sky_of(self.look)
        clouds_of(self.look, generator, WIDTH, 0.8).onto(still)
        for layer, _ in ridges_of(self.look, generator, 0, 5, 0, 180, woods=True):
            layer.onto(still)
        if self.lamp is not None:
            x, y = self.lamp
            post = Shapes()
            post.box(x - 2.5, y, x + 2.5, HEIGHT)
            post.polygon([(x - 13, y + 2), (x + 13, y + 2), (x + 6, y - 7), (x - 6, y - 7)])
            tint(still, rgb(self.look.near), post.cover())
            still += rgb("#ffcf8a") * (glow(x, y + 8, 24) * 0.95 + glow(x, y + 8, 120) * 0.28)
        sheets = [self._sheet(generator, 700, 14, 0.5), self._sheet(generator, 260, 30, 1.0)]
        bolt = self._bolt(generator)
        dark = vignette(0.5)

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            if self.lightning is not None and t >= self.lightning:
                since = t - self.lightning
                strength = np.exp(-since / 0.16) + 0.6 * (since > 0.28) * np.exp(-max(0, since - 0.28) / 0.2)
                canvas *= np.float32(1 + 1.5 * strength)
                canvas += rgb("#c9d8ff") * (bolt * np.float32(min(1.0, 1.4 * strength)))
            fine = _rolled(sheets[0], t * 900, t * 900 * self.wind)
            coarse = _rolled(sheets[1], t * 1500, t * 1500 * self.wind)
            tint(canvas, rgb("#dfe9f2"), fine * 0.26 + coarse * 0.32)
            canvas *= dark
            return canvas

        return paint

    def _sheet(self, generator: np.random.Generator, count: int, length: int, strength: float) -> FloatArray:
        sheet = np.zeros((HEIGHT, WIDTH), dtype=np.float32)
        for _ in range(count):
            x, y = generator.uniform(0, WIDTH), generator.integers(0, HEIGHT)
            long = int(length * generator.uniform(0.6, 1.5))
            rows = (y + np.arange(long)) % HEIGHT
            columns = (x + np.arange(long) * self.wind).astype(int) % WIDTH
            sheet[rows, columns] += strength * np.hanning(long + 2)[1:-1] * generator.uniform(0.4, 1)
        return np.clip(sheet, 0, 1)

    def _bolt(self, generator: np.random.Generator) -> FloatArray:
        shapes, x, y = Shapes(), 430.0, 0.0
        points = [(x, y)]
        while y < 190:
            x, y = x + generator.normal(-2, 9), y + generator.uniform(6, 15)
            points.append((x, y))
        shapes.line(points, 1.8)
        fork = points[6]
        shapes.line([fork, *((fork[0] + 9 * k + generator.normal(0, 5), fork[1] + 11 * k) for k in range(1, 7))], 0.9)
        return shapes.cover()


def _rolled(sheet: FloatArray, down: float, across: float) -> FloatArray:
    """A tiling sheet moved by whole pixels."""
    return np.roll(sheet, (int(down) % sheet.shape[0], int(across) % sheet.shape[1]), axis=(0, 1))
