"""Bugs that the simulation has to find: each is a small change of the service's source, made in a copy of it.

`python -m tests.service.simulation.planted` plants one after the other and prints by which seed each was found.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Bug:
    """One change."""

    name: str
    file: str
    before: str
    """occurs once in the file"""
    after: str
    rare: bool = False
    """found only by many lives, or by a test of its module too: `make accidents` looks for it, the suite does not"""


_TRANSACTIONS = "service/store/transactions.py"
_JOBS, _LEDGER, _GRANTS = "service/store/jobs.py", "service/store/ledger.py", "service/store/credit_grants.py"
_EVENTS = "service/money/events.py"
_FENCE = """        jobs.c.owner == job.owner,
        jobs.c.attempt == job.attempt,
        jobs.c.state == "running",
"""
_SETTLED = """    if not done:
        return False
    for one in stored:"""
_TWO_TRANSACTIONS = """    if not done:
        return False
    connection.connection.dbapi_connection.execute("COMMIT")
    connection.connection.dbapi_connection.execute("BEGIN IMMEDIATE")
    for one in stored:"""
_UNHEARD = "                    return  # the others cannot be settled either, until the database answers again"

BUGS = (
    Bug("whoever lost a job may still settle it", _JOBS, _FENCE, ""),
    Bug("a job is settled and charged in two transactions", _JOBS, _SETTLED, _TWO_TRANSACTIONS),
    Bug("what is not to be billed is billed", _JOBS, "if billed and job.charge", "if job.charge"),
    Bug("a job that is postponed is never due", _JOBS, 'sa.and_(jobs.c.state == "waiting", due)', "sa.false()"),
    Bug("jobs of dead workers are not taken over", _JOBS, "sa.or_(abandoned, sa.and_(ready", "sa.or_(sa.and_(ready"),
    Bug(
        "a job taken over counts as crashed",
        _JOBS,
        "            attempt=jobs.c.attempt + 1,\n            owner=owner,",
        "            attempt=jobs.c.attempt + 1,\n"
        '            crashes=jobs.c.crashes + sa.case((jobs.c.state == "running", 1), else_=0),\n'
        "            owner=owner,",
    ),
    Bug("a mix that is asked for later is forgotten", _JOBS, "        jobs.c.request == _dumps(job.request),\n", ""),
    Bug("jobs of one build run side by side", _JOBS, "sa.and_(ready, _Built(jobs.c.build).not_in(busy))", "ready"),
    Bug(
        "an account may be given all slots while others wait",
        _JOBS,
        "            sa.func.coalesce(busy.c.jobs, 0),\n",
        "",
    ),
    Bug(
        "an event that was booked draws credit again",
        _LEDGER,
        '    if not _book(connection, "charge", charge, amount, at):\n        return False\n',
        '    _book(connection, "charge", charge, amount, at)\n',
        rare=True,
    ),
    Bug(
        "a charge is missing in the month's total",
        _LEDGER,
        '    connection.execute(_ADD_TO_MONTH, {"account": charge.account, "month": month, "micros": amount})\n',
        "    pass\n",
    ),
    Bug(
        "credit that expires last is drawn first",
        _GRANTS,
        "_DRAWN_IN_ORDER = (credit_grants.c.expires_at.is_(None), credit_grants.c.expires_at,",
        "_DRAWN_IN_ORDER = (credit_grants.c.expires_at.is_not(None), credit_grants.c.expires_at.desc(),",
    ),
    Bug(
        "expired credit is drawn",
        _GRANTS,
        'credit_grants.c.expires_at.is_(None) | (credit_grants.c.expires_at > sa.bindparam("at"))',
        'sa.bindparam("at") != ""',
    ),
    Bug("a month is a year", _LEDGER, "time[:7]", "time[:4]"),
    Bug(
        "the cap may be passed by one call",
        "service/money/funds.py",
        "found.spent >= cap or found.spent + found.reserved_in_month + micros > cap",
        "found.spent > cap",
    ),
    Bug(
        "what open jobs reserve does not count against the cap",
        "service/money/funds.py",
        "found.spent + found.reserved_in_month + micros > cap",
        "found.spent + micros > cap",
    ),
    Bug(
        "what open jobs reserve does not count against credit",
        "service/money/funds.py",
        "found.credit < found.reserved + micros",
        "found.credit < micros",
    ),
    Bug(
        "a webhook is applied as often as it is sent",
        "service/money/events.py",
        "    if not _is_new(connection, webhook_id):\n        return False\n",
        "    _is_new(connection, webhook_id)\n",
    ),
    Bug(
        "the end of one account's credit is the end of all credit",
        _GRANTS,
        """        credit_grants.c.account == sa.bindparam("sought"),
        credit_grants.c.expires_at.is_(None)""",
        """        sa.bindparam("sought") != "",
        credit_grants.c.expires_at.is_(None)""",
        rare=True,
    ),
    Bug(
        "a job is shown to whoever knows its id",
        "service/answers/answer.py",
        """    if job.account != call.account:
        raise forbidden("job")
