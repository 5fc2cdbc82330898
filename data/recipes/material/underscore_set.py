"""A set for ranking music against texts: 600 tracks written from drawn facets, and 73 texts with graded relevance.

Both sides are written from facets that neither shows: mood, energy, genre family, instruments, voice. A track's title,
description and lists are put together from phrases that catalogs use (`underscore_words.toml`), with gaps as real
catalogs have them; its measured numbers are its facets with noise. The texts (`underscore_scripts.toml`) are written by
hand, as they would be spoken. A grade, 0 to 3, compares the facets, never the words, and no ranking was looked at.

Twenty further tracks are stuffed with every keyword there is; they suit nothing.

Functions: `tracks`, `scripts`, `grades`, `columns_of`, `overlap`, `halves`, `constraints`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.catalog.columns import WORD_DIMS, Columns, empty_columns
from workbench.catalog.library import Library, LibraryEntry, Measurement
from workbench.catalog.texts import track_text
from workbench.catalog.track import Track
from workbench.character.descriptors import SOUND_DIMS
from workbench.home import Home
from workbench.language.embedding import SentenceEmbedding
from workbench.settings import load_settings
from workbench.store.database import Database

HERE = Path(__file__).parent
SEED, COUNT, STUFFED = 20261121, 600, 20
_WORDS = tomllib.loads((HERE / "underscore_words.toml").read_text(encoding="utf-8"))

SUITS = {
    "serene": ["ambient", "chamber", "acoustic", "lofi", "world"],
    "cosy": ["acoustic", "jazz", "lofi", "chamber", "bright_business", "kids", "country"],
    "joyful": ["pop", "acoustic", "funk_soul", "island", "bright_business", "kids", "latin"],
    "comic": ["kids", "jazz", "funk_soul", "orchestral"],
    "hopeful": ["bright_business", "orchestral", "pop", "chamber", "acoustic", "dance"],
    "epic": ["orchestral", "choir", "rock", "dance"],
    "hyped": ["dance", "rock", "bass_breaks", "hiphop", "pop"],
    "fierce": ["heavy", "rock", "bass_breaks", "hiphop"],
    "ominous": ["ambient", "orchestral", "retro_synth", "hiphop", "blues"],
    "suspense": ["orchestral", "ambient", "retro_synth", "jazz"],
    "terror": ["orchestral", "ambient"],
    "sorrow": ["chamber", "ambient", "acoustic", "orchestral", "choir"],
    "nostalgia": ["acoustic", "lofi", "chamber", "jazz", "retro_synth", "country"],
    "love": ["chamber", "acoustic", "funk_soul", "jazz", "pop"],
    "wonder": ["ambient", "orchestral", "chamber", "retro_synth", "choir", "world"],
    "swagger": ["hiphop", "funk_soul", "rock", "dance", "jazz", "blues"],
    "grave": ["chamber", "orchestral", "ambient", "choir"],
    "class": ["jazz", "chamber", "dance", "funk_soul", "lofi"],
    "party": ["dance", "latin", "funk_soul", "pop", "world"],
    "neutral": ["bright_business", "lofi", "dance", "retro_synth", "hiphop"],
}
"""families that tracks of a mood are written in, commonest first"""

NEAR = {
    frozenset(pair.split("-"))
    for pair in re.findall(
        r"\S+",
        "serene-cosy serene-wonder cosy-nostalgia cosy-love cosy-joyful joyful-comic joyful-party joyful-hopeful "
        "hopeful-epic hyped-fierce hyped-party hyped-epic epic-fierce ominous-suspense ominous-terror suspense-terror "
        "ominous-grave sorrow-grave sorrow-nostalgia sorrow-love nostalgia-love wonder-hopeful swagger-class "
        "swagger-hyped swagger-neutral class-love neutral-hopeful neutral-cosy grave-suspense wonder-grave",
    )
}
"""moods that do for one another at a pinch"""

NO_SINGING = {"ambient", "chamber", "orchestral", "bright_business", "lofi", "kids", "retro_synth", "choir"}


@dataclass(frozen=True)
class Facets:
    """What a track was written from."""

    mood: str
    second: str | None
    energy: float
    family: str
    sounds: tuple[str, ...]
    voice: bool
    drums: bool
    bpm: float
    mode: float
    brightness: float
    duration: float
    explicit: bool
    stuffed: bool = False


@dataclass(frozen=True)
class Script:
    """A text and what would suit it."""

    id: str
    text: str
    mood: tuple[str, ...]
    energy: float
    family: tuple[str, ...]
    sounds: tuple[str, ...]
    voice: str


def scripts() -> list[Script]:
    """All texts, in the order of the file."""
    return _read("underscore_scripts.toml")


def _read(name: str) -> list[Script]:
    rows = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["script"]
    return [
        Script(**{**row, "text": row["text"].strip()} | {key: tuple(row[key]) for key in ("mood", "family", "sounds")})
        for row in rows
    ]


def later_scripts() -> list[Script]:
    """Plainer texts that were written when all weights were fixed."""
    return _read("underscore_later.toml")


def halves(items: list[Script]) -> tuple[list[Script], list[Script]]:
    """The texts that weights may be fitted on, and those that are only reported on."""
    return items[0::2], items[1::2]


def tracks(seed: int = SEED) -> tuple[list[Track], list[Facets]]:
    """The catalog and what it was written from; ids tell nothing."""
    generator = np.random.default_rng(seed)
    moods = list(_WORDS["mood"])
    facets = [_drawn(generator, moods[index % len(moods)]) for index in range(COUNT)]
    made = [_written(generator, index, facet) for index, facet in enumerate(facets)]
    for index in range(STUFFED):
        facet = replace(_drawn(generator, str(generator.choice(moods))), stuffed=True)
        facets.append(facet)
        made.append(_stuffed(generator, COUNT + index, facet))
    order = generator.permutation(len(made))
    return [made[row] for row in order], [facets[row] for row in order]


def grade(script: Script, facet: Facets) -> int:
    """3: an editor would take it; 2: it would do; 1: not wrong; 0: wrong."""
    if facet.stuffed:
        return 0
    mood = max(_mood_fit(script, facet.mood), 0.6 * _mood_fit(script, facet.second) if facet.second else 0.0)
    distance = abs(script.energy - facet.energy)
    energy = 1.0 if distance <= 0.12 else 0.5 if distance <= 0.25 else 0.0
    family = 1.0 if facet.family in script.family[:2] else 0.7 if facet.family in script.family else 0.0
    sounds = min(1.0, 0.5 * len(set(script.sounds) & set(facet.sounds)))
    points = 2.0 * mood + 0.8 * energy + 0.8 * family + 0.4 * sounds
    if script.voice == "no" and facet.voice:
        points -= 1.0
    if mood == 0.0 or distance > 0.4:
        return 0
    return 3 if points >= 3.3 else 2 if points >= 2.6 else 1 if points >= 1.9 else 0


def grades(items: list[Script], facets: list[Facets]) -> NDArray[np.int64]:
    """Shape (n_scripts, n_tracks)."""
    return np.array([[grade(script, facet) for facet in facets] for script in items])


def columns_of(
    made: list[Track], facets: list[Facets], embedding: SentenceEmbedding | None, seed: int = SEED + 1
) -> Columns:
    """The facts of the tracks: their facets as they would be measured, with noise, a few not at all."""
    generator = np.random.default_rng(seed)
    columns = empty_columns(np.array([track.track_id for track in made]))

    def noisy(values: list[float], spread: float, low: float = 0.0, high: float = 1.0) -> NDArray[np.float32]:
        found = np.clip(np.array(values) + generator.normal(0, spread, len(values)), low, high)
        found[generator.random(len(values)) < 0.03] = np.nan
        return found.astype(np.float32)

    columns.bpm[:] = [
        track.bpm if track.bpm is not None else facet.bpm for track, facet in zip(made, facets, strict=True)
    ]
    columns.energy[:] = noisy([facet.energy for facet in facets], 0.08)
    columns.brightness[:] = noisy([facet.brightness for facet in facets], 0.08)
    columns.mode[:] = noisy([facet.mode for facet in facets], 0.35, -1.0, 1.0)
    for name, fact in (("vocals", "voice"), ("drums", "drums")):
        truth = np.where([getattr(facet, fact) for facet in facets], 0.88, 0.08)
        getattr(columns, name)[:] = np.clip(truth + generator.normal(0, 0.05, len(made)), 0, 1)
    columns.density[:] = noisy([1.0 + 5.0 * facet.energy for facet in facets], 0.6, 0.0, 12.0)
    columns.duration[:] = [facet.duration for facet in facets]
    columns.dynamics[:] = noisy([9.0 - 6.0 * facet.energy for facet in facets], 1.0, 0.5, 20.0)
    columns.lufs[:] = noisy([-20.0 + 9.0 * facet.energy for facet in facets], 1.5, -30.0, -6.0)
    columns.explicit[:] = [int(facet.explicit) for facet in facets]
    columns.beats_per_bar[:] = 4
    sound = generator.normal(size=(len(made), SOUND_DIMS))
    columns.sound[:] = sound / np.linalg.norm(sound, axis=1, keepdims=True)
    if embedding is not None:
        texts = [track_text(track) for track in made]
        columns.words[:] = embedding.embed(texts).astype(np.float16).reshape(len(made), WORD_DIMS)
    return columns


def fill(home: Home, made: list[Track], columns: Columns) -> None:
    """Put the tracks into a home's catalog, their facts as if they had been measured."""
    entries = [LibraryEntry(track.path, track.known(), track.track_id, track.content_hash) for track in made]
    facts = ("bpm", "energy", "brightness", "density", "mode", "lufs", "duration", "vocals", "drums", "dynamics")
    measurements = [
        Measurement(
            track.content_hash,
            "benchmark",
            {name: float(getattr(columns, name)[row]) for name in facts if np.isfinite(getattr(columns, name)[row])},
            columns.contour[row],
            columns.sound[row],
        )
        for row, track in enumerate(made)
    ]
    database = Database.at(home, load_settings())
    Library(database).add_all(entries, measurements)
    database.close()


