"""Beats and downbeats on the bundled truth, beside librosa's `beat_track` on the same samples.

Protocol: mir_eval's F-measure at ±70 ms, CMLt and AMLt, on whole recordings (mir_eval's usual trimming of the first
five seconds is left out: a loop may start there). Timing error: nearest found beat within 70 ms, signed as found minus
written. CPU is measured after one warm-up, from samples to grid, a minute of audio.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

import mir_eval
import numpy as np
from numpy.typing import NDArray
from songs import Song, bundled
from table import Table

from workbench.beats.track import track_beats, warm_up
from workbench.recording import Recording

Times = NDArray[np.float64]
COLUMNS = ("piece", "bpm found", "confidence", "F", "downbeat F", "CMLt", "AMLt", "|error| ms", "error ms", "CPU s/min")
PEER = ("librosa F", "librosa CMLt", "librosa AMLt", "librosa |error| ms", "librosa CPU s/min")


def timing(reference: Times, found: Times) -> tuple[float | None, float | None]:
    """Median absolute and signed distance in ms of written beats from found ones, where one is within 70 ms."""
    if not found.size or not reference.size:
        return None, None
    nearest = found[np.argmin(np.abs(found[None, :] - reference[:, None]), axis=1)]
    error = (nearest - reference)[np.abs(nearest - reference) <= 0.07] * 1000.0
    return (float(np.median(np.abs(error))), float(np.median(error))) if error.size else (None, None)


def scores(reference: Times, found: Times) -> tuple[float, float, float]:
    """F-measure, CMLt and AMLt; a piece of which nothing was found scores 0."""
    if found.size < 2:
        return 0.0, 0.0, 0.0
    _, cmlt, _, amlt = mir_eval.beat.continuity(reference, found)
    return float(mir_eval.beat.f_measure(reference, found)), float(cmlt), float(amlt)


def librosa_beats(samples: NDArray[np.float32], rate: int) -> Times:
    """The yardstick as a user calls it."""
    import librosa

    _, found = librosa.beat.beat_track(y=samples.mean(axis=0), sr=rate, units="time")
    return np.asarray(found, dtype=np.float64)


def measure(song: Song) -> list[object]:
    """One row of the table."""
    samples, rate = song.samples()
    minutes = samples.shape[1] / rate / 60.0
    beats, downbeats = song.beats()
    recording = Recording.from_samples(samples, rate)
    start = time.process_time()
    grid = track_beats(recording)
    ours_cpu = time.process_time() - start
    start = time.process_time()
    peer = librosa_beats(samples, rate)
    peer_cpu = time.process_time() - start
    ours = scores(beats, grid.beats)
    downbeat = float(mir_eval.beat.f_measure(downbeats, grid.downbeats)) if grid.beats.size else 0.0
    absolute, signed = timing(beats, grid.beats)
    return [
        song.name,
        grid.tempo_bpm,
        grid.confidence,
        ours[0],
        downbeat,
        *ours[1:],
        absolute,
        signed,
        ours_cpu / minutes,
        *scores(beats, peer),
        timing(beats, peer)[0],
        peer_cpu / minutes,
    ]


def mean(rows: Sequence[Sequence[object]]) -> list[object]:
    """The mean of every column over the pieces that have a figure there."""
    cells: list[object] = [f"mean of {len(rows)}", None]
    for column in range(2, len(rows[0])):
        known = [float(str(row[column])) for row in rows if row[column] is not None]
        cells.append(float(np.mean(known)) if known else None)
    return cells


def run() -> list[Table]:
    """Tables for the songs the tracker could be checked on, those composed after it, and the pieces without a pulse."""
    warnings.simplefilter("ignore")  # the peer's own
    warm_up()
    librosa_beats(np.random.default_rng(0).normal(size=(1, 44_100 * 5)).astype(np.float32), 44_100)
    songs = bundled()
    with_pulse = [song for song in songs if song.beats()[0].size]
    tables = []
    for batch, title in ((1, "Songs composed first"), (2, "Songs composed after the tracker was done")):
        rows = [measure(song) for song in with_pulse if song.batch == batch]
        if rows:
            table = Table(f"Beats: {title.lower()}", (*COLUMNS, *PEER), [*rows, mean(rows)])
            loopable = [row for row in rows if row[0] in {song.name for song in with_pulse if song.is_song}]
            if loopable and len(loopable) < len(rows):
                table.rows.append([f"mean of the {len(loopable)} that are songs to loop", *mean(loopable)[1:]])
            table.notes.append((__doc__ or "").split("\n\n", 1)[1].strip().replace("\n", " "))
            tables.append(table)
    refused = Table("Beats: pieces without a pulse", ("piece", "beats found", "confidence"))
    for song in songs:
        if not song.beats()[0].size:
            samples, rate = song.samples()
            grid = track_beats(Recording.from_samples(samples, rate))
            refused.add(song.name, grid.beats.size, grid.confidence)
    if refused.rows:
        tables.append(refused)
    return tables


if __name__ == "__main__":
    for found in run():
        print(found.markdown())