""",
        "",
    ),
    Bug(
        "accounts share Idempotency-Keys",
        "service/store/idempotency_keys.py",
        "        idempotency_keys.c.account == account,\n",
        "",
    ),
    Bug(
        "an account learns what others had mapped",
        "service/jobs/kinds.py",
        "mapped_recordings.c.account == job.account",
        'mapped_recordings.c.account != ""',
    ),
    Bug(
        "a revoked key is accepted",
        "service/store/api_keys.py",
        "in (row.revoked_at, row.expires_at)",
        "in (row.expires_at,)",
    ),
    Bug(
        "what a call has changed is read as it was",
        "service/store/shared_reads.py",
        "if statement.is_dml:",
        "if False:",
        rare=True,
    ),
    Bug(
        "what others have changed is read as it was",
        "service/store/shared_reads.py",
        "version != options.get(_VERSION)",
        "_VERSION not in options",
    ),
    Bug(
        "what a call wrote that was refused goes with the others' commit",
        _TRANSACTIONS,
        "savepoint.rollback()",
        "savepoint.commit()",
        rare=True,
    ),
    Bug(
        "a file is copied to its place instead of renamed",
        "workbench/store/stored_files.py",
        "            os.replace(path, target)\n",
        """            data = path.read_bytes()
            target.write_bytes(data[:100])
            with target.open("ab") as file:
                file.write(data[100:])
""",
        rare=True,
    ),
    Bug(
        "uploads are deleted before they are ingested",
        "service/jobs/sweep.py",
        "now(-settings.upload_seconds - _GRACE_SECONDS)",
        "now(-5.0)",
    ),
    Bug(
        "settled jobs are forgotten after an hour",
        "service/jobs/sweep.py",
        "now(-settings.job_retention_seconds)",
        "now(-3600.0)",
    ),
    Bug(
        "a result that cannot be written at once is dropped",
        "service/jobs/worker.py",
        _UNHEARD,
        "                    self._unsettled.remove(one)\n                    return",
        rare=True,
    ),
    Bug(
        "what a job said while its worker was held up is not read",
        "service/jobs/worker.py",
        "            self._handle_ready(0.0)\n",
        "            pass\n",
        rare=True,
    ),
    Bug(
        "a claim that failed and is in the database is not given up",
        "service/jobs/worker.py",
        "                if self._claim_in_doubt:",
        "                if False:",
        rare=True,
    ),
    Bug(
        "a video whose ingest failed stays in process",
        "service/jobs/kinds.py",
        '        video_owners.update(connection, video_id, "processing", status="failed", reason=message)\n',
        "",
    ),
    Bug(
        "runs of a job share their working files",
        "service/jobs/worker.py",
        "job.job_id / f\"{job.attempt}.{self.owner.rpartition(':')[2]}\"",
        'job.job_id / "run"',
        rare=True,
    ),
    Bug(
        "an event undoes what happened after it",
        _EVENTS,
        "if happened_at is None or _advance",
        "if True or (lambda *_: 0)",
        rare=True,
    ),
    Bug(
        "an expiry that comes late ends what was granted since",
        _EVENTS,
        "at, at, due_by, granted_by)",
        "at, at, due_by, None)",
        rare=True,
    ),
    Bug(
        "an ingest is run again without its upload",
        "service/jobs/kinds.py",
        'if job.request.get("storage_key"):',
        "if False:",
        rare=True,
    ),
)


def copy_with(bug: Bug, folder: Path) -> None:
    """Write the source with a bug into an empty folder; what does not change is linked."""
    for package in ("service", "workbench", "tests"):
        for path in (ROOT / package).rglob("*"):
            relative = path.relative_to(ROOT)
            if "__pycache__" in relative.parts or not path.is_file() or (package == "tests" and path.suffix != ".py"):
                continue
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            (folder / relative).symlink_to(path)
    source = (ROOT / bug.file).read_text()
    if source.count(bug.before) != 1:
        raise LookupError(f"{bug.name}: the text to change occurs {source.count(bug.before)} times in {bug.file}")
    (folder / bug.file).unlink()
    (folder / bug.file).write_text(source.replace(bug.before, bug.after))


def hunt(bug: Bug, seeds: str, seconds: float = 600.0) -> tuple[int | None, str]:
    """Run the simulation on a copy with a bug; the number of seeds until it was found, None if it was not, and how."""
    folder = Path(tempfile.mkdtemp(prefix="planted-"))
    try:
        copy_with(bug, folder)
        done = subprocess.run(
            [sys.executable, "-m", "tests.service.simulation.run", "--seeds", seeds],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"not found in {seconds:.0f} s"
    finally:
        shutil.rmtree(folder)
    found = re.search(r"^seeds lived: (\d+)$", done.stdout, re.MULTILINE)
    words = (done.stdout.splitlines() or done.stderr.splitlines() or ["nothing"])[0]
    if done.returncode not in (0, 1) or (done.returncode == 1 and found is None):
        raise RuntimeError(f"{bug.name}: {done.stderr[-2000:]}")
    return (int(found[1]) if found and done.returncode == 1 else None), words


def main() -> int:
    """Entry point; 1 if a bug was not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:400", help="FIRST:END")
    parser.add_argument("--only", default="", help="part of a bug's name")
    given = parser.parse_args()
    missed = 0
    for bug in BUGS:
        if given.only not in bug.name:
            continue
        seeds, words = hunt(bug, given.seeds)
        missed += seeds is None
        print(f"{bug.name:58} {'-' if seeds is None else seeds:>5}  {words[:150]}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
