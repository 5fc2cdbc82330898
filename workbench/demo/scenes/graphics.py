"""Scenes that show no place: lamps out of focus, ink, a map, title cards, a plain colour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    Shapes,
    blank,
    disc,
    gradient,
    lettering,
    mixed,
    noise,
    rgb,
    shine,
    smooth,
    tint,
    vignette,
)
from workbench.demo.scenes.lighting import CITY, Look, Painter
from workbench.demo.scenes.weather import Droplets
from workbench.recording import FloatArray


@dataclass(frozen=True, slots=True)
class Bokeh:
    """Lamps far out of focus, drifting."""

    seed: int
    colours: tuple[str, ...] = ("#ffb45e", "#ff7f50", "#ffd9a0", "#7fb2ff", "#e05c7a")
    ground: tuple[str, ...] = ("#05060d", "#10142a", "#1f1528")
    drift: float = 9.0
    wet: bool = False  # seen through a pane with rain on it

    def painter(self, seconds: float) -> Painter:
        """Prepare discs of several sizes; half size unless the pane is wet."""
        generator = np.random.default_rng(self.seed)
        height, width = HEIGHT // 2, WIDTH // 2
        still = gradient(self.ground, height, width)
        lamps = []
        for _ in range(34):
            r = generator.uniform(5, 21)
            side = int(2 * r + 5)
            flat = disc(side / 2, side / 2, r, side, side, 2.5)
            ring = np.clip(flat - disc(side / 2, side / 2, r - 2, side, side, 2.5), 0, 1)
            sprite = (flat * 0.72 + ring * 0.5) * generator.uniform(0.18, 0.62)
            colour = rgb(self.colours[int(generator.integers(len(self.colours)))])
            x, y = generator.uniform(-20, width + 20), generator.normal(height * 0.55, height * 0.22)
            lamps.append((sprite, colour, x, y, generator.uniform(0.4, 1.6), generator.uniform(0, 6)))
        pane = Droplets(generator, CITY) if self.wet else None

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            for sprite, colour, x, y, pace, phase in lamps:
                left = (x + self.drift * pace * t + 30) % (width + 60) - 30
                flicker = 0.85 + 0.15 * np.sin(2.1 * t * pace + phase)
                shine(canvas, sprite, colour * np.float32(flicker), left, y + 4 * np.sin(0.5 * t + phase))
            if pane is None:
                return canvas
            full = np.repeat(np.repeat(canvas, 2, axis=1), 2, axis=2)
            pane.onto(full, t)
            return full

        return paint


@dataclass(frozen=True, slots=True)
class Ink:
    """A macro of something fluid: noise that is carried along by other noise, and a palette."""

    seed: int
    palette: tuple[str, ...] = ("#02111b", "#0d3b4f", "#3f8f9b", "#d9efe2", "#ffb26b")
    speed: float = 16.0
    scale: float = 1.0

    def painter(self, seconds: float) -> Painter:
        """Prepare two fields that move, one that is looked up through them; half size."""
        generator = np.random.default_rng(self.seed)
        height, width, tile = HEIGHT // 2, WIDTH // 2, 512
        flow = [noise(generator, tile, tile, 1.1) for _ in range(2)]
        target = noise(generator, tile, tile, 0.8)
        y = np.arange(height, dtype=np.float32)[:, None] * self.scale
        x = np.arange(width, dtype=np.float32)[None, :] * self.scale
        low, high = np.quantile(target, [0.03, 0.985])
        stops = np.concatenate([rgb(code) for code in self.palette], axis=2)[:, 0]
        table = np.stack([np.interp(np.linspace(0, len(self.palette) - 1, 1024), np.arange(len(self.palette)), p)
                          for p in stops]).astype(np.float32)  # fmt: skip
        dark = vignette(0.5, height, width)

        def sample(field: FloatArray, row: FloatArray, column: FloatArray) -> FloatArray:
            y0, x0 = np.floor(row).astype(np.int32), np.floor(column).astype(np.int32)
            fy, fx = row - y0, column - x0
            y0, x0 = y0 & (tile - 1), x0 & (tile - 1)
            y1, x1 = (y0 + 1) & (tile - 1), (x0 + 1) & (tile - 1)
            upper = field[y0, x0] * (1 - fx) + field[y0, x1] * fx
            lower = field[y1, x0] * (1 - fx) + field[y1, x1] * fx
            return np.asarray(upper * (1 - fy) + lower * fy, dtype=np.float32)

        def paint(t: float) -> FloatArray:
            shift = np.float32(self.speed * t)
            wy = 34 * sample(flow[0], y + shift, x + 0.4 * shift)
            wx = 46 * sample(flow[1], y - 0.6 * shift, x + 0.5 * shift)
            value = sample(target, y + wy + 0.3 * shift, x + wx)
            place = np.clip((value - low) / (high - low) * 1023, 0, 1023).astype(np.int32)
            return table[:, place] * dark

        return paint


@dataclass(frozen=True, slots=True)
class Map:
    """The line on a map, drawn from the valley to the sea."""

    seed: int
    stations: tuple[str, ...] = ("Upper Lyne", "Carrow", "Stow Halt", "Marram", "Pell Harbour")

    def painter(self, seconds: float) -> Painter:
        """Prepare paper, contour lines, coast and names."""
        generator = np.random.default_rng(self.seed)
        relief = noise(generator, HEIGHT, WIDTH, 1.7)
        x = np.arange(WIDTH, dtype=np.float32)[None, :]
        coast = smooth(x + 30 * relief + 7 * noise(generator, HEIGHT, WIDTH, 0.9), 505, 511)
        steps = relief * 4.0
        contour = np.clip(1 - np.abs(steps - np.round(steps)) / (0.02 + 1.1 * np.hypot(*np.gradient(steps))), 0, 1)
        paper = rgb("#efe4cd") * (1 + 0.018 * noise(generator, HEIGHT, WIDTH, 0.2))
        paper += (rgb("#b99d78") - paper) * (contour * 0.5 * (1 - coast))
        water = rgb("#8fb8b8") * (1 + 0.02 * np.sin(np.arange(HEIGHT) / 2.2)[:, None])
        still = (paper + (water - paper) * coast).astype(np.float32)
        t_line = np.linspace(0, 1, 240)
        xs = 70 + 440 * t_line
        ys = 108 + 130 * t_line**0.8 + 24 * np.sin(7.5 * t_line) * (1 - t_line * 0.6)
        marks = np.linspace(4, 236, len(self.stations)).astype(int)
        names = []
        for name, m in zip(self.stations, marks, strict=True):
            written = np.roll(lettering(name, 12, 12, serif=True, height=24), int(xs[m]) - WIDTH // 2, axis=1)
            names.append((int(ys[m]) - 31, written))
        dark = vignette(0.45)

        def paint(t: float) -> FloatArray:
            share = float(smooth(t, 0.1 * seconds, 0.85 * seconds))
            head = max(2, int(share * 240))
            line, holes = Shapes(), Shapes()
            line.line([(float(a), float(b)) for a, b in zip(xs[:head], ys[:head], strict=True)], 3.4)
            for m in marks[marks < head]:
                line.ellipse(xs[m], ys[m], 6.5, 6.5)
                holes.ellipse(xs[m], ys[m], 3.6, 3.6)
            canvas = still.copy()
            tint(canvas, rgb("#a3271c"), line.cover())
            tint(canvas, rgb("#fff8e8"), holes.cover())
            for (top, name), m in zip(names, marks, strict=True):
                tint(canvas, rgb("#33261c"), name, float(smooth(share * 240, m - 2, m + 14)), top)
            canvas *= dark
            return canvas

        return paint


@dataclass(frozen=True, slots=True)
class Card:
    """A title, quietly drawing nearer, a thin line between its two rows."""

    title: str
    below_title: str
    look: Look
    seed: int

    def painter(self, seconds: float) -> Painter:
        """Prepare a dim ground and the letters at three spacings."""
        generator = np.random.default_rng(self.seed)
        ground = gradient(self.look.sky) * 0.30
        mist = noise(generator, HEIGHT, WIDTH * 2, 1.2, stretch=2.0)
        small = lettering(self.below_title, 13, 214, 4.5)
        dark, ink = vignette(0.7), mixed(rgb(self.look.light), rgb("#ffffff"), 0.35)
        titles = [lettering(self.title, 34, 164, 8 + 4.0 * k / 24, serif=True) for k in range(25)]

        def paint(t: float) -> FloatArray:
            left = int(12 * t)
            canvas = ground * (1 + 0.16 * mist[:, left : left + WIDTH])
            shown = float(smooth(t, 0.15, 1.1))
            place = min(t / seconds, 1.0) * 24
            k, part = min(int(place), 23), place - min(int(place), 23)
            title = titles[k] * np.float32(1 - part) + titles[k + 1] * np.float32(part)
            tint(canvas, ink, title, shown)
            half = 90 * float(smooth(t, 0.4, 1.6))
            canvas[:, 191:192, int(320 - half) : int(320 + half)] += ink * 0.55
            tint(canvas, ink, small, 0.8 * float(smooth(t, 0.7, 1.7)))
            canvas *= dark
            return np.asarray(canvas, dtype=np.float32)

        return paint


@dataclass(frozen=True, slots=True)
class Plain:
    """Nothing but a colour: black, or the white of a flash."""

    colour: str = "#000000"

    def painter(self, seconds: float) -> Painter:
        """Prepare the one picture."""
        still = blank(HEIGHT // 2, WIDTH // 2) + rgb(self.colour)
        return lambda t: still.copy()
