"""Videos of known character, drawn: scenes of the demo video cut anew to what each character asks for.

Every recipe says which scenes, how long shots are over the video, what is heard, and whether the bundled narration is
spoken over it; the character beside it was written down before anything was measured. Pictures are 320 by 180, 15 a
second, encoded as H.264 with AAC, and go through ingest like a customer's.

Functions: `draw`, `truth_of`; `RECIPES` are the videos.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from data.recipes.material.match_videos import VideoCharacter
from workbench.bundled import bundled_path
from workbench.demo.scenes import lighting as light
from workbench.demo.scenes.graphics import Bokeh, Card, Ink, Map
from workbench.demo.scenes.landscape import Forest, Hills, Reeds, Stars
from workbench.demo.scenes.railway import Rails, Tunnel, Wheels, Window
from workbench.demo.scenes.sounds import RATE as SOUND_RATE
from workbench.demo.scenes.sounds import Bed, ambience
from workbench.demo.scenes.town import City, Platform, Road
from workbench.demo.scenes.weather import Downpour, Sea
from workbench.media.audio import decode, resample

WIDTH, HEIGHT, RATE = 320, 180, 15
_NARRATION = bundled_path("data", "bundled", "voice", "narration.ogg")
Lengths = Callable[[float], float]
"""from place in the video, 0 to 1, to seconds of the shot that begins there"""


@dataclass(frozen=True)
class Recipe:
    """How a video is made, and what it is like."""

    name: str
    character: VideoCharacter
    shots: Lengths
    scenes: tuple[tuple[light.Paintable, ...], ...]
    """acts of equal length; the scenes of an act take turns"""
    bed: Bed | None
    spoken: bool = False
    no_sound: bool = False


def _video(arousal: float, valence: float, pulse: float, seconds: float, arc: str = "flat", depth: float = 0.0,
          speech: float = 0.0) -> VideoCharacter:  # fmt: skip
    return VideoCharacter(arousal, valence, pulse, arc, depth, speech, seconds)


def _all(seconds: float) -> Lengths:
    return lambda place: seconds


_RUSH = (
    City(light.CITY, seed=13, pan=90, bank=330, lit=0.55, moon=False), Road(seed=23, speed=1.6),
    Wheels(light.DUSK, turns=2.2), Tunnel(seed=23, speed=6.0), Road(seed=13, speed=1.2, bend=-70),
    Bokeh(seed=13, drift=-70),
)  # fmt: skip
_CALM_NIGHT = (Stars(seed=2), Hills(light.NIGHT, seed=5, pan=6, cloud=0.35), Stars(seed=12, turn=1.2))
_RIDE = (
    Window(light.NOON, seed=5, speed=400, sea=True), Rails(light.NOON, seed=13, speed=13, bend=120),
    Hills(light.NOON, seed=8, pan=60, birds=22, cloud=0.7), Window(light.NOON, seed=15, speed=520, sun=None),
)  # fmt: skip
_COAST = (
    Sea(light.MORNING, seed=7, sun=(330, 62, 15), horizon=122), Hills(light.MORNING, seed=31, pan=8, birds=10),
    Sea(light.NOON, seed=27, sun=(180, 70, 14), horizon=150, boat=330), Reeds(light.MORNING, seed=5, wind=0.7),
)  # fmt: skip
_STORM = (
    Downpour(light.STORM, seed=13, wind=0.5, lightning=0.8), Rails(light.STORM, seed=33, speed=15, bend=-140, sun=None),
    Sea(light.STORM, seed=37, sun=(420, -60, 2), horizon=130, choppy=1.8, drift=26),
    Window(light.STORM, seed=14, speed=620, drops=True, sun=None),
)  # fmt: skip
_FOG = (Forest(light.FOG, seed=13, pan=12), Hills(light.FOG, seed=33, pan=8, cloud=0.2, base=150))
_STILLS = (
    Hills(light.NOON, seed=3, pan=0, cloud=0.6), Hills(light.MORNING, seed=21, pan=0),
    Sea(light.NOON, seed=9, choppy=0.2, drift=0), Map(seed=4), Hills(light.DAWN, seed=51, pan=0),
    Reeds(light.NOON, seed=8, wind=0.0),
)  # fmt: skip

RECIPES: tuple[Recipe, ...] = (
    Recipe("night sky", _video(0.06, 0.3, 0.08, 50.0), _all(12.0), (_CALM_NIGHT,), Bed("night", -44)),
    Recipe("morning coast", _video(0.25, 0.75, 0.2, 48.0), _all(7.0), (_COAST,), Bed("sea", -37)),
    Recipe("city rush", _video(0.92, 0.3, 0.95, 40.0), _all(1.1), (_RUSH,), Bed("city", -24)),
    Recipe("storm", _video(0.75, 0.15, 0.65, 40.0), _all(2.6), (_STORM,), Bed("rain", -27)),
    Recipe("ride at noon", _video(0.65, 0.85, 0.55, 42.0), _all(3.2), (_RIDE,), Bed("train", -31)),
    Recipe(
        "a place explained", _video(0.3, 0.6, 0.3, 60.0, speech=0.6), _all(5.5),
        ((Platform(light.MORNING, seed=4, people=9, pace=0.7), *_COAST),), Bed("hall", -42), spoken=True,
    ),
    Recipe(
        "slides", _video(0.2, 0.7, 0.3, 60.0, speech=0.6), _all(6.0),
        ((Map(seed=4), Card("ONE", "FIRST OF ALL", light.MORNING, seed=6), Map(seed=9),
          Card("TWO", "AND THEN", light.NOON, 2)),),
        None, spoken=True,
    ),
    Recipe(
        "from night to noon", _video(0.5, 0.5, 0.5, 80.0, "rise", 0.3), lambda place: 9.0 * 0.15**place,
        (_CALM_NIGHT, (Hills(light.DAWN, seed=51, pan=14, birds=16), *_COAST), _RIDE, _RIDE), Bed("train", -34),
    ),
    Recipe(
        "arriving", _video(0.5, 0.3, 0.5, 80.0, "fall", 0.3), lambda place: 1.3 * 7.0**place,
        (_RUSH, (Rails(light.DUSK, seed=43, speed=9), Window(light.DUSK, seed=19, speed=330)),
         (Sea(light.DUSK, seed=6),), _CALM_NIGHT),
        Bed("city", -33),
    ),
    Recipe(
        "the chase in the middle", _video(0.5, 0.4, 0.55, 84.0, "peak", 0.25),
        lambda place: 1.2 if 0.5 < place < 0.9 else 5.5,
        (_FOG, (Hills(light.OVERCAST, seed=31, pan=16), *_FOG), _RUSH, (*_RUSH, Hills(light.EVENING, seed=11, pan=10))),
        Bed("city", -32),
    ),
    Recipe("forest in fog", _video(0.12, 0.45, 0.15, 48.0), _all(8.5), (_FOG,), Bed("forest", -40)),
    Recipe(
        "lights and ink", _video(0.75, 0.55, 0.85, 36.0), _all(1.4),
        ((Bokeh(seed=3, drift=60), Ink(12, ("#12040a", "#5b1026", "#c8402e", "#ffb25e", "#fff2cf"), speed=60),
          Bokeh(seed=13, colours=("#6aa8ff", "#9fd0ff", "#b58cff", "#5ee0d0"), drift=-70), Ink(seed=3, speed=50)),),
        None, no_sound=True,
    ),
    Recipe(
        "rain, remembered", _video(0.2, 0.15, 0.2, 60.0, speech=0.6), _all(7.5),
        ((Downpour(light.STORM, seed=3, lamp=(180, 150)), Bokeh(seed=4, wet=True), Hills(light.FOG, seed=3, pan=5)),),
        Bed("rain", -40), spoken=True,
    ),
    Recipe(
        "one long ride", _video(0.75, 0.4, 0.3, 42.0), _all(14.0),
        ((Rails(light.DUSK, seed=43, speed=16, bend=90), Tunnel(seed=3, speed=6.0), Road(seed=23, speed=1.8)),),
        Bed("train", -25),
    ),
    Recipe("postcards", _video(0.35, 0.85, 0.7, 40.0), _all(1.7), (_STILLS,), Bed("wind", -42)),
    Recipe(
        "before dawn, at work", _video(0.4, 0.2, 0.35, 48.0), _all(4.5),
        ((Platform(light.PREDAWN, seed=4, people=14, pace=1.0), Wheels(light.PREDAWN, turns=0.6),
          Rails(light.PREDAWN, seed=3, speed=6), Hills(light.PREDAWN, seed=21, pan=12)),),
        Bed("hall", -33),
    ),
)  # fmt: skip


def draw(recipe: Recipe, path: Path) -> Path:
    """Draw a video, unless it is there."""
    if path.exists():
        return path
    part = path.with_suffix(".part.mp4")
    sound = None if recipe.no_sound else _sound(recipe)
    with av.open(str(part), "w", format="mp4") as container:
        container.metadata["title"] = recipe.name
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "superfast", "crf": "22"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        heard = None if sound is None else container.add_stream("aac", rate=SOUND_RATE, layout="stereo")
        for number, picture in enumerate(_pictures(recipe)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
            if sound is not None and heard is not None:
                first, last = (k * SOUND_RATE // RATE for k in (number, number + 1))
                block = av.AudioFrame.from_ndarray(np.ascontiguousarray(sound[:, first:last]), "fltp", "stereo")
                block.sample_rate, block.pts, block.time_base = SOUND_RATE, first, Fraction(1, SOUND_RATE)
                container.mux(heard.encode(block))
        container.mux(stream.encode(None))
        if heard is not None:
            container.mux(heard.encode(None))
    part.replace(path)
    return path


@dataclass(frozen=True, slots=True)
class DrawnTruth:
    """What is known of a drawn video because it was drawn so."""

    cuts_per_minute: float
    speech_share: float
    """0 to 1, of the video's time; pauses inside a sentence count as speech"""


