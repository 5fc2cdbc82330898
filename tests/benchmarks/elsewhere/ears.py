"""What ears that others trained add: how cheerful recordings are beside two people, and the ranking by sound alone.

    python -m tests.benchmarks.elsewhere.ears VIDEOS MUSIC --home HOME

As in `tests.benchmarks.elsewhere.match`, of the test sources; a catalog with words about every track makes no use of
ears. "Of one package": the catalog is that package alone. Intervals are 90 %: of correlations by a bootstrap that draws
packages and then recordings in them, of NDCG@10 over the sources of the videos.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.recipes.material.elsewhere_pairs import Pairs, pairs_of
from tests.benchmarks.elsewhere.match import PEOPLE, labels_of, nearness_of, ours, reached, reached_with_briefs
from tests.benchmarks.table import Table
from workbench.lab.statistics import mean_interval
from workbench.matching.video_ranking import track_valence
from workbench.params import CatalogParams, MatchParams, WorkbenchParams

DRAWS = 2000


def valence_of(pairs: Pairs) -> NDArray[np.floating]:
    """How cheerful the ranking takes each recording to be."""
    known = pairs.columns
    return track_valence(known.mode, known.brightness, known.key_clarity, known.words_valence, MatchParams())


def packages_of(pairs: Pairs) -> NDArray[np.str_]:
    """The package of each recording."""
    return np.array([one.package for one in pairs.recordings])


def cheerfulness_table(plain: Pairs, heard: Pairs) -> Table:
    """Correlation with the mean of two people, of all recordings and by package."""
    table = Table("Cheerfulness beside two people", ("recordings", "n", "without", "with ears", "gain from", "gain to"))
    said = labels_of(plain.recordings, "valence", slice(0, 2))
    before, after, packages = valence_of(plain), valence_of(heard), packages_of(plain)
    dice = np.random.default_rng(0)

    def correlations(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.corrcoef([said[rows], before[rows], after[rows]])[0, 1:], np.float64)

    for name in ("all", *np.unique(packages)):
        within = [np.flatnonzero(packages == one) for one in np.unique(packages) if name in ("all", one)]
        gains = []
        for _ in range(DRAWS):
            drawn = [within[at] for at in dice.integers(0, len(within), len(within))]
            rows = np.concatenate([dice.choice(rows, rows.size) for rows in drawn])
            if np.ptp(said[rows]) > 0.0:  # else nothing can go with it: of one package almost all labels are equal
                gains.append(np.diff(correlations(rows)))
        rows = np.concatenate(within)
        table.add(name, rows.size, *correlations(rows), *np.quantile(gains, (0.05, 0.95)))
    return table


def of_rows(pairs: Pairs, rows: NDArray[np.int64]) -> Pairs:
    """The same videos with some of the recordings."""
    return replace(
        pairs,
        recordings=tuple(pairs.recordings[row] for row in rows),
        columns=pairs.columns.take(rows),
        grades=pairs.grades[:, rows],
    )


def match_table(plain: Pairs, heard: Pairs) -> Table:
    """NDCG@10 by sound alone, without a brief and with one by one person, graded by the other."""
    columns = ("by sound alone", "brief", "grades", "without", "with ears", "gain from", "gain to")
    table = Table("Match with ears, NDCG@10", columns)
    packages, sources = packages_of(plain), [video.source for video in plain.videos]

    def add(name: str, brief: str | None, by: str, found: list[NDArray[np.float64]]) -> None:
        before, after = found
        table.add(name, brief, by, before.mean(), after.mean(), *mean_interval(after - before, sources))

    for name in ("all", *np.unique(packages)):
        both = [of_rows(pairs, np.flatnonzero((packages == name) | (name == "all"))) for pairs in (plain, heard)]
        add(name, None, "both", [reached(ours(pairs, MatchParams()), pairs.grades) for pairs in both])
        for by, judge in ((0, 1), (1, 0)):
            grades = nearness_of(both[0], slice(judge, judge + 1))[1]
            add(name, PEOPLE[by], PEOPLE[judge],
                [reached_with_briefs(pairs, by, grades, words=False) for pairs in both])  # fmt: skip
    return table


def main() -> None:
    """Measure; see the head of the module."""
    arguments = argparse.ArgumentParser(description="What ears that others trained add.")
    arguments.add_argument("videos", type=Path)
    arguments.add_argument("music", type=Path)
    arguments.add_argument("--home", type=Path, required=True)
    given = arguments.parse_args()
    plain, heard = (
        pairs_of("test", given.videos, given.music, given.home, params=WorkbenchParams(catalog=catalog))
        for catalog in (CatalogParams(ears="off"), CatalogParams(ears="on"))
    )
    for table in (cheerfulness_table(plain, heard), match_table(plain, heard)):
        print(table.markdown())


if __name__ == "__main__":
    main()
