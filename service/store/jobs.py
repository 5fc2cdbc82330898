"""Jobs: work that was accepted, and how it is claimed, kept alive and settled.

    queued ──claim──> running ──complete──> complete        waiting: queued, but not before a moment, or before the
      ^  ^               │  └────fail─────> failed          video it waits for is settled (`release`)
      │  └──give_back────┤
      └──── lease ends, or `crashed` ──> claimed again

A claim is one UPDATE over a SELECT ... FOR UPDATE SKIP LOCKED (SQLite, which lets one transaction write at a time,
leaves the locking words out). It carries a lease that `renew_lease` renews; when a process dies its leases end and
others take its jobs over. Whatever settles a job is fenced by (job, owner, attempt, running), so that a process that
was given up for dead and wakes again changes nothing; and the answer, the stored answer and the ledger row are written
in the transaction that settles the job. So a job is charged exactly once or not at all, whatever is killed when.

Fairness is in the claim: the account that has the fewest jobs running comes first, then the one that was served longest
ago, then the oldest job. Jobs of one `build` do not run side by side: the second finds what the first has stored.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from ulid import ULID

from service.prices import CALL, UNITS
from service.store import answers, ledger
from service.store.inserts import insert
from service.store.ledger import Charge
from service.store.moments import moment
from service.store.tables import idempotency_keys, jobs, turns
from workbench.store.database import now

State: TypeAlias = Literal["queued", "waiting", "running", "complete", "failed"]
Fields: TypeAlias = dict[str, Any]

MAIN, BEATS = "main", "beats"
"""the queues"""
OPEN = ("queued", "waiting", "running")
"""states of a job that is not settled"""
BACKGROUND = ("engine",)
"""kinds whose result nobody waits for"""
LONG = ("ingest", "engine")
"""kinds that may take as long as a video"""
QUEUED_STAGE = "queued"
LONGEST_WAIT_SECONDS = 3600.0
"""s that a job may be put off by; a moment that lies farther ahead is of a clock that was set back since"""
MOST_SKEW_SECONDS = 3600.0
"""s by which the clocks of two machines may differ; a lease that ends later by more is of a clock that was set back"""

_LATELY_SECONDS = 60.0  # in which what was tried is not tried again
_ACCEPTED = "job_accepted"  # the mark on a connection, as long as its transaction
_CHOICES_MARK = "#"
_CLAIM_LOCK = 0x636C6169  # PostgreSQL's advisory lock; any constant of our own


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a job failed, as its poll reports it."""

    status: int
    type: str
    message: str


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A result that later requests find without a job."""

    answer_key: str
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be accepted."""

    kind: str
    """see `service.jobs.kinds`"""
    queue: str
    account: str
    """empty for what belongs to all"""
    build: str
    """what is built, equal for jobs that one build serves"""
    choices: str = ""
    """which part of the result the caller wants to see; jobs that differ in it are different jobs of one build"""
    video_id: str | None = None
    track_id: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    endpoint: str = ""
    """that accepted it, as the ledger names it"""
    charge_key: str | None = None
    """event key of the charge that its completion books; empty: the job's own, None: no charge"""


@dataclass(frozen=True, slots=True)
class Job:
    """A row of the table."""

    job_id: str
    kind: str
    queue: str
    account: str
    build: str
    video_id: str | None
    track_id: str | None
    request: Fields
    charge: Charge | None
    state: State
    stage: str
    attempt: int
    """times it was claimed"""
    crashes: int
    """attempts that ended with the death of the process"""
    owner: str | None
    lease_until: str | None
    not_before: str | None
    answer: Fields | None
    fault: Fields | None
    """{status, type, message}"""
    created_at: str
    started_at: str | None
    finished_at: str | None

    @property
    def settled(self) -> bool:
        """Whether it is complete or failed."""
        return self.state not in OPEN


