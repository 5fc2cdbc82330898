"""Fit what ships with underscore: the calibration of its scores, and the reader of scripts.

    python -m data.recipes.fitting.underscore             the calibration in `underscore.json`, from the reference set
    python -m data.recipes.fitting.underscore --reader    `script_reader.npz`, from the lines of the lexicon

The set, `underscore_reference.npz`, holds what the reader that ships made of scripts and tracks that a program in the
history wrote, so the calibration refuses it once there is another reader. The reader is fitted anew after each change
of `lexicon.toml`; it needs the sentence embedding. The weights of the parts stay as they are.
"""

from __future__ import annotations

import sys

import numpy as np

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.fitting.tables import check_table
from data.recipes.material.grading import best_first, ndcg
from workbench.analysis.workspace import open as open_workspace
from workbench.files import model_digest, model_path, read_numbers
from workbench.matching import script_reference as reference
from workbench.matching.lane import Calibration, fit_calibration
from workbench.matching.script import READER_FILE, fit_reader
from workbench.matching.script_reference import UnderscoreReference
from workbench.params import UnderscoreParams
from workbench.workflows.underscore import the_embedding

FILE = "underscore.json"
SCRIPTS = 37
"""of the set, each with every track"""


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
    check_table(model_path(reference.FILE), versions())
    pairs, params = reference.read_reference(), UnderscoreParams()
    offset, slope = fit(pairs, params)
    calibration = {"calibration_offset": round(offset, 3), "calibration_slope": round(slope, 3)}
    write_numbers(FILE, read_numbers(FILE) | calibration)
    told = f"- NDCG@10 on the {SCRIPTS} scripts of the fit: {mean_ndcg(pairs, params):.3f}"
    write_figures(FILE, [told])
    print(told)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
