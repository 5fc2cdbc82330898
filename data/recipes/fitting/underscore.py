"""Fit what ships with underscore: the calibration of its scores, and the reader of scripts.

    python -m data.recipes.fitting.underscore             the calibration in `underscore.json`, from the reference set
    python -m data.recipes.fitting.underscore --reader    `script_reader.npz`, from the lines of the lexicon

The set, `underscore_reference.npz`, has thirty-seven scripts and 620 tracks, and a grade from 0 to 3 for every pair.
Both were written from hidden facets (mood, energy, genre family, instruments, voice), the scripts by hand as they would
be spoken, the tracks put together from phrases that catalogs use; the grade compares the facets. Stored is how near
each track comes to what was read in each script, part by part, and the grade; `workbench.matching.video_reference`
defines what a grade is worth. One person wrote scripts, tracks and the rule of the grades: the set holds common
practice, in English, and no personal taste.

It holds what the reader that ships made of them, so the calibration refuses it once there is another reader. The reader
is fitted anew after each change of `lexicon.toml`; it needs the sentence embedding. The weights of the parts stay as
they are.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.fitting.tables import check_table
from data.recipes.material.grading import best_first, fit_calibration, ndcg
from workbench.analysis.workspace import open as open_workspace
from workbench.files import model_digest, model_path, open_model, read_numbers
from workbench.matching.lane import Calibration
from workbench.matching.language.embedding import DEPTHS, DIMS, SentenceEmbedding
from workbench.matching.language.lexicon import lexicon, lexicon_digest
from workbench.matching.script import READER_FILE, Reader, line_targets, nearness
from workbench.matching.script_ranking import Part, raw_scores
from workbench.matching.video_reference import TAKEN
from workbench.params import UnderscoreParams
from workbench.recording import FloatArray, IntArray
from workbench.workflows.underscore import the_embedding

SET = "underscore_reference.npz"
FILE = "underscore.json"
SCRIPTS = 37
"""of the set, each with every track"""
PENALTY, AXES = 0.3, 128
"""of the regression: its penalty, and the axes on which lines are compared. With eighths of the lines left out they
explain 0.18 of the variance of the moods, a linear map 0.17, others near them as much; of those tried, they are the
best on the scripts that weights were fitted on"""


@dataclass(frozen=True, slots=True, eq=False)
class UnderscoreReference:
    """Pairs of a script and a track."""

    parts: dict[Part, FloatArray]
    """shape (n_pairs,) each, 0 to 1, as `workbench.matching.script_ranking.compare` gives them"""
    grades: IntArray
    """shape (n_pairs,), 0 to 3"""

    @property
    def taken(self) -> FloatArray:
        """Probability that an editor takes each track, shape (n_pairs,)."""
        return np.asarray(TAKEN[self.grades])

    def raw(self, params: UnderscoreParams) -> FloatArray:
        """Raw scores, shape (n_pairs,)."""
        return raw_scores(self.parts, params)


def read_set() -> UnderscoreReference:
    """The set that ships with the package."""
    with open_model(SET) as file:
        stored = np.load(file)
        grades = stored["grades"].astype(np.int64)
        names: list[Part] = [name for name in stored.files if name not in ("grades", "versions")]
        return UnderscoreReference({name: stored[name].astype(np.float64) for name in names}, grades)


def versions() -> dict[str, str]:
    """What the set was measured with: the reader that ships."""
    return {"script_reader": model_digest(READER_FILE)}


def fit(pairs: UnderscoreReference, params: UnderscoreParams) -> Calibration:
    """The curve from raw scores to the share of tracks that an editor takes."""
    return fit_calibration(pairs.raw(params), pairs.taken)


def mean_ndcg(pairs: UnderscoreReference, params: UnderscoreParams) -> float:
    """NDCG@10, mean over the scripts."""
    raw, grades = pairs.raw(params).reshape(SCRIPTS, -1), pairs.grades.reshape(SCRIPTS, -1)
    return float(
        np.mean([ndcg(best_first(row), grade) for row, grade in zip(raw, grades.astype(np.int64), strict=True)])
    )


def fit_reader(embedding: SentenceEmbedding, path: Path) -> None:
    """Fit the reader on the lexicon's lines and write it; needed after each change of the lexicon."""
    lines = lexicon().lines
    fitted = regress(embedding.states([line.text for line in lines]), line_targets())
    arrays = {name: value.astype(np.float16) for name, value in fitted._asdict().items()}
    np.savez_compressed(path, lexicon=np.array(lexicon_digest()), **arrays)


def regress(states: FloatArray, targets: FloatArray, penalty: float = PENALTY) -> Reader:
    """The sum of kernels around the lines with the least squared error and squared norm."""
    mean = states.mean(axis=0)
    # Scaled so that every layer counts the same, however large its states are.
    spread = np.linalg.norm(states - mean, axis=2).mean(axis=0)
    scale = (1.0 / (spread * np.sqrt(len(DEPTHS))))[:, None]
    inputs = ((states - mean) * scale).reshape(len(states), len(DEPTHS) * DIMS).astype(np.float64)
    axes = np.linalg.svd(inputs, full_matrices=False)[2][:AXES].T
    places, usual = inputs @ axes, targets.mean(axis=0)
    weights = np.linalg.solve(nearness(places, places) + penalty * np.eye(len(places)), targets - usual)
    return Reader(mean, scale, axes, places, weights, usual)


def main() -> int:
    """Fit, write; returns the exit code."""
    options = parser(__doc__)
    options.add_argument("--reader", action="store_true", help="fit the reader of scripts instead")
    if options.parse_args().reader:
        embedding = the_embedding(open_workspace())
        if embedding is None:
            print("no weights of the sentence embedding on this machine", file=sys.stderr)
            return 1
        fit_reader(embedding, model_path(READER_FILE))
        return 0
    check_table(model_path(SET), versions())
    pairs, params = read_set(), UnderscoreParams()
    offset, slope = fit(pairs, params)
    calibration = {"calibration_offset": round(offset, 3), "calibration_slope": round(slope, 3)}
    write_numbers(FILE, read_numbers(FILE) | calibration)
    told = f"- NDCG@10 on the {SCRIPTS} scripts of the fit: {mean_ndcg(pairs, params):.3f}"
    write_figures(FILE, [told])
    print(told)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
