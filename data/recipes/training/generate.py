"""Compose, play, spoil and analyse the training pieces.

    python -m data.recipes.training.generate SET                     all of it: about half an hour on two cores
    python -m data.recipes.training.generate SET --pieces 200        a smaller set
    python -m data.recipes.training.generate SET --styles jig reel   these styles only
    python -m data.recipes.training.generate SET --audio             keep the sound of dev and validation as FLAC too

SET gets three folders of `pieces` files. `train` and `dev` share styles and sound fonts, not pieces. `validation` is
what training never hears: styles and composers that are held out, and sound fonts that are. A piece is made from its
number alone, so an interrupted run goes on where it stopped, and more pieces can be added to a set. Where FluidSynth
or its fonts are missing, every piece is played by the synthesised instruments.

Needs, beside the packages of the project, FluidSynth with the fonts of `fonts.FONTS`, and espeak-ng for speech.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import soundfile
from numpy.typing import NDArray

from data.recipes.training import pieces
from data.recipes.training.composition import STYLES, load_styles
from data.recipes.training.fonts import RATE, TRAINING_FONTS, VALIDATION_FONTS, installed
from data.recipes.training.performing import Performance, excerpt, perform
from data.recipes.training.pulseless import PULSELESS
from data.recipes.training.sounding import draw_desk, sound_of
from data.recipes.training.spoiling import spoil

SHARES = {"train": 0.82, "dev": 0.08, "validation": 0.10}
UNSEEN = ("validation", "calibration")
"""splits with styles that training never hears; calibration is made on demand, with the fonts of training"""
PULSELESS_SHARE = 0.03
"""of pieces in which nothing can be tapped"""
LONGEST_SECONDS = 100.0
TRAINING_SECONDS = 62.0
"""of training pieces, whose number counts for more than their length"""


@dataclass(frozen=True)
class Order:
    """One piece to make."""

    number: int
    split: str
    folder: Path
    only: tuple[str, ...]
    audio: bool


def make(order: Order) -> str:
    """One piece, unless it is there; says what was made."""
    path = order.folder / order.split / f"{order.number:05d}.npz"
    wants_sound = order.audio and order.split != "train"
    if path.exists() and (not wants_sound or path.with_suffix(".flac").exists()):
        return ""
    began = time.process_time()
    rng = np.random.default_rng([order.number, [*SHARES, "calibration"].index(order.split)])
    fonts = installed(TRAINING_FONTS)
    if order.split == "validation" and (kept := installed(VALIDATION_FONTS)):
        fonts = kept
    if rng.random() < PULSELESS_SHARE and not order.only:
        name = str(rng.choice(sorted(PULSELESS)))
        played = perform(PULSELESS[name](rng), rng)
        nothing = np.zeros(0, np.int64)
        performance = replace(played, beats=np.zeros(0), positions=nothing, bar_beats=nothing)
    else:
        name = _style(order, rng)
        performance = perform(STYLES[name].compose(rng), rng)
    if order.split == "train":
        performance = _cut(performance, rng)
    truth = pieces.Truth(performance.beats, performance.positions, performance.bar_beats, performance.division)
    desk = draw_desk(performance, rng, fonts)
    dry = sound_of(performance, desk, rng)[: round(LONGEST_SECONDS * RATE)]
    spoiled = spoil(dry, rng, truth.beats)
    beats = truth.beats * spoiled.stretch + spoiled.delay_seconds
    inside = (beats >= 0) & (beats < len(spoiled.sound) / RATE)
    truth = pieces.Truth(beats[inside], truth.positions[inside], truth.bar_beats[inside], truth.division)
    family = STYLES[name].family if name in STYLES else "pulseless"
    tags = sorted(performance.tags | spoiled.tags) if truth.beats.size else sorted(spoiled.tags | {"pulseless"})
    sources = sorted({i if isinstance(i := seat.instrument, str) else type(i).__name__.lower() for seat in desk.seats})
    about: dict[str, object] = {"style": name, "family": family, "tags": tags, "sources": sources}
    if wants_sound:
        _keep_audio(path.with_suffix(""), spoiled.sound, truth, about)
    # last, for what is there is not made again
    pieces.write(path, spoiled.sound, RATE, truth, about)
    return f"{order.split} {order.number} {name} {time.process_time() - began:.1f} s"


def _cut(performance: Performance, rng: np.random.Generator) -> Performance:
    """The beginning, the end or something from the middle of a long piece."""
    over = performance.seconds - TRAINING_SECONDS
    if over <= 5.0:
        return performance
    begin = float(rng.choice([0.0, over, rng.uniform(0, over)], p=[0.5, 0.25, 0.25]))
    part = excerpt(performance, begin, TRAINING_SECONDS)
    return part if part.parts else performance


def _style(order: Order, rng: np.random.Generator) -> str:
    """Held-out styles for half of the pieces that validate or calibrate, the others for the rest."""
    held_out = order.split in UNSEEN and rng.random() < 0.5
    names = [name for name in sorted(order.only or STYLES) if order.only or STYLES[name].held_out == held_out]
    weights = np.array([STYLES[name].weight for name in names])
    return names[int(rng.choice(len(names), p=weights / weights.sum()))]


def _keep_audio(stem: Path, sound: NDArray[np.float32], truth: pieces.Truth, about: dict[str, object]) -> None:
    """FLAC and JSON, as the benchmark reads them."""
    part = stem.with_suffix(".part")
    soundfile.write(part, sound, RATE, format="FLAC")
    row = {
        "beats": truth.beats.tolist(),
        "positions": truth.positions.tolist(),
        "bar_beats": truth.bar_beats.tolist(),
        "division": truth.division,
        "kind": "composed",
        **about,
    }
    stem.with_suffix(".json").write_text(json.dumps(row))
    part.replace(stem.with_suffix(".flac"))


def orders(
    folder: Path, first: int, count: int, only: tuple[str, ...], audio: bool, split: str | None = None
) -> Iterator[Order]:
    """The pieces of a set, the splits mixed evenly, so that any beginning of it is a set too; or all of one split."""
    names = list(SHARES)
    edges = np.cumsum(list(SHARES.values()))
    for number in range(first, first + count):
        place = (number * 0.6180339887) % 1.0
        yield Order(number, split or names[int(np.searchsorted(edges, place))], folder, only, audio)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--pieces", type=int, default=1600)
    parser.add_argument("--first", type=int, default=0, help="number of the first piece")
    parser.add_argument("--split", choices=[*SHARES, "calibration"], help="all pieces of this one")
    parser.add_argument("--styles", nargs="*", default=(), help="these styles only")
    parser.add_argument("--audio", action="store_true")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    load_styles()
    for split in [*SHARES, "calibration"]:
        (options.set / split).mkdir(parents=True, exist_ok=True)
    todo = list(orders(options.set, options.first, options.pieces, tuple(options.styles), options.audio, options.split))
    began = time.monotonic()
    with ProcessPoolExecutor(options.processes, initializer=load_styles) as pool:
        for done, line in enumerate(pool.map(make, todo, chunksize=4), start=1):
            if line and done % 20 == 0:
                print(f"{done} of {len(todo)}, {time.monotonic() - began:.0f} s: {line}", flush=True)


if __name__ == "__main__":
    main()
