"""Rank a catalog against a video: how well each track suits it, part by part, all tracks at once.

Every track gets parts, each a score from 0 to 1, by these names:

    pulse    does its pulse go with the cutting?        bars     do the cuts fall on its bars?
    level    is it as lively as the video?              arc      does it rise and fall where the video does?
    mood     do its mode and colour go with the light?  voice    does it leave room for whoever speaks?
    length   is it long enough, or does it loop?
    sync     do its landmarks meet the video's events at some placement? (`workbench.align`, for the best only)
    brief    does its text name what a brief asks for? (only with a brief that names moods, genres or instruments)

Others may add terms of their own, see `workbench.matching.terms`. The raw score is the geometric mean of the parts with
the weights of `MatchParams`, parts under 0.02 taken as 0.02: a track has to be right in every respect. A part that is
missing, or that needs a number which is unknown, takes its usual value. All constants were fitted once, on a reference
set of graded pairs, see `workbench.matching.video_reference`, and on external material, so a pair scores the same in
every catalog. In full, with `clip` to 0 and 1, and each number of `MatchModel` by its name:

- *What a video expects* is linear in `video_evidence` by the weights `wanted_energy`, `wanted_pulse` and
  `wanted_valence`, each clipped. The loudness of the place is `clip((sound_lufs + 50) / 30)`, 0.5 where there is none.
  The energy is then multiplied by `1 - calm_under_voice * min(1, speech_share / much_speech)`.
- *pulse*, *level*, *mood* are `exp(-(x - wanted)^2 / (2 width^2))` of `track_pulse`, `track_energy` and
  `track_valence`. With words, these are `measured + share * (words - measured)`. The pulse is
  `clip(0.75 * clip(log3(bpm / 60), -0.2, 1.2) + 0.25 * clip(log6(density / 2), 0, 1.2))`, as a fast tempo with few
  notes is felt at half: the part is the greater of that of the tempo, and `octave_weight` times that of the tempo
  doubled (under 104 bpm) or halved.
- *voice* is `1 - min(1, speech_share / much_speech) * (vocals_share * sings + (1 - vocals_share) * crowded)`, with
  `sings = clip((vocals - 0.3) / 0.4)`, as a saxophone is detected as a third of a voice, and
  `crowded = clip((speech_band - free_band) / full_band)`.
- *length*: played straight, `clip(1 - 2 * clip(1 - duration / video))`. If the video is longer by `LOOP_EXCESS_SECONDS`
  or more, the greater of that and `loopable * clip(1 - 0.08 log2(video / duration), 0.3, 1)`: loops tire.
- *arc* is `0.5 + 0.5 * r * trust * swing / (swing + usual_swing) * spread / (spread + usual_spread)`. `r` is the
  correlation of the video's drive and the mean energy of the music over the scenes, weighted by their lengths; swing
  and spread are the standard deviations of both; `trust = max(0, 1 - 1.5 / scenes)`, for two scenes agree by chance.
  The music begins again from the start where the video is longer than the track.
- *bars* is `0.5 + 0.5 * agreement`. If cuts keep time with music, the phases at which they fall within a bar, a half
  bar or a beat agree. The cuts, four or more, are split evenly into `round(cuts / 16)` runs, as music may start
  again. With `R` the mean length of the unit vectors of the phases in a run of `n` cuts, the sum of `n R^2` is
  gamma-distributed under chance with as many degrees as runs (Rayleigh's test, Mardia & Jupp 2000); three times its
  upper tail, 1 at most, is `chance`. The agreement is the mean of `R` over the cuts times `0.01 / (0.01 + chance)`, the
  greatest of the three units; units of which the median shot lasts over 4.5 do not count.
- *brief* is the mean, over the kinds that the brief names, of the cosine to what the text names of that kind, times
  the trust in the text; `usual_brief` where it names nothing of the kind.

What a brief says comes before what is seen. Its moods move the energy and valence that are looked for away from those
of the picture by `brief_share`, genres and instruments by half of it; an energy or a tempo that it states replaces that
of the picture. What was asked for weighs `asked_gain` times as much (`params_for`). If a voice is asked for, nobody
needs room for another. Rules part the list and change no score (`workbench.matching.rules`).

Retrieval is a scan: the parts that read single numbers cost a few nanoseconds a track, so all of a million tracks are
compared, in blocks that stay in the processor's cache, and by these parts none is missed as by an approximate index. As
each part can only lower a score, most tracks are out after two or three of them (`_scan`). Whether cuts keep time with
bars depends on a frequency alone, so the scan reads that from a table made for the video. Of the best thousands so far
the contours are read, and of the best few hundred after that (`candidates`) every part is computed in full. So a track
can be missed only if thousands of others are ahead of it before its contour is read.

References
----------
A. Hanjalic & L.-Q. Xu, IEEE Transactions on Multimedia 7(1), 2005 (arousal and valence of video). J. A. Russell, "A
circumplex model of affect", Journal of Personality and Social Psychology 39, 1980. K. V. Mardia & P. E. Jupp,
"Directional statistics", 2000, section 6.3 (Rayleigh's test).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.brief import SATISFIED, Brief
from workbench.matching.columns import Columns
from workbench.matching.lane import Calibration, calibrated
from workbench.matching.language.lexicon import KINDS, lexicon
from workbench.matching.rules import JudgedRules, judge_rules
from workbench.matching.terms import term_parts
from workbench.matching.texts import TextIndex, nearness_of
from workbench.matching.video_facts import VideoFacts
from workbench.params import BRIEF_PART, MATCH_PARTS, CoverParams, MatchParams
from workbench.recording import FloatArray, IntArray

BAR_UNITS = ("bar", "half bar", "beat")
"""what cuts may keep time with"""

_CONTOURS = 10
"""times as many tracks as are compared in every respect have their contours read"""
_TABLE_STEP = 1 / 16
"""of a cycle that a frequency of the table of bars gains on the one before, over the longest run of cuts"""
_RULE = 100.0
"""taken off a sum of logarithms for a broken rule; all parts together take off 4 at most"""
_BLOCK = 1 << 16
"""tracks scanned at a time; their intermediate results stay in the cache"""
_WORTH_PICKING = 0.7
"""share of the tracks left in a block under which they are picked out; over it, picking costs more than it saves"""
_WINDOW_CUTS = 16
"""cuts over which a phase is expected to hold: editors restart music, and tempi are known to a part in a thousand"""
_LEAST_CUTS = 4
"""cuts of a video from which on their phases are compared"""
_MIDDLE_BPM = 104.0
"""about the geometric mean of 60 and 180: slower music may be felt at double, faster at half"""
_TEMPO_SHARE = np.float32(0.75)
"""weight of the tempo in pulse; the rest is that of the onsets"""
_MOST_UNITS = 4.5
"""units that the median shot may last: cuts every seventh beat are on the beat, but do not sound so"""
_CUT_TO_TEMPO_PRIOR = 0.01
"""that a video was cut to this very tempo, before looking: of hundreds of tracks one in a hundred would seem to fit"""
_LEAST_PART = 0.02
"""lower limit of a part before its logarithm is taken, so that one part alone cannot rule a track out"""
LOOP_EXCESS_SECONDS = CoverParams().required_excess_seconds
"""a video that is longer than the track by this is looped: the default of `CoverParams`"""


@dataclass(frozen=True, slots=True)
class VideoWants:
    """The music that a video expects: energy, pulse and valence, each 0 to 1."""

    energy: float
    """0 to 1"""
    pulse: float
    """0 to 1"""
    valence: float
    """0 sombre to 1 cheerful"""
    brief: Brief | None = field(default=None, repr=False)
    """what was asked"""
    seen: Mapping[str, float] = field(default_factory=dict, repr=False)
    """by name, those of the three that the brief moved: what the picture alone would expect"""

    @property
    def voice(self) -> bool:
        """Whether a singing voice was asked for although the video has speech."""
        return self.brief is not None and self.brief.wants_voice

    @property
    def asked(self) -> frozenset[str]:
        """Those of the three that the brief states: genres and instruments only suggest an energy and a mood."""
        if self.brief is None:
            return frozenset()
        stated = {
            "energy": self.brief.names_moods or self.brief.energy is not None,
            "pulse": self.brief.bpm is not None,
            "valence": self.brief.names_moods,
        }
        return frozenset(name for name, is_stated in stated.items() if is_stated)


class AskedMusic(NamedTuple):
    """A brief, and the texts of the catalog that it is compared with."""

    brief: Brief
    texts: TextIndex
    """a row for each of the columns"""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The best tracks for a video, best first."""

    rows: IntArray
    """shape (n,), rows of the catalog's columns"""
    columns: Columns
    """of these rows"""
    parts: Mapping[str, FloatArray]
    """by name of the part, shape (n,), 0 to 1"""
    raw: FloatArray
    """shape (n,), without sync"""
    wanted: VideoWants
    rules: JudgedRules
    """of the brief on these rows; none without one"""


