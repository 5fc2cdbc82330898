"""Exactly once, whatever is killed when: four workers, 500 tiny jobs, SIGKILL to workers and to their children."""

from __future__ import annotations

import random
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from service.store import tables

pytestmark = pytest.mark.slow  # hundreds of jobs on two databases, with processes killed all the while

if TYPE_CHECKING:
    from .conftest import Workshop

JOBS = 500
KILLS = 6


def settled(workshop: Workshop) -> int:
    with workshop.database.read() as connection:
        done = sa.select(sa.func.count()).where(tables.jobs.c.state.in_(("complete", "failed")))
        return connection.scalar(done) or 0


def test_every_job_settles_and_is_charged_once(workshop: Workshop) -> None:
    chance = random.Random(6)
    workshop.lease = 15.0  # whoever is late on a busy machine is not taken for dead
    given = workshop.submit(*({} for _ in range(JOBS)))
    crew = [workshop.start() for _ in range(4)]
    for number in range(KILLS):
        mark = JOBS * (number + 1) // (KILLS + 2)
        workshop.wait_for(lambda mark=mark: settled(workshop) >= mark, f"{mark} jobs settled")  # type: ignore[misc]
        place = chance.randrange(len(crew))
        victim, children = crew[place], workshop.children_of(crew[place])
        if number % 2 and children:
            workshop.kill(chance.choice(children))
        else:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            crew[place] = workshop.start()
    workshop.wait_for(lambda: settled(workshop) == JOBS, "all jobs settled")
    states = Counter(workshop.read(job).state for job in given)
    assert states == {"complete": JOBS}
    booked = Counter(entry.subject for entry in workshop.ledger())
    assert booked == Counter(job.job_id for job in given)
    assert sum(workshop.read(job).crashes for job in given) <= KILLS
