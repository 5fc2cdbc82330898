"""What the voice network learns from: people who speak, what sounds beside them, and singing, none of it made here.

Packages of Debian's main archive, fetched and unpacked, nothing installed: spoken words and sentences in some thirty
languages by some fifty people (drawing, letter and doll games, a puzzle with dialogues, telephone prompts, briefings of
a strategy game), music of nine games, and sounds of games. None of the voices is one of *voices by others*, which are
for fitting thresholds and for testing; of the recordings to test nothing is here, and two sources of music to fit are.

A clip of speech is trimmed and brought to one level; it is left out where its background is less than 29 dB under it,
for then nobody knows when the voice sounds. Singing is what the same people say, sung by analysis and synthesis
(`mix_voices.sung_words`), and a synthesised singer.

Functions: `fetch_sources`, `read_bank`; classes: `Source`, `Bank`, `Clip`.
"""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from data.recipes.material import mix_voices
from data.recipes.material.mix_videos import RATE as SCENE_RATE
from data.recipes.material.recordings import fetch_package

RATE = 16_000
STEP = 80
"""samples in which it is known whether a voice sounds, 5 ms"""
SUFFIXES = frozenset({".ogg", ".wav", ".opus", ".flac", ".gsm"})
Kind: TypeAlias = Literal["speech", "music", "sound", "sung"]
Samples: TypeAlias = NDArray[np.int16]
BoolArray: TypeAlias = NDArray[np.bool_]
_ARCHIVES = (".wz", ".pk3", ".zip")
_SPOKEN_RMS, _OTHER_RMS = 0.05, 0.08
_SOUNDING, _CLEAN = 1e-3, 10**-2.9  # of the power of what is said
_MUSIC_SECONDS, _SOUND_SECONDS = 20.0, 12.0
_SUNG_SECONDS = 24.0
_NO_SOUND = re.compile("voice|vox|music|human|speech|talk", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """Files of a package that are of one kind."""

    package: str
    kind: Kind
    part: str = ""
    """that their paths contain"""
    who: Callable[[Path], str] = lambda path: ""
    """who speaks, by the file"""
    minutes: float = 15.0
    """at most, of each who speaks or of the package"""
    bytes: tuple[int, int] = (0, 10**9)


def _language(path: Path) -> str:
    found = re.search(r"_desc_(\w+)\.", path.name)
    return found.group(1) if found else "en"


def _character(path: Path) -> str:
    found = re.search(r"-([mv])-", path.name)
    return found.group(1) if found else "other"


def _folder_after(name: str) -> Callable[[Path], str]:
    return lambda path: path.parts[path.parts.index(name) + 1]


SOURCES = (
    Source("tuxpaint-stamps-default", "speech", "_desc", _language, 7, (9000, 10**9)),
    Source("fillets-ng-data-cs", "speech", "/sound/", _character, 20, (15_000, 10**9)),
    Source("klettres-data", "speech", "/klettres/", _folder_after("klettres"), 1, (6000, 10**9)),
    Source("ktuberling-data", "speech", "/sounds/", _folder_after("sounds"), 3, (3000, 90_000)),
    Source("asterisk-prompt-fr-armelle", "speech", bytes=(1300, 10**9), minutes=4),
    Source("asterisk-prompt-es-co", "speech", bytes=(1300, 10**9), minutes=4),
    Source("warzone2100-data", "speech", "/audio/tutorial/", minutes=4, bytes=(6000, 10**9)),
    Source("warzone2100-data", "speech", "/audio/memressp/", minutes=4, bytes=(6000, 10**9)),
    Source("unknown-horizons", "speech", "/voice/", _folder_after("voice"), 1),
    Source("wesnoth-1.16-music", "music", minutes=16),
    Source("drascula-music", "music", minutes=19),
    Source("0ad-data", "music", "/audio/music/", minutes=25),
    Source("nexuiz-music", "music", minutes=9),
    Source("widelands-data", "music", "music", minutes=10),
    Source("fillets-ng-data", "music", "/music/", minutes=10),
    Source("unknown-horizons", "music", "/music/", minutes=7),
    Source("fretsonfire-songs-sectoid", "music", "/song.ogg", minutes=3),
    Source("lincity-ng-data", "music", minutes=2),
    Source("wesnoth-1.16-data", "sound", minutes=1, bytes=(3000, 400_000)),
    Source("minetest-data", "sound", minutes=1, bytes=(3000, 400_000)),
    Source("widelands-data", "sound", minutes=2, bytes=(3000, 400_000)),
    Source("warzone2100-data", "sound", "/audio/sfx/", minutes=2, bytes=(3000, 400_000)),
    Source("lugaru-data", "sound", minutes=1, bytes=(3000, 400_000)),
    Source("0ad-data", "sound", "/audio/ambient/", minutes=2, bytes=(3000, 400_000)),
    # What a training is watched on.
    Source("fillets-ng-data-nl", "speech", "/sound/", _character, 2, (15_000, 10**9)),
    Source("ardentryst", "music", minutes=6),
)
WATCHED = frozenset({"fillets-ng-data-nl", "ardentryst"})
"""packages that are not learned from"""
PACKAGES = frozenset(source.package for source in SOURCES)
SMALL_PACKAGES = WATCHED | {
    "asterisk-prompt-fr-armelle", "asterisk-prompt-es-co", "drascula-music", "minetest-data"
}  # fmt: skip
"""a hundred megabytes, to try the program with"""


@dataclass(frozen=True, eq=False)
class Clip:
    """A stretch of sound, mono at `RATE`, as long as whole steps."""

    kind: Kind
    package: str
    who: str
    samples: Samples
    sounds: BoolArray
    """shape (n_steps,): whether the voice sounds; False throughout where nobody speaks"""


Bank: TypeAlias = list[Clip]


def fetch_sources(folder: Path, packages: Collection[str] = PACKAGES) -> None:
    """Fetch the packages into a folder, one folder a package, and unpack the archives in them that hold sound.

    Parameters
    ----------
    folder : gets them
    packages : those of `SOURCES` that are fetched

    Raises
    ------
    subprocess.CalledProcessError : a package cannot be had
    """
    for package in dict.fromkeys(source.package for source in SOURCES):
        if package not in packages or (folder / package).exists():
            continue
        print(f"[voices] {package}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix=f".{package}-", dir=folder) as scratch:
            fetch_package(Path(scratch), package, SUFFIXES | frozenset(_ARCHIVES))
            unpacked = Path(scratch) / package
            for path in sorted(unpacked.rglob("*")):
                if path.suffix in _ARCHIVES:
                    unzip(path)
            unpacked.rename(folder / package)


def unzip(path: Path) -> None:
    """Put the sound of an archive into a folder beside it, and delete the archive."""
    to = path.with_name(path.name + ".unpacked")
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if Path(name).suffix in SUFFIXES:
                archive.extract(name, to)
    path.unlink()


def read_bank(folder: Path, packages: Collection[str] = PACKAGES, sung_lines: int = 200) -> Bank:
    """Read what `fetch_sources` fetched, and make the singing.

    Parameters
    ----------
    folder : with a folder a package
    packages : those of `SOURCES` that are read
    sung_lines : of 24 s each; a fourth of them by the synthesised singer
    """
    bank: Bank = []
    for source in (source for source in SOURCES if source.package in packages):
        rng = np.random.default_rng(len(bank))
        seconds = dict[str, float]()
        paths = [path for path in sorted((folder / source.package).rglob("*")) if _is_of(path, folder, source)]
        for k in rng.permutation(len(paths)).tolist():
            who = source.who(paths[k])
            if seconds.get(who, 0.0) >= 60 * source.minutes:
                continue
            for clip in _clips(source, who, paths[k], rng):
                bank.append(clip)
                seconds[who] = seconds.get(who, 0.0) + clip.samples.size / RATE
    return bank + _sung(bank, sung_lines)


def _is_of(path: Path, folder: Path, source: Source) -> bool:
    inside = f"/{path.relative_to(folder)}"
    if path.suffix not in SUFFIXES or source.part not in inside:
        return False
    if source.kind == "sound" and _NO_SOUND.search(inside):
        return False
    return source.bytes[0] <= path.stat().st_size <= source.bytes[1]


def _clips(source: Source, who: str, path: Path, rng: np.random.Generator) -> list[Clip]:
    raw = {"format": "RAW", "subtype": "GSM610", "samplerate": 8000, "channels": 1} if path.suffix == ".gsm" else {}
    try:
        sound, rate = soundfile.read(path, dtype="float32", always_2d=True, **raw)
    except soundfile.LibsndfileError as error:
        print(f"[voices] left out: {error}", file=sys.stderr, flush=True)
        return []
    mono = np.asarray(soxr.resample(sound.mean(axis=1), rate, RATE), dtype=np.float32)
    if source.kind == "speech":
        spoken = speech_clip(mono)
        return [] if spoken is None else [Clip("speech", source.package, who, *spoken)]
    size = round((_MUSIC_SECONDS if source.kind == "music" else _SOUND_SECONDS) * RATE)
    if source.kind == "music":
        firsts = [round(mono.size * rng.uniform(*share)) for share in ((0.1, 0.4), (0.45, 0.8))]
        parts = [mono[first : first + size] for first in firsts if mono.size > 3 * size]
    else:
        parts = [mono[:size]]
    return [clip for part in parts if (clip := _other(source.kind, source.package, who, part)) is not None]


def speech_clip(sound: NDArray[np.float32]) -> tuple[Samples, BoolArray] | None:
    """A clip of speech, trimmed and at its level, and in which steps it sounds; None where that is not known.

    Parameters
    ----------
    sound : mono at `RATE`
    """
    steps = sound.size // STEP
    power = (sound[: steps * STEP].reshape(-1, STEP).astype(np.float64) ** 2).mean(axis=1)
    if steps < 50 or power.max() <= 1e-6:
        return None
    spoken = power[power > power.max() * 1e-4].mean()
    if np.quantile(power, 0.04) > spoken * _CLEAN:
        return None
    heard = np.flatnonzero(power > spoken * _SOUNDING)
    first, stop = max(0, int(heard[0]) - 4), min(steps, int(heard[-1]) + 5)
    if not 0.25 <= (stop - first) * STEP / RATE <= 15.0:
        return None
    cut = sound[first * STEP : stop * STEP] * (_SPOKEN_RMS / np.sqrt(spoken))
    return _samples(cut), (power > spoken * _SOUNDING)[first:stop]


def _other(kind: Kind, package: str, who: str, sound: NDArray[np.float32]) -> Clip | None:
    sound = sound[: sound.size // STEP * STEP]
    rms = float(np.sqrt(np.mean(sound.astype(np.float64) ** 2))) if sound.size else 0.0
    if rms < 1e-4 or sound.size < RATE // 10:
        return None
    level = _SPOKEN_RMS if kind == "sung" else _OTHER_RMS
    return Clip(kind, package, who, _samples(sound * (level / rms)), np.zeros(sound.size // STEP, dtype=bool))


def _samples(sound: NDArray[np.float64] | NDArray[np.float32]) -> Samples:
    return (sound * (32767 / max(1.0, float(np.abs(sound).max()) / 0.99))).astype(np.int16)


def _sung(bank: Bank, lines: int) -> Bank:
    voices: dict[tuple[str, str], list[Samples]] = {}
    for clip in bank:
        if clip.kind == "speech" and clip.package not in WATCHED:
            voices.setdefault((clip.package, clip.who), []).append(clip.samples)
    singers = [said for said in voices.values() if len(said) > 8]
    size = round(_SUNG_SECONDS * SCENE_RATE)
    found = list[Clip]()
    for k in range(lines):
        rng = np.random.default_rng((k, 1000))
        if k % 4 == 3 or not singers:
            line = mix_voices.singing(rng, size)
        else:
            said = singers[k % len(singers)]
            chosen = [said[n].astype(np.float32) / 32768 for n in rng.permutation(len(said))[:14].tolist()]
            line = mix_voices.sung_words(
                rng, size, [np.asarray(soxr.resample(one, RATE, SCENE_RATE), dtype=np.float32) for one in chosen]
            )
        sung = _other("sung", "", "", np.asarray(soxr.resample(line, SCENE_RATE, RATE), dtype=np.float32))
        if sung is not None:
            found.append(sung)
    return found
