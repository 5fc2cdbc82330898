"""A year of accidents: the service's own code in a made-up world keeps its promises, and breaks them where it should.

See `tests/service/simulation/run.py` for how to replay a seed. `make accidents` lives many more, and plants the bugs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.simulation.planted import BUGS, hunt

ROOT = Path(__file__).parents[3]


def simulate(seeds: str, timeout: float = 900.0) -> str:
    """What the simulation prints, in a process of its own: its faults are those of a whole process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.simulation.run", "--seeds", seeds],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def history(printed: str) -> str:
    """The digest of all that happened."""
    found = re.search(r"history ([0-9a-f]+)$", printed.strip())
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_nothing_that_was_promised_is_broken_in_a_few_lives() -> None:
    assert "seeds lived: 3," in simulate("0:3")


@pytest.mark.slow
def test_a_seed_gives_the_same_history_again() -> None:
    assert history(simulate("3:4")) == history(simulate("3:4"))


def test_a_planted_bug_is_found() -> None:
    bug = next(one for one in BUGS if one.name == "whoever lost a job may still settle it")
    seeds, _ = hunt(bug, "0:20")
    assert seeds is not None


def test_each_bug_can_be_planted() -> None:
    """The texts that are changed are in the sources as they are now."""
    counts = {bug.name: (ROOT / bug.file).read_text().count(bug.before) for bug in BUGS}
    assert {name: count for name, count in counts.items() if count != 1} == {}
    assert len(BUGS) >= 20
