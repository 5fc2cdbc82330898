"""Voices by others over music by others: when somebody speaks.

    python -m tests.benchmarks.elsewhere.voice FOLDER

FOLDER is of `data.recipes.material.elsewhere_voices` and `recordings`. The bare detector is as its authors turn
probabilities into stretches: over 0.5, on until under 0.35 for 100 ms, at least 250 ms, 30 ms wider on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from data.recipes.material.elsewhere_voices import voice_scenes
from data.recipes.material.soundtracks import RATE, Video
from tests.benchmarks.mix import Finding, measured
from tests.benchmarks.table import Table, measure_folder
from workbench.video.speech_ranges import join_utterances
from workbench.video.utterances import SoundtrackMeasure, utterances_in

_ON, _OFF = 0.5, 0.35
_SILENCE_SECONDS, _LEAST_SECONDS, _WIDER_SECONDS = 0.1, 0.25, 0.03
_PAUSE_SECONDS = 0.3
"""pauses that the truth closes, closed here too"""

Ranges = Sequence[tuple[float, float]]


def bare_ranges(soundtrack: SoundtrackMeasure, seconds: float) -> Ranges:
    """What the detector says by itself."""
    found: list[tuple[float, float]] = []
    start: float | None = None
    quiet: float | None = None
    for frame, chance in enumerate(soundtrack.speech.tolist()):
        time = frame * soundtrack.frame_seconds
        if chance >= _ON:
            start, quiet = time if start is None else start, None
        elif chance < _OFF and start is not None:
            quiet = time if quiet is None else quiet
            if time - quiet >= _SILENCE_SECONDS:
                if quiet - start >= _LEAST_SECONDS:
                    found.append((max(0.0, start - _WIDER_SECONDS), quiet + _WIDER_SECONDS))
                start = quiet = None
    if start is not None:
        found.append((max(0.0, start - _WIDER_SECONDS), seconds))
    return join_utterances(tuple(found), _PAUSE_SECONDS)


def found_in(scenes: Sequence[tuple[Video, SoundtrackMeasure]], *, bare: bool) -> Finding:
    """What the workbench or the bare detector finds in the scenes in which somebody speaks."""
    finding = Finding()
    for video, soundtrack in scenes:
        if video.speech:
            seconds = video.sound.size / RATE
            ranges = bare_ranges(soundtrack, seconds) if bare else utterances_in(soundtrack, seconds)
            finding.add(video.speech, ranges, seconds)
    return finding


def tables(folder: Path) -> list[Table]:
    """Speech ranges by scene beside the bare detector."""
    scenes = [(video, measured(video.sound)) for _, video in voice_scenes(folder, "test")]
    names = list(dict.fromkeys(video.name for video, _ in scenes))
    table = Table(
        "Voices by others: speech ranges",
        ["scene", "n", "frame F1", "edge error ms, median", "starts > 20 ms late, %", "bare detector F1",
         "its edge error ms"],
    )  # fmt: skip
    for name in (*names, "all but 10 LU under music"):
        some = [pair for pair in scenes if pair[0].name == name or (name not in names and "under" not in pair[0].name)]
        if not any(video.speech for video, _ in some):
            loose = sum(len(utterances_in(s, v.sound.size / RATE)) for v, s in some)
            table.notes.append(f"{name}: {loose} utterances found in {len(some)} scenes without a voice.")
            continue
        ours, bare = (found_in(some, bare=way) for way in (False, True))
        errors = [float(np.median([abs(e) * 1e3 for e in (*f.starts, *f.ends)] or [np.nan])) for f in (ours, bare)]
        late = float(100 * np.mean(np.array(ours.late) > 0.0205))
        f1, bare_f1 = (float(np.mean(finding.per_video)) for finding in (ours, bare))
        table.add(name, len(ours.per_video), f1, errors[0], late, bare_f1, errors[1])
    table.notes.append("Means over scenes of 40 s. Truth: sound of the dry voice, pauses up to 0.3 s closed.")
    return [table]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
