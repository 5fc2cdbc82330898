"""A page of films by others with the ten tracks that match puts forward: stills, players and reasons, to be judged.

    python -m tests.benchmarks.elsewhere.match_page VIDEOS MUSIC OUT.html --home HOME

As in `tests.benchmarks.elsewhere.match`, of the test sources; HOME has the recordings as its only catalog, so it is a
folder of its own. Labels and grades are not on the page. Films are of as many sources and kinds as there are, drawn by
their hashes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from data.recipes.material.elsewhere_pairs import labelled_recordings
from data.recipes.material.elsewhere_videos import ElsewhereVideo, elsewhere_videos
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.export.page import ReportCard, ReportPage, ReportSection, ReportSound
from workbench.matching.lane import Match, MatchReason
from workbench.media.probe import probe
from workbench.media.video import still
from workbench.recording import Recording
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_tracks
from workbench.workflows.match import match
from workbench.workflows.preview import memorable_stretch
from workbench.workflows.report import mp3, write_page

EXCERPT_SECONDS = 12.0
FILMS = 12
STILLS, STILL_WIDTH = 5, 240
"""pictures of a film, evenly spaced, and how many pixels wide each is"""


def chosen(videos: Sequence[ElsewhereVideo], count: int) -> list[ElsewhereVideo]:
    """Videos of as many sources and kinds as there are, in the order of their hashes.

    A source comes again only when each has come once, and so does a kind within that.
    """
    left, taken = sorted(videos, key=lambda video: video.sha256), list[ElsewhereVideo]()
    while left and len(taken) < count:
        sources, kinds = [one.source for one in taken], [one.kind for one in taken]
        best = min(left, key=lambda video: (sources.count(video.source), kinds.count(video.kind)))
        left.remove(best)
        taken.append(best)
    return taken


def strip_of(video: Path) -> bytes:
    """Stills of a video side by side, as a PNG."""
    from PIL import Image

    seconds = probe(video).duration
    pictures = [still(video, seconds * (k + 0.5) / STILLS, STILL_WIDTH).pixels for k in range(STILLS)]
    packed = BytesIO()
    Image.fromarray(np.concatenate(pictures, axis=1)).save(packed, format="PNG")
    return packed.getvalue()


def excerpt_of(workspace: Workspace, track: Path) -> bytes:
    """The part of a track that one remembers, as an MP3."""
    begin, end = memorable_stretch(analyze(workspace, track).profile, EXCERPT_SECONDS)
    whole = workspace.load_recording(track)
    first, stop = round(begin * whole.sample_rate), round(end * whole.sample_rate)
    return mp3(Recording.from_samples(whole.samples[:, first:stop], whole.sample_rate))


def section_of(workspace: Workspace, name: str, video: Path, sounds: dict[Path, bytes]) -> ReportSection:
    """One video: its stills, what match read in it, and its tracks; excerpts that `sounds` lacks are added to it."""
    lane = match(workspace, video)
    for one in lane.matches:
        if one.track.path not in sounds:
            sounds[one.track.path] = excerpt_of(workspace, one.track.path)
    cards = tuple(
        ReportCard(
            f"{place}. {one.track.path.stem}: {one.score:.2f}",
            _why(one),
            None,
            (ReportSound(f"{EXCERPT_SECONDS:.0f} s of it", sounds[one.track.path]),),
            None,
        )
        for place, one in enumerate(lane.matches, 1)
    )
    seconds = f"{probe(video).duration:.0f} s, stills at even distances"
    return ReportSection(name, (lane.title, lane.reasoning), strip_of(video), seconds, cards=cards)


def _why(one: Match) -> str:
    words = f" Catalog: {', '.join(one.track.moods)}." if one.track.moods else ""
    return f"{one.fit_explanation}{words} {'; '.join(map(_line, one.reasons))}."


def _line(reason: MatchReason) -> str:
    return f"{reason.category or 'term'} {reason.score:.2f}: {reason.video} / {reason.audio}"


def write_match_page(workspace: Workspace, films: Sequence[tuple[str, Path]], out: Path) -> Path:
    """Rank the catalog against each video and write what came; the file appears whole or not at all."""
    sounds: dict[Path, bytes] = {}
    sections = tuple(section_of(workspace, name, video, sounds) for name, video in films)
    lead = (
        f"{len(films)} films, for each the ten tracks that match puts forward, best first. Would you have chosen so? "
        "Say of every track whether you would take it, might, or would not, and of every film what is missing.",
    )
    return write_page(ReportPage("Films and their tracks", lead, None, sections), out)


def main() -> None:
    """Measure and write; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Write a page of films by others with their tracks.")
    arguments.add_argument("videos", type=Path)
    arguments.add_argument("music", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    given = arguments.parse_args()
    workspace = Workspace(Home(given.home))
    wanted = [
        WantedFile(given.music / one.package / one.path, f"track-{one.sha256[:16]}", {"title": "untitled"})
        for one in labelled_recordings("test")
    ]
    for added in add_tracks(workspace, wanted):
        if added.fault is not None:
            raise SystemExit(f"{added.path}: {added.fault}")
    films = [
        (f"{video.kind}, {video.source}, {Path(video.path).name}", given.videos / video.file)
        for video in chosen(elsewhere_videos("test"), FILMS)
    ]
    print(write_match_page(workspace, films, given.out))


if __name__ == "__main__":
    main()
