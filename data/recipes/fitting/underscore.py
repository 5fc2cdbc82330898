"""Fit what ships with underscore again: the reader on the lexicon's lines, the calibration on the tuned half.

    python -m data.recipes.fitting.underscore

Run it after each change of `lexicon.toml` or of a weight. It writes `script_reader.npz`, `underscore_reference.npz` and
the calibration in `underscore.json`, whose weights it leaves as they are, and the NDCG@10 of the tuned half. The
held-out half and the texts written later are not read.
"""

from __future__ import annotations

import sys

import numpy as np

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material import underscore_set as material
from data.recipes.material.grading import best_first, ndcg
from workbench.catalog.lane import fit_calibration
from workbench.catalog.texts import facets_of, track_text, trust_in, words_of
from workbench.models.loading import model_path, read_numbers
from workbench.params import UnderscoreParams
from workbench.underscore import reference
from workbench.underscore.brief import read_brief
from workbench.underscore.ranking import compare, raw_scores, want
from workbench.underscore.reference import UnderscoreReference, write_reference
from workbench.underscore.script import READER_FILE, fit_reader, read_script, reader
from workbench.workflows.underscore import the_embedding
from workbench.workspace import open as open_workspace

FILE = "underscore.json"


def main() -> int:
    """Fit, write; returns the exit code."""
    parser(__doc__).parse_args()
    embedding = the_embedding(open_workspace())
    if embedding is None:
        print("no weights of the sentence embedding on this machine", file=sys.stderr)
        return 1
    params = UnderscoreParams()
    fit_reader(embedding, model_path(READER_FILE))
    reader.cache_clear()
    made, facets = material.tracks()
    tuned, _ = material.halves(material.scripts())
    columns = material.columns_of(made, facets, embedding)
    texts = [track_text(track) for track in made]
    named, counted = (np.array(rows) for rows in zip(*map(facets_of, texts), strict=True))
    trust = np.array([trust_in(row, words_of(text)) for row, text in zip(named, texts, strict=True)])
    graded = material.grades(tuned, facets)
    pairs, values = [], []
    for script, grades in zip(tuned, graded, strict=True):
        wanted = want(read_script(script.text, embedding, params), read_brief(""), None, params)
        parts = compare(wanted, columns, counted, trust, params)
        pairs.append(parts)
        values.append(ndcg(best_first(raw_scores(parts, params)), grades))
    whole = {name: np.concatenate([parts[name] for parts in pairs]) for name in pairs[0]}
    write_reference(UnderscoreReference(whole, graded.ravel()), model_path(reference.FILE))
    stored = reference.read_reference()
    offset, slope = fit_calibration(stored.raw(params), stored.taken)
    calibration = {"calibration_offset": round(offset, 3), "calibration_slope": round(slope, 3)}
    write_numbers(FILE, read_numbers(FILE) | calibration)
    told = f"- NDCG@10 on the {len(tuned)} scripts of the fit: {np.mean(values):.3f}"
    write_figures(FILE, [told])
    print(told)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
