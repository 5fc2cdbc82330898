"""Placements on recordings by others: a few true coincidences among many, beside a cross-correlation.

    python -m tests.benchmarks.elsewhere.align FOLDER [--role fit|test] [--pairs N]

FOLDER holds `music` and `videos`, as `data.recipes.material` fetches them; what is measured of them is kept in `home`
there. Each pair is a recording's landmarks, as they are found, and a video of fourteen events of which four to six were
put on landmarks at one offset: at least three on salient ones, the others on bar lines. An editor's hand is a frame or
two (standard deviation) of a video of 24 to 60 frames a second off; `exact` is a quarter of a frame. The other events
fall at random, at regular distances or as the shots of real films do; `real pictures` are events of a video by others,
of which two in five were moved to landmarks nearby. Saliences do not tell which event was put on a landmark.

Nothing is planted in as many pairs: the same videos without it, static pictures (two events and hardly more), real
videos as they are, and videos cut to no music.

Asked is whether the offset is found within 0.1 s, first and among the first three; whether the label of the first names
a planted pair; how far the first score tells the pairs with a place from those without (AUC); and the share of pairs
without that reach the score at which a placement is told as a fact.

The simple rule is the cross-correlation of the saliences of events and landmarks, each a triangle as wide as its
tolerance, divided by its root mean square.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import labelled_recordings
from data.recipes.material.elsewhere_videos import elsewhere_videos
from tests.benchmarks.align import (
    SHARES,
    TOLERANCE,
    Planted,
    auc,
    covering_offsets,
    cut_video,
    share_near,
)
from tests.benchmarks.table import Table
from workbench.align.landmarks import Landmarks
from workbench.align.placements import CHANCE_SCORE, event_clock, place
from workbench.features.marks import marks_of
from workbench.home import Home
from workbench.video.events import EVENT_KINDS, Events
from workbench.workflows.align import track_landmarks, video_events
from workbench.workspace import Workspace

EVENTS, PLANTED = 14, (4, 6)
FRAMES = (24.0, 25.0, 30.0, 50.0, 60.0)
JITTER, EXACT_JITTER = (1.0, 2.0), (0.25, 0.25)
"""frames; range of the standard deviation of an editor's hand"""
SALIENT_SHARE = 0.85
MOVED_SHARE, MOST_MOVED, MOST_MOVE_SECONDS = 0.4, 12, 4.0
NEAR_SECONDS = 0.1
TRACK_SECONDS = (45.0, 330.0)
PAIRS = 100
KINDS = ("random", "regular", "shots", "exact", "real pictures")
WITHOUT = ("random", "regular", "shots", "static", "real pictures", "cut to no music")

Random = np.random.Generator
Rows = list[tuple[float, str, float, float]]
Rule = Callable[[Landmarks, Events], list[tuple[float, float, str]]]


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


@dataclass(frozen=True)
class Found:
    """What a rule says of one case."""

    case: Case
    rank: int
    """of the planted offset, 0 the first; large where it is not among those found"""
    score: float
    label_right: bool


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
    else:
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


def cases(folder: Path, role: str, pairs: int = PAIRS) -> list[Case]:
    """The pairs of a role, those with a place first; the same in every run.

    Parameters
    ----------
    folder : with `music` and `videos`; gets `home`
    role : `fit` or `test`
    pairs : of each kind
    """
    tracks = []
    for one in labelled_recordings(role):
        # A workspace keeps its recordings in hand: one a recording.
        with Workspace(Home(folder / "home")) as workspace:
            found = track_landmarks(workspace, folder / "music" / one.package / one.path)
        if TRACK_SECONDS[0] < found.track_seconds < TRACK_SECONDS[1] and len(found.marks) > 30:
            tracks.append((one.package, found))
    with Workspace(Home(folder / "home")) as workspace:
        videos = [video_events(workspace, folder / "videos" / video.file) for video in elsewhere_videos(role)]
    videos = [video for video in videos if video.video_seconds > 15.0]
    generator = np.random.default_rng(31)
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


def ours(landmarks: Landmarks, events: Events) -> list[tuple[float, float, str]]:
    """Offset, score and label of each placement."""
    return [(one.offset_seconds, one.score, one.label) for one in place(landmarks, events)]


