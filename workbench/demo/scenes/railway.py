"""Scenes of the line: a train on a viaduct, the view from a seat and from the cab, a tunnel, wheels, signal, clock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from workbench.demo.scenes.brushes import (
    HEIGHT,
    WIDTH,
    PictureLayer,
    Shapes,
    Water,
    below,
    disc,
    glow,
    gradient,
    mixed,
    noise,
    outline,
    rgb,
    rippled,
    smooth,
    tint,
    vignette,
)
from workbench.demo.scenes.landscape import broadleaf, clouds_of, ridges_of, sky_of
from workbench.demo.scenes.lighting import Look, Painter
from workbench.demo.scenes.weather import Droplets
from workbench.recording import FloatArray


def _carriages(count: int, scale: float) -> tuple[FloatArray, FloatArray]:
    """A train that faces left: cover of its body and of its windows, shape (rows, columns) each."""
    long, gap = 104 * scale, 4 * scale
    width, height = int(count * (long + gap) + 20 * scale), int(34 * scale)
    body, panes = Shapes(height, width), Shapes(height, width)
    for k in range(count):
        x = 6 * scale + k * (long + gap)
        body.box(x, 3 * scale, x + long, 27 * scale, round_off=3 * scale)
        if k == 0:
            body.polygon([(x - 5 * scale, 27 * scale), (x + 16 * scale, 27 * scale), (x + 16 * scale, 3 * scale),
                          (x + 7 * scale, 3 * scale)])  # fmt: skip
        for wheel in (12, 24, long / scale - 24, long / scale - 12):
            body.ellipse(x + wheel * scale, 28.5 * scale, 4.2 * scale, 4.2 * scale)
        body.box(x + long, 20 * scale, x + long + gap, 25 * scale)
        for pane in range(7):
            left = x + (15 + pane * 12.2) * scale
            panes.box(left, 9 * scale, left + 8 * scale, 17 * scale, round_off=1.2 * scale)
    return body.cover(), panes.cover()


def _train_layer(look: Look, count: int, scale: float, foot: float, lit: str = "#ffd98c") -> PictureLayer:
    """The train on rails at row `foot`, with a picture's width of nothing before and behind it."""
    body, panes = _carriages(count, scale)
    colour = rgb(look.near) * 0.8 + 3
    light = (colour + (rgb(lit) - colour) * panes) * body
    pad = ((0, 0), (WIDTH + 2, WIDTH + 2))
    return PictureLayer(np.pad(light, ((0, 0), *pad)), np.pad(body, pad), int(foot - body.shape[0]))


@dataclass(frozen=True, slots=True)
class Viaduct:
    """A train crosses a bridge of arches, with the light behind it and water below."""

    look: Look
    seed: int
    speed: float = 150.0  # pixels a second; negative runs to the right
    enters: float = 0.4  # seconds into the shot
    scale: float = 0.9
    count: int = 5
    sun: tuple[float, float, float] | None = (430.0, 178.0, 26.0)

    def painter(self, seconds: float) -> Painter:
        """Prepare sky, ridges, bridge and water."""
        generator = np.random.default_rng(self.seed)
        still = sky_of(self.look, self.sun)
        clouds_of(self.look, generator, WIDTH, 0.55).onto(still)
        for layer, _ in ridges_of(self.look, generator, 0, 5, 0, 205, woods=False)[:3]:
            layer.onto(still)
        deck, bank = 196, 286
        bridge = PictureLayer.of(rgb(self.look.near), self._arches(deck, bank))
        train = _train_layer(self.look, self.count, self.scale, deck + 1)
        if self.speed < 0:
            train = PictureLayer(train.light[:, :, ::-1].copy(), train.cover[:, ::-1].copy(), train.top)
        length = train.cover.shape[1] - WIDTH - 2
        water = Water(generator, HEIGHT - bank, choppy=0.9)
        shade = mixed(rgb(self.look.near), rgb(self.look.sky[-1]), 0.2)
        dark = vignette()

        def paint(t: float) -> FloatArray:
            canvas = still.copy()
            at = abs(self.speed) * (t - self.enters)
            if 0 < at < length:
                train.onto(canvas, at if self.speed > 0 else length - at)
            bridge.onto(canvas)
            waves = water.waves(t, 0.6)
            canvas[:, bank:] = rippled(canvas[:, :bank], waves, 5.0) * (0.66 + 0.09 * waves) + shade * 0.14
            canvas *= dark
            return canvas

        return paint

    def _arches(self, deck: int, bank: int) -> FloatArray:
        shapes = Shapes()
        shapes.box(0, deck, WIDTH, bank)
        span, pier = 92, 15
        for k in range(-1, 8):
            middle = 30 + k * span
            half, top = (span - pier) / 2, deck + 15
            shapes.ellipse(middle, top + half, half, half, value=0)
            shapes.box(middle - half, top + half, middle + half, bank + 2, value=0)
        shapes.box(0, deck - 4, WIDTH, deck - 2.6)
        for x in range(4, WIDTH, 23):
            shapes.box(x, deck - 4, x + 1.3, deck)
        return shapes.cover()


