"""Keys of pieces by others, beside the profiles of Krumhansl and Temperley.

    python -m tests.benchmarks.elsewhere.keys FOLDER

FOLDER holds checkouts under the names of their repositories; one that is not there is named and left out:

- `POP909-Dataset` (music-x-lab, MIT): pop songs arranged for piano, their keys labelled from the recordings; those with
  one key are taken.
- `nottingham-dataset` (jukedeck, GPL-3): folk tunes with chords, the key as `K:` says; modal tunes are left out.
- `asap-dataset` (fosfrancesco, CC BY-NC-SA 4.0): pianists' performances of Bach's Well-Tempered Clavier, whose 48 keys
  follow from a piece's number. They modulate, so that little more than their opening has the written key.

A piece is played by FluidSynth in one of three fonts, each part by an instrument that is drawn, so the notes and the
samples are by others and the choice of instruments is not. Our weights were fitted to pieces that we composed
(`workbench/models/character.md`), which two of the fonts played too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mido
import numpy as np

from data.recipes.material.fonts import CHANNELS, RATE, Played, Sounded, font_player, installed
from tests.benchmarks.table import Table, measure_folder
from workbench.features.character_model import key_scores
from workbench.features.key import RATED_MAJOR, RATED_MINOR, tone_profile
from workbench.features.spectrum import analyze_spectrum
from workbench.recording import FloatArray

PLAYED_SECONDS = 75.0
"""of a piece, from its beginning"""
MOST_PIECES = 30
"""of a source and a mode"""
PLAYED_IN = ("fluid", "muse", "tim")
LEADS = (4, 11, 40, 41, 56, 60, 64, 65, 68, 71, 73, 74, 75, 80, 81)
"""General MIDI programs of which a melody's is drawn"""
CHORDS = (0, 0, 1, 4, 6, 16, 19, 24, 25, 26, 48, 49, 50, 88)
"""and of everything else"""
_PITCHES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_FIRST_OF_BOOKS = (846, 870)
_DRUMS = 9

# Temperley, "Music and Probability", MIT Press 2007, ch. 6: how often each pitch class is heard in a key on C.
PROFILES = {
    "Temperley": (
        (0.748, 0.060, 0.488, 0.082, 0.670, 0.460, 0.096, 0.715, 0.104, 0.366, 0.057, 0.400),
        (0.712, 0.084, 0.474, 0.618, 0.049, 0.460, 0.105, 0.747, 0.404, 0.067, 0.133, 0.330),
    ),
    "Krumhansl": (RATED_MAJOR, RATED_MINOR),
}


@dataclass(frozen=True, slots=True)
class KeyedPiece:
    """A score or a performance whose key somebody wrote down."""

    source: str
    path: Path
    tonic: int
    """pitch class, 0 for C"""
    mode: int
    """0 major, 1 minor"""


def pitch_class(name: str) -> int:
    """Of a note's name, such as `Eb` or `F#`; 0 for C."""
    return (_PITCHES[name[0]] + name.count("#") - name.count("b")) % 12


def pop_songs(folder: Path) -> Iterator[KeyedPiece]:
    """Songs of POP909 that have one key."""
    for labels in sorted((folder / "POP909").glob("*/key_audio.txt")):
        rows = [row.split() for row in labels.read_text(encoding="utf-8").splitlines() if row.strip()]
        if len(rows) == 1:
            name, mode = rows[0][2].split(":")
            path = labels.with_name(f"{labels.parent.name}.mid")
            yield KeyedPiece("pop songs", path, pitch_class(name), int(mode == "min"))


def folk_tunes(folder: Path) -> Iterator[KeyedPiece]:
    """Tunes of the Nottingham collection in one key, major or minor."""
    for book in sorted((folder / "ABC_cleaned").glob("*.abc")):
        for tune in re.split(r"(?m)^(?=X:)", book.read_text(encoding="utf-8", errors="replace")):
            number = re.match(r"X:\s*(\d+)", tune)
            keys = set(re.findall(r"(?m)^K:\s*(\S+)", tune))
            key = re.fullmatch(r"([A-G][#b]?)(m?)", keys.pop()) if len(keys) == 1 else None
            if number is None or key is None:
                continue
            path = folder / "MIDI" / f"{book.stem}{number[1]}.mid"
            if path.exists():
                yield KeyedPiece("folk tunes", path, pitch_class(key[1]), int(key[2] == "m"))


def preludes_and_fugues(folder: Path) -> Iterator[KeyedPiece]:
    """The Well-Tempered Clavier, one performance of each piece."""
    for piece in sorted((folder / "Bach").glob("*/bwv_*")):
        number = int(re.sub(r"\D", "", piece.name))
        performed = sorted(path for path in piece.glob("*.mid") if path.stem != "midi_score")
        for first in _FIRST_OF_BOOKS:
            if performed and first <= number < first + 24:
                yield KeyedPiece("preludes and fugues", performed[0], *divmod(number - first, 2))


SOURCES: dict[str, Callable[[Path], Iterator[KeyedPiece]]] = {
    "POP909-Dataset": pop_songs,
    "nottingham-dataset": folk_tunes,
    "asap-dataset": preludes_and_fugues,
}


def drawn_pieces(folder: Path, after: int = 0) -> list[KeyedPiece]:
    """The pieces that are measured: of each source and mode as many as `MOST_PIECES`, drawn alike each time.

    `after` leaves out as many of those that were drawn first.
    """
    drawn: list[KeyedPiece] = []
    for name, read in SOURCES.items():
        if not (folder / name).is_dir():
            print(f"[keys] {name} is not in {folder}; left out", file=sys.stderr)
            continue
        pieces = list(read(folder / name))
        for mode in (0, 1):
            of_mode = [piece for piece in pieces if piece.mode == mode]
            order = np.random.default_rng(0).permutation(len(of_mode))[after : after + MOST_PIECES]
            drawn.extend(of_mode[at] for at in sorted(order))
    return drawn


