"""Machines that run jobs: the service's own `JobParent`, in processes that die, pause, lose the database or their disk.

What is made up is what lies beyond the service: the process of a job, which here reads and writes files and sends
messages instead of analysing anything, the selector that waits for time and messages, and the thread for files.
"""

from __future__ import annotations

import hashlib
import json
import selectors
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service import cache_keys
from service.errors import Problem
from service.jobs.children import Child, ChildProcess
from service.jobs.kind import Outcome
from service.jobs.kinds import KINDS
from service.jobs.worker import JobParent, StoreThread
from service.money import funds
from service.store import jobs
from service.store.jobs import Job, StoredAnswer
from service.store.ledger import Charge
from tests.service.simulation.world import Host, Killed, Violation
from workbench.errors import StoreError
from workbench.store.home import Home
from workbench.store.stored_files import StoredFiles

if TYPE_CHECKING:
    from tests.service.simulation.town import Town

REVISION = "revision of the simulation"
_DESCRIPTORS = count(1000)
_HELD_UP_SECONDS = 0.1  # more than all that happens at one time takes; less than any slow transaction
FATES = ("done", "dies", "fault", "error", "again", "hangs", "overruns")
_WEIGHTS = (84, 6, 3, 1, 3, 1, 2)


def content(text: str) -> bytes:
    """A file whose last 64 bytes say whether it is whole."""
    body = (text * 40).encode()
    return body + hashlib.sha256(body).hexdigest().encode()


def is_whole(found: bytes) -> bool:
    """Whether a file is as `content` made it."""
    return hashlib.sha256(found[:-64]).hexdigest().encode() == found[-64:]