def _endless(colour: FloatArray, cover: FloatArray) -> PictureLayer:
    """A layer that repeats, continued by a picture's width so that it can be shown from any of its columns."""
    light = np.broadcast_to(colour, (3, *cover.shape))
    again = slice(0, WIDTH + 2)
    return PictureLayer.of(
        np.concatenate([light, light[:, :, again]], axis=2), np.concatenate([cover, cover[:, again]], axis=1)
    )


@dataclass(frozen=True, slots=True)
class Window:
    """The view from a seat: poles flash by, fields run, the hills hardly move."""

    look: Look
    seed: int
    speed: float = 420.0
    sea: bool = False
    drops: bool = False
    sun: tuple[float, float, float] | None = (210.0, 95.0, 15.0)

    def painter(self, seconds: float) -> Painter:
        """Prepare strips blurred by their own speed, and the frame of the window."""
        generator = np.random.default_rng(self.seed)
        sky = sky_of(self.look, self.sun)
        clouds = clouds_of(self.look, generator, WIDTH + int(8 * seconds) + 4, 0.5)
        strips = self._strips(generator)
        pane, glint = self._pane(), rgb(self.look.light)
        slant = np.arange(WIDTH, dtype=np.float32)[None, :] + np.float32(0.6) * np.arange(HEIGHT)[:, None]
        glass = rgb("#fff6e0") * (0.045 * (smooth(slant, 430, 470) - smooth(slant, 520, 600)))
        wet = Droplets(generator, self.look) if self.drops else None
        water = Water(generator, 110, choppy=1.1) if self.sea else None
        deep = mixed(rgb(self.look.sky[0]), rgb(self.look.near), 0.35)
        pale = rgb(self.look.sky[-1]) * 0.85
        sheen = pale + (deep - pale) * np.linspace(0.25, 1, 110, dtype=np.float32)[None, :, None]

        def paint(t: float) -> FloatArray:
            canvas = sky.copy()
            clouds.onto(canvas, 8 * t)
            if water is not None:
                waves = water.waves(t, 1.6)
                canvas[:, 192:302] = sheen * (1 + 0.14 * waves)
                tint(canvas, glint, np.clip(0.7 * waves - 0.75, 0, 0.8), 1.0, 192)
            bob = round(1.4 * np.sin(5.1 * t) + 0.9 * np.sin(12.7 * t))
            for layer, speed, period in strips:
                layer.onto(canvas, (speed * t) % period, bob if speed > 60 else 0)
            canvas += glass
            if wet is not None:
                wet.onto(canvas, t)
            pane.onto(canvas)
            return canvas

        return paint

    def _strips(self, generator: np.random.Generator) -> list[tuple[PictureLayer, float, float]]:
        """Layer, pixels a second and period in pixels, from the hills to the poles beside the line."""
        strips: list[tuple[PictureLayer, float, float]] = []
        haze = rgb(self.look.sky[-1])
        hidden = HEIGHT - 40  # the frame begins here; further up, nearer strips cover
        depths = ((208, 15, 0.02), (228, 9, 0.07), (254, 8, 0.2), (292, 6, 0.55))
        for k, (base, tall, share) in reversed(list(enumerate(depths))):
            if self.sea and k < 3:
                continue
            period = 1400 + 200 * k
            line = base - tall * outline(generator, period, 1.7, 500 - 90 * k)
            soft, lowest = ndimage.gaussian_filter1d(line, 12, mode="wrap"), int(line.max()) + 2
            if k in (1, 2):
                line = broadleaf(generator, line, 60 if k == 1 else 46, 8 if k == 1 else 19)
            colour = mixed(rgb(self.look.far), rgb(self.look.near), (0.05, 0.35, 0.62, 0.9)[k])
            rows = np.arange(HEIGHT, dtype=np.float32)[:, None]
            fall = smooth(rows - soft[None, :], 0, 60) * (0.45, 0.35, 0.2, 0.0)[k]
            texture = 1 + 0.10 * noise(generator, HEIGHT, period, 0.3, stretch=7.0) if k else np.float32(1)
            cover = below(line)
            cover[hidden:] = 0
            hidden = min(hidden, lowest)
            strips.insert(0, (_endless((colour + (haze - colour) * fall) * texture, cover), self.speed * share, period))
        strips.append((self._poles(), self.speed * 1.25, 1800))
        return strips

    def _poles(self) -> PictureLayer:
        """Telegraph poles every 600 pixels, blurred by half of their way in a picture, and two wires."""
        poles = Shapes(HEIGHT, 1800)
        for x in range(140, 1800, 600):
            poles.box(x - 4, 40, x + 5, 330)
            poles.box(x - 26, 62, x + 27, 67)
        for wire in (58, 74):
            poles.box(0, wire, 1800, wire + 1.0, value=120)
        cover = ndimage.uniform_filter1d(poles.cover(), max(1, int(self.speed * 1.25 / 50)), axis=1, mode="wrap")
        cover[HEIGHT - 40 :] = 0
        return _endless(rgb(self.look.near), cover)

    def _pane(self) -> PictureLayer:
        shapes = Shapes()
        shapes.box(0, 0, WIDTH, HEIGHT)
        shapes.box(34, 24, WIDTH - 34, HEIGHT - 46, value=0, round_off=26)
        cover = shapes.cover()
        shade = gradient(("#191410", "#0d0b0b", "#1f1813"))
        rim = Shapes()
        rim.box(30, 20, WIDTH - 30, HEIGHT - 42, round_off=29)
        rim.box(34, 24, WIDTH - 34, HEIGHT - 46, value=0, round_off=26)
        shade = shade + rgb("#6b5a48") * rim.cover() * 0.6
        ledge = smooth(np.arange(HEIGHT, dtype=np.float32)[:, None], HEIGHT - 30, HEIGHT - 28)
        return PictureLayer.of(shade + rgb("#3a2c20") * ledge * 0.6, cover)


