"""Why a track fits a video, in words: one line for each fact that moved the score, and a sentence that sums them up.

A line holds a measurement of the video, one of the track, and how well both go together; numbers have units, so that
they can be checked. Where measurements of different kinds meet on a scale of their own, as cuts and
tempo do in pulse, or light and mode in cheerfulness, both sides end with the two numbers that were compared. Which
facts moved the score is computed: the effect of a part is its logarithm less that of its usual value, times its weight.
The largest effect comes first, whichever its sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, log

import numpy as np

from workbench.align.placements import CHANCE_SCORE, Placement, event_clock
from workbench.catalog.certainty import SURE, UNSURE, is_sung, tempo_words, voice_words
from workbench.catalog.track import Track
from workbench.matching.brief import Brief
from workbench.matching.columns import UNKNOWN, Columns
from workbench.matching.lane import MatchReason
from workbench.matching.language.lexicon import KINDS, lexicon, read_lexicon, strongest_facets
from workbench.matching.rules import JudgedRules, listed, sentences_on_brief
from workbench.matching.terms import description_of, usual_parts
from workbench.matching.texts import facets_named, mood_of, names_in, track_text
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.matching.video_ranking import (
    BAR_UNITS,
    LOOP_EXCESS_SECONDS,
    VideoWants,
    bar_agreement,
    felt_factor,
    track_energy,
    track_pulse,
    track_valence,
    under_scenes,
)
from workbench.params import BRIEF_PART, MATCH_PARTS, MatchParams
from workbench.recording import clock

_MOST_TAGS = 4
"""words of the catalog that a line quotes"""
_MOST_ASKED = 6
"""words of the brief that a line quotes"""
_LEAST_EFFECT = 0.004
"""of the raw score; less did not move it"""
_GOOD, _BAD = 0.75, 0.45
"""parts over and under which an explanation praises and warns"""
_NAMES_ASKED = 0.5
"""the part of a brief from where on an explanation praises: a cosine of 1 would name just that and nothing else"""
_NEAR = 0.15
"""difference in cheerfulness up to which it counts as near: the part forgives more, as mood weighs little"""
_AUDIBLE_AGREEMENT = 0.2
"""agreement of cuts and bars from where on it is listed"""
_FELT = {0.5: ", felt at half", 2.0: ", felt at double"}
"""words after a tempo, by the factor at which it suits"""
_TAG_REACH = 0.2
"""of energy and of valence, that the usual sound of a tag may lie off"""
CATEGORY_OF = {
    "pulse": "pace", "bars": "pace", "level": "energy", "arc": "energy", "mood": "mood", "voice": "voice",
    "length": "length", "sync": "sync",
}  # fmt: skip
"""the category of each part in the interface; external terms have none"""
_WANTED = {"energy": "energy", "pulse": "pulse", "valence": "cheerfulness"}
"""what a video or a brief asks for, in words"""
_CALLED = {"bars": "cuts on bars", "arc": "energy by scene"}
"""the displayed name of a part whose category has another part too"""


@dataclass(frozen=True, slots=True)
class RankedPair:
    """One track beside one video, as ranked."""

    video: VideoFacts
    wanted: VideoWants
    columns: Columns
    """of one row: the track's"""
    track: Track
    parts: Mapping[str, float]
    placements: Sequence[Placement] | None
    """best first; None where no placement could be tried"""
    rules: JudgedRules
    """of the brief, on one row: the track's"""

    def number(self, name: str) -> float:
        """A fact of the track, by the name of its column; NaN where unknown."""
        return float(getattr(self.columns, name)[0])


def effects(parts: Mapping[str, float], params: MatchParams) -> dict[str, float]:
    """By how much each part moved the logarithm of the raw score: above 0 where it was better than is usual."""
    weights = {name: weight for name, weight in params.weights.items() if name in parts or name in MATCH_PARTS}
    usual, whole = usual_parts(params), sum(weights.values())
    return {
        name: weight * (log(max(parts[name], 0.02)) - log(usual[name])) / whole
        for name, weight in weights.items()
        if name in parts
    }


