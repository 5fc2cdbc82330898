"""Records of projects, reviews, verdicts and listening tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InputError, ParameterError, UnknownProject
from workbench.review import listening_records as listening
from workbench.review import project_records as projects
from workbench.review import review_records as reviews
from workbench.review import verdict_records as verdicts
from workbench.review.review_records import PlanVersion
from workbench.store.database import Database


def numbered(words: Sequence[projects.Change]) -> list[tuple[int, str, bool]]:
    """What a history says."""
    return [(change.number, change.words, change.undone) for change in words]


def test_a_project_is_found_by_its_id_and_by_its_files(database: Database) -> None:
    with database.write() as connection:
        first = projects.add(connection, "one", "/films/a.mp4", "trk_1")
        second = projects.add(connection, "two", "/films/a.mp4", "trk_1")
        projects.add(connection, "three", "/films/a.mp4", "trk_2")
        assert projects.get(connection, first.project_id) == first
        assert projects.with_files(connection, "/films/a.mp4", "trk_1") == second
        assert projects.with_files(connection, "/films/b.mp4", "trk_1") is None
        projects.put_fields(connection, first.project_id, {"view": {"seam": 2}})
        latest = projects.with_files(connection, "/films/a.mp4", "trk_1")
        assert latest is not None
        assert latest.project_id == first.project_id, "the one that was changed last"
        assert [project.name for project in projects.recent(connection, 2)] == ["one", "three"]


def test_who_writes_one_field_leaves_the_others(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"plan": {"a": [1.5, None]}, "view": 3})
        projects.put_fields(connection, project_id, {"view": 4, "fades": None})
        assert projects.get_fields(connection, project_id) == {"plan": {"a": [1.5, None]}, "view": 4}
        projects.put_fields(connection, project_id, {"view": None})
        assert projects.get_fields(connection, project_id) == {"plan": {"a": [1.5, None]}}


def test_a_deleted_project_leaves_nothing_and_is_not_written_to(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"view": 3})
        projects.add_change(connection, project_id, "a change", {"view": (1, 3)})
        projects.delete(connection, project_id)
        projects.delete(connection, project_id)
        assert projects.get_fields(connection, project_id) == {}
        assert projects.changes(connection, project_id) == []
    for write in (
        lambda connection: projects.put_fields(connection, project_id, {"view": 4}),
        lambda connection: projects.rename(connection, project_id, "two"),
        lambda connection: projects.get(connection, project_id),
    ):
        with pytest.raises(UnknownProject, match=project_id), database.write() as connection:
            write(connection)


def test_a_new_change_forgets_those_that_were_undone(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        for words in ("first", "second", "third"):
            projects.add_change(connection, project_id, words, {"view": (1, 2)})
        projects.mark_undone(connection, project_id, 3, undone=True)
        projects.mark_undone(connection, project_id, 2, undone=True)
        assert numbered(projects.changes(connection, project_id)) == [
            (1, "first", False), (2, "second", True), (3, "third", True)
        ]  # fmt: skip
        projects.add_change(connection, project_id, "fourth", {"view": (2, 5)})
        assert numbered(projects.changes(connection, project_id)) == [(1, "first", False), (4, "fourth", False)]


def test_what_came_of_a_change_is_added_to_it(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        made = projects.add_change(connection, project_id, "pinned", {"pins": (None, [1]), "plan": ("a", "b")})
        projects.amend_change(connection, project_id, made.number, {"plan": ("a", "c"), "fades": ([1], None)})
        (change,) = projects.changes(connection, project_id)
        assert change.edits == {"pins": (None, [1]), "plan": ("a", "c"), "fades": ([1], None)}
        projects.mark_undone(connection, project_id, made.number, undone=True)
        projects.amend_change(connection, project_id, made.number, {"plan": ("a", "d")})
        projects.amend_change(connection, project_id, 99, {"plan": ("a", "d")})
        (change,) = projects.changes(connection, project_id)
        assert change.edits["plan"] == ("a", "c"), "it was undone before its plan was there"


def test_the_oldest_changes_are_forgotten(database: Database) -> None:
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        for number in range(projects.MOST_CHANGES + 5):
            projects.add_change(connection, project_id, str(number), {"view": (number, number + 1)})
        kept = projects.changes(connection, project_id)
    assert len(kept) == projects.MOST_CHANGES
    assert kept[-1].words == str(projects.MOST_CHANGES + 4)


JSON: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e300, 1e300), st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(content=JSON.filter(lambda value: value is not None))
def test_a_field_is_any_json(content: Any) -> None:
    database = Database("sqlite://")
    with database.write() as connection:
        project_id = projects.add(connection, "one", "", "").project_id
        projects.put_fields(connection, project_id, {"any": content})
        assert projects.get_fields(connection, project_id) == {"any": content}
    database.close()


KEPT: dict[str, Any] = {
    "subject": "s" * 64, "digest": "d" * 16, "content_hash": "c" * 64, "track": "song", "track_path": "/a/song.wav",
    "video_path": None, "body": "{}",
}  # fmt: skip


@pytest.fixture
def version(database: Database) -> PlanVersion:
    with database.write() as connection:
        return reviews.keep_version(connection, **KEPT)


def test_what_is_heard_the_same_is_one_version(database: Database, version: PlanVersion) -> None:
    with database.write() as connection:
        again = reviews.keep_version(connection, **KEPT | {"body": '{"plan": 1}'})
        other = reviews.keep_version(connection, **KEPT | {"digest": "e" * 16})
        assert again == version == reviews.get_version(connection, version.version_id)
        assert reviews.same_version(connection, version.subject, "e" * 16) == other
        assert reviews.same_version(connection, version.subject, "f" * 16) is None
        ids = [version.version_id, other.version_id]
        assert [one.version_id for one in reviews.version_names(connection, version.subject)] == ids
        assert [one.version_id for one in reviews.version_names(connection)] == ids
        (name, _) = reviews.version_names(connection, content_hash=version.content_hash)
        assert (name.digest, name.content_hash, name.track) == ("d" * 16, "c" * 64, "song")
        assert reviews.version_names(connection, content_hash="0" * 64) == []
        assert reviews.version_names(connection, "another") == []
        with pytest.raises(InputError, match="no version pv_nothing"):
            reviews.get_version(connection, "pv_nothing")


def test_a_thread_is_answered_resolved_and_opened_again(database: Database, version: PlanVersion) -> None:
    with database.write() as connection:
        first = reviews.add_comment(connection, version, " Ana ", "too loud ", video_s=12.5, seam=(30.0, 10.0))
        answer = reviews.add_comment(connection, version, "Ben", "better?", answers=first.comment_id)
        further = reviews.add_comment(connection, version, "Ana", "yes", answers=answer.comment_id)
        assert (first.reviewer, first.text) == ("Ana", "too loud")
        assert answer.answers == further.answers == first.comment_id
        assert (answer.video_s, answer.leave_s, answer.enter_s) == (12.5, 30.0, 10.0)
        done = reviews.resolve(connection, further.comment_id, "Ben")
        assert (done.comment_id, done.resolved_by) == (first.comment_id, "Ben")
        assert done.resolved_at is not None
        assert reviews.comments_of(connection, version.subject) == [done, answer, further]
        assert reviews.resolve(connection, first.comment_id, None) == first


def test_a_comment_needs_a_name_a_text_and_a_time(database: Database, version: PlanVersion) -> None:
    other = PlanVersion("pv_other", "another", *("x",) * 4, None, "{}", "now")
    with database.write() as connection:
        first = reviews.add_comment(connection, version, "Ana", "hm")
        for reviewer, text, more, reason in (
            ("  ", "text", {}, "needs a name"),
            ("a\nb", "text", {}, "on one line"),
            ("Ana", " \n", {}, "1 to 4000 characters"),
            ("Ana", "x" * 4001, {}, "got 4001"),
            ("Ana", "text", {"video_s": -1.0}, "a time of the video"),
            ("Ana", "text", {"video_s": float("nan")}, "a time of the video"),
        ):
            with pytest.raises(ParameterError, match=reason):
                reviews.add_comment(connection, version, reviewer, text, **more)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no comment"):
            reviews.add_comment(connection, other, "Ana", "text", answers=first.comment_id)
        assert reviews.comments_of(connection) == [first]


def test_a_reviewers_latest_decision_counts(database: Database, version: PlanVersion) -> None:
    with database.write() as connection:
        reviews.add_approval(connection, version.version_id, "Ana", "needs work")
        reviews.add_approval(connection, version.version_id, "Ben", "approved")
        reviews.add_approval(connection, version.version_id, "Ana", "approved")
        given = reviews.approvals_of(connection, [version.version_id])
        assert [(one.reviewer, one.decision) for one in given] == [("Ben", "approved"), ("Ana", "approved")]
        assert reviews.approvals_of(connection) == given
        with pytest.raises(ParameterError, match="approved, needs work"):
            reviews.add_approval(connection, version.version_id, "Ana", "fine")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no version"):
            reviews.add_approval(connection, "pv_nothing", "Ana", "approved")


TRACK = "0" * 64


def test_the_last_verdict_about_a_seam_as_it_was_heard_counts(database: Database) -> None:
    seam = {"leave": 64.0, "enter": 32.0, "fade": 0.02, "exponent": 1.0, "score": 0.93}
    with database.write() as connection:
        verdicts.add(connection, TRACK, "track", seam, "audible", "a cymbal")
        verdicts.add(connection, TRACK, "track", seam | {"enter": 48.0}, "wrong")
        verdicts.add(connection, TRACK, "track", seam | {"fade": 0.1}, "good")
        verdicts.add(connection, TRACK, "track", seam | {"exponent": 0.5}, "wrong")
        verdicts.add(connection, TRACK, "track", seam, "wrong", reviewer="Ana")
        verdicts.add(connection, TRACK, "track", seam | {"leave": 64.0002}, "good", "not any more")
        every = verdicts.every(connection, TRACK)
    assert [verdict.verdict for verdict in every] == ["audible", "wrong", "good", "wrong", "wrong", "good"]
    assert [(verdict.verdict, verdict.reviewer, verdict.note) for verdict in verdicts.latest(every)] == [
        ("good", "", "not any more"), ("wrong", "", ""), ("good", "", ""), ("wrong", "", ""), ("wrong", "Ana", "")
    ]  # fmt: skip


def test_a_verdict_from_before_reviewers_is_read(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO verdicts (verdict_id, content_hash, track, seam, verdict, note, at) VALUES "
            """('ver_1', 'abc', 'track', '{"leave": 1.0, "enter": 2.0}', 'good', '', '2026-01-01')"""
        )
        (kept,) = verdicts.every(connection)
    assert (kept.reviewer, kept.seam_key) == ("", (1000, 2000, -1, -1))


def test_a_verdict_is_one_of_three(database: Database) -> None:
    with database.write() as connection, pytest.raises(ParameterError, match="good, audible, wrong"):
        verdicts.add(connection, TRACK, "track", {}, "nice")  # type: ignore[arg-type]


def test_a_test_and_its_answers_come_back(database: Database) -> None:
    design = {"seed": 7, "trials": [{"x": "a"}]}
    with database.write() as connection:
        test = listening.add_test(connection, "abx", "c" * 64, "song", " Ana", design)
        other = listening.add_test(connection, "mushra", "d" * 64, "other", "Ben", {})
        second = listening.add_answer(connection, test.test_id, 1, {"A": 80}, 2.25)
        first = listening.add_answer(connection, test.test_id, 0, "A", 3.0)
        assert (test.reviewer, test.design) == ("Ana", design)
        assert listening.get_test(connection, test.test_id) == test
        assert listening.list_tests(connection) == [test, other]
        assert listening.answers_of(connection, test.test_id) == [first, second]
        with pytest.raises(InputError, match="trial 1 of this test was answered"):
            listening.add_answer(connection, test.test_id, 0, "B", 1.0)


def test_a_listener_has_a_name(database: Database) -> None:
    with database.write() as connection:
        with pytest.raises(ParameterError, match="needs a name"):
            listening.add_test(connection, "abx", "c" * 64, "song", "", {})
        with pytest.raises(InputError, match="no listening test"):
            listening.get_test(connection, "lst_nothing")
