"""Videos with known speech for the mix benchmark: dry voices placed at known times over backgrounds of known level.

Where somebody speaks is read off the dry voice alone, before anything is added: sound within 30 dB of the voice's own
level, in steps of 5 ms, pauses up to 0.3 s closed. Voices are synthesised by eSpeak NG, in several languages, paces and
timbres, whispers among them, or are people: the prompts of Debian's `asterisk-core-sounds-en-wav` and
`asterisk-core-sounds-fr-wav` (8 kHz; June Wallack and Allison Smith, CC BY-SA 3.0), where they are installed. Nothing
of them is kept. Both are among the voices that `singing.json` is fitted to, in other scenes; those that nothing is
fitted to are in `elsewhere_voices`.

Everything is drawn from a seed; sound is mono at 24 kHz. Levels are K-weighted, as a mix measures them.

Functions: `spoken_videos`, `other_videos`, `whispered_aside`, `track`.
"""

from __future__ import annotations

import io
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray
from scipy import signal

from workbench.bundled import bundled_path
from workbench.mix.levels import level_curve, to_lufs

RATE = 24_000
SECONDS = 24.0
Sound = NDArray[np.float32]
Ranges = list[tuple[float, float]]

PROMPTS = (Path("/usr/share/asterisk/sounds/en_US_f_Allison"), Path("/usr/share/asterisk/sounds/fr_CA_f_June"))
TALKERS = ("en-us", "en-gb-scotland", "de", "fr-fr", "es", "it", "pl", "sv", "hi", "nl", "pt-br", "tr")
TIMBRES = ("", "+m1", "+m3", "+m7", "+f1", "+f2", "+f5", "+croak")
SENTENCES = (
    "Fog lay on the pass when we set out.", "Hold the lid with one hand and turn it to the left.",
    "She paints only what she can see from her kitchen window.", "Save your work before you close the panel.",
    "Four thousand people live here in summer, and forty in winter.", "Stir.", "Nobody asked.", "Here it comes.",
    "How far is it to the lighthouse?", "Press the button twice, wait for the light, then let go.",
    "First came the rain, then the wind, and last of all the silence.", "That was the whole secret.",
    "Suppose you only had a spoon and an afternoon.", "Put the small screws into a cup so that none is lost.",
)  # fmt: skip
MUSIC = ("blue_corner", "first_snow", "glass_circuit", "harbour_lights", "long_way_up", "paper_lanterns", "tidewater",
         "rooftop_relay", "slow_ember", "undertow", "hill_road", "iron_procession", "slow_tide",
         "corner_store")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Video:
    """A soundtrack, and the truth about it."""

    name: str
    voice_kind: str
    """synthetic, recorded, whisper, or none"""
    background: str
    level_db: float | None
    """voice over background, LU; None where there is no background"""
    sound: Sound | None
    """None: no audio stream"""
    voice: Sound | None
    """the dry voice, as loud as it is in `sound`"""
    speech: Ranges
    """first to last sound, pauses up to 0.3 s closed"""
    classification: str

    @property
    def voiceover(self) -> bool:
        """Whether somebody speaks for three seconds or more."""
        return sum(end - start for start, end in self.speech) >= 3.0


def loudness(sound: Sound) -> float:
    """Loudness of the whole, not gated, LUFS."""
    return to_lufs(float(level_curve(sound, RATE).power.mean()))


def at_level(sound: Sound, lufs: float) -> Sound:
    """The sound at another loudness."""
    return (sound * 10 ** ((lufs - loudness(sound)) / 20)).astype(np.float32)


