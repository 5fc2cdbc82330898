"""Why a track is put forward for a text, in words.

A line of the match map sets a request, or a reading of the text, beside a fact of the track: numbers as they were
compared, with unit, and words as in the track's own text. What moved the score most comes first, after the rules of the
brief. Only what counted in the score is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.catalog.certainty import tempo_words, voice_words
from workbench.catalog.track import Track
from workbench.matching.brief import Brief
from workbench.matching.columns import Columns
from workbench.matching.lane import MatchReason
from workbench.matching.language.languages import ENGLISH
from workbench.matching.language.lexicon import KINDS, Kind, lexicon
from workbench.matching.rules import MOST_QUOTED, listed, sentences_on_brief
from workbench.matching.script import Reading
from workbench.matching.script_ranking import Part, RankedTracks, ScriptWants
from workbench.matching.texts import Names, facets_named
from workbench.params import UnderscoreParams
from workbench.recording import FloatArray

_MOST_REASONS = 6
"""lines of a match map; more only where rules take more"""
_USUAL = 0.5
"""a part that does not move the score"""
_MIN_TOPIC = 0.25
"""cosine from where on a shared topic is worth a line"""
_MOSTLY = 0.15
"""of a mode, from where on a key is called minor or major"""
_COUNTS = 0.2
"""of a wanted facet, from where on a tag that names it counts as matched"""


@dataclass(frozen=True, slots=True, eq=False)
class ScriptReading:
    """One script with the tracks that were ranked for it."""

    script: str
    reading: Reading
    wanted: ScriptWants
    ranked: RankedTracks
    columns: Columns
    facets: FloatArray
    """shape (n, n_facets), 0 to 1, as they were compared"""
    platform: str | None


def reasons(ranking: ScriptReading, row: int, names: Names, params: UnderscoreParams) -> tuple[MatchReason, ...]:
    """Lines of the match map of one ranked track, what moved its score most first."""
    rules = ranking.ranked.rules.reasons(row)
    weighed: list[tuple[float, MatchReason]] = []
    for part, values in ranking.ranked.parts.items():
        facts = _facts(part, ranking, row, names)
        if facts is not None:
            moved = float(getattr(params.model, f"{part}_weight")) * abs(float(values[row]) - _USUAL)
            weighed.append((moved, MatchReason(*facts, score=min(1.0, max(0.0, float(values[row]))))))
    weighed.sort(key=lambda pair: (-pair[0], pair[1].video))
    return (*rules, *(reason for _, reason in weighed))[: max(_MOST_REASONS, len(rules) + 3)]


def explanation(ranking: ScriptReading, row: int, names: Names) -> str:
    """Why a track fits, or does not, in one sentence."""
    columns = ranking.columns
    last_resort = ranking.ranked.rules.last_resort(row)
    if last_resort:
        return last_resort
    named = names["moods"]
    facts = [f"described as {listed(named[:2])}"] if named else []
    facts += [text for text in (_number(columns, row, "energy"), _number(columns, row, "bpm")) if text]
    vocals = float(columns.vocals[row])
    if np.isfinite(vocals):
        facts.append("no voice" if vocals < _USUAL else "a voice")
    if not ranking.wanted.facets.any():
        what = listed(facts) if facts else "little known of it"
        return f"{what[0].upper()}{what[1:]}: nothing else was asked of it, for there was nothing to read in the text."
    sought = listed(ranking.wanted.names("moods", 2)) or "plain"
    close = float(ranking.ranked.scores[row])
    fit = "close to" if close >= 0.35 else "somewhat like" if close >= 0.15 else "far from"
    what = listed(facts) if facts else "little known of it"
    sentence = (
        f"{what[0].upper()}{what[1:]}: {fit} the {sought} music at energy {ranking.wanted.sound.energy:.2f} that suits."
    )
    if facts and not any(names.values()):
        sentence += " Its text names no mood, genre or instrument, so it was ranked by its sound."
    return sentence


def matched_tags(ranking: ScriptReading, track: Track) -> tuple[str, ...]:
    """Words of the track's own lists that name wanted facets, without repetition, in the order of the record."""
    counts = frozenset(map(int, np.flatnonzero(ranking.wanted.facets >= _COUNTS)))
    words = dict.fromkeys((*track.moods, *track.genres, *track.instruments, *track.tags))
    return tuple(word for word in words if counts & facets_named(word))


def lane_title(ranking: ScriptReading) -> str:
    """A title for the ranked music, in a few words."""
    moods, genres = ranking.wanted.names("moods", 2), ranking.wanted.names("genres", 1)
    kind = f"{listed(moods) or 'fitting'} {genres[0] if genres else ''}".strip()
    where = f" for {ranking.platform.strip()[:40]}" if ranking.platform and ranking.platform.strip() else ""
    return f"{kind[0].upper()}{kind[1:]} music, about {ranking.wanted.sound.bpm:.0f} bpm{where}"


def lane_reasoning(ranking: ScriptReading, brief: Brief, best: Sequence[int]) -> str:
    """How the text was read and what was compared, in plain words."""
    return " ".join(_sentences(ranking, brief, best))