_ScanPart: TypeAlias = Callable[[VideoFacts, VideoWants, Mapping[str, FloatArray], MatchParams], FloatArray]
"""a part of some tracks, from the numbers in which they are scanned"""


def wanted_of(video: VideoFacts, params: MatchParams, brief: Brief | None = None) -> VideoWants:
    """The music that a video expects, or a brief in its place: energy, pulse and valence, each 0 to 1."""
    facts = video_evidence(video)

    def of(weights: tuple[float, ...]) -> float:
        return float(np.clip(facts @ np.array(weights), 0.0, 1.0))

    calm = 1.0 - params.model.calm_under_voice * min(1.0, video.speech_share / params.model.much_speech)
    seen = VideoWants(
        calm * of(params.model.wanted_energy), of(params.model.wanted_pulse), of(params.model.wanted_valence)
    )
    return seen if brief is None else _wanted_by(brief, seen, params)


def _wanted_by(brief: Brief, seen: VideoWants, params: MatchParams) -> VideoWants:
    """The target of the ranking: the brief's requests, and facts of the video where the brief says nothing."""
    asked: dict[str, float] = {}
    if brief.sound is not None:
        share = params.model.brief_share if brief.names_moods else params.model.brief_share / 2
        asked["energy"] = seen.energy + share * (float(brief.sound.energy) - seen.energy)
        asked["valence"] = seen.valence + share * (float(brief.sound.valence) - seen.valence)
    if brief.energy is not None:
        asked["energy"] = brief.energy
    if brief.bpm is not None:
        asked["pulse"] = float(track_pulse(np.array(brief.bpm), np.array(np.nan)))
    return replace(seen, **asked, brief=brief, seen={name: getattr(seen, name) for name in asked})


