"""Whether what `match_map` says of videos and recordings by others is true, where somebody else knows it.

    python -m tests.benchmarks.elsewhere.claims FOLDER --home HOME

FOLDER holds, each where it was fetched, `videos` (`elsewhere_videos`, cuts labelled by eye), `voices`
(`spoken_videos`), `games` (as in `beats`), `songs` and `music` (as in `singers`) and `keys` (as in `keys`, pieces by
which no probability was chosen); what is not there is named and left out. All recordings make one catalog, without a
word about them, and every video is matched with it. One statement of a kind counts of each video and recording. HOME
keeps what was measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import soundfile

from data.recipes.material.fonts import RATE, installed
from data.recipes.material.soundtracks import Ranges
from data.recipes.material.spoken_videos import spoken_videos, write_video
from tests.benchmarks.elsewhere import beats, keys, singers
from tests.benchmarks.elsewhere.cuts import labelled_cuts
from tests.benchmarks.elsewhere.statements import (
    Claim,
    TrackTruth,
    VideoTruth,
    claims_of_lane,
    claims_of_video,
    said_once,
    summary,
)
from tests.benchmarks.table import Table
from workbench.analysis.workspace import Workspace
from workbench.features.key import TONICS
from workbench.matching.lane import Lane
from workbench.media.probe import probe
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_tracks
from workbench.workflows.match import match

MOST_TRACKS = 45
"""recordings with a known tempo, with a known key, without a singer: each of a kind, drawn alike each time"""
STEADY_SHARE = 0.9
"""of a song's beats, that last as long as its median beat, within the tolerance of a tempo"""
T = TypeVar("T")
SEEN = "whether there is a soundtrack"


@dataclass(frozen=True)
class KnownVideo:
    """A video and what others know of it."""

    name: str
    path: Path
    truth: VideoTruth


def labelled_videos(folder: Path) -> Iterator[KnownVideo]:
    """Videos whose cuts somebody looked for."""
    for one in labelled_cuts(folder):
        file, sure = probe(one.path), len(one.cuts)
        truth = VideoTruth(file.duration, (sure, sure + len(one.unsure)), has_sound=file.has_audio)
        yield KnownVideo(f"{one.path.parent.name}/{one.path.name}", one.path, truth)


def heard_videos(folder: Path, out: Path) -> Iterator[KnownVideo]:
    """Videos of which is known when somebody speaks; their picture is black."""
    for one in spoken_videos(folder):
        path = write_video(one.sound, out / f"{one.name.replace(' ', '-').replace(',', '')}.mkv")
        seconds = probe(path).duration
        truth = VideoTruth(seconds, (0.0, 0.0), share_of(one.speech, seconds), has_sound=True)
        yield KnownVideo(one.name, path, truth)


def share_of(speech: Ranges, seconds: float) -> float:
    """Share of a video's time in which somebody speaks."""
    return sum(end - start for start, end in speech) / seconds


def drawn(things: Iterable[T]) -> list[T]:
    """As many as `MOST_TRACKS`, drawn alike each time, in their order."""
    some = list(things)
    return [some[at] for at in sorted(np.random.default_rng(0).permutation(len(some))[:MOST_TRACKS])]


def timed_songs(folder: Path, out: Path) -> Iterator[tuple[Path, TrackTruth]]:
    """Songs with a tempo that somebody wrote down, and that they keep."""
    for song in drawn(beats.songs_in(folder)):
        samples, rate = beats.samples_of(song)
        seconds = samples.shape[1] / rate
        lengths = np.diff(song.beats(seconds))
        if not lengths.size:
            continue
        beat = float(np.median(lengths))
        if np.mean(np.abs(lengths / beat - 1.0) <= beats.TEMPO_TOLERANCE) < STEADY_SHARE:
            continue
        path = out / f"{beats.source_of(song, folder)} {song.name}.flac".replace("/", " ")
        if not path.exists():
            soundfile.write(path, np.clip(samples.T, -1.0, 1.0), rate)
        yield path, TrackTruth(seconds, bpm=60.0 / beat, beats_per_bar=song.beats_per_bar)


def voiced_tracks(folder: Path) -> Iterator[tuple[Path, TrackTruth]]:
    """Recordings with a singer and without one, of the sources that test."""
    for found in (singers.sung_songs(folder / "songs"), singers.instrumental_tracks(folder / "music")):
        for track in drawn(one for one in found if one.source not in singers.FITTED):
            yield track.path, TrackTruth(probe(track.path).duration, sung=track.is_sung)


def keyed_pieces(folder: Path, out: Path) -> Iterator[tuple[Path, TrackTruth]]:
    """Pieces whose keys somebody wrote down, as they are played."""
    fonts = installed(keys.PLAYED_IN)
    for number, piece in enumerate(drawn(keys.drawn_pieces(folder, after=keys.MOST_PIECES))):
        path = out / f"{piece.source} {piece.path.stem}.flac"
        if not path.exists():
            sound = keys.play(piece, fonts[number % len(fonts)], np.random.default_rng(number))
            soundfile.write(path, sound / max(1.0, float(np.abs(sound).max())), RATE)
        key = f"{TONICS[piece.tonic]} {'minor' if piece.mode else 'major'}"
        yield path, TrackTruth(probe(path).duration, key=key)


def known_tracks(folder: Path, out: Path) -> dict[Path, TrackTruth]:
    """What others know of every recording of a folder."""
    known = dict(voiced_tracks(folder))
    for name, made in (("games", timed_songs), ("keys", keyed_pieces)):
        if (folder / name).is_dir():
            known |= dict(made(folder / name, out))
        else:
            print(f"[claims] {name} is not in {folder}; left out", file=sys.stderr)
    return known


def known_videos(folder: Path, out: Path) -> list[KnownVideo]:
    """What others know of every video of a folder."""
    heard = list(heard_videos(folder / "voices", out)) if (folder / "voices").is_dir() else []
    return [*labelled_videos(folder / "videos"), *heard]


def claims_of(lane: Lane, video: KnownVideo, tracks: dict[Path, TrackTruth]) -> set[Claim]:
    """All that a lane says, and can be checked."""
    said = claims_of_lane(lane, video.name, video.truth, tracks)
    said |= set(claims_of_video(lane.reasoning, video.name, video.truth))
    silent = "no soundtrack" in lane.reasoning
    words = "no soundtrack" if silent else "a soundtrack"
    said.add(Claim(SEEN, video.name, words, silent != video.truth.has_sound))
    return said


def measure(videos: Sequence[KnownVideo], tracks: dict[Path, TrackTruth], home: Path) -> Table:
    """Match every video and check what is said."""
    workspace = Workspace(Home(home))
    for added in add_tracks(workspace, [WantedFile(path, None, {"title": "untitled"}) for path in tracks]):
        print(f"[claims] {added.path.name}{f': {added.fault}' if added.fault else ''}", file=sys.stderr, flush=True)
    claims: set[Claim] = set()
    for video in videos:
        print(f"[claims] {video.name}", file=sys.stderr, flush=True)
        claims |= claims_of(match(workspace, video.path), video, tracks)
    return summary(said_once(claims), f"{len(videos)} videos and {len(tracks)} recordings by others")


def main() -> None:
    """Measure the material of a folder; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Check what match says of videos and recordings by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    given = arguments.parse_args()
    made = given.home / "made"
    made.mkdir(parents=True, exist_ok=True)
    print(measure(known_videos(given.folder, made), known_tracks(given.folder, made), given.home).markdown())


if __name__ == "__main__":
    main()