def overlap(items: list[Script], made: list[Track], table: NDArray[np.int64]) -> float:
    """Content words of a text that a track which suits it has too: the mean share over all such pairs."""
    said = [_content(script.text) for script in items]
    described = [_content(track_text(track)) for track in made]
    pairs = np.argwhere(table >= 2)
    return float(np.mean([len(said[s] & described[t]) / len(said[s]) for s, t in pairs]))


ELECTRONIC = ("dance", "retro_synth", "bass_breaks")
CONSTRAINTS: dict[str, str] = {
    "no vocals please": "not facet.voice",
    "Instrumental only, warm and human": "not facet.voice",
    "calm bed, no drums": "not facet.drums",
    "something beatless, drumless, that floats": "not facet.drums",
    "under 100 bpm": "facet.bpm < 100",
    "driving, at least 120 bpm": "facet.bpm >= 120",
    "between 90 and 110 bpm, nothing sad": "90 <= facet.bpm <= 110 and facet.mood != 'sorrow'",
    "minor key, brooding": "facet.mode < 0",
    "major key, friendly, without guitar": "facet.mode > 0 and not {'guitar', 'electric_guitar'} & set(facet.sounds)",
    "nothing explicit, with vocals": "facet.voice and not facet.explicit",
    "like a lullaby": "facet.energy <= 0.45 and facet.bpm <= 100 and not facet.drums",
    "at least 2 minutes long, no singing": "facet.duration >= 120 and not facet.voice",
    "don't want anything electronic, max 115 bpm": "facet.family not in ELECTRONIC and facet.bpm <= 115",
    "no piano, no strings, slower than 105 bpm": "not {'piano', 'strings'} & set(facet.sounds) and facet.bpm < 105",
}
"""briefs, and the rule on the facets that each of the ten has to obey"""


