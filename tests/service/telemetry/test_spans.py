"""Spans of a request, its job and the stages, as a collector of OpenTelemetry receives them over HTTP."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import service.telemetry.spans
from service.settings import ServiceSettings
from service.telemetry.spans import open_spans
from service.telemetry.traces import Trace, continue_trace

if TYPE_CHECKING:
    from tests.service.conftest import Collector

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
ROOT = Path(__file__).resolve().parents[3]


def test_a_span_has_the_place_that_the_caller_was_told(collector: Collector) -> None:
    spans = open_spans(ServiceSettings(traces_url=collector.url), "http")
    assert spans is not None
    place = continue_trace([f"00-{TRACE}-{PARENT}-01"])
    spans.send("POST /v1/loop", place, 10.0, 12.5, kind="server", attributes={"http.route": "/v1/loop"}, failed=True)
    first = continue_trace([], spans.share)
    spans.send("GET /v1/loop", first, 1.0, 2.0)
    spans.send("not recorded", Trace(TRACE, PARENT, 0), 1.0, 2.0)
    spans.close()
    other, one = collector.spans()

    assert (one.name, one.kind, one.failed) == ("POST /v1/loop", "server", True)
    assert (one.trace_id, one.span_id, one.parent_id) == (TRACE, place.span_id, PARENT)
    assert (one.began, one.ended) == (10.0, 12.5)
    assert one.attributes["http.route"] == "/v1/loop"
    assert (one.attributes["service.name"], one.attributes["workbench.process"]) == ("barline-workbench", "http")
    assert (other.trace_id, other.span_id, other.parent_id) == (first.trace_id, first.span_id, "")


def test_a_collector_that_is_gone_costs_a_line_in_the_log(
    collector: Collector, capfd: pytest.CaptureFixture[str]
) -> None:
    collector.stop()
    spans = open_spans(ServiceSettings(traces_url=collector.url), "http")
    assert spans is not None
    spans.send("POST /v1/loop", Trace(TRACE, PARENT, 1), 1.0, 2.0)
    spans.close()
    out, err = capfd.readouterr()
    assert "Failed to export" in out + err


def test_a_collector_that_hangs_is_not_waited_for_with_every_batch(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(service.telemetry.spans, "_SEND_SECONDS", 1.0)
    monkeypatch.setattr(service.telemetry.spans, "_CLOSE_SECONDS", 0.0)
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    spans_sent = 1000  # a batch each, more than a slow machine begins before the end
    with socket.create_server(("127.0.0.1", 0), backlog=spans_sent) as hangs:
        spans = open_spans(ServiceSettings(traces_url=f"http://127.0.0.1:{hangs.getsockname()[1]}"), "http")
        assert spans is not None
        for number in range(1, spans_sent + 1):
            spans.send("POST /v1/loop", Trace(TRACE, f"{number:016x}", 1), 1.0, 2.0)
        spans.close()
        begun = connections(hangs)
    out, err = capfd.readouterr()
    found = re.search(r"the process ended before (\d+) spans were sent", out + err)
    assert found is not None, out + err
    assert int(found[1]) == spans_sent - begun


def connections(listening: socket.socket) -> int:
    """How many connections wait for a server that has accepted none."""
    listening.setblocking(False)
    for number in count():
        try:
            listening.accept()[0].close()
        except BlockingIOError:
            return number
    raise AssertionError("there is an end to them")


def test_without_a_collector_nothing_is_imported() -> None:
    program = (
        "import sys, service.app, service.jobs.worker, service.jobs.child;"
        "from service.settings import ServiceSettings; from service.telemetry.spans import open_spans;"
        "assert open_spans(ServiceSettings(), 'http') is None;"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=240)


def test_a_share_of_the_traces_that_begin_here_is_recorded() -> None:
    assert not continue_trace([]).sampled
    assert all(continue_trace([], 1.0).sampled for _ in range(20))
    assert 0 < sum(continue_trace([], 0.5).sampled for _ in range(200)) < 200
    for flags in ("00", "01"):  # the caller's choice holds
        assert continue_trace([f"00-{TRACE}-{PARENT}-{flags}"], 1.0).flags == int(flags)
