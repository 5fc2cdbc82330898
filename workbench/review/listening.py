"""Blind listening tests of seams and options: designed, answered, summed up, and written for other readers.

A test is drawn from a seed and saved, with what every letter hides, before its first sound plays. Its answers are
saved one by one. A test that was left early counts as far as it was answered; an answer cannot be changed.

Tables are in the form of webMUSHRA (Schoeffler et al., "webMUSHRA: a comprehensive framework for web-based listening
tests", Journal of Open Research Software 6, 2018): `mushra.csv`, a rating a row, and `paired_comparison.csv`, a choice
a row. So tools that read those read these. The test is named after the track, the session is a test of ours, the
participant has the one field `name`.

What the answers show, with its intervals, is a table of its own (`write_results`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any, TextIO

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.files import write_rows
from workbench.review.trials import (
    MAX_STEP,
    AbxSummary,
    AbxTrial,
    MushraTrial,
    PreferenceSummary,
    PreferenceTrial,
    RatingSummary,
    abx_summary,
    draw_abx,
    draw_mushra,
    draw_preference,
    is_screened_out,
    new_seed,
    preference_summary,
    rating_summary,
)
from workbench.review.verdicts import clean_name
from workbench.store.database import listening_answers, listening_tests, now

REFERENCE, ANCHOR, SEAM = "reference", "anchor", "seam"  # names of the conditions of a MUSHRA-like test
PARTICIPANT = "name"  # the one field of a participant in webMUSHRA's tables


@dataclass(frozen=True, slots=True)
class ListeningTest:
    """One blind test of one listener."""

    test_id: str
    kind: str
    """abx, preference or mushra"""
    content_hash: str
    """SHA-256 of the track's bytes"""
    track: str
    """its name"""
    reviewer: str
    design: Mapping[str, Any]
    """JSON: seed, trials with the sound behind each letter, and what they are about"""
    at: str


@dataclass(frozen=True, slots=True)
class ListeningAnswer:
    """The answer to one trial."""

    test_id: str
    trial: int
    """from 0"""
    answer: Any
    """JSON: the letter that was chosen, the steps by which B is better than A, or a rating for each letter"""
    seconds: float
    """from the first sound to the answer"""
    at: str


@dataclass(frozen=True, slots=True)
class JudgedSeam:
    """A seam that listeners rated blind."""

    track: str
    leave: float  # track time, s
    enter: float
    fade: float
    exponent: float
    score: float  # what the planner gave it, 0 to 1
    worth: RatingSummary  # how much of the reference's rating it got, 0 to 100, one value a listener


@dataclass(frozen=True, slots=True)
class ConditionOutcome:
    """Ratings of one condition, of listeners who were not screened out."""

    condition: str
    ratings: RatingSummary


def begin_abx(
    workspace: Workspace,
    *,
    content_hash: str,
    track: str,
    reviewer: str,
    conditions: tuple[str, str],
    trials: int,
    about: Mapping[str, Any],
) -> tuple[ListeningTest, tuple[AbxTrial, ...]]:
    """Draw and save an ABX test.

    `about` is JSON for the record: what the conditions are, where in the plan, by which gains they were matched. Raises
    `ParameterError` for no name, equal conditions, or too many trials.
    """
    seed = new_seed()
    drawn = draw_abx(*conditions, trials, seed)
    design = {"seed": seed, "trials": [asdict(trial) for trial in drawn], "about": dict(about)}
    return _save_test(workspace, "abx", content_hash, track, reviewer, design), drawn


