"""Order tracks for a text: what the music should be, how near each track comes, and which rules it breaks.

What is wanted comes from three sources: the reading of the script; a brief, which counts for more, facet by facet and
only for the kinds it names, so that one that names moods leaves the instruments to the script; and the platform, which
only changes the energy, and asks for a quick opening or for length.

A track is compared part by part, each from 0 to 1: moods, genres and instruments that its text names, those that are
listed before those of description and title (`texts.facets_of`), as the cosine to those wanted; energy, pace,
brightness and mode, as nearness to the expected sound; voice, because a voice that sings competes with one that speaks;
topic, the cosine of script and track in the sentence embedding; opening and length where the platform asks for them.
Parts that rest on words count less the less a text is trusted (`texts.trust_in`), so that naming everything gains
nothing. An unknown value counts as usual. The raw score is the weighted mean; a logistic curve (`lane.calibrated`)
makes it absolute.

Constraints do not change a score, they part the list: first the tracks that satisfy all, then those of which one is not
known, last those that break one, each part by score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from workbench.catalog.certainty import possible_tempi
from workbench.matching.brief import Brief, Constraint
from workbench.matching.columns import Columns
from workbench.matching.index import best_places
from workbench.matching.lane import Calibration, calibrated
from workbench.matching.language.lexicon import (
    KINDS,
    ExpectedSound,
    Kind,
    lexicon,
    read_lexicon,
    strongest,
    strongest_facets,
)
from workbench.matching.rules import JudgedRules, judge_rules
from workbench.matching.script import Reading
from workbench.matching.texts import nearness_of
from workbench.params import UnderscoreParams
from workbench.recording import FloatArray, IntArray

Part: TypeAlias = Literal[
    "moods", "genres", "instruments", "energy", "pace", "brightness", "mode", "voice", "topic", "opening", "length"
]
WORD_PARTS: tuple[Part, ...] = ("moods", "genres", "instruments", "topic")
"""parts that rest on the text of a track"""


class Steer(NamedTuple):
    """The needs of a platform."""

    energy: float
    """added to the expected energy"""
    quick: bool
    """whether the first seconds decide"""
    seconds: float
    """length that is needed, if the track cannot be looped"""
    facets: tuple[str, ...]
    """moods that do well there"""


PLATFORMS: dict[str, Steer] = {
    "tiktok": Steer(0.12, True, 15.0, ("energetic", "playful")),
    "reels": Steer(0.08, True, 15.0, ("cool", "happy")),
    "shorts": Steer(0.08, True, 15.0, ("energetic", "playful")),
    "linkedin": Steer(-0.04, False, 30.0, ("focused", "uplifting")),
    "youtube": Steer(0.0, False, 120.0, ()),
}
"""by a part of the platform's name; the first that is found counts"""
ENERGY_REACH, BRIGHTNESS_REACH = 0.6, 0.5  # differences at which the part is 0
PACE_REACH = 1.0  # octaves of tempo at which the part is 0
_SHARPNESS = 2.5  # power of the facets; above 1 the first ones count for more
_UNKNOWN_TOPIC = 0.4  # of a track without a word vector
_TOPIC_FULL = 0.35  # cosine from where on a topic counts fully
_WEAK_STEER = 0.15
"""weight of the moods of a platform beside those of the script"""
_UNKNOWN_DISTANCE = 0.3
"""distance of an unknown number, among all tracks of a large catalog only"""
_LEAST_NAMED = 0.2  # of a wanted facet, from where on it is named
_TRIED_FIRST = 4
"""times the tracks wanted: of so many sums are formed first, to learn which others can be passed over"""


@dataclass(frozen=True, slots=True, eq=False)
class ScriptWants:
    """The music to look for."""

    facets: FloatArray
    """shape (n_facets,), each kind of length 1, or zeros if nothing of a kind is asked for"""
    sound: ExpectedSound
    voice: bool
    """whether a singing voice was asked for"""
    steer: Steer | None
    """of the platform; None for one that is not known"""
    constraints: tuple[Constraint, ...]
    vector: FloatArray | None
    """shape (384,), of the script"""

    def names(self, kind: Kind, most: int = 3) -> list[str]:
        """The facets of a kind that are wanted most, strongest first."""
        return strongest_facets(self.facets, (kind,), _LEAST_NAMED, most)

    def strongest(self, kind: Kind) -> list[int]:
        """Indices of the facets that `names` names."""
        return strongest(self.facets, (kind,), _LEAST_NAMED)


