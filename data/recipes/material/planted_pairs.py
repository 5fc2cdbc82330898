"""Videos with events that were put on landmarks of recordings by others, and as many without, to fit and test align on.

A pair is a recording's landmarks, as they are found, and a video of fourteen events of which four to six were put on
landmarks at one offset: at least three on salient ones, the others on bar lines. An editor's hand is a frame or two
(standard deviation) of a video of 24 to 60 frames a second off; `exact` is a quarter of a frame. The other events fall
at random, at regular distances or as the shots of real videos do; `real pictures` are events of a video by others, of
which two in five were moved to landmarks nearby. Saliences do not tell which event was put on a landmark.

Nothing is planted in as many pairs: the same videos without it, static pictures (two events and hardly more), real
videos as they are, and videos cut to no music.

Classes: `Planted`, `Case`. Functions: `plant`, `move`, `static_video`, `cut_video`, `cases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.recipes.material.elsewhere_pairs import labelled_recordings
from data.recipes.material.elsewhere_videos import elsewhere_videos
from workbench.align.landmarks import Landmarks
from workbench.align.placements import event_clock
from workbench.analysis.landmarks import track_landmarks
from workbench.analysis.video import video_events
from workbench.analysis.workspace import Workspace
from workbench.features.marks import marks_of
from workbench.store.home import Home
from workbench.video.events import EVENT_KINDS, Events

EVENTS, PLANTED = 14, (4, 6)
FRAMES = (24.0, 25.0, 30.0, 50.0, 60.0)
JITTER, EXACT_JITTER = (1.0, 2.0), (0.25, 0.25)
"""frames; range of the standard deviation of an editor's hand"""
SALIENT_SHARE = 0.85
MOVED_SHARE, MOST_MOVED, MOST_MOVE_SECONDS = 0.4, 12, 4.0
TRACK_SECONDS = (45.0, 330.0)
PAIRS = 100
SEED = 31
KINDS = ("random", "regular", "shots", "exact", "real pictures")
WITHOUT = ("random", "regular", "shots", "static", "real pictures", "cut to no music")
TOLERANCE = {"cut": 0.04, "flash": 0.04, "hit": 0.04, "title": 0.08, "motion": 0.15}
SHARES = {"cut": 0.6, "hit": 0.15, "flash": 0.1, "title": 0.05, "motion": 0.1}
"""of the kinds of events"""

Random = np.random.Generator
Rows = list[tuple[float, str, float, float]]


@dataclass(frozen=True)
class Planted:
    """A video with a known place for a track; without one where nothing is planted."""

    events: Events
    offset: float | None
    labels: frozenset[str]


@dataclass(frozen=True)
class Case:
    """A recording and a video."""

    kind: str
    source: str
    """package of the recording"""
    landmarks: Landmarks
    events: Events
    offset: float | None
    """where it was planted; None: nothing was"""
    labels: frozenset[str] = frozenset()


def plant(landmarks: Landmarks | None, generator: Random, how: str) -> Planted | None:
    """A video of fourteen events, four to six on landmarks; None where they do not fit; without landmarks, none."""
    rate = float(generator.choice(FRAMES))
    jitter = float(generator.uniform(*(EXACT_JITTER if how == "exact" else JITTER))) / rate
    seconds = float(generator.uniform(45.0, 110.0))
    rows: Rows = []
    labels: set[str] = set()
    offset = None
    if landmarks is not None:
        chosen = _chosen(landmarks, seconds, int(generator.integers(PLANTED[0], PLANTED[1] + 1)), generator)
        if chosen is None:
            return None
        offset, marks = chosen
        for mark in marks:
            at = round((float(landmarks.marks.times[mark]) + offset + generator.normal(0.0, jitter)) * rate) / rate
            rows.append(_row(at, generator))
            labels.add(f"{landmarks.marks.name_of(mark)} on the {rows[-1][1]} at {event_clock(at)}")
    clutter = _clutter(seconds, EVENTS - len(rows), how, generator)
    # drawn again where it would fall within 0.2 s of another event, which ingest would join
    for _ in range(500):
        if len(rows) == EVENTS:
            break
        at = round((clutter.pop() if clutter else float(generator.uniform(0.5, seconds - 0.5))) * rate) / rate
        if all(abs(at - row[0]) > 0.2 for row in rows):
            rows.append(_row(at, generator))
    return Planted(_video(rows, seconds), offset, frozenset(labels))