def play(piece: KeyedPiece, font: str, rng: np.random.Generator) -> FloatArray:
    """Play the beginning of a piece, mono at `RATE`; `rng` draws the instruments, the first part's as a melody's."""
    parts = [
        Played(int(rng.choice(CHORDS if number else LEADS)), notes) for number, notes in enumerate(parts_of(piece.path))
    ]
    return np.sum(font_player(font).stems(parts, PLAYED_SECONDS), axis=0).mean(axis=1)  # type: ignore[no-any-return]


def parts_of(path: Path) -> list[list[Sounded]]:
    """The notes of each part, up to `PLAYED_SECONDS`, without drums and parts beyond what a font plays at once."""
    parts: dict[tuple[int, int], list[Sounded]] = {}
    begun: dict[tuple[int, int, int], tuple[float, int]] = {}
    for time, track, message in notes_of(path):
        key = (track, message.channel, message.note)
        if key in begun:  # it ends, or is struck again
            begin, velocity = begun.pop(key)
            parts.setdefault(key[:2], []).append(Sounded(begin, time - begin, message.note, velocity))
        if message.type == "note_on" and message.velocity and message.channel != _DRUMS and time < PLAYED_SECONDS:
            begun[key] = (time, message.velocity)
    return list(parts.values())[: CHANNELS - 1]


def notes_of(path: Path) -> list[tuple[float, int, mido.Message]]:
    """Beginnings and ends of notes, in their order: seconds, number of the track, and the message."""
    file = mido.MidiFile(str(path), clip=True)
    rows: list[tuple[int, int, mido.Message]] = []
    tempi: list[tuple[int, int]] = [(0, 500_000)]
    for number, track in enumerate(file.tracks):
        tick = 0
        for message in track:
            tick += message.time
            if message.type == "set_tempo":
                tempi.append((tick, message.tempo))
            elif message.type in ("note_on", "note_off"):
                rows.append((tick, number, message))
    tempi.sort(key=lambda one: one[0])
    ticks, beat = np.array([tick for tick, _ in tempi]), np.array([each / 1e6 for _, each in tempi])
    reached = np.concatenate(([0.0], np.cumsum(np.diff(ticks) * beat[:-1] / file.ticks_per_beat)))
    timed = []
    for tick, number, message in sorted(rows, key=lambda row: row[0]):
        part = int(np.searchsorted(ticks, tick, side="right")) - 1
        timed.append((float(reached[part] + (tick - ticks[part]) * beat[part] / file.ticks_per_beat), number, message))
    return timed


def scores_by(major: Sequence[float], minor: Sequence[float]) -> Callable[[FloatArray], FloatArray]:
    """The simple rule: how well the tones correlate with each key's profile.

    The function that it returns takes a `tone_profile` and gives shape (12, 2), as `key_scores` does.
    """
    keys = np.stack([np.roll(one, tonic) for tonic in range(12) for one in (major, minor)])

    def scored(profile: FloatArray) -> FloatArray:
        fits: FloatArray = np.corrcoef(np.vstack((profile.sum(axis=0), keys)))[0, 1:].reshape(12, 2)
        return fits

    return scored


def nearness(tonic: int, mode: int, true_tonic: int, true_mode: int) -> float:
    """How near a key is to the true one, as MIREX weighs mistakes; modes are 0 for major, 1 for minor.

    1 for the same, 0.5 a fifth off, 0.3 the relative key, 0.2 the other mode on the same tonic, else 0.
    """
    apart = (tonic - true_tonic) % 12
    if mode == true_mode:
        return {0: 1.0, 5: 0.5, 7: 0.5}.get(apart, 0.0)
    return {0: 0.2, 9 if true_mode == 0 else 3: 0.3}.get(apart, 0.0)


def measure(pieces: Sequence[KeyedPiece], profiles: Sequence[FloatArray]) -> Table:
    """How often each rule finds the key."""
    rules = {"ours": key_scores, **{name: scores_by(*both) for name, both in PROFILES.items()}}
    sources = list(dict.fromkeys(piece.source for piece in pieces))
    found = Table(f"Keys of {len(pieces)} pieces by others", ("rule", "source", "pieces", "right", "weighted"))
    for name, rule in rules.items():
        best = [divmod(int(rule(profile).argmax()), 2) for profile in profiles]
        for source in sources:
            rows = [(key, piece) for key, piece in zip(best, pieces, strict=True) if piece.source == source]
            near = [nearness(*key, piece.tonic, piece.mode) for key, piece in rows]
            found.add(name, source, len(rows), np.mean(np.array(near) == 1.0), np.mean(near))
    found.notes.append("Weighted: a fifth off counts 0.5, the relative key 0.3, the other mode 0.2, as in MIREX.")
    return found


def tables(folder: Path) -> list[Table]:
    """Play and measure the pieces of a folder."""
    fonts = installed(PLAYED_IN)
    if not fonts:
        sys.exit(f"none of the fonts {', '.join(PLAYED_IN)} is installed")
    pieces = drawn_pieces(folder)
    profiles = []
    for number, piece in enumerate(pieces):
        sound = play(piece, fonts[number % len(fonts)], np.random.default_rng(number))
        spectrum = analyze_spectrum(sound[np.newaxis], RATE)
        profiles.append(tone_profile(spectrum.tones, spectrum.tone_midi))
        print(f"[keys] {number + 1} of {len(pieces)}", file=sys.stderr)
    return [measure(pieces, profiles)]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