def reasons(pair: RankedPair, params: MatchParams) -> tuple[MatchReason, ...]:
    """One line for each rule of the brief and for each fact that moved the score, the largest effect first.

    Parts that hardly moved it, or could not be compared, are left out.
    """
    moved = effects(pair.parts, params)
    lines = pair.rules.reasons(0)
    order = list(params.weights)
    for name in sorted(moved, key=lambda name: (-abs(moved[name]), order.index(name))):
        facts = _facts(name, pair, params)
        # What was asked, and how a longer video is covered, is of use even where it is as usual.
        covers = name == "length" and pair.video.duration > pair.number("duration")
        if facts is not None and (abs(moved[name]) >= _LEAST_EFFECT or name == BRIEF_PART or covers):
            video, audio, score = facts
            category = CATEGORY_OF.get(name)
            called = _CALLED.get(name) or category or name
            lines.append(MatchReason(video, audio, min(1.0, max(0.0, score)), category, called))
    return tuple(lines)


def _facts(name: str, pair: RankedPair, params: MatchParams) -> tuple[str, str, float] | None:
    """The facts of video and track that a part compared, and its score; None where nothing could be compared."""
    video, wanted, score = pair.video, pair.wanted, float(pair.parts[name])
    if name == BRIEF_PART:
        return _asked_words(pair, score)
    if name not in MATCH_PARTS:
        return description_of(name), f"{score:.2f} of 1", score
    match name:
        case "pulse":
            if not _known(pair, "bpm", "density"):
                return None
            return _suits(cutting(video), "pulse", wanted), pulse_of(pair, params), score
        case "level":
            if not _known(pair, "energy", "words_energy"):
                return None
            seen = _suits(f"{cutting(video)}, {motion(video)}", "energy", wanted)
            described = "" if isnan(pair.number("words_energy")) else f"{_tags_of(pair)}; "
            return seen, f"{described}energy {_energy(pair, params):.2f} of 1", score
        case "mood":
            if not _known(pair, "mode", "brightness", "key_clarity", "words_valence"):
                return None
            colours = f"brightness {video.brightness:.2f}, colourfulness {video.colourfulness:.2f}"
            cheer = f"cheerfulness {_valence(pair, params):.2f} of 1"
            return (
                _suits(colours, "valence", wanted),
                "; ".join(filter(None, (_tags_of(pair), sound_of(pair), cheer))),
                score,
            )
        case "voice":
            if video.speech_share <= 0.0 or not _known(pair, "vocals", "speech_band"):
                return None
            speech = f"speech {100 * video.speech_share:.0f} %"
            return f"asked: with vocals; seen: {speech}" if wanted.voice else speech, voices_of(pair), score
        case "length":
            return (f"{clock(video.duration)} long", length_of(pair), score) if _known(pair, "duration") else None
        case "bars":
            return _bars(pair)
        case "arc":
            return _arc(pair, score)
        case _:
            return _sync(pair)


def _suits(facts: str, name: str, wanted: VideoWants) -> str:
    """The facts of a video and the music that suits them; with a brief, its requests and the facts they overrule."""
    called, value, seen = _WANTED[name], getattr(wanted, name), wanted.seen.get(name)
    if seen is None:
        return f"{facts}; {called} {value:.2f} of 1 suits"
    by = "asked" if name in wanted.asked else "looked for"
    return f"{by}: {called} {value:.2f} of 1; seen: {facts}, which alone suit {seen:.2f}"


def _asked_words(pair: RankedPair, score: float) -> tuple[str, str, float]:
    """The moods, genres and instruments of the brief, and those that the track's text names of these kinds."""
    assert pair.wanted.brief is not None
    asked, others = _words_named(pair)
    named = f"its text names {listed([*asked, *others][:_MOST_TAGS])}"
    if not asked:
        named = f"its text names none of it{f', but {listed(others[:_MOST_TAGS])}' if others else ''}"
    return f"asked: {listed(strongest_facets(pair.wanted.brief.requested, most=_MOST_ASKED))}", named, score


def _words_named(pair: RankedPair) -> tuple[list[str], list[str]]:
    """The words of the track's text that name what the brief asks for, and its other words of these kinds."""
    assert pair.wanted.brief is not None
    requested, names = pair.wanted.brief.requested, names_in(pair.track)
    words = [word for kind in KINDS if requested[lexicon().of(kind)].any() for word in names[kind]]
    wanted = set(map(int, np.flatnonzero(requested)))
    asked = [word for word in words if wanted & facets_named(word)]
    return asked, [word for word in words if word not in asked]


def _known(pair: RankedPair, *names: str) -> bool:
    return any(not isnan(pair.number(name)) for name in names)


