"""`traceparent` as W3C Trace Context defines it; the examples are the recommendation's."""

from __future__ import annotations

import re

import pytest

from service.telemetry.traces import continue_trace, parse_traceparent

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
GIVEN = f"00-{TRACE}-{PARENT}-01"


def test_a_trace_is_taken_over_with_a_place_of_our_own() -> None:
    ours = continue_trace([GIVEN])
    assert ours.trace_id == TRACE
    assert ours.span_id != PARENT
    assert re.fullmatch(rf"00-{TRACE}-[0-9a-f]{{16}}-01", ours.traceparent)
    assert continue_trace([GIVEN]).span_id != ours.span_id


@pytest.mark.parametrize(
    "malformed",
    [
        "",
        "00",
        GIVEN.upper(),
        GIVEN[:-1],
        f"{GIVEN}-more",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{PARENT}-0g",
        f"00-{TRACE[:-1]}g-{PARENT}-01",
        f"01-{TRACE}-{PARENT}-01.more",
        GIVEN + "\n",
    ],
)
def test_what_is_malformed_begins_a_trace(malformed: str) -> None:
    assert parse_traceparent(malformed) is None
    ours = continue_trace([malformed])
    assert ours.trace_id != TRACE
    assert parse_traceparent(ours.traceparent) == ours


def test_no_header_and_two_of_them_begin_a_trace() -> None:
    assert continue_trace([]).trace_id != continue_trace([]).trace_id
    assert continue_trace([GIVEN, GIVEN]).trace_id != TRACE


def test_a_later_version_is_read_as_far_as_it_is_known() -> None:
    for text in (f"01-{TRACE}-{PARENT}-01", f"cc-{TRACE}-{PARENT}-01-what the future will be like"):
        found = parse_traceparent(text)
        assert found is not None
        assert (found.trace_id, found.span_id, found.flags) == (TRACE, PARENT, 1)


def test_flags_that_are_not_known_are_not_passed_on() -> None:
    assert continue_trace([f"00-{TRACE}-{PARENT}-ff"]).traceparent.endswith("-03")
