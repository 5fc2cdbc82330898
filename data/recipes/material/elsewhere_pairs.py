"""Videos and recordings by others, as the workbench sees them, with a grade for every pair.

Two people gave each video and each recording an energy and a valence from 1 to 5: of a video from its stills, of a
recording from its title, its part in the game that it was made for and a picture of its spectrum
(`elsewhere_videos.csv`, `recording_labels.csv`). Nobody listened, and nobody judged pairs: a grade compares the labels,
so it says whether music and picture are alike in energy and mood, as the literature on music for pictures asks, and
nothing of taste.

A catalog's words about a track can take part too: the moods that the first person wrote, as a library would. Then
grades come from the labels of the second alone, so that no word is graded by its author.

Classes: `Pairs`. Functions: `fetch_pairs`, `pairs_of` measures and grades, `grade_pairs`.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material import recordings
from data.recipes.material.elsewhere_videos import ElsewhereVideo, elsewhere_videos, fetch
from data.recipes.material.recordings import sources
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts, video_facts
from workbench.params import WorkbenchParams
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_tracks, open_catalog

HERE = Path(__file__).parent
TOLERANCE = (1.0, 1.25)
"""in steps of energy and valence: people agree less on valence"""
GRADES = (0.75, 1.25, 2.0)
"""tolerances apart up to which a pair has the grade 3, 2 and 1"""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class LabelledRecording:
    """A recording by others, and what two people said of it."""

    package: str
    path: str
    """inside the package's folder"""
    sha256: str
    energy: tuple[float, float]
    valence: tuple[float, float]
    moods: tuple[str, ...]
    """in the words of the first"""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Videos, recordings, and a grade from 0 to 3 for every pair."""

    videos: tuple[ElsewhereVideo, ...]
    recordings: tuple[LabelledRecording, ...]
    facts: tuple[VideoFacts, ...]
    columns: Columns
    """in the order of the recordings"""
    grades: NDArray[np.int64]
    """shape (n_videos, n_recordings)"""


def fetch_pairs(folder: Path, role: str) -> tuple[Path, Path]:
    """Fetch the videos and the packages of a role, and return the folder of the videos and that of the packages."""
    videos, music = folder / "videos", folder / "recordings"
    for path in (videos, music):
        path.mkdir(parents=True, exist_ok=True)
    for source in sources(role):
        recordings.fetch(music, source)
    for video in elsewhere_videos(role):
        fault = fetch(videos, video)
        if fault is not None:
            raise SystemExit(f"{video.source} {video.path}: {fault}")
    return videos, music


def labelled_recordings(role: str) -> list[LabelledRecording]:
    """The labelled recordings of a role, in the order of the list."""
    packages = {source.package for source in sources(role)}
    with (HERE / "recording_labels.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["package"] in packages]
    return [
        LabelledRecording(
            package=row["package"],
            path=row["path"],
            sha256=row["sha256"],
            energy=(float(row["energy_a"]), float(row["energy_b"])),
            valence=(float(row["valence_a"]), float(row["valence_b"])),
            moods=tuple(word.strip() for word in row["mood_a"].split(",")),
        )
        for row in rows
    ]


def grade_pairs(energy: tuple[Numbers, Numbers], valence: tuple[Numbers, Numbers]) -> NDArray[np.int64]:
    """Grades, 0 to 3, of shape (n_videos, n_recordings), from labels of both, 1 to 5: first videos, then recordings."""
    (video_energy, music_energy), (video_valence, music_valence) = energy, valence
    away = np.hypot(
        (video_energy[:, None] - music_energy) / TOLERANCE[0], (video_valence[:, None] - music_valence) / TOLERANCE[1]
    )
    return np.asarray(sum((away <= limit).astype(np.int64) for limit in GRADES))


def pairs_of(
    role: str, videos: Path, music: Path, home: Path, *, words: bool = False, params: WorkbenchParams | None = None
) -> Pairs:
    """Measure the videos and the recordings of a role, and grade the pairs.

    With `words` the catalog has the moods that the first person wrote, and the grades are the second person's. A file
    that is missing raises `FileNotFoundError`, one that is not the labelled one `ValueError`.
    """
    shown, heard = elsewhere_videos(role), labelled_recordings(role)
    files = [music / one.package / one.path for one in heard]
    for path, digest in [
        *((videos / video.file, video.sha256) for video in shown),
        *zip(files, (one.sha256 for one in heard), strict=True),
    ]:
        if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise ValueError(f"{path} is not the file that was labelled")
    workspace = Workspace(Home(home), params)
    facts = tuple(video_facts(analyze_video(workspace, videos / video.file)) for video in shown)
    columns = _columns(workspace, files, heard, words=words)
    people = slice(1, 2) if words else slice(0, 2)

    def labels(of: list[ElsewhereVideo] | list[LabelledRecording], name: str) -> Numbers:
        return np.array([np.mean(getattr(one, name)[people]) for one in of])

    grades = grade_pairs(
        (labels(shown, "energy"), labels(heard, "energy")), (labels(shown, "valence"), labels(heard, "valence"))
    )
    return Pairs(tuple(shown), tuple(heard), facts, columns, grades)


def _columns(workspace: Workspace, files: list[Path], heard: list[LabelledRecording], *, words: bool) -> Columns:
    """The recordings in a catalog, with the first person's moods or without any word."""
    wanted = [
        WantedFile(
            path,
            f"{'worded' if words else 'plain'}-{one.sha256[:16]}",
            {"title": "untitled"} | ({"moods": list(one.moods)} if words else {}),
        )
        for path, one in zip(files, heard, strict=True)
    ]
    for added in add_tracks(workspace, wanted):
        if added.fault is not None:
            raise ValueError(f"{added.path}: {added.fault}")
    columns = open_catalog(workspace).columns
    row_of = {str(name): row for row, name in enumerate(columns.track_ids)}
    return columns.take(np.array([row_of[str(one.track_id)] for one in wanted]))
