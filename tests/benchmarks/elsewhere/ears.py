"""How cheerful recordings are by ears that others trained, beside our own measure.

    python -m tests.benchmarks.elsewhere.ears MUSIC --home HOME

MUSIC is what `python -m data.recipes.material.recordings MUSIC` fetches; HOME keeps what was measured. Both are
compared with the labels of two people on recordings of the test sources. Intervals are 90 %, of a bootstrap over
recordings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import labelled_recordings
from tests.benchmarks.table import Table
from workbench.analysis.character import Character, describe
from workbench.analysis.workspace import Workspace
from workbench.features import ears
from workbench.features.spectrum import resampled
from workbench.features.vocals import excerpts
from workbench.matching.video_ranking import track_valence
from workbench.media.audio import decode
from workbench.params import MatchParams
from workbench.recording import FloatArray
from workbench.store.home import Home

Numbers = NDArray[np.float64]


def tags_of(path: Path) -> FloatArray:
    """The tags of a recording, as the catalog's stage has them."""
    recording = decode(path)
    return ears.tag_chances(excerpts(resampled(recording.samples, recording.sample_rate, ears.RATE)))


def measured(workspace: Workspace, paths: list[Path]) -> tuple[list[Character], list[FloatArray]]:
    """Our own measure and the tags of some recordings."""
    found = []
    for number, path in enumerate(paths, start=1):
        found.append((describe(workspace, path), tags_of(path)))
        print(f"[ears] {number} of {len(paths)}: {path.name}", flush=True)
    return [own for own, _ in found], [tags for _, tags in found]


def valences(own: list[Character], tags: list[FloatArray]) -> tuple[Numbers, Numbers]:
    """How cheerful recordings are by our own measure, and with ears."""
    mode = np.array([one.mode if one.key_name is not None else 0.0 for one in own])
    clarity = np.array([np.nan if one.key_clarity is None else one.key_clarity for one in own])
    bright, none = np.array([one.brightness for one in own]), np.full(len(own), np.nan)
    heard = np.array([np.nan if (value := ears.cheerfulness(one)) is None else value for one in tags])
    before, after = (track_valence(mode, bright, clarity, by_words, MatchParams()) for by_words in (none, heard))
    return np.asarray(before, np.float64), np.asarray(after, np.float64)


def cheerfulness(workspace: Workspace, music: Path) -> Table:
    """Correlation with each of two people, on all recordings and by source."""
    labelled = labelled_recordings("test")
    own, tags = measured(workspace, [music / one.package / one.path for one in labelled])
    before, after = valences(own, tags)
    people = np.array([one.valence for one in labelled])
    source = np.array([one.package for one in labelled])
    table = Table("Cheerfulness beside two people", ("recordings", "n", "ours: first", "second", "with ears: first",
                                                      "second", "gain"))  # fmt: skip
    dice = np.random.default_rng(0)
    for name in ("all", *np.unique(source)):
        rows = np.flatnonzero((source == name) | (name == "all"))
        both = [np.corrcoef(said[rows], people[rows, person])[0, 1] for said in (before, after) for person in (0, 1)]
        gains = []
        for _ in range(2000):
            some = dice.choice(rows, rows.size)
            mean = people[some].mean(axis=1)
            gains.append(np.corrcoef(after[some], mean)[0, 1] - np.corrcoef(before[some], mean)[0, 1])
        low, high = np.quantile(gains, (0.05, 0.95))
        table.add(name, rows.size, *both, f"{low:.3f} to {high:.3f}")
    return table


def main() -> None:
    """Measure; see the head of the module."""
    arguments = argparse.ArgumentParser(description="What ears that others trained add.")
    arguments.add_argument("music", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    given = arguments.parse_args()
    print(cheerfulness(Workspace(Home(given.home)), given.music).markdown())


if __name__ == "__main__":
    main()
