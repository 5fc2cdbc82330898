"""The ducking curve, written again from the head of `workbench.mix.duck` and its page in the book alone."""

from __future__ import annotations

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from workbench.mix.duck import (
    AHEAD_SECONDS,
    ENVELOPE_HZ,
    HOLD_SECONDS,
    MIN_UNDER_VOICE_LU,
    SLOPE_DB_PER_SECOND,
    STEADY_DB,
    TOLERANCE_DB,
)
from workbench.mix.levels import LevelCurve
from workbench.mix.voice import Utterances
from workbench.params import DuckParams
from workbench.recording import FloatArray

_ROUNDING = 1e-6
"""of a step: what misses a whole one by less is on it"""


class _Dip(NamedTuple):
    full: int
    """step at which the full depth begins"""
    over: int
    """step at which it ends"""
    down: int
    """steps of the fall before it"""
    up: int
    depth: float
    speaks: int
    """step at which the speech begins"""
    silent: int

    def at(self, steps: FloatArray) -> FloatArray:
        ramps = np.minimum(1 - (self.full - steps) / self.down, 1 - (steps - self.over) / self.up)
        return np.asarray(self.depth * np.clip(ramps, 0.0, 1.0))


def _floor(steps: float) -> int:
    return int(np.floor(steps + _ROUNDING))


def _ceil(steps: float) -> int:
    return int(np.ceil(steps - _ROUNDING))


def split(utterances: Utterances, params: DuckParams) -> Utterances:
    pieces = []
    for start, end in utterances:
        borders = np.linspace(start, end, max(1, _ceil((end - start) / params.piece_seconds)) + 1)
        pieces += list(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True))
    return tuple(pieces)


def depths(pieces: Utterances, voice: LevelCurve, music: LevelCurve, params: DuckParams) -> FloatArray:
    spoken = np.array([voice.lufs(start, end) for start, end in pieces])
    played = np.array([music.lufs(start, end) for start, end in pieces])
    counted = np.maximum(spoken, np.median(spoken) - params.quiet_utterance_lu)
    wanted = np.maximum(played - counted + params.under_voice_lu, played - spoken + MIN_UNDER_VOICE_LU)
    return np.asarray(np.clip(wanted, 0.0, params.max_depth_db))


def steady(pieces: Utterances, given: FloatArray, params: DuckParams) -> FloatArray:
    evened = given.copy()
    pauses = np.array([after[0] - before[1] for before, after in pairwise(pieces)])
    for block in np.split(np.arange(len(pieces)), np.flatnonzero(pauses > params.bridge_seconds) + 1):
        for piece in block:
            lesser = min(given[block[0] : piece + 1].max(), given[piece : block[-1] + 1].max())
            if given[piece] > 0 and lesser - given[piece] <= STEADY_DB:
                evened[piece] = lesser
    held = evened.copy()
    for piece in np.flatnonzero(evened > 0):
        around = product(range(piece), range(piece + 1, len(pieces)))
        near = [pair for pair in around if pieces[pair[1]][0] - pieces[pair[0]][1] <= params.bridge_seconds]
        held[piece] = max([evened[piece], *(min(evened[before], evened[after]) for before, after in near)])
    return held


def _kept(curve: FloatArray, tolerance: float) -> list[int]:
    kept, stretches = {0, curve.size - 1}, [(0, curve.size - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        line = np.linspace(curve[first], curve[last], last - first + 1)
        apart = np.abs(curve[first : last + 1] - line)
        if apart.max() > tolerance:
            split_at = first + int(apart.argmax())
            kept.add(split_at)
            stretches += [(first, split_at), (split_at, last)]
    return sorted(kept)


def _dips(utterances: Utterances, given: FloatArray, params: DuckParams) -> list[_Dip]:
    hz = ENVELOPE_HZ

    def steps(ms: int, depth: float) -> int:
        return _ceil(hz * max(ms / 1000, depth / SLOPE_DB_PER_SECOND))

    return [
        _Dip(
            _floor((start - AHEAD_SECONDS) * hz), _ceil((end + HOLD_SECONDS) * hz),
            steps(params.attack_ms, depth), steps(params.release_ms, depth), depth, round(start * hz), round(end * hz),
        )
        for (start, end), depth in zip(utterances, given.tolist(), strict=True)
        if depth > 0
    ]  # fmt: skip


def curve(utterances: Utterances, given: FloatArray, video_seconds: float, params: DuckParams) -> FloatArray:
    hz = ENVELOPE_HZ
    bridge = params.bridge_seconds * hz + _ROUNDING
    groups: list[list[_Dip]] = []
    for dip in _dips(utterances, given, params):
        group = groups[-1] if groups else []
        back = max((one.over + one.up for one in group), default=-1)
        if group and (dip.speaks - group[-1].silent <= bridge or dip.full - dip.down <= back):
            group.append(dip)
        else:
            groups.append([dip])
    points = []
    for group in groups:
        first = max(0, min(one.full - one.down for one in group))
        last = min(_floor(video_seconds * hz), max(one.over + one.up for one in group))
        steps = np.arange(first, last + 1, dtype=np.float64)
        if not steps.size:
            continue
        attenuation = np.max([one.at(steps) for one in group], axis=0)
        for one, other in pairwise(group):
            if other.speaks - one.silent <= bridge:
                between = (steps >= one.over) & (steps <= other.full)
                attenuation[between] = np.maximum(attenuation[between], min(one.depth, other.depth))
        kept = _kept(attenuation, TOLERANCE_DB) if attenuation.any() else []
        points += [(steps[at] / hz, attenuation[at]) for at in kept]
    return np.array(points).reshape(-1, 2)
