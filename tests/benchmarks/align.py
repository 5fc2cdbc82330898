"""Placements where the truth is planted, where there is nothing to find, and on real tracks and videos.

Planted: a bundled track, its landmarks as they are found, and a video of n events of which k were put on landmarks of
that track at one offset, up to 15 ms off (standard deviation 8 ms); the other n - k are clutter at random times. What
is asked: is the first placement within 20 ms of that offset, and does its label name a planted pair? Planted are drops,
breaks, stabs, section borders and endings; a video cut to bar lines alone fits as well a bar later, so these have a row
of their own in which any whole number of bars is right. Videos without anything planted, of the same lengths and
numbers, show what chance reaches; the area under the ROC curve tells both apart by the score of the first placement.

Real: every bundled track under the demo video as ingest sees it, and under videos whose shots last as long as real ones
do (log-normal, median 1.5 to 6 s) and which were cut to no music at all. Counted is the share of the cuts under music
that lie within 40 ms of a landmark, at the served offset and, for comparison, over random offsets that the coverage
rule would allow; the interval is a bootstrap over pairs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.planted_pairs import SHARES, TOLERANCE, Planted, cut_video
from tests.benchmarks.area import auc
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.align.landmarks import Landmarks
from workbench.align.placements import Placement, event_clock, place
from workbench.bundled import bundled_path
from workbench.demo.film import FILM
from workbench.features.marks import marks_of
from workbench.home import Home
from workbench.params import AlignParams
from workbench.video.events import EVENT_KINDS, Events
from workbench.workflows.align import track_landmarks, video_events
from workbench.workspace import Workspace

JITTER, MOST_JITTER = 0.008, 0.015
"""s; standard deviation and bound of a planted event's distance from its landmark"""
PLANTS = ((4, 4), (4, 8), (5, 8), (5, 12), (6, 12), (6, 20), (7, 20), (7, 30))
"""(k, n): planted of all"""
BAR_PLANTS = ((8, 8), (12, 20), (20, 40))
"""the same on bar lines alone"""
PAIRS = 200
"""of each kind"""
CUT_VIDEOS = 8
RANDOM_OFFSETS = 400
NEAR = 0.04

Random = np.random.Generator


def plant(landmarks: Landmarks | None, k: int, n: int, generator: Random, *, bars: bool = False) -> Planted | None:
    """A video of n events, k of them on landmarks of a track at one offset, jittered; None where they do not fit."""
    seconds = float(generator.uniform(max(40.0, 2.0 * n), max(150.0, 5.0 * n)))
    rows: list[tuple[float, str, float, float]] = []
    labels: set[str] = set()
    offset = None
    if landmarks is not None:
        found = _an_offset(landmarks, k, seconds, generator, bars)
        if found is None:
            return None
        offset, chosen = found
        for mark in chosen:
            kind = _a_kind(generator)
            jitter = float(np.clip(generator.normal(0.0, JITTER), -MOST_JITTER, MOST_JITTER))
            at = float(landmarks.marks.times[mark]) + offset + jitter
            rows.append((at, kind, float(generator.uniform(0.4, 0.9)), TOLERANCE[kind]))
            labels.add(f"{landmarks.marks.name_of(mark)} on the {kind} at {event_clock(at)}")
    while len(rows) < n:
        at = float(generator.uniform(0.5, seconds - 0.5))
        if all(abs(at - row[0]) > 0.2 for row in rows):
            kind = _a_kind(generator)
            rows.append((at, kind, float(generator.uniform(0.3, 0.9)), TOLERANCE[kind]))
    rows += [(0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25)]
    return Planted(Events(marks_of(EVENT_KINDS, rows), seconds), offset, frozenset(labels))


def _a_kind(generator: Random) -> str:
    return str(generator.choice(list(SHARES), p=list(SHARES.values())))