def cutting(video: VideoFacts) -> str:
    """How fast a video is cut, in words."""
    if not video.cuts.size:
        return "no cuts"
    rate = video.cuts_per_minute
    return f"{rate:.0f} cuts per minute" if rate >= 9.5 else f"{rate:.1f} cuts per minute"


def _edited(pair: RankedPair) -> str:
    """The pace that was compared, behind a verb: "suits no cuts" would read as a denial."""
    if "pulse" in pair.wanted.seen:
        return "the tempo that was asked"
    return cutting(pair.video) if pair.video.cuts.size else "a video without cuts"


def motion(video: VideoFacts) -> str:
    """How much moves in a video, in words."""
    return f"motion {video.motion:.2f} picture heights per second"


def tempo_of(pair: RankedPair) -> str:
    """How fast a track is, in words."""
    bpm, density = pair.number("bpm"), pair.number("density")
    beats = tempo_words(bpm, _tempo_certainty(pair))
    return beats if isnan(density) else f"{beats}, {density:.1f} onsets per second"


def _tempo_certainty(pair: RankedPair) -> int:
    """How sure the tempo of a track is, where it was measured."""
    return int(pair.columns.tempo_certainty[0])


def pulse_of(pair: RankedPair, params: MatchParams) -> str:
    """How fast a track is felt, at the multiple of its tempo that was compared, in words."""
    columns, factor = pair.columns, _felt_factor(pair, params)
    pulse = float(track_pulse(columns.bpm * np.float32(factor), columns.density)[0])
    return f"{tempo_of(pair)}{_felt_at(pair, factor)}; pulse {pulse:.2f} of 1"


def _felt_at(pair: RankedPair, factor: float) -> str:
    """The words after a tempo that suits at half or double, or after one of two; empty where none is stated."""
    certainty = _tempo_certainty(pair)
    if certainty == UNSURE:
        return ""
    if certainty in (SURE, UNKNOWN):
        return _FELT.get(factor, "")
    return f", felt at {factor * pair.number('bpm'):.0f}"


def _felt_factor(pair: RankedPair, params: MatchParams) -> float:
    return float(felt_factor(pair.columns.bpm, pair.columns.density, pair.wanted.pulse, params)[0])


def _valence(pair: RankedPair, params: MatchParams) -> float:
    """How cheerful a track is, as it was compared."""
    columns = pair.columns
    return float(track_valence(columns.mode, columns.brightness, columns.key_clarity, columns.words_valence, params)[0])


def _energy(pair: RankedPair, params: MatchParams) -> float:
    """How lively a track is, as it was compared."""
    return float(track_energy(pair.columns.energy, pair.columns.words_energy, params)[0])


def _tags_of(pair: RankedPair) -> str:
    """The moods that the catalog's words name, as written there; empty where they name none."""
    mood = mood_of(track_text(pair.track))
    return f"described as {', '.join(mood.words[:_MOST_TAGS])}" if mood is not None else ""


def sound_of(pair: RankedPair) -> str:
    """Key of a track, and how clear it is, in words; empty where neither is known.

    A measured key comes with the certainty of its mode.
    """
    track, mode, brightness = pair.track, pair.number("mode"), pair.number("brightness")
    clarity = pair.number("key_clarity")
    clauses = []
    if not isnan(mode):
        if track.musical_key_mode is not None:
            clauses.append(f"{track.musical_key_name or ''} {track.musical_key_mode}".strip())
        if abs(mode) < 1.0:
            clauses.append(f"mode {mode:+.2f} from -1 minor to +1 major")
    if not isnan(clarity):
        clauses.append(f"clarity of key {clarity:.2f}")
    elif not isnan(brightness):
        clauses.append(f"brightness of sound {brightness:.2f}")
    return ", ".join(clauses)


def voices_of(pair: RankedPair) -> str:
    """Singing and midrange power that compete with a speaker, in words; empty where unknown."""
    vocals, band = pair.number("vocals"), pair.number("speech_band")
    clauses = []
    if not isnan(vocals):
        clauses.append(voice_words(vocals))
    if not isnan(band):
        clauses.append(f"{100 * band:.0f} % of its power from 1 to 4 kHz")
    return ", ".join(clauses)