def params_for(wanted: VideoWants, params: MatchParams) -> MatchParams:
    """The parameters with which tracks are compared: what a brief asked for weighs more."""
    weights = [f"{_PART_OF[name]}_weight" for name in wanted.asked]
    return params.model_copy(update={name: params.model.asked_gain * getattr(params, name) for name in weights})


_PART_OF = {"energy": "level", "pulse": "pulse", "valence": "mood"}
"""the part that compares each number of `VideoWants`"""


def video_evidence(video: VideoFacts) -> FloatArray:
    """The vector that expectations are linear in: 1, pace, movement, loudness of the place, brightness, 4 x
    colourfulness.
    """
    # how loud the place itself is; half where its soundtrack is silent or missing
    loud = 0.5 if video.sound_lufs is None else float(np.clip((video.sound_lufs + 50.0) / 30.0, 0.0, 1.0))
    return np.array([1.0, video.pace, video.movement, loud, video.brightness, 4.0 * video.colourfulness])


def rank(
    video: VideoFacts,
    columns: Columns,
    count: int,
    params: MatchParams | None = None,
    asked: AskedMusic | None = None,
) -> Ranking:
    """The best tracks of a catalog for a video, before placements are tried.

    At most `count` tracks, best first; silent ones are never among them. With a brief, those that meet its rules come
    first. Equal scores are ordered by track id, so that the order is the same for every order of the rows.
    """
    params = params or MatchParams()
    wanted = wanted_of(video, params, None if asked is None else asked.brief)
    params = params_for(wanted, params)
    head = np.zeros(len(columns), dtype=np.float32) if asked is None else _head(asked, columns, params)
    rows = _nominate(video, wanted, columns, head, max(count, params.candidates), params)
    chosen = columns.take(rows)
    audible = np.flatnonzero(~chosen.silent)
    rows, chosen = rows[audible], chosen.take(audible)
    parts = quick_parts(video, wanted, chosen, params) | slow_parts(video, chosen, params)
    parts |= term_parts(video, chosen, params)
    rules = judge_rules((), chosen, np.zeros((rows.size, 0)))
    if asked is not None:
        facets, trust = asked.texts.counted(rows)
        parts |= _brief_parts(asked.brief, facets, trust)
        rules = judge_rules(asked.brief.constraints, chosen, facets)
    raw = raw_scores(parts, params)
    order = np.lexsort((chosen.track_ids.astype(str), -raw, -rules.standing))[:count]
    return Ranking(
        rows[order],
        chosen.take(order),
        {name: part[order] for name, part in parts.items()},
        raw[order],
        wanted,
        rules.take(order),
    )


