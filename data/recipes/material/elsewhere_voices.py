"""Soundtracks with people who speak, from voices and music that nobody here made, and when they speak.

    python -m data.recipes.material.elsewhere_voices FOLDER

fetches the voices: the prompts of Debian's `asterisk-core-sounds-*-wav` (8 kHz, CC BY-SA 3.0), people who read
sentences one at a time without anything behind them, so that what they say is known to the hundredth of a second.
Allison Smith (English, Spanish) and June Wallack (French) are for fitting, the Italian and the Russian voice for
testing. The music comes from the recordings of the same role (`data.recipes.material.recordings`), which is fetched
into the same folder.

Each voice gives the scenes of `SCENES`, 40 s each, mono at 24 kHz; levels are K-weighted, of what is said.

Functions: `fetch_voices`, `read_sentences`, `in_a_room`, `music_bed`, `voice_scenes`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

from data.recipes.material.recordings import ElsewhereRecording, fetch_package, recordings
from data.recipes.material.soundtracks import RATE, Ranges, Sound, Video, at_level, background, sounding, trimmed

VOICES = {
    "fit": ("asterisk-core-sounds-en-wav", "asterisk-core-sounds-fr-wav", "asterisk-core-sounds-es-wav"),
    "test": ("asterisk-core-sounds-it-wav", "asterisk-core-sounds-ru-wav"),
}
SECONDS = 40.0
_BYTES = (20_000, 90_000)
"""of a prompt of about a sentence"""

Scene = tuple[Sound, Sound, Ranges]
"""what is heard, the dry voice in it, and when it sounds"""


def music_bed(rng: np.random.Generator, music: list[ElsewhereRecording]) -> Sound:
    """A stretch of one of some recordings, mono at `RATE`, `SECONDS` long, at -20 LUFS."""
    recording = music[int(rng.integers(len(music)))]
    first = rng.uniform(5.0, max(6.0, recording.seconds - SECONDS - 5.0))
    with soundfile.SoundFile(recording.path) as file:
        file.seek(round(first * file.samplerate))
        samples = file.read(round(SECONDS * file.samplerate), dtype="float32", always_2d=True).mean(axis=1)
        sound = soxr.resample(samples, file.samplerate, RATE)
    size = round(SECONDS * RATE)
    return at_level(np.pad(sound, (0, max(0, size - sound.size)))[:size], -20.0)


@dataclass(frozen=True)
class _Hands:
    """What a scene is made of."""

    rng: np.random.Generator
    said: list[Sound]
    """dry sentences, trimmed"""
    others: list[Sound]
    """of another voice"""
    music: list[ElsewhereRecording]

    def bed(self) -> Sound:
        """A stretch of a recording at -20 LUFS."""
        return music_bed(self.rng, self.music)

    def talk(
        self, levels: tuple[float, ...] = (-20.0,), pauses: tuple[float, float] = (0.4, 3.0)
    ) -> tuple[Sound, Ranges]:
        """Sentences at levels in turn, and when they sound."""
        out = np.zeros(round(SECONDS * RATE), dtype=np.float32)
        ranges: Ranges = []
        now = self.rng.uniform(1.0, 3.0)
        for number, one in enumerate(self.rng.permutation(len(self.said)).tolist()):
            voices = self.said if levels[number % len(levels)] >= -30.0 or not self.others else self.others
            sentence = at_level(voices[one % len(voices)], levels[number % len(levels)] + self.rng.uniform(-1.5, 1.5))
            if now + sentence.size / RATE > SECONDS - 1.0:
                break
            first = round(now * RATE)
            out[first : first + sentence.size] += sentence
            ranges += [(now + start, now + end) for start, end in sounding(sentence)]
            now += sentence.size / RATE + self.rng.uniform(*pauses)
        return out, ranges


def in_a_room(rng: np.random.Generator, sound: Sound, seconds: float, tail_db: float = 20 * np.log10(0.5)) -> Sound:
    """The sound in a room: direct sound, and behind it a noise that falls by 60 dB in `seconds`.

    `tail_db` is the energy of the noise over that of the direct sound.
    """
    from scipy import signal

    size = round(seconds * RATE)
    tail = rng.normal(size=size) * 10 ** (-3.0 * np.arange(size) / size)
    tail *= 10 ** (tail_db / 20) / np.sqrt(np.sum(tail**2))
    tail[0] = 1.0
    return np.asarray(signal.oaconvolve(sound, tail)[: sound.size], dtype=np.float32)


def _alone(hands: _Hands) -> Scene:
    voice, said = hands.talk()
    return voice + background("room", hands.rng, SECONDS) * np.float32(0.1), voice, said


def _room(hands: _Hands) -> Scene:
    voice, said = hands.talk()
    return in_a_room(hands.rng, voice, 0.6) + background("room", hands.rng, SECONDS), voice, said


def _unequal(quiet: float, loud: float) -> Callable[[_Hands], Scene]:
    def scene(hands: _Hands) -> Scene:
        voice, said = hands.talk((loud, quiet))
        return voice + background("room", hands.rng, SECONDS) * np.float32(0.1), voice, said

    return scene


def _over(name: str, over_lu: float) -> Callable[[_Hands], Scene]:
    def scene(hands: _Hands) -> Scene:
        voice, said = hands.talk()
        bed = hands.bed() if name == "music" else background(name, hands.rng, SECONDS)
        return voice + bed * np.float32(10 ** (-over_lu / 20)), voice, said

    return scene


def _rare(hands: _Hands) -> Scene:
    voice, said = hands.talk(pauses=(6.0, 10.0))
    return voice + hands.bed() * np.float32(10 ** (-10.0 / 20)), voice, said


def _music(hands: _Hands) -> Scene:
    bed = hands.bed()
    return bed, np.zeros_like(bed), []


SCENES: dict[str, Callable[[_Hands], Scene]] = {
    "alone": _alone,
    "in a room": _room,
    "loud and quiet speakers, -15 and -40 LUFS": _unequal(-40.0, -15.0),
    "loud and quiet speakers, -18 and -32 LUFS": _unequal(-32.0, -18.0),
    "over traffic as loud": _over("street", 0.0),
    "10 LU over traffic": _over("street", 10.0),
    "over music as loud": _over("music", 0.0),
    "10 LU over music": _over("music", 10.0),
    "10 LU under music": _over("music", -10.0),
    "now and then, over music": _rare,
    "music alone": _music,
}


def fetch_voices(folder: Path) -> None:
    """Fetch the voices into a folder, one folder a package."""
    for package in (*VOICES["fit"], *VOICES["test"]):
        print(f"[elsewhere] {package}", file=sys.stderr, flush=True)
        fetch_package(folder, package, frozenset({".wav"}))


def read_sentences(folder: Path) -> list[Sound]:
    """The prompts of a package that are about a sentence long, dry and trimmed, mono at `RATE`.

    Tones are left out, jokes, and the prompts of the folder `silence`, which are seconds of faint hiss.
    """
    found = []
    for path in sorted(folder.rglob("*.wav")):
        spoken = not path.name.startswith(("tt-", "beep", "ascending")) and path.parent.name != "silence"
        if not spoken or not _BYTES[0] < path.stat().st_size < _BYTES[1]:
            continue
        samples, rate = soundfile.read(path, dtype="float32")
        found.append(trimmed(np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32)))
    return found


def voice_scenes(
    folder: Path, role: str, seeds: int = 2, names: Collection[str] = tuple(SCENES)
) -> list[tuple[str, Video]]:
    """All scenes of the voices of a role, with the package that the voice is from."""
    music = recordings(folder, role)
    spoken = {package: read_sentences(folder / package) for package in VOICES[role]}
    scenes = []
    for number, (package, said) in enumerate(spoken.items()):
        if not said:
            continue
        others = next(other for name, other in spoken.items() if name != package)
        for seed in range(seeds):
            for k, (name, make) in enumerate(SCENES.items()):
                if name not in names:
                    continue
                hands = _Hands(np.random.default_rng((number, seed, k)), said, others, music)
                sound, voice, ranges = make(hands)
                gain = np.float32(0.9 / max(0.9, float(np.abs(sound).max())))
                scenes.append((package, Video(name, sound * gain, voice * gain, ranges)))
    return scenes


def main() -> None:
    """Fetch the voices; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the voices of the elsewhere sets.")
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    fetch_voices(given.folder)


if __name__ == "__main__":
    main()
