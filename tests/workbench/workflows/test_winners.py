"""What a sweep says: the best point, whether it is sure, and each point beside another."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

from workbench.errors import ParameterError
from workbench.lab.winners import sweep_table, winner


def test_the_best_is_the_winner_only_where_it_is_sure() -> None:
    dice = np.random.default_rng(5)
    noise = dice.normal(0.0, 0.05, (30, 1))
    apart = xarray.Dataset(
        {"seam_score": (("track", "cover.seams_weight"), 0.7 + noise + np.array([[0.0, 0.1, 0.05]]))},
        {"cover.seams_weight": [0.0, 1.0, 2.0], "track": [str(k) for k in range(30)]},
    )
    clear = winner(apart)
    assert clear.sure
    assert clear.point == {"cover.seams_weight": 1.0}
    assert clear.lead == pytest.approx(0.05)
    same = apart.assign(seam_score=apart.seam_score * 0.0 + dice.normal(0.7, 0.1, (30, 3)))
    assert not winner(same).sure
    for name in ("score", "track", "cover.seams_weight"):
        with pytest.raises(ParameterError, match=f"no measure {name}"):
            winner(apart, name)


def test_no_point_is_sure_on_a_handful_of_recordings() -> None:
    found = xarray.Dataset(
        {"seam_score": (("track", "cover.seams_weight"), np.tile([0.2, 0.9], (6, 1)))},
        {"cover.seams_weight": [0.0, 1.0], "track": [str(k) for k in range(6)]},
    )
    assert winner(found).sure
    for count in (1, 5):
        few = winner(found.isel(track=slice(count)))
        assert (few.tracks, few.sure) == (count, False)
        assert few.lead == pytest.approx(0.7)
        assert np.isnan(few.low)


def test_a_recording_that_a_point_refuses_counts_for_the_others() -> None:
    dice = np.random.default_rng(2)
    score = 0.7 + dice.normal(0.0, 0.02, (7, 3)) + np.array([0.0, 0.1, 0.05])
    score[0] = [0.2, 0.3, np.nan]  # a hard one
    refusals = np.full((8, 3), "", dtype="U20")
    refusals[0, 2], refusals[7] = "no_viable_loop", "video_not_longer"
    dims = ("track", "cover.seams_weight")
    found = xarray.Dataset(
        {"seam_score": (dims, np.vstack([score, np.full(3, np.nan)])), "best_seam": (dims, np.full((8, 3), 0.5))},
        {"cover.seams_weight": [0.0, 1.0, 2.0], "track": [str(k) for k in range(8)], "refusal": (dims, refusals)},
    )
    best = winner(found)
    assert (best.point, best.tracks, best.sure) == ({"cover.seams_weight": 1.0}, 7, True)
    assert best.mean == pytest.approx(score[:, 1].mean())
    table = sweep_table(found)
    assert table["tracks"].tolist() == [7, 7, 6]
    assert table["refused"].tolist() == [1, 1, 2]
    assert table["reasons"].tolist() == ["video_not_longer 1"] * 2 + ["no_viable_loop 1, video_not_longer 1"]
    assert sweep_table(found, "best_seam")["refused"].tolist() == [0, 0, 0], "it needs no plan"
    assert table["difference"].tolist() == pytest.approx(
        [(score[:, 0] - score[:, 1]).mean(), 0.0, (score[1:, 2] - score[1:, 1]).mean()]
    )
    assert np.isfinite(table["low"]).all()


def test_a_point_that_loses_on_what_both_have_does_not_win() -> None:
    score = np.array([[1.0, 1.0, 1.0], [0.4, 0.7, np.nan], [0.3, 0.8, np.nan], [0.5, 0.8, np.nan]])
    # all points have the first recording alone, where they tie
    found = xarray.Dataset(
        {"seam_score": (("track", "cover.seams_weight"), score)},
        {"cover.seams_weight": [0.0, 1.0, 2.0], "track": list("abcd")},
    )
    best = winner(found)
    assert best.point == {"cover.seams_weight": 1.0}
    assert best.lead == pytest.approx(0.0), "over the point with which it ties on the first"
    assert sweep_table(found)["difference"].tolist() == pytest.approx([-0.275, 0.0, 0.0])


def test_no_point_is_sure_that_shares_few_recordings_with_another() -> None:
    dice = np.random.default_rng(4)
    score = 0.7 + dice.normal(0.0, 0.01, (10, 3)) + np.array([0.1, 0.098, 0.0])
    score[:6, 1] = np.nan
    for columns in ([0, 1, 2], [2, 1, 0]):
        found = xarray.Dataset(
            {"seam_score": (("track", "cover.seams_weight"), score[:, columns])},
            {"cover.seams_weight": [0.0, 1.0, 2.0], "track": [str(k) for k in range(10)]},
        )
        assert not winner(found).sure
        assert np.isnan(winner(found).low)


def test_a_measure_does_not_judge_what_it_is_made_of() -> None:
    found = xarray.Dataset(
        {
            "best_seam": (("track", "models.seams.pulse_weight"), np.tile([0.9, 0.2], (8, 1))),
            "downbeat_f": (("track", "models.seams.pulse_weight"), np.tile([0.9, 0.2], (8, 1))),
        },
        {"models.seams.pulse_weight": [0.0, 1.0], "track": [str(k) for k in range(8)]},
    )
    best = winner(found, "best_seam")
    assert best.point == {"models.seams.pulse_weight": 0.0}
    assert best.low > 0.0
    assert not best.sure
    assert best.made_of == ("models.seams.pulse_weight",)
    assert winner(found, "downbeat_f").sure
    assert winner(found, "downbeat_f").made_of == ()


def test_points_stand_beside_the_best_or_beside_another() -> None:
    dice = np.random.default_rng(3)
    score = 0.5 + dice.normal(0.0, 0.2, (12, 1, 1)) + np.array([[0.0, 0.1], [0.02, 0.1]])
    found = xarray.Dataset(
        {"seam_score": (("track", "cover.seams_weight", "seams.context_beats"), score)},
        {"cover.seams_weight": [0.0, 1.0], "seams.context_beats": [2, 4], "track": [str(k) for k in range(12)]},
    )
    table = sweep_table(found)
    assert table.index.names == ["cover.seams_weight", "seams.context_beats"]
    assert table["tracks"].tolist() == [12] * 4
    best = winner(found)
    row = table.loc[tuple(best.point.values())]
    assert row["mean"] == pytest.approx(best.mean)
    assert row[["difference", "low", "high"]].tolist() == [0.0, 0.0, 0.0]
    assert (table["difference"] <= 0.0).all()
    assert (table["mean_high"] - table["mean_low"]).min() > 10 * (table["high"] - table["low"]).max()
    beside = sweep_table(found, beside={"cover.seams_weight": 0.0, "seams.context_beats": 2})
    assert beside["difference"].tolist() == pytest.approx([0.0, 0.1, 0.02, 0.1])
    with pytest.raises(ParameterError, match=r"no point .*; its parameters are cover.seams_weight, seams.context"):
        sweep_table(found, beside={"cover.seams_weight": 0.0})


def test_one_parameter_is_a_plain_index_and_few_recordings_have_no_interval() -> None:
    found = xarray.Dataset(
        {"seam_score": (("track", "point"), [[0.2, 0.4], [0.3, 0.3]])},
        {"cover.seams_weight": ("point", [0.5, 1.0]), "point": [0, 1], "track": ["a", "b"]},
    )
    table = sweep_table(found)
    assert table.index.tolist() == [0.5, 1.0]
    assert table["difference"].tolist() == pytest.approx([-0.1, 0.0])
    assert np.isnan(table[["low", "high", "mean_low"]]).all().all()