def _brief_parts(brief: Brief, facets: FloatArray, trust: FloatArray) -> dict[str, FloatArray]:
    """The part of a brief, shape (n,), 0 to 1; none where it names no mood, genre or instrument."""
    asked = np.zeros_like(brief.requested)
    kinds = [kind for kind in KINDS if brief.requested[lexicon().of(kind)].any()]
    if not kinds:
        return {}
    for where in map(lexicon().of, kinds):
        asked[where] = brief.requested[where] / np.linalg.norm(brief.requested[where])
    near = np.mean([nearness_of(kind, asked, facets) for kind in kinds], axis=0)
    return {BRIEF_PART: np.asarray(near * trust, dtype=np.float32)}


def _head(asked: AskedMusic, columns: Columns, params: MatchParams) -> FloatArray:
    """What a brief takes off the scan's sums, 0 at most, shape (n,), float32.

    A broken or unknown rule weighs more than all parts together, so rows come in the groups of the list.
    """
    head = np.zeros(len(columns), dtype=np.float32)
    for first in range(0, len(columns), _BLOCK):
        block = slice(first, min(first + _BLOCK, len(columns)))
        facets, trust = asked.texts.counted(block)
        for part in _brief_parts(asked.brief, facets, trust).values():
            head[block] = _log_of(part, params.model.brief_weight)
        standing = judge_rules(asked.brief.constraints, columns.take(block), facets).standing
        head[block] -= np.float32(_RULE) * (SATISFIED - standing)
    return head


def _nominate(
    video: VideoFacts, wanted: VideoWants, columns: Columns, head: FloatArray, count: int, params: MatchParams
) -> IntArray:
    """Rows that may be the best by every part, in no order: of those with the best numbers, by their contours too.

    `head`, shape (n,), 0 at most, is what a brief takes off.
    """
    rows, sums = _scan(video, wanted, columns, head, _CONTOURS * count, params)
    if rows.size <= count:
        return rows
    arc = arc_part(video, columns.contour[rows], columns.duration[rows], params)
    sums = sums + _log_of(arc, params.weights["arc"])
    return rows[np.argpartition(-sums, count - 1)[:count]]


def _scan(
    video: VideoFacts, wanted: VideoWants, columns: Columns, head: FloatArray, count: int, params: MatchParams
) -> tuple[IntArray, FloatArray]:
    """Rows with the best parts of single numbers, in no order, and the sums of these parts' logarithms.

    No part exceeds 1, so no logarithm exceeds 0, and a sum of them only falls with each that is added. A track whose
    sum is under that of the `count`-th best so far is out for good; the parts that are left are computed of the others.
    So nothing is missed, and the dear parts are computed of a tenth of the tracks. The first block decides the order of
    the parts: the one that takes off most for its time comes first, and the voice last without speech. Bars are read
    from a table of frequencies, so they count a little more or less than they do in the end.
    """
    weights = params.weights
    parts: dict[str, _ScanPart] = {name: partial(_quick_part, name) for name in _QUICK}
    if video.cuts.size >= _LEAST_CUTS:
        parts["bars"] = _tabled_bars(video.cuts)
    total, order = len(columns), tuple(parts)
    rows, sums = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    least, taken_off = np.float32(-np.inf), dict[str, float]()
    for first in range(0, total, _BLOCK):
        last = min(first + _BLOCK, total)
        left: IntArray | slice = slice(None)
        score = head[first:last].copy()
        for name in order:
            facts = {fact: values[left] for fact, values in _numbers(columns, _FACTS[name], first, last).items()}
            part = _log_of(parts[name](video, wanted, facts, params), weights[name])
            if first == 0:
                taken_off[name] = float(part.mean())
            score += part
            good = np.flatnonzero(score >= least)
            if good.size < _WORTH_PICKING * score.size:
                left, score = (good if isinstance(left, slice) else left[good]), score[good]
        if first == 0:
            order = tuple(sorted(order, key=lambda name: taken_off[name] / _SCAN_TIMES[name]))
        rows = np.concatenate([rows, np.arange(first, last, dtype=np.int64)[left]])
        sums = np.concatenate([sums, score])
        if rows.size > count:
            best = np.argpartition(-sums, count - 1)[:count]
            rows, sums = rows[best], sums[best]
            least = sums.min()
    return rows, sums