@dataclass
class JobProcess(ChildProcess):
    """The process of a job, which is none of the operating system."""

    town: Town
    machine: Machine
    pid: int = field(default_factory=lambda: next(_DESCRIPTORS))
    status: int | None = None
    """of its exit; None: it lives"""
    _out: bytes = b""
    _orders: list[Mapping[str, Any]] = field(default_factory=list)
    _ready: bool = False
    _works_at: float | None = None
    """true time of what it does now, which the wait of another machine does not change; None: it does nothing"""

    def begin(self) -> None:
        """Import for a while, then be ready."""
        self._soon(self.town.world.random.uniform(0.1, 4.0), self._get_ready)

    def fileno(self) -> int:
        return self.pid

    @property
    def readable(self) -> bool:
        """Whether `read` has something, or its end, to tell."""
        return bool(self._out) or self.status is not None

    def write(self, data: bytes) -> None:
        if self.status is not None:
            raise BrokenPipeError
        self._orders.append(json.loads(data))
        if self._ready:
            self._work()

    def read(self) -> bytes:
        found, self._out = self._out, b""
        return found

    def kill(self) -> int:
        self.status = -9 if self.status is None else self.status
        return self.status

    def reap(self) -> int:
        return self.kill()

    def _soon(self, seconds: float, work: Callable[[], None]) -> None:
        """Do something later, unless it is dead by then; a full disk or a lost database is the parent's to judge."""
        world = self.town.world
        due = seconds + (world.now if self._works_at is None else self._works_at)

        def act() -> None:
            if self.status is not None or self.machine.host.is_dead:
                return
            self._works_at = due
            try:
                with self.town.world.on(self.machine.host):
                    work()
            except Killed:
                self.machine.bury()
            except (OSError, StoreError) as error:
                self.town.outages.add(self._orders[0]["job"]["job_id"])
                self._end({"again": str(error)})
            finally:
                self._works_at = None

        world.at(due, act)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._out += json.dumps(message).encode() + b"\n"
        self.machine.wake()

    def _end(self, message: Mapping[str, Any]) -> None:
        self._orders.pop(0)
        self._send(message)

    def _exit(self, status: int) -> None:
        self.status = status
        self.machine.wake()

    def _get_ready(self) -> None:
        self._ready = True
        self._send({"ready": REVISION})
        if self._orders:
            self._work()

    def _work(self) -> None:
        order = self._orders[0]
        fields = dict(order["job"])
        fields["charge"] = None if fields["charge"] is None else Charge(**fields["charge"])
        job = Job(**fields)
        world = self.town.world
        fate = world.random.choices(FATES, _WEIGHTS)[0] if self.town.troubled else "done"
        self.town.fates.setdefault(job.job_id, []).append(fate)
        world.log(self.machine.host.name, "works on", job.kind, self.town.name(job.job_id), job.attempt, fate)
        self._send({"stage": "working", "at": world.wall_seconds()})
        seconds = world.random.choice((0.05, 1.0, 5.0, 40.0))
        step = partial(self._fetch, job, Path(order["scratch"])) if job.queue == jobs.FETCH else partial(self._do, job)
        match fate:
            case "dies":
                self._soon(seconds, partial(self._exit, -11))
            case "overruns":
                self._soon(seconds, partial(self._exit, -24))
            case "fault":
                self._soon(seconds, partial(self._end, {"fault": {"status": 422, "message": "as was decided"}}))
            case "error":
                said = {"status": 500, "message": "an error of ours; it was logged under this job's id"}
                self._soon(seconds, partial(self._end, {"fault": said}))
            case "again":
                self.town.outages.add(job.job_id)
                self._soon(seconds, partial(self._end, {"again": "the database cannot be used"}))
            case "done":
                self._soon(seconds, step)

    def _fetch(self, job: Job, scratch: Path) -> None:
        """Half of the file now, the rest later: it is kept when it is whole."""
        url = str(job.request.get("audio_url") or job.request.get("source_url"))
        data, target = content(url), scratch / "fetched"
        with target.open("wb") as file:
            file.write(data[: len(data) // 2])

        def finish() -> None:
            with target.open("ab") as file:
                file.write(data[len(data) // 2 :])
            self.town.files.keep(target, "fetched", job.job_id)
            self._end({"outcome": Outcome({}, billed=False, queue=KINDS[job.kind].queue).to_json()})

        self._soon(self.town.world.random.uniform(0.1, 3.0), finish)

    def _do(self, job: Job) -> None:
        try:
            outcome = getattr(self, f"_{job.kind}")(job)
        except Problem as problem:
            self._end({"fault": {"status": 422, "message": problem.message}})
        else:
            self._end({"outcome": json.loads(json.dumps(outcome.to_json()))})

    def _reserve(self, job: Job, minutes: int, micros: int) -> None:
        """As the service's own kinds do; exactly what the account can pay, or has reserved before, is reserved."""
        town = self.town
        (row,) = town.books.rows("SELECT reserved_micros FROM jobs WHERE job_id = ?", job.job_id)
        is_reserved = row["reserved_micros"] >= micros
        can_pay = is_reserved or town.books.can_pay(job.account, town.world.text(), micros, job.job_id)
        try:
            with town.database.write() as connection:
                funds.reserve(connection, job, minutes)
        except Problem:
            if can_pay:
                raise Violation(f"{job.account} can pay {job.kind} and is refused") from None
            raise
        if not can_pay:
            raise Violation(f"{job.account} cannot pay {job.kind}, which is done all the same")

    def _read(self, job: Job) -> bytes:
        """The file of a job; fetched anew where it is gone, as the service's own kinds do."""
        url = job.request.get("audio_url") or job.request.get("source_url")
        files = self.town.files
        place = files.place("fetched", job.job_id) if url else files.place("uploads", str(job.request["storage_key"]))
        path = files.find(place)
        if path is None or not path.exists():
            if url is None:
                raise Violation(f"the upload of {job.video_id}, which was accepted, is gone")
            return content(str(url))
        found = path.read_bytes()
        if not is_whole(found):
            raise Violation(f"{job.kind} {job.job_id} read {len(found)} bytes of a file that is not whole")
        return found

    def _ingest(self, job: Job) -> Outcome:
        self._reserve(job, 5, 5 * 50_000)
        found = self._read(job)
        digest = hashlib.sha256(found).hexdigest()
        files = self.town.files
        if job.request.get("source_url"):
            fetched = files.folder("fetched") / job.job_id
            place = files.place("videos", str(job.video_id))
            if fetched.exists():
                place = files.keep(fetched, "videos", str(job.video_id))
        else:
            place = files.place("uploads", str(job.request["storage_key"]))
        facts = {"path": str(place), "content_hash": digest, "title": "a video", "seconds": 299.5}
        return Outcome({"video_id": job.video_id, "status": "ready"}, billed=True, quantity=5, facts=facts)

    def _beats(self, job: Job) -> Outcome:
        self._reserve(job, 2, 2 * 20_000)
        digest = hashlib.sha256(self._read(job)).hexdigest()
        answer = {"track_id": job.track_id, "status": "complete", "by": job.job_id}
        return Outcome(answer, billed=True, quantity=2, facts={"content_hash": digest})

    def _loop(self, job: Job) -> Outcome:
        wants_mix = bool(job.request.get("auto_mix"))
        applicable = not str(job.track_id).endswith("refused")
        facts: dict[str, Any] = {"applicable": applicable, "retryable": not applicable, "plan": job.build}
        mix = {"mix": {"ducking": 3}} if wants_mix and applicable else {}
        stored = [StoredAnswer(job.build, "loop", facts)] if applicable else []
        if mix:
            stored.append(StoredAnswer(cache_keys.mix_key(job.build), "mix", mix))
        names = {"video_id": job.video_id, "track_id": job.track_id}
        return Outcome({**facts, **names, **mix}, billed=applicable, stored=tuple(stored))

    def _match(self, job: Job) -> Outcome:
        return Outcome({"tracks": []}, billed=True)

    def _engine(self, job: Job) -> Outcome:
        return Outcome({}, billed=False)


class Selector(selectors.BaseSelector):
    """Waits for nothing: what is ready is returned, and the wait that was asked for is kept for the machine."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self._keys: dict[Any, selectors.SelectorKey] = {}
        self.wait = 0.0
        """s that the last `select` would have waited"""

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = selectors.SelectorKey(fileobj, fileobj.fileno(), events, data)
        self._keys[fileobj] = key
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.wait = 1.0 if timeout is None else timeout
        processes = self._town.processes
        ready = [key for key in self._keys.values() if key.fd in processes and processes[key.fd].readable]
        return [(key, selectors.EVENT_READ) for key in ready]

    def get_map(self) -> Any:
        return {key.fd: key for key in self._keys.values()}


class Later(StoreThread):
    """Work beside the machine's loop, which happens some time later."""

    def __init__(self, name: str, machine: Machine) -> None:
        super().__init__(name)
        self._machine = machine

    def give(self, work: Callable[[], None]) -> None:
        machine, town = self._machine, self._machine.town

        def act() -> None:
            if machine.host.is_dead or machine.parent is None:
                return
            try:
                with town.world.on(machine.host):
                    work()
            except Killed:
                machine.bury()
            except OSError as error:  # logged by the thread; the next is done all the same
                town.world.log(machine.host.name, "store thread:", type(error).__name__)

        town.world.after(town.world.random.uniform(0.0, 2.0), act)


@dataclass(eq=False)
class Machine:
    """One machine with a worker, which is started again after it was killed."""

    town: Town
    name: str
    slots: Mapping[str, int]
    skew: float = 0.0
    host: Host = field(init=False)
    parent: JobParent | None = None
    _generation: int = 0
    _selector: Selector = field(init=False)

    def __post_init__(self) -> None:
        self.host = Host(self.name, self.skew)

    def start(self) -> None:
        """Start its worker."""
        if self.parent is not None:
            return
        self._generation += 1
        self.host = Host(f"{self.name}.{self._generation}", self.skew)
        self._selector = Selector(self.town)
        town = self.town
        try:
            with town.world.on(self.host):
                parent = JobParent(
                    Home(town.home),
                    town.database,
                    town.settings,
                    self.slots,
                    StoredFiles(Home(town.home)),
                    make_child=partial(Child, start=self._start_process),
                    make_store_thread=partial(Later, machine=self),
                    selector=self._selector,
                    owner=self.host.name,
                )
                self.parent = parent
                parent.start()
        except (Killed, StoreError):
            self.bury()
            return
        self._step()

    def _start_process(self, _command: Sequence[str]) -> JobProcess:
        process = JobProcess(self.town, self)
        self.town.processes[process.pid] = process
        process.begin()
        return process

    def wake(self) -> None:
        """A message has come: it need not wait for its time."""
        self._plan(0.001)

    def _plan(self, seconds: float) -> None:
        generation = self._generation
        self._planned = self.town.world.now + seconds
        at = self._planned

        def act() -> None:
            if generation != self._generation or self.parent is None or self._planned != at:
                return
            if self.town.world.now - at > _HELD_UP_SECONDS:  # by another machine: what its processes do goes on
                self._plan(0.0)
            else:
                self._step()

        self.town.world.after(seconds, act)

    def _step(self) -> None:
        parent, world = self.parent, self.town.world
        if parent is None:
            return
        if world.now < self.host.paused_until:
            self._plan(self.host.paused_until - world.now)
            return
        try:
            with world.on(self.host):
                parent.step()
                if parent.is_done:
                    parent.stop()
                    self.parent = None
        except Killed:
            self.bury()
            return
        self.town.check()
        if self.parent is not None:
            self._plan(max(0.001, self._selector.wait))

    def bury(self) -> None:
        """It was killed, and what it had started with it; another is started after a while."""
        self.host.is_dead = True
        self.parent = None
        self._generation += 1
        for process in self.town.processes.values():
            if process.machine is self:
                process.kill()
        self.town.world.after(self.town.world.random.choice((0.1, 1.0, 30.0)), self.start)

    def shut_down(self) -> None:
        """End it as an operator does."""
        if self.parent is not None:
            self.parent.begin_shutdown()
            self.wake()
