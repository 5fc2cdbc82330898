"""What each part of the beat tracker is worth: the same pieces with parts taken away, and small networks trained anew.

    python -m data.recipes.training.ablations parts FOLDER ...           with the weights that ship
    python -m data.recipes.training.ablations trainings SET RUNS         small trainings: three seeds, and one unspoiled
    python -m data.recipes.training.ablations trainings SET RUNS --only "seed 1"      one of them

`parts` measures the tracker whole; with bars and tempo decided frame by frame from the network alone, as trackers
commonly do (Böck, Krebs & Widmer, "Joint beat and downbeat tracking with recurrent neural networks", ISMIR 2016); and
with hand-made onset strengths in place of the network. `trainings` says how far scores depend on the seed, and on
spoiling, at a reduced size: bare activations, peaks over even odds within 40 ms, on the validation pieces of SET.
*Unspoiled* leaves out what `train.Spoils` does to spectrograms; what recordings suffered lies in the pieces. Figures
of both are kept in `runs`, where the benchmark reads them.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import mir_eval
import numpy as np
import soundfile
from numpy.typing import NDArray

from workbench.beats.evidence import Odds
from workbench.beats.network import METRES, listen
from workbench.beats.pulses import decode_heard
from workbench.beats.track import track_beats_in
from workbench.features.spectrum import Spectrum, analyze_spectrum
from workbench.params import BeatParams

Times = NDArray[np.floating]
STEPS, CHANNELS, FILTERS, EVERY = 300, 40, 8, 50
"""of a small training, which keeps a checkpoint every so many steps"""
VARIANTS = {"seed 0": 0, "seed 1": 1, "seed 2": 2, "seed 0, unspoiled": 0}
"""small trainings by name, and their seeds"""
RUNS = Path(__file__).parent / "runs"


def whole(spectrum: Spectrum) -> tuple[Times, Times]:
    """The tracker as it ships."""
    grid = track_beats_in(spectrum)
    return grid.beats, grid.downbeats


def onsets_only(spectrum: Spectrum) -> tuple[Times, Times]:
    """The tracker without the network."""
    grid = track_beats_in(spectrum, BeatParams(activation="onsets"))
    return grid.beats, grid.downbeats


def frame_by_frame(spectrum: Spectrum) -> tuple[Times, Times]:
    """Beats at a free tempo and bars by Viterbi over metres, from the network's odds alone."""
    from workbench.beats._kernels import bar_positions

    params = BeatParams()
    odds = Odds.of(listen(spectrum))
    rate = odds.heard.frames_per_second
    beats = decode_heard(odds, 60.0 * rate / params.max_bpm, 60.0 * rate / params.min_bpm, params)
    if not beats.size:
        return beats, beats
    starts = np.concatenate(([0], np.cumsum(METRES)[:-1]))
    emission = np.zeros((beats.size, sum(METRES)))
    emission[:, starts] = odds.downbeat[odds.frames(beats)][:, None]
    states = bar_positions(emission, starts, np.array(METRES), params.metre_switch_cost, params.bar_slip_cost)
    return beats, beats[np.isin(states, starts)]


PARTS: dict[str, Callable[[Spectrum], tuple[Times, Times]]] = {
    "network, whole piece decides": whole,
    "network, frame by frame": frame_by_frame,
    "onset strengths, whole piece decides": onsets_only,
}


def measure(path: Path) -> list[tuple[float, ...]] | None:
    """Beat F, CMLt, AMLt and downbeat F of every variant; None for a piece without a pulse."""
    truth = json.loads(path.with_suffix(".json").read_text())
    beats = np.array(truth["beats"])
    if beats.size < 2:
        return None
    opens = beats[np.array(truth["positions"], dtype=int) == 1]
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    spectrum = analyze_spectrum(np.ascontiguousarray(samples.T), rate)
    rows: list[tuple[float, ...]] = []
    for variant in PARTS.values():
        found, found_opens = variant(spectrum)
        if found.size < 2 or not found_opens.size:
            rows.append((0.0, 0.0, 0.0, 0.0))
            continue
        _, cmlt, _, amlt = mir_eval.beat.continuity(beats, found)
        rows.append((mir_eval.beat.f_measure(beats, found), cmlt, amlt, mir_eval.beat.f_measure(opens, found_opens)))
    return rows


def parts(folders: list[Path], processes: int) -> None:
    """Measure the parts, print and keep what they score."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.flac"))]
    with ProcessPoolExecutor(processes) as pool:
        rows = [row for row in pool.map(measure, paths) if row is not None]
    for name, figures in zip(PARTS, np.mean(np.array(rows), axis=0).tolist(), strict=True):
        by_measure = dict(zip(("f", "cmlt", "amlt", "downbeat_f"), figures, strict=True))
        keep("parts", PARTS, {"name": name, "pieces": len(rows), **by_measure})


def trainings(set_folder: Path, runs: Path, only: list[str]) -> None:
    """Train small networks, print how they validate, and keep it."""
    import torch

    from data.recipes.training import pieces
    from data.recipes.training.train import Spoils, train, validate

    torch.set_num_threads(os.cpu_count() or 1)
    train_set = [pieces.read(path) for path in sorted((set_folder / "train").glob("?????.npz"))]
    held = [pieces.read(path) for path in sorted((set_folder / "validation").glob("?????.npz"))]
    for name in only:
        run, seed = runs / name.replace(",", "").replace(" ", "_"), VARIANTS[name]
        spoils = Spoils.none() if name.endswith("unspoiled") else Spoils()
        network = train(train_set, [], run, STEPS, seed, spoils=spoils, channels=CHANNELS, filters=FILTERS, every=EVERY)
        keep("trainings", VARIANTS, {"name": name, "steps": STEPS, "pieces": len(held), **validate(network, held)})


def keep(what: str, names: Iterable[str], row: dict[str, object]) -> None:
    """Print figures, and put them among those kept, in the order of `names`, in place of older ones of their name."""
    print(json.dumps(row), flush=True)
    path = RUNS / f"{what}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    by_name = {str(one["name"]): one for one in [*rows, row]}
    path.write_text("".join(json.dumps(by_name[name]) + "\n" for name in names if name in by_name))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("parts", "trainings"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="*", choices=VARIANTS, default=list(VARIANTS), help="these small trainings")
    options = parser.parse_args()
    if options.what == "parts":
        parts(options.folders, options.processes)
    else:
        if len(options.folders) != 2:
            parser.error("trainings takes two folders: SET RUNS")
        set_folder, runs = options.folders
        trainings(set_folder, runs, options.only)


if __name__ == "__main__":
    main()
