"""What is true of the demo's film, or of its beginning, and of the clips that tests have.

Clips are H.264, seconds long, 320 by 180; `data/README.md` says how they were drawn. `six_ten` is the beginning of the
film in its own size and better quality, with B pictures, as most videos have them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.files import bundled_path
from workbench.workflows.demo import FILM, FILM_SECONDS

CLIPS = Path(__file__).parent / "clips"
SIX_TEN, SIX_TEN_SECONDS = CLIPS / "six_ten.mp4", 28.0
Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class FilmTruth:
    """Times known because the film was drawn, video seconds."""

    seconds: float
    cuts: tuple[float, ...]
    """first picture of each shot that replaces another at once"""
    dissolves: Spans
    """first picture with a share of the new shot, first one without the old"""
    fades: Spans
    """from and to black"""
    flashes: tuple[float, ...]
    """first bright picture"""
    titles: tuple[tuple[float, float, str], ...]
    """a card is on screen, and its words"""
    hits: tuple[float, ...]
    """a single loud sound in the soundtrack"""
    speech: Spans
    """first and last sound of each phrase"""


def film_truth(seconds: float = FILM_SECONDS) -> FilmTruth:
    """The truth of the first seconds of the film; what goes on after them ends with them."""
    facts: dict[str, Any] = json.loads(bundled_path(*FILM).with_suffix(".json").read_text(encoding="utf-8"))

    def spans(name: str) -> Spans:
        return tuple((start, min(end, seconds)) for start, end in facts[name] if start < seconds)

    def instants(name: str) -> tuple[float, ...]:
        return tuple(at for at in facts[name] if at < seconds)

    titles = tuple((start, min(end, seconds), words) for start, end, words in facts["titles"] if start < seconds)
    return FilmTruth(
        seconds, instants("cuts"), spans("dissolves"), spans("fades"), instants("flashes"), titles, instants("hits"),
        spans("speech"),
    )  # fmt: skip


def clip_cuts(path: Path) -> tuple[float, ...]:
    """Where a clip is cut, s: the first picture of each shot but the first."""
    cuts: list[float] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["cuts"]
    return tuple(cuts)