def _row(at: float, generator: Random) -> tuple[float, str, float, float]:
    kind = str(generator.choice(list(SHARES), p=list(SHARES.values())))
    return at, kind, float(generator.uniform(0.3, 0.9)), TOLERANCE[kind]


def _video(rows: Rows, seconds: float) -> Events:
    return Events(marks_of(EVENT_KINDS, [*rows, (0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25)]), seconds)


def _offset(landmarks: Landmarks, seconds: float, generator: Random) -> tuple[float, list[int], list[int]]:
    """An offset with music under most of the video, and the salient landmarks and bar lines under it, shuffled."""
    marks = landmarks.marks
    # either the track covers the video or it lies inside; a little over the edge is allowed, as editors do
    low, high = sorted((0.0, seconds - landmarks.track_seconds))
    offset = float(generator.uniform(low, high)) + float(generator.normal(0.0, 4.0))
    names = np.array(marks.names)[marks.kinds]
    inside = (marks.times + offset > 1.0) & (marks.times + offset < seconds - 1.0) & (names != "last sound")
    salient, bars = (np.flatnonzero(inside & such) for such in (names != "downbeat", names == "downbeat"))
    return offset, generator.permutation(salient).tolist(), generator.permutation(bars).tolist()


def _chosen(landmarks: Landmarks, seconds: float, k: int, generator: Random) -> tuple[float, list[int]] | None:
    """An offset and k landmarks, three salient ones at least."""
    for _ in range(200):
        offset, salient, bars = _offset(landmarks, seconds, generator)
        wanted = max(3, int(np.count_nonzero(generator.random(k) < SALIENT_SHARE)))
        if len(salient) >= wanted and len(bars) >= k - wanted:
            return offset, salient[:wanted] + bars[: k - wanted]
    return None


def _clutter(seconds: float, n: int, how: str, generator: Random) -> list[float]:
    """Times of events that were not planted."""
    if how == "regular":
        period = float(generator.uniform(1.2, 4.0))
        times = np.arange(float(generator.uniform(0.3, period)), seconds - 0.5, period)
        first = int(generator.integers(0, max(1, times.size - n + 1)))
        return [float(at) for at in times[first : first + n]]
    if how in ("shots", "exact"):
        shots = np.maximum(generator.lognormal(np.log(generator.uniform(1.5, 6.0)), 0.6, 400), 0.4)
        times = np.cumsum(shots)
        times = times[times < seconds - 0.5]
        return [float(at) for at in generator.choice(times, min(n, times.size), replace=False)]
    return [float(at) for at in generator.uniform(0.5, seconds - 0.5, n)]


def move(landmarks: Landmarks, video: Events, generator: Random) -> Planted | None:
    """A real video of which some events were moved to landmarks nearby; None where there are too few of either."""
    marks, seconds = video.marks, video.video_seconds
    rate = float(generator.choice(FRAMES))
    jitter = float(generator.uniform(*JITTER)) / rate
    inner = [i for i in range(len(marks)) if marks.name_of(i) not in ("start", "end")]
    if len(inner) < 8:
        return None
    k = min(max(PLANTED[0], round(MOVED_SHARE * len(inner))), MOST_MOVED)
    for _ in range(100):
        offset, salient, bars = _offset(landmarks, seconds, generator)
        times = marks.times.copy()
        moved: dict[int, int] = {}
        for mark in salient[: max(3, round(SALIENT_SHARE * k))] + bars:
            free = [i for i in inner if i not in moved]
            if len(moved) == k or not free:
                break
            to = float(landmarks.marks.times[mark]) + offset
            event = min(free, key=lambda i: abs(times[i] - to))
            at = round((to + float(generator.normal(0.0, jitter))) * rate) / rate
            alone = np.all(np.abs(np.delete(times, event) - at) > 0.15)
            if abs(times[event] - to) < MOST_MOVE_SECONDS and 0.3 < at < seconds - 0.3 and alone:
                times[event], moved[event] = at, mark
        if len(moved) == k and sum(landmarks.marks.name_of(mark) != "downbeat" for mark in moved.values()) >= 3:
            break
    else:  # a hundred offsets, and none had enough landmarks near its events
        return None
    rows = [
        (float(times[i]), marks.name_of(i), float(marks.salience[i]), float(marks.tolerance[i]))
        for i in range(len(marks))
    ]
    labels = {
        f"{landmarks.marks.name_of(mark)} on the {marks.name_of(event)} at {event_clock(float(times[event]))}"
        for event, mark in moved.items()
    }
    return Planted(Events(marks_of(EVENT_KINDS, rows), seconds), offset, frozenset(labels))


