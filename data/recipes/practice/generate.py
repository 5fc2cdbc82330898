"""Make practice pieces with exact beats, which the tracker's weights are fitted on.

    python data/recipes/practice/generate.py FOLDER                  all of them, some minutes
    python data/recipes/practice/generate.py FOLDER --rounds 1       one piece a style
    python data/recipes/practice/generate.py FOLDER --styles jig waltz --plain 0

Each piece is a FLAC file with a JSON file beside it: `beats` in seconds, `positions` in the bar from 1,
`beats_per_bar`, `bpm`, `kind` (style, click, band or no_pulse). The same seed gives the same piece on the same
FluidSynth; nothing here follows a bundled song.

Needs FluidSynth and two General MIDI sound fonts (Debian: fluidsynth, fluid-soundfont-gm, timgm6mb-soundfont), and of
Python numpy, scipy and soundfile.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path

import numpy as np
import soundfile
from midi import FONTS, RATE, play
from numpy.typing import NDArray
from pieces import compose
from plain import bands, clicks, without_pulse
from styles import STYLES


def make_piece(folder: Path, style: str, seed: int) -> None:
    """Compose, play, master and write one piece; one in five sounds through the smaller font."""
    rng = np.random.default_rng([seed, zlib.crc32(style.encode())])
    piece = compose(STYLES[style], rng)
    sound = play(piece.notes, piece.programs, FONTS[rng.random() < 0.2])
    sound = sound[: round((piece.beats[-1] + 3.2) * RATE)]
    if rng.random() < 0.5:
        sound = np.tanh(sound * rng.uniform(1.5, 5.0))
    name = f"{style}_{seed}"
    write(folder, name, "style", sound, piece.beats, piece.positions, piece.beats_per_bar, piece.bpm)


def write(
    folder: Path,
    name: str,
    kind: str,
    sound: NDArray[np.floating],
    beats: list[float],
    positions: list[int],
    beats_per_bar: int,
    bpm: float,
) -> None:
    """One piece and its truth."""
    soundfile.write(folder / f"{name}.flac", sound * (0.9 / max(float(np.abs(sound).max()), 1e-6)), RATE)
    truth = {"kind": kind, "beats": beats, "positions": positions, "beats_per_bar": beats_per_bar, "bpm": bpm}
    (folder / f"{name}.json").write_text(json.dumps(truth))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="made where missing")
    parser.add_argument("--styles", nargs="*", choices=list(STYLES), help="these styles only", default=list(STYLES))
    parser.add_argument("--rounds", type=int, default=4, help="pieces a style")
    parser.add_argument("--seed", type=int, default=1000, help="of the first round")
    parser.add_argument("--plain", type=int, default=1, help="0 leaves out clicks, bands and pieces without a pulse")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seed, options.seed + options.rounds):
        for style in options.styles:
            make_piece(options.folder, style, seed)
    if options.plain:
        for plain in (*clicks(), *bands(), *without_pulse()):
            write(options.folder, *plain)


if __name__ == "__main__":
    main()
