"""Metrics in the text format of Prometheus: queues as they are, counters by family."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.values import MultiProcessValue

from service.jobs.queue_metrics import exposition
from service.store.jobs import Depth
from service.store.workers import Worker
from service.telemetry import metrics
from workbench.store.clock import now


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process, which counts for itself."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)


def samples(*depths: Depth, alive: Sequence[Worker] = ()) -> dict[str, float]:
    lines = exposition(depths, alive).decode().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


def test_queues_have_their_length_and_the_age_of_their_oldest() -> None:
    waiting = Depth("interactive", "loop", "queued", 3, now(-60))
    found = samples(waiting, Depth("batch", "beats", "running", 1, now(9)))
    assert found['workbench_queue_jobs{kind="loop",queue="interactive",state="queued"}'] == 3
    age = found['workbench_queue_age_seconds{kind="loop",queue="interactive",state="queued"}']
    assert age == pytest.approx(60, abs=5)
    assert found['workbench_queue_age_seconds{kind="beats",queue="batch",state="running"}'] == 0


def test_counters_go_up_by_family() -> None:
    name = 'workbench_requests_total{family="of this test",method="GET",status="200"}'
    assert name not in samples()
    metrics.REQUESTS.labels("of this test", "GET", "200").inc()
    metrics.REQUESTS.labels("of this test", "GET", "200").inc()
    assert samples()[name] == 2


def test_an_autoscaler_finds_every_queue_also_an_empty_one() -> None:
    depths = [
        Depth("main", "loop", "queued", 3, now(-60)),
        Depth("main", "align", "queued", 2, now(-90)),
        Depth("main", "align", "running", 1, now(-900)),
    ]
    alive = [Worker("a", ("main", "fetch"), ""), Worker("b", ("main", "beats"), "")]
    found = samples(*depths, alive=alive)
    assert [found[f'workbench_queued_jobs{{queue="{queue}"}}'] for queue in ("main", "beats", "fetch")] == [5, 0, 0]
    assert found['workbench_queued_seconds{queue="main"}'] == pytest.approx(90, abs=5)
    assert found['workbench_queued_seconds{queue="beats"}'] == 0
    assert [found[f'workbench_workers{{queue="{queue}"}}'] for queue in ("main", "beats", "fetch")] == [2, 1, 1]


def test_what_is_asked_for_leaves_nothing_behind_in_the_process_or_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(values, "ValueClass", MultiProcessValue())  # type: ignore[no-untyped-call]
    depths = [Depth("main", "loop", "queued", 3, now(-60))]
    exposition(depths)
    blocks = []
    for _ in range(2):
        for _ in range(50):
            said = exposition(depths).decode()
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    assert blocks[1] - blocks[0] < 500  # 2,500 while they were gauges
    assert list(tmp_path.iterdir()) == []
    assert said.count('workbench_queued_jobs{queue="main"} 3.0') == said.count("workbench_queued_jobs{") / 4 == 1