def raw_scores(parts: Mapping[str, FloatArray], params: MatchParams) -> FloatArray:
    """Weighted geometric mean of the parts, each of shape (n,), 0 to 1.

    One of ours that is missing (sync, say) counts as its usual value; a missing external term does not count.
    """
    usual, weights = params.usual_parts, params.weights
    missing = sum(weights[name] * float(np.log(usual[name])) for name in MATCH_PARTS if name not in parts)
    whole = sum(weight for name, weight in weights.items() if name in parts or name in MATCH_PARTS)
    known = np.asarray(sum(_log_of(part, weights[name]) for name, part in parts.items()))
    return np.asarray(np.exp((known + missing) / whole))


def scores_of(raw: FloatArray, params: MatchParams) -> FloatArray:
    """Calibrate raw scores, shape (n,), 0 to 1.

    A score is fitted to labels of two people, of external videos and music (`workbench/models/match_scores.md`).
    """
    return calibrated(raw, Calibration(params.model.calibration_offset, params.model.calibration_slope))


def _log_of(part: FloatArray, weight: float) -> FloatArray:
    """Weighted logarithm of a part, 0 at most, shape (n,)."""
    found = np.maximum(part, np.float32(_LEAST_PART))
    np.log(found, out=found)
    found *= np.float32(weight)
    return found


def quick_parts(video: VideoFacts, wanted: VideoWants, columns: Columns, params: MatchParams) -> dict[str, FloatArray]:
    """The parts that read single numbers: pulse, level, mood, voice and length, shape (n,) each, 0 to 1.

    Where a number of a track is unknown, the part that needs it takes its usual value, which counts neither way.
    """
    return {
        name: _quick_part(name, video, wanted, _numbers(columns, _FACTS[name], 0, len(columns)), params)
        for name in _QUICK
    }


def slow_parts(video: VideoFacts, columns: Columns, params: MatchParams) -> dict[str, FloatArray]:
    """The parts that read contours and cuts, bars and arc, shape (n,) each, 0 to 1; far dearer than the others."""
    agreement, _ = bar_agreement(video.cuts, columns.bpm, columns.beats_per_bar)
    return {"bars": bonus(agreement), "arc": arc_part(video, columns.contour, columns.duration, params)}


def bonus(found: FloatArray) -> FloatArray:
    """The part, 0.5 to 1, of something that is a merit where it is found, 0 to 1, and no fault where it is not."""
    return np.asarray(np.float32(0.5) + np.float32(0.5) * found)


def _numbers(columns: Columns, names: Sequence[str], first: int, last: int) -> dict[str, FloatArray]:
    """Some columns of some rows, each a number a track."""
    return {name: np.asarray(getattr(columns, name)[first:last], dtype=np.float32) for name in names}


def _quick_part(
    name: str, video: VideoFacts, wanted: VideoWants, tracks: Mapping[str, FloatArray], params: MatchParams
) -> FloatArray:
    """One of the parts that read single numbers, shape (n,), 0 to 1; its usual value where a number is unknown."""
    model = params.model
    match name:
        case "pulse":
            # Half and double tempo are felt in most music, and count a little less.
            own, other, _ = _both_pulses(tracks["bpm"], tracks["density"], wanted.pulse, params)
            part = np.asarray(np.maximum(own, other))
        case "level":
            energy = track_energy(tracks["energy"], tracks["words_energy"], params)
            part = _bell(energy, wanted.energy, model.energy_width)
        case "mood":
            valence = track_valence(
                tracks["mode"], tracks["brightness"], tracks["key_clarity"], tracks["words_valence"], params
            )
            part = _bell(valence, wanted.valence, model.valence_width)
        case "voice":
            part = _voice(0.0 if wanted.voice else video.speech_share, tracks["vocals"], tracks["speech_band"], params)
        case _:
            part = length_part(video.duration, tracks["duration"], tracks["loopable"])
    np.copyto(part, np.float32(params.usual_parts[name]), where=np.isnan(part))
    return part


