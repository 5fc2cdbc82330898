"""A job's process whose jobs are tiny and do what their request says; everything around them is the real thing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from service.jobs.child import main
from service.jobs.kind import Context, JobFault, Outcome
from service.jobs.kinds import KINDS
from service.store import jobs
from service.store.jobs import Job, StoredAnswer
from workbench.errors import StoreError


def run(job: Job, context: Context) -> Outcome:
    if job.queue == jobs.FETCH:
        return Outcome({}, billed=False, queue=KINDS[job.kind].queue)
    match job.request.get("do", "answer"):
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "spin":
            context.stage("spinning")
            while True:
                pass
        case "hoard":
            kept = bytearray(8 * 2**30)
            return Outcome({"bytes": len(kept)}, billed=True)
        case "fault":
            raise JobFault(422, "it cannot be done")
        case "error":
            raise ZeroDivisionError("a mistake of ours")
        case "no store":
            if job.attempt == 1:
                raise StoreError("no space left on device")
        case "wait":
            context.stage("waiting")
            while not Path(job.request["gate"]).exists():  # the test makes it
                time.sleep(0.01)
        case "revision":
            return Outcome({"revision": context.revision}, billed=True)
    answer = {"attempt": job.attempt, "scratch": context.scratch.is_dir()}
    facts = {"content_hash": job.request.get("hash", "00")}
    return Outcome(answer, billed=True, stored=(StoredAnswer(f"tiny:{job.build}", "tiny", answer),), facts=facts)


if __name__ == "__main__":
    main(lambda: (run, os.environ.get("TINY_REVISION") or Path(os.environ["TINY_REVISION_FILE"]).read_text()))
