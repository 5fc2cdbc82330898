"""Videos and tracks of known character, and how well an editor would say that they go together.

A video has a latent character: arousal, valence, the pulse that its cutting asks for, an arc of arousal over time, how
much is spoken, a length. A track has one of the same kind, with vocals, how much of its sound lies where speech does,
and whether it loops. Grades compare these latent characters and nothing else. What ranking gets to see is drawn from
them with the confusions that real material has: long takes in which much moves, montages of stills, parties at night,
tempi heard at half or double, quiet tracks in bright keys. So a ranking cannot do better than the facts allow, and the
grades owe nothing to its formulas.

    grade  3 an editor's first choices   2 good   1 would do   0 wrong

Distance in arousal, valence and pulse decides, arousal a fifth lower where somebody speaks; an arc that the music
follows raises the grade by one, one that it contradicts lowers it; vocals or a full speech band under a voice-over and
music that neither lasts nor loops lower it.

Functions: `reference_half` draws videos, tracks and grades from a seed; `grade_of` grades one pair. `BUNDLED_SONGS` are
the characters of the tracks that ship.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.catalog.columns import Columns, empty_columns
from workbench.character.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.match.video_facts import Scene, VideoFacts, drive_of, movement_of, pace_of
from workbench.params import MatchParams

Arc = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""from place in the piece, 0 to 1, to arousal above or below its mean"""
Dice = np.random.Generator
VOICE_CALMS = 0.2
"""of a video's arousal: music under a voice-over holds back"""
ARCS = ("flat", "rise", "fall", "peak", "dip", "waves")
TOLERANCE = (0.22, 0.35, 0.3)
"""of arousal, valence and pulse: what an editor hardly minds"""


@dataclass(frozen=True)
class VideoCharacter:
    """What a video is like."""

    arousal: float
    valence: float
    pulse: float
    """0 slow to 1 fast: what its cutting asks for"""
    arc: str
    depth: float
    """of the arc, in arousal"""
    speech: float
    """share of its time"""
    seconds: float


@dataclass(frozen=True)
class TrackCharacter:
    """What a track is like."""

    arousal: float
    valence: float
    pulse: float
    arc: str
    depth: float
    seconds: float
    vocals: bool
    speech_band: float
    """share of its power in 1 to 4 kHz"""
    loops: float
    """0 to 1"""


def _track(arousal: float, valence: float, pulse: float, seconds: float, loops: float = 0.8, arc: str = "flat",
          depth: float = 0.0, speech_band: float = 0.1) -> TrackCharacter:  # fmt: skip
    return TrackCharacter(arousal, valence, pulse, arc, depth, seconds, False, speech_band, loops)


BUNDLED_SONGS = {
    "attic_tape": _track(0.4, 0.55, 0.3, 104.0),
    "blue_corner": _track(0.5, 0.5, 0.6, 114.0),
    "corner_store": _track(0.68, 0.7, 0.6, 103.0),
    "first_snow": _track(0.25, 0.6, 0.25, 101.0, loops=0.0, arc="rise", depth=0.1),
    "glass_circuit": _track(0.8, 0.6, 0.65, 113.0),
    "harbour_lights": _track(0.72, 0.85, 0.6, 116.0),
    "hill_road": _track(0.6, 0.85, 0.7, 102.0),
    "iron_procession": _track(0.75, 0.15, 0.7, 110.0),
    "long_way_up": _track(0.82, 0.5, 0.7, 100.0, loops=0.0, arc="rise", depth=0.25),
    "no_way_back": _track(0.55, 0.4, 0.5, 104.0, loops=0.0, arc="waves", depth=0.15),
    "paper_lanterns": _track(0.42, 0.5, 0.5, 98.0, speech_band=0.25),
    "rooftop_relay": _track(0.75, 0.75, 0.6, 98.0),
    "slow_ember": _track(0.3, 0.4, 0.2, 101.0),
    "slow_tide": _track(0.42, 0.3, 0.3, 140.0),
    "standing_water": _track(0.15, 0.2, 0.05, 92.0, loops=0.0),
    "tidewater": _track(0.36, 0.7, 0.2, 96.0),
    "top_of_the_hour": _track(0.85, 0.4, 0.65, 20.0, loops=0.0),
    "undertow": _track(0.92, 0.5, 0.95, 105.0),
    "unsent_letter": _track(0.22, 0.35, 0.1, 94.0, loops=0.0),
}
"""The bundled tracks as their composer described them: moods, energy, tempo, form. Silence suits nothing."""