@dataclass(frozen=True, slots=True)
class Depth:
    """How much work of one kind is in one state."""

    queue: str
    kind: str
    state: State
    count: int
    oldest_at: str
    """when the oldest of them was accepted"""


def new_job_id() -> str:
    """A fresh id."""
    return f"job_{ULID()}"


def submit(connection: Connection, new: NewJob) -> Job:
    """Accept work: a new job, or the unsettled one of the same account, kind, build and choices.

    A second submit that also asks for a mix (`auto_mix`) makes the first job's request ask for it too.
    """
    # The unsettled job may settle between the two statements; then the next round inserts.
    accept = insert(connection, jobs).on_conflict_do_nothing().returning(jobs)
    while True:
        row = connection.execute(accept, _values(new)).first()
        if row is not None:
            connection.execution_options(**{_ACCEPTED: True})
            return _job(row)
        found = connection.execute(
            sa.select(jobs).where(
                jobs.c.account == new.account, jobs.c.kind == new.kind, jobs.c.build == _build(new), _is_open()
            )
        ).first()
        if found is not None:
            return _with_mix(connection, _job(found), new)


def has_accepted(connection: Connection) -> bool:
    """Whether a new job was accepted in this transaction, so that job processes are to be woken."""
    return _ACCEPTED in connection.get_execution_options()


def _values(new: NewJob) -> Fields:
    """The columns of a job that is accepted now."""
    job_id = new_job_id()
    charge = _charge(new, job_id)
    return {
        "job_id": job_id,
        "kind": new.kind,
        "queue": new.queue,
        "account": new.account,
        "build": _build(new),
        "video_id": new.video_id,
        "track_id": new.track_id,
        "request": _dumps(new.request),
        "charge": None if charge is None else _dumps(asdict(charge)),
        "state": "queued",
        "stage": QUEUED_STAGE,
        "attempt": 0,
        "crashes": 0,
        "created_at": now(),
    }


def _build(new: NewJob) -> str:
    """The column: the build, and after a mark the choices, which make jobs differ but not what they build."""
    return f"{new.build}{_CHOICES_MARK}{new.choices}" if new.choices else new.build


def _charge(new: NewJob, job_id: str) -> Charge | None:
    """The charge that completion books: of an ingest under the video's id, of everything else under the job's."""
    if new.charge_key is None:
        return None
    return Charge(
        account=new.account,
        endpoint=new.endpoint,
        subject=str(new.video_id) if new.kind == "ingest" else job_id,
        unit=UNITS.get(new.kind, CALL),
        event_key=new.charge_key or f"job:{job_id}",
    )


def _with_mix(connection: Connection, job: Job, new: NewJob) -> Job:
    if not new.request.get("auto_mix") or job.request.get("auto_mix"):
        return job
    request = job.request | {"auto_mix": True}
    change = jobs.update().where(jobs.c.job_id == job.job_id, _is_open()).values(request=_dumps(request))
    connection.execute(change)
    return replace(job, request=request)


def get(connection: Connection, job_id: str) -> Job | None:
    """The job of an id."""
    row = connection.execute(sa.select(jobs).where(jobs.c.job_id == job_id)).first()
    return None if row is None else _job(row)


def find_recently_settled(connection: Connection, kind: str, build: str, account: str) -> Job | None:
    """The job of an account, kind and build that was settled last, if that was within the last minute: too short a time
    ago to try again what failed.
    """
    after = moment(-_LATELY_SECONDS)
    ours = (jobs.c.build == build) & (jobs.c.kind == kind) & (jobs.c.account == account)
    query = sa.select(jobs).where(ours, jobs.c.finished_at > after).order_by(jobs.c.finished_at.desc())
    row = connection.execute(query.limit(1)).first()
    return None if row is None else _job(row)