@dataclass(frozen=True, slots=True, eq=False)
class RankedTracks:
    """Tracks in order; the arrays stand in the order of the columns that were ranked."""

    order: IntArray
    """shape (n,), rows, best first"""
    parts: dict[Part, FloatArray]
    """shape (n,) each, 0 to 1"""
    raw: FloatArray
    """shape (n,), weighted mean of the parts"""
    scores: FloatArray
    """shape (n,), 0 to 1, absolute"""
    rules: JudgedRules


def want(reading: Reading, brief: Brief, platform: str | None, params: UnderscoreParams) -> ScriptWants:
    """The music to look for, by script, brief (the caller's and the script's production notes) and platform.

    A platform that `steer_of` does not know is read by the lexicon, with little weight.
    """
    book = lexicon()
    steer = steer_of(platform) if platform else None
    extra: FloatArray = np.zeros(len(book.names))
    if steer is not None:
        extra[[book.index(name) for name in steer.facets]] = 1.0
    elif platform:
        extra = read_lexicon(platform).facets
    facets = np.zeros(len(book.names))
    for kind in KINDS:
        where = book.of(kind)
        script = _unit(np.power(_unit(reading.facets[where]), _SHARPNESS))
        mine = _unit(script + _WEAK_STEER * extra[where])
        asked = _unit(brief.requested[where])
        share = params.brief_share if asked.any() else 0.0
        facets[where] = _unit((1.0 - share) * mine + share * asked)
    sound = _asked_sound(reading.sound, brief, params)
    if steer is not None:
        sound = sound._replace(energy=float(np.clip(sound.energy + steer.energy, 0.05, 0.95)))
    return ScriptWants(facets, sound, brief.wants_voice, steer, brief.constraints, reading.vector)


def steer_of(platform: str) -> Steer | None:
    """The needs of a platform by its name in any spelling ("TikTok", "Instagram Reels"); None if it is not known."""
    letters = "".join(letter for letter in platform.lower() if letter.isalnum())
    return next((steer for name, steer in PLATFORMS.items() if name in letters), None)


def nearest(wanted: ScriptWants, named: FloatArray, columns: Columns, count: int, params: UnderscoreParams) -> IntArray:
    """The tracks of a large catalog that are worth comparing part by part.

    They are those of the highest sums of what texts name less the distances in energy, pace and voice. Distances only
    take off, so no sum exceeds what the text names: the sums of those whose texts name most are formed first, and all
    tracks that cannot reach the `count`-th of them are passed over. None of the nearest is missed.

    `named`, shape (n,), is how well the text of each track agrees, weighted; -inf for one that may not be found.
    Returns rows, best first, at most `count`; equal ones in their order.
    """
    first = best_places(named, _TRIED_FIRST * count)
    first = first[named[first] > -np.inf]
    if not first.size:
        return np.empty(0, dtype=np.int64)
    sums = _less_distances(wanted, named, first, columns, params)
    rows = np.flatnonzero(named >= np.sort(sums)[-min(count, sums.size)])
    return np.asarray(rows[best_places(_less_distances(wanted, named, rows, columns, params), count)], dtype=np.int64)


def _less_distances(
    wanted: ScriptWants, named: FloatArray, rows: IntArray, columns: Columns, params: UnderscoreParams
) -> FloatArray:
    """Agreement of the texts of rows, less the distances in energy, pace and voice, shape (m,)."""
    total = named[rows]
    for value, weight in (
        (np.abs(columns.energy[rows] - np.float32(wanted.sound.energy)), params.model.energy_weight / ENERGY_REACH),
        (_octaves(wanted, columns.bpm[rows], columns.tempo_certainty[rows]), params.model.pace_weight / PACE_REACH),
        (np.abs(columns.vocals[rows] - np.float32(wanted.voice)), params.model.voice_weight),
    ):
        total = total - np.float32(weight) * np.where(np.isnan(value), np.float32(_UNKNOWN_DISTANCE), value)
    return np.asarray(total)


def rank(
    wanted: ScriptWants, columns: Columns, facets: FloatArray, trust: FloatArray, params: UnderscoreParams | None = None
) -> RankedTracks:
    """All tracks in order: by their worst judgement on a constraint, then by score, then id.

    `facets`, shape (n, n_facets), is how far what their texts name counts, 0 to 1 (`texts.facets_of`), and `trust`,
    shape (n,), how far the texts are trusted.
    """
    params = params or UnderscoreParams()
    parts = compare(wanted, columns, facets, trust)
    raw = raw_scores(parts, params)
    rules = judge_rules(wanted.constraints, columns, facets)
    scores = calibrated(raw, Calibration(params.model.calibration_offset, params.model.calibration_slope))
    order = np.lexsort((np.asarray(columns.track_ids).astype(str), -raw, -rules.standing))
    return RankedTracks(np.asarray(order, dtype=np.int64), parts, raw, scores, rules)


