"""Calculations on drawn input whose results are stored in `numbers.json`.

`python -m tests.workbench.golden.cases` writes the file again: do so where a method was changed on purpose, and review
the difference. Fitted parameters stay as stored, so that a new fit changes nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from tests.workbench.plans.made import Track, make_profile
from tests.workbench.played import Played, band
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import place
from workbench.beats._kernels import bar_pointer
from workbench.beats.candidates import TEMPO_REACH, decode_ticks
from workbench.features.levels import LevelCurve
from workbench.features.marks import marks_of
from workbench.matching.video_ranking import quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.matching.video_reference import read_reference
from workbench.mix import ducking as duck
from workbench.params import AlignParams, CoverParams, DuckParams, MatchParams, SeamParams
from workbench.params.align import AlignModel
from workbench.plans.build import Route, fade_route, own_end_route, route_score
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plans.plan_score import PlanScore
from workbench.plans.splices import UsableSplices, usable_splices
from workbench.recording import FloatArray
from workbench.seams.profile import SEAM_PARTS, EndingKind, LoopProfile
from workbench.seams.seam_score import score_seam, seam_evidence
from workbench.seams.splice_fit import fit_splices, line_sounds
from workbench.video.events import EVENT_KINDS, Events

FILE: Final = Path(__file__).with_name("numbers.json")

Numbers: TypeAlias = Mapping[str, Any]
"""an array for each step of a calculation"""


def _duck_params(dice: np.random.Generator) -> DuckParams:
    drawn: dict[str, Any] = {
        name: float(dice.uniform(low, high))
        for name, (low, high) in {
            "under_voice_lu": (13, 24), "quiet_utterance_lu": (0, 40), "max_depth_db": (12, 48),
            "piece_seconds": (2, 20), "bridge_seconds": (0, 3.5),
        }.items()
    }  # fmt: skip
    drawn |= {"attack_ms": int(dice.integers(50, 1500)), "release_ms": int(dice.integers(100, 1800))}
    return DuckParams(**drawn)


def ducking(seed: int, params: Mapping[str, Any]) -> Numbers:
    dice = np.random.default_rng(seed)
    duck_params = _duck_params(dice) if seed % 3 else DuckParams(**params["duck"])
    video = round(float(dice.uniform(8, 60)), 3)
    spoken, at = [], float(dice.choice([0.0, dice.uniform(0, 3)]))
    while at < video - 0.3:
        end = min(at + float(dice.uniform(0.2, 12)), video)
        spoken.append((round(at, 3), round(end, 3)))
        at = end + float(dice.choice([dice.uniform(0, 1), dice.uniform(0, 8)]))
    hops = round(100 * video)
    voice = LevelCurve(10 ** dice.normal(-2.2, 0.5, hops), 1.0)
    music = LevelCurve(10 ** np.repeat(dice.normal(-2.5, 1.0, hops // 100 + 1), 100)[:hops], 1.0)
    pieces = duck.split_utterances(tuple(spoken), duck_params)
    depths = duck.duck_depths(pieces, voice, music, duck_params)
    steady = duck.steady_depths(pieces, depths, duck_params)
    curve = duck.duck_curve(pieces, steady, video, duck_params)
    return {"pieces": pieces, "depths": depths, "steady": steady, "curve": curve}


def match_score(seed: int, params: Mapping[str, Any]) -> Numbers:
    dice, pairs, match_params = np.random.default_rng(seed), read_reference(), MatchParams(**params["match"])
    video = pairs.videos[int(dice.integers(len(pairs.videos)))]
    columns = pairs.columns.take(dice.permutation(len(pairs.columns))[:20])
    unknown = {}
    for name in ("bpm", "density", "energy", "mode", "brightness", "vocals", "speech_band", "loopable", "duration"):
        values = np.array(getattr(columns, name))
        values[dice.random(values.size) < 0.1] = np.nan
        unknown[name] = values
    columns = replace(columns, **unknown, beats_per_bar=dice.choice([-1, 2, 3, 4], 20).astype(np.int8))
    parts = quick_parts(video, wanted_of(video, match_params), columns, match_params)
    parts = parts | slow_parts(video, columns, match_params)
    raw = raw_scores(parts, match_params)
    return {**parts, "raw": raw, "score": scores_of(raw, match_params)}


def _pair(dice: np.random.Generator, elsewhere: int) -> tuple[Landmarks, Events]:
    """A track and a video, whose events lie on its landmarks, but for each of that number."""
    track, video = dice.uniform([20.0, 15.0], [60.0, 60.0])
    bars = np.arange(dice.uniform(0, 1.5), track - 3, dice.uniform(1.2, 3))
    marks = [(float(at), "downbeat", 0.15, float(dice.uniform(0.02, 0.05))) for at in bars]
    marks += [
        (float(at), str(dice.choice(LANDMARK_KINDS[:4])), float(dice.uniform(0.3, 1)), 0.04)
        for at in dice.uniform(1, track - 4, 8)
    ]
    last = float(track - dice.uniform(0, 1))
    marks += [(last - 2, "ending", 0.6, 0.04), (last, "last sound", 0.5, 0.2)]
    events, offset = [(0.0, "start", 0.5, 0.04), (float(video), "end", 0.5, 0.04)], dice.uniform(-track / 2, video / 2)
    for number in range(int(dice.integers(3, 20))):
        on = marks[int(dice.integers(len(marks)))][0] + offset + dice.normal(0, 0.02)
        at = float(on if number % elsewhere else dice.uniform(0, video))
        if 0 < at < video:
            kind, salience = str(dice.choice(EVENT_KINDS[:5])), float(dice.uniform(0.1, 1))
            events.append((at, kind, salience, float(dice.uniform(0.02, 0.15))))
    first = float(bars[0] * dice.random())
    return (
        Landmarks(marks_of(LANDMARK_KINDS, marks), float(track), first, last),
        Events(marks_of(EVENT_KINDS, events), float(video)),
    )


def placements(seed: int, params: Mapping[str, Any]) -> Numbers:
    dice = np.random.default_rng(seed)
    track, video = _pair(dice, 2 if seed < 4 else 9)
    align_params = AlignParams(**params["align"])
    if seed % 3 == 0:
        model = AlignModel(**params["align"]["model"] | {
            "near_share": float(dice.random()), "near_reach": float(dice.uniform(0.05, 1)),
            "trust": float(dice.uniform(0.1, 2)), "far_reach": float(dice.uniform(0.2, 3)),
            "used_share": float(dice.uniform(0.05, 0.6)),
        })  # fmt: skip
        align_params = AlignParams(min_cover=float(dice.uniform(0.6, 1)), max_placements=5, model=model)
    found = place(track, video, align_params)
    return {"offset": [one.offset_seconds for one in found], "score": [one.score for one in found]}


def crossfades(seed: int, params: Mapping[str, Any]) -> Numbers:
    dice, piece = np.random.default_rng(6), band("ABAC", human_seconds=0.004 * seed)
    changed = {"alike_fade_seconds": 0.05, "unlike_fade_seconds": 0.2} if seed == 1 else {}
    recording, lines = piece.recording, piece.grid.downbeats
    leave, enter = dice.integers(lines.size, size=(2, 16))
    sounds = line_sounds(recording.samples, recording.sample_rate, lines)
    fits = fit_splices(sounds, lines, leave, enter, SeamParams(**params["seam"] | changed))
    names = ("song_to", "song_from", "fade_seconds", "exponent", "correlation")
    return {name: getattr(fits, name) for name in names}


def play_unevenly() -> Played:
    """A band whose drums pause for a part, and a grid whose beats differ by some milliseconds."""
    piece = band("ABOC", human_seconds=0.004)
    beats = piece.grid.beats + np.random.default_rng(3).uniform(-0.008, 0.008, piece.grid.beats.size)
    return Played(piece.recording, replace(piece.grid, beats=beats))


def seam_scores(seed: int, params: Mapping[str, Any]) -> Numbers:
    dice, piece = np.random.default_rng(5), play_unevenly() if seed == 2 else band("ABAC")
    fitted = params["seam"]["model"] | {"own_break_share": 1.2, "pulse_weight": 2.0, "max_harmony": 0.2}
    changed: dict[str, Any] = ({"context_beats": 2}, {"model": fitted}, {})[seed]
    seam_params = SeamParams(**params["seam"] | changed)
    evidence = seam_evidence(piece.recording, piece.grid, seam_params)
    scores = []
    for _ in range(12):
        beats = evidence.lines if dice.random() < 0.6 else np.arange(evidence.positions.size)
        leave, enter = (int(beat) for beat in dice.choice(beats, 2, replace=False))
        scores.append(score_seam(evidence, leave, enter, seam_params))
    parts = [[one.parts[name] for name in SEAM_PARTS] for one in scores]
    return {"total": [one.total for one in scores], "led": [one.led for one in scores], "parts": parts}


@dataclass(frozen=True)
class DrawnRoute:
    """A route through a made-up track: splices at random that may follow each other, often the same one in a row."""

    route: Route
    usable: UsableSplices
    profile: LoopProfile
    params: CoverParams

    @property
    def score(self) -> PlanScore:
        return route_score(self.route, self.usable, self.profile, self.params)


def drawn_route(seed: int) -> DrawnRoute:
    """Each kind of ending and none, limits that most of them pass, and in every second eight only seams over 0.75."""
    dice = np.random.default_rng(seed)
    ending = (None, *EndingKind)[seed % 4]
    bars, section_bars = int(dice.integers(40, 90)), (8, 6, 5)[seed % 3]
    profile = make_profile(Track(bars=bars, section_bars=section_bars, ending=ending, jitter=0.1, seed=seed))
    params = CoverParams(
        fresh_seconds=float(dice.uniform(20, 200)),
        max_passes_in_a_row=2 + seed % 3,
        max_plays_over_mean=float(dice.uniform(1, 2)),
        min_seam_score=0.75 if seed // 4 % 2 else 0.2,
    )
    usable = usable_splices(profile, params)
    before_end = usable.song_from + 20 < profile.last_sound
    taken, may_follow = [int(dice.choice(np.flatnonzero(usable.first & usable.is_body & before_end)))], usable.follows
    while len(taken) < 8 and (may_follow[taken[-1]] & before_end).any():
        again = may_follow[taken[-1], taken[-1]] and dice.random() < 0.4
        taken.append(taken[-1] if again else int(dice.choice(np.flatnonzero(may_follow[taken[-1]] & before_end))))
    way = np.array(taken)
    music = float(usable.gain_seconds[way].sum()) - profile.song_start
    if ending is None:
        last_to = float(dice.uniform(usable.song_from[taken[-1]] + 12, profile.last_sound))
        return DrawnRoute(fade_route(usable, way, profile, last_to + music), usable, profile, params)
    route = own_end_route(usable, way, profile, profile.last_sound + music + float(dice.uniform(0.1, 3)))
    assert route is not None
    return DrawnRoute(route, usable, profile, params)


def plan_scores(seed: int, _params: Mapping[str, Any]) -> Numbers:
    score = drawn_route(seed).score
    return {field.name: getattr(score, field.name) for field in fields(PlanScore)}


def searched_plan(seed: int) -> tuple[LoopPlan, LoopProfile, CoverParams]:
    """The plan that is served of a made-up track under a video, by weights that are drawn in every second case."""
    dice = np.random.default_rng(seed)
    kinds = (None, *EndingKind)
    profile = make_profile(Track(bars=int(dice.integers(40, 90)), ending=kinds[seed % len(kinds)], seed=seed))
    names = ("seams", "ending", "freshness", "phrasing", "coverage", "economy")
    drawn: dict[str, Any] = {f"{name}_weight": float(dice.random()) for name in names} if seed % 2 else {}
    cover = CoverParams(**drawn, fresh_seconds=float(dice.uniform(20, 200)), max_passes_in_a_row=2 + seed % 3)
    plan = plan_loop(profile, profile.song_duration + float(dice.uniform(31, 600)), cover)
    assert isinstance(plan, LoopPlan)
    return plan, profile, cover


def plan_searches(seed: int, _params: Mapping[str, Any]) -> Numbers:
    return {"score": [searched_plan(seed)[0].plan_score]}


def beat_paths(seed: int, _params: Mapping[str, Any]) -> Numbers:
    """Paths at one tempo; from the ninth on at two, with silence at the end, and ticks as fast as can be followed."""
    dice = np.random.default_rng(seed)
    shortest, intervals = int(dice.integers(3, 12)), int(dice.integers(1, 30))
    evidence = dice.normal(-1.0, 1.0, int(dice.integers(60, 150))).astype(np.float32)
    evidence[:: int(dice.integers(shortest, shortest + intervals))] += 4.0
    prior = dice.normal(-2.0, 0.5, intervals).astype(np.float32)
    free, change, jump = int(dice.integers(0, 4)), float(dice.uniform(0, 60)), float(dice.uniform(1, 12))
    activation, period = dice.random(300) ** 4, float(dice.uniform(6, 30))
    if seed >= 8:
        evidence = dice.normal(-1.0, 0.5, 400).astype(np.float32)
        for first, stop in ((0, 200), (200, 370)):
            evidence[first : stop : int(dice.integers(shortest, shortest + intervals))] += 5.0
        activation[:: int(period / TEMPO_REACH)] = 1.0
    return {
        "frames": bar_pointer(evidence, shortest, prior, change, free, jump),
        "ticks": decode_ticks(activation, 100, period),
    }


CASES: Final[Mapping[Callable[[int, Mapping[str, Any]], Numbers], int]] = {
    ducking: 8, match_score: 4, placements: 12, crossfades: 3, beat_paths: 18,
    seam_scores: 3, plan_scores: 8, plan_searches: 8,
}  # fmt: skip
"""how many inputs each is tried on"""


def read() -> dict[str, Any]:
    """Stored numbers by case and input, and under `params` the parameters they were made with."""
    stored: dict[str, Any] = json.loads(FILE.read_text())
    return stored


def _rounded(values: Any) -> list[Any]:
    numbers: FloatArray = np.round(np.asarray(values, dtype=np.float64), 7)
    listed: list[Any] = numbers.tolist()
    return listed


def _write() -> None:
    params = read()["params"] if FILE.exists() else {
        "duck": DuckParams().model_dump(), "match": MatchParams().model_dump(),
        "align": AlignParams().model_dump(), "seam": SeamParams().model_dump(),
    }  # fmt: skip
    lines = [f'"params": {json.dumps(params)}']
    for case, count in CASES.items():
        for seed in range(count):
            numbers = {name: _rounded(values) for name, values in case(seed, params).items()}
            lines.append(f'"{case.__name__} {seed}": {json.dumps(numbers)}')
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _write()
