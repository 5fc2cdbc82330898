"""The facts of a video that ranking reads, as numbers: pace of the cuts, motion, brightness, speech, length.

Video editors and the literature on affect in video agree: shot length and motion carry arousal, light and colour
carry valence (Hanjalic & Xu 2005). Both vary within a video, and music has to follow at
the scale of scenes, not of shots. So beside numbers for the whole there are scenes, contiguous stretches of shots that
are alike in pace, motion, light and colour.

**Drive**, 0 to 1, is how much happens: a weighted mean of pace and of motion, both on logarithmic scales, because twice
as many cuts are one step more wherever one begins. Local pace counts the cuts around an instant under a bell a few
seconds wide, so a single cut is no burst of activity.

**Scenes** come from dynamic programming over the shots: of all partitions, the one with the least variance within,
where each scene costs a fixed amount (Fisher 1958; the cost is that of Potts' functional). A long take counts as
several shots, so that a scene can change under it.

References
----------
A. Hanjalic & L.-Q. Xu, "Affective video content representation and modeling", IEEE Transactions on Multimedia 7(1),
2005. W. D. Fisher, "On grouping for maximum homogeneity", Journal of the American Statistical Association 53, 1958.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.errors import ParameterError
from workbench.recording import BoolArray, FloatArray, VideoSeconds
from workbench.video.analysis import VideoAnalysis
from workbench.video.picture import Picture
from workbench.video.soundtrack import HOPS_PER_SECOND, Classification, Soundtrack

SLOW_CUTS, FAST_CUTS = 3.0, 60.0  # a minute, that count as no pace at all and as full pace
SLIGHT_MOTION = 0.02  # picture heights a second from where on motion counts by factors
FAST_MOTION = 0.6  # picture heights a second, mean, that count as full movement
MIN_SCENE_SECONDS = 8.0  # music cannot follow faster
_PACE_SHARE = 0.55  # of pace in drive; the rest is movement's
_BELL_SECONDS = 4.0  # standard deviation of the bell under which cuts are counted
_TAKE_SECONDS = 6.0  # a longer take is split into pieces of about this length
_SCENE_COST = 30.0  # seconds times squared deviations that a scene must save
_MOST_ATOMS = 1500
"""pieces that scenes are made of at most: the search for the best partition takes the square of their number"""
_BORDER_SECONDS = 1e-6
"""times of pictures and borders that differ by less are equal"""
_SILENT_LUFS = -60.0
"""loudness of a soundtrack up to which it counts as silent"""


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of shots that are alike."""

    start: VideoSeconds
    end: VideoSeconds
    cuts_per_minute: float
    motion: float
    """picture heights a second, mean"""
    brightness: float
    """mean luma, 0 to 1"""
    colourfulness: float
    """Hasler and Süsstrunk's measure over 255"""
    drive: float
    """0 to 1, see the head of the module"""

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, eq=False)
class VideoFacts:
    """The facts of a video that ranking reads."""

    duration: VideoSeconds
    cuts: FloatArray
    """shape (n_cuts,), video seconds, increasing"""
    motion: float
    """picture heights a second, mean"""
    brightness: float
    """mean luma, 0 black to 1 white"""
    colourfulness: float
    """Hasler and Süsstrunk's measure over 255: 0 grey, 0.13 moderate, 0.4 extreme"""
    contrast: float
    """standard deviation of luma, mean over the pictures, 0 to 0.5"""
    sound_lufs: float | None
    """loudness of the soundtrack outside speech; None where it is silent or there is none"""
    speech_share: float
    """0 to 1, of the video's time"""
    utterances: int
    """that are spoken in the foreground"""
    classification: Classification
    scenes: tuple[Scene, ...]
    """together the video, in order"""
    pace: float
    """0 to 1: how fast it is cut, on a logarithmic scale, mean over its time"""
    movement: float
    """0 to 1: how much moves, on a logarithmic scale, mean over its time: one rush does not make a rushing video"""

    def __post_init__(self) -> None:
        if not 0.0 < self.duration < float("inf"):
            raise ParameterError(f"a video must last more than 0 s, got {self.duration} s")
        if not self.scenes or self.scenes[0].start != 0.0 or abs(self.scenes[-1].end - self.duration) > 1e-3:
            raise ParameterError("the scenes of a video fill it from its first to its last second")

    @property
    def cuts_per_minute(self) -> float:
        """Over the whole video."""
        return 60.0 * self.cuts.size / self.duration

    @property
    def shot_seconds(self) -> float:
        """Length of the median shot."""
        return float(np.median(np.diff(np.concatenate(([0.0], self.cuts, [self.duration])))))