def truth_of(recipe: Recipe) -> DrawnTruth:
    """What is known of a video before it is drawn.

    Parameters
    ----------
    recipe : one of `RECIPES`
    """
    seconds = recipe.character.seconds
    spoken = 0.0
    if recipe.spoken:
        spoken = sum(max(0.0, min(last, seconds) - first) for first, last in _narrated(seconds))
    return DrawnTruth(60.0 * (len(list(_shots(recipe))) - 1) / seconds, spoken / seconds)


def _shots(recipe: Recipe) -> Iterator[tuple[int, float]]:
    """Length in frames and place, 0 to 1, of each shot, in their order."""
    total, at = round(recipe.character.seconds * RATE), 0
    while at < total:
        place = at / total
        frames = min(total - at, max(4, round(recipe.shots(place) * RATE)))
        yield frames, place
        at += frames


def _pictures(recipe: Recipe) -> Iterator[NDArray[np.uint8]]:
    """Shots in their order, each of the act that it begins in; a scene goes on where it was left."""
    for shown, (frames, place) in enumerate(_shots(recipe)):
        act = recipe.scenes[min(len(recipe.scenes) - 1, int(place * len(recipe.scenes)))]
        painter = act[shown % len(act)].painter(frames / RATE + 0.5)
        for frame in range(frames):
            picture = np.asarray(painter(frame / RATE))
            step = picture.shape[1] // HEIGHT
            yield np.clip(picture[:, ::step, ::step].transpose(1, 2, 0), 0, 255).astype(np.uint8)


