"""Tools that paint the demo video: colours, fractal noise, layers that glide by, lights, water, lettering.

A picture is three planes of light, shape (3, height, width), float32, 0 to 255, red first. Painting is compositing:
the light of a layer is premultiplied by its cover, so laying it on is one product and one sum
(T. Porter, T. Duff: Compositing Digital Images, 1984). All randomness comes from generators that the caller seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from workbench.caches import kernel
from workbench.recording import FloatArray, IntArray

WIDTH, HEIGHT = 640, 360
OVERSAMPLING = 2  # shapes are drawn this much larger and shrunk


def rgb(code: str) -> FloatArray:
    """Parse a colour.

    Parameters
    ----------
    code : such as `#1c2248`

    Returns
    -------
    shape (3, 1, 1), float32, 0 to 255
    """
    return np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float32).reshape(3, 1, 1)


def mixed(one: FloatArray, other: FloatArray, share: float) -> FloatArray:
    """A colour between two.

    Parameters
    ----------
    one, other : colours or pictures of shapes that broadcast
    share : 0 to 1; 0 gives `one`, 1 gives `other`

    Returns
    -------
    of the shape to which both broadcast
    """
    return one * np.float32(1 - share) + other * np.float32(share)


def smooth(x: FloatArray | float, low: float, high: float) -> FloatArray:
    """A smooth step: 0 up to `low`, 1 from `high` on, an S between.

    Parameters
    ----------
    x : any shape
    low, high : the ends of the S; `high` may be below `low` for a falling step

    Returns
    -------
    shape of `x`, float32, 0 to 1
    """
    t = np.clip((np.asarray(x, dtype=np.float32) - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), dtype=np.float32)


def blank(height: int = HEIGHT, width: int = WIDTH) -> FloatArray:
    """A black picture.

    Parameters
    ----------
    height, width : pixels

    Returns
    -------
    shape (3, height, width), float32
    """
    return np.zeros((3, height, width), dtype=np.float32)


def gradient(codes: tuple[str, ...], height: int = HEIGHT, width: int = WIDTH) -> FloatArray:
    """Colours from top to bottom at even distances.

    Parameters
    ----------
    codes : colours as `rgb` takes them, the top one first
    height, width : pixels

    Returns
    -------
    shape (3, height, width), float32, 0 to 255
    """
    stops = np.concatenate([rgb(code) for code in codes], axis=2)[:, 0]
    rows = np.linspace(0, len(codes) - 1, height)
    planes = np.stack([np.interp(rows, np.arange(len(codes)), plane) for plane in stops])
    return np.repeat(planes[:, :, None].astype(np.float32), width, axis=2)


def noise(generator: np.random.Generator, height: int, width: int, slope: float, stretch: float = 1.0) -> FloatArray:
    """Fractal noise that tiles.

    Parameters
    ----------
    generator : seeded by the caller
    height, width : pixels
    slope : the spectrum falls with frequency to this power: 0 is grain, 1 is clouds, 2 is haze
    stretch : above 1, shapes are drawn out sideways

    Returns
    -------
    shape (height, width), float32, mean 0, standard deviation 1
    """
    spectrum = np.fft.rfft2(generator.standard_normal((height, width)))
    fy = np.fft.fftfreq(height)[:, None] * height / min(height, width)
    fx = np.fft.rfftfreq(width)[None, :] * width / min(height, width) * stretch
    distance = np.hypot(fy, fx)
    distance[0, 0] = np.inf
    field = np.fft.irfft2(spectrum / distance ** (1 + slope), s=(height, width))
    return np.asarray((field - field.mean()) / field.std(), dtype=np.float32)


def outline(generator: np.random.Generator, width: int, slope: float, coarsest: float = 640.0) -> FloatArray:
    """A random skyline.

    Parameters
    ----------
    generator : seeded by the caller
    width : pixels
    slope : power by which the spectrum falls with frequency; smoother where it is higher
    coarsest : pixels of the longest wave

    Returns
    -------
    shape (width,), float32, mean 0, standard deviation 1
    """
    spectrum = np.fft.rfft(generator.standard_normal(width))
    frequency = np.fft.rfftfreq(width)
    spectrum *= (frequency > 1 / coarsest) / np.maximum(frequency, 1 / coarsest) ** slope
    line = np.fft.irfft(spectrum, width)
    return np.asarray(line / line.std(), dtype=np.float32)


def below(line: FloatArray, height: int = HEIGHT) -> FloatArray:
    """Cover of everything under a line.

    Parameters
    ----------
    line : shape (width,), row of the line at each column
    height : pixels

    Returns
    -------
    shape (height, width), 0 to 1
    """
    rows = np.arange(height, dtype=np.float32)[:, None]
    return np.clip(rows - line[None, :] + 0.5, 0, 1)


def glow(x: float, y: float, radius: float, height: int = HEIGHT, width: int = WIDTH, power: float = 2.0) -> FloatArray:
    """Light that spreads from a point.

    Parameters
    ----------
    x, y : column and row of the point
    radius : pixels at which the light is half as strong
    height, width : pixels
    power : of the distance by which the light falls off

    Returns
    -------
    shape (height, width), float32, 1 at the point
    """
    dy = (np.arange(height, dtype=np.float32) - y)[:, None]
    dx = (np.arange(width, dtype=np.float32) - x)[None, :]
    return np.asarray(1 / (1 + ((dx * dx + dy * dy) / radius**2) ** (power / 2)), dtype=np.float32)


def disc(x: float, y: float, radius: float, height: int = HEIGHT, width: int = WIDTH, soft: float = 1.0) -> FloatArray:
    """Cover of a disc.

    Parameters
    ----------
    x, y : column and row of its centre
    radius : pixels
    height, width : pixels
    soft : width of its edge in pixels

    Returns
    -------
    shape (height, width), float32, 0 to 1
    """
    dy = (np.arange(height, dtype=np.float32) - y)[:, None]
    dx = (np.arange(width, dtype=np.float32) - x)[None, :]
    return np.asarray(np.clip((radius - np.sqrt(dx * dx + dy * dy)) / soft + 0.5, 0, 1), dtype=np.float32)


@lru_cache(maxsize=4)
def vignette(strength: float = 0.35, height: int = HEIGHT, width: int = WIDTH) -> FloatArray:
    """Factor that darkens the corners.

    Parameters
    ----------
    strength : 0 to 1, how much the corners lose
    height, width : pixels

    Returns
    -------
    shape (height, width), float32
    """
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    return np.asarray(1 - strength * smooth(np.hypot(x, y * 0.9), 0.55, 1.5), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PictureLayer:
    """Something that covers a part of the picture and may glide sideways."""

    light: FloatArray  # shape (3, rows, width), float32, already multiplied by the cover
    cover: FloatArray  # shape (rows, width), 0 to 1
    top: int  # row of the picture at which it begins

    @classmethod
    def of(cls, colour: FloatArray, cover: FloatArray) -> PictureLayer:
        """A layer of a colour and a cover; empty rows above and below are dropped.

        Parameters
        ----------
        colour : shape (3, 1, 1), or a picture
        cover : shape (height, width), 0 to 1
        """
        used = np.flatnonzero(cover.max(axis=1) > 0)
        top, end = (int(used[0]), int(used[-1]) + 1) if used.size else (0, 1)
        return cls(_plain((colour * cover)[:, top:end]), _plain(cover[top:end]), top)

    def onto(self, canvas: FloatArray, x: float = 0.0, y: int = 0) -> None:
        """Lay it on the canvas.

        Parameters
        ----------
        canvas : painted on
        x : column of the layer at the left edge; fractions of a pixel count
        y : rows by which it is lowered
        """
        whole = int(np.floor(x))
        _lay(canvas, self.light, self.cover, whole, np.float32(x - whole), self.top + y)


@kernel("void(f4[:,:,::1], f4[:,:,::1], f4[:,::1], i8, f4, i8)")
def _lay(canvas: Any, light: Any, cover: Any, left: Any, part: Any, top: Any) -> None:  # pragma: no cover - compiled
    """Composite the layer over the canvas, shifted by a fraction of a pixel between its own columns."""
    width = canvas.shape[2]
    beside = left + (1 if part > 0 else 0)  # a layer that does not glide is no wider than the picture
    keep = np.empty(width, dtype=np.float32)
    for row in range(max(0, -top), min(cover.shape[0], canvas.shape[1] - top)):
        here, there = cover[row, left : left + width], cover[row, beside : beside + width]
        for x in range(width):
            keep[x] = np.float32(1.0) - (here[x] + (there[x] - here[x]) * part)
        for plane in range(3):
            onto = canvas[plane, top + row]
            here, there = light[plane, row, left : left + width], light[plane, row, beside : beside + width]
            for x in range(width):
                onto[x] = onto[x] * keep[x] + (here[x] + (there[x] - here[x]) * part)


def tint(
    canvas: FloatArray, colour: FloatArray, cover: FloatArray, strength: float = 1.0, top: int = 0, left: int = 0
) -> None:
    """Move the canvas towards a colour.

    Parameters
    ----------
    canvas : painted on
    colour : shape (3, 1, 1)
    cover : shape (rows, columns), 0 to 1
    strength : factor of the cover
    top, left : row and column of the canvas at which the cover begins
    """
    _tint(canvas, _plain(colour.reshape(3)), _plain(cover), np.float32(strength), top, left)


@kernel("void(f4[:,:,::1], f4[::1], f4[:,::1], f4, i8, i8)")
def _tint(
    canvas: Any, colour: Any, cover: Any, strength: Any, top: Any, left: Any
) -> None:  # pragma: no cover - compiled
    for plane in range(3):
        for y in range(cover.shape[0]):
            onto = canvas[plane, top + y, left : left + cover.shape[1]]
            share = cover[y]
            for x in range(cover.shape[1]):
                onto[x] += (colour[plane] - onto[x]) * (share[x] * strength)


def _plain(array: FloatArray) -> FloatArray:
    """The array in the layout and type that the compiled functions take."""
    return np.ascontiguousarray(array, dtype=np.float32)


def shine(canvas: FloatArray, sprite: FloatArray, colour: FloatArray, x: float, y: float) -> None:
    """Add a spot of light; parts outside the picture are left out.

    Parameters
    ----------
    canvas : painted on
    sprite : shape (h, w), from `spot`
    colour : shape (3, 1, 1), light that is added at 1
    x, y : column and row of its centre
    """
    height, width = sprite.shape
    top, left = round(y) - height // 2, round(x) - width // 2
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + height, canvas.shape[1]), min(left + width, canvas.shape[2])
    if y0 < y1 and x0 < x1:
        canvas[:, y0:y1, x0:x1] += colour * sprite[y0 - top : y1 - top, x0 - left : x1 - left]


@lru_cache(maxsize=64)
def spot(radius: int, power: float = 2.0) -> FloatArray:
    """A small soft light for `shine`.

    Parameters
    ----------
    radius : pixels at which it is about half as strong
    power : of the distance by which it falls off

    Returns
    -------
    shape (6 * radius + 1, 6 * radius + 1), float32, 1 in the middle and 0 at the rim
    """
    size = 6 * radius + 1
    raw = glow(size // 2, size // 2, radius, size, size, power)
    edge = raw[size // 2, 0]
    return np.asarray(np.clip((raw - edge) / (1 - edge), 0, 1), dtype=np.float32)


class Shapes:
    """Smooth-edged shapes: drawn on a large bitmap, shrunk to a cover."""

    def __init__(self, height: int = HEIGHT, width: int = WIDTH) -> None:
        self._image = Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING))
        self._draw = ImageDraw.Draw(self._image)

    def polygon(self, points: list[tuple[float, float]], value: int = 255) -> None:
        """Fill a polygon of (x, y) corners; `value` 0 cuts a hole."""
        self._draw.polygon([(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points], fill=value)

    def box(self, x0: float, y0: float, x1: float, y1: float, value: int = 255, round_off: float = 0.0) -> None:
        """Fill a rectangle with rounded corners."""
        corners = [x0 * OVERSAMPLING, y0 * OVERSAMPLING, x1 * OVERSAMPLING - 1, y1 * OVERSAMPLING - 1]
        self._draw.rounded_rectangle(corners, radius=round_off * OVERSAMPLING, fill=value)

    def ellipse(self, x: float, y: float, rx: float, ry: float, value: int = 255) -> None:
        """Fill an ellipse about a centre."""
        s = OVERSAMPLING
        self._draw.ellipse([(x - rx) * s, (y - ry) * s, (x + rx) * s, (y + ry) * s], fill=value)

    def line(self, points: list[tuple[float, float]], thickness: float, value: int = 255) -> None:
        """Draw a line through points."""
        scaled = [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points]
        self._draw.line(scaled, fill=value, width=max(1, round(thickness * OVERSAMPLING)), joint="curve")

    def cover(self) -> FloatArray:
        """The shapes as cover, shape (height, width), 0 to 1."""
        return np.asarray(self._image.reduce(OVERSAMPLING), dtype=np.float32) / np.float32(255)


class Water:
    """A sheet of water in perspective: two fields of waves that move across each other.

    Each row of the picture lies at a distance inverse to its depth under the horizon; waves are looked up in a tile.
    """

    TILE = 512

    def __init__(self, generator: np.random.Generator, rows: int, width: int = WIDTH, choppy: float = 1.0) -> None:
        depth = np.arange(1, rows + 1, dtype=np.float32)[:, None]
        distance = rows / depth
        across = (np.arange(width, dtype=np.float32)[None, :] - width / 2) * distance**0.55 * 0.8 * choppy + 4096
        along = 300 * choppy * distance**0.5 * np.ones_like(across) + 4096
        self._across, self._along = across.astype(np.int32), along.astype(np.int32)
        self._tiles = [noise(generator, self.TILE, self.TILE, slope, 2.4) for slope in (0.15, 0.55)]
        self._calm = (0.7 * (depth[:, 0] / rows) ** 0.25).astype(np.float32)

    def waves(self, t: float, speed: float = 1.0) -> FloatArray:
        """Height of the water.

        Parameters
        ----------
        t : seconds into the shot
        speed : factor of the drift of the waves

        Returns
        -------
        shape (rows, width), float32, standard deviation about 1, calmer far out
        """
        heights = np.empty(self._across.shape, dtype=np.float32)
        shifts = [round(pace * t * speed) % self.TILE for pace in (17, 41, -23, 30)]
        _wave(
            self._across,
            self._along,
            self._tiles[0],
            self._tiles[1],
            np.array(shifts, dtype=np.uint32),
            self._calm,
            heights,
        )
        return heights


@kernel("void(i4[:,::1], i4[:,::1], f4[:,::1], f4[:,::1], u4[::1], f4[::1], f4[:,::1])")
def _wave(
    across: Any, along: Any, one: Any, other: Any, shifts: Any, calm: Any, heights: Any
) -> None:  # pragma: no cover - compiled
    """Sum of two tiles, each shifted by its own drift."""
    last = np.uint32(one.shape[0] - 1)
    for y in range(across.shape[0]):
        for x in range(across.shape[1]):
            u, v = np.uint32(across[y, x]), np.uint32(along[y, x])
            first = one[(v + shifts[1]) & last, (u + shifts[0]) & last]
            second = other[(v + shifts[3]) & last, (u + shifts[2]) & last]
            heights[y, x] = (first + second) * calm[y]


def rippled(picture: FloatArray, waves: FloatArray, strength: float) -> FloatArray:
    """A picture mirrored in water.

    Parameters
    ----------
    picture : shape (3, height, width), above the water
    waves : shape (rows, width), from `Water.waves`
    strength : rows by which a wave of height 1 shifts the mirrored picture

    Returns
    -------
    shape (3, rows, width)
    """
    rows, width = waves.shape
    depth = np.arange(rows, dtype=np.float32)[:, None]
    source = picture.shape[1] - 1 - depth - waves * strength * (0.3 + depth / rows)
    row: IntArray = np.clip(source, 0, picture.shape[1] - 1).astype(np.int32)
    flat = row * picture.shape[2] + np.arange(width, dtype=np.int32)[None, :]
    return picture.reshape(3, -1)[:, flat]


@lru_cache(maxsize=16)
def face(size: int, bold: bool = False, serif: bool = False) -> ImageFont.FreeTypeFont:
    """Load a DejaVu font, the family that ships with matplotlib.

    Parameters
    ----------
    size : pixels
    bold, serif : style of the face

    Returns
    -------
    font for Pillow
    """
    family = "DejaVuSerif" if serif else "DejaVuSans"
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return ImageFont.truetype(folder / f"{family}{'-Bold' if bold else ''}.ttf", size)


def lettering(
    text: str, size: int, y: int, spacing: float = 0.0, bold: bool = False, serif: bool = False, height: int = HEIGHT
) -> FloatArray:
    """Cover of a centred line of text.

    Parameters
    ----------
    text : one line
    size : pixels
    y : row of its middle
    spacing : pixels added between letters
    bold, serif : style of the face
    height : pixels of the cover

    Returns
    -------
    shape (height, WIDTH), float32, 0 to 1
    """
    font = face(size * OVERSAMPLING, bold, serif)
    gaps = spacing * OVERSAMPLING
    total = sum(font.getlength(letter) for letter in text) + gaps * (len(text) - 1)
    image = Image.new("L", (WIDTH * OVERSAMPLING, height * OVERSAMPLING))
    draw, x = ImageDraw.Draw(image), (WIDTH * OVERSAMPLING - total) / 2
    for letter in text:
        draw.text((x, y * OVERSAMPLING), letter, fill=255, font=font, anchor="lm")
        x += font.getlength(letter) + gaps
    return np.asarray(image.reduce(OVERSAMPLING), dtype=np.float32) / np.float32(255)