def video_facts(watched: VideoAnalysis) -> VideoFacts:
    """Gather what ranking needs to know of a video; raises `ParameterError` for one without length."""
    picture, sound = watched.picture, watched.soundtrack
    curves = _curves(picture)
    seconds = np.diff(curves.edges)
    moves = _moves(picture)
    motion = float(picture.motion[moves].mean()) if moves.any() else 0.0
    return VideoFacts(
        duration=picture.duration,
        cuts=picture.cuts,
        motion=motion,
        brightness=float(picture.brightness.mean()),
        colourfulness=float(picture.colourfulness.mean()),
        contrast=float(picture.contrast.mean()),
        sound_lufs=_own_loudness(sound),
        speech_share=min(1.0, sound.speech_share),
        utterances=len(sound.speech_ranges),
        classification=sound.classification,
        scenes=_scenes(picture, curves),
        pace=float(curves.pace @ seconds / seconds.sum()),
        movement=float(movement_of(curves.motion) @ seconds / seconds.sum()),
    )


def pace_of(cuts_per_minute: FloatArray | float) -> FloatArray:
    """How fast a video is cut, on a logarithmic scale from 0 at `SLOW_CUTS` a minute to 1 at `FAST_CUTS`."""
    steps = np.log2(np.maximum(cuts_per_minute, 1e-3) / SLOW_CUTS) / np.log2(FAST_CUTS / SLOW_CUTS)
    return np.asarray(np.clip(steps, 0.0, 1.0))


def movement_of(motion: FloatArray | float) -> FloatArray:
    """How much moves, on a logarithmic scale from 0 where nothing moves to 1 at `FAST_MOTION`."""
    scale = np.log1p(FAST_MOTION / SLIGHT_MOTION)
    return np.asarray(np.clip(np.log1p(np.asarray(motion) / SLIGHT_MOTION) / scale, 0.0, 1.0))


def drive_of(pace: FloatArray | float, movement: FloatArray | float) -> FloatArray:
    """How much goes on: the weighted mean of pace and movement."""
    return np.asarray(_PACE_SHARE * np.asarray(pace) + (1.0 - _PACE_SHARE) * np.asarray(movement))


def _moves(picture: Picture) -> BoolArray:
    """Pictures whose motion means something: at borders it is not measured."""
    moves = np.ones(picture.times.size, dtype=bool)
    moves[0] = False
    for border in picture.borders:
        first, last = np.searchsorted(picture.times, (border.start - _BORDER_SECONDS, border.end + _BORDER_SECONDS))
        moves[first : max(int(last), int(first) + 1)] = False
    return moves


def _own_loudness(sound: Soundtrack) -> float | None:
    """Loudness outside speech, LUFS."""
    if sound.classification in ("none", "silent") or not sound.power.size:
        return None
    speechless = np.ones(sound.power.size, dtype=bool)
    for start, end in sound.speech_ranges:
        speechless[int(start * HOPS_PER_SECOND) : int(np.ceil(end * HOPS_PER_SECOND))] = False
    if not speechless.any():
        return None
    lufs = 10.0 * np.log10(max(float(sound.power[speechless].mean()), 1e-12)) - 0.691
    return lufs if lufs > _SILENT_LUFS else None


@dataclass(frozen=True, slots=True, eq=False)
class _Curves:
    """A video in pieces: what scenes are made of."""

    edges: FloatArray
    """shape (n + 1,), video seconds"""
    pace: FloatArray
    """shape (n,), 0 to 1"""
    motion: FloatArray
    """shape (n,), picture heights a second"""
    light: FloatArray
    """shape (n,)"""
    colour: FloatArray
    """shape (n,)"""


def _curves(picture: Picture) -> _Curves:
    """Pace, motion, light and colour of each piece."""
    edges, moves = _atoms(picture), _moves(picture)
    return _Curves(
        edges,
        _local_pace(picture, edges),
        _means(picture.times[moves], picture.motion[moves], edges),
        _means(picture.times, picture.brightness, edges),
        _means(picture.times, picture.colourfulness, edges),
    )