def sounding(voice: Sound) -> Ranges:
    """First and last sound of what is said in a dry voice."""
    step = RATE // 200
    power = (voice[: voice.size // step * step].reshape(-1, step).astype(np.float64) ** 2).mean(axis=1)
    if not power.any():
        return []
    active = power[power > power.max() * 1e-4].mean()
    heard = np.flatnonzero(power > active * 1e-3)
    breaks = np.flatnonzero(np.diff(heard) > 60)
    starts, ends = np.append(heard[0], heard[breaks + 1]), np.append(heard[breaks], heard[-1]) + 1
    return [(a / 200, b / 200) for a, b in zip(starts, ends, strict=True)]


@cache
def _espeak(sentence: str, talker: str, pace: int, pitch: int) -> Sound:
    command = ["espeak-ng", "-v", talker, "-s", str(pace), "-p", str(pitch), "--stdout", sentence]
    spoken, rate = soundfile.read(
        io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout), dtype="float32"
    )
    return np.asarray(soxr.resample(spoken, rate, RATE), dtype=np.float32)


@cache
def _prompts(folder: Path) -> tuple[Path, ...]:
    """Prompts of about a sentence; none where the package is not installed. Tones and the monkeys are left out."""
    if not folder.is_dir():
        return ()
    told = [p for p in sorted(folder.glob("*.wav")) if not p.name.startswith(("tt-", "beep", "ascending"))]
    return tuple(p for p in told if 20_000 < p.stat().st_size < 90_000)


def trimmed(voice: Sound) -> Sound:
    """A dry voice from its first sound to its last."""
    ranges = sounding(voice)
    return voice[round(ranges[0][0] * RATE) : round(ranges[-1][1] * RATE)]


def utterances(kind: str, rng: np.random.Generator) -> list[Sound]:
    """Dry utterances of one speaker, each at -20 LUFS give or take 2."""
    if kind == "recorded":
        prompts = _prompts(PROMPTS[int(rng.integers(len(PROMPTS)))])
        said = []
        for k in rng.permutation(len(prompts))[:12]:
            samples, rate = soundfile.read(prompts[k], dtype="float32")
            said.append(np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32))
    else:
        timbre = "+whisper" if kind == "whisper" else str(rng.choice(TIMBRES))
        talker = str(rng.choice(TALKERS)) + timbre
        pace, pitch = int(rng.integers(120, 200)), int(rng.integers(20, 75))
        said = [_espeak(SENTENCES[k], talker, pace, pitch) for k in rng.permutation(len(SENTENCES))]
    return [at_level(trimmed(one), -20.0 + rng.uniform(-2, 2)) for one in said]


def _talk(kind: str, rng: np.random.Generator, seconds: float = SECONDS) -> Sound:
    """Somebody talking, with breaths, short pauses and long ones, beginning and ending inside the video."""
    out = np.zeros(round(seconds * RATE), dtype=np.float32)
    now = rng.uniform(1.5, 3.5)
    for k, said in enumerate(utterances(kind, rng)):
        if now + said.size / RATE > seconds - 1.0:
            continue
        first = round(now * RATE)
        out[first : first + said.size] += said
        shortest, longest = ((0.35, 0.9), (0.9, 1.8), (4.2, 5.5))[k % 3]
        now += said.size / RATE + rng.uniform(shortest, longest)
    return out


def track(name: str, seconds: float = SECONDS, start: float = 20.0) -> Sound:
    """A stretch of a bundled track, at -20 LUFS."""
    path = bundled_path("data", "bundled", "music", f"{name}.ogg")
    with soundfile.SoundFile(path) as file:
        file.seek(round(start * file.samplerate))
        samples = file.read(round(seconds * file.samplerate), dtype="float32", always_2d=True).mean(axis=1)
        out = soxr.resample(samples, file.samplerate, RATE)
    return at_level(np.pad(out, (0, max(0, round(seconds * RATE) - out.size)))[: round(seconds * RATE)], -20.0)


def _coloured(rng: np.random.Generator, slope: float, size: int) -> NDArray[np.float64]:
    """Noise whose power falls with frequency to the power of `slope`."""
    hz = np.maximum(np.fft.rfftfreq(size, 1 / RATE), 20.0)
    return np.fft.irfft(np.fft.rfft(rng.normal(size=size)) * hz ** (-slope / 2), size)


def _street(rng: np.random.Generator, size: int) -> Sound:
    """A rumble, and cars that pass, each brighter and louder while it is near."""
    time = np.arange(size) / RATE
    out = _coloured(rng, 1.6, size)
    out /= out.std()
    for _ in range(max(2, round(size / RATE / 6))):
        near, width = rng.uniform(0, size / RATE), rng.uniform(0.6, 1.5)
        tyres = signal.sosfilt(signal.butter(2, (300, 2500), "bandpass", fs=RATE, output="sos"), rng.normal(size=size))
        out += tyres / tyres.std() * rng.uniform(1.0, 2.5) / (1 + ((time - near) / width) ** 2)
    return out.astype(np.float32)