def compare(wanted: ScriptWants, columns: Columns, facets: FloatArray, trust: FloatArray) -> dict[Part, FloatArray]:
    """Compare tracks with the reading of a text, part by part, shape (n,) each, 0 to 1.

    `facets` and `trust` are as of `rank`; opening and length are compared only where the platform asks for them.
    """
    parts: dict[Part, FloatArray] = {}
    for kind in KINDS:
        parts[kind] = nearness_of(kind, wanted.facets, facets)
    sound = wanted.sound
    parts["energy"] = _near(columns.energy, sound.energy, ENERGY_REACH)
    parts["pace"] = _near(_octaves(wanted, columns.bpm, columns.tempo_certainty), 0.0, PACE_REACH)
    parts["brightness"] = _near(columns.brightness, sound.brightness, BRIGHTNESS_REACH)
    parts["mode"] = _known((1.0 + np.asarray(columns.mode, dtype=np.float64) * sound.mode) / 2.0)
    voice = _known(np.asarray(columns.vocals, dtype=np.float64))
    parts["voice"] = voice if wanted.voice else 1.0 - voice
    parts["topic"] = _topic(wanted, columns)
    if wanted.steer is not None:
        if wanted.steer.quick:
            parts["opening"] = _opening(columns)
        long_enough = np.clip(np.asarray(columns.duration, dtype=np.float64) / wanted.steer.seconds, 0.0, 1.0)
        parts["length"] = np.maximum(_known(long_enough), np.nan_to_num(np.asarray(columns.loopable)))
    for name in WORD_PARTS:
        parts[name] = parts[name] * trust
    return parts


def _octaves(wanted: ScriptWants, bpm: FloatArray, certainty: IntArray) -> FloatArray:
    """How far tempi are from the expected one, octaves, shape (n,): the nearer one where two are possible, else NaN."""
    return np.asarray(np.abs(np.log2(possible_tempi(bpm, certainty) / wanted.sound.bpm)).min(axis=0))


def raw_scores(parts: dict[Part, FloatArray], params: UnderscoreParams) -> FloatArray:
    """The weighted mean of the parts."""
    weights = {name: float(getattr(params.model, f"{name}_weight")) for name in parts}
    total = sum(weights.values())
    return np.asarray(sum(weight / total * parts[name] for name, weight in weights.items()), dtype=np.float64)


def _asked_sound(sound: ExpectedSound, brief: Brief, params: UnderscoreParams) -> ExpectedSound:
    """The expected sound, moved by what the brief names."""
    asked = brief.sound
    if asked is not None:
        share = params.brief_share if brief.names_moods else params.brief_share / 2
        bpm = sound.bpm ** (1 - share) * asked.bpm**share  # tempi are compared as ratios, so is their mean
        sound = ExpectedSound(
            (1 - share) * sound.energy + share * asked.energy,
            bpm,
            (1 - share) * sound.brightness + share * asked.brightness,
            (1 - share) * sound.mode + share * asked.mode,
        )
    if brief.energy is not None:
        sound = sound._replace(energy=brief.energy)
    if brief.bpm is not None:
        sound = sound._replace(bpm=brief.bpm)
    return sound


def _topic(wanted: ScriptWants, columns: Columns) -> FloatArray:
    if wanted.vector is None:
        return np.full(len(columns), _UNKNOWN_TOPIC)
    words = np.asarray(columns.words, dtype=np.float32)
    cosine = words @ wanted.vector.astype(np.float32)
    return np.where(words.any(axis=1), np.clip(cosine / _TOPIC_FULL, 0.0, 1.0), _UNKNOWN_TOPIC)


def _opening(columns: Columns) -> FloatArray:
    """How soon a track reaches its usual energy: energy of its first sixteenth over its median, 0 to 1."""
    contour = np.asarray(columns.contour, dtype=np.float64)
    known = np.isfinite(contour).all(axis=1)
    usual = np.median(np.where(np.isfinite(contour), contour, 0.0), axis=1)
    first = np.nan_to_num(contour[:, :2]).mean(axis=1)
    return np.where(known & (usual > 0), np.clip(first / np.where(usual > 0, usual, 1.0), 0.0, 1.0), 0.5)


def _near(values: FloatArray, wanted: float, reach: float) -> FloatArray:
    """1 at the wanted value, 0 at `reach` from it; a half where the value is not known."""
    distance = np.abs(np.asarray(values, dtype=np.float64) - wanted)
    return _known(1.0 - np.clip(distance / reach, 0.0, 1.0))


def _known(values: FloatArray) -> FloatArray:
    return np.nan_to_num(values, nan=0.5)


def _unit(vector: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
