"""Fit `mood.json`: how driving and how cheerful a recording is, from what is measured of its sound.

    python -m data.recipes.fitting.mood [--set SET]

The fit sources among the recordings by others, fetched into SET/recordings, and the bundled songs. Two people labelled
the former, the composer the latter. Few clues, a ridge, and no weight of the sign that the literature speaks against
(Gabrielsson & Lindström 2010; Eerola et al. 2009): with some seventy recordings of seven sources, more would learn the
sources. What a fit is worth is measured by leaving out one source at a time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.bundled_songs import BUNDLED_SONGS
from data.recipes.material.elsewhere_pairs import labelled_recordings
from data.recipes.material.recordings import fetch, sources
from workbench.analysis.character import MOOD_FILE, describe, energy_clues
from workbench.analysis.track import Sound
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.store.home import Home

ENERGY_SIGNS = {"tempo": 1.0, "density": 1.0, "drums": 1.0, "treble": 1.0, "noise": 1.0, "peaks": -1.0}
"""the clues of energy, and the sign of what each may say"""
VALENCE_SIGNS = {"mode": 1.0, "key_clarity": 1.0}
RIDGE = 0.3
"""of the weights of scaled clues, a recording"""
FARTHEST = 2.5
"""spreads at which a clue is clipped"""
OWN = "bundled songs"
OWN_SHARE = 0.5
"""say of the bundled songs; less loses more on them than it wins on recordings by others"""

Numbers = NDArray[np.float64]


def clues_of(home: Path, path: Path) -> dict[str, float]:
    """All clues of a recording, those of energy and those of valence."""
    workspace = Workspace(Home(home))
    heard, sound = describe(workspace, path), Sound(workspace, path)
    clues = energy_clues(sound.recording, sound.spectrum, heard.bpm, heard.density, heard.drums)
    # A mode counts only where the key is sure enough to be named: so the catalog has it.
    mode = heard.mode if heard.key_name is not None else 0.0
    known = clues | {"mode": mode, "key_clarity": heard.key_clarity}
    return {name: np.nan if value is None else float(value) for name, value in known.items()}


def scaled(clues: Numbers, means: Numbers, spreads: Numbers) -> Numbers:
    """Clues in spreads from their means; an unknown one, which is the tempo of music without beats, is one below."""
    return np.clip(np.nan_to_num((clues - means) / spreads, nan=-1.0), -FARTHEST, FARTHEST)


def fitted(
    clues: Numbers, labels: Numbers, groups: NDArray[np.str_], signs: Sequence[float]
) -> tuple[float, Numbers, Numbers, Numbers]:
    """The ridge regression of labels, 0 to 1, on clues of shape (n, k), whose weights have the given signs.

    An unknown clue is NaN. Returns the usual label, and of the clues the weights, means and spreads.
    """
    from scipy.optimize import lsq_linear

    share = np.array([1.0 / np.sqrt(np.count_nonzero(groups == group)) for group in groups])
    own = groups == OWN
    if own.any() and not own.all():
        share[own] *= OWN_SHARE / share[own].sum()
        share[~own] *= (1.0 - OWN_SHARE) / share[~own].sum()
    share /= share.mean()
    means, spreads = np.nanmean(clues, axis=0), np.nanstd(clues, axis=0)
    rows = scaled(clues, means, spreads)
    usual, middle = float(np.average(labels, weights=share)), np.average(rows, axis=0, weights=share)
    root = np.sqrt(share)[:, None]
    penalty = np.sqrt(RIDGE * len(labels)) * np.eye(rows.shape[1])
    wanted = np.concatenate([(labels - usual) * root[:, 0], np.zeros(rows.shape[1])])
    bounds = np.where(np.array(signs) > 0, 0.0, -np.inf), np.where(np.array(signs) > 0, np.inf, 0.0)
    weights = lsq_linear(np.vstack([(rows - middle) * root, penalty]), wanted, bounds=bounds).x
    return usual - float(middle @ weights), weights, means, spreads


def left_out(clues: Numbers, labels: Numbers, groups: NDArray[np.str_], signs: Sequence[float]) -> Numbers:
    """What is said of each recording by the fit to the other sources, shape (n,)."""
    said = np.empty(len(labels))
    for group in np.unique(groups):
        inside = groups == group
        usual, weights, means, spreads = fitted(clues[~inside], labels[~inside], groups[~inside], signs)
        said[inside] = usual + scaled(clues[inside], means, spreads) @ weights
    return said


def figures_of(what: str, said: Numbers, labels: Numbers, groups: NDArray[np.str_]) -> str:
    """One line for the card."""
    parts = []
    for name, inside in (("recordings by others", groups != OWN), (OWN, groups == OWN)):
        away = float(np.sqrt(np.mean(np.square(said[inside] - labels[inside]))))
        parts.append(f"{name}: correlation {np.corrcoef(said[inside], labels[inside])[0, 1]:.2f}, error {away:.2f} "
                     f"where the labels spread by {labels[inside].std():.2f}")  # fmt: skip
    return f"- {what}, each source left out in turn; {'; '.join(parts)}"


def measured(folder: Path) -> tuple[list[dict[str, float]], Numbers, Numbers, NDArray[np.str_]]:
    """Clues, energy and valence from 0 to 1, and the source of every recording of the fit."""
    music = folder / "recordings"
    music.mkdir(parents=True, exist_ok=True)
    for source in sources("fit"):
        fetch(music, source)
    labelled = labelled_recordings("fit")
    paths = [music / one.package / one.path for one in labelled]
    paths += [bundled_path("data", "bundled", "music", f"{name}.ogg") for name in BUNDLED_SONGS]
    energy = [(float(np.mean(one.energy)) - 1.0) / 4.0 for one in labelled]
    valence = [(float(np.mean(one.valence)) - 1.0) / 4.0 for one in labelled]
    own = BUNDLED_SONGS.values()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        clues = list(pool.map(partial(clues_of, folder / "mood"), paths))
    return (
        clues,
        np.array([*energy, *(arousal for arousal, _ in own)]),
        np.array([*valence, *(cheer for _, cheer in own)]),
        np.array([*(one.package for one in labelled), *(OWN for _ in own)]),
    )


def columns_of(clues: Sequence[Mapping[str, float]], names: Sequence[str]) -> Numbers:
    """Some clues of every recording, shape (n, k)."""
    return np.array([[one[name] for name in names] for one in clues])


def main() -> None:
    """Fetch, measure, fit, write."""
    folder: Path = parser(__doc__).parse_args().set
    clues, energy, valence, groups = measured(folder)
    of_energy, of_valence = columns_of(clues, list(ENERGY_SIGNS)), columns_of(clues, list(VALENCE_SIGNS))
    signs = list(ENERGY_SIGNS.values())
    usual, weights, means, spreads = fitted(of_energy, energy, groups, signs)
    numbers = zip(ENERGY_SIGNS, means, spreads, weights, strict=True)
    middle, by_clue, centres, widths = fitted(of_valence, valence, groups, list(VALENCE_SIGNS.values()))
    slopes = by_clue / widths
    write_numbers(
        MOOD_FILE,
        {
            "energy": {
                "usual": round(usual, 3),
                "clues": {
                    name: {"mean": round(mean, 4), "spread": round(spread, 4), "weight": round(weight, 4)}
                    for name, mean, spread, weight in numbers
                },
            },
            "valence": [round(float(number), 3) for number in (middle - centres @ slopes, *slopes)],
        },
    )
    figures = [
        figures_of("energy", left_out(of_energy, energy, groups, signs), energy, groups),
        figures_of("valence", left_out(of_valence, valence, groups, list(VALENCE_SIGNS.values())), valence, groups),
    ]
    write_figures(MOOD_FILE, figures)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
