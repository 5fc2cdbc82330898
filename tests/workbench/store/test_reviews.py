"""Versions, comments and approvals: records that outlive every cache."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import InputError, ParameterError
from workbench.review import review_records as reviews
from workbench.review.review_records import PlanVersion
from workbench.store.database import Database

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
        given = reviews.approvals_of(connection, version.version_id)
        assert [(one.reviewer, one.decision) for one in given] == [("Ben", "approved"), ("Ana", "approved")]
        assert reviews.approvals_of(connection) == given
        with pytest.raises(ParameterError, match="approved, needs work"):
            reviews.add_approval(connection, version.version_id, "Ana", "fine")  # type: ignore[arg-type]
        with pytest.raises(InputError, match="no version"):
            reviews.add_approval(connection, "pv_nothing", "Ana", "approved")