def claim(
    connection: Connection, queues: Sequence[str], owner: str, lease_seconds: float, *, without: Sequence[str] = ()
) -> Job | None:
    """Claim the job whose turn it is, for so many seconds; None if there is none.

    Kinds in `without` are passed over; those of `BACKGROUND` come after all others. A job whose
    lease ended is taken over first; that its process died is counted in `crashes`.
    """
    if connection.dialect.name == "postgresql":
        # Two claims at once would not see each other's build, nor each other's turn.
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CLAIM_LOCK})
    at = now()
    moments = {**_moments(at, lease_seconds), "lease_end": moment(lease_seconds)}
    row = connection.execute(_claim(tuple(queues), owner, tuple(without)), moments).first()
    if row is None:
        return None
    turn = insert(connection, turns).values(queue=row.queue, account=row.account, served_at=at)
    connection.execute(turn.on_conflict_do_update(index_elements=["queue", "account"], set_={"served_at": at}))
    return _job(row)


def has_claimable(
    connection: Connection, queues: Sequence[str], owner: str, lease_seconds: float, *, without: Sequence[str] = ()
) -> bool:
    """Whether `claim` would find a job. Only reads, so that a worker may ask often."""
    query = _any_claimable(tuple(queues), owner, tuple(without))
    return connection.execute(query, _moments(now(), lease_seconds)).first() is not None


def _moments(at: str, lease_seconds: float) -> dict[str, str]:
    """What a claim compares with: the present, and the latest that a job can have been put off, or leased, until."""
    return {
        "at": at,
        "latest_wait": moment(LONGEST_WAIT_SECONDS),
        "latest_lease": moment(lease_seconds + MOST_SKEW_SECONDS),
    }


# A worker asks twenty times a second; putting a statement together costs more than running it.


class _Built(FunctionElement[str]):
    """What a job builds, of its column `build`: the text before the mark."""

    type = sa.String()
    inherit_cache = True


@compiles(_Built, "postgresql")
def _split(element: _Built, compiler: SQLCompiler, **how: Any) -> str:
    return f"split_part({compiler.process(element.clauses, **how)}, '{_CHOICES_MARK}', 1)"


@compiles(_Built, "sqlite")
def _cut(element: _Built, compiler: SQLCompiler, **how: Any) -> str:
    column = compiler.process(element.clauses, **how)
    return f"substr({column}, 1, instr({column} || '{_CHOICES_MARK}', '{_CHOICES_MARK}') - 1)"


@cache
def _claim(queues: tuple[str, ...], owner: str, without: tuple[str, ...]) -> Any:
    """UPDATE of the job whose turn it is; takes `_moments` and the moment `lease_end`."""
    taken_over = jobs.c.state == "running"
    return (
        jobs.update()
        .where(jobs.c.job_id == _whose_turn(queues, owner, without).scalar_subquery())
        .values(
            state="running",
            attempt=jobs.c.attempt + 1,
            crashes=jobs.c.crashes + sa.case((taken_over, 1), else_=0),
            owner=owner,
            lease_until=sa.bindparam("lease_end"),
            not_before=None,
            started_at=sa.func.coalesce(jobs.c.started_at, sa.bindparam("at")),
        )
        .returning(jobs)
    )


@cache
def _claimable(queues: tuple[str, ...], owner: str, without: tuple[str, ...]) -> sa.Select[Any]:
    """SELECT of the ids of jobs that may be claimed; takes `_moments`."""
    at, latest_wait, latest_lease = (
        sa.bindparam(name, type_=sa.String) for name in ("at", "latest_wait", "latest_lease")
    )
    running = jobs.alias("running")
    busy = sa.select(_Built(running.c.build)).where(running.c.state == "running")
    due = sa.or_(jobs.c.not_before <= at, jobs.c.not_before > latest_wait)
    ready = sa.or_(jobs.c.state == "queued", sa.and_(jobs.c.state == "waiting", due))
    # A worker never re-claims its own expired lease; it renews it.
    ended = sa.or_(jobs.c.lease_until < at, jobs.c.lease_until > latest_lease)
    abandoned = sa.and_(jobs.c.state == "running", ended, jobs.c.owner != owner)
    return sa.select(jobs.c.job_id).where(
        _is_open(),
        jobs.c.kind.not_in(without),
        jobs.c.queue.in_(queues),
        sa.or_(abandoned, sa.and_(ready, _Built(jobs.c.build).not_in(busy))),
    )