def begin_preference(
    workspace: Workspace,
    *,
    content_hash: str,
    track: str,
    reviewer: str,
    conditions: tuple[str, str],
    items: Sequence[Mapping[str, Any]],
) -> tuple[ListeningTest, tuple[PreferenceTrial, ...]]:
    """Draw and save a test which of two conditions is better, and by how much.

    `items` is JSON for the record, one a trial: where both are compared, and by which gains they were matched. Raises
    `ParameterError` for no name, equal conditions, or too few or too many items.
    """
    seed = new_seed()
    drawn = draw_preference(*conditions, len(items), seed)
    design = {
        "seed": seed, "trials": [asdict(trial) for trial in drawn], "items": [dict(item) for item in items],
        "conditions": list(conditions),
    }  # fmt: skip
    return _save_test(workspace, "preference", content_hash, track, reviewer, design), drawn


def begin_mushra(
    workspace: Workspace,
    *,
    content_hash: str,
    track: str,
    reviewer: str,
    conditions: Sequence[str],
    items: Sequence[Mapping[str, Any]],
) -> tuple[ListeningTest, tuple[MushraTrial, ...]]:
    """Draw and save a test with several stimuli, among them a hidden `REFERENCE` and an `ANCHOR`.

    `items` is JSON for the record, one a trial: the seam's `leave`, `enter`, `fade`, `exponent` and `score`, if it has
    one. Raises `ParameterError` for no name, no reference or anchor, too few or too many items or conditions.
    """
    if not {REFERENCE, ANCHOR} <= set(conditions):
        raise ParameterError(f"the test needs the conditions {REFERENCE} and {ANCHOR}, got {', '.join(conditions)}")
    seed = new_seed()
    drawn = draw_mushra(len(items), conditions, seed)
    design = {"seed": seed, "trials": [asdict(trial) for trial in drawn], "items": [dict(item) for item in items]}
    return _save_test(workspace, "mushra", content_hash, track, reviewer, design), drawn


def _save_test(
    workspace: Workspace, kind: str, content_hash: str, track: str, reviewer: str, design: Mapping[str, Any]
) -> ListeningTest:
    test = ListeningTest(f"lst_{ULID()}", kind, content_hash, track, clean_name(reviewer), design, now())
    with workspace.database.write() as connection:
        connection.execute(listening_tests.insert().values(asdict(test) | {"design": json.dumps(design)}))
    return test


def get_test(connection: Connection, test_id: str) -> ListeningTest:
    """A test by its id; InputError if there is none."""
    query = select(listening_tests).where(listening_tests.c.test_id == test_id)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise InputError(f"there is no listening test {test_id}")
    return _test(row)


def _list_tests(connection: Connection) -> list[ListeningTest]:
    """All tests, oldest first."""
    query = select(listening_tests).order_by(listening_tests.c.at, listening_tests.c.test_id)
    return [_test(row) for row in connection.execute(query).mappings()]


def _test(row: Mapping[Any, Any]) -> ListeningTest:
    return ListeningTest(**{**row, "design": json.loads(row["design"])})


def _answers_of(connection: Connection, test_id: str) -> list[ListeningAnswer]:
    """The answers of a test, in the order of its trials."""
    table = listening_answers
    query = select(table).where(table.c.test_id == test_id).order_by(table.c.trial)
    return [
        ListeningAnswer(row.test_id, row.trial, json.loads(row.answer), row.seconds, row.at)
        for row in connection.execute(query)
    ]


def answer_trial(workspace: Workspace, test_id: str, trial: int, answer: Any, seconds: float) -> ListeningAnswer:
    """Save the answer to a trial, from 0: "A" or "B" in an ABX test, else a rating of 0 to 100 for each letter.

    In a preference test it is by how many steps B is better than A, from -3 to 3. `seconds` count from the first sound
    to the answer. Raises `InputError` if there is no such test, or the trial was answered before, and `ParameterError`
    if there is no such trial, or the answer is none.
    """
    if not (isfinite(seconds) and seconds >= 0.0):
        raise ParameterError(f"an answer takes some seconds, got {seconds}")
    with workspace.database.write() as connection:
        _check_answer(get_test(connection, test_id), trial, answer)
        if any(one.trial == trial for one in _answers_of(connection, test_id)):
            raise InputError(f"trial {trial + 1} of this test was answered before")
        saved = ListeningAnswer(test_id, trial, answer, round(float(seconds), 3), now())
        connection.execute(listening_answers.insert().values(asdict(saved) | {"answer": json.dumps(answer)}))
    return saved


