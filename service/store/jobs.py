"""Jobs: accepted work, and how it is claimed, held and settled.

    queued ──claim──> running ──complete──> complete        waiting: may be claimed after `not_before`, or once the
      ^  ^               │  └────fail─────> failed          video that it waits for is settled (`release`)
      │  └──give_back────┤
      └─ lease ends, or put_back_crashed ─> claimed again

A claim is one UPDATE over a SELECT ... FOR UPDATE SKIP LOCKED (for SQLite, which allows one writing transaction at a
time, without the locking clause). It holds a lease that `renew_lease` extends; when a process dies its leases end and
others take over its jobs. Each settlement of a job is fenced by (job, owner, attempt, running), so a process that was
taken for dead and resumes changes nothing: the function that it calls returns False. The answer, the stored answer and
the ledger row are written in the transaction that settles the job. So a job is charged exactly once or not at all,
whichever process is killed and when.

Fairness is part of the claim: the account with the fewest running jobs in the queue comes first, then jobs that were
left by a dead worker, then the account that was served longest ago, then the oldest job. So where others wait for a
slot, no account is given more than half of the queue's slots, rounded up: an account with so many and one with no fewer
have all of them. No claim needs to know how many slots there are on all machines. Jobs of one `build` do not run at the
same time: the second finds what the first has stored.

Functions take a connection whose transaction the caller owns.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from ulid import ULID

from service.prices import CALL
from service.store import answers, ledger, notices
from service.store.inserts import insert
from service.store.ledger import Charge
from service.store.tables import idempotency_keys, jobs, turns
from service.telemetry.traces import parse_traceparent
from workbench.store.database import now

State: TypeAlias = Literal["queued", "waiting", "running", "complete", "failed"]
Fields: TypeAlias = dict[str, Any]

MAIN, BEATS, LONG_BEATS, FETCH = "main", "beats", "long beats", "fetch"
"""the queues; a job that needs a file from elsewhere is in `FETCH` first, whose slots no analysis waits for"""
QUEUES = (MAIN, BEATS, LONG_BEATS, FETCH)
OPEN = ("queued", "waiting", "running")
"""states of a job that is not settled"""
QUEUED_STAGE = "queued"
"""stage of a job that is not running"""
FETCHING_STAGE = "fetching"
"""stage of a job whose file is being fetched, or has been"""
LONGEST_WAIT_SECONDS = 3600.0
"""s that a job may be postponed by; a `not_before` farther in the future is from before the clock was set back"""
MOST_SKEW_SECONDS = 3600.0
"""s by which the clocks of two machines may differ; a lease that ends later than that is from before the clock was set
back"""
RECENT_SECONDS = 60
"""s after a job was settled, in which it is not tried again"""

_QUEUED = {"state": "queued", "stage": QUEUED_STAGE, "owner": None, "lease_until": None}  # columns
_ACCEPTED = "job_accepted"  # execution option of a connection, until it is asked for
_CHOICES_MARK = "#"  # between build and choices in the column `build`
_TRACEPARENT = "traceparent"  # in the column `request`, beside the submit's body
_CLAIM_LOCK = 0x636C6169  # PostgreSQL's advisory lock; any constant of our own


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a job failed, as its poll reports it."""

    status: int
    type: str
    message: str


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A result that later requests find without running a job."""

    answer_key: str
    kind: str
    body: Mapping[str, Any]
    video_hash: str | None = None
    """of the video that it is about; None: of none"""


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be accepted."""

    kind: str
    """a name of `service.jobs.kinds`"""
    queue: str
    """in which it begins"""
    account: str
    """empty: work for all accounts"""
    build: str
    """names the result, mostly by its cache key; equal for jobs that have the same result"""
    choices: str = ""
    """the part of the result that the caller wants; jobs of one build with other choices are different jobs"""
    video_id: str | None = None
    track_id: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    endpoint: str = ""
    """that accepted it, as the ledger writes it"""
    unit: str = CALL
    """by which it is sold"""
    subject: str | None = None
    """of its charge; None: the job's id"""
    charge_key: str | None = None
    """event key of the charge that its completion books; empty: derived from the job's id, None: no charge"""
    key_id: str | None = None
    """of the call"""
    traceparent: str | None = None
    """the place in a trace of the call that first asked for it, see `service.telemetry.traces`"""


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
    """attempts that ended with the death of the process while its worker lived"""
    owner: str | None
    lease_until: str | None
    not_before: str | None
    answer: Fields | None
    fault: Fields | None
    """{status, type, message}"""
    created_at: str
    started_at: str | None
    finished_at: str | None
    reserved_micros: int = 0
    """of the account's money, until it is settled"""
    reserved_at: str | None = None
    key_id: str | None = None

    @property
    def traceparent(self) -> str | None:
        """The place in a trace of the call that first asked for it; None if no call did."""
        found: str | None = self.request.get(_TRACEPARENT)
        return found

    @property
    def trace_id(self) -> str | None:
        """Id of that trace, for log lines."""
        trace = None if self.traceparent is None else parse_traceparent(self.traceparent)
        return None if trace is None else trace.trace_id

    @property
    def settled(self) -> bool:
        """Whether it is complete or failed."""
        return self.state not in OPEN