@dataclass(frozen=True, slots=True)
class Rails:
    """The line ahead, from the driver's place: sleepers stream under, masts come up and pass."""

    look: Look
    seed: int
    speed: float = 11.0  # sleepers a second
    bend: float = 0.0  # how far the line curves away, pixels at the horizon
    sun: tuple[float, float, float] | None = (320.0, 150.0, 15.0)

    def painter(self, seconds: float) -> Painter:
        """Prepare the sky and the perspective of the ground."""
        generator = np.random.default_rng(self.seed)
        horizon = 165
        sky = sky_of(self.look, self.sun)
        clouds_of(self.look, generator, WIDTH, 0.55).onto(sky)
        for layer, _ in ridges_of(self.look, generator, 0, 5, 0, 150, woods=True)[:3]:
            layer.onto(sky)
        rows = HEIGHT - horizon
        depth = (np.arange(1, rows + 1, dtype=np.float32) / rows)[:, None]
        away = 1 / depth
        middle = WIDTH / 2 + self.bend * (1 - depth) ** 2
        across = (np.arange(WIDTH, dtype=np.float32)[None, :] - middle) / (depth * WIDTH)
        ballast = np.exp(-((np.abs(across) / 0.52) ** 6))
        rail = np.exp(-(((np.abs(across) - 0.24) / (0.011 + 0.0012 * away)) ** 2))
        sleepers = (np.abs(across) < 0.36).astype(np.float32)
        land = mixed(rgb(self.look.near), rgb(self.look.far), 0.35)
        stone = mixed(rgb("#6a625c"), rgb(self.look.far), 0.45) * 0.62
        haze = np.exp(-depth * 7)
        tile = noise(generator, 256, 256, 0.25).ravel()
        column = (across * 240).astype(np.int32) & 255
        low = rgb(self.look.sky[-1])
        dark = vignette()

        def paint(t: float) -> FloatArray:
            canvas = sky.copy()
            run = away * 2.4 + 0.0
            phase = (run + self.speed * t) % 1.0
            row = ((run + self.speed * t) * 44).astype(np.int32) & 255
            grain = tile[row * 256 + column] * np.minimum(1, depth * 2.2)
            ground = land + (stone - land) * ballast
            ground = ground * (1 + 0.16 * grain)
            plank = sleepers * smooth(np.minimum(phase, 1 - phase), 0.34, 0.20) * np.minimum(1, depth * 5)
            ground *= 1 - 0.55 * (1 - plank) * sleepers * ballast
            ground += (low * 0.95 - ground) * (rail * (0.55 + 0.3 * haze))
            ground += (low - ground) * (haze * 0.75)
            canvas[:, horizon:] = ground
            self._masts(canvas, t, horizon)
            canvas *= dark
            return canvas

        return paint

    def _masts(self, canvas: FloatArray, t: float, horizon: int) -> None:
        shapes = Shapes()
        for k in range(6):
            place = (k - self.speed * t / 9) % 6
            depth = 1 / (0.35 + place * 1.5)
            x = WIDTH / 2 + self.bend * (1 - min(depth, 1)) ** 2 - 470 * depth
            foot, tall, thick = horizon + 195 * depth, 330 * depth, 9 * depth
            shapes.box(x - thick / 2, foot - tall, x + max(thick / 2, 0.8), foot)
            shapes.box(x, foot - tall * 0.93, x + 430 * depth, foot - tall * 0.93 + max(4 * depth, 0.7))
        tint(canvas, rgb(self.look.near), shapes.cover(), 0.94)