def _scenes(picture: Picture, curves: _Curves) -> tuple[Scene, ...]:
    """The best partition of a video's shots."""
    edges, light, colour = curves.edges, curves.light, curves.colour
    drive = drive_of(curves.pace, movement_of(curves.motion))
    features = np.column_stack([drive / 0.15, light / 0.15, colour / 0.06])
    borders = edges[_partition(features, np.diff(edges))]
    lengths = np.diff(edges)
    scenes: list[Scene] = []
    for start, end in pairwise(borders):
        inside = (edges[:-1] >= start - 1e-9) & (edges[1:] <= end + 1e-9)
        share = lengths[inside] / lengths[inside].sum()
        cuts = int(np.count_nonzero((picture.cuts >= start - 1e-9) & (picture.cuts < end - 1e-9) & (picture.cuts > 0)))
        scenes.append(
            Scene(
                start=float(start),
                end=float(end),
                cuts_per_minute=60.0 * cuts / float(end - start),
                motion=float(curves.motion[inside] @ share),
                brightness=float(light[inside] @ share),
                colourfulness=float(colour[inside] @ share),
                drive=float(drive[inside] @ share),
            )
        )
    return tuple(scenes)


def _atoms(picture: Picture) -> FloatArray:
    """Borders of the pieces that scenes are made of: every cut, and places within long takes; shape (n + 1,)."""
    piece = max(_TAKE_SECONDS, picture.duration / _MOST_ATOMS)
    edges: list[float] = [0.0]
    for start, end in picture.shots:
        count = max(1, round((end - start) / piece))
        edges += [start + (end - start) * (k + 1) / count for k in range(count)]
    if len(edges) > _MOST_ATOMS + 1:
        keep = np.unique(np.linspace(0, len(edges) - 1, _MOST_ATOMS + 1).round().astype(int))
        return np.asarray(np.array(edges)[keep])
    return np.array(edges)


def _local_pace(picture: Picture, edges: FloatArray) -> FloatArray:
    """Pace around each atom, 0 to 1: cuts under a bell, over the part of the bell inside the video."""
    from scipy.special import ndtr

    middle = 0.5 * (edges[1:] + edges[:-1])
    under = np.exp(-0.5 * ((picture.cuts[None, :] - middle[:, None]) / _BELL_SECONDS) ** 2).sum(axis=1)
    inside = ndtr((picture.duration - middle) / _BELL_SECONDS) - ndtr(-middle / _BELL_SECONDS)
    rate = 60.0 * under / (np.sqrt(2.0 * np.pi) * _BELL_SECONDS * np.maximum(inside, 1e-3))
    return pace_of(rate)


def _means(times: FloatArray, values: FloatArray, edges: FloatArray) -> FloatArray:
    """Mean of a curve over each atom, shape (n_atoms,); the nearest value where an atom has none of its own."""
    if not times.size:
        return np.zeros(edges.size - 1)
    place = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, edges.size - 2)
    count = np.bincount(place, minlength=edges.size - 1)
    total = np.bincount(place, weights=np.asarray(values, dtype=np.float64), minlength=edges.size - 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.interp(middle, times, values)))


def _partition(features: FloatArray, seconds: FloatArray) -> list[int]:
    """Indices of the edges at which scenes begin, and the last edge: least variance within plus a cost a scene.

    Atoms weigh as many seconds as they last. No scene is shorter than `MIN_SCENE_SECONDS` unless the video is.
    """
    atoms = seconds.size
    weight = np.concatenate(([0.0], np.cumsum(seconds)))
    first = np.vstack([np.zeros(features.shape[1]), np.cumsum(features * seconds[:, None], axis=0)])
    second = np.concatenate(([0.0], np.cumsum(np.square(features).sum(axis=1) * seconds)))
    cost = np.full(atoms + 1, np.inf)
    cost[0] = 0.0
    came_from = np.zeros(atoms + 1, dtype=np.int64)
    shortest = min(MIN_SCENE_SECONDS, weight[-1])
    for end in range(1, atoms + 1):
        length = weight[end] - weight[:end]
        allowed = length >= shortest - 1e-9
        if not allowed.any():
            continue
        spread = second[end] - second[:end] - np.square(first[end] - first[:end]).sum(axis=1) / length
        total = np.where(allowed, cost[:end] + spread + _SCENE_COST, np.inf)
        came_from[end] = int(np.argmin(total))
        cost[end] = total[came_from[end]]
    borders = [atoms]
    while borders[-1] > 0:
        borders.append(int(came_from[borders[-1]]))
    return borders[::-1]
