"""Metrics for Prometheus: requests by family, queues, pools, jobs, cache hits. They contain no account, key or amount.

Each HTTP and job process counts for itself. With `PROMETHEUS_MULTIPROC_DIR`, which `workbench serve` sets, the counters
are files in one folder, and any process answers for all of them. The queues and the workers that serve them are read
from the database at each request, so every process on every machine tells the same of them. What an autoscaler goes by,
`workbench_queued_jobs`, `workbench_queued_seconds`, `workbench_workers`, is there for every queue, also an empty one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import MultiProcessValue

from service.store import jobs
from service.store.jobs import Depth
from service.store.workers import Worker

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # s
_own = CollectorRegistry()
_process = os.getpid()


def _note_process() -> None:
    global _process
    _process = os.getpid()


# The library asks the kernel for the process's id whenever it counts; a fork is when it changes.
os.register_at_fork(after_in_child=_note_process)
if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
    values.ValueClass = MultiProcessValue(lambda: _process)  # type: ignore[no-untyped-call]

REQUESTS = Counter(
    "workbench_requests",
    "Requests answered, by family, method and status.",
    ("family", "method", "status"),
    registry=_own,
)
LATENCY = Histogram(
    "workbench_request_seconds", "Time to answer, by family.", ("family",), buckets=_BUCKETS, registry=_own
)
ANSWERS = Counter(
    "workbench_answers",
    "Answers of match, align and loop, by source.",
    ("family", "source"),
    registry=_own,
)
JOBS = Counter("workbench_jobs", "Jobs settled, by kind and outcome.", ("kind", "outcome"), registry=_own)
JOB_SECONDS = Histogram(
    "workbench_job_seconds",
    "Time from accepting a job to settling it, by kind.",
    ("kind",),
    buckets=(0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0),
    registry=_own,
)
# Of the one job process that counts here: under `serve` the newest, after others died.
POOL_SLOTS = Gauge(
    "workbench_pool_slots",
    "Jobs that this worker runs at a time.",
    ("queue",),
    registry=_own,
    multiprocess_mode="mostrecent",
)
POOL_BUSY = Gauge(
    "workbench_pool_busy_slots",
    "Jobs that this worker runs now.",
    ("queue",),
    registry=_own,
    multiprocess_mode="mostrecent",
)


def count_request(family: str, method: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    requests, latency = _of_requests(family, method, status)
    requests.inc()
    latency.observe(seconds)


def count_answer(family: str, source: str) -> None:
    """Count an answer of match, align or loop; `source` is stored or work."""
    _of_answers(family, source).inc()


@cache  # looking a counter up by its labels costs as much as counting; there are a few hundred of them at most
def _of_requests(family: str, method: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(family, method, str(status)), LATENCY.labels(family)


@cache
def _of_answers(family: str, source: str) -> Counter:
    return ANSWERS.labels(family, source)


def exposition(depths: Iterable[Depth], alive: Iterable[Worker] = ()) -> bytes:
    """All metrics in the text format of Prometheus."""
    counted, queues = _own, CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    queues.register(_Queues(list(depths), list(alive)))
    return generate_latest(counted) + generate_latest(queues)


class _Queues(Collector):
    """The queues as they are now. No `Gauge`: what one is set to stays, in the folder and in the process, for ever."""

    def __init__(self, depths: Sequence[Depth], alive: Sequence[Worker]) -> None:
        self._depths = depths
        self._alive = alive

    def collect(self) -> Iterator[Metric]:
        """The metrics."""
        yield from self._by_state()
        length = GaugeMetricFamily("workbench_queued_jobs", "Jobs that wait for a free slot.", labels=("queue",))
        age = GaugeMetricFamily(
            "workbench_queued_seconds", "Time since the oldest of them was accepted.", labels=("queue",)
        )
        serving = GaugeMetricFamily(
            "workbench_workers", "Workers that are alive and serve the queue.", labels=("queue",)
        )
        for queue in (jobs.MAIN, jobs.BEATS, jobs.FETCH):
            queued = [depth for depth in self._depths if (depth.queue, depth.state) == (queue, "queued")]
            length.add_metric((queue,), sum(depth.count for depth in queued))
            age.add_metric((queue,), max((_age(depth) for depth in queued), default=0.0))
            serving.add_metric((queue,), sum(queue in worker.queues for worker in self._alive))
        yield from (length, age, serving)

    def _by_state(self) -> Iterator[Metric]:
        names = ("queue", "kind", "state")
        length = GaugeMetricFamily("workbench_queue_jobs", "Unsettled jobs.", labels=names)
        age = GaugeMetricFamily("workbench_queue_age_seconds", "Age of the oldest.", labels=names)
        for depth in self._depths:
            labels = (depth.queue, depth.kind, depth.state)
            length.add_metric(labels, depth.count)
            age.add_metric(labels, _age(depth))
        yield from (length, age)


def _age(depth: Depth) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(depth.oldest_at)).total_seconds())
