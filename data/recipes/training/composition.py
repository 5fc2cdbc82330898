"""What a composed piece is: notes in beats, bars of any metre, a tempo that may change.

A `Score` knows no seconds. Positions are counted in *beats*, the beats that a listener taps: in 6/8 a beat is a dotted
quarter, in 7/8 felt quickly an eighth. Beat 0 is the first downbeat; a pick-up has negative positions. `performing`
turns a score into seconds, `sounding` into sound.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

Role = Literal["drums", "bass", "chords", "pad", "melody", "counter", "riff"]
"""What a part does; `sounding` balances and mutes by it."""

TAGS = (
    "steady", "tempo_change", "rubato", "ritardando", "swing", "triple", "compound", "odd", "metre_change",
    "drumless", "sparse", "syncopated", "half_time", "pickup", "slow", "fast", "tune", "codec", "noise", "speech",
)  # fmt: skip
"""What results are broken down by. Styles give those that lie in the writing; performing and spoiling add theirs."""


class ComposedNote(NamedTuple):
    """A note; `at` and `beats` in beats from the first downbeat, pitch in MIDI numbers (drums: General MIDI drum)."""

    at: float
    beats: float
    pitch: int
    velocity: int


@dataclass
class ComposedPart:
    """What one player plays."""

    role: Role
    program: int
    """General MIDI program from 0; of drums the kit (0 standard, 8 room, 16 power, 24 electronic, 25 808, 32 jazz,
    40 brush, 48 orchestra)"""
    notes: list[ComposedNote]
    late_ms: float = 0.0
    """how far behind the beat the player sits; negative: ahead"""


class TempoChange(NamedTuple):
    """From beat `at` the tempo becomes `factor` times that of the start, reached over `over` beats (0: at once)."""

    at: float
    factor: float
    over: float


@dataclass
class Score:
    """A composed piece."""

    style: str
    bpm: float
    """beats a minute at the start"""
    bars: list[int]
    """beats of each bar, in order; the metre may change"""
    division: Literal[2, 3]
    """into what a beat divides: 3 for compound metres, shuffle and swing written in triplets"""
    parts: list[ComposedPart]
    pickup: int = 0
    """whole beats before the first downbeat that are beats of the truth; notes may begin earlier than that"""
    swing: float = 0.5
    """where the second of two equal subdivisions falls, as a share of the two: 0.5 straight, 0.67 a triplet"""
    swung: Literal[2, 4] = 2
    """which subdivisions swing: eighths (2 a beat) or sixteenths (4 a beat)"""
    tempo: list[TempoChange] = field(default_factory=list)
    pauses: list[tuple[float, float]] = field(default_factory=list)
    """fermatas: (beat, further beats that it is held), at the end of a section or of the piece"""
    rubato: float = 0.0
    """how freely phrases breathe, as a share of the tempo: 0 to a click, 0.03 a band, 0.15 a romantic pianist"""
    tags: set[str] = field(default_factory=set)

    @property
    def n_beats(self) -> int:
        """Beats of all bars, without the pick-up."""
        return sum(self.bars)


Style = Callable[[np.random.Generator], Score]
"""Composes a piece of one kind; everything it draws comes from the generator."""


@dataclass(frozen=True)
class Registered:
    """A style and where it may be used."""

    compose: Style
    family: str
    weight: float
    held_out: bool


STYLES: dict[str, Registered] = {}
"""Every style by name; filled by `load_styles`."""


def style(family: str, weight: float = 1.0, held_out: bool = False) -> Callable[[Style], Style]:
    """Register a composing function under its own name.

    `weight` is how often it is drawn relative to others. A style that is `held_out` is never trained on.
    """

    def register(compose: Style) -> Style:
        name = compose.__name__
        if name in STYLES:
            raise ValueError(f"two styles are called {name!r}")
        STYLES[name] = Registered(compose, family, weight, held_out)
        return compose

    return register


def load_styles() -> None:
    """Import every module of the folder `styles`, each of which registers its own."""
    for module in pkgutil.iter_modules([str(Path(__file__).with_name("styles"))]):
        importlib.import_module(f"{__package__}.styles.{module.name}")
