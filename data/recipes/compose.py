"""Compose, render and ship the bundled music.

    python -m data.recipes.compose                 every song of data/recipes/songs
    python -m data.recipes.compose harbour_lights  these songs only
    python -m data.recipes.compose --readme        renew the table of hashes in data/README.md
    python -m data.recipes.compose --wav DIR ...   write WAV mixes to DIR and ship nothing, to listen while composing

Needs FluidSynth and two sound fonts (Debian: fluidsynth, fluid-soundfont-gm, musescore-general-soundfont-small), and
of Python numpy, scipy, soundfile and jams.
"""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

import soundfile

from data.recipes import shipping
from data.recipes.engine.mixdown import Song, render
from data.recipes.engine.sampler import RATE
from data.recipes.truth import annotate

SONGS = Path(__file__).resolve().parent / "songs"


def names() -> list[str]:
    """The songs there are: one file each."""
    return sorted(path.stem for path in SONGS.glob("[a-z]*.py"))


def score_of(name: str) -> Song:
    """A song's score, written but not yet played."""
    song: Song = importlib.import_module(f"{__package__}.songs.{name}").compose()
    if song.name != name:
        raise ValueError(f"songs/{name}.py composes {song.name!r}")
    return song


def produce(name: str, wav: Path | None) -> None:
    """Render one song, and ship it unless a folder for WAV files is given."""
    began = time.perf_counter()
    song = score_of(name)
    mixed = render(song)
    length = len(mixed.sound) / RATE
    if wav is not None:
        wav.mkdir(parents=True, exist_ok=True)
        soundfile.write(wav / f"{name}.wav", mixed.sound, RATE, subtype="PCM_16")
        size, peak = 0, mixed.peak_db
    else:
        path = shipping.BUNDLED / "music" / f"{name}.ogg"
        path.parent.mkdir(parents=True, exist_ok=True)
        peak = shipping.write_ogg(path, mixed.sound, song.quality, name)
        size = path.stat().st_size
        truth_path = shipping.BUNDLED / "truth" / f"{name}.jams"
        truth_path.parent.mkdir(parents=True, exist_ok=True)
        shipping.write_truth(truth_path, annotate(song, mixed.sound))
        shipping.update_manifest(song)
    stems = " ".join(f"{stem} {lufs:.0f}" for stem, lufs in mixed.stem_lufs.items())
    print(f"{name}: {length:.1f} s, {mixed.lufs:.1f} LUFS, peak {peak:.1f} dB, {size / 1000:.0f} kB, "
          f"{time.perf_counter() - began:.0f} s to make; stems in LUFS: {stems}")  # fmt: skip


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("songs", nargs="*", help="songs to make; all when none is named")
    parser.add_argument("--readme", action="store_true", help="renew the table of data/README.md and stop")
    parser.add_argument("--wav", type=Path, help="write WAV files to this folder instead of shipping")
    parser.add_argument("--list", action="store_true", help="name the songs and stop")
    options = parser.parse_args()
    if options.list:
        print("\n".join(names()))
        return
    if not options.readme:
        for name in options.songs or names():
            produce(name, options.wav)
    if options.wav is None:
        shipping.update_readme()


if __name__ == "__main__":
    main()