@cache
def _any_claimable(queues: tuple[str, ...], owner: str, without: tuple[str, ...]) -> sa.Select[Any]:
    return _claimable(queues, owner, without).limit(1)


def _whose_turn(queues: tuple[str, ...], owner: str, without: tuple[str, ...]) -> sa.Select[Any]:
    running = jobs.alias("busy")
    busy = (
        sa.select(running.c.queue, running.c.account, sa.func.count().label("jobs"))
        .where(running.c.state == "running")
        .group_by(running.c.queue, running.c.account)
        .subquery("accounts_busy")
    )
    joined = jobs.outerjoin(busy, sa.and_(busy.c.queue == jobs.c.queue, busy.c.account == jobs.c.account)).outerjoin(
        turns, sa.and_(turns.c.queue == jobs.c.queue, turns.c.account == jobs.c.account)
    )
    return (
        _claimable(queues, owner, without)
        .select_from(joined)
        .order_by(
            sa.case((jobs.c.kind.in_(BACKGROUND), 1), else_=0),
            sa.case((jobs.c.state == "running", 0), else_=1),
            sa.func.coalesce(busy.c.jobs, 0),
            sa.func.coalesce(turns.c.served_at, ""),
            jobs.c.created_at,
            jobs.c.job_id,
        )
        .limit(1)
        .with_for_update(skip_locked=True, of=jobs)
    )


def renew_lease(connection: Connection, job: Job, lease_seconds: float, stage: str) -> bool:
    """Renew a lease and note the job's stage; False if the job is no longer ours."""
    return _change(connection, job, lease_until=moment(lease_seconds), stage=stage)


def complete(
    connection: Connection,
    job: Job,
    answer: Mapping[str, Any],
    *,
    billed: bool,
    quantity: int | None = None,
    stored: Iterable[StoredAnswer] = (),
) -> bool:
    """Settle a job with its answer, keep what later requests find, and book its charge, all in this transaction.

    Parameters
    ----------
    job : as it was claimed
    answer : what the poll tells
    billed : whether the job's charge is booked, where it has one
    quantity : calls or minutes; None: what the charge says
    stored : results for later requests

    Returns
    -------
    bool : False where the job is no longer ours, or asks for more than when it was claimed; nothing was changed then
    """
    done = _change(
        connection,
        job,
        jobs.c.request == _dumps(job.request),
        state="complete",
        answer=_dumps(answer),
        lease_until=None,
        finished_at=now(),
    )
    if not done:
        return False
    for one in stored:
        answers.store(connection, one.answer_key, one.kind, one.body)
    if billed and job.charge is not None:
        charge = job.charge if quantity is None else replace(job.charge, quantity=quantity)
        ledger.charge(connection, charge)
    return True


def fail(connection: Connection, job: Job, fault: Fault) -> bool:
    """Settle a job that cannot be done; nothing is booked. False where the job is no longer ours."""
    return _change(connection, job, state="failed", fault=_dumps(asdict(fault)), lease_until=None, finished_at=now())


def give_back(connection: Connection, job: Job) -> bool:
    """Put a job back into its queue, for another process to run; False where it is no longer ours."""
    return _change(connection, job, state="queued", stage=QUEUED_STAGE, owner=None, lease_until=None)


def put_back_crashed(connection: Connection, job: Job) -> bool:
    """Put back a job that killed its process, and count the crash; False if it is no longer ours."""
    return _change(
        connection,
        job,
        state="queued",
        stage=QUEUED_STAGE,
        owner=None,
        lease_until=None,
        crashes=jobs.c.crashes + 1,
    )


