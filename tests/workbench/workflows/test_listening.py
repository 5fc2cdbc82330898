"""Blind tests end to end without sound: drawn, answered, summed up, written as webMUSHRA writes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.review.listening import (
    ListeningTest,
    abx_outcome,
    answer_trial,
    begin_abx,
    begin_mushra,
    begin_preference,
    judged_seams,
    mushra_outcomes,
    preference_outcome,
    write_abx,
    write_mushra,
    write_preferences,
    write_results,
)
from workbench.review.trials import AbxTrial, MushraTrial
from workbench.store.home import Home

HASH = "c" * 64
NAMES = ("reference", "seam", "anchor")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(Home(tmp_path / "home"))


def item(number: int, score: float) -> dict[str, float]:
    return {"leave": 30.0 + number, "enter": 10.0, "fade": 0.02, "exponent": 0.5, "score": score}


def abx(workspace: Workspace, trials: int = 10) -> tuple[ListeningTest, tuple[AbxTrial, ...]]:
    return begin_abx(
        workspace, content_hash=HASH, track="song", reviewer=" Ana", conditions=("20 ms", "5 ms"), trials=trials,
        about={"seam": item(0, 0.5)},
    )  # fmt: skip


def mushra(workspace: Workspace, reviewer: str, rated: dict[str, float], items: int = 2) -> ListeningTest:
    """A test whose listener gives each condition the same rating in each trial."""
    test, trials = begin_mushra(
        workspace, content_hash=HASH, track="song", reviewer=reviewer, conditions=NAMES,
        items=[item(number, 0.4 + 0.2 * number) for number in range(items)],
    )  # fmt: skip
    for number, trial in enumerate(trials):
        answer_trial(workspace, test.test_id, number, behind(trial, rated), 12.5)
    return test


def behind(trial: MushraTrial, rated: dict[str, float]) -> dict[str, float]:
    return {letter: rated[name] for letter, name in zip(trial.letters, trial.hidden, strict=True)}


def test_an_abx_test_counts_what_was_recognized(workspace: Workspace) -> None:
    test, trials = abx(workspace)
    for number, trial in enumerate(trials):
        wrong = {"A": "B", "B": "A"}[trial.right]
        answer_trial(workspace, test.test_id, number, trial.right if number else wrong, 4.0)
    outcome = abx_outcome(workspace, test.test_id)
    assert (outcome.summary.right, outcome.summary.trials) == (9, 10)
    assert outcome.summary.p_value == pytest.approx(11 / 1024)
    assert outcome.conditions == ("20 ms", "5 ms")
    out = io.StringIO()
    assert write_abx(workspace, out) == 10
    header = (
        "session_test_id,name,trial_id,choice_reference,choice_non_reference,choice_answer,choice_time,choice_comment"
    )
    assert out.getvalue().splitlines()[0] == header
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["choice_answer"] for row in rows] == ["incorrect", *["correct"] * 9]
    assert [row["choice_reference"] for row in rows] == [trial.x for trial in trials]
    assert {(row["session_test_id"], row["name"], row["choice_time"]) for row in rows} == {("song", "Ana", "4000")}


def test_a_test_that_was_left_counts_as_far_as_it_went(workspace: Workspace) -> None:
    test, trials = abx(workspace)
    answer_trial(workspace, test.test_id, 0, trials[0].right, 4.0)
    summary = abx_outcome(workspace, test.test_id).summary
    assert (summary.right, summary.trials, summary.p_value) == (1, 1, 0.5)


def test_preferences_are_turned_to_the_option_that_was_behind_the_letter(workspace: Workspace) -> None:
    test, trials = begin_preference(
        workspace, content_hash=HASH, track="song", reviewer="Ana", conditions=("option 1", "option 2"),
        items=[{"place": f"{number}.000", "gains_db": {}} for number in range(10)],
    )  # fmt: skip
    for number, trial in enumerate(trials[:8]):  # the second option is better by two steps, but for one that is equal
        answer_trial(workspace, test.test_id, number, 0 if not number else 2 if trial.b == "option 2" else -2, 9.0)
    outcome = preference_outcome(workspace, test.test_id)
    found = outcome.summary
    assert outcome.conditions == ("option 1", "option 2")
    assert (found.preferred, found.decided, found.trials, found.mean_step) == (7, 7, 8, 14 / 8)
    assert found.p_value == pytest.approx(2 / 2**7)
    out = io.StringIO()
    assert write_preferences(workspace, out) == 8
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [(row["a"], row["b"], row["place"]) for row in rows] == [
        (trial.a, trial.b, f"{trial.item}.000") for trial in trials[:8]
    ]
    assert {int(row["b_better_by"]) for row in rows} <= {0, 2, -2}
    out = io.StringIO()
    assert write_results(workspace, out) == 1
    (row,) = csv.DictReader(io.StringIO(out.getvalue()))
    assert (row["result"], row["of"], row["count"], row["estimate"]) == (
        "preference",
        "option 2 over option 1",
        "7",
        "1.0",
    )
    assert [float(row[name]) for name in ("low", "high", "p_value")] == [found.low, found.high, found.p_value]


def test_ratings_are_summed_up_by_condition_and_written_as_webmushra_writes_them(workspace: Workspace) -> None:
    first = mushra(workspace, "Ana", {"reference": 100, "seam": 80, "anchor": 20})
    second = mushra(workspace, "Ben", {"reference": 95, "seam": 60, "anchor": 30})
    outcomes = mushra_outcomes(workspace)
    assert [(one.condition, one.ratings.count, one.ratings.mean) for one in outcomes] == [
        ("reference", 4, 97.5), ("seam", 4, 70.0), ("anchor", 4, 25.0)
    ]  # fmt: skip
    assert outcomes[1].ratings.low < 70.0 < outcomes[1].ratings.high
    (alone, *_) = mushra_outcomes(workspace, [second.test_id])
    assert alone.ratings.mean == 95.0
    out = io.StringIO()
    assert write_mushra(workspace, out) == 12
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert ",".join(rows[0]) == (
        "session_test_id,name,session_uuid,trial_id,rating_stimulus,rating_score,rating_time,rating_comment"
    )
    ratings = {(row["rating_stimulus"], row["rating_score"]) for row in rows if row["session_uuid"] == first.test_id}
    assert ratings == {("reference", "100"), ("seam", "80"), ("anchor", "20")}
    assert {row["trial_id"] for row in rows} == {"30.000_10.000_20ms_0.5", "31.000_10.000_20ms_0.5"}
    assert {row["rating_time"] for row in rows} == {"12500"}


def test_results_are_written_with_their_intervals(workspace: Workspace) -> None:
    assert write_results(workspace, io.StringIO()) == 0
    mushra(workspace, "Ana", {"reference": 100, "seam": 80, "anchor": 20}, items=1)
    out = io.StringIO()
    assert write_results(workspace, out) == 4
    (alone, *_) = csv.DictReader(io.StringIO(out.getvalue()))
    assert (alone["estimate"], alone["low"], alone["high"]) == ("80.0", "", "")
    mushra(workspace, "Ben", {"reference": 100, "seam": 60, "anchor": 30}, items=1)
    mushra(workspace, "Cyn", {"reference": 10, "seam": 100, "anchor": 100}, items=1)  # screened out
    abx(workspace)
    test, trials = abx(workspace)
    for number, trial in enumerate(trials):
        answer_trial(workspace, test.test_id, number, trial.right, 4.0)
    out = io.StringIO()
    assert write_results(workspace, out) == 5
    seam, *_, two_fades = csv.DictReader(io.StringIO(out.getvalue()))
    (worth,) = (heard.worth for heard in judged_seams(workspace))
    assert (seam["result"], seam["of"], seam["count"]) == ("seam", "30.000_10.000_20ms_0.5", "2")
    assert [float(seam[name]) for name in ("score", "estimate", "low", "high")] == [0.4, 70.0, worth.low, worth.high]
    summary = abx_outcome(workspace, test.test_id).summary
    assert (two_fades["result"], two_fades["of"], two_fades["count"]) == ("abx", "20 ms against 5 ms", "10")
    found = [float(two_fades[name]) for name in ("estimate", "low", "high", "p_value")]
    assert found == [1.0, summary.low, summary.high, summary.p_value]


def test_a_listener_who_misses_the_reference_does_not_count(workspace: Workspace) -> None:
    mushra(workspace, "Ana", {"reference": 100, "seam": 80, "anchor": 20})
    mushra(workspace, "Ben", {"reference": 50, "seam": 100, "anchor": 100})
    assert [one.ratings.mean for one in mushra_outcomes(workspace)] == [100, 80, 20]
    assert [seam.worth.count for seam in judged_seams(workspace)] == [1, 1]


def test_a_seam_is_worth_its_share_of_the_reference_one_value_a_listener(workspace: Workspace) -> None:
    mushra(workspace, "Ana", {"reference": 100, "seam": 80, "anchor": 20})
    mushra(workspace, "Ana", {"reference": 100, "seam": 60, "anchor": 20})
    mushra(workspace, "Ben", {"reference": 90, "seam": 99, "anchor": 20})
    found = sorted(judged_seams(workspace), key=lambda seam: seam.leave)
    assert [(seam.leave, seam.score) for seam in found] == [(30.0, 0.4), (31.0, pytest.approx(0.6))]
    assert [(seam.worth.count, seam.worth.mean) for seam in found] == [(2, 85.0), (2, 85.0)]


def test_answers_are_checked_and_given_once(workspace: Workspace) -> None:
    test, _ = abx(workspace, 2)
    rated, _ = begin_mushra(
        workspace, content_hash=HASH, track="song", reviewer="Ana", conditions=NAMES, items=[item(0, 0.5)]
    )
    preferred, _ = begin_preference(
        workspace, content_hash=HASH, track="song", reviewer="Ana", conditions=("a", "b"), items=[{"place": "whole"}]
    )
    for test_id, trial, answer, seconds, reason in (
        (test.test_id, 0, "X", 1.0, "A or B"),
        (test.test_id, 2, "A", 1.0, "no trial 3"),
        (test.test_id, -1, "A", 1.0, "no trial 0"),
        (test.test_id, 0, "A", float("nan"), "some seconds"),
        (preferred.test_id, 0, 4, 1.0, "-3 to 3 steps"),
        (preferred.test_id, 0, 0.5, 1.0, "-3 to 3 steps"),
        (preferred.test_id, 0, "A", 1.0, "-3 to 3 steps"),
        (rated.test_id, 0, "A", 1.0, "each of A, B, C"),
        (rated.test_id, 0, {"A": 1, "B": 2}, 1.0, "each of A, B, C"),
        (rated.test_id, 0, {"A": 1, "B": 2, "C": 101}, 1.0, "0 to 100"),
        (rated.test_id, 0, {"A": 1, "B": 2, "C": "3"}, 1.0, "0 to 100"),
    ):
        with pytest.raises(ParameterError, match=reason):
            answer_trial(workspace, test_id, trial, answer, seconds)
    answer_trial(workspace, test.test_id, 0, "A", 1.0)
    with pytest.raises(InputError, match="answered before"):
        answer_trial(workspace, test.test_id, 0, "B", 1.0)
    with pytest.raises(InputError, match="no listening test"):
        answer_trial(workspace, "lst_nothing", 0, "A", 1.0)
    with pytest.raises(ParameterError, match="no ABX test"):
        abx_outcome(workspace, rated.test_id)
    with pytest.raises(ParameterError, match="no preference test"):
        preference_outcome(workspace, rated.test_id)
    with pytest.raises(ParameterError, match="needs a name"):
        begin_preference(
            workspace, content_hash=HASH, track="song", reviewer="", conditions=("a", "b"), items=[{"place": "whole"}]
        )
    with pytest.raises(ParameterError, match="needs the conditions"):
        begin_mushra(workspace, content_hash=HASH, track="song", reviewer="Ana", conditions=("a", "b"), items=[{}])
    assert mushra_outcomes(workspace) == []
    assert judged_seams(workspace) == []