@dataclass(frozen=True, slots=True)
class Depth:
    """The unsettled jobs of one queue, kind and state."""

    queue: str
    kind: str
    state: State
    count: int
    oldest_at: str
    """time at which the oldest of them was accepted"""


def new_job_id() -> str:
    """A new id: `job_` and a ULID."""
    return f"job_{ULID()}"


def submit(connection: Connection, new: NewJob, *, reserved_micros: int = 0) -> Job:
    """Accept work: a new job, or the unsettled one of the same account, kind, build and choices.

    A new job reserves `reserved_micros`. If only the second submit asks for a mix (`auto_mix`), the unsettled job is
    changed to make one.
    """
    # The unsettled job may settle between the two statements; then the next round inserts.
    accept = insert(connection, jobs).on_conflict_do_nothing().returning(jobs)
    while True:
        row = connection.execute(accept, _values(new, reserved_micros)).mappings().first()
        if row is not None:
            connection.execution_options(**{_ACCEPTED: True})
            notices.send(connection)
            return _job(row)
        same = (jobs.c.account == new.account, jobs.c.kind == new.kind, jobs.c.build == _build(new))
        found = connection.execute(sa.select(jobs).where(*same, _is_open())).mappings().first()
        if found is not None:
            return _with_mix(connection, _job(found), new)


def take_accepted(connection: Connection) -> bool:
    """Whether `submit` has accepted a new job since this was last asked, so that job processes must be woken."""
    accepted = bool(connection.get_execution_options().get(_ACCEPTED))
    if accepted:
        connection.execution_options(**{_ACCEPTED: False})
    return accepted


def _values(new: NewJob, reserved_micros: int) -> Fields:
    """The columns of a job that is accepted now."""
    job_id, accepted_at = new_job_id(), now()
    charge = _charge(new, job_id)
    request = dict(new.request)
    if new.traceparent is not None:
        request[_TRACEPARENT] = new.traceparent
    return {
        "job_id": job_id,
        "kind": new.kind,
        "queue": new.queue,
        "account": new.account,
        "build": _build(new),
        "video_id": new.video_id,
        "track_id": new.track_id,
        "request": _dumps(request),
        "charge": None if charge is None else _dumps(_stored(charge)),
        "state": "queued",
        "stage": QUEUED_STAGE,
        "attempt": 0,
        "crashes": 0,
        "created_at": accepted_at,
        "reserved_micros": reserved_micros,
        "reserved_at": accepted_at if reserved_micros else None,
        "key_id": new.key_id,
    }


def _stored(charge: Charge) -> Fields:
    """A charge as a row holds it, which a version without the column `key_id` reads too."""
    fields = asdict(charge)
    del fields["key_id"]
    return fields


def _build(new: NewJob) -> str:
    """The column `build`: the build, then after a mark the choices, if there are any."""
    return f"{new.build}{_CHOICES_MARK}{new.choices}" if new.choices else new.build