def length_of(pair: RankedPair) -> str:
    """How long a track is, and whether it loops if the video is long enough for that, in words."""
    duration, loopable = pair.number("duration"), pair.number("loopable")
    text = f"{clock(duration)} long"
    if pair.video.duration - duration >= LOOP_EXCESS_SECONDS and not isnan(loopable):
        text += f", its best seam scores {loopable:.2f}" if loopable > 0 else ", does not loop"
    return text


def _bars(pair: RankedPair) -> tuple[str, str, float] | None:
    """Cuts that keep time with the track."""
    bpm, beats = pair.number("bpm"), int(pair.columns.beats_per_bar[0])
    if isnan(bpm):
        return None
    agreement, unit = bar_agreement(pair.video.cuts, pair.columns.bpm, pair.columns.beats_per_bar)
    if agreement[0] < _AUDIBLE_AGREEMENT:
        return None
    per_bar = 4 if beats < 1 else beats
    seconds = 60.0 / bpm * (per_bar, per_bar / 2, 1)[unit[0]]
    certainty = _tempo_certainty(pair)
    counted = "as far as its beat was detected" if certainty == UNSURE else f"at {tempo_words(bpm, certainty, '.1f')}"
    return (
        f"{pair.video.cuts.size} cuts, a median of {pair.video.shot_seconds:.2f} s apart",
        f"a {BAR_UNITS[unit[0]]} lasts {seconds:.2f} s {counted}",
        float(agreement[0]),
    )


def _arc(pair: RankedPair, score: float) -> tuple[str, str, float] | None:
    """The scenes with the most and the least drive, and the music there."""
    found = extremes(pair.video)
    music_energy = _music_energy_at(pair, found)
    if found is None or music_energy is None:
        return None
    high, low = (pair.video.scenes[number] for number in found)
    return (
        f"busiest {_stretch(high)} with drive {high.drive:.2f}, calmest {_stretch(low)} with drive {low.drive:.2f}",
        f"energy {music_energy[0]:.2f} and {music_energy[1]:.2f} there",
        score,
    )


def _music_energy_at(pair: RankedPair, scenes: tuple[int, int] | None) -> tuple[float, float] | None:
    """Energy of the music under two scenes; None without them, or where it is not known."""
    music_energy = under_scenes(pair.video, pair.columns.contour, pair.columns.duration)[0]
    if scenes is None or np.isnan(music_energy).any():
        return None
    return float(music_energy[scenes[0]]), float(music_energy[scenes[1]])


def extremes(video: VideoFacts) -> tuple[int, int] | None:
    """Numbers of the busiest and the calmest scene; None where there is one scene only."""
    drive = [scene.drive for scene in video.scenes]
    most, least = int(np.argmax(drive)), int(np.argmin(drive))
    return None if most == least else (most, least)


def _stretch(scene: Scene) -> str:
    return f"{clock(scene.start)} to {clock(scene.end)}"


def _sync(pair: RankedPair) -> tuple[str, str, float] | None:
    """The strongest coincidence of the best placement, unless chance alone would give as much."""
    if not pair.placements or pair.placements[0].score < CHANCE_SCORE:
        return None
    best = pair.placements[0]
    landmark, _, event = best.label.partition(" on the ")
    begins = f"begins at {event_clock(best.offset_seconds)}" if best.offset_seconds >= 0 else (
        f"begins with its first {-best.offset_seconds:.1f} s cut off")  # fmt: skip
    return event, f"{landmark}, when the track {begins}", best.score


def explanation(pair: RankedPair, params: MatchParams) -> str:
    """One sentence: the rules that it breaks, or up to three merits of the track, and up to two faults."""
    if last_resort := pair.rules.last_resort(0):
        return last_resort
    moved = effects(pair.parts, params)
    ranked = sorted(moved, key=lambda name: -abs(moved[name]))
    # Merits that few tracks have come first.
    rare = sorted(ranked, key=lambda name: name not in ("bars", "sync"))
    praise = [clause for name in rare if (clause := _praise(name, pair, params)) is not None][:3]
    doubts = [clause for name in ranked if (clause := _doubt(name, pair, params)) is not None][:2]
    if praise and doubts:
        text = f"{listed(praise)}; but {listed(doubts)}"
    else:
        text = listed(praise or doubts or ["nothing about it stands out, for or against"])
    return f"{text[0].upper()}{text[1:]}."


