"""Catalog texts that others wrote, what their own tags say, and the grades that follow from it.

`underscore_sources.toml` names two files of public repositories, with licence; `underscore_words.toml` says what the
words of their tags mean. A grade compares what an editor asked for in a script with a track's own tags: nobody
listened, and a description counts for nothing.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import re
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from workbench.catalog.track import Track
from workbench.errors import ResourceMissing

Part = Literal["fit", "test"]
Voice = Literal["heard", "none", "unknown"]

HERE = Path(__file__).parent
SHORTEST_SECONDS = 45.0
_MOOD_RANKS = (1.0, 0.75, 0.6)
"""worth of the first, second and third mood that a script asks for"""
_SPOILED = frozenset({"low quality", "poor audio quality", "bad audio quality", "noisy", "tutorial", "people talking"})
"""tags of recordings that no catalog would list"""
_LICENCE = re.compile(r"\s*\n?[^\n]*\(incompetech\.com\).*", re.DOTALL)
_LONGEST_TERM = 3


@dataclass(frozen=True)
class Source:
    """A file with catalog texts."""

    name: str
    count: int
    """tracks that are drawn from it"""
    file: str
    """its name in the folder"""
    repository: str
    commit: str
    path: str
    sha256: str
    licence: str


@dataclass(frozen=True)
class Script:
    """A text, and what an editor wants under it."""

    id: str
    register: str
    part: Part
    text: str
    moods: tuple[str, ...]
    unwanted: tuple[str, ...]
    energy: float
    families: tuple[str, ...]
    sounds: tuple[str, ...]
    voice: Literal["wanted", "barred", "unwelcome", "any"]
    language: str = "English"
    brief: str | None = None
    barred: tuple[str, ...] = ()
    """instruments that the brief rules out"""
    bpm: tuple[float, float] | None = None
    """of the brief"""
    excerpt_of: str | None = None


@dataclass(frozen=True)
class Tagged:
    """A track as its catalog writes it, and what its own tags say."""

    source: str
    track: Track
    moods: frozenset[str]
    families: frozenset[str]
    sounds: frozenset[str]
    voice: Voice
    energy: float | None


def sources() -> list[Source]:
    """All of them; nothing is fitted on any."""
    return [Source(**row) for row in tomllib.loads((HERE / "underscore_sources.toml").read_text())["source"]]


def scripts(part: Part | None = None) -> list[Script]:
    """The scripts of a part, all without one."""
    rows = tomllib.loads((HERE / "underscore_scripts.toml").read_text())["script"]
    return [_script(row) for row in rows if part in (None, row["part"])]


def tracks(folder: Path) -> list[Tagged]:
    """The tracks, drawn by the hash of their id; `ResourceMissing` for a missing or another file."""
    found: list[Tagged] = []
    for source in sources():
        path = folder / source.file
        told = f"{source.path} of github.com/{source.repository} at {source.commit[:10]}"
        if not path.is_file():
            raise ResourceMissing(f"{path}: no such file; it is {told}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != source.sha256:
            raise ResourceMissing(f"{path}: another file than {told}")
        whole = [tagged for tagged in READERS[source.name](path) if tagged.moods]
        whole.sort(key=lambda tagged: tagged.track.content_hash)
        found += whole[: source.count]
    return found


def grade(script: Script, tagged: Tagged) -> int:
    """3: an editor would take it; 2: it would do; 1: not wrong; 0: wrong.

    Mood counts most: the best of the track's moods, and the share of them that were asked for. Energy, genre and
    instruments add to it. A track has grade 0 if it breaks a rule, has none of the moods, or has as many unwanted moods
    as wanted ones; with one that is unwanted it has 1 at most.
    """
    worth = [_worth(script, mood) for mood in tagged.moods]
    unwanted = len(tagged.moods & set(script.unwanted))
    wanted = sum(value > 0 for value in worth)
    if not wanted or unwanted >= wanted or not keeps_rules(script, tagged):
        return 0
    mood = 0.5 * max(worth) + 0.5 * float(np.mean(worth))
    distance = None if tagged.energy is None else abs(script.energy - tagged.energy)
    energy = 0.5 if distance is None else 1.0 if distance <= 0.15 else 0.5 if distance <= 0.3 else 0.0
    family = 0.4 if not tagged.families else 1.0 if tagged.families & set(script.families) else 0.0
    sounds = min(1.0, 0.5 * len(set(script.sounds) & tagged.sounds))
    points = 2.0 * mood + 0.8 * energy + 0.8 * family + 0.4 * sounds
    if script.voice == "unwelcome" and tagged.voice == "heard":
        points -= 1.0
    if unwanted:
        points = min(points, 2.0)
    return 3 if points >= 3.1 else 2 if points >= 2.5 else 1 if points >= 1.8 else 0


def keeps_rules(script: Script, tagged: Tagged) -> bool:
    """Whether a track keeps the rules of a script's brief, as far as its own tags tell."""
    if script.voice == "wanted" and tagged.voice != "heard":
        return False
    if script.voice == "barred" and tagged.voice == "heard":
        return False
    if set(script.barred) & tagged.sounds:
        return False
    if script.bpm is None or tagged.track.bpm is None:
        return True
    return script.bpm[0] <= tagged.track.bpm <= script.bpm[1]


