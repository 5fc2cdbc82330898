"""Voices by others over music by others: when somebody speaks, and how far the music goes under it.

    python -m tests.benchmarks.elsewhere.voice FOLDER [--role fit|test]

FOLDER is what `data.recipes.material.elsewhere_voices` and `data.recipes.material.recordings` fetched. Beside the
speech ranges of a mix stand those of the bare detector, as its authors turn probabilities into stretches: over 0.5, on
until under 0.35 for 100 ms, at least 250 ms, 30 ms wider on both sides. Videos that go from one scene to another are
measured too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from data.recipes.material.elsewhere_voices import voice_scenes
from data.recipes.material.soundtracks import RATE, Video
from tests.benchmarks.mix import HZ, Finding, Heard, by_points, frames, measured, mixed, music_for
from tests.benchmarks.table import Table
from workbench.mix.balance import Mix, SoundtrackMeasure, utterances_in
from workbench.mix.uncertain import uncertain_ranges
from workbench.mix.voice import join_utterances

_ON, _OFF = 0.5, 0.35
_SILENCE_SECONDS, _LEAST_SECONDS, _WIDER_SECONDS = 0.1, 0.25, 0.03
_PAUSE_SECONDS = 0.3
"""pauses that the truth closes, closed here too"""

ROWS = (
    ("alone", "10 LU over traffic"),
    ("over traffic as loud", "loud and quiet speakers, -18 and -32 LUFS"),
    ("10 LU over music", "alone"),
    ("in a room", "over music as loud"),
)
"""scenes that follow each other in a video"""

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


def frame_scores(heard: Sequence[tuple[Video, SoundtrackMeasure]], *, bare: bool) -> list[float]:
    """F1 of frames of each scene in which somebody speaks."""
    finding = Finding()
    for video, soundtrack in heard:
        if video.speech:
            seconds = video.sound.size / RATE
            ranges = bare_ranges(soundtrack, seconds) if bare else utterances_in(soundtrack, seconds)
            finding.add(video.speech, ranges, seconds)
    return finding.per_video


def tables(folder: Path, role: str) -> list[Table]:
    """Speech ranges by scene beside the bare detector, what ducking does, and where somebody may speak."""
    scenes = [(video, measured(video.sound)) for _, video in voice_scenes(folder, role)]
    names = list(dict.fromkeys(video.name for video, _ in scenes))
    ranges = Table(
        f"Voices by others, {role}: speech ranges",
        ["scene", "n", "frame F1", "worst", "edge error ms, median", "starts > 20 ms late, %", "bare detector F1",
         "its worst", "its edge error ms"],
    )  # fmt: skip
    levels = Table(
        f"Voices by others, {role}: music under speech",
        ["scene", "n", "voice over music LU, median", "worst tenth", "moves / needed", "ducks < 0.3 s"],
    )
    doubt = Table(
        f"Voices by others, {role}: where somebody may speak",
        ["scene", "n", "speech missed, s", "of it in uncertain ranges", "these in all, s", "without speech"],
    )
    for name in (*names, "all but 10 LU under music"):
        some = [pair for pair in scenes if pair[0].name == name or (name not in names and "under" not in pair[0].name)]
        if not any(video.speech for video, _ in some):
            loose = sum(len(utterances_in(s, v.sound.size / RATE)) for v, s in some)
            ranges.notes.append(f"{name}: {loose} utterances found in {len(some)} scenes without a voice.")
            doubt.add(name, len(some), *doubtful_seconds(some))
            continue
        if name in names:
            doubt.add(name, len(some), *doubtful_seconds(some))
        ours, bare, heard = Finding(), Finding(), Heard()
        for number, (video, soundtrack) in enumerate(some):
            if not video.speech:
                continue
            seconds = video.sound.size / RATE
            ours.add(video.speech, utterances_in(soundtrack, seconds), seconds)
            bare.add(video.speech, bare_ranges(soundtrack, seconds), seconds)
            _add_ducked(heard, video, soundtrack, number)
        errors = [float(np.median([abs(e) * 1e3 for e in (*f.starts, *f.ends)] or [np.nan])) for f in (ours, bare)]
        ranges.add(
            name, len(ours.per_video), float(np.mean(ours.per_video)), min(ours.per_video), errors[0],
            float(100 * np.mean(np.array(ours.late) > 0.0205)), float(np.mean(bare.per_video)), min(bare.per_video),
            errors[1],
        )  # fmt: skip
        if heard.under:
            levels.add(
                name, len(heard.steepest), float(np.median(heard.under)), float(np.quantile(heard.under, 0.1)),
                heard.moves / heard.needed if heard.needed else None, heard.short,
            )  # fmt: skip
    ranges.notes.append("Means over scenes of 40 s. Truth: sound of the dry voice, pauses up to 0.3 s closed.")
    return [ranges, levels, doubt]


def rows_table(folder: Path, role: str) -> Table:
    """Speech ranges of videos of two scenes of the same voice, one after the other."""
    table = Table(
        f"Voices by others, {role}: two scenes in a row",
        ["scenes", "n", "frame F1", "worst", "starts > 20 ms late, %", "bare detector F1", "its worst"],
    )
    scenes = voice_scenes(folder, role, names={name for row in ROWS for name in row})
    every = (Finding(), Finding())
    for first, second in ROWS:
        found = (Finding(), Finding())
        halves = ([(package, video) for package, video in scenes if video.name == name] for name in (first, second))
        for (package, before), (other, after) in zip(*halves, strict=True):
            assert package == other, "scenes are made voice by voice"
            video = _in_a_row(before, after)
            soundtrack = measured(video.sound)
            seconds = video.sound.size / RATE
            for ours, bare in (found, every):
                ours.add(video.speech, utterances_in(soundtrack, seconds), seconds)
                bare.add(video.speech, bare_ranges(soundtrack, seconds), seconds)
        table.add(f"{first}; {second}", *_row_cells(*found))
    table.add("all", *_row_cells(*every))
    return table


def _row_cells(ours: Finding, bare: Finding) -> list[object]:
    late = float(100 * np.mean(np.array(ours.late) > 0.0205))
    f1, bare_f1 = float(np.mean(ours.per_video)), float(np.mean(bare.per_video))
    return [len(ours.per_video), f1, min(ours.per_video), late, bare_f1, min(bare.per_video)]


def _in_a_row(first: Video, second: Video) -> Video:
    later = first.sound.size / RATE
    speech = [*first.speech, *((start + later, end + later) for start, end in second.speech)]
    sound, voice = (np.concatenate(pair) for pair in ((first.sound, second.sound), (first.voice, second.voice)))
    return Video(f"{first.name}; {second.name}", sound, voice, speech)


def doubtful_seconds(some: Sequence[tuple[Video, SoundtrackMeasure]]) -> tuple[float, float, float, float]:
    """Seconds of speech that was missed, of it in uncertain ranges, of these ranges, of them where nobody speaks."""
    total = np.zeros(4)
    for video, soundtrack in some:
        seconds = video.sound.size / RATE
        found = utterances_in(soundtrack, seconds)
        doubt = frames(uncertain_ranges(soundtrack, found, seconds), seconds)
        said = frames(video.speech, seconds)
        missed = said & ~frames(found, seconds)
        total += [missed.sum() / HZ, (missed & doubt).sum() / HZ, doubt.sum() / HZ, (doubt & ~said).sum() / HZ]
    missed_s, held, doubtful, loose = total.tolist()
    return missed_s, held, doubtful, loose


def _add_ducked(heard: Heard, video: Video, soundtrack: SoundtrackMeasure, number: int) -> None:
    music = np.resize(music_for(number), video.sound.size)
    mix: Mix = mixed(video, soundtrack, music)
    if mix.duck is not None:
        heard.add(by_points(video, mix, music, mix.duck.envelope_points))


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description="Measure speech ranges and ducking on voices by others.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"], default="test")
    given = arguments.parse_args()
    for table in (*tables(given.folder, given.role), rows_table(given.folder, given.role)):
        print(table.markdown())


if __name__ == "__main__":
    main()