def postpone(connection: Connection, job: Job, seconds: float, *, begun: bool = True) -> bool:
    """Put back a job that cannot go on yet, to be claimed again later; False if it is no longer ours.

    Parameters
    ----------
    job : as it was claimed
    seconds : from now; at most `LONGEST_WAIT_SECONDS`
    begun : whether anything was tried; if not, the attempt does not count
    """
    return _change(
        connection,
        job,
        state="waiting",
        stage=QUEUED_STAGE,
        attempt=jobs.c.attempt - (0 if begun else 1),
        owner=None,
        lease_until=None,
        not_before=moment(seconds),
    )


def release(connection: Connection, video_id: str) -> int:
    """Queue the jobs that wait for a video; returns how many there were."""
    waiting = (jobs.c.video_id == video_id) & (jobs.c.state == "waiting")
    return connection.execute(jobs.update().where(waiting).values(state="queued", not_before=None)).rowcount


def expire(connection: Connection, queue: str, older_than: str) -> int:
    """Fail the jobs of a queue that were accepted before a moment and never claimed; returns how many."""
    fault = Fault(422, "invalid_request", "the job waited in its queue for too long and was given up; submit it again")
    stale = (jobs.c.queue == queue) & (jobs.c.state == "queued") & (jobs.c.created_at < older_than)
    change = jobs.update().where(stale, jobs.c.attempt == 0)
    done = connection.execute(change.values(state="failed", fault=_dumps(asdict(fault)), finished_at=now()))
    return done.rowcount


def delete_settled(connection: Connection, settled_before: str, most: int) -> int:
    """Delete jobs that were settled before a moment, at most so many; returns how many.

    A job that an Idempotency-Key still names is kept: a repeat of the call answers with it.
    """
    stale = (
        sa.select(jobs.c.job_id)
        .where(jobs.c.finished_at < settled_before, jobs.c.job_id.not_in(sa.select(idempotency_keys.c.job_id)))
        .order_by(jobs.c.finished_at)
        .limit(most)
    )
    return connection.execute(jobs.delete().where(jobs.c.job_id.in_(stale))).rowcount


def depths(connection: Connection) -> list[Depth]:
    """The unsettled jobs by queue, kind and state."""
    groups = (jobs.c.queue, jobs.c.kind, jobs.c.state)
    query = (
        sa.select(*groups, sa.func.count(), sa.func.min(jobs.c.created_at))
        .where(_is_open())
        .group_by(*groups)
        .order_by(*groups)
    )
    return [Depth(*row) for row in connection.execute(query)]


def unsettled_ids(connection: Connection) -> set[str]:
    """The ids of all jobs that are not settled."""
    return set(connection.scalars(sa.select(jobs.c.job_id).where(_is_open())))


def _is_open() -> sa.ColumnElement[bool]:
    """Spelled as the partial indexes spell it, which is how both databases know that they apply."""
    return sa.literal_column("jobs.state IN ('queued', 'waiting', 'running')", sa.Boolean)


def _change(connection: Connection, job: Job, *more: sa.ColumnElement[bool], **values: Any) -> bool:
    """Change a job that is still ours as it was claimed."""
    fence = (
        jobs.c.job_id == job.job_id,
        jobs.c.owner == job.owner,
        jobs.c.attempt == job.attempt,
        jobs.c.state == "running",
    )
    return connection.execute(jobs.update().where(*fence, *more).values(**values)).rowcount == 1


def _job(row: Row[Any]) -> Job:
    values = dict(row._mapping)
    values["request"] = json.loads(values["request"])
    values["charge"] = None if values["charge"] is None else Charge(**json.loads(values["charge"]))
    values["answer"] = None if values["answer"] is None else json.loads(values["answer"])
    values["fault"] = None if values["fault"] is None else json.loads(values["fault"])
    return Job(**values)


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
