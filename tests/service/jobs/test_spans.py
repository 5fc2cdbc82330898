"""One trace from a caller's request through its job to the process that runs it, as a collector receives it."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from service.store import accounts, api_keys, jobs
from service.store.jobs import NewJob

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.service.conftest import Collector, SentSpan

    from .conftest import Workshop

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@contextmanager
def serving(workshop: Workshop) -> Iterator[str]:
    """The address of a service without workers on the workshop's database; ended in order."""
    command = [sys.executable, "-m", "workbench", "serve", "--no-jobs", "--port", "0", "--home"]
    with (workshop.home / "log").open("a") as log:
        process = subprocess.Popen(
            [*command, str(workshop.home)], env=workshop.environment(), stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("listening on ").strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=240) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.slow
def test_a_trace_leads_from_the_request_to_the_stages(workshop: Workshop, collector: Collector) -> None:
    workshop.settings["WORKBENCH_TRACES_URL"] = collector.url
    workshop.settings["WORKBENCH_RANKING_PROCESSES"] = "0"
    with workshop.database.write() as connection:
        accounts.ensure(connection, "somebody")
        accounts.update(connection, "somebody", payment_method=True)
        _, secret = api_keys.create(connection, "somebody")
    worker = workshop.start(main=0, beats=1, fetch=1)
    with serving(workshop) as url:
        asked = {"audio_url": "https://example.com/a.wav?signature=hidden"}
        headers = {"Authorization": f"Bearer {secret}", "traceparent": TRACEPARENT}
        answer = httpx.post(f"{url}/v1/beats", json=asked, headers=headers, trust_env=False, timeout=240)
        assert answer.status_code == 202, answer.text
        with workshop.database.read() as connection:
            job = jobs.get(connection, answer.json()["job_id"])
        assert job is not None
        workshop.settled(job)
    end(worker)

    spans = collector.spans()
    (request,), (queued,) = named(spans, "POST /v1/beats"), named(spans, "queued")
    fetch, work = named(spans, "beats job")
    assert len(spans) == 4
    assert {span.trace_id for span in spans} == {TRACE}
    assert (request.kind, request.parent_id) == ("server", PARENT)
    assert request.began <= queued.began <= fetch.began
    assert answer.headers["traceparent"] == f"00-{TRACE}-{request.span_id}-01"
    assert {span.parent_id for span in (queued, fetch, work)} == {request.span_id}
    assert [span.attributes["workbench.outcome"] for span in (fetch, work)] == ["handed over", "complete"]
    assert (fetch.attributes["workbench.queue"], work.attributes["workbench.queue"]) == ("fetch", "beats")
    assert request.attributes["http.response.status_code"] == 202
    assert job.job_id == work.attributes["workbench.job_id"]
    told = repr(collector.spans())
    assert not [word for word in ("hidden", "example.com", "somebody", secret) if word in told]


def test_the_stage_in_which_a_process_dies_is_told(workshop: Workshop, collector: Collector) -> None:
    workshop.settings["WORKBENCH_TRACES_URL"] = collector.url
    worker = workshop.ready(workshop.start())
    jobs_of: dict[str, Any] = {}
    with workshop.database.write() as connection:
        accounts.ensure(connection, "ada")
        for gate in ("first", "second"):
            request = {"do": "wait", "gate": str(workshop.home / gate)}
            new = NewJob("loop", jobs.MAIN, "ada", gate, request=request, endpoint="", traceparent=TRACEPARENT)
            jobs_of[gate] = jobs.submit(connection, new)
    workshop.staged(jobs_of["first"], "waiting")
    (child,) = workshop.children_of(worker)
    workshop.kill(child)
    workshop.wait_for(lambda: workshop.read(jobs_of["first"]).attempt == 2, "it is tried again")
    for gate in jobs_of:
        (workshop.home / gate).touch()
    for job in jobs_of.values():
        workshop.settled(job)
    end(worker)

    spans = collector.spans()
    attempts = named(spans, "loop job")
    stages = named(spans, "waiting")
    assert sorted((span.attributes["workbench.outcome"], span.failed) for span in attempts) == [
        ("complete", False),
        ("complete", False),
        ("crashed", True),
    ]
    assert (stages[0].attributes["process.pid"], stages[0].failed) == (child, True)
    assert {span.parent_id for span in stages} == {span.span_id for span in attempts}
    assert len(named(spans, "queued")) == 2


def named(spans: list[SentSpan], name: str) -> list[SentSpan]:
    return [span for span in spans if span.name == name]


def end(worker: subprocess.Popen[str]) -> None:
    """End a worker in order, so that it sends what it has."""
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=240) == 0
