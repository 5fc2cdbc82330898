"""Blind tests on the page without a browser: prepared, answered trial by trial, told at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.dashboards.waiting import CollectingPool, WaitingPool, until_idle
from workbench.analysis.workspace import Workspace
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.blind import BlindTest, BlindTrial
from workbench.dashboards.tabs.listening import (
    ALL_SEAMS,
    AT_SEAMS,
    FADES,
    OPTIONS,
    SEAMS,
    WHOLE,
    ListeningState,
    ListeningTab,
    abx_lines,
    preference_lines,
)
from workbench.review.listening import begin_mushra, write_abx, write_preferences, write_results
from workbench.review.trials import preference_summary
from workbench.store.home import Home
from workbench.workflows.plan import Planned

# Panel gives its own download buttons the older of two arguments.
pytestmark = pytest.mark.filterwarnings("ignore:Both 'variant' and 'button_style':PendingDeprecationWarning")


@pytest.fixture
def tab(corner_home: Home, corner_loop: Planned, pool: CollectingPool) -> ListeningTab:
    session = Session(Workspace(corner_home), pool=pool)
    session.loop, session.reviewer = corner_loop, "Ana"
    return ListeningTab(session)


def until_asked(tab: ListeningTab) -> None:
    """Wait until the first trial is asked."""
    tab.begin()
    until_idle(tab._session)
    assert tab.board.trials, tab._session.message


@pytest.mark.slow
def test_an_abx_test_of_two_crossfades_is_answered_to_its_end(tab: ListeningTab) -> None:
    tab.kind.value, tab.trials.value, tab.fade.value = FADES, 3, 300
    abx = next(button for write, button in tab.tables if write is write_abx)
    assert not abx.visible, "there is no answer to write yet"
    until_asked(tab)
    assert (tab.board.kind, len(tab.board.trials), tab.board.number) == ("abx", 3, 0)
    assert set(tab.board.trials[0]["sounds"]) == {"A", "B", "X"}
    tab.answer(0, "A", 2.0)
    assert (tab.board.number, tab.board.result) == (1, [])
    tab.answer(0, "B", 2.0)  # asked before: it was answered
    # What is answered in quick succession arrives together.
    tab.board.asked = [[1, 1, "neither", 2.0], [2, 2, "B", 2.0]]
    assert "A or B" in tab._session.message
    assert (tab.board.number, tab.board.refused, tab.board.taken) == (1, 1, 2)
    tab.board.asked = [[2, 2, "B", 2.0], [3, 1, "A", 2.0], [4, 2, "B", 2.0]]
    assert (tab.board.number, tab.board.refused, tab.board.taken) == (3, 1, 4)
    assert "of 3 right" in tab.board.result[0]
    assert "exact binomial" in tab.board.result[1]
    assert abx.visible
    assert "choice_answer" in tab._csv(write_abx).read()
    assert "300 ms" in tab._csv(write_results).read()


@pytest.mark.slow
def test_an_option_is_preferred_and_too_few_answers_say_so(tab: ListeningTab) -> None:
    tab.kind.value = WHOLE
    assert (tab.trials.value, tab.option.visible, tab.seam.visible) == (6, True, False)
    tab.trials.value = 2
    until_asked(tab)
    assert (tab.board.kind, len(tab.board.trials)) == ("preference", 2)
    assert set(tab.board.trials[0]["sounds"]) == {"A", "B"}
    tab.answer(0, 2, 30.0)
    tab.answer(1, 0, 30.0)
    assert "was better than" in tab.board.result[0]
    assert "1 of 1 trial; 1 trial equal" in tab.board.result[0]
    assert "too few" in tab.board.result[1]
    tab.kind.value = AT_SEAMS
    assert not tab.trials.visible
    until_asked(tab)
    for number in range(len(tab.board.trials)):
        tab.answer(number, 1, 5.0)
    assert "was better than" in tab.board.result[0]
    assert "option" in tab._csv(write_preferences).read()


def test_a_preference_is_said_for_the_one_that_is_better() -> None:
    for steps, better in (([2] * 7 + [0], "new"), ([-2] * 7 + [0], "old")):
        first, second = preference_lines(("old", "new"), preference_summary(steps))
        assert first.startswith(f"{better} was better")
        assert "in 7 of 7 trials; 1 trial equal" in first
        assert "On average it was better (1.8 of 3 steps)" in second
        assert "in 59 to 100 %" in second  # Clopper & Pearson: 0.025 ** (1 / 7)
        assert "0.0156" in second
    assert "no preference is shown" in preference_lines(("old", "new"), preference_summary([1, -1] * 4))[1]
    first, second = preference_lines(("old", "new"), preference_summary([1] * 5 + [-3] * 4))
    assert first.startswith("new was better than old in 5 of 9 trials, but by more steps the other one")
    assert "On average the other one was slightly better (0.8 of 3 steps)" in second


def test_seams_are_rated_beside_a_named_reference(tab: ListeningTab) -> None:
    until_asked(tab)
    assert tab.board.kind == "mushra"
    assert f": {len(tab.board.trials)} trials." in tab.about.object
    for number, trial in enumerate(tab.board.trials):
        assert set(trial["sounds"]) == {"A", "B", "C", "reference"}
        tab.answer(number, {"A": 100, "B": 100, "C": 95}, 5.0)
    assert "does not count" in tab.board.result[0]  # the bad splice was rated over 90


def test_the_sounds_of_a_test_go_with_its_end(tmp_path: Path) -> None:
    def made(name: str) -> BlindTest:
        sounds = {letter: tmp_path / f"{name}{letter}.wav" for letter in "ABC"}
        named = tmp_path / f"{name}.wav"
        for path in (named, *sounds.values()):
            path.write_bytes(b"sound")
        return BlindTest(kept.test_id, "mushra", "Seams", (BlindTrial(sounds, named),))

    workspace = Workspace(Home(tmp_path / "home"))
    kept, _ = begin_mushra(
        workspace, content_hash="c" * 64, track="song", reviewer="Ana", conditions=("reference", "seam", "anchor"),
        items=[{"leave": 30.0, "enter": 10.0, "fade": 0.02, "exponent": 0.5, "score": 0.7}],
    )  # fmt: skip
    state = ListeningState(workspace)
    state.begin(made("one"))
    state.begin(made("two"))  # the first one is given up
    assert sorted(path.name for path in tmp_path.glob("*.wav")) == ["two.wav", "twoA.wav", "twoB.wav", "twoC.wav"]
    state.answer(0, {"A": 100, "B": 80, "C": 10}, 3.0)
    assert not list(tmp_path.glob("*.wav"))


def test_a_test_that_comes_too_late_is_not_asked(corner_home: Home, corner_loop: Planned, tmp_path: Path) -> None:
    def made(name: str) -> BlindTest:
        sound = tmp_path / f"{name}.wav"
        sound.write_bytes(b"sound")
        return BlindTest(name, "abx", name, (BlindTrial({"A": sound}),))

    pool = WaitingPool()
    session = Session(Workspace(corner_home), pool=pool)
    session.loop, session.reviewer = corner_loop, "Ana"
    tab = ListeningTab(session)
    pool.tasks.clear()
    tab.begin()
    tab.kind.value = FADES
    tab.begin()
    pool.finish(0, made("first"))
    assert tab.state.test is None, "another one was begun since"
    session.loop = replace(corner_loop, answer=corner_loop.plan.options[1])
    pool.finish(1, made("second"))
    assert tab.state.test is None, "it is of another plan"
    tab.begin()
    session.reviewer = "Ben"
    pool.finish(2, made("third"))
    assert tab.state.test is None, "it is another listener's"
    assert not list(tmp_path.glob("*.wav")), "their sounds go"
    assert not tab.start.disabled


def test_a_name_comes_first_and_a_test_says_what_it_lacks(
    tab: ListeningTab, corner_home: Home, pool: CollectingPool
) -> None:
    tab._session.reviewer = ""
    tab.begin()
    assert "name" in tab.about.object
    assert tab.reviewer.missed == 1
    tab._session.reviewer = "Ana"
    assert "Write your name" not in tab.about.object, "it is not asked for once it is there"
    empty = ListeningTab(Session(Workspace(corner_home), pool=pool))
    assert empty.start.disabled
    tab.kind.value = WHOLE
    assert "cannot show" not in tab.about.object
    tab.trials.value = 5
    assert "5 trials cannot show which is better: that takes 6." in tab.about.object
    tab.kind.value = OPTIONS
    assert "cannot show" not in tab.about.object
    assert (tab.fade.visible, tab.option.visible, tab.trials.visible) == (False, True, True)
    tab.kind.value = SEAMS
    assert (tab.seam.visible, tab.trials.visible) == (False, False)
    served = int(tab.about.object.rstrip(".").split()[-2])
    tab.kind.value = ALL_SEAMS
    assert (tab.seam.visible, tab.trials.visible) == (False, False)
    assert int(tab.about.object.rstrip(".").split()[-2]) > served


def offered(workspace: Workspace) -> list[str]:
    """The files that a new page offers."""
    tab = ListeningTab(Session(workspace, pool=WaitingPool()))
    return [str(button.filename) for _, button in tab.tables if button.visible]


def test_what_was_rated_stands_beside_the_score(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path))
    item = {"leave": 30.0, "enter": 10.0, "fade": 0.02, "exponent": 0.5, "score": 0.7}
    names = ("reference", "seam", "anchor")
    kept, (drawn,) = begin_mushra(
        workspace, content_hash="c" * 64, track="song", reviewer="Ana", conditions=names, items=[item]
    )
    state = ListeningState(workspace)
    assert (state.ended, state.outcome(), state.so_far()) == (True, [], [])
    assert offered(workspace) == []
    state.begin(BlindTest(kept.test_id, "mushra", "Seams", (BlindTrial({}),)))
    rated = {"reference": 100, "seam": 80, "anchor": 10}
    state.answer(0, {letter: rated[name] for letter, name in zip("ABC", drawn.hidden, strict=True)}, 3.0)
    assert state.outcome() == [
        "the track's own bar line: 100, 1 rating",
        "seam: 80, 1 rating",
        "a bad splice: 10, 1 rating",
    ]
    assert state.so_far() == [
        "song, 0:30 → 0:10 of the track, crossfade 20 ms: score 0.70, rated 80 of 100 by 1 listener"
    ]
    assert offered(workspace) == ["results.csv", "mushra.csv"]


def test_an_abx_outcome_says_what_could_have_been_missed() -> None:
    assert "was audible" in abx_lines(("a", "b"), 10, 10, 0.001)[1]
    assert "could have been missed" in abx_lines(("a", "b"), 5, 10, 0.62)[1]
