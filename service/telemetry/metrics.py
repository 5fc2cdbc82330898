"""Metrics for Prometheus: requests by family, pools, jobs, cache hits. They contain no account, key or amount.

Each HTTP and job process counts for itself. With `PROMETHEUS_MULTIPROC_DIR`, which `workbench serve` sets, the counters
are files in one folder, and any process answers for all of them. `service.jobs.queue_metrics` adds the queues.
"""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

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
IGNORED_EVENTS = Counter(
    "workbench_ignored_events", "Webhooks of types that have no effect, by route.", ("route",), registry=_own
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


def counted() -> bytes:
    """What the processes have counted, in the text format of Prometheus."""
    registry = _own
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