def correlation(landmarks: Landmarks, events: Events) -> list[tuple[float, float, str]]:
    """The simple rule: the highest peaks of the cross-correlation, a second apart."""
    step, track, video = 0.01, landmarks.marks, events.marks
    first = -landmarks.track_seconds
    total = np.zeros(int((events.video_seconds - first) / step) + 1)
    for at, strength, tolerance in zip(video.times, video.salience, video.tolerance, strict=True):
        centre = (at - track.times - first) / step
        width = np.hypot(tolerance, track.tolerance) / step
        for reach in range(-int(width.max()), int(width.max()) + 1):
            bins = np.round(centre).astype(np.int64) + reach
            inside = (bins >= 0) & (bins < total.size)
            fall = np.maximum(1.0 - np.abs(bins - centre) / width, 0.0)
            np.add.at(total, bins[inside], (strength * track.salience * fall)[inside])
    least = 0.6 * min(landmarks.last_sound - landmarks.first_sound, events.video_seconds)
    offsets = first + step * np.arange(total.size)
    begins = np.maximum(offsets + landmarks.first_sound, 0.0)
    ends = np.minimum(offsets + landmarks.last_sound, events.video_seconds)
    total[ends - begins < least] = 0.0
    scale = float(np.sqrt(np.mean(np.square(total)))) or 1.0
    found: list[tuple[float, float, str]] = []
    for k in np.argsort(-total, kind="stable")[:4000]:
        if all(abs(offsets[k] - one[0]) >= 1.0 for one in found):
            found.append((float(offsets[k]), float(total[k] / scale), ""))
        if len(found) == 12:
            break
    return found


def judge(rule: Rule, some: Sequence[Case]) -> list[Found]:
    """What a rule says of each case."""
    judged = []
    for case in some:
        found = rule(case.landmarks, case.events)
        truth = [] if case.offset is None else [abs(one[0] - case.offset) <= NEAR_SECONDS for one in found]
        rank = truth.index(True) if True in truth else 99
        judged.append(Found(case, rank, found[0][1] if found else 0.0, bool(found) and found[0][2] in case.labels))
    return judged


def separation(found: Sequence[Found]) -> float:
    """AUC of the first score: pairs with a place against those without."""
    scores = {
        with_place: [one.score for one in found if (one.case.offset is not None) == with_place]
        for with_place in (True, False)
    }
    return auc(scores[True], scores[False])


def lift(some: Sequence[Case], rule: Rule) -> float:
    """How many times more cuts lie near a landmark than by chance, in videos cut to no music."""
    generator = np.random.default_rng(32)
    served, chance = [], []
    for case in (one for one in some if one.kind == "cut to no music"):
        found = rule(case.landmarks, case.events)
        if found:
            offsets = covering_offsets(case.landmarks, case.events, generator)[:150]
            served.append(share_near(case.landmarks, case.events, found[0][0]))
            chance.append(np.nanmean([share_near(case.landmarks, case.events, float(at)) for at in offsets]))
    return float(np.nanmean(served) / np.nanmean(chance))


def tables(some: Sequence[Case]) -> list[Table]:
    """How often the place is found, and what is said where there is none."""
    with_place = Table(
        "Align elsewhere: a few coincidences among many",
        ("planted", "pairs", "first", "first three", "twelve", "label right", "score", "first, the rule"),
    )
    found, ruled = judge(ours, some), judge(correlation, some)
    for kind in (*KINDS, "all"):
        mine = [one for one in found if one.case.offset is not None and kind in (one.case.kind, "all")]
        rule = [one for one in ruled if one.case.offset is not None and kind in (one.case.kind, "all")]
        ranks = np.array([one.rank for one in mine])
        with_place.add(
            kind, len(mine), float(np.mean(ranks == 0)), float(np.mean(ranks < 3)), float(np.mean(ranks < 12)),
            float(np.mean([one.label_right for one in mine])), float(np.median([one.score for one in mine])),
            float(np.mean([one.rank == 0 for one in rule])),
        )  # fmt: skip
    with_place.notes.append(
        f"AUC against pairs with nothing planted {separation(found):.3f}, the rule {separation(ruled):.3f}; cuts near "
        f"landmarks in videos cut to no music, times chance: {lift(some, ours):.2f}, the rule "
        f"{lift(some, correlation):.2f}."
    )
    without = Table(
        "Align elsewhere: nothing planted", ("video", "pairs", "median score", "highest", f"{CHANCE_SCORE:g} or more")
    )
    for kind in WITHOUT:
        scores = np.array([one.score for one in found if one.case.offset is None and one.case.kind == kind])
        reached = float(np.mean(scores >= CHANCE_SCORE))
        without.add(kind, scores.size, float(np.median(scores)), float(scores.max()), reached)
    return [with_place, without]


def first_share(folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Whether the place comes first in each test pair: ours, the simple rule's, and the sources."""
    some = [case for case in cases(folder, "test") if case.offset is not None]
    mine, rule = (np.array([float(one.rank == 0) for one in judge(way, some)]) for way in (ours, correlation))
    return mine, rule, [case.source for case in some]


def main() -> None:
    """Measure; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Placements on recordings by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    arguments.add_argument("--pairs", type=int, default=PAIRS)
    given = arguments.parse_args()
    for table in tables(cases(given.folder, given.role, given.pairs)):
        print(table.markdown())


if __name__ == "__main__":
    main()