@dataclass(frozen=True, slots=True)
class Tunnel:
    """Lamps ring by ring in the dark, and a small day at the end."""

    seed: int
    speed: float = 2.6  # rings a second
    opening: float = 0.0  # how much the far end grows over the shot

    def painter(self, seconds: float) -> Painter:
        """Prepare distance and angle of every place on the wall; half size."""
        height, width = HEIGHT // 2, WIDTH // 2
        generator = np.random.default_rng(self.seed)
        y = (np.arange(height, dtype=np.float32) - height * 0.47)[:, None]
        x = (np.arange(width, dtype=np.float32) - width / 2)[None, :]
        radius = np.sqrt(x * x + y * y * 1.25) + 0.6
        along = 60 / radius
        angle = np.arctan2(y, x)
        tile = noise(generator, 256, 256, 0.35).ravel()
        column = (angle * 256 / (2 * np.pi)).astype(np.int32) & 255
        lamp = np.exp(-(((np.abs(angle + np.pi / 2) - 1.05) / 0.09) ** 2))
        floor = smooth(y / radius, 0.45, 0.75)
        rails = np.exp(-(((np.abs(x) / np.maximum(y, 1) - 0.42) / 0.035) ** 2)) * (y > 3)
        fade = smooth(radius, 3, 70)

        def paint(t: float) -> FloatArray:
            travelled = along + self.speed * t
            phase = travelled % 1.0
            row = (travelled * 90).astype(np.int32) & 255
            stone = 0.75 + 0.25 * tile[row * 256 + column]
            wash = np.exp(-((phase - 0.5) ** 2) / 0.045)
            canvas = rgb("#7a5230") * (stone * (0.10 + 0.55 * wash) * fade)
            canvas *= 1 - 0.7 * floor
            bright = lamp * np.exp(-((phase - 0.5) ** 2) / 0.0035) * fade
            canvas += rgb("#ffe0a6") * (bright * 1.3)
            canvas += rgb("#c9b08a") * (rails * (0.15 + 0.5 * wash) * fade)
            size = 3.2 + self.opening * (t / seconds) ** 3 * 120
            canvas += rgb("#dff0ff") * glow(width / 2, height * 0.47, size, height, width, 3.0) * 1.05
            return np.asarray(canvas, dtype=np.float32)

        return paint


