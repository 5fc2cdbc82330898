"""What two people agree on bounds what a ranking of videos and recordings by others can reach."""

from __future__ import annotations

import numpy as np

from data.recipes.material.elsewhere_pairs import LabelledRecording, Pairs
from data.recipes.material.elsewhere_videos import ElsewhereVideo
from tests.benchmarks.elsewhere.match import nearness_of, person_table
from workbench.catalog.columns import empty_columns

STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)


def labelled(second: tuple[float, ...]) -> Pairs:
    """Five videos and recordings, one of each energy by the first person, and those of the second."""
    both = list(zip(STEPS, second, strict=True))
    videos = [
        ElsewhereVideo(f"debian:{at}", "v.mp4", "CC0", "0" * 64, "test", "nature", energy, (3.0, 3.0), False)
        for at, energy in enumerate(both)
    ]
    recordings = [
        LabelledRecording("p", f"{at}.ogg", "0" * 64, energy, (3.0, 3.0), ("calm",)) for at, energy in enumerate(both)
    ]
    columns = empty_columns(np.array([f"t{at}" for at in range(5)]))
    return Pairs(tuple(videos), tuple(recordings), (), columns, np.zeros((5, 5), np.int64))


def test_people_who_agree_leave_nothing_to_lose() -> None:
    pairs = labelled(STEPS)
    scores, grades = nearness_of(pairs, slice(0, 1))
    np.testing.assert_array_equal(grades[0], [3, 2, 1, 0, 0])
    np.testing.assert_array_equal(scores[0], [0.0, -1.0, -2.0, -3.0, -4.0])
    assert [row[2] for row in person_table(pairs).rows] == [1.0, 1.0]


def test_what_they_do_not_agree_on_cannot_be_reached() -> None:
    rows = person_table(labelled((1.0, 4.0, 2.0, 5.0, 3.0))).rows
    assert all(0.5 < float(str(row[2])) < 0.95 for row in rows)
    assert rows[0][2] != rows[1][2]
