"""The demo video, "The Six-Ten": five minutes of a railway line, drawn and synthesised in code, and a narration over
it.

It takes the place of a customer's video, so it has everything an editor would look for, at times that are known to the
frame: hard cuts, dissolves, fades to black, flashes, title cards, calm and hectic stretches, ambience, hits, and
someone who speaks in groups of phrases with long silences between. `SHOTS` below is the video; the rest of this module
turns it into an MP4 (H.264, AAC) and into `VideoTruth`. The same code always draws the same pictures.

Functions: `draw_demo_video`, `video_truth`.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from workbench.caches import kernel
from workbench.demo.scenes.brushes import HEIGHT, WIDTH
from workbench.demo.scenes.graphics import Bokeh, Card, Ink, Map, Plain
from workbench.demo.scenes.landscape import Forest, Hills, Reeds, Stars
from workbench.demo.scenes.lighting import (
    CITY,
    DAWN,
    DUSK,
    EVENING,
    FOG,
    MORNING,
    NIGHT,
    NOON,
    OVERCAST,
    PREDAWN,
    STORM,
    Paintable,
    Painter,
)
from workbench.demo.scenes.railway import Clock, Lamp, Rails, Tunnel, Viaduct, Wheels, Window
from workbench.demo.scenes.sounds import RATE, Bed, Cue, ambience
from workbench.demo.scenes.town import City, Platform, Road
from workbench.demo.scenes.weather import Downpour, Sea
from workbench.errors import ParameterError
from workbench.files import written_whole
from workbench.media.audio import decode, resample
from workbench.recording import FloatArray

TITLE = "The Six-Ten"
FRAME_RATE = 25
FULL_SECONDS = 300.0
_PAINTERS = 2  # pictures painted at a time, beside the encoder's own threads
_X264 = {"preset": "superfast", "crf": "24", "x264-params": "mbtree=1:rc-lookahead=10"}  # some 0.6 Mbit/s
_AAC = {"aac_coder": "fast"}
_AUDIO_BIT_RATE = 160_000


@dataclass(frozen=True, slots=True)
class Shot:
    """A stretch of the video between two edits."""

    seconds: float  # a whole number of frames
    scene: Paintable
    bed: Bed | None
    cues: tuple[Cue, ...] = ()
    dissolve: float = 0.0  # seconds over which it replaces the shot before; 0 is a hard cut
    fade_in: float = 0.0  # seconds up from black
    fade_out: float = 0.0  # seconds down to black


def _walkers(count: int, every: float = 0.47) -> tuple[Cue, ...]:
    return tuple(Cue(0.15 + k * every, "step", -2.0 * (k % 3)) for k in range(count))


def _ticks(count: int) -> tuple[Cue, ...]:
    return tuple(Cue(float(k), "tick") for k in range(1, count + 1))


_HIT = (Cue(0.0, "hit"),)
_QUIET, _AIR = Bed("night", -40), Bed("wind", -38)

SHOTS: tuple[Shot, ...] = (
    # Before light
    Shot(9.2, Stars(seed=2, meteor=5.2), _QUIET, fade_in=2.0),
    Shot(5.8, Hills(NIGHT, seed=5, pan=9, sun=(470, 84, 14), cloud=0.35), _QUIET, dissolve=1.2),
    Shot(5.0, Card("THE SIX-TEN", "A VIDEO ABOUT A RAILWAY LINE", PREDAWN, seed=3), Bed("wind", -40), _HIT),
    Shot(5.2, Clock(PREDAWN, hour=6, minute=9, second=54.0), Bed("hall", -39), _ticks(5)),
    Shot(3.2, Lamp(clears=2.0), Bed("night", -38), (Cue(2.0, "coupling"),)),
    Shot(4.0, Hills(PREDAWN, seed=21, pan=12, cloud=0.45, base=185), _AIR),
    Shot(5.2, Platform(PREDAWN, seed=4, people=9, pace=0.7), Bed("hall", -37), _walkers(10)),
    Shot(8.0, Hills(DAWN, seed=3, pan=14, sun=(410, 186, 19), rise=5.5, birds=14), Bed("forest", -38)),
    Shot(2.4, Wheels(DAWN, turns=0.5, gain=0.35), Bed("train", -32), (Cue(0.0, "hit"), Cue(0.9, "coupling"))),
    Shot(4.0, Rails(DAWN, seed=3, speed=7), Bed("train", -32)),
    Shot(6.4, Window(DAWN, seed=9, speed=380), Bed("train", -33)),
    Shot(7.0, Map(seed=4), Bed("wind", -40)),
    Shot(2.8, Forest(MORNING, seed=3, pan=90), Bed("forest", -35), _HIT),
    Shot(3.2, Tunnel(seed=3, speed=3.0, opening=1.0), Bed("tunnel", -29), (Cue(2.75, "whoosh"),)),
    # The water
    Shot(0.08, Plain("#ffffff"), Bed("train", -33)),
    Shot(5.72, Window(NOON, seed=5, speed=400, sea=True, sun=(330, 70, 14)), Bed("train", -33)),
    Shot(6.0, Sea(MORNING, seed=7, sun=(330, 62, 15), horizon=122, choppy=1.2), Bed("sea", -34)),
    Shot(5.2, Viaduct(MORNING, seed=8, speed=120, sun=None, enters=-1.0), Bed("wind", -36), (Cue(0.4, "pass", -4.0),)),
    Shot(4.8, Sea(OVERCAST, seed=17, sun=(300, -60, 2), horizon=96, choppy=1.7, glitter=0.35, drift=14),
         Bed("sea", -31)),
    Shot(3.8, Reeds(MORNING, seed=5, wind=1.5, sun=(430, 150, 22)), Bed("wind", -33), fade_out=0.6),
    Shot(4.0, Card("THE WATER", "TWELVE MILES ON", MORNING, seed=6), Bed("sea", -37), fade_in=0.6),
    Shot(4.2, Sea(NOON, seed=27, sun=(180, 70, 14), horizon=150, boat=330, choppy=1.0), Bed("sea", -34), _HIT),
    Shot(3.2, Ink(seed=3), Bed("sea", -37)),
    Shot(4.8, Viaduct(NOON, seed=18, speed=-190, enters=0.3, scale=0.8, sun=(170, 90, 17)), Bed("wind", -36),
         (Cue(0.0, "hit"), Cue(0.6, "pass"))),
    Shot(2.8, Window(NOON, seed=15, speed=520, sea=True, sun=None), Bed("train", -31)),
    Shot(1.4, Wheels(NOON, turns=1.7), Bed("train", -30), _HIT),
    Shot(2.6, Rails(NOON, seed=13, speed=13, bend=120, sun=None), Bed("train", -31)),
    Shot(3.2, Hills(NOON, seed=8, pan=26, birds=22, cloud=0.7), Bed("forest", -35)),
    Shot(3.6, Hills(OVERCAST, seed=31, pan=16, cloud=0.9), Bed("wind", -34), dissolve=1.2),
    # Rain
    Shot(5.0, Downpour(STORM, seed=3, lamp=(180, 150)), Bed("rain", -33)),
    Shot(5.2, Window(STORM, seed=4, speed=340, drops=True, sun=None), Bed("train", -33)),
    Shot(5.4, Rails(STORM, seed=23, speed=5, sun=None), Bed("rain", -34), (Cue(3.1, "coupling", -6.0),)),
    Shot(3.6, Bokeh(seed=4, wet=True), Bed("rain", -39)),
    Shot(6.2, Hills(FOG, seed=33, pan=10, cloud=0.2, base=150), Bed("wind", -40), dissolve=0.8),
    Shot(3.4, Forest(FOG, seed=13, pan=30), Bed("forest", -39)),
    Shot(2.2, Tunnel(seed=13, speed=4.2), Bed("tunnel", -29), _HIT),
    Shot(3.4, Downpour(STORM, seed=13, wind=0.5, lightning=0.8), Bed("rain", -31), (Cue(1.4, "thunder", 6.0),)),
    Shot(2.4, Ink(seed=9, palette=("#05070d", "#16202c", "#3b4d5a", "#9fb4bb", "#e8eef0"), speed=30),
         Bed("rain", -34)),
    Shot(2.2, Window(STORM, seed=14, speed=620, drops=True, sun=None), Bed("train", -31), _HIT),
    Shot(1.2, Wheels(STORM, turns=2.0), Bed("train", -30), _HIT),
    Shot(1.8, Rails(STORM, seed=33, speed=15, bend=-140, sun=None), Bed("rain", -31)),
    Shot(3.8, Sea(STORM, seed=37, sun=(420, -60, 2), horizon=130, choppy=1.8, glitter=0.6, drift=26), Bed("sea", -30)),
    Shot(4.8, Hills(EVENING, seed=11, pan=12, sun=(200, 158, 22), rise=-2.0, cloud=0.8), Bed("wind", -36), dissolve=1.4,
         fade_out=0.8),
    # The city
    Shot(4.2, Card("THE CITY", "FOUR HUNDRED PASSENGERS", DUSK, seed=9), Bed("city", -38), fade_in=0.8),
    Shot(5.0, City(DUSK, seed=3, pan=16), Bed("city", -36), _HIT),
    Shot(3.6, Platform(EVENING, seed=14, people=26, pace=1.25), Bed("hall", -34), _walkers(12, 0.29)),
    Shot(3.8, Road(seed=3), Bed("city", -31)),
    Shot(9.0, Viaduct(CITY, seed=28, speed=105, enters=-0.6, scale=1.15, sun=(470, 70, 13)), Bed("city", -36),
         (Cue(1.0, "pass", -5.0), Cue(3.6, "pass", -7.0))),
    Shot(2.8, Road(seed=13, speed=0.9, bend=-70), Bed("city", -30), _HIT),
    Shot(2.0, Bokeh(seed=3, drift=26), Bed("city", -34)),
    Shot(1.6, City(CITY, seed=13, pan=90, bank=330, lit=0.55, moon=False), Bed("city", -31), _HIT),
    Shot(1.2, Road(seed=23, speed=1.6), Bed("city", -29)),
    Shot(1.2, Clock(CITY, hour=19, minute=42, second=17.0), Bed("hall", -36), _ticks(1)),
    Shot(1.6, Lamp(clears=0.8), Bed("city", -33), (Cue(0.8, "coupling"),)),
    Shot(1.6, Platform(CITY, seed=24, people=30, pace=1.8), Bed("hall", -32), _walkers(8, 0.2)),
    Shot(1.0, Wheels(DUSK, turns=2.2), Bed("train", -29), _HIT),
    Shot(1.4, Ink(seed=12, palette=("#12040a", "#5b1026", "#c8402e", "#ffb25e", "#fff2cf"), speed=60),
         Bed("city", -33)),
    Shot(1.2, Bokeh(seed=13, colours=("#6aa8ff", "#9fd0ff", "#b58cff", "#5ee0d0"), drift=-70), Bed("city", -33), _HIT),
    Shot(2.0, Tunnel(seed=23, speed=6.0), Bed("tunnel", -28)),
    Shot(0.08, Plain("#ffffff"), Bed("city", -32)),
    Shot(8.92, City(CITY, seed=23, pan=-8, lit=0.5), Bed("city", -35), _HIT, fade_out=1.2),
    # The harbour
    Shot(4.4, Rails(DUSK, seed=43, speed=8, bend=60), Bed("train", -33), fade_in=0.8),
    Shot(5.6, Window(DUSK, seed=19, speed=330, sea=True), Bed("train", -34)),
    Shot(6.6, Hills(DUSK, seed=41, pan=12, sun=(460, 176, 21), rise=-3.0), Bed("forest", -38)),
    Shot(7.0, Sea(DUSK, seed=6, sun=(430, 158, 15), beam=True, choppy=0.9), Bed("sea", -36)),
    Shot(4.0, Hills(NIGHT, seed=43, pan=7, cloud=0.3, sun=(150, 70, 13)), Bed("night", -40)),
    Shot(4.8, Clock(NIGHT, hour=6, minute=9, second=57.0), Bed("hall", -39), (*_ticks(4), Cue(3.0, "bell"))),
    Shot(13.2, Stars(seed=12, turn=2.2, meteor=9.0), _QUIET, dissolve=2.0),
    Shot(11.2, Hills(DAWN, seed=51, pan=10, sun=(300, 196, 20), rise=7.0, birds=16, cloud=0.6), Bed("forest", -37),
         dissolve=2.0),
    Shot(6.0, Viaduct(DAWN, seed=38, speed=130, enters=-0.5), Bed("wind", -36), (Cue(0.5, "pass", -3.0),),
         fade_out=1.6),
    Shot(6.0, Card("THE SIX-TEN", "DRAWN IN CODE, SPOKEN BY A MACHINE", DUSK, seed=13), Bed("night", -40), fade_in=0.8,
         fade_out=1.2),
    Shot(1.6, Plain(), None),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class VideoTruth:
    """Ground truth of the video, known because it is drawn, in video seconds."""

    seconds: float
    frame_rate: int
    cuts: tuple[float, ...]  # first picture of each shot that replaces another at once
    dissolves: tuple[tuple[float, float], ...]  # first picture with a share of the new shot, first one without the old
    fades: tuple[tuple[float, float], ...]  # from and to black
    flashes: tuple[float, ...]  # first bright picture
    titles: tuple[tuple[float, float, str], ...]  # a card is on screen, and its words
    hits: tuple[float, ...]  # a single loud sound in the soundtrack
    speech: tuple[tuple[float, float], ...]  # first and last sound of each phrase

    def save(self, path: Path) -> None:
        """Write the truth as JSON.

        Parameters
        ----------
        path : replaced where it exists
        """
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> VideoTruth:
        """Read the truth that `save` wrote.

        Parameters
        ----------
        path : JSON file
        """
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        listed = {name: tuple(tuple(v) if isinstance(v, list) else v for v in value) for name, value in facts.items()
                  if isinstance(value, list)}  # fmt: skip
        return cls(**(facts | listed))


@dataclass(frozen=True, slots=True)
class _Take:
    """A shot at its place in the video."""

    shot: Shot
    start_frame: int
    frames: int
    runs_on: float = field(default=0.0)  # seconds for which it is still visible in the dissolve to the next

    @property
    def start(self) -> float:
        return self.start_frame / FRAME_RATE


def draw_demo_video(
    path: Path, *, narration: Path, seconds: float = FULL_SECONDS, progress: Callable[[float], None] | None = None
) -> VideoTruth:
    """Draw the video with its soundtrack into an MP4: 640x360, 25 pictures a second, 48 kHz stereo.

    Written aside and renamed, so that a file of that name is always whole.

    Parameters
    ----------
    path : where the video goes; a file there is replaced
    narration : sound file of the voice-over, on the video's clock; its phrases stand beside it in a .json of that name
    seconds : 1 to 300; a shorter video is the beginning of the full one
    progress : called with the share that is done, 0 to 1, once for every second of video; None: not reported

    Returns
    -------
    VideoTruth : times of the video that was drawn

    Raises
    ------
    ParameterError : seconds out of range
    MediaError : the narration cannot be read, or the video not be written
    """
    takes = _takes(seconds)
    truth = video_truth(narration=narration, seconds=seconds)
    sound = _soundtrack(takes, truth.seconds, narration)
    with written_whole(path) as aside:
        _video(aside, takes, sound, progress)
    return truth


def video_truth(*, narration: Path, seconds: float = FULL_SECONDS) -> VideoTruth:
    """Ground truth of the video that `draw_demo_video` would draw.

    Parameters
    ----------
    narration : sound file of the voice-over; only the .json of the same name beside it is read
    seconds : 1 to 300, length of the video

    Returns
    -------
    VideoTruth : equal to what drawing returns

    Raises
    ------
    ParameterError : seconds out of range
    """
    takes = _takes(seconds)
    end = (takes[-1].start_frame + takes[-1].frames) / FRAME_RATE
    cuts, dissolves, fades, flashes, titles = [], [], [], [], []
    for before, take in zip((None, *takes), takes, strict=False):
        shot, start = take.shot, take.start
        stop = start + take.frames / FRAME_RATE
        if isinstance(shot.scene, Plain) and shot.scene.colour != "#000000":
            flashes.append(start)
        elif shot.dissolve:
            dissolves.append((start, min(start + shot.dissolve, end)))
        elif before is not None and not (shot.fade_in or before.shot.fade_out):
            cuts.append(start)
        if isinstance(shot.scene, Downpour) and shot.scene.lightning is not None and start + shot.scene.lightning < end:
            flashes.append(round(start + shot.scene.lightning, 6))
        if isinstance(shot.scene, Card):
            titles.append((start, stop, shot.scene.title))
        if shot.fade_in:
            fades.append((start, min(start + shot.fade_in, end)))
        if shot.fade_out and take.frames == round(shot.seconds * FRAME_RATE):
            fades.append((round(stop - shot.fade_out, 6), stop))
    hits = [cue.at for cue in _cues(takes) if cue.kind in ("hit", "thunder") and cue.at < end]
    speech = [(start, min(stop, end)) for start, stop in _phrases(narration) if start < end]
    return VideoTruth(end, FRAME_RATE, tuple(cuts), tuple(dissolves), tuple(fades), tuple(flashes), tuple(titles),
                     tuple(hits), tuple(speech))  # fmt: skip


def _takes(seconds: float) -> list[_Take]:
    """The shots of the first seconds of the video, the last one cut short."""
    if not 1.0 <= seconds <= FULL_SECONDS:
        raise ParameterError(f"the demo video lasts 1 to {FULL_SECONDS:.0f} seconds, got {seconds}")
    total, start, takes = round(seconds * FRAME_RATE), 0, []
    for shot, after in zip(SHOTS, (*SHOTS[1:], None), strict=True):
        frames = min(round(shot.seconds * FRAME_RATE), total - start)
        if frames <= 0:
            break
        takes.append(_Take(shot, start, frames, after.dissolve if after else 0.0))
        start += frames
    return takes


def _cues(takes: list[_Take]) -> list[Cue]:
    return [Cue(round(take.start + cue.at, 6), cue.kind, cue.gain_db) for take in takes for cue in take.shot.cues]


def _phrases(narration: Path) -> list[tuple[float, float]]:
    facts = json.loads(narration.with_suffix(".json").read_text(encoding="utf-8"))
    return [(float(phrase["start_s"]), float(phrase["end_s"])) for phrase in facts["phrases"]]


def _soundtrack(takes: list[_Take], seconds: float, narration: Path) -> FloatArray:
    """Ambience and narration, shape (2, n) at `RATE`; the voice is in the middle at its own loudness."""
    sound = ambience([(take.start, take.shot.bed) for take in takes], _cues(takes), seconds)
    voice = _voice(narration)[: sound.shape[1]]
    sound[:, : voice.size] += voice * np.float32(np.sqrt(0.5))
    return sound


def _voice(narration: Path) -> FloatArray:
    """The narration as mono at `RATE`, shape (n,)."""
    recording = decode(narration)
    return resample(recording.mono(), recording.sample_rate, RATE)


def _pictures(takes: list[_Take]) -> Iterator[Callable[[], NDArray[np.uint8]]]:
    """One job for each picture, in order; each returns the planes of its picture, and jobs may run concurrently."""
    before: tuple[Painter, float] | None = None
    for take in takes:
        seconds = take.shot.seconds + take.runs_on + 1 / FRAME_RATE
        painter = take.shot.scene.painter(seconds)
        for frame in range(take.frames):
            yield partial(_picture, take.shot, painter, before, frame / FRAME_RATE)
        before = (painter, take.shot.seconds)


def _picture(shot: Shot, painter: Painter, before: tuple[Painter, float] | None, t: float) -> NDArray[np.uint8]:
    """One picture with its dissolve and fades."""
    picture = painter(t)
    if before is not None and t < shot.dissolve:
        share = np.float32((t + 0.5 / FRAME_RATE) / shot.dissolve)
        painter_before, seconds_before = before
        picture = _full(painter_before(seconds_before + t)) * (1 - share) + _full(picture) * share
    if t < shot.fade_in:
        picture = picture * np.float32((t + 0.5 / FRAME_RATE) / shot.fade_in)
    left = shot.seconds - t - 0.5 / FRAME_RATE
    if left < shot.fade_out:
        picture = picture * np.float32(left / shot.fade_out)
    return _planes(picture)


def _full(picture: FloatArray) -> FloatArray:
    """A half-size picture at full size."""
    if picture.shape[1] == HEIGHT:
        return picture
    return np.repeat(np.repeat(picture, 2, axis=1), 2, axis=2)


_DITHER = np.random.default_rng(25).random((HEIGHT, WIDTH), dtype=np.float32)  # rounds up or down: no bands in skies


def _planes(picture: FloatArray) -> NDArray[np.uint8]:
    """A picture as stacked planes of YUV 4:2:0, shape (3/2 height, width); ITU-R BT.709, limited range."""
    height, width = picture.shape[1:]
    planes = np.empty((height * 3 // 2, width), dtype=np.uint8)
    colour = planes[height:].reshape(2, height // 2, width // 2)
    _convert(np.ascontiguousarray(picture, dtype=np.float32), _DITHER, planes[:height], colour)
    return planes


@kernel("void(f4[:,:,::1], f4[:,::1], u1[:,::1], u1[:,:,::1])")
def _convert(picture: Any, dither: Any, luma: Any, colour: Any) -> None:  # pragma: no cover - compiled
    """Clip, weigh the primaries, average colour over squares of four; row by row, so that it is vectorised."""
    width = picture.shape[2]
    black, white = np.float32(0), np.float32(255)
    blue_scale, red_scale = np.float32(224 / 255 / 4 / 1.8556), np.float32(224 / 255 / 4 / 1.5748)
    reds, blues, lights = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    for y in range(picture.shape[1]):
        r, g, b = picture[0, y], picture[1, y], picture[2, y]
        if y % 2 == 0:
            reds[:], blues[:], lights[:] = 0, 0, 0
        noise, out = dither[y], luma[y]
        for x in range(width):
            red, blue = min(max(r[x], black), white), min(max(b[x], black), white)
            light = np.float32(0.2126) * red + np.float32(0.0722) * blue
            light += np.float32(0.7152) * min(max(g[x], black), white)
            reds[x] += red
            blues[x] += blue
            lights[x] += light
            out[x] = np.uint8(np.int32(light * np.float32(219 / 255) + noise[x] + np.float32(16)))
        if y % 2:
            out_blue, out_red = colour[0, y // 2], colour[1, y // 2]
            for x in range(width // 2):
                light = lights[2 * x] + lights[2 * x + 1]
                blue, red = blues[2 * x] + blues[2 * x + 1], reds[2 * x] + reds[2 * x + 1]
                out_blue[x] = np.uint8(np.int32((blue - light) * blue_scale + np.float32(128.5)))
                out_red[x] = np.uint8(np.int32((red - light) * red_scale + np.float32(128.5)))


def _video(path: Path, takes: list[_Take], sound: FloatArray, progress: Callable[[float], None] | None) -> None:
    """Encode pictures and sound, a second of each in turn."""
    total = sum(take.frames for take in takes)
    with (
        av.open(f"file:{path.resolve()}", "w", format="mp4", options={"movflags": "+faststart"}) as container,
        ThreadPoolExecutor(_PAINTERS) as pool,
    ):
        container.metadata["title"] = TITLE
        picture_stream = container.add_stream("libx264", rate=FRAME_RATE, options=_X264)
        picture_stream.width, picture_stream.height, picture_stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        coder = picture_stream.codec_context
        coder.color_range, coder.colorspace, coder.color_primaries, coder.color_trc = 1, 1, 1, 1
        coder.gop_size, coder.thread_count = 5 * FRAME_RATE, 2
        sound_stream = container.add_stream("aac", rate=RATE, layout="stereo", options=_AAC)
        sound_stream.bit_rate = _AUDIO_BIT_RATE
        for number, planes in enumerate(_in_order(pool, _pictures(takes))):
            frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
            if frame.width != WIDTH:
                frame = frame.reformat(WIDTH, HEIGHT, interpolation="BICUBIC")
            frame.pts, frame.time_base = number, Fraction(1, FRAME_RATE)
            container.mux(picture_stream.encode(frame))
            if number % FRAME_RATE == FRAME_RATE - 1 or number == total - 1:
                second = number // FRAME_RATE
                last = sound.shape[1] if number == total - 1 else (second + 1) * RATE
                _push_sound(container, sound_stream, sound[:, second * RATE : last], second * RATE)
                if progress is not None:
                    progress((number + 1) / total)
        container.mux(picture_stream.encode(None))
        container.mux(sound_stream.encode(None))


def _push_sound(container: Any, stream: Any, block: FloatArray, at: int) -> None:
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(block, dtype=np.float32), format="fltp", layout="stereo")
    frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
    container.mux(stream.encode(frame))


def _in_order(pool: ThreadPoolExecutor, jobs: Iterator[Callable[[], NDArray[np.uint8]]]) -> Iterator[NDArray[np.uint8]]:
    """Results of the jobs in their order, with a few jobs running ahead."""
    under_way: deque[Future[NDArray[np.uint8]]] = deque()
    for job in jobs:
        under_way.append(pool.submit(job))
        if len(under_way) > 3 * _PAINTERS:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()