@dataclass(frozen=True, slots=True)
class Wheels:
    """Driving wheels and their rod, close, against the light."""

    look: Look
    turns: float = 1.1  # a second, at the start
    gain: float = 0.0  # turns a second it wins in a second

    def painter(self, seconds: float) -> Painter:
        """Prepare the light and the frame."""
        still = gradient((self.look.sky[-2], self.look.sky[-1], self.look.sky[-1]))
        still += rgb(self.look.light) * glow(320, 250, 130) * 0.25
        dark = vignette(0.55)
        near = rgb(self.look.near)
        places = ((86.0, 196.0), (322.0, 196.0), (558.0, 196.0))

        def paint(t: float) -> FloatArray:
            shapes = Shapes()
            turn = 2 * np.pi * (self.turns * t + self.gain * t * t / 2)
            shapes.box(0, 86, WIDTH, 118)
            shapes.box(0, 309, WIDTH, 323)
            for x, y in places:
                shapes.ellipse(x, y, 113, 113)
                shapes.ellipse(x, y, 99, 99, value=0)
                for spoke in range(13):
                    a = turn + spoke * 2 * np.pi / 13
                    shapes.line([(x, y), (x + 101 * np.cos(a), y + 101 * np.sin(a))], 5.5)
                shapes.ellipse(x, y, 21, 21)
                shapes.polygon([(x + 98 * np.cos(turn + np.pi + d), y + 98 * np.sin(turn + np.pi + d))
                                for d in np.linspace(-0.7, 0.7, 12)])  # fmt: skip
            pins = [(x + 52 * np.cos(turn), y + 52 * np.sin(turn)) for x, y in places]
            shapes.line([(pins[0][0] - 300, pins[0][1]), *pins, (pins[2][0] + 200, pins[2][1])], 15)
            for x, y in pins:
                shapes.ellipse(x, y, 15, 15)
                shapes.ellipse(x, y, 5, 5, value=0)
            canvas = still.copy()
            tint(canvas, near, shapes.cover())
            drift = 640 - (turn * 113) % 320
            for k in range(-2, 3):
                x = drift + 320 * k
                canvas[:, 324:, max(0, int(x)) : max(0, int(x + 150))] *= 0.55
            canvas *= dark
            return canvas

        return paint