def _charge(new: NewJob, job_id: str) -> Charge | None:
    """The charge that completion books."""
    if new.charge_key is None:
        return None
    return Charge(
        account=new.account,
        endpoint=new.endpoint,
        subject=new.subject or job_id,
        unit=new.unit,
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
    """The job of an id; None if there is no such job."""
    row = connection.execute(_BY_ID, {"sought": job_id}).mappings().first()
    return None if row is None else _job(row)


def find(
    connection: Connection, *, account: str | None = None, states: Sequence[str] = (), most: int | None = None
) -> list[Job]:
    """Jobs, the newest first; without a condition all of them."""
    query = sa.select(jobs).order_by(jobs.c.created_at.desc(), jobs.c.job_id.desc()).limit(most)
    if account is not None:
        query = query.where(jobs.c.account == account)
    if states:
        query = query.where(jobs.c.state.in_(states))
    return [_job(row) for row in connection.execute(query).mappings()]


def take(connection: Connection, job_id: str, owner: str) -> Job | None:
    """Take over a job that is not settled, from any worker: what that one writes of it changes nothing any more.

    `owner` settles it instead, in the same transaction. None if it is settled, or there is no such job.
    """
    change = jobs.update().where(jobs.c.job_id == job_id, _is_open())
    values = {"state": "running", "owner": owner, "attempt": jobs.c.attempt + 1, "lease_until": now()}
    row = connection.execute(change.values(**values).returning(jobs)).mappings().first()
    return None if row is None else _job(row)


def queue_again(connection: Connection, job: Job, queue: str) -> bool:
    """Queue a failed job in a queue as if it had just been accepted; its charge is booked when it completes.

    False if it is no longer failed, or another job does the same work already; nothing is changed then.
    """
    twin = jobs.alias("twin")
    open_twin = sa.select(twin.c.job_id).where(
        twin.c.account == job.account,
        twin.c.kind == job.kind,
        twin.c.build == sa.select(jobs.c.build).where(jobs.c.job_id == job.job_id).scalar_subquery(),
        twin.c.state.in_(OPEN),
    )
    if connection.execute(open_twin).first() is not None:
        return False
    notices.send(connection)
    change = jobs.update().where(jobs.c.job_id == job.job_id, jobs.c.state == "failed")
    changed = connection.execute(
        change.values(
            state="queued",
            queue=queue,
            stage=QUEUED_STAGE,
            attempt=0,
            crashes=0,
            owner=None,
            not_before=None,
            fault=None,
            created_at=now(),
            finished_at=None,
            reserved_at=sa.case((jobs.c.reserved_micros > 0, now()), else_=sa.null()),
        )
    )
    return changed.rowcount == 1


def find_recently_settled(connection: Connection, kind: str, build: str, account: str) -> Job | None:
    """The last settled job without choices, if it was settled within the last minute: too soon to try again.

    An empty account stands for work for all accounts.
    """
    after = now(-RECENT_SECONDS)
    ours = (jobs.c.build == build) & (jobs.c.kind == kind) & (jobs.c.account == account)
    query = sa.select(jobs).where(ours, jobs.c.finished_at > after).order_by(jobs.c.finished_at.desc())
    row = connection.execute(query.limit(1)).mappings().first()
    return None if row is None else _job(row)


def claim(
    connection: Connection,
    queues: Sequence[str],
    owner: str,
    lease_seconds: float,
    *,
    kinds: Sequence[str] | None = None,
    last: Sequence[str] = (),
) -> Job | None:
    """Claim the next job.

    A job whose lease has ended is taken over; until then it does not count as running for its account. Nothing is
    counted as a crash: its worker was killed or lost the database, which may happen to any job.

    The lease ends after `lease_seconds`, unless it is renewed. Only `kinds` are claimed (None: all), those in `last`
    after all others. Returns the claimed job, None if there is none.
    """
    if connection.dialect.name == "postgresql":
        # Two claims at once would not see each other's build, nor each other's turn.
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CLAIM_LOCK})
    times = {**_times(lease_seconds), "lease_end": now(lease_seconds)}
    row = connection.execute(_claim(tuple(queues), owner, _few(kinds), tuple(last)), times).mappings().first()
    if row is None:
        return None
    served = {"served_at": times["now"]}
    turn = insert(connection, turns).values(queue=row.queue, account=row.account, **served)
    connection.execute(turn.on_conflict_do_update(index_elements=["queue", "account"], set_=served))
    return _job(row)