def _voice(speech_share: float, vocals: FloatArray, band: FloatArray, params: MatchParams) -> FloatArray:
    """How much room is left for a speaker: 1 without speech, or without singing if 1 to 4 kHz are free.

    NaN where singing is unknown; a band whose power is unknown is half crowded.
    """
    much = np.float32(min(1.0, speech_share / params.model.much_speech))
    crowded = np.clip((band - np.float32(params.model.free_band)) / np.float32(params.model.full_band), 0.0, 1.0)
    share = np.float32(params.model.vocals_share)
    # The detector gives a saxophone a third of a voice: up to 0.3 counts as no singer, from 0.7 on as one.
    sings = np.clip((vocals - np.float32(0.3)) / np.float32(0.4), 0.0, 1.0)
    crowded = np.where(np.isnan(crowded), np.float32(0.5), crowded)
    return np.asarray(np.float32(1.0) - much * (share * sings + (np.float32(1.0) - share) * crowded))


_QUICK = ("pulse", "level", "mood", "voice", "length")
"""the parts that read single numbers"""
_FACTS = {
    "pulse": ("bpm", "density"),
    "level": ("energy", "words_energy"),
    "mood": ("mode", "brightness", "key_clarity", "words_valence"),
    "voice": ("vocals", "speech_band"),
    "length": ("duration", "loopable"),
    "bars": ("bpm", "beats_per_bar"),
}
"""the columns that each part of the scan reads"""
_SCAN_TIMES = {"level": 3.4, "voice": 3.0, "mood": 9.2, "length": 6.0, "pulse": 16.0, "bars": 12.0}
"""cost of each part, ms for a million tracks, measured once"""


def felt_factor(bpm: FloatArray, density: FloatArray, wanted: float, params: MatchParams) -> FloatArray:
    """At which multiple of its tempo each track suits best, shape (n,): 1, or 0.5 or 2."""
    own, other, factor = _both_pulses(bpm, density, wanted, params)
    return np.where(other > own, factor, np.float32(1.0))


