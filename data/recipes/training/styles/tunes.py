"""Melodies that people wrote, in outfits drawn for them: a style for each file of tunes.

Half of the time a tune wears what its tradition would, otherwise anything that its metre allows. The traditions and
composers of `HELD_OUT` are never trained on.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from data.recipes.training.abc_notation import AbcTune, read_tunes
from data.recipes.training.composition import Score, Style, style
from data.recipes.training.orchestration import OUTFITS, arrange, metre_class
from data.recipes.training.writing import pick

FOLDER = Path(__file__).resolve().parent.parent / "tunes"

HELD_OUT = frozenset({"scottish", "mozart", "schubert", "joplin", "jewish"})
"""files that only validation draws from"""

USUAL = {
    "american": ("string band", "country", "folk band", "stomp and clap", "guitar and flute"),
    "bach": ("harpsichord", "organ", "quartet", "piano", "orchestra", "guitar and flute"),
    "ballroom": ("waltz band", "orchestra", "piano", "accordion", "latin"),
    "blues_jazz": ("jazz combo", "dixieland", "stride", "piano", "wind band"),
    "carols": ("hymn", "choir", "organ", "brass", "music box", "orchestra", "pop"),
    "children": ("piano", "music box", "guitar and flute", "chiptune", "wind band", "pizzicato"),
    "classical": ("orchestra", "piano", "piano figures", "quartet", "pizzicato", "harp and voice"),
    "english": ("folk band", "accordion", "session", "guitar and flute", "harpsichord"),
    "european": ("accordion", "folk band", "guitar and flute", "choir", "barrel organ"),
    "hymns": ("hymn", "organ", "choir", "brass", "country", "quartet"),
    "irish": ("folk band", "session", "drone", "alone", "guitar and flute", "harp and voice"),
    "jewish": ("dixieland", "folk band", "accordion", "quartet"),
    "joplin": ("piano", "stride", "wind band", "barrel organ"),
    "latin": ("latin", "guitar and flute", "accordion", "bossa", "wind band"),
    "marches": ("wind band", "brass", "orchestra", "piano"),
    "mozart": ("orchestra", "piano", "piano figures", "quartet"),
    "russian": ("folk band", "accordion", "choir", "orchestra", "guitar and flute"),
    "schubert": ("piano figures", "piano", "harp and voice", "quartet", "choir"),
    "scottish": ("folk band", "session", "drone", "accordion", "wind band"),
}
"""what tunes of a file wear at home, by the names of `orchestration.OUTFITS`"""


@cache
def tunes_of(name: str) -> tuple[AbcTune, ...]:
    """The tunes of a file, read once."""
    return tuple(read_tunes(FOLDER / f"{name}.abc"))


def dressed(rng: np.random.Generator, name: str) -> Score:
    """A tune of a file in an outfit that its metre allows."""
    tune = pick(rng, tunes_of(name))
    metre = metre_class(tune)
    fitting = [
        outfit
        for outfit, worn in OUTFITS.items()
        if metre in worn.metres.split() and worn.limits[0] * 0.9 <= tune.bpm <= worn.limits[1] * 1.15
    ]
    usual = [outfit for outfit in USUAL[name] if outfit in fitting]
    outfit = pick(rng, usual) if usual and rng.random() < 0.5 else pick(rng, fitting or ["piano"])
    return arrange(rng, f"tunes_{name}", tune, OUTFITS[outfit])


def _style_of(name: str) -> Style:
    def compose(rng: np.random.Generator) -> Score:
        return dressed(rng, name)

    compose.__name__ = f"tunes_{name}"
    return compose


for _path in sorted(FOLDER.glob("*.abc")):
    _count = _path.read_text(encoding="utf-8").count("\nX:")
    style("tunes", weight=_count / 10, held_out=_path.stem in HELD_OUT)(_style_of(_path.stem))
