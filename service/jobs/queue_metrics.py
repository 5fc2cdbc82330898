"""Metrics of the queues for Prometheus, beside what the processes have counted.

The queues and the workers that serve them are read from the database at each request, so every process on every machine
tells the same of them. What an autoscaler goes by, `workbench_queued_jobs`, `workbench_queued_seconds`,
`workbench_workers`, is there for every queue, also an empty one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from service.store import jobs
from service.store.jobs import Depth
from service.store.workers import Worker
from service.telemetry import metrics


def exposition(depths: Iterable[Depth], alive: Iterable[Worker] = ()) -> bytes:
    """All metrics in the text format of Prometheus."""
    queues = CollectorRegistry()
    queues.register(_Queues(list(depths), list(alive)))
    return metrics.counted() + generate_latest(queues)


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
        for queue in jobs.QUEUES:
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
