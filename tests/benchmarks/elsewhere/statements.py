"""What `match_map` says of videos and tracks, read as numbers and compared with what is known of them.

Energy, cheerfulness, pulse, motion and light have no truth, so they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.table import Table
from workbench.matching.lane import Lane

GOAL = 0.95
CUTS_SHARE, CUTS_LEAST = 0.1, 1.0
"""how far the cuts per minute may lie off: the larger of this share of the true rate and this number"""
SPEECH_POINTS = 5.0
"""how far the percentage of speech may lie off"""
TEMPO_SHARE = 0.04
"""how far a tempo may lie off, as mir_eval counts it"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a line, and whether it is true."""

    kind: str
    subject: str
    """the video or the track that it is about"""
    said: str
    holds: bool


@dataclass(frozen=True, slots=True)
class VideoTruth:
    """What is known of a video; what is None is not checked."""

    seconds: float
    cuts: tuple[float, float] | None = None
    """least and most: transitions of which it may be argued whether they are cuts count in the second alone"""
    speech_share: float | None = None
    """0 to 1, of its time"""
    has_sound: bool | None = None


@dataclass(frozen=True, slots=True)
class TrackTruth:
    """What is known of a track; what is None is not checked."""

    seconds: float
    bpm: float | None = None
    beats_per_bar: int | None = None
    sung: bool | None = None
    key: str | None = None
    """as the workbench names keys: `Eb major`"""


Readers = dict[str, tuple[str, Callable[["re.Match[str]"], bool]]]
"""by kind of claim: the pattern of its words, and whether what a line says is true"""


def claims_of_video(text: str, name: str, truth: VideoTruth) -> Iterator[Claim]:
    """What a line says of a video."""
    readers: Readers = {"length of the video": (r"^(\d+):(\d\d) long", lambda said: _lasts(said, truth.seconds))}
    if truth.cuts is not None:
        least, most = truth.cuts
        rates = (60.0 * least / truth.seconds, 60.0 * most / truth.seconds)

        def rate(found: re.Match[str]) -> bool:
            said = 0.0 if found[1] is None else float(found[1])
            reach = max(CUTS_LEAST, CUTS_SHARE * min(max(said, rates[0]), rates[1]))
            return rates[0] - reach <= said <= rates[1] + reach

        reach = max(1.0, CUTS_SHARE * most)
        readers["cuts per minute"] = (r"([\d.]+) cuts per minute|no cuts|without cuts", rate)
        readers["number of cuts"] = (
            r"^(\d+) cuts, a median",
            lambda said: least - reach <= float(said[1]) <= most + reach,
        )
    if (share := truth.speech_share) is not None:
        readers["share of speech"] = (
            r"^speech (\d+) %",
            lambda said: abs(float(said[1]) - 100.0 * share) <= SPEECH_POINTS,
        )
    yield from _read(text, name, readers)


def claims_of_track(text: str, name: str, truth: TrackTruth) -> Iterator[Claim]:
    """What a line says of a track."""
    bpm, sung = truth.bpm, truth.sung
    readers: Readers = {"length of the track": (r"^(\d+):(\d\d) long", lambda said: _lasts(said, truth.seconds))}
    if bpm is not None:

        def tempo(said: re.Match[str]) -> bool:
            return any(_is_near(float(one), bpm) for one in said.groups())

        readers["tempo"] = (r"(?<![\d.])(?<! or )([\d.]+) bpm", tempo)
        readers["tempo, one of two"] = (r"([\d.]+) or ([\d.]+) bpm", tempo)
        if truth.beats_per_bar is not None:
            beats = {"bar": truth.beats_per_bar, "half bar": truth.beats_per_bar / 2, "beat": 1}
            readers["length of a bar"] = (
                r"a (bar|half bar|beat) lasts ([\d.]+) s at",
                lambda said: _is_near(float(said[2]), beats[said[1]] * 60.0 / bpm),
            )
    if sung is not None:
        readers["a voice"] = (
            r"a voice with a probability of (\d+) %",
            lambda said: (float(said[1]) >= 50.0) == sung,
        )
        readers["vocals that compete"] = (r"its vocals compete", lambda _: sung)
    if truth.key is not None:
        readers["key"] = (r"([A-G][b#]?) (major|minor)", lambda said: said[0] == truth.key)
    yield from _read(text, name, readers)


def _is_near(said: float, true: float) -> bool:
    return abs(said - true) <= TEMPO_SHARE * true


def _lasts(said: re.Match[str], seconds: float) -> bool:
    return abs(60 * int(said[1]) + int(said[2]) - seconds) <= 1.0


def _read(text: str, subject: str, readers: Readers) -> Iterator[Claim]:
    for kind, (pattern, holds) in readers.items():
        if found := re.search(pattern, text):
            yield Claim(kind, subject, found[0], holds(found))


def said_once(claims: Iterable[Claim]) -> set[Claim]:
    """One statement of a kind of each video and track, however it is worded; a wrong one stands for all."""
    kept: dict[tuple[str, str], Claim] = {}
    for claim in sorted(claims, key=lambda one: (not one.holds, one.said)):
        kept[claim.kind, claim.subject] = claim
    return set(kept.values())


def claims_of_lane(lane: Lane, name: str, video: VideoTruth, tracks: Mapping[Path, TrackTruth]) -> set[Claim]:
    """All that lines and sentences of all compared tracks say; what is said twice counts once."""
    found: set[Claim] = set()
    for ranked in lane.candidate_pool:
        path = ranked.track.path
        halves = [(line.video, line.audio) for line in ranked.reasons]
        for of_video, of_track in (*halves, (ranked.fit_explanation, ranked.fit_explanation)):
            found |= set(claims_of_video(of_video, name, video))
            found |= set(claims_of_track(of_track, path.stem, tracks[path]))
    return found


def summary(claims: set[Claim], material: str) -> Table:
    """How many claims of each kind are true."""
    table = Table("What `match_map` says, where the truth is known", ("claim", "said", "true", "share"))
    kinds = dict.fromkeys(claim.kind for claim in sorted(claims, key=lambda one: (one.kind, one.subject)))
    for kind in kinds:
        held = [claim.holds for claim in claims if claim.kind == kind]
        table.add(kind, len(held), sum(held), sum(held) / len(held))
    held = [claim.holds for claim in claims]
    table.add("all", len(held), sum(held), sum(held) / len(held))
    table.notes.append(
        f"{material}; a statement counts once, however many lines repeat it. "
        f"Goal: {GOAL}. Cuts may lie off by {CUTS_SHARE:.0%} or {CUTS_LEAST:.0f} a minute, "
        f"speech by {SPEECH_POINTS:.0f} points, tempo by {TEMPO_SHARE:.0%}."
    )
    return table
