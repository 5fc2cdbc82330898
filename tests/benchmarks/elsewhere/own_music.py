"""Music in soundtracks by others: how well it is found, and where it begins and ends.

    python -m tests.benchmarks.elsewhere.own_music FOLDER

FOLDER is what `data.recipes.material.own_music_scenes`, `elsewhere_voices` and `recordings` fetched. Beside it stands
the simple rule: whatever sounds and is no speech is music.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import soxr

from data.recipes.fitting.own_music import MeasuredScene, measured
from data.recipes.material.own_music_scenes import own_music_scenes
from data.recipes.material.soundtracks import RATE
from tests.benchmarks.table import Table, measure_folder
from workbench.features.levels import HOPS_PER_SECOND, LevelCurve
from workbench.features.speech_probability import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.video.utterances import SoundtrackMeasure, own_music_in, utterances_in

STEP = 0.1
"""s between the times that are asked"""
_SOUNDS_DB = -50.0  # under full scale, over which something sounds

Ranges = Sequence[tuple[float, float]]
Finder = Callable[[MeasuredScene, SoundtrackMeasure, float], Ranges]


def ours(scene: MeasuredScene, soundtrack: SoundtrackMeasure, seconds: float) -> Ranges:
    """What a mix takes for the video's own music."""
    return own_music_in(soundtrack, seconds)


def simple_rule(scene: MeasuredScene, soundtrack: SoundtrackMeasure, seconds: float) -> Ranges:
    """Every second that sounds and in which nobody speaks."""
    spoken = utterances_in(soundtrack, seconds)
    power = scene.bands.sum(axis=1)
    ranges = []
    for second in range(int(seconds)):
        loud = power[second * HOPS_PER_SECOND : (second + 1) * HOPS_PER_SECOND].mean() > 10 ** (_SOUNDS_DB / 10)
        if loud and not any(first < second + 1 and last > second for first, last in spoken):
            ranges.append((float(second), second + 1.0))
    return ranges


def _covered(ranges: Ranges, times: np.ndarray) -> np.ndarray:
    found = np.zeros(times.size, dtype=bool)
    for first, last in ranges:
        found |= (times >= first) & (times < last)
    return found


def tables(folder: Path) -> list[Table]:
    """One row a finder: F1 by time, edges, scenes without music in which some is found."""
    scenes = []
    for scene in own_music_scenes(folder, "test"):
        found = measured(scene)
        speech = speech_probabilities([soxr.resample(scene.sound, RATE, SAMPLE_RATE).astype(np.float32)])
        levels = LevelCurve(found.bands.sum(axis=1), 1.0)
        scenes.append((found, SoundtrackMeasure(levels, speech, FRAME_SECONDS, found.bands, found.pitches)))
    columns = ("finder", "F1", "edge, s", "without music, found in")
    table = Table(f"Music in soundtracks by others: {len(scenes)} scenes", columns)
    for name, find in (("ours", ours), ("whatever is no speech", simple_rule)):
        table.add(name, *_row(scenes, find))
    table.notes.append("F1 by time; median error of edges.")
    return [table]


def _row(scenes: Sequence[tuple[MeasuredScene, SoundtrackMeasure]], find: Finder) -> list[object]:
    right = wrong = missed = 0.0
    edges: list[float] = []
    without, falsely = 0, 0
    for found, soundtrack in scenes:
        seconds = len(found.bands) / HOPS_PER_SECOND
        times = np.arange(0.0, seconds, STEP)
        ranges, truth = find(found, soundtrack, seconds), found.scene.music
        said, true = _covered(ranges, times), _covered([truth] if truth else [], times)
        right, wrong, missed = (
            total + float(np.sum(hits))
            for total, hits in ((right, said & true), (wrong, said & ~true), (missed, ~said & true))
        )
        if truth is None:
            without, falsely = without + 1, falsely + bool(ranges)
            continue
        for first, last in ranges:
            if first < truth[1] and last > truth[0]:
                edges += [abs(first - truth[0]), abs(last - truth[1])]
    edge = float(np.median(edges)) if edges else None
    return [float(2 * right / (2 * right + wrong + missed)), edge, f"{falsely} of {without}"]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
