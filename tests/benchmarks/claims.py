"""Whether what `match_map` says of videos and tracks is true, line by line, where the truth is known.

Videos are the drawn ones of `data/recipes/material/match_drawn_videos.py`, encoded and watched; the bundled tracks are
added as files, without a word of their manifest. Numbers are read out of the lines as a reader would, and compared with
how the video was drawn and how the track was written. Energy, cheerfulness and pulse are opinions of ours without a
truth, so they are left out, as are motion and light.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.recipes.material.match_drawn_videos import RECIPES, DrawnTruth, draw, truth_of
from tests.benchmarks.table import Table
from workbench.bundled import bundled_path
from workbench.catalog.lane import Lane
from workbench.home import Home
from workbench.media.probe import probe
from workbench.workflows.library import WantedFile, add_tracks
from workbench.workflows.match import match
from workbench.workspace import Workspace

GOAL = 0.95
CUTS_SHARE, CUTS_LEAST = 0.1, 1.0
"""how far the cuts per minute may lie off: the larger of this share of the true rate and this number"""
SPEECH_POINTS = 5.0
"""how far the percentage of speech may lie off"""
TEMPO_SHARE = 0.04
"""how far a tempo may lie off, as mir_eval counts it"""
LOOSELY = "tempo, or half or double of it"
_LEVELS = (0.5, 1.0, 2.0)
"""at which a listener may count the same beat"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a line, and whether it is true."""

    kind: str
    subject: str
    """the video or the track that it is about"""
    said: str
    true: str
    holds: bool


Manifest = Mapping[Path, Mapping[str, Any]]
"""what was written of each bundled track, by its file"""
Reader = Callable[["re.Match[str]"], tuple[str, bool]]
"""the true value, and whether what the line says agrees with it"""


def claims_of_video(text: str, name: str, seconds: float, truth: DrawnTruth) -> Iterator[Claim]:
    """What a line says of a video.

    Parameters
    ----------
    text : the line's half about the video
    name, seconds, truth : of the video
    """
    rate, speech = truth.cuts_per_minute, 100.0 * truth.speech_share

    def cuts(found: re.Match[str]) -> tuple[str, bool]:
        said = 0.0 if found[1] is None else float(found[1])
        return f"{rate:.1f}", abs(said - rate) <= max(CUTS_LEAST, CUTS_SHARE * rate)

    def spoken(found: re.Match[str]) -> tuple[str, bool]:
        return f"{speech:.0f} %", abs(float(found[1]) - speech) <= SPEECH_POINTS

    yield from _read(text, name, {
        "cuts per minute": (r"([\d.]+) cuts per minute|no cuts", cuts),
        "share of speech": (r"^speech (\d+) %", spoken),
        "length of the video": (r"^(\d+):(\d\d) long", _length(seconds)),
    })  # fmt: skip


def claims_of_track(text: str, name: str, seconds: float, fields: Mapping[str, Any]) -> Iterator[Claim]:
    """What a line says of a track.

    Parameters
    ----------
    text : the line's half about the track
    name, seconds : of the track
    fields : of the bundled manifest
    """
    bpm, sung, loops = fields.get("bpm"), not fields["instrumental"], fields["kind"] == "song"
    key = f"{fields.get('musical_key_name')} {fields.get('musical_key_mode')}"

    def tempo(levels: tuple[float, ...]) -> Reader:
        def read(found: re.Match[str]) -> tuple[str, bool]:
            true = () if bpm is None else (level * bpm for level in levels)
            said = [float(one) for one in found.groups()]
            return f"{bpm}", any(abs(one - level) <= TEMPO_SHARE * level for level in true for one in said)

        return read

    def voice(found: re.Match[str]) -> tuple[str, bool]:
        return "sung" if sung else "nobody sings", (float(found[1]) >= 50.0) == sung

    yield from _read(text, name, {
        "tempo": (r"(?<![\d.])(?<! or )([\d.]+) bpm", tempo((1.0,))),
        LOOSELY: (r"(?<![\d.])(?<! or )([\d.]+) bpm", tempo(_LEVELS)),
        "tempo, one of two": (r"([\d.]+) or ([\d.]+) bpm", tempo((1.0,))),
        "a voice": (r"a voice with a probability of (\d+) %", voice),
        "key": (r"([A-G][b#]?) (major|minor)", lambda found: (key, f"{found[1]} {found[2]}" == key)),
        "length of the track": (r"^(\d+):(\d\d) long", _length(seconds)),
        "whether it loops": (r"long, (?:its best seam scores|(does not loop))",
                             lambda found: ("loops" if loops else "does not", (found[1] is None) == loops)),
    })  # fmt: skip