def _both_pulses(
    bpm: FloatArray, density: FloatArray, wanted: float, params: MatchParams
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How well the tempo suits, how well its neighbour an octave off does, and which neighbour that is."""
    factor = np.where(bpm < np.float32(_MIDDLE_BPM), np.float32(2.0), np.float32(0.5))
    own = _bell(track_pulse(bpm, density), wanted, params.model.pulse_width)
    other = np.float32(params.model.octave_weight) * _bell(
        track_pulse(factor * bpm, density), wanted, params.model.pulse_width
    )
    return own, other, factor


def _bell(values: FloatArray, centre: float, width: float) -> FloatArray:
    """1 at the centre, falling off to both sides; width is the standard deviation."""
    return np.asarray(np.exp(np.float32(-0.5) * np.square((values - np.float32(centre)) / np.float32(width))))


def track_pulse(bpm: FloatArray, density: FloatArray) -> FloatArray:
    """How fast music is felt, 0 to 1: mostly its tempo (60 to 180 bpm), a little its onsets (2 to 12 a second).

    Where one is NaN, the other counts alone.
    """
    tempo = np.clip(np.log2(bpm / np.float32(60.0)) / np.float32(np.log2(3.0)), -0.2, 1.2)
    events = np.clip(
        np.log2(np.maximum(density, np.float32(0.1)) / np.float32(2.0)) / np.float32(np.log2(6.0)), 0.0, 1.2
    )
    both = _TEMPO_SHARE * tempo + (np.float32(1.0) - _TEMPO_SHARE) * events
    return np.clip(np.where(np.isnan(tempo), events, np.where(np.isnan(events), tempo, both)), 0.0, 1.0)


def track_energy(measured: FloatArray, by_words: FloatArray, params: MatchParams) -> FloatArray:
    """How lively music is: measured energy combined with the catalog's words; NaN where neither is known."""
    return _with_words(measured, by_words, params.model.words_share_of_energy)


def track_valence(
    mode: FloatArray, brightness: FloatArray, key_clarity: FloatArray, by_words: FloatArray, params: MatchParams
) -> FloatArray:
    """How cheerful music is, 0 sombre to 1: measured from sound, combined with the catalog's words.

    With a measured clarity of the key the value from sound is fitted to external recordings: sound says little about
    it, so it stays near the middle. Else it is a rule of mode (-1 minor to 1 major) and brightness.
    """
    constant, of_mode, of_brightness = params.model.valence_of_music
    shine = np.where(np.isnan(brightness), np.float32(0.5), brightness)
    major = np.where(np.isnan(mode), np.float32(0.0), mode)
    middle, by_mode, by_clarity = params.model.valence_of_key
    ruled = constant + of_mode * major + of_brightness * shine
    fitted = middle + by_mode * major + by_clarity * key_clarity
    measured = np.clip(np.where(np.isnan(key_clarity), ruled, fitted), 0.0, 1.0)
    return _with_words(measured, by_words, params.model.words_share_of_valence)


def _with_words(measured: FloatArray, by_words: FloatArray, share: float) -> FloatArray:
    """A measured value combined with that of the catalog's words; where one of them is NaN, the other alone."""
    both = measured + np.float32(share) * (by_words - measured)
    return np.where(np.isnan(both), np.fmax(measured, by_words), both)  # the greater one, ignoring NaN


def length_part(video_seconds: float, duration: FloatArray, loopable: FloatArray) -> FloatArray:
    """How well a track covers a video: 1 where it is long enough, else by how well it loops and how bare it would be.

    A track that is shorter than the video by less than `LOOP_EXCESS_SECONDS` is not looped; the share of the video
    without music counts twice then.
    `loopable` is the score of the best seam that makes a body; NaN counts as 0.5. NaN where the duration is unknown.
    """
    bare = np.clip(np.float32(1.0) - duration / np.float32(video_seconds), 0.0, 1.0)
    straight = np.clip(np.float32(1.0) - np.float32(2.0) * bare, 0.0, 1.0)
    passes = np.float32(video_seconds) / np.maximum(duration, np.float32(1.0))
    # Even the best loop tires: each doubling of the passes takes 0.08 off.
    tired = np.clip(np.float32(1.0) - np.float32(0.08) * np.log2(np.maximum(passes, 1.0)), 0.3, 1.0)
    looped = np.where(np.isnan(loopable), np.float32(0.5), loopable) * tired
    loops = np.float32(video_seconds) - duration >= np.float32(LOOP_EXCESS_SECONDS)
    return np.where(np.isnan(duration), np.float32(np.nan), np.where(loops, np.maximum(looped, straight), straight))


def arc_part(video: VideoFacts, contour: FloatArray, duration: FloatArray, params: MatchParams) -> FloatArray:
    """How well the music's energy follows the video's drive from scene to scene.

    The correlation over the scenes, weighted by their lengths and by how much there is to follow; 0.5 where neither
    changes.
    """
    music = under_scenes(video, contour, duration)
    seconds = np.array([scene.seconds for scene in video.scenes])
    drive = np.array([scene.drive for scene in video.scenes])
    share = seconds / seconds.sum()
    wanted = drive - drive @ share
    swing = float(np.sqrt(np.square(wanted) @ share))
    rise = music - (music @ share)[:, None]
    spread = np.sqrt(np.square(rise) @ share)
    follows = (rise * wanted) @ share / np.maximum(spread * swing, 1e-6)
    # With two scenes a correlation is +1 or -1 by chance, so few scenes count less; so do small changes in energy.
    trust = max(0.0, 1.0 - 1.5 / len(video.scenes))
    matters = swing / (swing + params.model.usual_swing) * spread / (spread + params.model.usual_spread)
    part = 0.5 + 0.5 * np.clip(follows, -1.0, 1.0) * trust * matters
    return np.where(np.isnan(part), np.float32(params.usual_parts["arc"]), part).astype(np.float32)


def under_scenes(video: VideoFacts, contour: FloatArray, duration: FloatArray) -> FloatArray:
    """Mean energy of the music under each scene, shape (n_tracks, n_scenes), 0 to 1, NaN where it is unknown.

    Music begins with the video and begins again when it is over, as often as the video needs.
    """
    contour = np.asarray(contour, dtype=np.float64)
    duration = np.where(duration > 0.0, duration, np.nan).astype(np.float64)
    # The mean between two times is a difference of integrals, so scenes cost two look-ups each, however long.
    below = np.concatenate([np.zeros((contour.shape[0], 1)), np.cumsum(contour, axis=1)], axis=1) / CONTOUR_PARTS
    edges = np.array([0.0, *(scene.end for scene in video.scenes)])
    passes, place = np.divmod(edges[None, :] / duration[:, None], 1.0)
    at = place * CONTOUR_PARTS
    part = np.minimum(np.nan_to_num(at).astype(np.int64), CONTOUR_PARTS - 1)
    inside = np.take_along_axis(below, part, axis=1)
    inside += (at - part) * np.take_along_axis(contour, part, axis=1) / CONTOUR_PARTS
    total = passes * below[:, -1:] + inside
    return np.asarray(np.diff(total, axis=1) * duration[:, None] / np.diff(edges))


def bar_agreement(cuts: FloatArray, bpm: FloatArray, beats_per_bar: IntArray) -> tuple[FloatArray, IntArray]:
    """How surely and how well the cuts keep time with bars, half bars or beats of each track; 0 where they do not.

    Phases are compared within runs of sixteen cuts, so music may restart now and then. Under chance the sum
    over the runs of n R² is gamma-distributed; of three periods the best is taken, and allowed for. The mean length R
    counts by the probability that it is none of chance's. Returns the agreement, shape (n,), 0 to 1, and the index in
    `BAR_UNITS` of what the cuts keep time with best.
    """
    n_tracks = len(bpm)
    if cuts.size < _LEAST_CUTS or not n_tracks:
        return np.zeros(n_tracks, dtype=np.float32), np.zeros(n_tracks, dtype=np.int64)
    pulsed = np.isfinite(bpm) & (np.asarray(bpm) > 0)
    beat = 60.0 / np.where(pulsed, bpm, 60.0).astype(np.float64)
    bar = beat * np.where(np.asarray(beats_per_bar) > 0, beats_per_bar, 4)
    agreement = np.stack([np.where(pulsed, _rhythm_agreement(cuts, period), 0.0) for period in (bar, 0.5 * bar, beat)])
    return agreement.max(axis=0).astype(np.float32), agreement.argmax(axis=0)


def _runs(cuts: FloatArray) -> list[FloatArray]:
    """The cuts in runs over which a phase is expected to hold."""
    return np.array_split(cuts, max(1, round(cuts.size / _WINDOW_CUTS)))


def _rhythm_agreement(cuts: FloatArray, period: FloatArray) -> FloatArray:
    """How surely and how well cuts keep time with units of some periods, s; 0 to 1, shape of `period`."""
    from scipy.special import gammaincc

    runs = _runs(cuts)
    lengths = [np.abs(np.exp(2j * np.pi * run[None, :] / period[:, None]).mean(axis=1)) for run in runs]
    evidence = sum(run.size * np.square(length) for run, length in zip(runs, lengths, strict=True))
    # Rayleigh's test in each run, pooled; Bonferroni's factor for the units that are tried.
    chance = np.minimum(1.0, len(BAR_UNITS) * gammaincc(len(runs), evidence))
    mean = sum(run.size * length for run, length in zip(runs, lengths, strict=True)) / cuts.size
    simple = period >= float(np.median(np.diff(cuts))) / _MOST_UNITS
    return np.asarray(np.where(simple, mean * _CUT_TO_TEMPO_PRIOR / (_CUT_TO_TEMPO_PRIOR + chance), 0.0))


def _tabled_bars(cuts: FloatArray) -> _ScanPart:
    """The part `bars` of any track, read from a table of the agreement at each frequency.

    Within a run phases turn by a full cycle where the frequency changes by one over its length, so that the table
    needs some steps to a cycle, up to the highest frequency that counts: a few hundred or thousand for any video.
    """
    longest = max(float(run[-1] - run[0]) for run in _runs(cuts))
    highest = _MOST_UNITS / float(np.median(np.diff(cuts)))
    step = _TABLE_STEP / longest
    frequencies = step * np.arange(1, int(np.ceil(highest / step)) + 1)
    # No cuts agree with a frequency of 0, nor with any beyond the last.
    table = bonus(np.concatenate([[0.0], _rhythm_agreement(cuts, 1.0 / frequencies), [0.0]])).astype(np.float32)

    def read(
        video: VideoFacts, wanted: VideoWants, tracks: Mapping[str, FloatArray], params: MatchParams
    ) -> FloatArray:
        beat = tracks["bpm"] * np.float32(1.0 / 60.0 / step)
        beats = tracks["beats_per_bar"]
        beat = np.where(beat > 0.0, beat, np.float32(0.0))
        bar = beat / np.where(beats > 0.0, beats, np.float32(4.0))
        last = np.float32(table.size - 1)
        found = [table[np.minimum(place + np.float32(0.5), last).astype(np.int32)] for place in (beat, bar, bar + bar)]
        return np.asarray(np.maximum(np.maximum(*found[:2]), found[2]))

    return read