def label_words(kind: str) -> frozenset[str]:
    """The words that labels of a kind may use: moods, families or sounds."""
    return frozenset(_words()[kind])


def _worth(script: Script, mood: str) -> float:
    return _MOOD_RANKS[script.moods.index(mood)] if mood in script.moods else 0.0


def _script(row: Mapping[str, Any]) -> Script:
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    given["excerpt_of"] = given.pop("from", None)
    return Script(**given)


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads((HERE / "underscore_words.toml").read_text())


@cache
def _meanings(kind: str) -> dict[str, frozenset[str]]:
    """What each word of a kind stands for."""
    found: dict[str, set[str]] = {}
    for name, entry in _words()[kind].items():
        for word in (entry["words"] if isinstance(entry, dict) else entry).split():
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def _terms(tag: str) -> Iterator[str]:
    """The words of a tag, and two and three of them joined by hyphens."""
    words = re.findall(r"[a-z0-9&]+", tag.lower().replace("'", ""))
    for length in range(1, _LONGEST_TERM + 1):
        for at in range(len(words) - length + 1):
            yield "-".join(words[at : at + length])
    yield tag.lower().replace(" ", "")


def _named(kind: str, tags: Sequence[str]) -> frozenset[str]:
    meanings = _meanings(kind)
    affirmed = [tag for tag in tags if not re.match(r"(?:no|without)\b", tag.lower())]
    return frozenset(name for tag in affirmed for term in _terms(tag) for name in meanings.get(term, ()))


def _voice(tags: Sequence[str]) -> Voice:
    none = _words()["voice"]["none"].split()
    if any(term in none for tag in tags for term in _terms(tag)):
        return "none"
    return "heard" if "heard" in _named("voice", tags) else "unknown"


def _energy(moods: frozenset[str], tags: Sequence[str]) -> float | None:
    tempo = _words()["tempo"]
    found = [tempo[term] for tag in tags for term in _terms(tag) if term in tempo]
    found += [_words()["moods"][mood]["energy"] for mood in moods]
    return float(np.mean(found)) if found else None


def _tagged(source: str, name: str, said: Sequence[str], **fields: Any) -> Tagged:
    digest = hashlib.sha256(f"{source}/{name}".encode()).hexdigest()
    moods = _named("moods", said)
    return Tagged(
        source=source,
        track=Track(
            track_id=f"trk_{digest[:16]}", path=Path(f"/{digest[:16]}.wav"), content_hash=digest,
            catalog_song_id=f"{source}/{name}", **fields,
        ),
        moods=moods,
        families=_named("families", said),
        sounds=_named("sounds", said),
        voice=_voice(said),
        energy=_energy(moods, said),
    )  # fmt: skip


def _incompetech(path: Path) -> Iterator[Tagged]:
    """Titles, feels, instruments, a genre and a description of a few sentences."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT usuan, title, instruments, feel, description, bpm, genre, length FROM songs")
    for name, title, instruments, feel, description, bpm, genre, length in rows.fetchall():
        minutes, _, seconds = str(length).rpartition(":")
        lasts = 60.0 * float(minutes or 0) + float(seconds)
        if lasts < SHORTEST_SECONDS:
            continue
        feels, played = (
            [part.strip() for part in (text or "").split(",") if part.strip()] for text in (feel, instruments)
        )
        yield _tagged(
            "incompetech", name, [*feels, *played, genre], title=title, moods=tuple(feels), genres=(genre,),
            instruments=tuple(played), description=_LICENCE.sub("", description or "") or None,
            bpm=float(bpm) if bpm else None, duration_seconds=lasts,
        )  # fmt: skip
    database.close()


def _musiccaps(path: Path) -> Iterator[Tagged]:
    """Lists of aspects in free words, and a description; no titles, for these are clips."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            tags = [str(aspect) for aspect in ast.literal_eval(row["aspect_list"])]
            if _SPOILED & set(tags):
                continue
            yield _tagged("musiccaps", row["ytid"], tags, tags=tuple(tags), description=row["caption"])


READERS = {"incompetech": _incompetech, "musiccaps": _musiccaps}
