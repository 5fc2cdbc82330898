"""Soundtracks in which music begins and ends, from music, voices and places that nobody here made.

    python -m data.recipes.material.own_music_scenes FOLDER

fetches the sounds of places: wind, rain, birds, a fire of Debian's `wesnoth-1.16-data` for fitting, by day and night in
forests, deserts and towns of `megaglest-data` for testing. Both packages' sound effects come along. Music and voices
are those of `data.recipes.material.recordings` and `elsewhere_voices` of the same role, fetched into the same folder.

A scene lasts a minute, mono at 24 kHz: something that is no music, then music for 24 s, alone or under a voice or a
place, then again something that is no music; in a fifth of the scenes the music is left out.

Functions: `fetch_places`, `own_music_scenes`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from data.recipes.material.elsewhere_voices import VOICES, read_sentences
from data.recipes.material.recordings import ElsewhereRecording, fetch_package, recordings
from data.recipes.material.soundtracks import RATE, at_level, background
from workbench.recording import FloatArray

PLACES = {"fit": ("wesnoth-1.16-data", "ambient"), "test": ("megaglest-data", "tilesets")}
"""by role: package, and the folder in it that holds the sounds of places"""
MUSICAL = ("wardrums", "/music/")
"""parts of the paths of sounds that are music"""
_SECONDS = 60.0
_MUSIC = (18.0, 42.0)  # s between which the music sounds, less or more 4 s
_EFFECT_SECONDS = 4.0
_DRAWN = ("rain", "wind", "crickets", "hum", "engine", "street", "crowd")  # noises that are made up, for fitting only


@dataclass(frozen=True, eq=False)
class OwnMusicScene:
    """A soundtrack, and when music sounds in it."""

    name: str
    """what is heard beside the music"""
    source: str
    """package of the music; empty without any"""
    sound: FloatArray
    """shape (n,), mono at `soundtracks.RATE`"""
    music: tuple[float, float] | None
    """s; None: there is none"""


@dataclass(frozen=True, eq=False)
class _Hands:
    """What the scenes of a role are made of."""

    rng: np.random.Generator
    music: list[ElsewhereRecording]
    said: list[FloatArray]
    places: list[Path]
    effects: list[Path]
    drawn: bool

    def pick(self, paths: list[Path]) -> FloatArray:
        return _read(paths[int(self.rng.integers(len(paths)))])

    def talk(self, seconds: float) -> FloatArray:
        """Sentences with pauses, at -20 LUFS."""
        out, now = np.zeros(round(seconds * RATE), dtype=np.float32), self.rng.uniform(0.0, 1.0)
        while now < seconds:
            sentence = self.said[int(self.rng.integers(len(self.said)))]
            _add(out, sentence, now)
            now += sentence.size / RATE + self.rng.uniform(0.2, 2.0)
        return _at_level(out, -20.0)

    def place(self, seconds: float) -> FloatArray:
        """A place, at -20 LUFS: a recording repeated, or a noise that is made up."""
        size = round(seconds * RATE)
        if self.drawn and self.rng.random() < 0.5:
            return _at_level(_noise(str(self.rng.choice(_DRAWN)), self.rng, seconds), -20.0)
        sound = self.pick(self.places)
        first = int(self.rng.integers(max(1, sound.size)))
        return _at_level(np.resize(np.roll(sound, -first), size), -20.0)

    def struck(self, seconds: float) -> FloatArray:
        """Sound effects one after the other, at -20 LUFS."""
        out, now = np.zeros(round(seconds * RATE), dtype=np.float32), 0.0
        while now < seconds:
            _add(out, self.pick(self.effects)[: round(_EFFECT_SECONDS * RATE)], now)
            now += self.rng.uniform(0.3, 3.0)
        return _at_level(out, -20.0)

    def bed(self, recording: ElsewhereRecording, seconds: float) -> FloatArray:
        """A stretch of a recording, at -20 LUFS."""
        first = self.rng.uniform(3.0, max(4.0, recording.seconds - seconds - 3.0))
        with soundfile.SoundFile(recording.path) as file:
            file.seek(min(round(first * file.samplerate), max(0, file.frames - round(seconds * file.samplerate))))
            samples = file.read(round(seconds * file.samplerate), dtype="float32", always_2d=True).mean(axis=1)
            sound = np.asarray(soxr.resample(samples, file.samplerate, RATE), dtype=np.float32)
        return _at_level(np.resize(sound, round(seconds * RATE)), -20.0)


def fetch_places(folder: Path) -> None:
    """Fetch the sounds of places and the effects into a folder, one folder a package."""
    for package, _ in PLACES.values():
        print(f"[elsewhere] {package}", file=sys.stderr, flush=True)
        fetch_package(folder, package, frozenset({".ogg", ".wav"}))


def own_music_scenes(folder: Path, role: str, seed: int = 1, per_source: int = 9) -> Iterator[OwnMusicScene]:
    """The scenes of a role."""
    rng = np.random.default_rng((seed, role == "test"))
    package, places = PLACES[role]
    sounds = [path for path in sorted((folder / package).rglob("*")) if path.suffix in (".ogg", ".wav")]
    sounds = [path for path in sounds if not any(part in path.as_posix() for part in MUSICAL)]
    by_source: dict[str, list[ElsewhereRecording]] = {}
    for recording in recordings(folder, role):
        by_source.setdefault(recording.source.package, []).append(recording)
    chosen = [found[k] for found in by_source.values() for k in rng.permutation(len(found))[:per_source].tolist()]
    said = [sentence for voice in VOICES[role] for sentence in read_sentences(folder / voice)]
    of_places = [path for path in sounds if places in path.parts]
    effects = [path for path in sounds if places not in path.parts]
    hands = _Hands(rng, chosen, said, of_places, effects, role == "fit")
    for recording in chosen:
        for beside in ("nothing", "talk", "a place"):
            yield _scene(hands, recording, beside)
    for _ in range(len(chosen)):
        yield _scene(hands, None, "nothing")


def _scene(hands: _Hands, recording: ElsewhereRecording | None, beside: str) -> OwnMusicScene:
    rng = hands.rng
    kinds = {"talk": hands.talk, "a place": hands.place, "effects": hands.struck}
    names = rng.choice([*kinds, "talk at a place"], 2).tolist()
    out = np.zeros(round(_SECONDS * RATE), dtype=np.float32)
    starts, ends = (edge + rng.uniform(-4.0, 4.0) for edge in _MUSIC)
    spans = [(0.0, starts), (ends, _SECONDS)]
    for name, (first, last) in zip(names, spans, strict=True):
        if name in kinds:
            sound = kinds[name](last - first)
        else:
            sound = hands.talk(last - first) + hands.place(last - first) * _gain(-rng.uniform(0.0, 15.0))
        _add(out, sound * _gain(rng.uniform(-8.0, 0.0)), first)
    inside = ends - starts
    if recording is None:
        _add(out, kinds[names[0]](inside) if names[0] in kinds else hands.talk(inside), starts)
        return OwnMusicScene(" and ".join(names), "", out, None)
    sound = hands.bed(recording, inside)
    if beside == "talk":
        sound = sound + hands.talk(inside) * _gain(rng.uniform(0.0, 10.0))
    elif beside == "a place":
        sound = sound + hands.place(inside) * _gain(-rng.uniform(0.0, 15.0))
    _add(out, sound, starts)
    return OwnMusicScene(beside, recording.source.package, out, (starts, ends))


def _noise(name: str, rng: np.random.Generator, seconds: float) -> FloatArray:
    """A noise that goes on: of the weather, of machines, of a street or a crowd."""
    from scipy import signal

    if name in ("street", "crowd"):
        return background(name, rng, seconds)
    size = round(seconds * RATE)
    times, white = np.arange(size) / RATE, rng.standard_normal(size)
    if name == "rain":
        sound = signal.lfilter(*signal.butter(1, 2000, "high", fs=RATE), white)
    elif name == "wind":
        gusts = 1.0 + 0.6 * np.sin(2 * np.pi * times * rng.uniform(0.05, 0.3))
        sound = signal.lfilter(*signal.butter(2, 400, fs=RATE), white) * gusts
    elif name == "crickets":
        chirps = signal.square(2 * np.pi * rng.uniform(2.0, 5.0) * times, 0.3) > 0
        sound = np.sin(2 * np.pi * 4000 * times) * chirps * (signal.square(2 * np.pi * 30 * times) > 0) + 0.05 * white
    elif name == "hum":
        sound = sum(np.sin(2 * np.pi * 50 * k * times) / k for k in (1, 2, 3, 5)) + 0.1 * white
    else:
        hertz = rng.uniform(30.0, 90.0) * (1.0 + 0.1 * np.cumsum(rng.standard_normal(size)) / np.sqrt(size))
        phase = 2 * np.pi * np.cumsum(hertz) / RATE
        sound = sum(np.sin(k * phase) / k for k in range(1, 12)) + 0.5 * white
    return np.asarray(sound, dtype=np.float32)


def _read(path: Path) -> FloatArray:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return np.asarray(soxr.resample(samples.mean(axis=1), rate, RATE), dtype=np.float32)


def _add(out: FloatArray, sound: FloatArray, at: float) -> None:
    first = round(at * RATE)
    room = max(0, out.size - first)
    out[first : first + sound.size] += sound[:room]


def _at_level(sound: FloatArray, lufs: float) -> FloatArray:
    return np.asarray(at_level(sound, lufs), dtype=np.float32) if np.any(sound) else sound


def _gain(decibels: float) -> np.float32:
    return np.float32(10 ** (decibels / 20))


def main() -> None:
    """Fetch the sounds of places; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the sounds of places of the elsewhere sets.")
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    fetch_places(given.folder)


if __name__ == "__main__":
    main()