def _check_answer(test: ListeningTest, trial: int, answer: Any) -> None:
    """Raise `ParameterError` if a test has no such trial, or an answer of its kind is another one."""
    trials = test.design["trials"]
    if not 0 <= trial < len(trials):
        raise ParameterError(f"this test has {len(trials)} trials, there is no trial {trial + 1}")
    if test.kind == "abx":
        if answer not in ("A", "B"):
            raise ParameterError(f"an answer is A or B, not {answer!r}")
    elif test.kind == "preference":
        if not isinstance(answer, int) or abs(answer) > MAX_STEP:
            raise ParameterError(f"an answer is a whole number of -{MAX_STEP} to {MAX_STEP} steps, not {answer!r}")
    else:
        letters = MushraTrial(0, tuple(trials[trial]["hidden"])).letters
        if not isinstance(answer, Mapping) or sorted(answer) != list(letters):
            raise ParameterError(f"a rating is needed for each of {', '.join(letters)}")
        if not all(isinstance(rating, int | float) and 0 <= rating <= 100 for rating in answer.values()):
            raise ParameterError(f"ratings are numbers from 0 to 100, got {answer}")


@dataclass(frozen=True, slots=True)
class AbxOutcome:
    """One listener's ABX test."""

    conditions: tuple[str, str]
    summary: AbxSummary


def abx_outcome(workspace: Workspace, test_id: str) -> AbxOutcome:
    """Sum up an ABX test as far as it was answered.

    Raises `InputError` if there is no such test, and `ParameterError` if it is of another kind.
    """
    with workspace.database.read() as connection:
        test, answers = get_test(connection, test_id), _answers_of(connection, test_id)
    if test.kind != "abx":
        raise ParameterError(f"test {test_id} is no ABX test")
    trials = [AbxTrial(**trial) for trial in test.design["trials"]]
    right = sum(answer.answer == trials[answer.trial].right for answer in answers)
    first, second = sorted({trials[0].a, trials[0].b})
    return AbxOutcome((first, second), abx_summary(right, len(answers)))


@dataclass(frozen=True, slots=True)
class PreferenceOutcome:
    """One listener's preference test."""

    conditions: tuple[str, str]
    summary: PreferenceSummary  # of the second condition against the first


def preference_outcome(workspace: Workspace, test_id: str) -> PreferenceOutcome:
    """Sum up a preference test as far as it was answered.

    Raises `InputError` if there is no such test, and `ParameterError` if it is of another kind.
    """
    with workspace.database.read() as connection:
        test, answers = get_test(connection, test_id), _answers_of(connection, test_id)
    if test.kind != "preference":
        raise ParameterError(f"test {test_id} is no preference test")
    first, second = test.design["conditions"]
    steps = [given.answer if test.design["trials"][given.trial]["b"] == second else -given.answer for given in answers]
    return PreferenceOutcome((first, second), preference_summary(steps))


def mushra_outcomes(workspace: Workspace, test_ids: Sequence[str] | None = None) -> list[ConditionOutcome]:
    """Sum up ratings by condition over tests of all listeners, the reference first and the anchor last.

    Without `test_ids` all tests count.
    """
    by_condition: dict[str, list[float]] = defaultdict(list)
    for _, rated in _rated(workspace, test_ids):
        if _screened_out(rated):
            continue
        for _, ratings in rated:
            for condition, rating in ratings.items():
                by_condition[condition].append(rating)
    names = sorted(by_condition, key=lambda name: (name == ANCHOR, name != REFERENCE, name))
    return [ConditionOutcome(name, rating_summary(by_condition[name])) for name in names]