def holds(brief: str, facet: Facets) -> bool:
    """Whether a track obeys a brief of `CONSTRAINTS`."""
    return bool(
        eval(CONSTRAINTS[brief], {"facet": facet, "set": set, "ELECTRONIC": ELECTRONIC})
    )  # our own table, a line above


def _mood_fit(script: Script, mood: str | None) -> float:
    if mood is None:
        return 0.0
    if mood in script.mood:
        return (1.0, 0.75, 0.6)[script.mood.index(mood)]
    return 0.4 if frozenset((mood, script.mood[0])) in NEAR else 0.0


def _drawn(generator: np.random.Generator, mood: str) -> Facets:
    entry = _WORDS["mood"][mood]
    suits = SUITS[mood]
    chances = np.array([1.0 / (1 + place) for place in range(len(suits))])
    family = str(generator.choice(suits, p=chances / chances.sum()))
    kin = [next(iter(pair - {mood})) for pair in sorted(NEAR, key=sorted) if mood in pair]
    second = str(generator.choice(kin)) if kin and generator.random() < 0.4 else None
    energy = float(generator.uniform(*entry["energy"]))
    band = _WORDS["family"][family]
    drums = bool(generator.random() < band["drums"] * min(1.0, 0.4 + 1.3 * energy))
    sounds = [str(sound) for sound in generator.permutation(band["sounds"])[: generator.integers(2, 4)]]
    sounds = [sound for sound in sounds if drums or sound != "drums"]
    low, high = band["bpm"]
    bpm = low + (high - low) * float(np.clip(energy + generator.normal(0, 0.2), 0, 1))
    voice = bool(family not in NO_SINGING and generator.random() < 0.38)
    return Facets(
        mood=mood, second=second, energy=energy, family=family, sounds=tuple(sounds), voice=voice, drums=drums,
        bpm=round(bpm, 1), mode=1.0 if generator.random() < (1 + entry["mode"]) / 2 else -1.0,
        brightness=float(np.clip(band["bright"] + 0.25 * (energy - 0.5) + generator.normal(0, 0.06), 0, 1)),
        duration=round(float(generator.uniform(75, 260)), 1), explicit=bool(voice and generator.random() < 0.2),
    )  # fmt: skip


