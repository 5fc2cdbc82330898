"""The job parent: claims jobs, runs each in a process of its own, and settles them.

It imports no analysis code and never computes; one loop waits for messages of its children, for time and for signals.

- Each queue has its own slots, fetching too: a slow source holds up other downloads at most, and beats of long sound
  others of long sound. No file is fetched while as many wait as there are slots.
- Children stay warm: their imports are done, and a child that ended a job cleanly gets the next one. A child that
  was killed, died or ran out of memory is replaced.
- While a job runs its lease is renewed, well before it ends. If a lease was not renewed in time, another process
  has taken over the job, and the child is killed.
- A child that dies takes a second to count: if the worker is ended in that second, both were ended from outside, and
  the job goes back to its queue as if nothing had happened.
- A job past its deadline is ended by killing its child: nothing else stops a decoder.
- A write that failed because the database was busy or unavailable is repeated until it succeeds or the job is lost.
- What waits for files of a store, the sweep and the deletion of what was fetched, runs in threads: the loop with
  its heartbeats waits for the database alone.
- After SIGTERM no job is claimed; running jobs may finish for some seconds, then they are given back to the queue.
- A pipe (`service.processes.wakeup`) wakes it when this machine has accepted work, and on PostgreSQL a notice
  (`service.store.notices`) when another has. It also looks in the database once a second, for jobs that were postponed.
  Without a pipe or notices it looks at short intervals, which grow while it finds nothing.
"""

from __future__ import annotations

import math
import selectors
import shutil
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import structlog
from sqlalchemy import Connection

from service.jobs import settle
from service.jobs.children import Child
from service.jobs.kind import Outcome
from service.jobs.kinds import BACKGROUND, KINDS, LONG
from service.jobs.spans import JobSpans
from service.jobs.sweep import sweep
from service.processes.signals import drain, on_shutdown
from service.processes.wakeup import WakeupPipe
from service.settings import ServiceSettings
from service.store import jobs, notices, shared_values, workers
from service.store.jobs import Job
from service.telemetry import metrics
from service.telemetry.spans import Spans
from workbench.errors import StoreError, WorkbenchError
from workbench.store.clock import monotonic_seconds, utc_now
from workbench.store.database import Database, is_refused
from workbench.store.home import Home
from workbench.store.stored_files import StoredFiles

_FIRST_LOOK_SECONDS = 0.05  # between looks for new jobs, just after there was one and while there are free slots
_LAST_LOOK_SECONDS = 1.0  # the same after a while without new jobs, or if there is a pipe
_LOOK_GROWTH = 1.25
_HEARTBEATS_PER_LEASE = 6  # renewals that may fail before a lease ends
_RETRY_SECONDS = 0.5  # before another try after the database failed
_COMPLAINT_SECONDS = 60.0  # between two lines on the same outage
_NO_HEARTBEAT = "no heartbeat"
_WARM = {jobs.FETCH: 1, jobs.LONG_BEATS: 0}  # children to start before they are needed; of other queues, one a slot
_JOBS_A_CHILD = 500  # after which a child is replaced: a bound on leaks in libraries
_FORGET_SECONDS = 3600.0  # after which a worker that is silent is no longer listed
_SWEEP_SECONDS = 3600.0  # between sweeps
_SWEEP_ON_SECONDS = 5.0  # the same if the last sweep left rows, or no file can be fetched before the next
_CRASH_SECONDS = 1.0  # between the death of a child and its count as a crash of its job
_LEAVE_SECONDS = 2.0  # at the end, for the deletions that have begun
_RESTART_SECONDS = 1.0  # before a child is started to replace one that died before it was ready

_HANDED_OVER = "handed over"
_ENDS = ("complete", "failed", "overran")
"""outcomes after which a job does not run again; leftovers of all others are swept"""

log = structlog.get_logger("service.jobs")

Settlement = Callable[[Connection], bool]