def _an_offset(
    landmarks: Landmarks, k: int, seconds: float, generator: Random, bars: bool
) -> tuple[float, NDArray[np.int64]] | None:
    """An offset that leaves music under most of the video, and k landmarks under it."""
    marks, length = landmarks.marks, landmarks.track_seconds
    names = np.array(marks.names)[marks.kinds]
    usable = names == "downbeat" if bars else ~np.isin(names, ("downbeat", "last sound"))
    for _ in range(100):
        low, high = sorted((0.0, seconds - length))
        offset = float(generator.uniform(low, high)) + float(generator.normal(0.0, 4.0))
        inside = np.flatnonzero((marks.times + offset > 1.0) & (marks.times + offset < seconds - 1.0) & usable)
        if inside.size >= k:
            return offset, generator.choice(inside, k, replace=False)
    return None


def first_score(placements: Sequence[Placement]) -> float:
    """Score of the first placement, 0 where there is none."""
    return placements[0].score if placements else 0.0


def planted_table(tracks: Sequence[Landmarks]) -> Table:
    """Top-1, label and separation by how many of how many events are planted."""
    table = Table(
        "Align: planted truth",
        ("planted", "of", "pairs", "first within 20 ms", "label right", "score", "without", "0.3 without", "AUC"),
    )
    generator = np.random.default_rng(20)
    total = _Tally()
    for k, n in PLANTS:
        tally = _tally(tracks, k, n, generator)
        total.join(tally)
        table.add(k, n, *tally.cells())
    table.add("all", "", *total.cells())
    for k, n in BAR_PLANTS:
        table.add(f"{k} bar lines", n, *_tally(tracks, k, n, generator, bars=True).cells())
    table.notes.append(
        "`score`: median of the first placement's; `without`: that of videos of as many events with nothing planted; "
        "`0.3 without`: share of those that reach 0.3."
    )
    return table


@dataclass
class _Tally:
    """What was found in some pairs."""

    hits: list[bool] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    nulls: list[float] = field(default_factory=list)

    def join(self, other: _Tally) -> None:
        self.hits += other.hits
        self.labels += other.labels
        self.scores += other.scores
        self.nulls += other.nulls

    def cells(self) -> tuple[object, ...]:
        reached = float(np.mean(np.array(self.nulls) >= 0.3))
        return (
            len(self.hits), float(np.mean(self.hits)), float(np.mean(self.labels)), float(np.median(self.scores)),
            float(np.median(self.nulls)), reached, auc(self.scores, self.nulls),
        )  # fmt: skip


def _tally(tracks: Sequence[Landmarks], k: int, n: int, generator: Random, *, bars: bool = False) -> _Tally:
    tally = _Tally()
    while len(tally.hits) < PAIRS:
        track = tracks[int(generator.integers(len(tracks)))]
        video = plant(track, k, n, generator, bars=bars)
        bare = plant(None, 0, n, generator)
        if video is None or video.offset is None or bare is None:
            continue
        found = place(track, video.events)
        off = found[0].offset_seconds - video.offset if found else float("inf")
        if bars and found:
            bar = float(np.median(np.diff(track.marks.of("downbeat"))))
            off -= bar * round(off / bar)
        tally.hits.append(abs(off) <= 0.02)
        tally.labels.append(bool(found) and (bars or found[0].label in video.labels))
        tally.scores.append(first_score(found))
        tally.nulls.append(first_score(place(track, bare.events)))
    return tally


def share_near(landmarks: Landmarks, events: Events, offset: float) -> float:
    """Share of the cuts under music that have a landmark within 40 ms; NaN where no cut has music."""
    cuts = events.marks.of("cut") - offset
    cuts = cuts[(cuts >= landmarks.first_sound) & (cuts <= landmarks.last_sound)]
    if not cuts.size:
        return float("nan")
    times = landmarks.marks.times
    right = np.clip(np.searchsorted(times, cuts), 1, times.size - 1)
    gap = np.minimum(np.abs(cuts - times[right - 1]), np.abs(cuts - times[right]))
    return float(np.mean(gap <= NEAR + 1e-9))