def _sound(recipe: Recipe) -> NDArray[np.float32]:
    """The place, and the narration over it where it is spoken; shape (2, n)."""
    sound = np.asarray(ambience([(0.0, recipe.bed)], (), recipe.character.seconds), dtype=np.float32)
    if recipe.spoken:
        voice = _narration(recipe.character.seconds)[: sound.shape[1]]
        sound[:, : voice.size] += voice * np.float32(np.sqrt(0.5))
    return sound


_FIRST_WORD, _PAUSE = 1.0, 1.5
"""s; silence before the first phrase of a narration and after each"""


def _narration(seconds: float) -> NDArray[np.float32]:
    """Phrases of the bundled narration one after another, with silence between, mono."""
    whole = decode(_NARRATION)
    mono = resample(whole.mono(), whole.sample_rate, SOUND_RATE)
    pieces: list[NDArray[np.float32]] = [np.zeros(round(_FIRST_WORD * SOUND_RATE), dtype=np.float32)]
    for first, last in _phrases(seconds):
        cut = slice(round(first * SOUND_RATE), round(last * SOUND_RATE))
        pieces += [mono[cut], np.zeros(round(_PAUSE * SOUND_RATE), dtype=np.float32)]
    return np.concatenate(pieces)


def _narrated(seconds: float) -> Iterator[tuple[float, float]]:
    """Where the phrases of a narration lie in a video, s."""
    at = _FIRST_WORD
    for first, last in _phrases(seconds):
        yield at, at + last - first
        at += last - first + _PAUSE


def _phrases(seconds: float) -> Iterator[tuple[float, float]]:
    """Start and end in the bundled narration, s, of as many phrases as a video of some length has room for."""
    at = _FIRST_WORD
    for phrase in json.loads(_NARRATION.with_suffix(".json").read_text(encoding="utf-8"))["phrases"]:
        first, last = float(phrase["start_s"]), float(phrase["end_s"])
        yield first, last
        at += last - first + _PAUSE
        if at > seconds:
            return
