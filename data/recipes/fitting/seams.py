"""Fit `seams.json`: how likely nobody hears a splice, from the parts of its score.

    python -m data.recipes.fitting.seams [--set SET]

Two kinds of splices with known answers:

- splices between bars of recordings by others, those of the role `fit` in `data.recipes.material.recordings`, fetched
  into SET/recordings where they are not there yet; every recording has the same say. Their answer is a number from
  `data.recipes.material.naturalness`, which knows nothing of the workbench: 0 at a total of 0.5, a little over what
  splices at random have, 1 at 0.9, where both sides are the same music;
- splices of the bundled songs whose truth is known (`data.recipes.material.splices`), which together have OWN_SHARE of
  the say. Of shares from 0 to 0.4 the smaller ones judge recordings that were left out better, and the songs worse.

The fit is a logistic regression on ``2 log(1 + break)``, see `workbench.seams.seam_score.total_of_parts`. No part may
gain by a break, and none is left out: every weight is LEAST_WEIGHT at least, since what a reviewer is shown as a part
has to count.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.naturalness import Listener
from data.recipes.material.recordings import ElsewhereRecording, fetch, recordings, sources
from data.recipes.material.splices import GOOD, bundled_truths, cases_of, in_another_key
from workbench.beats.track import track_beats
from workbench.media.audio import decode
from workbench.params import SeamParams
from workbench.seams.build_profile import audible_parts
from workbench.seams.profile import SEAM_PARTS
from workbench.seams.seam_score import breaks_of_parts, score_splices, seam_evidence
from workbench.seams.splice_fit import fit_splices, line_sounds

FILE = "seams.json"
ALIKE, ANY = 60, 100
"""splices of a recording: those of the most alike bars, and any"""
SAME_MUSIC, CHANCE = 0.9, 0.5
"""totals of naturalness that count as 1 and as 0"""
NEAR_REPEAT = 0.85
"""answer of a splice that follows the form but not the notes"""
LEAST_WEIGHT = 0.1
OWN_SHARE = 0.1
"""say of the bundled songs"""
_EDGE_SECONDS = 3.0
_RIDGE = 1e-4


@dataclass(frozen=True)
class Examples:
    """Splices with answers."""

    source: str
    breaks: NDArray[np.float64]
    """shape (n, len(SEAM_PARTS))"""
    answers: NDArray[np.float64]
    """shape (n,), 0 to 1"""


def main() -> None:
    """Fetch, judge, fit, write."""
    folder = parser(__doc__).parse_args().set / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources("fit", loops=True):
        fetch(folder, source)
    with ProcessPoolExecutor() as processes:
        elsewhere = list(processes.map(examples_of, recordings(folder, "fit", loops=True)))
        own = list(processes.map(known_examples, range(len(bundled_truths()))))
    elsewhere = [examples for examples in elsewhere if examples.answers.size]
    values = fit(elsewhere, own)
    numbers = {f"{part}_weight": round(float(w), 3) for part, w in zip(SEAM_PARTS, values[1:], strict=True)}
    write_numbers(FILE, numbers | {"unbroken_log_odds": round(float(values[0]), 3)})
    told = [*figures(elsewhere, own), *left_out(elsewhere, own)]
    write_figures(FILE, told)
    print(*told, sep="\n")


def examples_of(recording: ElsewhereRecording) -> Examples:
    """Judged splices of one recording; none where it has too few bars."""
    sound = decode(recording.path)
    grid = track_beats(sound)
    nothing = Examples(recording.source.package, np.empty((0, len(SEAM_PARTS))), np.empty(0))
    lines = grid.downbeats
    inner = np.flatnonzero((lines > _EDGE_SECONDS) & (lines < sound.duration - _EDGE_SECONDS))
    if inner.size < 8:
        return nothing
    params = SeamParams()
    evidence = seam_evidence(sound, grid, params)
    at = evidence.edges[evidence.lines]
    parts, _, led = score_splices(evidence, evidence.lines, evidence.lines, params)
    leave, enter = _chosen(parts[SEAM_PARTS.index("expectation")], inner)
    fits = fit_splices(line_sounds(sound.samples, sound.sample_rate, at), at, leave, enter, params)
    heard = audible_parts(parts[:, leave, enter], fits)
    listener = Listener(sound.samples, sound.sample_rate)
    totals = [listener.judge(a, b).total for a, b in zip(fits.song_to, fits.song_from, strict=True)]
    answers: NDArray[np.float64] = np.clip((np.array(totals) - CHANCE) / (SAME_MUSIC - CHANCE), 0.0, 1.0)
    return Examples(
        recording.source.package, np.asarray(breaks_of_parts(heard, led[leave, enter]).T, np.float64), answers
    )


def _chosen(alike: NDArray[np.float64], inner: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Bar lines left and entered: of the most alike bars some at random, and any."""
    rng = np.random.default_rng(3)
    leave, enter = (a.ravel() for a in np.meshgrid(inner, inner, indexing="ij"))
    leave, enter = leave[leave != enter], enter[leave != enter]
    order = np.argsort(-alike[leave, enter], kind="stable")
    best = rng.permutation(order[: max(ALIKE, order.size // 20)])[:ALIKE]
    chosen = np.unique(np.concatenate((best, rng.choice(order, min(ANY, order.size), replace=False))))
    return leave[chosen], enter[chosen]


def known_examples(number: int) -> Examples:
    """Splices with known answers of one bundled song."""
    truth = bundled_truths()[number]
    sound, grid, first = in_another_key(truth, (1, 2, 3, 5, 6, -1, -2, -4)[number % 8])
    copied = int(grid.downbeats.size - truth.grid.downbeats.size)
    cases = cases_of(truth, first, copied, np.random.default_rng(number))
    params = SeamParams()
    evidence = seam_evidence(sound, grid, params)
    breaks = []
    for case in cases:
        parts, _, led = score_splices(evidence, np.array([case.leave]), np.array([case.enter]), params)
        breaks.append(breaks_of_parts(parts[:, 0], led[0])[:, 0])
    answers = [1.0 if c.kind == "exact repeat" else NEAR_REPEAT if c.kind in GOOD else 0.0 for c in cases]
    return Examples(truth.name, np.array(breaks), np.array(answers))


def fit(elsewhere: list[Examples], own: list[Examples]) -> NDArray[np.float64]:
    """Log-odds of an unbroken splice, and the weight of each part, shape (1 + len(SEAM_PARTS),)."""
    breaks = np.concatenate([e.breaks for e in (*elsewhere, *own)])
    answers = np.concatenate([e.answers for e in (*elsewhere, *own)])
    n_own = sum(e.answers.size for e in own)
    theirs = [np.full(e.answers.size, (1.0 - OWN_SHARE) / len(elsewhere) / e.answers.size) for e in elsewhere]
    weight = np.concatenate((*theirs, np.full(n_own, OWN_SHARE / n_own)))
    loss = 2.0 * np.log1p(breaks)

    def cost(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = values[0] - loss @ values[1:]
        chance = 1.0 / (1.0 + np.exp(-odds))
        entropy = weight @ (answers * np.logaddexp(0.0, -odds) + (1.0 - answers) * np.logaddexp(0.0, odds))
        slope = weight * (chance - answers)
        gradient = np.concatenate(([slope.sum()], -(loss.T @ slope) + 2.0 * _RIDGE * values[1:]))
        return float(entropy + _RIDGE * np.square(values[1:]).sum()), gradient

    start = np.concatenate(([2.0], np.full(len(SEAM_PARTS), 0.3)))
    bounds = [(None, None), *[(LEAST_WEIGHT, None)] * len(SEAM_PARTS)]
    return np.asarray(minimize(cost, start, jac=True, bounds=bounds, method="L-BFGS-B").x)


def chances(values: NDArray[np.float64], examples: list[Examples]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fitted chances and answers of all splices."""
    loss = 2.0 * np.log1p(np.concatenate([e.breaks for e in examples]))
    return 1.0 / (1.0 + np.exp(loss @ values[1:] - values[0])), np.concatenate([e.answers for e in examples])


def figures(elsewhere: list[Examples], own: list[Examples]) -> list[str]:
    """What was fitted to, and how well it is told apart."""
    values = fit(elsewhere, own)
    chance, answers = chances(values, own)
    good, bad = chance[answers > 0], chance[answers == 0]
    area = float((good[:, None] > bad[None, :]).mean())
    return [
        f"- fitted to {sum(e.answers.size for e in elsewhere)} splices of {len(elsewhere)} recordings from "
        f"{len({e.source for e in elsewhere})} sources, and to {answers.size} of {len(own)} bundled songs",
        f"- bundled songs: a splice that nobody should hear scores above one that anybody should: {area:.1%}",
    ]


def left_out(elsewhere: list[Examples], own: list[Examples]) -> list[str]:
    """How well the chance holds on each source that is left out of the fit."""
    told = []
    for source in dict.fromkeys(e.source for e in elsewhere):
        others = [e for e in elsewhere if e.source != source]
        some = [e for e in elsewhere if e.source == source]
        if not others:
            continue
        chance, answers = chances(fit(others, own), some)
        told.append(
            f"- {source} left out: mean chance {chance.mean():.2f}, mean answer {answers.mean():.2f}, "
            f"correlation {np.corrcoef(chance, answers)[0, 1]:.2f} over {answers.size} splices"
        )
    return told


if __name__ == "__main__":
    main()