def _felt_tempo(pair: RankedPair, params: MatchParams) -> str:
    """The tempo, and whether it is at half or double that it suits."""
    bpm = pair.number("bpm")
    certainty = _tempo_certainty(pair)
    if isnan(bpm) or certainty == UNSURE:
        return "music without a sure beat"
    felt = _felt_at(pair, _felt_factor(pair, params))
    return tempo_words(bpm, certainty) + (f"{felt}," if felt else "")


def _praise(name: str, pair: RankedPair, params: MatchParams) -> str | None:
    """The clause by which a part speaks for a track; None where it does not."""
    part, video = pair.parts[name], pair.video
    if name == "bars":
        facts = _bars(pair)
        return None if facts is None else f"the cuts keep time with it ({facts[1]})"
    if name == "sync":
        return f"it can land its {pair.placements[0].label}" if _sync(pair) and pair.placements else None
    if name == "arc":
        found = extremes(video)
        music_energy = _music_energy_at(pair, found)
        rises = part > 0.6 and music_energy is not None and music_energy[0] > music_energy[1]
        return f"it rises where the video does, at {clock(video.scenes[found[0]].start)}" if rises and found else None
    if name == BRIEF_PART:
        asked, _ = _words_named(pair)
        return f"its text names {listed(asked[:_MOST_TAGS])}, as asked" if asked and part >= _NAMES_ASKED else None
    if part < _GOOD or _facts(name, pair, params) is None:
        return None
    if name not in MATCH_PARTS:
        return f"it is {description_of(name)}"
    match name:
        case "pulse":
            return f"{_felt_tempo(pair, params)} suits {_edited(pair)}"
        case "level":
            return f"its energy of {_energy(pair, params):.2f} is near the {pair.wanted.energy:.2f} that suits"
        case "mood":
            valence, wanted = _valence(pair, params), pair.wanted.valence
            if abs(valence - wanted) > _NEAR:
                return None
            # No word for its sound: a dark one in minor may suit a sunny street, but reads as a slip.
            described = f"{tags}, " if (tags := _tags_of(pair)) else ""
            return f"{described}its cheerfulness of {valence:.2f} is near the {wanted:.2f} that suits"
        case "voice":
            return None if pair.wanted.voice else "it leaves room for the voice"
        case _:
            duration = pair.number("duration")
            return "it loops well" if video.duration - duration >= LOOP_EXCESS_SECONDS else None


def _doubt(name: str, pair: RankedPair, params: MatchParams) -> str | None:
    """The clause by which a part speaks against a track; None where it does not."""
    part, video = pair.parts[name], pair.video
    if name == BRIEF_PART:
        asked, others = _words_named(pair)
        return "its text names other music than was asked" if others and not asked else None
    if part >= (_BAD if name != "arc" else 0.42) or _facts(name, pair, params) is None:
        return None
    wanted = pair.wanted
    if name not in MATCH_PARTS:
        return f"it is not {description_of(name)}"
    match name:
        case "pulse":
            fast = float(track_pulse(pair.columns.bpm, pair.columns.density)[0]) > wanted.pulse
            return f"{tempo_of(pair)} is {'fast' if fast else 'slow'} for {_edited(pair)}"
        case "level":
            lively = _energy(pair, params) > wanted.energy
            return f"it is {'livelier' if lively else 'calmer'} than {_goal('energy', wanted, 'the video')}"
        case "mood":
            mood = "cheerful" if _valence(pair, params) > wanted.valence else "sombre"
            return f"it is more {mood} than {_goal('valence', wanted, 'the pictures')}"
        case "voice":
            if is_sung(pair.number("vocals")):
                return "its vocals compete with the voice"
            likely = pair.number("vocals") >= 0.5
            return "it may have singing where the voice is" if likely else "it is dense where the voice is"
        case "length":
            return f"it ends at {clock(pair.number('duration'))} and does not loop well"
        case "arc":
            music_energy = _music_energy_at(pair, extremes(video))
            return (
                "it is livelier where the video is calm"
                if music_energy is not None and music_energy[1] > music_energy[0]
                else None
            )
        case _:
            return None


def _goal(name: str, wanted: VideoWants, picture: str) -> str:
    """The words after "than" for a track that falls short: of the request, the picture, or both."""
    return "was asked" if name in wanted.asked else "is looked for" if name in wanted.seen else picture