def _written(generator: np.random.Generator, index: int, facet: Facets) -> Track:
    """A track as a catalog would hold it, with the gaps that catalogs have."""

    def some(pool: list[str], most: int) -> list[str]:
        return [str(item) for item in generator.permutation(pool)[: generator.integers(1, most + 1)]]

    mood, family = _WORDS["mood"][facet.mood], _WORDS["family"][facet.family]
    played = [str(generator.choice(_WORDS["sounds"][sound])) for sound in facet.sounds]
    labels = some(mood["labels"], 3)
    if facet.second is not None:
        labels.append(str(generator.choice(_WORDS["mood"][facet.second]["labels"])))
    line = str(generator.choice(mood["lines"]))
    described = (
        f"{line[0].upper()}{line[1:]}, {' and '.join(played[:2])}." if played else f"{line[0].upper()}{line[1:]}."
    )
    if facet.voice and generator.random() < 0.6:
        described += f" {generator.choice(['Sung by a duo.', 'Lead singer up front.', 'Verses and a sung refrain.'])}"
    given = generator.random(6)
    return Track(
        track_id=f"trk_{index:04d}", path=Path(f"/{index:04d}.wav"), content_hash=f"{index:064x}",
        catalog_song_id=f"track_{index:04d}", title=_title(generator),
        artist_name=" ".join((str(generator.choice(_WORDS["titles"]["words"])), str(generator.choice(_ENSEMBLES)))),
        description=described if given[0] < 0.8 else None,
        moods=tuple(labels) if given[1] < 0.7 else (),
        genres=tuple(some(family["labels"], 2)) if given[2] < 0.8 or given[0] >= 0.8 else (),
        instruments=tuple(played) if given[3] < 0.6 or given[0] >= 0.8 else (),
        tags=tuple(some(mood["labels"] + family["labels"], 3)) if given[4] < 0.5 or given[1] >= 0.7 else (),
        bpm=facet.bpm, duration_seconds=facet.duration, instrumental=not facet.voice,
        explicit=facet.explicit, musical_key_mode="major" if facet.mode > 0 else "minor",
    )  # fmt: skip


def _stuffed(generator: np.random.Generator, index: int, facet: Facets) -> Track:
    """A track that claims to suit everything."""
    labels = [label for entry in _WORDS["mood"].values() for label in entry["labels"]]
    styles = [label for entry in _WORDS["family"].values() for label in entry["labels"]]
    uses = "vlog travel wedding cooking sports trailer documentary corporate news kids horror sale love story family"
    return Track(
        track_id=f"trk_{index:04d}", path=Path(f"/{index:04d}.wav"), content_hash=f"{index:064x}",
        catalog_song_id=f"track_{index:04d}", title=f"Best Background Music For Videos {index}", artist_name="Top Hits",
        description=f"Perfect for {' '.join(map(str, generator.permutation(uses.split())))}, any script and any mood.",
        moods=tuple(map(str, generator.permutation(labels)[:40])),
        genres=tuple(map(str, generator.permutation(styles)[:30])),
        tags=tuple(map(str, generator.permutation(uses.split()))), bpm=facet.bpm, duration_seconds=facet.duration,
        instrumental=not facet.voice, explicit=facet.explicit,
    )  # fmt: skip


_ENSEMBLES = ("Trio", "Works", "Club", "Arts")


def _title(generator: np.random.Generator) -> str:
    return f"{generator.choice(_WORDS['titles']['words'])} {generator.choice(_WORDS['titles']['nouns'])}"


_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have he her his i if in is it its of on or our she so that "
        "the their them then they this to up was we were what when where which who will with you your not no all one "
        "out into over under us me my than there",
    )
)


def _content(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower())) - _FUNCTION_WORDS
