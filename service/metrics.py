"""Metrics for Prometheus: requests by family, queues, jobs, cache hits. They contain no account, key or amount.

Each HTTP and job process counts for itself. With `PROMETHEUS_MULTIPROC_DIR`, which `workbench serve` sets, the counters
are files in one folder, and any process answers for all of them. The queues are read from the database at each request.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from service.store.jobs import Depth

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # s
_own = CollectorRegistry()

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


def exposition(depths: Iterable[Depth]) -> bytes:
    """All metrics in the text format of Prometheus.

    Parameters
    ----------
    depths : the queues now, see `service.store.jobs.depths`
    """
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        counted = generate_latest(registry)
    else:
        counted = generate_latest(_own)
    return counted + generate_latest(_queues(depths))


def _queues(depths: Iterable[Depth]) -> CollectorRegistry:
    registry = CollectorRegistry()
    length = Gauge("workbench_queue_jobs", "Unsettled jobs.", ("queue", "kind", "state"), registry=registry)
    age = Gauge("workbench_queue_age_seconds", "Age of the oldest.", ("queue", "kind", "state"), registry=registry)
    for depth in depths:
        labels = (depth.queue, depth.kind, depth.state)
        length.labels(*labels).set(depth.count)
        since = datetime.now(UTC) - datetime.fromisoformat(depth.oldest_at)
        age.labels(*labels).set(max(0.0, since.total_seconds()))
    return registry
