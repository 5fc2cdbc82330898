"""Clocks that jump, and machines whose clocks differ: nothing is lost, run for nothing or charged twice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Workshop

HOUR = 3600
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What gives a process a clock of its own."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    made = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    source = Path(__file__).with_name("shifted_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"], check=True)
    return made


class Clock:
    """The clock of the workers that are started from now on."""

    def __init__(self, workshop: Workshop, library: Path, file: Path) -> None:
        self._file = file
        self.set(0)
        workshop.settings |= {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(file)}

    def set(self, seconds: int) -> None:
        """Let it be ahead by so much, at once."""
        whole = self._file.with_suffix(".new")
        whole.write_text(str(seconds))
        whole.replace(self._file)


@pytest.mark.parametrize("jump", [2 * HOUR, -2 * HOUR], ids=["forward", "back"])
def test_a_jump_while_a_job_runs_changes_nothing(workshop: Workshop, library: Path, tmp_path: Path, jump: int) -> None:
    clock, gate = Clock(workshop, library, tmp_path / "clock"), tmp_path / "gate"
    workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    held = workshop.staged(job, "waiting")
    clock.set(jump)
    workshop.wait_for(lambda: _apart(workshop.read(job).lease_until, held.lease_until), "a lease by the new clock")
    gate.touch()
    done = workshop.settled(job)
    assert (done.state, done.attempt, done.crashes, done.owner) == ("complete", 1, 0, held.owner)
    (later,) = workshop.submit({})
    assert workshop.settled(later).state == "complete"
    assert [entry.subject for entry in workshop.ledger()] == [job.job_id, later.job_id]


def _apart(first: str | None, second: str | None) -> bool:
    """Whether two times differ in their hour."""
    assert first is not None
    assert second is not None
    return first[:13] != second[:13]


def test_a_job_that_was_put_off_does_not_wait_for_a_clock_that_was_set_back(
    workshop: Workshop, library: Path, tmp_path: Path
) -> None:
    clock = Clock(workshop, library, tmp_path / "clock")
    clock.set(2 * HOUR)
    workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "no store"}, kind="align")
    workshop.wait_for(lambda: workshop.read(job).state in ("waiting", "complete"), "it is tried and put off")
    clock.set(0)
    assert workshop.settled(job).state == "complete"
    assert len(workshop.ledger()) == 1


@pytest.mark.slow
def test_two_machines_whose_clocks_differ_charge_once(workshop: Workshop, library: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    workshop.ready(workshop.start())
    (job,) = workshop.submit({"do": "wait", "gate": str(gate)})
    held = workshop.staged(job, "waiting")
    Clock(workshop, library, tmp_path / "clock").set(HOUR)
    workshop.start()  # to which every lease of the other one seems to have ended
    workshop.wait_for(lambda: workshop.read(job).owner != held.owner, "the job is taken over")
    workshop.wait_for(lambda: "job lost" in workshop.log(), "the other one notices")
    gate.touch()
    assert workshop.settled(job).state == "complete"
    assert len(workshop.ledger()) == 1