def arc_at(name: str, depth: float, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Arousal over the mean at places 0 to 1."""
    shapes: dict[str, NDArray[np.float64]] = {
        "flat": np.zeros_like(place),
        "rise": 2.0 * place - 1.0,
        "fall": 1.0 - 2.0 * place,
        "peak": 2.0 * np.exp(-(((place - 0.7) / 0.2) ** 2)) - 0.7,
        "dip": 0.7 - 2.0 * np.exp(-(((place - 0.5) / 0.2) ** 2)),
        "waves": np.sin(4.0 * np.pi * place),
    }
    return depth * shapes[name]


def heard_place(at: NDArray[np.float64], track: TrackCharacter) -> NDArray[np.float64]:
    """Place in the track, 0 to 1, at seconds of the video: from its beginning, and again from there."""
    return (at % track.seconds) / track.seconds


def arcs_agree(video: VideoCharacter, track: TrackCharacter) -> float:
    """Correlation of both arcs over the video, 0 where either is flat."""
    at = np.arange(0.5, video.seconds, 1.0)
    wanted = arc_at(video.arc, video.depth, at / video.seconds)
    heard = arc_at(track.arc, track.depth, heard_place(at, track))
    if wanted.std() < 1e-3 or heard.std() < 1e-3:
        return 0.0
    return float(np.corrcoef(wanted, heard)[0, 1])


def grade_of(video: VideoCharacter, track: TrackCharacter) -> int:
    """How well they go together, 0 to 3."""
    arousal = video.arousal * (1.0 - VOICE_CALMS * min(1.0, video.speech / 0.3))
    away = np.hypot(
        np.hypot((arousal - track.arousal) / TOLERANCE[0], (video.valence - track.valence) / TOLERANCE[1]),
        (video.pulse - track.pulse) / TOLERANCE[2],
    )
    grade = int(away < 1.3) + int(away < 2.1) + int(away < 3.0)
    if grade and video.depth > 0.1 and video.arc != "flat":
        agreement = arcs_agree(video, track)
        grade += int(agreement > 0.5) - int(agreement < -0.3)
    if video.speech > 0.15:
        grade -= int(track.vocals) * (2 if video.speech > 0.4 else 1)
        grade -= int(track.speech_band > 0.18)
    bare = 1.0 - track.seconds / video.seconds
    if bare > 0.02 and track.loops < 0.4:
        grade -= 2 if bare > 0.2 else 1
    return int(np.clip(grade, 0, 3))


def draw_video(dice: Dice) -> VideoCharacter:
    """A video's character."""
    arousal = float(dice.uniform(0.05, 0.95))
    arc = str(dice.choice(ARCS, p=(0.3, 0.2, 0.1, 0.2, 0.1, 0.1)))
    return VideoCharacter(
        arousal=arousal,
        valence=float(dice.uniform(0.05, 0.95)),
        pulse=float(np.clip(arousal + dice.normal(0.0, 0.15), 0.0, 1.0)),
        arc=arc,
        depth=0.0 if arc == "flat" else float(dice.uniform(0.08, 0.3)),
        speech=float(dice.choice((0.0, dice.uniform(0.15, 0.85)), p=(0.55, 0.45))),
        seconds=float(np.exp(dice.uniform(np.log(20.0), np.log(420.0)))),
    )


def draw_track(dice: Dice) -> TrackCharacter:
    """A track's character."""
    arousal = float(dice.beta(1.6, 1.4))
    arc = str(dice.choice(ARCS, p=(0.2, 0.25, 0.1, 0.25, 0.1, 0.1)))
    return TrackCharacter(
        arousal=arousal,
        valence=float(dice.beta(1.4, 1.4)),
        pulse=float(np.clip(arousal + dice.normal(0.0, 0.2), 0.0, 1.0)),
        arc=arc,
        depth=0.0 if arc == "flat" else float(dice.uniform(0.08, 0.3)),
        seconds=float(dice.uniform(60.0, 260.0)),
        vocals=bool(dice.random() < 0.35),
        speech_band=float(np.clip(dice.lognormal(np.log(0.1), 0.55), 0.02, 0.6)),
        loops=float(dice.choice((0.0, dice.uniform(0.3, 1.0)), p=(0.3, 0.7))),
    )


def facts_of(video: VideoCharacter, dice: Dice, params: MatchParams | None = None) -> VideoFacts:
    """What would be measured of such a video.

    Shots are as long as the pulse says, times log-normal luck; the arc shows in both pace and motion. Pulse comes out
    in the cutting, arousal in motion and in the loudness of the place, valence in light and colour, each in its own
    noise.
    """
    params = params or MatchParams()
    edges = np.linspace(0.0, video.seconds, 1 + int(np.clip(round(video.seconds / 20.0), 1, 10)))
    middle = 0.5 * (edges[1:] + edges[:-1]) / video.seconds
    swing = arc_at(video.arc, video.depth, middle)
    pace = np.clip(video.pulse + dice.normal(0.0, 0.08) + swing + dice.normal(0.0, 0.05, middle.size), 0.0, 1.0)
    stirs = np.clip(video.arousal + dice.normal(0.0, 0.1) + swing + dice.normal(0.0, 0.05, middle.size), 0.0, 1.0)
    light = np.clip(
        0.12 + 0.5 * video.valence + dice.normal(0.0, 0.08) + dice.normal(0.0, 0.04, middle.size), 0.02, 0.95
    )
    colour = np.clip(0.02 + 0.12 * video.valence + 0.05 * video.arousal + dice.normal(0.0, 0.03), 0.0, 0.5)
    rates = params.slow_cuts * (params.fast_cuts / params.slow_cuts) ** pace
    motion = params.slight_motion * ((1.0 + params.fast_motion / params.slight_motion) ** stirs - 1.0)
    cuts: list[float] = []
    scenes: list[Scene] = []
    for k, (start, end) in enumerate(pairwise(edges)):
        own = _cuts_between(float(start), float(end), float(rates[k]), dice)
        cuts += own
        rate = 60.0 * len(own) / float(end - start)
        scenes.append(
            Scene(
                float(start),
                float(end),
                rate,
                float(motion[k]),
                float(light[k]),
                float(colour),
                float(drive_of(pace_of(rate, params), movement_of(float(motion[k]), params), params)),
            )
        )
    loud = None if dice.random() < 0.3 else float(-48.0 + 22.0 * video.arousal + dice.normal(0.0, 4.0))
    mean_motion = float(motion.mean())
    return VideoFacts(
        duration=video.seconds,
        cuts=np.array(cuts),
        motion=mean_motion,
        brightness=float(light.mean()),
        colourfulness=float(colour),
        contrast=float(np.clip(dice.normal(0.15, 0.04), 0.02, 0.4)),
        sound_lufs=loud,
        speech_share=video.speech,
        utterances=round(video.speech * video.seconds / 2.5),
        classification="voice" if video.speech else "none" if loud is None else "ambient",
        scenes=tuple(scenes),
        pace=float(np.mean(pace_of(np.array([scene.cuts_per_minute for scene in scenes]), params))),
        movement=float(np.mean(movement_of(motion, params))),
    )


def _cuts_between(start: float, end: float, per_minute: float, dice: Dice) -> list[float]:
    """Cuts of shots of log-normal length, the first of them anywhere."""
    mean = 60.0 / per_minute
    at = start + float(dice.uniform(0.0, 1.0)) * mean
    cuts: list[float] = []
    while at < end:
        if at > 0.0:
            cuts.append(at)
        at += max(0.3, float(dice.lognormal(np.log(mean) - 0.18, 0.6)))
    return cuts


def columns_of(tracks: Sequence[TrackCharacter], dice: Dice) -> Columns:
    """What would be measured of such tracks: centres and spreads are those of the bundled tracks."""
    size = len(tracks)
    base = empty_columns(np.array([f"trk_{k:05d}" for k in range(size)], dtype=object))

    def of(name: str) -> NDArray[np.float64]:
        return np.array([getattr(track, name) for track in tracks], dtype=np.float64)

    def noise(size_of_it: float) -> NDArray[np.float64]:
        return dice.normal(0.0, size_of_it, size)

    arousal, valence, pulse = of("arousal"), of("valence"), of("pulse")
    octave = dice.choice((0.5, 1.0, 2.0), size, p=(0.06, 0.88, 0.06))
    bpm = np.clip(62.0 * 2.0 ** (1.5 * np.clip(pulse + noise(0.05), 0, 1)) * octave, 45.0, 220.0)
    minor = valence + noise(0.18) < 0.5
    contour = np.stack([_contour(track, dice) for track in tracks])
    sound = dice.normal(0.0, 1.0, (size, SOUND_DIMS))
    numbers: dict[str, NDArray[Any]] = {
        "bpm": bpm,
        "energy": np.clip(arousal + noise(0.06), 0, 1),
        "brightness": np.clip(0.22 + 0.2 * valence + 0.2 * arousal + noise(0.06), 0, 1),
        "density": np.clip(2.5 + 7.0 * np.clip(0.5 * pulse + 0.5 * arousal, 0, 1) + noise(1.3), 0.1, 14.0),
        "mode": np.where(minor, -1.0, 1.0) * dice.uniform(0.2, 1.0, size),
        "lufs": -22.0 + 10.0 * arousal + noise(2.0),
        "duration": of("seconds"),
        "vocals": np.clip(np.where(of("vocals") > 0, 0.85, 0.12) + noise(0.1), 0, 1),
        "drums": np.clip(1.2 * arousal - 0.1 + noise(0.2), 0, 1),
        "speech_band": of("speech_band"),
        "loopable": np.clip(of("loops") + (of("loops") > 0) * noise(0.08), 0, 1),
        "dynamics": np.clip(4.0 + 25.0 * of("depth") + noise(1.5), 0.5, 25.0),
    }
    single: dict[str, NDArray[Any]] = {name: values.astype(np.float32) for name, values in numbers.items()}
    return replace(
        base,
        **single,
        beats_per_bar=dice.choice(np.array([3, 4, 4, 4, 4, 6], dtype=np.int8), size),
        contour=contour.astype(np.float16),
        sound=(sound / np.linalg.norm(sound, axis=1, keepdims=True)).astype(np.float16),
    )


def _contour(track: TrackCharacter, dice: Dice) -> NDArray[np.float64]:
    """Energy in equal parts: the arc, an intro and an outro that most music has, and noise."""
    place = (np.arange(CONTOUR_PARTS) + 0.5) / CONTOUR_PARTS
    ends = 0.15 * (np.exp(-place / 0.05) + np.exp(-(1.0 - place) / 0.05))
    wobble = np.convolve(dice.normal(0.0, 0.08, CONTOUR_PARTS + 2), np.ones(3) / 3, mode="valid")
    return np.asarray(np.clip(track.arousal + arc_at(track.arc, track.depth, place) - ends + wobble, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Half:
    """Videos, a catalog and the grades of all pairs."""

    videos: tuple[VideoCharacter, ...]
    facts: tuple[VideoFacts, ...]
    tracks: tuple[TrackCharacter, ...]
    columns: Columns
    grades: NDArray[np.int64]
    """shape (n_videos, n_tracks)"""


def reference_half(seed: int, videos: int, tracks: int) -> Half:
    """Draw videos and tracks, and grade every pair."""
    dice = np.random.default_rng([seed, 2026])
    characters = tuple(draw_video(dice) for _ in range(videos))
    music = tuple(draw_track(dice) for _ in range(tracks))
    return Half(
        videos=characters,
        facts=tuple(facts_of(video, dice) for video in characters),
        tracks=music,
        columns=columns_of(music, dice),
        grades=np.array([[grade_of(video, track) for track in music] for video in characters]),
    )
