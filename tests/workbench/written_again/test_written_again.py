"""Methods written again from their texts: the code does what the head of its module says.

Where one of these fails after a change of the method, mend the text, then what was written from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.workbench.loops.conftest import Track, make_profile
from tests.workbench.written_again import beat_paths, crossfades, ducking, match_score, plan_score, seam_score
from tests.workbench.written_again import placements as placements_again
from workbench.align import placements
from workbench.align._kernels import WIDTHS
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import place
from workbench.beats._kernels import bar_pointer
from workbench.beats.pulses import (
    BEAT_EVIDENCE,
    DRIFT_COST,
    MAX_TEMPO_CHANGE_COST,
    MAX_TEMPO_COST,
    TEMPO_CHANGE_COST,
    TEMPO_REACH,
    decode_ticks,
)
from workbench.features.marks import marks_of
from workbench.loops.cover import plan_loop
from workbench.loops.fitting import fit_splices, line_sounds
from workbench.loops.plan import LoopPlan
from workbench.loops.profile import SEAM_PARTS, EndingKind
from workbench.loops.seams import score_seam, seam_evidence
from workbench.match.ranking import quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.match.reference import read_reference
from workbench.mix import duck
from workbench.mix.levels import LevelCurve
from workbench.models.align import AlignModel
from workbench.params import AlignParams, CoverParams, DuckParams, MatchParams, SeamParams
from workbench.recording import FloatArray
from workbench.video.events import EVENT_KINDS, Events

CASES = range(4)


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


@pytest.mark.parametrize("seed", CASES)
def test_the_ducking_curve(seed: int) -> None:
    dice = np.random.default_rng(seed)
    params = _duck_params(dice) if seed % 3 else DuckParams()
    video = round(float(dice.uniform(8, 60)), 3)
    spoken, at = [], float(dice.choice([0.0, dice.uniform(0, 3)]))
    while at < video - 0.3:
        end = min(at + float(dice.uniform(0.2, 12)), video)
        spoken.append((round(at, 3), round(end, 3)))
        at = end + float(dice.choice([dice.uniform(0, 1), dice.uniform(0, 8)]))
    hops = round(100 * video)
    voice = LevelCurve(10 ** dice.normal(-2.2, 0.5, hops), 1.0)
    music = LevelCurve(10 ** np.repeat(dice.normal(-2.5, 1.0, hops // 100 + 1), 100)[:hops], 1.0)

    pieces = duck.split_utterances(tuple(spoken), params)
    np.testing.assert_allclose(ducking.split(tuple(spoken), params), pieces, atol=1e-9)
    wanted = duck.duck_depths(pieces, voice, music, params)
    np.testing.assert_allclose(ducking.depths(pieces, voice, music, params), wanted, atol=1e-9)
    steady = duck.steady_depths(pieces, wanted, params)
    np.testing.assert_allclose(ducking.steady(pieces, wanted, params), steady, atol=1e-9)
    curve = duck.duck_curve(pieces, steady, video, params)
    np.testing.assert_allclose(ducking.curve(pieces, steady, video, params), curve, atol=1e-6)


@pytest.mark.parametrize("seed", CASES)
def test_the_match_score(seed: int) -> None:
    dice, pairs, params = np.random.default_rng(seed), read_reference(), MatchParams()
    video = pairs.videos[int(dice.integers(len(pairs.videos)))]
    columns = pairs.columns.take(dice.permutation(len(pairs.columns))[:60])
    unknown = {}
    for name in ("bpm", "density", "energy", "mode", "brightness", "vocals", "speech_band", "loopable", "duration"):
        values = np.array(getattr(columns, name))
        values[dice.random(values.size) < 0.1] = np.nan
        unknown[name] = values
    columns = replace(columns, **unknown, beats_per_bar=dice.choice([-1, 2, 3, 4], 60).astype(np.int8))
    parts = quick_parts(video, wanted_of(video, params), columns, params) | slow_parts(video, columns, params)
    again = match_score.parts(video, columns, params)
    assert again.keys() == parts.keys()
    for name, part in parts.items():
        np.testing.assert_allclose(again[name], part, atol=1e-5, err_msg=name)
    raw = raw_scores(parts, params)
    np.testing.assert_allclose(match_score.raw_score(again, params), raw, atol=1e-5)
    np.testing.assert_allclose(match_score.score(raw, params), scores_of(raw, params), atol=1e-6)


def _pair(dice: np.random.Generator) -> tuple[Landmarks, Events]:
    """A track and a video, some of whose events lie on its landmarks."""
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
        at = float(on if number % 2 else dice.uniform(0, video))
        if 0 < at < video:
            kind, salience = str(dice.choice(EVENT_KINDS[:5])), float(dice.uniform(0.1, 1))
            events.append((at, kind, salience, float(dice.uniform(0.02, 0.15))))
    first = float(bars[0] * dice.random())
    return (
        Landmarks(marks_of(LANDMARK_KINDS, marks), float(track), first, last),
        Events(marks_of(EVENT_KINDS, events), float(video)),
    )


@pytest.mark.parametrize("seed", CASES)
def test_placements(seed: int) -> None:
    dice = np.random.default_rng(seed)
    track, video = _pair(dice)
    params = AlignParams()
    if seed % 3 == 0:
        model = AlignModel(
            near_share=float(dice.random()), near_reach=float(dice.uniform(0.05, 1)), trust=float(dice.uniform(0.1, 2)),
            far_reach=float(dice.uniform(0.2, 3)), used_share=float(dice.uniform(0.05, 0.6)),
        )  # fmt: skip
        params = AlignParams(min_cover=float(dice.uniform(0.6, 1)), max_placements=5, model=model)
    found = [(one.offset_seconds, one.score) for one in place(track, video, params)]
    again = placements_again.WrittenAgain(track, video, params).place()
    assert len(again) == len(found)
    np.testing.assert_allclose(np.array(again), np.array(found), atol=2e-4)


def test_the_text_on_placements_names_the_width_that_is_used() -> None:
    text = " ".join((placements.__doc__ or "").split())
    assert f"Beyond {WIDTHS:g} deviations" in text
    assert placements_again._WIDTHS == WIDTHS


SEAMS: tuple[dict[str, Any], ...] = (
    {"context_beats": 2},
    {"model": {"own_break_share": 1.2, "pulse_weight": 2.0, "max_harmony": 0.2}},
)


@pytest.mark.parametrize("changed", SEAMS, ids=["context", "model"])
def test_the_seam_score(changed: dict[str, Any], band: Callable[..., Any]) -> None:
    dice, params, piece = np.random.default_rng(5), SeamParams(**changed), band("ABAC")
    evidence = seam_evidence(piece.recording, piece.grid, params)
    again = seam_score.WrittenAgain(evidence, params)
    for _ in range(6):
        beats = evidence.lines if dice.random() < 0.6 else np.arange(evidence.positions.size)
        left, entered = (int(beat) for beat in dice.choice(beats, 2, replace=False))
        scored = score_seam(evidence, left, entered, params)
        total, led, parts = again.score(left, entered)
        assert scored.led == led, (left, entered)
        assert scored.total == pytest.approx(total, abs=1e-5), (left, entered)
        np.testing.assert_allclose([scored.parts[name] for name in SEAM_PARTS], parts, atol=1e-4)


@pytest.mark.parametrize("changed", [{}, {"alike_fade_seconds": 0.05, "unlike_fade_seconds": 0.2}], ids=str)
def test_the_choice_of_a_crossfade(changed: dict[str, Any], band: Callable[..., Any]) -> None:
    dice, params, piece = np.random.default_rng(6), SeamParams(**changed), band("ABAC")
    recording, lines = piece.recording, piece.grid.downbeats
    mono: FloatArray = recording.samples.astype(np.float64).mean(axis=0)
    leave, enter = dice.integers(lines.size, size=(2, 12))
    fits = fit_splices(line_sounds(recording.samples, recording.sample_rate, lines), lines, leave, enter, params)
    found = np.stack([fits.song_to, fits.song_from, fits.fade_seconds, fits.exponent, fits.correlation], axis=1)
    again = [
        crossfades.fit(mono, recording.sample_rate, lines[one], lines[other], params)
        for one, other in zip(leave, enter, strict=True)
    ]
    np.testing.assert_allclose(again, found, atol=2e-5)


@pytest.mark.parametrize("seed", CASES)
def test_the_score_of_a_plan(seed: int) -> None:
    dice = np.random.default_rng(seed)
    kinds = (None, *EndingKind)
    profile = make_profile(Track(bars=int(dice.integers(40, 90)), ending=kinds[seed % len(kinds)], seed=seed))
    names = ("seams", "ending", "freshness", "phrasing", "coverage", "economy")
    drawn: dict[str, Any] = {f"{name}_weight": float(dice.random()) for name in names} if seed % 2 else {}
    params = CoverParams(**drawn, fresh_seconds=float(dice.uniform(20, 200)), max_passes_in_a_row=2 + seed % 3)
    plan = plan_loop(profile, profile.song_duration + float(dice.uniform(31, 600)), params)
    assert isinstance(plan, LoopPlan)
    assert plan_score.plan_score(plan, profile, params) == pytest.approx(plan.plan_score, abs=2e-4)


@pytest.mark.parametrize("seed", CASES)
def test_the_most_probable_beats(seed: int) -> None:
    dice = np.random.default_rng(seed)
    shortest, intervals = int(dice.integers(3, 12)), int(dice.integers(1, 30))
    evidence = dice.normal(-1.0, 1.0, int(dice.integers(60, 150))).astype(np.float32)
    evidence[:: int(dice.integers(shortest, shortest + intervals))] += 4.0
    prior = dice.normal(-2.0, 0.5, intervals).astype(np.float32)
    free, change, jump = int(dice.integers(0, 4)), float(dice.uniform(0, 60)), float(dice.uniform(1, 12))
    found = bar_pointer(evidence, shortest, prior, change, free, jump)
    assert beat_paths.beats(evidence, shortest, prior, change, free, jump) == found.tolist()


@pytest.mark.parametrize("seed", CASES)
def test_ticks_near_a_period(seed: int) -> None:
    dice = np.random.default_rng(seed)
    activation, period = dice.random(300) ** 4, float(dice.uniform(6, 30))
    shortest = max(2, int(period / TEMPO_REACH))
    lengths = np.arange(shortest, int(np.ceil(period * TEMPO_REACH)) + 1)
    prior = np.maximum(-DRIFT_COST * np.abs(lengths - period), -MAX_TEMPO_COST)
    again = beat_paths.beats(BEAT_EVIDENCE * activation, shortest, prior, TEMPO_CHANGE_COST, 1, MAX_TEMPO_CHANGE_COST)
    np.testing.assert_allclose(np.array(again) / 100, decode_ticks(activation, 100, period))
