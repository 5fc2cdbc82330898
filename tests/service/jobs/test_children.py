"""What the process of a job gets from its parent: nothing that it has no use for."""

from __future__ import annotations

import json
import sys

import pytest

from service.jobs.children import ChildProcess

_SAY = "import json, os; print(json.dumps(dict(os.environ)), flush=True)"


def test_a_process_that_reads_strangers_files_knows_no_secret_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = (
        "WORKBENCH_WEBHOOK_SECRET",
        "WORKBENCH_LINK_SECRET",
        "WORKBENCH_API_KEY",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    )
    for name in (*secrets, "WORKBENCH_JOB_SLOTS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    child = ChildProcess((sys.executable, "-c", _SAY))
    said = b""
    while block := child.read():
        said += block
    assert child.reap() == 0
    environment = json.loads(said)
    assert [name for name in secrets if name in environment] == []
    assert environment["WORKBENCH_JOB_SLOTS"] == "2"
    assert environment["OPENBLAS_NUM_THREADS"] == "2"