def judged_seams(workspace: Workspace) -> list[JudgedSeam]:
    """What blind ratings say of seams, to compare their scores with: one entry for each seam as it was played.

    A rating counts as a share of what the same listener gave the hidden reference in the same trial; of a listener who
    rated a seam several times the mean counts, so that the values of a seam are independent.
    """
    worth: dict[tuple[Any, ...], dict[str, list[float]]] = {}
    facts: dict[tuple[Any, ...], tuple[str, Mapping[str, Any]]] = {}
    for test, rated in _rated(workspace, None):
        if _screened_out(rated):
            continue
        for item, ratings in rated:
            seam = test.design["items"][item]
            if SEAM not in ratings or ratings[REFERENCE] <= 0 or seam.get("score") is None:
                continue
            key = (test.content_hash, *(round(1000 * seam[name]) for name in ("leave", "enter", "fade", "exponent")))
            share = min(100.0, 100.0 * ratings[SEAM] / ratings[REFERENCE])
            worth.setdefault(key, {}).setdefault(test.reviewer, []).append(share)
            facts.setdefault(key, (test.track, seam))
    found = []
    for key, (track, seam) in facts.items():
        means = [sum(shares) / len(shares) for shares in worth[key].values()]
        numbers = {name: float(seam[name]) for name in ("leave", "enter", "fade", "exponent", "score")}
        found.append(JudgedSeam(track=track, worth=rating_summary(means), **numbers))
    return found


def _rated(
    workspace: Workspace, test_ids: Sequence[str] | None
) -> list[tuple[ListeningTest, list[tuple[int, dict[str, float]]]]]:
    """Tests with several stimuli, each with item and ratings by condition of every trial that was answered."""
    found: dict[str, tuple[ListeningTest, list[tuple[int, dict[str, float]]]]] = {}
    for test, trial, answer in _answered(workspace, "mushra"):
        if test_ids is None or test.test_id in test_ids:
            behind = MushraTrial(trial["item"], tuple(trial["hidden"]))
            ratings = zip(behind.letters, behind.hidden, strict=True)
            rated = behind.item, {name: float(answer.answer[letter]) for letter, name in ratings}
            found.setdefault(test.test_id, (test, []))[1].append(rated)
    return list(found.values())


def _answered(workspace: Workspace, kind: str) -> list[tuple[ListeningTest, dict[str, Any], ListeningAnswer]]:
    """Every answer to a trial of tests of one kind, with the trial as it was drawn; oldest test first."""
    with workspace.database.read() as connection:
        return [
            (test, test.design["trials"][answer.trial], answer)
            for test in _list_tests(connection)
            if test.kind == kind
            for answer in _answers_of(connection, test.test_id)
        ]


def _screened_out(rated: Sequence[tuple[int, Mapping[str, float]]]) -> bool:
    return is_screened_out([ratings[REFERENCE] for _, ratings in rated], [ratings[ANCHOR] for _, ratings in rated])


MUSHRA_COLUMNS = (
    "session_test_id", PARTICIPANT, "session_uuid", "trial_id", "rating_stimulus", "rating_score", "rating_time",
    "rating_comment",
)  # fmt: skip
ABX_COLUMNS = (
    "session_test_id", PARTICIPANT, "trial_id", "choice_reference", "choice_non_reference", "choice_answer",
    "choice_time", "choice_comment",
)  # fmt: skip
PREFERENCE_COLUMNS = ("session_test_id", PARTICIPANT, "trial_id", "place", "a", "b", "b_better_by", "comparison_time")
# `low` and `high` bound `estimate` with 95 %; empty where one answer gives no interval
RESULT_COLUMNS = ("result", "track", "of", "score", "count", "estimate", "low", "high", "p_value")


