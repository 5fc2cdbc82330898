"""Errors as callers see them: a status, its type, one sentence."""

from __future__ import annotations

import pytest

from service.errors import TYPES, Problem, error_body, error_type, forbidden, invalid, malformed, not_found, unavailable


def test_a_body_has_the_type_of_its_status_and_details_only_where_there_are_some() -> None:
    assert error_body(404, "no such track", "req_1") == {
        "error": {"type": "not_found", "message": "no such track", "request_id": "req_1"}
    }
    details = [{"field": "bpm", "message": "must be a number", "type": "float_parsing"}]
    assert error_body(422, "bpm: must be a number", None, details)["error"]["details"] == details
    assert error_type(418) == "error"


@pytest.mark.parametrize(
    ("problem", "status", "message"),
    [
        (malformed("the body is not JSON"), 400, "the body is not JSON"),
        (not_found("video"), 404, "no such video"),
        (forbidden("job"), 403, "this job belongs to another account"),
        (invalid("bpm", "must be a number"), 422, "bpm: must be a number"),
        (unavailable("too many wait"), 503, "too many wait"),
    ],
)
def test_problems_have_the_status_of_what_they_are(problem: Problem, status: int, message: str) -> None:
    assert (problem.status, problem.message, str(problem)) == (status, message, message)
    assert status in TYPES


def test_a_service_that_is_busy_says_when_to_come_back() -> None:
    assert unavailable("wait", retry_after=5).headers == {"Retry-After": "5"}
    assert unavailable("wait").headers == {}
