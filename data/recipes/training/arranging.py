"""How a band plays a song: who is there, in which sections each plays, fills, crashes, breaks, beginnings and endings.

A style says what its players do, a `PlayerLayer` each, and `play` makes a score of it. Rows may be one, several (one is
drawn for verses, one for choruses, …), or given by the kind of section. Sections of one kind keep their rows: that is
how a listener recognises a chorus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np

from data.recipes.training.composition import ComposedNote, Role, Score, TempoChange
from data.recipes.training.tonality import PieceKey
from data.recipes.training.writing import (
    DRUMS,
    Feel,
    Rng,
    SongDraft,
    WrittenSection,
    chance,
    draw_key,
    drum_notes,
    fill_notes,
    form,
    pick,
    vary_rows,
)

T = TypeVar("T")
Write = Callable[[SongDraft, str, WrittenSection], None]
"""writes one section of the named player"""
Choice: TypeAlias = Sequence[T] | Mapping[str, T | Sequence[T]] | T
Find = Callable[[Rng, str], T]
"""looks up by kind of section"""
Rows = Mapping[str, str]
Intro = Literal["full", "drumless", "alone", "drums", "bass", "bare"]

_LIKE = {
    "intro": "verse", "outro": "chorus", "pre": "verse", "drop": "chorus", "solo": "chorus", "b": "chorus",
    "c": "bridge", "a": "verse", "head": "verse", "theme": "chorus", "break": "verse", "build": "verse",
    "end": "chorus",
}  # fmt: skip

SONG = (
    "intro4 verse8 chorus8 verse8 chorus8 bridge8 chorus8 outro4",
    "intro8 verse16 chorus8 verse16 chorus8 bridge8 chorus16",
    "verse8 pre4 chorus8 verse8 pre4 chorus8 bridge4 chorus8 outro4",
    "intro4 verse8 verse8 chorus8 verse8 chorus8 solo8 chorus8",
    "chorus4 verse8 chorus8 verse8 chorus8 break4 chorus8 outro2",
    "intro2 verse8 pre8 chorus8 verse8 pre8 chorus8 solo8 chorus8 outro4",
    "intro8 a8 b8 a8 b8 c8 b8 outro8",
)
"""forms of songs"""
CLUB = (
    "intro8 verse8 break8 build4 drop16 verse8 break8 build4 drop16 outro8",
    "intro8 a16 b16 break8 build8 drop16 a8 outro8",
    "intro4 verse16 build8 drop16 break8 build8 drop16 outro8",
    "intro8 drop16 break8 drop16 break4 build4 drop16",
    "verse8 build4 drop8 verse8 build4 drop8 break8 build4 drop8",
)
"""forms of dance music"""
LOOP = (
    "intro4 a8 b8 a8 break4 a8 b8 outro4", "intro8 a16 b8 a16 b8", "a8 a8 b8 a8 break8 b8 a8",
    "intro2 a8 b8 a8 c8 b8 a8",
    "intro4 theme8 verse8 theme8 verse8 solo8 theme8 outro4",
)  # fmt: skip
"""forms of pieces that turn round one idea"""


def drawn(choice: Choice[T]) -> Find[T]:
    """A lookup by kind of section that draws once for each group of kinds and then keeps to it."""
    kept: dict[str, T] = {}

    def find(rng: Rng, kind: str) -> T:
        group = kind
        options: object = choice
        if isinstance(choice, Mapping) and not _is_rows(choice):
            group = next(name for name in (kind, _LIKE.get(kind, ""), "", next(iter(choice))) if name in choice)
            options = choice[group]
        else:
            group = _LIKE.get(kind, kind)
        if group not in kept:
            one_of = isinstance(options, (list, tuple))
            kept[group] = pick(rng, options) if one_of else options  # type: ignore[arg-type, assignment]
        return kept[group]

    return find


def _is_rows(choice: object) -> bool:
    """Whether a mapping is a drum pattern and not patterns by kind of section."""
    return isinstance(choice, Mapping) and bool(choice) and set(choice) <= set(DRUMS)


class Presence(TypedDict, total=False):
    """What may be said of any player: how often it sits a section out, and how many songs have it."""

    leaves: float
    there: float


class Kinds(Presence, total=False):
    """Also the kinds of section that it plays in."""

    kinds: str


class Loose(Kinds, total=False):
    """Also how late it plays."""

    late_ms: float


class LayerPlace(Loose, total=False):
    """Also how much energy a section must have for it."""

    need: float


class LeadPlace(Presence, total=False):
    """What may be said of a lead, whose kinds of section are an argument of their own."""

    need: float
    late_ms: float


@dataclass
class PlayerLayer:
    """A player and what it does."""

    name: str
    role: Role
    programs: int | Sequence[int]
    write: Write
    need: float = 0.0
    """how much energy a section must have for the player to be in"""
    kinds: str = ""
    """the kinds of section it plays in, all where empty"""
    late_ms: float = 0.0
    leaves: float = 0.08
    """share of sections it sits out all the same"""
    there: float = 1.0
    """share of songs that have the player"""


def beat(
    rows: Choice[Rows], kits: int | Sequence[int] = (0, 8), vary: float = 0.04,
    often: Sequence[str] = ("snare", "kick"),
    need: float = 0.3, late_ms: float = 0.0, name: str = "drums", **more: Unpack[Kinds],
) -> PlayerLayer:  # fmt: skip
    """A drummer; a fifth of the songs repeat their pattern exactly, as loops do, the others vary it a little."""
    find: Find[Rows] = drawn(rows)

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        pattern = find(song.rng, section.kind)
        level = 0.8 + 0.22 * section.energy
        for first in range(0, len(section.bars), 4):
            bars = section.bars[first : first + 4]
            now = vary_rows(song.rng, pattern, often, vary) if vary and chance(song.rng, 0.6) else pattern
            song.parts[player].notes += drum_notes(_on_bar(now, first), bars, section.metre, level)

    settings: Kinds = {"leaves": 0.0, **more}
    return PlayerLayer(name, "drums", kits, write, need=need, late_ms=late_ms, **settings)


def _on_bar(rows: Rows, first: int) -> dict[str, str]:
    """Rows turned so that their first bar is bar `first` of the section."""
    turned = {}
    for drum, row in rows.items():
        bars = row.split("|")
        at = first % len(bars)
        turned[drum] = "|".join(bars[at:] + bars[:at])
    return turned


def bass(
    rows: Choice[str], programs: int | Sequence[int] = (33, 34), low: int = 28, short: float = 0.95,
    need: float = 0.3, level: float = 1.0, **more: Unpack[Loose],
) -> PlayerLayer:  # fmt: skip
    """A bass player."""
    find: Find[str] = drawn(rows)

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        song.bass(section, find(song.rng, section.kind), low, level, short)

    return PlayerLayer("bass", "bass", programs, write, need=need, **more)


def strum(
    name: str, programs: int | Sequence[int], rows: Choice[str], low: int = 52, high: int = 74, voices: int = 4,
    shape: Literal["close", "spread", "power"] = "close", short: float = 0.9, level: float = 0.95,
    role: Role = "chords",
    **more: Unpack[LayerPlace],
) -> PlayerLayer:  # fmt: skip
    """Chords in a rhythm."""
    find: Find[str] = drawn(rows)

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        row = find(song.rng, section.kind)
        song.chords(player, section, row, low, high, voices, level * (0.8 + 0.2 * section.energy), short, shape)

    return PlayerLayer(name, role, programs, write, **more)


def figure(
    name: str, programs: int | Sequence[int], rows: Choice[str], low: int = 55, high: int = 79, voices: int = 4,
    level: float = 0.9, short: float = 0.95, role: Role = "riff", **more: Unpack[LayerPlace],
) -> PlayerLayer:  # fmt: skip
    """Broken chords."""
    find: Find[str] = drawn(rows)

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        song.figure(player, section, find(song.rng, section.kind), low, high, voices, level, short)

    return PlayerLayer(name, role, programs, write, **more)


def riff(
    name: str, programs: int | Sequence[int], rows: Choice[str], low: int = 40, level: float = 1.0, short: float = 0.9,
    fifths: bool = False, role: Role = "riff", **more: Unpack[LayerPlace],
) -> PlayerLayer:  # fmt: skip
    """A riff over the key."""
    find: Find[str] = drawn(rows)

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        song.riff(player, section, find(song.rng, section.kind), low, level, short, fifths=fifths)

    return PlayerLayer(name, role, programs, write, **more)


def pad(
    name: str, programs: int | Sequence[int], low: int = 52, high: int = 76, voices: int = 4, level: float = 0.75,
    **more: Unpack[LayerPlace],
) -> PlayerLayer:  # fmt: skip
    """Held chords."""

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        song.pad(player, section, low, high, voices, level)

    return PlayerLayer(name, "pad", programs, write, **more)


def lead(
    programs: int | Sequence[int], kinds: str = "verse chorus pre solo a b c theme head drop bridge", low: int = 60,
    high: int = 81, density: tuple[float, float] = (0.7, 1.8), syncopation: tuple[float, float] = (0.1, 0.6),
    grid: int | None = None, level: float = 1.0, scale: str | None = None, name: str = "lead", role: Role = "melody",
    **more: Unpack[LeadPlace],
) -> PlayerLayer:  # fmt: skip
    """A singer or soloist; what it sings is drawn anew for each kind of section."""

    def write(song: SongDraft, player: str, section: WrittenSection) -> None:
        finest = grid or (3 if song.division == 3 else 2)
        feel = Feel(
            float(song.rng.uniform(*density)),
            float(song.rng.uniform(*syncopation)),
            0.1 + 0.3 * song.rng.random(),
            finest,
        )
        key = PieceKey(song.key.tonic, scale) if scale else None
        song.tune(player, section, feel, low, high, level, key=key)

    return PlayerLayer(name, role, programs, write, kinds=kinds, **more)


def play(
    rng: Rng, style: str, bpm: float, harmony: Mapping[str, Sequence[str]], layers: Sequence[PlayerLayer],
    forms: Sequence[str] = SONG, metre: int = 4, division: Literal[2, 3] = 2, swing: float = 0.5,
    swung: Literal[2, 4] = 2, rubato: float | None = None, fills: float = 0.7, crashes: float = 0.65,
    breaks: float = 0.12, intros: Sequence[Intro] = ("full", "drumless", "alone", "drums", "bass", "bare"),
    rings: float = 0.5, ritard: float = 0.12, drummed_pickup: float = 0.12, short_bar: float = 0.03, lift: float = 0.06,
    tags: Sequence[str] = (),
) -> Score:  # fmt: skip
    """Compose a song: draw form, key and progressions, let every layer play, then shape beginning, joints and ending.

    `harmony` gives progressions by mode. `fills` and `crashes` are shares of the joints between sections that have
    one, `breaks` of those before which everybody stops, `rings` of the songs that end on a held chord.
    """
    mode = pick(rng, tuple(harmony), [len(bank) ** 0.5 for bank in harmony.values()])
    bank = harmony[mode]
    progressions = {kind: pick(rng, bank) for kind in ("", "chorus", "bridge", "b", "c", "drop", "solo")}
    if chance(rng, 0.35):
        progressions = {"": progressions[""]}
    if "drop" in progressions:
        progressions["drop"] = progressions["chorus"]
    plan = form(rng, pick(rng, forms), metre * 60.0 / bpm)
    ending = chance(rng, rings)
    if ending:
        plan.append(("end", 1))
        tonic = "i" if PieceKey(0, mode).minor else "I"
        progressions["end"] = tonic
    total = sum(count for _, count in plan)
    odd: dict[int, int] = {}
    if metre == 4 and chance(rng, short_bar * 2):
        ends = np.cumsum([count for _, count in plan])[:-1]
        odd = {int(end) - 1: 2 for end in ends if 3 < end < total - 1 and chance(rng, 0.6)}
    song = SongDraft(
        rng, style, bpm, draw_key(rng, (mode,)), plan, progressions, metre, division, odd,
        lift=int(pick(rng, (1, 2))) if chance(rng, lift) else 0,
    )  # fmt: skip
    hired = [layer for layer in layers if layer.there >= 1 or chance(rng, layer.there)]
    for layer in hired:
        programs = layer.programs
        program = programs if isinstance(programs, int) else int(pick(rng, tuple(programs)))
        song.part(layer.name, layer.role, program, layer.late_ms * rng.uniform(0.5, 1.2))
    intro = pick(rng, tuple(intros))
    shy = rng.uniform(0, 0.25) if chance(rng, 0.5) else 0.0
    for place, section in enumerate(song.sections):
        if section.kind == "end":
            continue
        players = _players(rng, hired, section, place, intro, shy)
        for layer in players:
            layer.write(song, layer.name, section)
    _joints(song, fills, crashes, breaks)
    if ending:
        _last_chord(song)
    pickup = 0
    if "drums" in song.parts and chance(rng, drummed_pickup):
        pickup = _count_in(song)
    tempo: list[TempoChange] = []
    if rubato is None and chance(rng, 0.07):
        later = pick(rng, song.sections[1:] or song.sections)
        tempo.append(TempoChange(later.at, float(rng.uniform(0.92, 1.1)), float(pick(rng, (0, 4, 16)))))
    slowing = chance(rng, ritard)
    if slowing:
        slow = 2 * metre
        tempo += [TempoChange(song.sections[-1].end - slow, float(rng.uniform(0.6, 0.85)), float(slow))]
    freedom = rubato if rubato is not None else float(pick(rng, (0.0, 0.0, 0.01, 0.025)))
    extra = ["ritardando"] if slowing else []
    return song.finish(swing, swung, freedom, pickup, tempo, tags=[*tags, *extra])


def _players(
    rng: Rng, layers: Sequence[PlayerLayer], section: WrittenSection, place: int, intro: Intro, shy: float
) -> list[PlayerLayer]:
    """Who plays in a section; never nobody, and after the beginning seldom only what has no pulse."""
    energy = section.energy - (shy if section.turn == 0 else 0.0) + rng.uniform(-0.05, 0.05)
    wanted = [layer for layer in layers if not layer.kinds or section.kind in layer.kinds.split()]
    players = [layer for layer in wanted if energy >= layer.need and not chance(rng, layer.leaves)]
    pitched = [layer for layer in wanted if layer.role in ("riff", "chords", "pad")]
    if place == 0 and section.kind == "intro":
        first = pick(rng, pitched) if pitched else layers[0]
        sides = {
            "full": players,
            "drumless": [layer for layer in players if layer.role != "drums"],
            "alone": [first],
            "drums": [layer for layer in wanted if layer.role == "drums"],
            "bass": [layer for layer in wanted if layer.role in ("bass", "drums")],
            "bare": [layer for layer in wanted if layer.role == "bass"] + [first],
        }
        players = sides[intro]
    moving = [layer for layer in wanted if layer.role not in ("pad", "melody")]
    if moving and place > 0 and {layer.role for layer in players} <= {"pad", "melody"} and chance(rng, 0.75):
        players = [*players, pick(rng, moving)]
    if not players:
        players = [pick(rng, pitched)] if pitched else [layers[0]]
    return players


def _joints(song: SongDraft, fills: float, crashes: float, breaks: float) -> None:
    """Fills and breaks before sections, crashes on them, small fills inside long ones."""
    rng = song.rng
    for section, following in zip(song.sections, [*song.sections[1:], None], strict=True):
        drummed = "drums" in song.parts and any(
            section.at <= note.at < section.end for note in song.parts["drums"].notes
        )
        if drummed and len(section.bars) >= 8 and chance(rng, 0.35 * fills):
            middle = section.bars[3]
            beats = pick(rng, (1, 2))
            song.clear("drums", middle.at + middle.beats - beats, middle.at + middle.beats)
            song.parts["drums"].notes += fill_notes(rng, middle.at + middle.beats - beats, beats, song.division, 0.9)
        if following is None:
            continue
        if section.kind != "break" and chance(rng, breaks):
            length = float(pick(rng, (1, 2, song.metre)))
            left = pick(rng, (("lead",), (), ("riff", "lead"), ("drums",)))
            song.stop(section.end - length, section.end, left)
            if drummed and length >= 2 and chance(rng, 0.4):
                song.parts["drums"].notes += fill_notes(rng, section.end - 1, 1, song.division)
        elif drummed and following.kind != "end" and chance(rng, fills):
            song.fill(section)
        if "drums" in song.parts and following.energy >= 0.55 and chance(rng, crashes):
            song.crash(following.at, 0.85 + 0.15 * following.energy)


def _last_chord(song: SongDraft) -> None:
    """The tonic on the downbeat of the last bar, held by all who are there."""
    section = song.sections[-1]
    for part in song.parts.values():
        if part.role == "bass":
            part.notes += [
                ComposedNote(section.at, section.beats * 0.9, 28 + (song.harmony.at(section.at).bass - 28) % 12, 100)
            ]
        elif part.role in ("chords", "pad"):
            keys = song.voicing("end", section.at, song.harmony.at(section.at), 50, 76, 4)
            part.notes += [ComposedNote(section.at, section.beats * 0.9, key, 88) for key in keys]
    if "drums" in song.parts:
        song.crash(section.at)


def _count_in(song: SongDraft) -> int:
    """Drums that lead into the first bar; returns the beats of the pick-up."""
    beats = int(pick(song.rng, (1, 1, 2, song.metre - 1)))
    if chance(song.rng, 0.5):
        song.parts["drums"].notes += fill_notes(song.rng, -float(beats), beats, song.division)
    else:
        drum = DRUMS[pick(song.rng, ("stick", "pedal", "hat"))]
        song.parts["drums"].notes += [ComposedNote(-float(back), 0.25, drum, 88) for back in range(1, beats + 1)]
    return beats


# --- progressions that several families share ------------------------------------------------------------------------

POP = (
    "I | V | vi | IV",
    "vi | IV | I | V",
    "I | vi | IV | V",
    "IV | I | V | vi",
    "I | IV | vi | V",
    "I V | vi IV",
    "IV | V | iii7 | vi",
    "I | iii | IV | V",
    "I | V/3 | vi | IV | I/3 | IV | ii7 | V",
    "vi | V | IV | V",
    "IVmaj7 | V | vi | I",
    "I | I/3 | IV | Vsus4 V",
    "ii7 | IV | I | V",
    "Iadd9 | IVadd9",
    "IV | IV | I | V",
    "I | % | IV | % | vi | V | IV | V",
    "I | ii7 | IV | V7",
    "vi | iii | IV | I",
)
POP_MINOR = (
    "i | bVI | bIII | bVII",
    "i | bVII | bVI | bVII",
    "i | iv | bVI | V",
    "bVI | bVII | i | i",
    "i | bIII | bVII | iv",
    "i | v7 | bVI | bVII",
    "i7 | % | iv7 | %",
    "i | bVII | iv | bVI",
    "bVI | bVII | v7 | i",
    "i bVII | bVI V",
    "iv | i | bVI | bVII",
    "i | % | bVI | % | bIII | % | bVII | %",
)
ROCK = (
    "I | bVII | IV | I",
    "I | IV | V | IV",
    "I | IV",
    "I | % | IV | I",
    "I bVII | IV I",
    "I | V | IV | IV",
    "I | bIII | IV | I",
    "I | IV | I | V",
    "vi | IV | I | V",
    "I IV | V IV",
    "I | % | % | % | IV | % | V | IV",
)
ROCK_MINOR = (
    "i | bVI | bVII | i",
    "i | bVII | bVI | bVII",
    "i | % | bIII | bVII",
    "i | bIII | IV | bVI",
    "i bVII | bVI V",
    "i | iv | i | bVI bVII",
    "i5 | % | bVI5 | bVII5",
)
BLUES = (
    "I7 | % | % | % | IV7 | % | I7 | % | V7 | IV7 | I7 | V7",
    "I7 | IV7 | I7 | % | IV7 | % | I7 | % | V7 | IV7 | I7 | V7",
    "I7 | IV7 | I7 | % | IV7 | iv7 | I7 | VI7 | ii7 | V7 | I7 VI7 | ii7 V7",
)
BLUES_MINOR = (
    "i7 | % | % | % | iv7 | % | i7 | % | bVI7 | V7 | i7 | V7",
    "i7 | iv7 | i7 | % | iv7 | % | i7 | % | bVI7 | V7 | i7 | %",
)
SOUL = (
    "I | vi7 | ii7 | V7",
    "Imaj7 | IVmaj7",
    "I | iii7 | IV | V",
    "ii7 | V7 | Imaj7 | vi7",
    "I | I7 | IV | iv",
    "IVmaj7 | iii7 | ii7 | Imaj7",
    "I | ii7 | iii7 | IV",
    "vi7 | ii7 | V7 | Imaj7",
    "I/5 | IV | I/5 | V9sus4",
    "Imaj7 | V/3 | vi7 | IVmaj7 | ii7 | V7 | I | V9sus4",
)
VAMP = (
    "i7 | %",
    "i7 | IV7",
    "i9 | % | IV9 | %",
    "i7 | bVII",
    "i7 | v7",
    "i7 | bIIImaj7 | IV7 | %",
    "i7 | % | % | % | IV9 | % | i7 | V7#9",
)
VAMP_MAJOR = ("I7 | %", "I9 | IV9", "I7 | IV7 | I7 | V9", "I7 | bVII | IV7 | I7", "I9 | % | % | % | IV9 | % | I9 | V9")
CLUB_MINOR = (
    "i | % | bVI | %",
    "i | bVII | bVI | bVII",
    "i | bVI | bIII | bVII",
    "i",
    "i7 | iv7",
    "i9 | bVImaj7",
    "i7 | bVII",
    "bVI | bVII | i | i",
    "iv7 | v7 | i7 | %",
    "i | i | bIII | iv",
)
JAZZY = (
    "ii9 | V13 | Imaj9 | vi7",
    "Imaj9 | VI7b9 | ii9 | V13",
    "ii7 | V7 | Imaj7 | %",
    "Imaj7 | ii7",
    "IVmaj9 | iii7 | ii9 | Imaj9",
    "Imaj9 | IVmaj9 | iii7 vi7 | ii9 V13",
    "vi9 | ii9 | IVmaj9 | V9sus4",
)
JAZZY_MINOR = (
    "i9 | iv9",
    "ii7b5 | V7b9 | i9 | %",
    "i9 | bVImaj7 | ii7b5 | V7#9",
    "i7 | iv7 | bVII9 | bIIImaj9",
    "i9 | IV9",
    "iv9 | i9",
)
LATIN = (
    "I | IV | V7 | IV",
    "I | V7 | V7 | I",
    "I | IV | V7 | %",
    "ii7 | V7 | I | %",
    "I | vi | ii7 | V7",
    "I IV | V7 IV",
)
LATIN_MINOR = (
    "i | iv | V7 | i",
    "i | V7 | V7 | i",
    "i | bVII | bVI | V7",
    "i iv | V7 iv",
    "iv | i | V7 | i",
    "i | % | iv | V7",
)

KEYS, ORGANS = (0, 1, 2, 3), (16, 17, 18, 19)
EPIANOS = (4, 5)
STEELS, CLEANS, DRIVES = (24, 25), (26, 27), (29, 30)
BASSES, FRETLESS, SYNTH_BASSES = (33, 34, 36), (32, 35), (38, 39, 87)
PADS, LEADS = (88, 89, 90, 91, 92, 94, 95, 48, 50, 51), (80, 81, 82, 83, 84, 87)
VOICES = (52, 53, 54, 85, 65, 66, 71, 73, 82, 40, 22, 11, 56)
STRINGS = (48, 49, 50, 51)
BRASS = (61, 62, 63, 56, 57)
