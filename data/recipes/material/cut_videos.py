"""Videos with cuts that are known to the frame: what cuts are fitted and measured on.

Each video is of one kind of difficulty, drawn from a seed: landscapes of noise and shapes under a moving camera, scenes
of the demo video, fractals and cellular automata, with noise of a sensor over them. Videos of the kind "drawn" are shot
in one place and one light, as a ride or a storm is, so that shots share their colours, their tones and often their
horizon; they are as smooth as animation. Shots follow each other by hard cuts, fades and dissolves as the kind asks;
whip pans, strobes, flashes and explosions are no cuts. Pictures are encoded as H.264, so what is measured has been
through a codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from workbench.demo.scenes.lighting import Paintable
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video
from workbench.video.strip import Strip, strip_of

WIDTH, HEIGHT, RATE = 320, 180, 25
LIMITS = VideoLimits(86_400.0, 500.0)
KINDS = ("hard", "fade", "dissolve", "flash", "fast", "strobe", "dark", "static", "drawn")
Image = NDArray[np.float32]
Shot = Callable[[float], Image]
"""from seconds into the shot to a picture, shape (180, 320, 3), 0 to 255"""


@dataclass(frozen=True)
class Truth:
    """The borders of one video, video seconds."""

    kind: str
    seconds: float
    hard: tuple[float, ...]
    fades: tuple[tuple[float, float], ...]
    """from the first picture that is darker (or lighter) to the first that no longer is"""
    dissolves: tuple[tuple[float, float], ...]
    flashes: tuple[float, ...]


def video(path: Path, kind: str, seed: int, seconds: float = 60.0) -> Truth:
    """Draw a video of a kind, write what is true of it beside it, and return that; what is there is read."""
    beside = path.with_suffix(".json")
    if path.exists() and beside.exists():
        facts = json.loads(beside.read_text())
        spans = {
            name: tuple((float(start), float(end)) for start, end in facts[name]) for name in ("fades", "dissolves")
        }
        return Truth(hard=tuple(facts["hard"]), flashes=tuple(facts["flashes"]), kind=facts["kind"],
                     seconds=facts["seconds"], **spans)  # fmt: skip
    reel = _Reel(kind, np.random.default_rng([seed, KINDS.index(kind)]), seconds)
    encode(path, reel.pictures(), crf=18 + seed % 3 * 5)
    truth = reel.truth()
    beside.write_text(json.dumps(asdict(truth)))
    return truth


def strip_of_file(path: Path) -> Strip:
    """All small pictures of a short video."""
    strip: Strip | None = None
    with open_video(path, LIMITS) as video:
        for block in video.blocks(listen=False):
            if isinstance(block, PictureBlock):
                part = strip_of(block.times, block.luma, block.chroma, strip)
                strip = part if strip is None else strip.followed_by(part)
    if strip is None:
        raise ValueError(f"{path}: no picture")
    return strip


class _Reel:
    """Shots and the borders between them, drawn one picture at a time."""

    def __init__(self, kind: str, dice: np.random.Generator, seconds: float) -> None:
        self.kind = kind
        self.dice = dice
        self.total = round(seconds * RATE)
        self.hard: list[float] = []
        self.fades: list[tuple[float, float]] = []
        self.dissolves: list[tuple[float, float]] = []
        self.flashes: list[float] = []
        self.cast = _cast(dice) if kind == "drawn" else []
        self.noise = dice.normal(0, 1, (8, HEIGHT, WIDTH, 1)).astype(np.float32)

    def truth(self) -> Truth:
        return Truth(self.kind, self.total / RATE, tuple(self.hard), tuple(self.fades), tuple(self.dissolves),
                     tuple(self.flashes))  # fmt: skip

    def pictures(self) -> Iterator[NDArray[np.uint8]]:
        level = float(self.dice.uniform(1.0, 4.0)) if self.kind not in ("static", "drawn") else 0.4
        for number, picture in enumerate(self._clean()):
            grain = self.noise[self.dice.integers(8)] * np.float32(level)
            yield np.clip(picture + grain, 0, 255).astype(np.uint8)
            if number + 1 >= self.total:
                return

    def _clean(self) -> Iterator[Image]:
        at, shot, used = 0, self._shot(), 0
        while True:
            frames = self._length()
            border = self._border()
            for k in range(frames):
                yield shot((used + k) / RATE)
            at += frames
            after = self._shot()
            if at >= self.total:
                return
            if border == "hard":
                self.hard.append(at / RATE)
                shot, used = after, 0
                continue
            length = int(self.dice.integers(round(0.3 * RATE), round(2.0 * RATE) + 1))
            if border == "dissolve":
                for k in range(length):
                    share = np.float32((k + 0.5) / length)
                    yield shot((used + frames + k) / RATE) * (1 - share) + after(k / RATE) * share
                if at + length <= self.total:
                    self.dissolves.append((at / RATE, (at + length) / RATE))
                at += length
                shot, used = after, length
                continue
            colour = np.float32(255.0 if self.dice.random() < 0.25 else 0.0)
            down, up = (length, max(5, int(length * self.dice.uniform(0.5, 1.2))))
            hold = int(self.dice.integers(0, 13))
            for k in range(down):
                share = np.float32(1 - (k + 1) / down)
                yield shot((used + frames + k) / RATE) * share + colour * (1 - share)
            for _ in range(hold):
                yield np.full((HEIGHT, WIDTH, 3), colour, np.float32)
            for k in range(up):
                share = np.float32((k + 1) / up)
                yield after(k / RATE) * share + colour * (1 - share)
            if at + down + hold + up <= self.total:
                self.fades.append((at / RATE, (at + down + hold + up) / RATE))
            at += down + hold + up
            shot, used = after, up

    def _length(self) -> int:
        if self.kind == "hard" and self.dice.random() < 0.3:
            return int(self.dice.integers(9, 16))
        return int(self.dice.integers(round(1.2 * RATE), round(4.0 * RATE)))

    def _border(self) -> str:
        if self.kind in ("fade", "dissolve"):
            return self.kind if self.dice.random() < 0.75 else "hard"
        return "hard"

    def _shot(self) -> Shot:
        dice, kind = self.dice, self.kind
        if kind == "static":
            return _slide(dice)
        if kind == "drawn":
            self.cast.append(self.cast.pop(0))
            return _shown(self.cast[-1])
        source = dice.random()
        if source < 0.55 or kind == "fast":
            shot = _landscape(dice, fast=kind == "fast" and dice.random() < 0.8)
        elif source < 0.85:
            shot = _scene(dice)
        else:
            shot = _automaton(dice)
        if dice.random() < 0.4:
            shot = _with_movers(shot, dice, fast=kind == "fast")
        if kind == "dark":
            shot = _graded(shot, dice.uniform(0.04, 0.16))
        if kind == "strobe":
            shot = _strobed(shot, dice)
        if kind == "flash":
            shot = self._flashed(shot)
        return shot

    def _flashed(self, shot: Shot) -> Shot:
        """Bursts of light of 1 to 4 pictures, or an explosion that glows out over a second."""
        begins = self.dice.uniform(0.3, 0.9)
        every = self.dice.uniform(0.8, 1.6)
        boom = self.dice.random() < 0.4
        pictures = int(self.dice.integers(1, 5))
        power = self.dice.uniform(0.6, 1.0)
        y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float32)
        cy, cx = self.dice.uniform(40, 140), self.dice.uniform(60, 260)
        glow: Image = np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / (2 * 90.0**2))[..., None]

        def lit(t: float) -> Image:
            picture = shot(t)
            since = (t - begins) % every if t >= begins - 1e-6 else -1.0
            if boom and since >= 0:
                share = np.float32(power * np.exp(-since / 0.25))
                fire = glow * np.array([255, 190, 110], np.float32) * share * 1.6
                return picture * (1 - 0.5 * share) + fire
            if not boom and 0 <= since < pictures / RATE - 1e-6:
                return picture + np.float32(power) * (255 - picture)
            return picture

        return lit


def _landscape(dice: np.random.Generator, fast: bool) -> Shot:
    """A large picture of noise in octaves and shapes, under a camera that pans, zooms, shakes, and whips if fast."""
    tall, wide = 420, 760
    image: Image = np.zeros((tall, wide, 3), np.float32)
    roughness = dice.uniform(0.9, 1.9)
    for octave in range(1, 8):
        cells = (max(2, tall >> (8 - octave)), max(2, wide >> (8 - octave)))
        small = dice.normal(0, 1, (*cells, 3)).astype(np.float32)
        small = 0.7 * small.mean(axis=2, keepdims=True) + 0.3 * small
        enlarged = (tall / cells[0], wide / cells[1], 1)
        image += ndimage.zoom(small, enlarged, order=1)[:tall, :wide] * np.float32(2.0 ** (-roughness * octave / 2))
    image = (image - image.mean()) / image.std()
    image = dice.uniform(25, 60) * image + dice.uniform(60, 170, 3).astype(np.float32)
    y, x = np.mgrid[:tall, :wide]
    for _ in range(int(dice.integers(3, 14))):
        cy, cx, ry, rx = dice.uniform(0, tall), dice.uniform(0, wide), *dice.uniform(12, 90, 2)
        inside = ((y - cy) / ry) ** 2 + ((x - cx) / rx) ** 2 < 1 if dice.random() < 0.5 else (
            (abs(y - cy) < ry) & (abs(x - cx) < rx))  # fmt: skip
        image[inside] = 0.35 * image[inside] + 0.65 * dice.uniform(0, 255, 3).astype(np.float32)
    pan = dice.uniform(-1, 1, 2) * ((260, 500) if fast else (15, 35))
    shake = dice.uniform(3, 14) if fast and dice.random() < 0.6 else dice.uniform(0, 1.2)
    zoom = dice.uniform(-0.5, 0.9) if fast and dice.random() < 0.4 else dice.uniform(-0.05, 0.08)
    jolts = dice.normal(0, 1, (400, 2))
    start = dice.uniform(0.1, 0.9, 2)

    def view(t: float) -> Image:
        scale = 1.2 * float(np.exp(-zoom * min(t, 1.5)))
        high, broad = HEIGHT * scale, WIDTH * scale
        wobble = jolts[round(t * RATE) % 400] * shake
        top = _to_and_fro(start[0] * (tall - high) + pan[0] * t + wobble[0], tall - high)
        left = _to_and_fro(start[1] * (wide - broad) + pan[1] * t + wobble[1], wide - broad)
        rows = np.clip((top + np.arange(HEIGHT) * scale).astype(int), 0, tall - 1)
        columns = np.clip((left + np.arange(WIDTH) * scale).astype(int), 0, wide - 1)
        seen: Image = image[rows][:, columns]
        return seen

    return view


def _to_and_fro(value: float, most: float) -> float:
    """A place between 0 and `most`, reflected at both."""
    most = max(most, 1.0)
    turned = value % (2 * most)
    return turned if turned <= most else 2 * most - turned


def _scene(dice: np.random.Generator) -> Shot:
    """A scene of the demo video."""
    from workbench.demo.scenes.graphics import Plain
    from workbench.demo.video import SHOTS

    scenes = [shot.scene for shot in SHOTS if not isinstance(shot.scene, Plain)]
    return _shown(scenes[int(dice.integers(len(scenes)))])


def _cast(dice: np.random.Generator) -> list[Paintable]:
    """Three to five scenes under the same sky, which take turns."""
    from workbench.demo.scenes import landscape, lighting, railway, town, weather

    skies = (
        lighting.NIGHT, lighting.PREDAWN, lighting.DAWN, lighting.MORNING, lighting.NOON, lighting.OVERCAST,
        lighting.STORM, lighting.EVENING, lighting.DUSK, lighting.CITY, lighting.FOG,
    )  # fmt: skip
    look = skies[int(dice.integers(len(skies)))]
    seed = int(dice.integers(100, 100_000))
    wide, swift = dice.uniform(-60, 60), dice.uniform(150, 620)
    scenes: list[Paintable] = [
        landscape.Hills(look, seed, pan=wide, cloud=dice.uniform(0, 0.8), birds=int(dice.integers(0, 20))),
        landscape.Hills(look, seed + 1, pan=-wide, base=dice.uniform(140, 200)),
        landscape.Reeds(look, seed + 2, wind=dice.uniform(0, 1.5)),
        landscape.Forest(look, seed + 3, pan=abs(wide)),
        railway.Window(look, seed + 4, speed=swift, sea=bool(dice.random() < 0.5)),
        railway.Window(look, seed + 5, speed=1.3 * swift, drops=bool(dice.random() < 0.3), sun=None),
        railway.Rails(look, seed + 6, speed=dice.uniform(6, 18), bend=dice.uniform(-140, 140)),
        railway.Wheels(look, turns=dice.uniform(0.5, 2.2)),
        weather.Sea(
            look, seed + 7, (320.0, 60.0, 14.0), choppy=dice.uniform(0.2, 1.8), horizon=int(dice.integers(120, 180))
        ),
        weather.Downpour(look, seed + 8, lightning=dice.uniform(0.3, 2.0) if dice.random() < 0.5 else None),
        town.City(look, seed + 9, pan=wide),
        town.Platform(look, seed + 10, people=int(dice.integers(4, 18))),
    ]
    return [scenes[int(k)] for k in dice.choice(len(scenes), int(dice.integers(3, 6)), replace=False)]


def _shown(scene: Paintable) -> Shot:
    """A scene, painted from its beginning."""
    painter = scene.painter(8.0)

    def view(t: float) -> Image:
        picture = np.asarray(painter(min(t, 7.9)))
        step = picture.shape[1] // HEIGHT
        return np.ascontiguousarray(picture[:, ::step, ::step].transpose(1, 2, 0), dtype=np.float32)

    return view


def _automaton(dice: np.random.Generator) -> Shot:
    """A fractal that is dived into, or cells that live and die."""
    life = dice.random() < 0.4
    if life:
        text = f"ratio=0.3:mold=10:r={RATE}:size={WIDTH}x{HEIGHT}:seed={int(dice.integers(1 << 30))}"
        text += ":death_color=#803020:life_color=#e0e0a0:mold_color=#204060"
    else:
        text = f"size={WIDTH}x{HEIGHT}:rate={RATE}:start_scale={dice.uniform(0.4, 3):.3f}:inner=mincol"
        text += f":start_x={dice.uniform(-0.76, -0.7):.5f}:start_y={dice.uniform(-0.14, -0.1):.5f}"
    graph = av.filter.Graph()
    source = graph.add("life" if life else "mandelbrot", text)
    sink = graph.add("buffersink")
    source.link_to(sink)
    graph.configure()
    kept: list[Image] = []

    def view(t: float) -> Image:
        while len(kept) <= round(t * RATE):
            kept.append(graph.vpull().to_ndarray(format="rgb24").astype(np.float32))
        return kept[round(t * RATE)]

    return view


def _slide(dice: np.random.Generator) -> Shot:
    """A page with a heading and lines; nothing moves."""
    page = np.full((HEIGHT, WIDTH, 3), dice.uniform(200, 250), np.float32)
    if dice.random() < 0.3:
        page = 255 - page
    ink = np.float32(255 - page.mean())
    page[14:24, 20 : int(dice.integers(90, 250))] = dice.uniform(0, 255, 3)
    for row in range(40, int(dice.integers(70, 165)), 12):
        page[row : row + 4, 24 : int(dice.integers(120, 300)) : 2] = ink
    if dice.random() < 0.5:
        top, left = int(dice.integers(40, 100)), int(dice.integers(160, 220))
        page[top : top + 60, left : left + 80] = dice.uniform(0, 255, 3)
    return lambda t: page


def _with_movers(shot: Shot, dice: np.random.Generator, fast: bool) -> Shot:
    """Large things that cross the picture."""
    count = int(dice.integers(1, 4))
    colours = dice.uniform(0, 255, (count, 3)).astype(np.float32)
    sizes = dice.uniform(20, 110 if fast else 60, (count, 2))
    speeds = dice.uniform(-1, 1, (count, 2)) * ((250, 700) if fast else (30, 90))
    starts = dice.uniform(0, 1, (count, 2)) * (HEIGHT, WIDTH)

    def view(t: float) -> Image:
        picture = shot(t).copy()
        for k in range(count):
            y, x = (starts[k] + speeds[k] * t) % (HEIGHT + 120, WIDTH + 120) - 60
            top, left = int(max(0, y - sizes[k, 0] / 2)), int(max(0, x - sizes[k, 1] / 2))
            bottom, right = int(max(0, y + sizes[k, 0] / 2)), int(max(0, x + sizes[k, 1] / 2))
            picture[top:bottom, left:right] = colours[k]
        return picture

    return view


def _graded(shot: Shot, gain: float) -> Shot:
    return lambda t: shot(t) * np.float32(gain)


def _strobed(shot: Shot, dice: np.random.Generator) -> Shot:
    """A light that goes on and off some 4 to 12 times a second, at times with a colour of its own."""
    hertz, dim = dice.uniform(4, 12), dice.uniform(0.03, 0.3)
    gel = np.float32(dice.uniform(0.4, 1.4, 3)) if dice.random() < 0.5 else np.ones(3, np.float32)
    return lambda t: shot(t) * (gel if (t * hertz) % 1.0 < 0.5 else np.float32(dim))


def encode(path: Path, pictures: Iterable[NDArray[np.uint8]], crf: int) -> None:
    """Encode pictures of 320 by 180 at 25 a second as H.264."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"preset": "veryfast", "crf": str(crf)}
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE, options=options)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.gop_size = 4 * RATE
        for number, pixels in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