def has_claimable(
    connection: Connection,
    queues: Sequence[str],
    owner: str,
    lease_seconds: float,
    *,
    kinds: Sequence[str] | None = None,
) -> bool:
    """Whether `claim` would find a job. It only reads, so a worker can call it often."""
    query = _any_claimable(tuple(queues), owner, _few(kinds))
    return connection.execute(query, _times(lease_seconds)).first() is not None


def _few(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if kinds is None else tuple(kinds)


def _times(lease_seconds: float) -> dict[str, str]:
    """The times that a claim compares with: now, and the latest possible end of a wait and of a lease."""
    return {
        "now": now(),
        "latest_wait": now(LONGEST_WAIT_SECONDS),
        "latest_lease": now(lease_seconds + MOST_SKEW_SECONDS),
    }


_BY_ID = sa.select(jobs).where(jobs.c.job_id == sa.bindparam("sought"))  # every poll runs it

# A worker looks for jobs up to twenty times a second, and building a statement costs more than running it. So the
# statements are cached.


class _Built(FunctionElement[str]):
    """The build in a job's column `build`: the text before the mark."""

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
def _claim(queues: tuple[str, ...], owner: str, kinds: tuple[str, ...] | None, last: tuple[str, ...]) -> Any:
    """UPDATE that claims the next job; takes the parameters `_times` and `lease_end`."""
    return (
        jobs.update()
        .where(jobs.c.job_id == _whose_turn(queues, owner, kinds, last).scalar_subquery())
        .values(
            state="running",
            attempt=jobs.c.attempt + 1,
            owner=owner,
            lease_until=sa.bindparam("lease_end"),
            not_before=None,
            started_at=sa.func.coalesce(jobs.c.started_at, sa.bindparam("now")),
        )
        .returning(jobs)
    )


def _has_ended(table: Any, owner: str) -> sa.ColumnElement[bool]:
    """Whether the lease of a running job has ended; a worker never re-claims its own expired lease, it renews it."""
    now, latest_lease = (sa.bindparam(name, type_=sa.String) for name in ("now", "latest_lease"))
    return sa.and_(sa.or_(table.c.lease_until < now, table.c.lease_until > latest_lease), table.c.owner != owner)


@cache
def _claimable(queues: tuple[str, ...], owner: str, kinds: tuple[str, ...] | None) -> sa.Select[Any]:
    """SELECT of the ids of jobs that may be claimed; takes the parameters `_times`."""
    now, latest_wait = (sa.bindparam(name, type_=sa.String) for name in ("now", "latest_wait"))
    running = jobs.alias("running")
    busy = sa.select(_Built(running.c.build)).where(running.c.state == "running")
    due = sa.or_(jobs.c.not_before <= now, jobs.c.not_before > latest_wait)
    ready = sa.or_(jobs.c.state == "queued", sa.and_(jobs.c.state == "waiting", due))
    abandoned = sa.and_(jobs.c.state == "running", _has_ended(jobs, owner))
    return sa.select(jobs.c.job_id).where(
        _is_open(),
        sa.true() if kinds is None else jobs.c.kind.in_(kinds),
        jobs.c.queue.in_(queues),
        sa.or_(abandoned, sa.and_(ready, _Built(jobs.c.build).not_in(busy))),
    )


@cache
def _any_claimable(queues: tuple[str, ...], owner: str, kinds: tuple[str, ...] | None) -> sa.Select[Any]:
    return _claimable(queues, owner, kinds).limit(1)


def _whose_turn(
    queues: tuple[str, ...], owner: str, kinds: tuple[str, ...] | None, last: tuple[str, ...]
) -> sa.Select[Any]:
    running = jobs.alias("busy")
    busy = (
        sa.select(running.c.queue, running.c.account, sa.func.count().label("jobs"))
        .where(running.c.state == "running", sa.not_(_has_ended(running, owner)))
        .group_by(running.c.queue, running.c.account)
        .subquery("accounts_busy")
    )
    joined = jobs.outerjoin(busy, sa.and_(busy.c.queue == jobs.c.queue, busy.c.account == jobs.c.account)).outerjoin(
        turns, sa.and_(turns.c.queue == jobs.c.queue, turns.c.account == jobs.c.account)
    )
    return (
        _claimable(queues, owner, kinds)
        .select_from(joined)
        .order_by(
            sa.case((jobs.c.kind.in_(last), 1), else_=0),
            sa.func.coalesce(busy.c.jobs, 0),
            sa.case((jobs.c.state == "running", 0), else_=1),
            sa.func.coalesce(turns.c.served_at, ""),
            jobs.c.created_at,
            jobs.c.job_id,
        )
        .limit(1)
        .with_for_update(skip_locked=True, of=jobs)
    )


def renew_lease(connection: Connection, job: Job, lease_seconds: float, stage: str) -> bool:
    """Renew the lease of a job and record its stage; False if the job is no longer ours."""
    return _change(connection, job, lease_until=now(lease_seconds), stage=stage)


def complete(
    connection: Connection,
    job: Job,
    answer: Mapping[str, Any],
    *,
    billed: bool,
    quantity: int | None = None,
    stored: Iterable[StoredAnswer] = (),
) -> bool:
    """Settle a job with its answer, store its results for later requests, and book its charge, in one transaction.

    `quantity` is in calls or minutes; None is that of the charge. Also False if the job was extended after it was
    claimed (`submit`). Raises ParameterError if the endpoint is not sold by the unit of the charge.
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
        answers.store(connection, one.answer_key, one.kind, one.body, one.video_hash)
    if billed and job.charge is not None:
        charge = replace(job.charge, quantity=job.charge.quantity if quantity is None else quantity, key_id=job.key_id)
        # not as it was claimed: it may have been reserved while it ran
        reserved_at = connection.scalar(sa.select(jobs.c.reserved_at).where(jobs.c.job_id == job.job_id))
        ledger.charge(connection, charge, reserved_at=reserved_at)
    return True


def reserve(connection: Connection, job: Job, micros: int) -> bool:
    """Set the money that a running job reserves of its account, in place of its earlier reservation.

    It counts in the month of the first reservation.
    """
    return _change(connection, job, reserved_micros=micros, reserved_at=sa.func.coalesce(jobs.c.reserved_at, now()))


def fail(connection: Connection, job: Job, fault: Fault) -> bool:
    """Settle a job that cannot be done; no charge is booked."""
    return _change(connection, job, state="failed", fault=_dumps(asdict(fault)), lease_until=None, finished_at=now())


def give_back(connection: Connection, job: Job) -> bool:
    """Put a job back into its queue, for another process to run."""
    return _change(connection, job, **_QUEUED)


def put_back_crashed(connection: Connection, job: Job) -> bool:
    """Put back a job that killed its process, and count the crash."""
    return _change(connection, job, **_QUEUED, crashes=jobs.c.crashes + 1)


def hand_over(connection: Connection, job: Job, queue: str) -> bool:
    """Queue a running job again, in the queue in which it goes on; after a fetch its stage stays `FETCHING_STAGE`."""
    notices.send(connection)
    stage = FETCHING_STAGE if job.queue == FETCH else QUEUED_STAGE
    return _change(connection, job, state="queued", queue=queue, stage=stage, owner=None, lease_until=None)


def postpone(connection: Connection, job: Job, seconds: float, *, begun: bool = True) -> bool:
    """Put back a job that cannot go on yet, to be claimed again later.

    `seconds` are at most `LONGEST_WAIT_SECONDS`; if the job was not `begun`, the attempt is not counted.
    """
    return _change(
        connection,
        job,
        state="waiting",
        stage=QUEUED_STAGE,
        attempt=jobs.c.attempt - (0 if begun else 1),
        owner=None,
        lease_until=None,
        not_before=now(seconds),
    )


def give_up_unknown(connection: Connection, owner: str, known: Collection[str]) -> int:
    """Queue again what a worker holds and does not know, after a claim that seemed to fail; returns how many jobs.

    No other worker takes such a job over before its lease has ended, and its owner never does. `known` are the ids of
    the jobs that the worker runs or has still to settle.
    """
    unknown = (jobs.c.owner == owner) & (jobs.c.state == "running") & jobs.c.job_id.not_in(known)
    queued = jobs.update().where(unknown).values(**_QUEUED)
    return connection.execute(queued).rowcount


def release(connection: Connection, video_id: str) -> int:
    """Queue the jobs that wait for a video; returns how many waited."""
    waiting = (jobs.c.video_id == video_id) & (jobs.c.state == "waiting")
    notices.send(connection)
    return connection.execute(jobs.update().where(waiting).values(state="queued", not_before=None)).rowcount


def expire(connection: Connection, kind: str, seconds: float) -> int:
    """Fail the jobs of a kind that were accepted so long ago and never run; returns how many failed.

    Fetching its file does not run a job.
    """
    fault = Fault(422, "invalid_request", "the job waited in its queue for too long and was given up; submit it again")
    stale = (jobs.c.kind == kind) & (jobs.c.state == "queued") & (jobs.c.created_at < now(-seconds))
    # The fetch is a claim too; only a job that was handed over after it is queued in this stage.
    never_run = (jobs.c.attempt == 0) | (jobs.c.stage == FETCHING_STAGE)
    change = jobs.update().where(stale, never_run)
    done = connection.execute(change.values(state="failed", fault=_dumps(asdict(fault)), finished_at=now()))
    return done.rowcount


def delete_settled(connection: Connection, settled_before: str, most: int) -> int:
    """Delete jobs that were settled long ago, the oldest first; returns how many.

    A job that an Idempotency-Key stands for stays: a repeat of the call returns it.
    """
    stale = (
        sa.select(jobs.c.job_id)
        .where(jobs.c.finished_at < settled_before, jobs.c.job_id.not_in(sa.select(idempotency_keys.c.job_id)))
        .order_by(jobs.c.finished_at)
        .limit(most)
    )
    return connection.execute(jobs.delete().where(jobs.c.job_id.in_(stale))).rowcount


def of_video(connection: Connection, video_id: str) -> list[Job]:
    """All jobs on a video that are remembered, the oldest first."""
    query = sa.select(jobs).where(jobs.c.video_id == video_id).order_by(jobs.c.created_at, jobs.c.job_id)
    return [_job(row) for row in connection.execute(query).mappings()]


def delete_of_video(connection: Connection, video_id: str) -> int:
    """Delete the settled jobs on a video; returns their number."""
    settled = (jobs.c.video_id == video_id) & jobs.c.state.not_in(OPEN)
    return connection.execute(jobs.delete().where(settled)).rowcount


def waiting_in(connection: Connection, queue: str) -> set[str]:
    """The ids of the jobs that wait in a queue."""
    waiting = (jobs.c.queue == queue) & jobs.c.state.in_(("queued", "waiting"))
    return set(connection.scalars(sa.select(jobs.c.job_id).where(waiting)))


def reserved_by(connection: Connection, account: str) -> int:
    """Micro-dollars that the open jobs of an account reserve."""
    query = sa.select(sa.func.coalesce(sa.func.sum(jobs.c.reserved_micros), 0))
    return int(connection.scalar(query.where(jobs.c.account == account, _is_open())) or 0)


def depths(connection: Connection) -> list[Depth]:
    """How many jobs are not settled, and when the oldest was accepted, by queue, kind and state, in this order."""
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
    """Written like the condition of the partial indexes, because both databases use an index only if they match."""
    return sa.literal_column("jobs.state IN ('queued', 'waiting', 'running')", sa.Boolean)


def _change(connection: Connection, job: Job, *more: sa.ColumnElement[bool], **values: Any) -> bool:
    """Change a job if it is still ours and as it was claimed; False if it is not."""
    fence = (
        jobs.c.job_id == job.job_id,
        jobs.c.owner == job.owner,
        jobs.c.attempt == job.attempt,
        jobs.c.state == "running",
    )
    return connection.execute(jobs.update().where(*fence, *more).values(**values)).rowcount == 1


def _job(row: RowMapping) -> Job:
    values = dict(row)
    values["request"] = json.loads(values["request"])
    values["charge"] = None if values["charge"] is None else Charge(**json.loads(values["charge"]))
    values["answer"] = None if values["answer"] is None else json.loads(values["answer"])
    values["fault"] = None if values["fault"] is None else json.loads(values["fault"])
    return Job(**values)


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