def fitting_tags(track: Track, wanted: VideoWants, params: MatchParams) -> tuple[str, ...]:
    """Moods, genres and tags of a track that a brief names, or whose usual sound is what the video asks for."""
    asked = frozenset(() if wanted.brief is None else map(int, np.flatnonzero(wanted.brief.requested)))
    words = dict.fromkeys((*track.moods, *track.genres, *(track.instruments if asked else ()), *track.tags))
    return tuple(tag for tag in words if asked & facets_named(tag) or _tag_fits(tag, wanted, params))


def _tag_fits(tag: str, wanted: VideoWants, params: MatchParams) -> bool:
    sound = read_lexicon(tag).sound
    if sound is None:
        return False
    unknown = np.array(np.nan)
    valence = float(track_valence(np.array(sound.mode), np.array(sound.brightness), unknown, unknown, params))
    return abs(sound.energy - wanted.energy) <= _TAG_REACH and abs(valence - wanted.valence) <= _TAG_REACH


def lane_title(video: VideoFacts, wanted: VideoWants) -> str:
    """The kind of music that a lane holds, as its title."""
    energy = _named(wanted.energy, ((0.25, "Quiet"), (0.42, "Gentle"), (0.58, "Steady"), (0.75, "Lively")), "Driving")
    mood = _named(wanted.valence, ((0.38, "dark"), (0.62, "even-tempered")), "bright")
    room = " that leaves room for the voice" if video.speech_share >= 0.1 and not wanted.voice else ""
    return f"{energy}, {mood} music{room}"


def _named(value: float, steps: Sequence[tuple[float, str]], beyond: str) -> str:
    return next((name for most, name in steps if value < most), beyond)


def lane_reasoning(
    video: VideoFacts,
    wanted: VideoWants,
    compared: int,
    tried: int,
    best: float | None,
    rules: JudgedRules | None = None,
) -> str:
    """Facts of the video, what it and the brief ask for, and what was compared; `rules` are on the matches."""
    return " ".join(_reasoning(video, wanted, compared, tried, best, rules))


def _reasoning(
    video: VideoFacts, wanted: VideoWants, compared: int, tried: int, best: float | None, rules: JudgedRules | None
) -> Iterator[str]:
    spoken = f"speech in {100 * video.speech_share:.0f} % of it" if video.speech_share > 0 else "no speech"
    if video.classification == "none":  # lips may move in it: "no speech" would claim too much
        spoken = "no soundtrack"
    scenes = f"{len(video.scenes)} scenes" if len(video.scenes) > 1 else "one scene"
    yield (
        f"The video is {clock(video.duration)} long, in {scenes}, with {cutting(video)}, {motion(video)}, brightness "
        f"{video.brightness:.2f} and {spoken}."
    )
    energy, pulse, valence = (wanted.seen.get(name, getattr(wanted, name)) for name in _WANTED)
    yield (
        f"Videos like it go with music of energy {energy:.2f}, pulse {pulse:.2f} and cheerfulness "
        f"{valence:.2f}, each from 0 to 1."
    )
    if wanted.seen:
        asked = listed([f"{_WANTED[name]} {getattr(wanted, name):.2f}" for name in wanted.seen])
        counted = "for more than" if wanted.asked else "beside"
        verb = "was" if len(wanted.seen) == 1 else "were"
        yield f"The brief counted {counted} the picture: {asked} {verb} looked for."
    if wanted.brief is not None and rules is not None:
        yield from sentences_on_brief(wanted.brief, rules, range(len(rules.columns)))
    yield (
        f"{compared} {'track was' if compared == 1 else 'tracks were'} compared by pace, energy from scene to scene, "
        f"mood, room for a voice and length; where the best {tried} land on the video's events was tried as well."
    )
    if best is None:
        yield "The catalog holds no track that could be put forward."
    elif best < 0.4 and wanted.brief is not None and rules is not None and _names_nothing(wanted.brief, rules):
        yield "Scores are low because no text of these tracks names what the brief asks for; only sound was compared."
    elif best < 0.4:
        yield "Nothing in this catalog suits the video well: even the first is a compromise."


def _names_nothing(brief: Brief, rules: JudgedRules) -> bool:
    """Whether a brief names moods, genres or instruments, and the texts of tracks nothing of these kinds."""
    kinds = [where for where in map(lexicon().of, KINDS) if brief.requested[where].any()]
    return bool(kinds) and not any(rules.facets[:, where].any() for where in kinds)