def _sentences(ranking: ScriptReading, brief: Brief, best: Sequence[int]) -> Iterator[str]:
    yield from _sentences_on_text(ranking, brief)
    if brief.requested.any() or brief.energy is not None or brief.bpm is not None:
        yield "The brief counted for more than the script."
    yield from sentences_on_brief(brief, ranking.ranked.rules, best)
    if ranking.platform and ranking.platform.strip():
        known = ranking.wanted.steer is not None
        yield f"{ranking.platform.strip()[:40]} {'moved energy, opening and length' if known else 'was a weak steer'}."
    if not len(ranking.columns):
        yield "The catalog holds no track that could be put forward."


def _sentences_on_text(ranking: ScriptReading, brief: Brief) -> Iterator[str]:
    """How the script was read, and by which reader."""
    wanted, reading = ranking.wanted, ranking.reading
    usual = f"energy {wanted.sound.energy:.2f} of 1, about {wanted.sound.bpm:.0f} bpm"
    if not reading.readable:
        asked = brief.constraints or brief.requested.any()
        yield "The text says nothing about music: hardly a word of it is known in any language that is read here."
        yield (
            f"So tracks were put in order by {'the brief and by ' if asked else ''}what suits most texts: {usual}, "
            f"{'a singing voice' if wanted.voice else 'no singing'}."
        )
        return
    mode = wanted.sound.mode
    key = " in a minor key" if mode < -_MOSTLY else " in a major key" if mode > _MOSTLY else ""
    read = listed([f"{name} ({100 * share:.0f} %)" for name, share in _shares(wanted, "moods")])
    if read:
        yield f"What is said reads as {read}."
    yield (
        f"Music with {usual}{key} suits it; {listed(wanted.names('genres')) or 'no genre'} and "
        f"{listed(wanted.names('instruments')) or 'no instrument'} above others."
    )
    if reading.denials:
        denied = listed([f'"{feeling}" as {opposite}' for feeling, opposite in reading.denials[:MOST_QUOTED]])
        yield f"What the text denies was read as its opposite: {denied}."
    if reading.scene is not None:
        yield f"Single words make it {reading.scene}."
    if reading.by_embedding:
        yield "The script's meaning was read by a sentence embedding, joined with the lexicon's words."
    else:
        yield (
            "No sentence embedding is at hand: the lexicon of moods, genres, instruments and scenes did the work, "
            "by single words."
        )
    if reading.language != ENGLISH:
        yield (
            f"The script seems to be in {reading.language}, which is read only in part: "
            "what it asks for is near the usual, and a brief in English would help."
        )


def _facts(part: Part, ranking: ScriptReading, row: int, names: Names) -> tuple[str, str] | None:
    """What a part of the score compared: the fact of the script, then that of the track; None if one is missing."""
    sound, columns = ranking.wanted.sound, ranking.columns
    if part in KINDS:
        named, shares = names[part], _shares(ranking.wanted, part)
        if not named or not shares:
            return None
        read = listed([f"{name} {100 * share:.0f} %" for name, share in shares])
        return (
            f"reads as {read}" if part == "moods" else f"{part} that suit: {read}",
            f"its text names {listed(named[:4])}",
        )
    if part == "topic":
        if ranking.wanted.vector is None or not columns.words[row].any():
            return None
        cosine = float(columns.words[row].astype(np.float32) @ ranking.wanted.vector)
        return (
            ("what the script is about", f"text with a cosine of {cosine:.2f} to it") if cosine >= _MIN_TOPIC else None
        )
    if part == "opening":
        first = np.asarray(columns.contour[row, :2], dtype=np.float64)
        return (
            (f"{ranking.platform}: a quick opening", f"energy {first.mean():.2f} in its first sixteenth")
            if np.isfinite(first).all()
            else None
        )
    if part == "length":
        assert ranking.wanted.steer is not None
        length = _number(columns, row, "duration")
        return (f"{ranking.platform}: {ranking.wanted.steer.seconds:.0f} s or more", length) if length else None
    fact = _number(columns, row, _FACT_OF[part])
    if fact is None:
        return None
    expected: Mapping[Part, str] = {
        "energy": f"energy {sound.energy:.2f} of 1 suits",
        "pace": f"about {sound.bpm:.0f} bpm suits",
        "brightness": f"brightness {sound.brightness:.2f} of 1 suits",
        "mode": f"mode {sound.mode:+.2f} from -1 minor to +1 major suits",
        "voice": "a singing voice was asked for"
        if ranking.wanted.voice
        else f"{len(ranking.script.split())} words to be spoken",
    }
    return expected[part], fact


_FACT_OF: Mapping[Part, str] = {
    "energy": "energy", "pace": "bpm", "brightness": "brightness", "mode": "mode", "voice": "vocals"
}  # fmt: skip


def _number(columns: Columns, row: int, name: str) -> str | None:
    """A fact with its unit; None where it is not known."""
    value = float(getattr(columns, name)[row])
    if not np.isfinite(value):
        return None
    if name == "bpm":
        return tempo_words(value, int(columns.tempo_certainty[row]), ".4g")
    return {
        "energy": f"energy {value:.2f} of 1",
        "brightness": f"brightness {value:.2f} of 1",
        "mode": f"mode {value:+.2f} from -1 minor to +1 major",
        "vocals": voice_words(value),
        "duration": f"{value:.0f} s long",
    }[name]


def _shares(wanted: ScriptWants, kind: Kind) -> list[tuple[str, float]]:
    """The facets of a kind that are wanted most, each with its share of the kind."""
    total = float(wanted.facets[lexicon().of(kind)].sum())
    shares = (float(wanted.facets[index]) / total for index in wanted.strongest(kind))
    return list(zip(wanted.names(kind), shares, strict=True))
