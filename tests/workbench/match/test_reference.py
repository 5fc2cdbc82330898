"""The reference set that ships, and that the constants of match are those it gives."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.matching.video_ranking import quick_parts, raw_scores, scores_of, slow_parts, wanted_of
from workbench.matching.video_reference import read_reference
from workbench.params import MatchParams

PARAMS = MatchParams()


@pytest.fixture(scope="module")
def parts() -> dict[str, np.ndarray]:
    reference = read_reference()
    rows = [
        quick_parts(make_video, wanted_of(make_video, PARAMS), reference.columns, PARAMS)
        | slow_parts(make_video, reference.columns, PARAMS)
        for make_video in reference.videos
    ]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def test_it_holds_what_its_card_says() -> None:
    reference = read_reference()
    assert reference.grades.shape == (120, 300) == (len(reference.videos), len(reference.columns))
    assert set(np.unique(reference.grades)) == {0, 1, 2, 3}
    assert all(make_video.scenes[-1].end == pytest.approx(make_video.duration) for make_video in reference.videos)


def test_a_high_score_promises_no_more_than_it_holds(parts: dict[str, np.ndarray]) -> None:
    # The curve is that of material by others, of which less is known than of drawn tracks.
    scores, taken = scores_of(raw_scores(parts, PARAMS), PARAMS), read_reference().taken
    shares = [taken[(scores >= low) & (scores < low + 0.2)].mean() for low in (0.0, 0.2, 0.4, 0.6)]
    assert shares == sorted(shares)
    assert taken[scores > 0.5].mean() > scores[scores > 0.5].mean()


def test_usual_parts_are_means_over_it(parts: dict[str, np.ndarray]) -> None:
    for name in ("pulse", "level", "mood", "voice", "length", "arc"):
        mean = float(np.exp(np.mean(np.log(np.maximum(parts[name], 0.02)))))
        assert PARAMS.usual_parts[name] == pytest.approx(mean, abs=0.005), name
