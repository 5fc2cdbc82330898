"""The same scores played by every sound font in turn, for the timing of beats to be compared between fonts.

Scores of every second family of styles, composed as training pieces are and played to the letter: every note begins
where it is written, for it is the tracker that is timed and not the players. Every part is given to one font, nothing
is spoiled. Training heard the first three fonts, in other pieces; the others it never heard.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from data.recipes.training.composition import STYLES, load_styles
from data.recipes.training.fonts import RATE, TRAINING_FONTS, VALIDATION_FONTS, installed
from data.recipes.training.performing import Looseness, excerpt, perform
from data.recipes.training.sounding import draw_desk, sound_of
from tests.benchmarks.beat_pieces import CACHE, Piece, folder_piece

SECONDS = 30.0
SEED = 20_000
"""beyond the numbers of all training pieces"""


@dataclass(frozen=True)
class Played:
    """The pieces of one font."""

    font: str
    trained: bool
    """whether training heard it"""
    pieces: list[Piece]


def played() -> list[Played]:
    """Every installed font with its pieces, rendered once and kept; none where FluidSynth or its fonts are missing."""
    load_styles()
    families: dict[str, str] = {}
    for name in sorted(STYLES):
        families.setdefault(STYLES[name].family, name)
    return [
        Played(font, font in TRAINING_FONTS, [piece(style, font) for style in list(families.values())[::2]])
        for font in installed((*TRAINING_FONTS, *VALIDATION_FONTS))
    ]


def piece(style: str, font: str) -> Piece:
    """One style's score in one font; the same score for every font."""
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    path = CACHE / "fonts" / recipe / font / f"{style}.flac"
    if not path.with_suffix(".json").exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(SEED)
        score = STYLES[style].compose(rng)
        punctual = replace(score, parts=[replace(part, late_ms=0.0) for part in score.parts])
        whole = perform(punctual, rng, Looseness(jitter_ms=0.0, strum_ms=0.0, velocity=4.0, drift=0.0))
        performance = excerpt(whole, 0.0, min(SECONDS, whole.seconds))
        drawn = draw_desk(performance, rng, ())
        desk = replace(drawn, seats=tuple(replace(seat, instrument=font) for seat in drawn.seats))
        soundfile.write(path, sound_of(performance, desk, np.random.default_rng(SEED)), RATE, format="FLAC")
        truth = {"beats": performance.beats.tolist(), "positions": performance.positions.tolist(), "tags": []}
        path.with_suffix(".json").write_text(json.dumps(truth))
    return replace(folder_piece(path.with_suffix(".json")), name=f"{style}, {font}")