def static_video(generator: Random) -> Events:
    """A picture that stands still, but for two small things at most."""
    seconds = float(generator.uniform(20.0, 150.0))
    rows = [
        (float(generator.uniform(1.0, seconds - 1.0)), "motion", float(generator.uniform(0.2, 0.6)), 0.15)
        for _ in range(int(generator.integers(0, 3)))
    ]
    return _video(rows, seconds)


def cases(music: Path, video_folder: Path, home: Path, role: str, pairs: int = PAIRS, seed: int = SEED) -> list[Case]:
    """The pairs of a role, those with a place first; the same in every run."""
    tracks = []
    for one in labelled_recordings(role):
        # A workspace keeps its recordings in hand: one a recording.
        with Workspace(Home(home)) as workspace:
            found = track_landmarks(workspace, music / one.package / one.path)
        if TRACK_SECONDS[0] < found.track_seconds < TRACK_SECONDS[1] and len(found.marks) > 30:
            tracks.append((one.package, found))
    with Workspace(Home(home)) as workspace:
        videos = [video_events(workspace, video_folder / video.file) for video in elsewhere_videos(role)]
    videos = [video for video in videos if video.video_seconds > 15.0]
    generator = np.random.default_rng(seed)
    made: list[Case] = []
    for kind in KINDS:
        count, tried = 0, 0
        while count < pairs and tried < 20 * pairs:
            tried += 1
            source, track = tracks[int(generator.integers(len(tracks)))]
            video = videos[int(generator.integers(len(videos)))]
            planted = move(track, video, generator) if kind == "real pictures" else plant(track, generator, kind)
            if planted is not None:
                made.append(Case(kind, source, track, planted.events, planted.offset, planted.labels))
                count += 1
    for kind in WITHOUT:
        for _ in range(pairs):
            source, track = tracks[int(generator.integers(len(tracks)))]
            made.append(Case(kind, source, track, _without(kind, videos, generator), None))
    return made


def _without(kind: str, videos: Sequence[Events], generator: Random) -> Events:
    if kind == "static":
        return static_video(generator)
    if kind == "real pictures":
        return videos[int(generator.integers(len(videos)))]
    if kind == "cut to no music":
        return cut_video(generator)
    planted = plant(None, generator, kind)
    assert planted is not None, "a video with nothing planted always fits"
    return planted.events


def cut_video(generator: Random, seconds: float | None = None) -> Events:
    """A video whose shots last as long as real ones do, cut to no music."""
    seconds = seconds or float(generator.uniform(60.0, 180.0))
    median = float(generator.uniform(1.5, 6.0))
    shots = np.maximum(generator.lognormal(np.log(median), 0.6, int(seconds)), 0.4)
    # A video has its cuts on frames.
    cuts = np.round(np.cumsum(shots) * 25.0) / 25.0
    rows = [
        (float(at), "cut", float(generator.uniform(0.4, 0.8)), TOLERANCE["cut"]) for at in cuts if at < seconds - 0.4
    ]
    return Events(marks_of(EVENT_KINDS, [*rows, (0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25)]), seconds)
