"""What a job hands to its parent survives being written as JSON."""

from __future__ import annotations

import json

from service.jobs.kind import JobFault, Outcome
from service.store.jobs import StoredAnswer


def test_an_outcome_is_read_as_it_was_written() -> None:
    outcome = Outcome(
        {"status": "complete"}, True, 3, (StoredAnswer("key", "loop", {"plan": None}),), {"seconds": 61.0}
    )
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome
    plain = Outcome({}, billed=False)
    assert Outcome.from_json(json.loads(json.dumps(plain.to_json()))) == plain
    assert plain.quantity == 1


def test_a_fault_has_a_status_and_a_sentence() -> None:
    fault = JobFault(422, "the track has no beats")
    assert (fault.status, str(fault)) == (422, "the track has no beats")