def _length(seconds: float) -> Reader:
    return lambda found: (f"{seconds:.1f} s", abs(60 * int(found[1]) + int(found[2]) - seconds) <= 1.0)


def _read(text: str, subject: str, readers: dict[str, tuple[str, Reader]]) -> Iterator[Claim]:
    for kind, (pattern, reader) in readers.items():
        if found := re.search(pattern, text):
            true, holds = reader(found)
            yield Claim(kind, subject, found[0], true, holds)


def claims_of_lane(lane: Lane, name: str, seconds: float, truth: DrawnTruth, manifest: Manifest) -> set[Claim]:
    """All that the lines of all compared tracks say; what is said twice counts once.

    Parameters
    ----------
    lane : of the video
    name, seconds, truth : of the video
    manifest : of the bundled catalog
    """
    found: set[Claim] = set()
    for ranked in lane.candidate_pool:
        track = ranked.track.path
        length = probe(track).duration
        for line in ranked.reasons:
            found |= set(claims_of_video(line.video, name, seconds, truth))
            found |= set(claims_of_track(line.audio, track.stem, length, manifest[track]))
    return found


def bundled_manifest() -> Manifest:
    """What was written of each bundled track, by its file."""
    file = bundled_path("data", "bundled", "manifest.jsonl")
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {file.parent / row["path"]: row for row in rows}


def run() -> list[Table]:
    """All tables."""
    folder = Path(os.environ.get("BENCH_VIDEOS") or tempfile.mkdtemp(prefix="claims-"))
    workspace = Workspace(Home(folder / "unlabelled"))
    manifest = bundled_manifest()
    for added in add_tracks(workspace, [WantedFile(path) for path in manifest]):
        assert added.fault is None, added.fault
    claims: set[Claim] = set()
    for recipe in RECIPES:
        video = draw(recipe, folder / f"{recipe.name.replace(' ', '-').replace(',', '')}.mp4")
        lane = match(workspace, video)
        claims |= claims_of_lane(lane, recipe.name, recipe.character.seconds, truth_of(recipe), manifest)
    return [summary(claims), failures(claims)]


def summary(claims: set[Claim]) -> Table:
    """How many claims of each kind are true."""
    table = Table("What `match_map` says, where the truth is known", ("claim", "said", "true", "share"))
    kinds = dict.fromkeys(claim.kind for claim in sorted(claims, key=lambda one: (one.kind, one.subject)))
    for kind in kinds:
        held = [claim.holds for claim in claims if claim.kind == kind]
        table.add(kind, len(held), sum(held), sum(held) / len(held))
    strict = [claim.holds for claim in claims if claim.kind != LOOSELY]
    table.add("all, the tempo as written", len(strict), sum(strict), sum(strict) / len(strict))
    table.notes.append(
        f"{len(RECIPES)} drawn videos, bundled tracks without their manifest; a statement counts once, however many "
        f"lines repeat it. Goal: {GOAL}. Cuts may lie off by {CUTS_SHARE:.0%} or {CUTS_LEAST:.0f} a minute, "
        f"speech by {SPEECH_POINTS:.0f} points, tempo by {TEMPO_SHARE:.0%}."
    )
    return table


def failures(claims: set[Claim]) -> Table:
    """Each claim that is not true."""
    table = Table("What is said and is not true", ("claim", "of", "said", "true"))
    for claim in sorted(claims, key=lambda one: (one.kind, one.subject, one.said)):
        if not claim.holds:
            table.add(claim.kind, claim.subject, claim.said, claim.true)
    return table


if __name__ == "__main__":
    for made in run():
        print(made.markdown())