def _crowd(rng: np.random.Generator, size: int) -> Sound:
    """Two dozen people at once in a room; no word can be made out."""
    out = np.zeros(size)
    for _ in range(24):
        kind = f"{rng.choice(TALKERS)}{rng.choice(TIMBRES)}"
        said = np.concatenate(
            [_espeak(SENTENCES[k], kind, 165, int(rng.integers(20, 70))) for k in rng.integers(0, len(SENTENCES), 4)]
        )
        said = np.tile(said, -(-size // said.size) + 1)
        first = int(rng.integers(said.size - size))
        out += said[first : first + size] / (said.std() + 1e-9) * rng.uniform(0.5, 1.5)
    room = rng.normal(size=RATE // 2) * np.exp(-np.arange(RATE // 2) / (0.12 * RATE))
    heard: Sound = signal.oaconvolve(out, room)[:size].astype(np.float32)
    return heard


def background(name: str, rng: np.random.Generator, seconds: float = SECONDS) -> Sound:
    """Room, street, crowd, music: at -20 LUFS, but for the room, which is where rooms are."""
    size = round(seconds * RATE)
    if name == "room":
        return at_level(_coloured(rng, 1.0, size).astype(np.float32), -55.0)
    if name == "music":
        return track(str(rng.choice(MUSIC)), seconds, float(rng.uniform(15, 60)))
    return at_level({"street": _street, "crowd": _crowd}[name](rng, size), -20.0)


def _over(name: str, kind: str, voice: Sound, bed: Sound | None, background_name: str, level: float | None) -> Video:
    sound = voice if bed is None else voice + bed
    gain = np.float32(0.8 / max(1.0, float(np.abs(sound).max()) / 0.8))
    return Video(name, kind, background_name, level, sound * gain, voice * gain, sounding(voice), "voice")


def spoken_videos(seed: int, kinds: tuple[str, ...] = ("synthetic", "recorded")) -> list[Video]:
    """Every kind of voice over every background at +10, 0 and -10 LU; recorded voices only where installed."""
    videos = []
    for kind in kinds:
        if kind == "recorded" and not all(_prompts(folder) for folder in PROMPTS):
            continue
        rng = np.random.default_rng((seed, len(kind)))
        videos.append(_over(f"{kind} alone", kind, _talk(kind, rng), None, "silence", None))
        voice = _talk(kind, rng)
        videos.append(_over(f"{kind} in a room", kind, voice, background("room", rng), "room", None))
        for name in ("street", "crowd", "music"):
            for level in (10.0, 0.0, -10.0):
                voice = _talk(kind, rng)
                # -20 LUFS of the voice is inside its utterances, as the level of a voice is meant.
                bed = background(name, rng) * np.float32(10 ** (-level / 20))
                videos.append(_over(f"{kind} over {name} {level:+.0f}", kind, voice, bed, name, level))
    return videos


def whispered_aside(seed: int) -> Video:
    """Talk at -20 LUFS, and between two passages a whisper 16 LU under it, in a room."""
    rng = np.random.default_rng((seed, 99))
    voice = _talk("synthetic", rng, 16.0)
    aside = at_level(utterances("whisper", rng)[0], -36.0)
    voice = np.concatenate([voice, np.zeros(round(1.0 * RATE), np.float32), aside, np.zeros(2 * RATE, np.float32)])
    seconds = voice.size / RATE
    return _over("a whispered aside", "whisper", voice, background("room", rng, seconds), "room", None)


def other_videos(seed: int) -> list[Video]:
    """Sound without a speaker: singing, lead lines, beds, laughter, animals, crowds, streets, silence, none."""
    from data.recipes.material.mix_voices import barks, birds, laughter, monkeys, singing, sung_diphones, sung_words

    rng = np.random.default_rng((seed, 7))
    size = round(SECONDS * RATE)
    sounds = [(f"singing alone {k + 1}", at_level(singing(rng, size), -20.0)) for k in range(3)]
    for k, level in enumerate((6.0, 0.0, 0.0, -6.0)):
        bed = background("music", rng)
        sung = at_level(singing(rng, size, bed), -20.0 + level)
        sounds.append((f"singing over music {k + 1}", sung + bed))
    choir = np.random.default_rng((seed, 8))
    singers = {"words": sung_words(choir, size, utterances("synthetic", choir)), "diphones": sung_diphones(choir, size)}
    if all(_prompts(folder) for folder in PROMPTS):
        singers["recorded words"] = sung_words(choir, size, utterances("recorded", choir))
    for name, line in singers.items():
        if line is not None:
            sounds.append((f"singing alone, {name}", at_level(line, -20.0)))
            sounds.append((f"singing over music, {name}", at_level(line, -14.0) + background("music", choir)))
    tracks = [str(name) for name in rng.permutation(MUSIC)[:6]]
    sounds += [(f"track: {name}", track(name, SECONDS, float(rng.uniform(10, 70)))) for name in tracks]
    sounds += [("laughter", laughter(rng, size)), ("dogs", barks(rng, size)), ("birds", birds(rng, size))]
    if (recorded := monkeys(PROMPTS[0], size)) is not None:
        sounds.append(("monkeys", recorded))
    sounds += [(name, background(name, rng)) for name in ("crowd", "street", "room")]
    videos = [Video(name, "none", name, None, sound * np.float32(0.8), None, [], "ambient") for name, sound in sounds]
    silent = np.zeros(size, dtype=np.float32)
    videos.append(Video("silence", "none", "silence", None, silent, None, [], "silent"))
    videos.append(Video("no audio", "none", "no audio", None, None, None, [], "none"))
    return videos