@dataclass(frozen=True, slots=True)
class Clock:
    """A station clock, its second hand stepping."""

    look: Look
    hour: int
    minute: int
    second: float
    lit: bool = True

    def painter(self, seconds: float) -> Painter:
        """Prepare the dial."""
        x, y, r = 320.0, 180.0, 142.0
        still = gradient(self.look.sky) * 0.8
        dial, marks, rim = disc(x, y, r), Shapes(), disc(x, y, r + 13)
        for k in range(60):
            a = np.pi * k / 30
            inner = r - (26 if k % 5 == 0 else 12)
            ends = [(x + reach * np.sin(a), y - reach * np.cos(a)) for reach in (inner, r - 6)]
            marks.line(ends, 6 if k % 5 == 0 else 2)
        face = rgb("#fff3d6") if self.lit else mixed(rgb(self.look.sky[-1]), rgb("#ffffff"), 0.5)
        still += face * glow(x, y, 150, power=3) * (0.38 if self.lit else 0.1)
        tint(still, rgb("#0d0c10"), rim)
        still += (face * (1.0 - 0.25 * (1 - glow(x, y, 120))) - still) * dial
        tint(still, rgb("#15131a"), marks.cover())
        dark = vignette(0.6)

        def paint(t: float) -> FloatArray:
            now = self.second + t
            whole = np.floor(now)
            step = whole + smooth(now - whole, 0.0, 0.14) - 1 + 0.0
            minute = self.minute + np.floor(now / 60)
            canvas = still.copy()
            hands, red = Shapes(), Shapes()
            self._hand(hands, x, y, (self.hour % 12 + minute / 60) / 12, 84, 11)
            self._hand(hands, x, y, minute / 60, 122, 8)
            self._hand(red, x, y, float(step) / 60, 112, 3)
            tip = 2 * np.pi * float(step) / 60
            red.ellipse(x + 104 * np.sin(tip), y - 104 * np.cos(tip), 11, 11)
            red.ellipse(x, y, 8, 8)
            tint(canvas, rgb("#15131a"), hands.cover())
            tint(canvas, rgb("#c8281e"), red.cover())
            canvas *= dark
            return canvas

        return paint

    @staticmethod
    def _hand(shapes: Shapes, x: float, y: float, share: float, length: float, thick: float) -> None:
        s, c = np.sin(2 * np.pi * share), np.cos(2 * np.pi * share)
        shapes.line([(x - 28 * s, y + 28 * c), (x + length * s, y - length * c)], thick)


@dataclass(frozen=True, slots=True)
class Lamp:
    """A signal lamp, close: red, then green."""

    clears: float  # seconds into the shot at which it turns green
    seed: int = 1

    def painter(self, seconds: float) -> Painter:
        """Prepare the hood and both lights."""
        generator = np.random.default_rng(self.seed)
        still = gradient(("#0a0d18", "#141a2c", "#2a2431"))
        mist = smooth(noise(generator, HEIGHT, WIDTH, 0.9), -2, 3)
        hood = Shapes()
        hood.box(218, 18, 422, 342, round_off=96)
        body = (rgb("#06070b") - 0) * hood.cover()
        places = {"red": (320.0, 106.0, "#ff2b20"), "green": (320.0, 252.0, "#2dffa0")}
        on = {}
        for name, (x, y, code) in places.items():
            lens = disc(x, y, 58, soft=2) * (0.65 + 0.5 * glow(x, y - 12, 40))
            halo = glow(x, y, 62, power=2.2) * (0.4 + 0.5 * mist)
            on[name] = rgb(code) * lens + rgb(code) * halo * 0.55 + rgb("#ffffff") * glow(x - 8, y - 14, 16) * 0.55
        unlit = sum(rgb("#171a20") * disc(x, y, 58, soft=2) for x, y, _ in places.values())
        base = still * (0.7 + 0.3 * mist) * (1 - hood.cover()) + body + unlit
        dark = vignette(0.5)

        def paint(t: float) -> FloatArray:
            green = float(smooth(t, self.clears, self.clears + 0.5))
            red = float(1 - smooth(t, self.clears - 0.4, self.clears))
            canvas = (
                base + on["red"] * np.float32(red * (0.97 + 0.03 * np.sin(40 * t))) + on["green"] * np.float32(green)
            )
            return np.asarray(canvas * dark, dtype=np.float32)

        return paint
