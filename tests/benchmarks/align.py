"""Placements on bundled tracks where the truth is planted, and where there is nothing to find.

    python -m tests.benchmarks.run align

Of a video's n events, k were put on landmarks of one kind of a bundled track at one offset, up to 15 ms off (standard
deviation 8 ms); the other n - k are clutter. Is the first placement within 20 ms of that offset? Videos with nothing
planted show what chance reaches.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.planted_pairs import SHARES, TOLERANCE
from tests.benchmarks.table import Table, auc, cpu
from tests.benchmarks.tracks import bundled
from workbench.align.landmarks import Landmarks
from workbench.align.placements import Placement, place
from workbench.analysis.landmarks import track_landmarks
from workbench.analysis.video import video_events
from workbench.analysis.workspace import Workspace
from workbench.features.marks import marks_of
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.video.events import EVENT_KINDS, Events
from workbench.workflows.demo import FILM

JITTER, MOST_JITTER = 0.008, 0.015
"""s; standard deviation and bound of a planted event's distance from its landmark"""
PLANTS = ((4, 4), (4, 8), (5, 8), (5, 12), (6, 12), (6, 20), (7, 20), (7, 30))
"""(k, n): planted of all"""
PAIRS = 200
"""of each kind"""
NEAR_SECONDS = 0.02

Random = np.random.Generator


def video_of(times: Sequence[float], n: int, seconds: float, generator: Random) -> Events:
    """A video of n events, some of them at given times, the others at random ones."""
    rows: list[tuple[float, str, float, float]] = []
    for given in times:
        kind = _a_kind(generator)
        at = given + float(np.clip(generator.normal(0.0, JITTER), -MOST_JITTER, MOST_JITTER))
        rows.append((at, kind, float(generator.uniform(0.4, 0.9)), TOLERANCE[kind]))
    while len(rows) < n:
        at = float(generator.uniform(0.5, seconds - 0.5))
        if all(abs(at - row[0]) > 0.2 for row in rows):
            kind = _a_kind(generator)
            rows.append((at, kind, float(generator.uniform(0.3, 0.9)), TOLERANCE[kind]))
    rows += [(0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25)]
    return Events(marks_of(EVENT_KINDS, rows), seconds)


def _seconds(n: int, generator: Random) -> float:
    return float(generator.uniform(max(40.0, 2.0 * n), max(150.0, 5.0 * n)))


def _a_kind(generator: Random) -> str:
    return str(generator.choice(list(SHARES), p=list(SHARES.values())))


def an_offset(
    landmarks: Landmarks, k: int, seconds: float, generator: Random
) -> tuple[float, NDArray[np.float64]] | None:
    """An offset that leaves music under most of the video, and where k landmarks come to lie; None if there is none."""
    marks, length = landmarks.marks, landmarks.track_seconds
    usable = ~np.isin(np.array(marks.names)[marks.kinds], ("downbeat", "last sound"))
    for _ in range(100):
        low, high = sorted((0.0, seconds - length))
        offset = float(generator.uniform(low, high)) + float(generator.normal(0.0, 4.0))
        inside = np.flatnonzero((marks.times + offset > 1.0) & (marks.times + offset < seconds - 1.0) & usable)
        if inside.size >= k:
            return offset, marks.times[generator.choice(inside, k, replace=False)] + offset
    return None


def first_score(placements: Sequence[Placement]) -> float:
    """Score of the first placement, 0 where there is none."""
    return placements[0].score if placements else 0.0


def planted_table(tracks: Sequence[Landmarks]) -> Table:
    """How often the planted place comes first, and whether its score tells that there is one."""
    table = Table("Align: planted truth", ("planted", "of", "pairs", "first within 20 ms", "AUC"))
    generator = np.random.default_rng(20)
    hits, scores, without = list[bool](), list[float](), list[float]()
    for k, n in PLANTS:
        some_hits, some_scores, some_without = judged_pairs(tracks, k, n, generator)
        table.add(k, n, len(some_hits), float(np.mean(some_hits)), auc(some_scores, some_without))
        hits, scores, without = hits + some_hits, scores + some_scores, without + some_without
    table.add("all", "", len(hits), float(np.mean(hits)), auc(scores, without))
    return table


def judged_pairs(
    tracks: Sequence[Landmarks], k: int, n: int, generator: Random
) -> tuple[list[bool], list[float], list[float]]:
    """Of pairs: whether the first placement is the planted one, its score, and that of a video with nothing planted."""
    hits, scores, without = list[bool](), list[float](), list[float]()
    while len(hits) < PAIRS:
        track = tracks[int(generator.integers(len(tracks)))]
        seconds = _seconds(n, generator)
        found = an_offset(track, k, seconds, generator)
        video = None if found is None else video_of(found[1].tolist(), n, seconds, generator)
        bare = video_of((), n, _seconds(n, generator), generator)
        if found is None or video is None:
            continue
        placements = place(track, video)
        hits.append(bool(placements) and abs(placements[0].offset_seconds - found[0]) <= NEAR_SECONDS)
        scores.append(first_score(placements))
        without.append(first_score(place(track, bare)))
    return hits, scores, without


def cost_table(tracks: Sequence[Landmarks], video: Events) -> Table:
    """CPU time from warm analyses, one core."""
    table = Table("Align: cost from warm analyses", ("what", "CPU seconds", "bound"))
    table.add("one pair", cpu(lambda: place(tracks[0], video), 5), 0.05)
    fifty = [tracks[k % len(tracks)] for k in range(50)]
    table.add("50 tracks against one video", cpu(lambda: [place(track, video) for track in fifty]), 0.5)
    table.notes.append(f"The video has {len(video.marks)} events, the first track {len(tracks[0].marks)} landmarks.")
    return table


def run() -> list[Table]:
    """Everything, on the bundled tracks."""
    with tempfile.TemporaryDirectory() as folder, Workspace(Home(Path(folder))) as workspace:
        tracks = [track_landmarks(workspace, track.path) for track in bundled() if track.is_song]
        demo = video_events(workspace, bundled_path(*FILM))
    return [planted_table(tracks), cost_table(tracks, demo)]