def covering_offsets(landmarks: Landmarks, events: Events, generator: Random) -> NDArray[np.float64]:
    """Random offsets with music under as much of the video's time as the coverage rule asks for."""
    least = AlignParams().min_cover * min(landmarks.last_sound - landmarks.first_sound, events.video_seconds)
    tried = generator.uniform(-landmarks.track_seconds, events.video_seconds, 40 * RANDOM_OFFSETS)
    begin = np.maximum(tried + landmarks.first_sound, 0.0)
    end = np.minimum(tried + landmarks.last_sound, events.video_seconds)
    return tried[end - begin >= least][:RANDOM_OFFSETS]


def real_table(tracks: Sequence[Landmarks], videos: Mapping[str, Sequence[Events]]) -> Table:
    """Cuts near landmarks at the served offset against random ones."""
    table = Table(
        "Align: cuts within 40 ms of a landmark",
        ("videos", "pairs", "served", "random offsets", "gain", "95 % interval", "best random", "median score"),
    )
    generator = np.random.default_rng(21)
    for name, some in videos.items():
        served, chance, best, scores = [], [], [], []
        for events in some:
            for track in tracks:
                found = place(track, events)
                if not found:
                    continue
                offsets = covering_offsets(track, events, generator)
                shares = np.array([share_near(track, events, float(offset)) for offset in offsets])
                served.append(share_near(track, events, found[0].offset_seconds))
                chance.append(float(np.nanmean(shares)))
                best.append(float(np.nanmax(shares)))
                scores.append(found[0].score)
        gain = np.array(served) - np.array(chance)
        draws = generator.integers(gain.size, size=(2000, gain.size))
        low, high = np.quantile(gain[draws].mean(axis=1), [0.025, 0.975])
        table.add(
            name, gain.size, float(np.mean(served)), float(np.mean(chance)), float(gain.mean()),
            f"{low:.3f} to {high:.3f}", float(np.mean(best)), float(np.median(scores)),
        )  # fmt: skip
    table.notes.append(
        f"`random offsets`: mean over {RANDOM_OFFSETS} with the same coverage; `best random`: the best of them, which "
        "knows nothing of salience. Landmarks are all kinds, bar lines too."
    )
    return table


def timed(call: Callable[[], object], repeats: int) -> float:
    """CPU seconds of a call, the best of some."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def cost_table(tracks: Sequence[Landmarks], video: Events) -> Table:
    """CPU time from warm analyses, one core."""
    table = Table("Align: cost from warm analyses", ("what", "CPU seconds", "bound"))
    table.add("one pair", timed(lambda: place(tracks[0], video), 5), 0.05)
    fifty = [tracks[k % len(tracks)] for k in range(50)]
    table.add("50 tracks against one video", timed(lambda: [place(track, video) for track in fifty], 3), 0.5)
    planted = plant(None, 0, 1500, np.random.default_rng(1))
    assert planted is not None, "a video with nothing planted always fits"
    long_video = planted.events
    table.add(
        f"one pair, video of {long_video.video_seconds / 60:.0f} min",
        timed(lambda: place(tracks[0], long_video), 3),
        None,
    )
    table.notes.append(f"The video has {len(video.marks)} events, the first track {len(tracks[0].marks)} landmarks.")
    return table


def run() -> list[Table]:
    """Everything, on the bundled tracks."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        tracks = [track_landmarks(Workspace(home), track.path) for track in bundled() if track.is_song]
        demo = video_events(Workspace(home), bundled_path(*FILM))
    generator = np.random.default_rng(22)
    videos = {"demo video": [demo], "cut to no music": [cut_video(generator) for _ in range(CUT_VIDEOS)]}
    return [planted_table(tracks), real_table(tracks, videos), cost_table(tracks, demo)]