@dataclass
class _Unsettled:
    """A job that has ended, and how to settle it."""

    job: Job
    outcome: str
    write: Settlement
    """returns False if the job is no longer ours, or its request has been extended since"""
    crash_at: float | None = None
    """monotonic s from which on the death of its child counts as a crash; None: it ended otherwise"""
    problem: str | None = None
    """why it did not succeed, for the log"""


class StoreThread:
    """Runs calls that wait for a store, one by one in a daemon thread; a later sweep does what it leaves undone."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._given: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def give(self, work: Callable[[], None]) -> None:
        """Have something done soon."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._given.put(work)

    def stop(self) -> None:
        """End after the calls given so far."""
        self._given.put(None)

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not for long."""
        if self._thread is not None:
            self._thread.join(max(0.0, seconds))

    def _run(self) -> None:
        while (work := self._given.get()) is not None:
            try:
                work()
            except Exception:  # the next is done all the same
                log.exception("failed", thread=self._name)


@dataclass
class JobParent:
    """One job parent."""

    home: Home
    database: Database
    settings: ServiceSettings
    slots: Mapping[str, int]
    """jobs of each queue that run at a time"""
    files: StoredFiles
    on_ready: Callable[[], None] = lambda: None
    """called once, when the first child is ready"""
    wakeup: WakeupPipe = field(default_factory=lambda: WakeupPipe(None))
    """readable when there may be work"""
    make_child: Callable[[Home, str], Child] = Child
    make_store_thread: Callable[[str], StoreThread] = StoreThread
    """runs calls that wait for files of a store"""
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    """on which `step` waits; closed by `run`"""
    spans: Spans | None = None
    """where the spans of jobs are sent; None: nowhere"""
    owner: str = field(default_factory=workers.new_owner)

    _children: list[Child] = field(default_factory=list, init=False)
    _unsettled: list[_Unsettled] = field(default_factory=list, init=False)
    _stop_at: float | None = field(default=None, init=False)
    _next_heartbeat: float = field(default=0.0, init=False)
    _next_look: float = field(default=0.0, init=False)
    _look_pause: float = field(default=_FIRST_LOOK_SECONDS, init=False)
    _next_child: float = field(default=0.0, init=False)
    _next_sweep: float = field(default=0.0, init=False)
    _claim_in_doubt: bool = field(default=False, init=False)
    """whether a claim failed that may be in the database all the same"""
    _complaints: dict[str, float] = field(default_factory=dict, init=False)
    """when each thing that fails is due to be logged again"""
    _leaving: set[str] = field(default_factory=set, init=False)
    """fetched files that are about to be deleted"""
    _revision: str | None = field(default=None, init=False)
    _revision_written: bool = field(default=False, init=False)
    _announced: bool = field(default=False, init=False)
    _counted: Counter[str] | None = field(default=None, init=False)
    """busy slots by queue, as the metrics have them"""

    def __post_init__(self) -> None:
        self._notices = notices.Listener(self.database.url)
        self._traced = JobSpans(self.spans)
        self._sweeper, self._remover = self.make_store_thread("sweep"), self.make_store_thread("remove")

    def run(self) -> None:
        """Work until SIGTERM or SIGINT, then drain."""
        with self.selector, on_shutdown(self.selector, self.begin_shutdown):
            self.start()
            try:
                while not self.is_done:
                    self.step()
            finally:
                self.stop()

    def start(self) -> None:
        """What comes before the first step."""
        if self.wakeup.enabled:
            self.selector.register(self.wakeup, selectors.EVENT_READ)
        self._clear_scratch()
        self._listen()

    def _listen(self) -> None:
        """Begin to listen for notices, also again after the connection was lost."""
        if not self._notices.connected and self._notices.connect():
            self.selector.register(self._notices.fileno(), selectors.EVENT_READ, self._notices)

    def _hear(self, selected: selectors.SelectorKey) -> None:
        if not self._notices.drain():
            self.selector.unregister(selected.fileobj)
        self._look_soon()

    def begin_shutdown(self) -> None:
        """Claim no job from now on; running ones may finish for some seconds."""
        if self._stop_at is None:
            self._stop_at = monotonic_seconds() + self.settings.job_drain_seconds

    @property
    def is_done(self) -> bool:
        """Whether it is to end, and nothing runs any more or its time is over."""
        if self._stop_at is None:
            return False
        busy = bool(self._unsettled) or any(child.job is not None for child in self._children)
        return not busy or monotonic_seconds() >= self._stop_at

    def step(self) -> None:
        """Do what is due, start what can be started, then wait for messages, signals or the next deadline."""
        now = monotonic_seconds()
        if now >= self._next_heartbeat:
            self._send_heartbeat()
        if now >= self._next_sweep:
            self._sweep()
        self._write_unsettled()
        self._end_overdue(now)
        if self._stop_at is None:
            self._keep_children(now)
            if now >= self._next_look:
                self._fill_slots()
        self._count_slots()
        self._handle_ready(self._seconds_to_wait())

    def _handle_ready(self, seconds: float) -> None:
        """Handle ready pipes and signals, after at most so many seconds."""
        for selected, _ in self.selector.select(seconds):
            if isinstance(selected.fileobj, Child):
                self._read_messages(selected.fileobj)
            elif isinstance(selected.fileobj, WakeupPipe):
                selected.fileobj.drain()
                self._look_soon()
            elif isinstance(selected.fileobj, socket.socket):
                drain(selected.fileobj)
            elif selected.data is self._notices:
                self._hear(selected)

    def _seconds_to_wait(self) -> float:
        """Seconds until the next heartbeat, deadline or look for jobs."""
        due = [self._next_heartbeat, *(child.deadline for child in self._children if child.job is not None)]
        if self._stop_at is not None:
            due.append(self._stop_at)
        elif self._free_queues():
            due.append(self._next_look)
        now = monotonic_seconds()
        due += [now + _RETRY_SECONDS if one.crash_at is None else max(now, one.crash_at) for one in self._unsettled]
        return max(0.0, min(due) - monotonic_seconds())

    def _count_slots(self) -> None:
        """Report busy slots to the metrics, if they have changed."""
        busy = Counter(child.pool for child in self._children if child.job is not None)
        if busy != self._counted:
            self._counted = busy
            for queue, slots in self.slots.items():
                metrics.POOL_SLOTS.labels(queue).set(slots)
                metrics.POOL_BUSY.labels(queue).set(busy[queue])

    # Claiming

    def _free_queues(self) -> list[str]:
        """Queues that have a free slot."""
        busy = [child.pool for child in self._children if child.job is not None]
        busy += [one.job.queue for one in self._unsettled]
        return [queue for queue, slots in self.slots.items() if busy.count(queue) < slots]

    def _claimed_kinds(self) -> tuple[str, ...]:
        """Kinds to run now: one slot is for short jobs, and one background job runs at a time.

        A newer version beside this one may know more kinds; their jobs are left to it.
        """
        kinds = [child.job.kind for child in self._children if child.job is not None and child.pool != jobs.FETCH]
        postponed = BACKGROUND if any(kind in BACKGROUND for kind in kinds) else ()
        if sum(kind in LONG for kind in kinds) >= max(1, self.slots.get(jobs.MAIN, 0) - 1):
            postponed = LONG
        return tuple(kind for kind in KINDS if kind not in postponed)

    def _wanted(self) -> list[tuple[list[str], tuple[str, ...]]]:
        """Queues to claim from now, and the kinds to claim; empty without a free slot."""
        free = self._free_queues()
        running = [queue for queue in free if queue != jobs.FETCH]
        fetching = [queue for queue in free if queue == jobs.FETCH and not self._has_fetched_enough()]
        return [one for one in ((running, self._claimed_kinds()), (fetching, tuple(KINDS))) if one[0]]

    def _has_fetched_enough(self) -> bool:
        """Whether as many fetched files wait as there are slots; what settled jobs have left is swept soon then."""
        try:
            names = [file.name for file in self.files.folder("fetched").iterdir()]
        except OSError:  # not made yet, or not readable, which the fetch reports
            return False
        waiting = sum(1 for name in names if not name.startswith(".") and name not in self._leaving)
        if waiting < sum(self.slots.values()):
            return False
        with self.database.read() as connection:  # those of long sound wait for a slot of their own
            waiting -= len(jobs.waiting_in(connection, jobs.LONG_BEATS).intersection(names))
        if waiting < sum(self.slots.values()):
            return False
        if self._next_sweep < math.inf:
            self._next_sweep = min(self._next_sweep, monotonic_seconds() + _SWEEP_ON_SECONDS)
        return True

    def _look_soon(self) -> None:
        self._next_look, self._look_pause = 0.0, _FIRST_LOOK_SECONDS

    def _fill_slots(self) -> None:
        self._look_pause = min(_LAST_LOOK_SECONDS, _LOOK_GROWTH * self._look_pause)
        woken = self.wakeup.enabled or self._notices.connected
        self._next_look = monotonic_seconds() + (_LAST_LOOK_SECONDS if woken else self._look_pause)
        try:
            while wanted := self._wanted():
                lease = self.settings.job_lease_seconds
                if self._claim_in_doubt:
                    self._give_up_unknown()
                with self.database.read() as connection:
                    found = [
                        (queues, kinds)
                        for queues, kinds in wanted
                        if jobs.has_claimable(connection, queues, self.owner, lease, kinds=kinds)
                    ]
                if not found:
                    return
                queues, kinds = found[0]
                self._claim_in_doubt = True
                with self.database.write() as connection:
                    self._expire(connection)
                    job = jobs.claim(connection, queues, self.owner, lease, kinds=kinds, last=BACKGROUND)
                    blocked = job is not None and settle.settle_if_blocked(connection, job)
                self._claim_in_doubt = False
                if job is None or blocked:
                    continue
                self._look_pause = _FIRST_LOOK_SECONDS
                self._start(job)
        except StoreError as error:
            self._complain("cannot claim", error)
            self._next_look = monotonic_seconds() + _RETRY_SECONDS

    def _give_up_unknown(self) -> None:
        known = {child.job.job_id for child in self._children if child.job is not None}
        known |= {one.job.job_id for one in self._unsettled}
        with self.database.write() as connection:
            given_up = jobs.give_up_unknown(connection, self.owner, known)
        self._claim_in_doubt = False
        if given_up:
            log.warning("jobs of a claim whose answer was lost are queued again", jobs=given_up)

    def _start(self, job: Job) -> None:
        self._traced.begin(job)
        scratch = self._scratch(job)
        shutil.rmtree(scratch, ignore_errors=True)
        try:
            scratch.mkdir(parents=True)
        except OSError as error:
            log.error("put off", job_id=job.job_id, problem=str(error))
            self._settle(job, "put off", partial(settle.retry_after_outage, job=job))
            return
        line = {"kind": job.kind, "attempt": job.attempt, "account": job.account}
        log.info("job started", job_id=job.job_id, trace_id=job.trace_id, **line)
        for child in [one for one in self._children if one.pool == job.queue and one.job is None]:
            if child.give(job, scratch, self._deadline(job)):
                return
            child.detach_job()  # it died while it was idle: not a crash of this job
            self._handle_death(child)
        self._new_child(job.queue).give(job, scratch, self._deadline(job))

    def _deadline(self, job: Job) -> float:
        return KINDS[job.kind].deadline(self.settings)

    def _refuse_late(self, job: Job) -> Settlement:
        return partial(KINDS[job.kind].refuse_late, job=job, seconds=self._deadline(job))

    # Children

    def _keep_children(self, now: float) -> None:
        """Start one child after another, each when the last is ready, until every slot has one; one fetches."""
        if now < self._next_child or any(not child.ready for child in self._children):
            return
        for queue, slots in self.slots.items():
            most = _WARM.get(queue, slots)
            if sum(child.pool == queue for child in self._children) < most:
                self._new_child(queue)
                return

    def _new_child(self, queue: str) -> Child:
        child = self.make_child(self.home, queue)
        self._children.append(child)
        self.selector.register(child, selectors.EVENT_READ)
        return child

    def _remove(self, child: Child) -> None:
        if child in self._children:
            self._children.remove(child)
            self.selector.unregister(child)

    def _end_child(self, child: Child) -> None:
        self._remove(child)
        child.process.kill()

    def _read_messages(self, child: Child) -> None:
        if child not in self._children:
            return
        messages = child.read_messages()
        if messages is None:
            self._handle_death(child)
            return
        for message in messages:
            self._handle_message(child, message)

    def _handle_message(self, child: Child, message: Mapping[str, Any]) -> None:
        if "ready" in message:
            child.mark_ready(str(message["ready"]))
            if child.pool != jobs.FETCH:
                self._use_revision(child.revision)
        elif "stage" in message:
            child.stage = str(message["stage"])
            if child.job is not None:
                self._traced.begin_stage(child.job, child.stage, message.get("at"), child.process.pid)
            self._next_heartbeat = min(self._next_heartbeat, monotonic_seconds())
        else:
            self._finish_job(child, message)

    def _use_revision(self, revision: str) -> None:
        """Announce the newest child's revision, and replace idle children of another: the package was updated."""
        if revision != self._revision:
            self._revision, self._revision_written = revision, False
        for child in [one for one in self._children if one.job is None and self._is_outdated(one)]:
            self._end_child(child)
        self._announce()

    def _is_outdated(self, child: Child) -> bool:
        return child.ready and child.pool != jobs.FETCH and child.revision != self._revision

    def _announce(self) -> None:
        """Write the revision for HTTP processes and, the first time, report that the worker is ready."""
        revision = self._revision
        if self._revision_written or revision is None:
            return
        try:
            with self.database.write() as connection:
                if shared_values.get(connection, shared_values.ANALYSIS_REVISION) != revision:
                    shared_values.set_value(connection, shared_values.ANALYSIS_REVISION, revision)
        except StoreError as error:
            log.error("cannot note the revision", problem=str(error))
            return
        self._revision_written = True
        if not self._announced:
            self._announced = True
            self.on_ready()

    def _finish_job(self, child: Child, message: Mapping[str, Any]) -> None:
        job = child.detach_job()
        if job is None:
            return
        fault: Mapping[str, Any] = message.get("fault", {})
        self._traced.end_work(job, excused=fault.get("status", 500) < 500)
        if "outcome" in message:
            outcome = Outcome.from_json(message["outcome"])
            if outcome.queue is not None:
                self._settle(job, _HANDED_OVER, partial(jobs.hand_over, job=job, queue=outcome.queue))
            else:
                self._settle(job, "complete", partial(KINDS[job.kind].complete, job=job, outcome=outcome))
        elif "again" in message:
            log.error("put off", job_id=job.job_id, problem=message["again"])
            self._settle(job, "put off", partial(settle.retry_after_outage, job=job))
        else:
            status, problem = fault["status"], fault["message"]
            refuse = partial(KINDS[job.kind].refuse, job=job, status=status, message=problem)
            self._settle(job, "failed", refuse, problem=problem)
        if fault.get("spent") or child.jobs_done >= _JOBS_A_CHILD or self._is_outdated(child):
            self._end_child(child)

    def _handle_death(self, child: Child) -> None:
        """Remove a child that has died, and settle or put back its job."""
        self._remove(child)
        status, job = child.process.reap(), child.detach_job()
        if not child.ready:
            self._next_child = monotonic_seconds() + _RESTART_SECONDS
        log.error("child died", status=status, job_id=None if job is None else job.job_id)
        if job is None:
            return
        self._traced.end_work(job, failed=True)
        if hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU:
            self._settle(job, "overran", self._refuse_late(job))
        else:
            crash_at = monotonic_seconds() + _CRASH_SECONDS
            self._settle(job, "crashed", partial(settle.retry_after_crash, job=job), crash_at)

    def _end_overdue(self, now: float) -> None:
        if any(child.job is not None and now >= child.deadline for child in self._children):
            # What ended in time while this process was held up, such as by the database, has said so already.
            self._handle_ready(0.0)
        for child in [one for one in self._children if one.job is not None and now >= one.deadline]:
            job = self._kill_child(child)
            log.error("job overran", job_id=job.job_id, kind=job.kind)
            self._settle(job, "overran", self._refuse_late(job))

    def _kill_child(self, child: Child) -> Job:
        """Kill a child that has a job; returns the job."""
        self._end_child(child)
        job = child.detach_job()
        assert job is not None
        self._traced.end_work(job, failed=True)
        return job

    # Records

    def _send_heartbeat(self) -> None:
        """Send a heartbeat, renew the leases, and expire jobs that have waited for too long."""
        lease = self.settings.job_lease_seconds
        self._next_heartbeat = monotonic_seconds() + lease / _HEARTBEATS_PER_LEASE
        try:
            with self.database.write() as connection:
                workers.send_heartbeat(connection, self.owner, self.slots)
                workers.delete_silent(connection, _FORGET_SECONDS)
                lost = [
                    child
                    for child in self._children
                    if child.job is not None and not jobs.renew_lease(connection, child.job, lease, child.stage)
                ]
                for one in self._unsettled:
                    jobs.renew_lease(connection, one.job, lease, one.job.stage)
                self._expire(connection)
        except StoreError as error:
            self._complain(_NO_HEARTBEAT, error)
            self._next_heartbeat = monotonic_seconds() + _RETRY_SECONDS
            return
        if self._complaints.pop(_NO_HEARTBEAT, None) is not None:
            log.info("the database answers again")
        self._announce()
        self._listen()
        for child in lost:
            job = self._kill_child(child)
            log.warning("job lost", job_id=job.job_id, problem="it was cancelled, or another worker has taken it over")
            self._traced.end(job, "lost")
            self._remove_scratch(job)

    def _complain(self, event: str, error: StoreError, **more: str) -> None:
        """Log what fails, and is tried again twice a second, once and then every minute: the log's disk may be full."""
        due = self._complaints.get(event)
        if due is None or monotonic_seconds() >= due:
            self._complaints[event] = monotonic_seconds() + _COMPLAINT_SECONDS
            log.error(event, **more, problem=str(error))

    def _sweep(self) -> None:
        self._next_sweep = math.inf  # until this one has ended
        self._sweeper.give(self._sweep_once)

    def _sweep_once(self) -> None:
        pause = _SWEEP_SECONDS
        try:
            if sweep(self.files, self.database, self.settings):
                pause = _SWEEP_ON_SECONDS
        except WorkbenchError as error:
            log.error("cannot sweep", problem=str(error))
        finally:
            self._next_sweep = monotonic_seconds() + pause

    def _expire(self, connection: Connection) -> None:
        """Expire jobs that have waited for too long; called before every claim, so that none of them is run."""
        for kind in KINDS.values():
            longest = kind.longest_wait(self.settings)
            if longest is not None and kind.queue in self.slots:
                jobs.expire(connection, kind.name, longest)

    def _settle(
        self, job: Job, outcome: str, write: Settlement, crash_at: float | None = None, problem: str | None = None
    ) -> None:
        self._unsettled.append(_Unsettled(job, outcome, write, crash_at, problem))
        self._write_unsettled()

    def _write_unsettled(self) -> None:
        """Settle the jobs that have ended and are not settled yet."""
        for one in list(self._unsettled):
            if one.crash_at is not None:
                if self._stop_at is not None:  # what ends this worker has ended its children too
                    one.outcome, one.write = "given back", partial(jobs.give_back, job=one.job)
                elif monotonic_seconds() < one.crash_at:
                    continue
                one.crash_at = None  # from now on it is only written again
            try:
                with self.database.write() as connection:
                    settled = one.write(connection)
                    # Its request may have been extended after it was claimed; then it is run again.
                    ours = settled or jobs.give_back(connection, one.job)
            except WorkbenchError as error:
                if isinstance(error, StoreError) and not is_refused(error):
                    self._complain("cannot settle", error, job_id=one.job.job_id)
                    return  # the others cannot be settled either, until the database answers again
                log.error("cannot settle as it is", job_id=one.job.job_id, problem=str(error))
                message = "an error of ours; it was logged under this job's id"
                one.outcome, one.problem = "failed", message
                one.write = partial(KINDS[one.job.kind].refuse, job=one.job, status=500, message=message)
                continue
            self._unsettled.remove(one)
            self._remove_scratch(one.job, of_all_runs=settled and one.outcome in _ENDS)
            self._look_soon()
            if settled and one.outcome in _ENDS:
                self._remove_fetched(one.job)
            self._traced.end(one.job, one.outcome if settled else "given back")
            if one.outcome != _HANDED_OVER:
                _count(one)
            line: dict[str, Any] = {"kind": one.job.kind, "outcome": one.outcome, "ours": ours}
            if one.problem is not None:
                line["problem"] = one.problem
            log.info("job settled", job_id=one.job.job_id, trace_id=one.job.trace_id, **line)

    def _scratch(self, job: Job) -> Path:
        """A folder of this run alone: a run that was given up may go on beside it, in the same home folder."""
        return self.home.scratch / job.job_id / f"{job.attempt}.{self.owner.rpartition(':')[2]}"

    def _remove_scratch(self, job: Job, *, of_all_runs: bool = False) -> None:
        """Remove the folder of this run; once a job is settled, also what runs left whose worker was killed."""
        own = self._scratch(job)
        shutil.rmtree(own.parent if of_all_runs else own, ignore_errors=True)
        with suppress(OSError):  # unless another run has its folder there
            own.parent.rmdir()

    def _remove_fetched(self, job: Job) -> None:
        if KINDS[job.kind].address(job):
            self._leaving.add(job.job_id)
            self._remover.give(partial(self._remove_file, job.job_id))

    def _remove_file(self, name: str) -> None:
        try:
            self.files.delete(self.files.place("fetched", name))
        except WorkbenchError as error:  # the sweep tries again
            log.error("cannot remove", file=name, problem=str(error))
        finally:
            self._leaving.discard(name)

    def _clear_scratch(self) -> None:
        """Remove the scratch folders of jobs that have been settled."""
        folder = self.home.scratch
        if not folder.is_dir():
            return
        found = list(folder.iterdir())  # before the records are read, so that no folder of a newer job is in it
        with self.database.read() as connection:
            needed = jobs.unsettled_ids(connection)
        for one in found:
            if one.name not in needed:
                shutil.rmtree(one, ignore_errors=True)

    def stop(self) -> None:
        """Kill the children, give back their jobs and delete the worker's row."""
        log.info("ending", process="worker")
        self._notices.close()
        self._sweeper.stop()
        self._remover.stop()
        running = [child.job for child in self._children if child.job is not None]
        for child in list(self._children):
            self._end_child(child)
        try:
            with self.database.write() as connection:
                given_back = [job for job in running if jobs.give_back(connection, job)]
                workers.delete(connection, self.owner)
        except StoreError as error:
            given_back = []
            log.error("cannot give back", problem=str(error))  # their leases end
        for job in given_back:
            log.info("job given back", job_id=job.job_id, trace_id=job.trace_id, kind=job.kind)
        for job in running:
            self._remove_scratch(job)
            self._traced.end(job, "given back")
        end = monotonic_seconds() + _LEAVE_SECONDS
        for one in (self._remover, self._sweeper):
            one.wait(end - monotonic_seconds())


def _count(one: _Unsettled) -> None:
    metrics.JOBS.labels(one.job.kind, one.outcome).inc()
    accepted = datetime.fromisoformat(one.job.created_at)
    metrics.JOB_SECONDS.labels(one.job.kind).observe(max(0.0, (utc_now() - accepted).total_seconds()))