def write_mushra(workspace: Workspace, out: TextIO) -> int:
    """Write all ratings as webMUSHRA writes its `mushra.csv`: seconds as milliseconds, the stimulus by its name.

    Returns the rows below the head.
    """
    rows = []
    for test, trial, answer in _answered(workspace, "mushra"):
        behind = MushraTrial(trial["item"], tuple(trial["hidden"]))
        seam, took_ms = _trial_id(test.design["items"][behind.item]), round(1000 * answer.seconds)
        rows += [
            (test.track, test.reviewer, test.test_id, seam, name, answer.answer[letter], took_ms, "")
            for letter, name in zip(behind.letters, behind.hidden, strict=True)
        ]
    return write_rows(out, MUSHRA_COLUMNS, rows)


def write_abx(workspace: Workspace, out: TextIO) -> int:
    """Write all ABX answers as webMUSHRA writes its `paired_comparison.csv`; returns the rows below the head.

    X is the reference there: the choice is `correct` where the letter was chosen that X is.
    """
    rows = []
    for test, drawn, answer in _answered(workspace, "abx"):
        trial = AbxTrial(**drawn)
        other = trial.b if trial.x == trial.a else trial.a
        chosen = "correct" if answer.answer == trial.right else "incorrect"
        session = f"{test.test_id}_{answer.trial + 1}"
        rows.append((test.track, test.reviewer, session, trial.x, other, chosen, round(1000 * answer.seconds), ""))
    return write_rows(out, ABX_COLUMNS, rows)


def write_preferences(workspace: Workspace, out: TextIO) -> int:
    """Write all preferences with what A and B were, and by how many steps of 3 B is better; returns the rows."""
    rows = []
    for test, drawn, answer in _answered(workspace, "preference"):
        trial = PreferenceTrial(**drawn)
        session, place = f"{test.test_id}_{answer.trial + 1}", test.design["items"][trial.item]["place"]
        took_ms = round(1000 * answer.seconds)
        rows.append((test.track, test.reviewer, session, place, trial.a, trial.b, answer.answer, took_ms))
    return write_rows(out, PREFERENCE_COLUMNS, rows)


def write_results(workspace: Workspace, out: TextIO) -> int:
    """Write what all answers show, with 95 % intervals: what the page says at the end of a test, and of every seam.

    `seam`: how much of the reference's rating each seam got (0 to 100, one value a listener), beside the planner's
    score. `condition`: ratings of all seams together, with those of reference and anchor. `abx`: the share of right
    answers of each test, and the chance of as many by guessing. `preference`: the share of decided trials in which one
    was better than the other. Listeners who are screened out are in none of them. Returns the rows below the head.
    """
    rows: list[tuple[object, ...]] = [
        ("seam", seam.track, _trial_id(asdict(seam)), seam.score, *_interval(seam.worth), None)
        for seam in judged_seams(workspace)
    ]
    rows += [
        ("condition", None, one.condition, None, *_interval(one.ratings), None) for one in mushra_outcomes(workspace)
    ]
    with workspace.database.read() as connection:
        tests = _list_tests(connection)
    given: AbxSummary | PreferenceSummary
    for test in tests:
        if test.kind == "abx":
            found = abx_outcome(workspace, test.test_id)
            given = found.summary
            of, hits, count = " against ".join(found.conditions), given.right, given.trials
        elif test.kind == "preference":
            compared = preference_outcome(workspace, test.test_id)
            given = compared.summary
            of, hits, count = " over ".join(compared.conditions[::-1]), given.preferred, given.decided
        else:
            continue
        if count:
            rows.append((test.kind, test.track, of, None, count, hits / count, given.low, given.high, given.p_value))
    return write_rows(out, RESULT_COLUMNS, rows)


def _interval(given: RatingSummary) -> tuple[object, ...]:
    """Count, mean and interval of ratings."""
    low, high = (None, None) if isnan(given.low) else (given.low, given.high)
    return given.count, given.mean, low, high


def _trial_id(seam: Mapping[str, Any]) -> str:
    """The seam as it was played, the same in every session."""
    return f"{seam['leave']:.3f}_{seam['enter']:.3f}_{1000 * seam['fade']:.0f}ms_{seam['exponent']:g}"
