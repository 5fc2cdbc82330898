"""A year of one installation: callers, the billing provider, an operator, and machines, through good and bad days."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from service.answers import beats, loop, match, videos
from service.answers.answer import Answer, Call
from service.errors import Problem
from service.jobs import settle
from service.jobs.deletion import delete_video
from service.jobs.kinds import KINDS
from service.money import events, funds
from service.processes.wakeup import WakeupPipe
from service.routes.uploads import record_upload
from service.schemas.events import BillingEvent
from service.schemas.requests import (
    BeatsRequest,
    ExpandQuery,
    IngestRequest,
    LoopRequest,
    MatchRequest,
    VideoRequest,
)
from service.settings import ServiceSettings
from service.store import accounts, api_keys, jobs, ledger, shared_values
from service.store.ledger import Charge
from service.store.tables import SCHEMA
from service.store.transactions import Transactions
from tests.service.simulation.books import CALLS, Books, kind_of
from tests.service.simulation.machines import REVISION, JobProcess, Machine, content
from tests.service.simulation.world import Host, Killed, Rates, Violation, World, inhabited
from workbench.errors import ParameterError, StoreError, UnknownVideo
from workbench.store import clock
from workbench.store.database import Database, recordings, tracks
from workbench.store.home import Home
from workbench.store.stored_files import StoredFiles

ACCOUNTS = ("ada", "bob", "eve")
_URLS = tuple(f"https://example.org/{number}.mp4" for number in range(4))
_LONGEST_SETTLING = 1800.0  # virtual s, once nothing fails any more
_DAY = 86_400.0


@dataclass
class Client:
    """A caller, and what it has been told."""

    account: str
    key_id: str
    secret: str
    videos: list[str] = field(default_factory=list)
    uploads: dict[str, str] = field(default_factory=dict)
    """storage key by id of the video, of uploads that were acknowledged"""
    jobs: dict[str, str] = field(default_factory=dict)
    """kind by id"""
    beats: dict[str, tuple[str, float]] = field(default_factory=dict)
    """by Idempotency-Key: the job, and when it was accepted"""


class Town:
    """One installation.

    Parameters
    ----------
    seed : of everything that happens
    folder : empty, for its home folder
    template : a database of no records, which is copied
    """

    def __init__(self, seed: int, folder: Path, template: Path) -> None:
        self.home = folder
        self.world = World(seed, folder)
        Home(folder).prepared()
        shutil.copy(template, Home(folder).database)
        url = f"sqlite:///{Home(folder).database}"
        self.database = Database(url, (SCHEMA,))
        self._loop = asyncio.new_event_loop()
        self._transactions = Transactions(Database(url, (SCHEMA,)), WakeupPipe(None))
        """of the process that answers calls: calls at the same time share transactions and what they read"""
        self._beside = random.Random(seed)
        """of the calls beside those of the history, which it does not change"""
        self.files = StoredFiles(Home(folder))
        # a call looks into the books in the thread that answers it
        raw = sqlite3.connect(Home(folder).database, isolation_level=None, check_same_thread=False)
        raw.row_factory = sqlite3.Row
        self.books = Books(self, raw)
        self.settings = ServiceSettings(
            job_lease_seconds=20.0,
            job_deadline_seconds=60.0,
            ingest_deadline_seconds=90.0,
            beats_retention_seconds=300.0,
            video_retention_seconds=self.world.random.choice((None, 20 * _DAY)),
        )
        self.processes: dict[int, JobProcess] = {}
        self.fates: dict[str, list[str]] = {}
        self.outages: set[str] = set()
        self.deleted_videos: set[str] = set()
        self.troubled = True
        self.door = Host("door", skew=self.world.random.uniform(-2.0, 2.0), mortal=False)
        self.machines: list[Machine] = []
        self.clients: list[Client] = []
        self._names: dict[str, str] = {}
        self._seen_commits = -1
        self._number = 0
        self.sent: list[tuple[str, dict[str, Any]]] = []
        """webhooks that the provider has sent"""
        self._provider = random.Random(f"provider {seed}")
        """of the times of its events, which come late and out of order"""
        self.revoked: set[str] = set()

    def name(self, job_id: str) -> str:
        """A short name of a job, the same in each replay."""
        return self._names.setdefault(job_id, f"#{len(self._names) + 1}")

    def slots(self, queue: str, holders: set[str]) -> int:
        """How many jobs of a queue run at a time on the machines that live, and on those that hold some."""
        alive = {machine.host.name for machine in self.machines if machine.parent is not None}
        return len(alive | holders) * max(machine.slots[queue] for machine in self.machines)

    def check(self) -> None:
        """Check what must hold, if anything was written."""
        if self.world.commits != self._seen_commits:
            self._seen_commits = self.world.commits
            with self.world.watching():
                self.books.check()

    # A life

    def live(self) -> None:
        """Some bad days, with weeks between them; each ends when nothing fails any more and all is settled."""
        with clock.using(self.world), inhabited(self.world):
            self._found()
            for _ in range(self.world.random.choice((2, 3))):
                self._bad_day()
                self._calm()
                self.world.skip(self.world.random.choice((1800.0, 5 * 3600.0, 2 * _DAY, 9 * _DAY, 40 * _DAY)))
            self._clean()
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._loop.run_until_complete(self._transactions.drain())
        self._transactions.close()
        self._loop.close()
        self.books.raw.close()
        self.database.close()

    def _found(self) -> None:
        """What is there at the beginning."""
        with self.database.write() as connection:
            shared_values.set_value(connection, shared_values.ANALYSIS_REVISION, REVISION)
            for name in ("trk_one", "trk_two", "trk_refused", "trk_unheard"):
                row = {"path": f"/{name}", "content_hash": name, "fields": "{}", "state": "present"}
                times = {"added_at": self.world.text(), "updated_at": self.world.text()}
                connection.execute(tracks.insert().values(track_id=name, **row, **times))
                measured = {"measured": json.dumps({"duration_seconds": 60.0}), "descriptor": "", "analysis": ""}
                if name != "trk_unheard":
                    values = {"content_hash": name, "measured_at": self.world.text(), **measured}
                    connection.execute(recordings.insert().values(**values))
            for account in ACCOUNTS:
                accounts.ensure(connection, account)
                created, secret = api_keys.create(connection, account, None)
                self.clients.append(Client(account, created.key_id, secret))

    def _bad_day(self) -> None:
        world, chance = self.world, self.world.random
        self.troubled = True
        busy = chance.choice((0.0, 0.002, 0.01))
        world.rates = Rates(kill=busy, commit_lost=chance.choice((0.0, 0.01, 0.04)), disk=chance.choice((0.0, 0.01)))
        number = chance.choice((1, 2, 2))
        self.machines = [
            Machine(self, f"machine{n}", {"main": 2, "beats": 1, "fetch": 2}, skew=chance.uniform(-4.0, 4.0))
            for n in range(number)
        ]
        for machine in self.machines:
            machine.start()
        end = world.now + chance.choice((60.0, 120.0))
        self._later(end, 2.5, self._some_call)
        self._later(end, 12.0, self._some_webhook)
        self._later(end, 15.0, self._some_trouble)
        self._later(end, 25.0, self._some_command)
        world.run(end)

    def _later(self, end: float, mean: float, work: Callable[[], None]) -> None:
        """Something that happens again and again until some time."""

        def act() -> None:
            if self.world.now < end:
                work()
                self.world.after(self.world.random.expovariate(1 / mean), act)

        self.world.after(self.world.random.expovariate(1 / mean), act)

    def _calm(self) -> None:
        """Nothing fails any more: all that was accepted is settled, and the machines end in order."""
        world = self.world
        self.troubled, world.rates = False, Rates()
        for host in (self.door, *(machine.host for machine in self.machines)):
            host.parted_until = host.slow_until = host.full_until = host.paused_until = -1.0
        world.log("calm")
        self._settle()
        self.check()
        left = self.books.rows("SELECT video_id FROM video_owners WHERE status = 'processing'")
        if left:
            raise Violation(f"videos are being processed for ever: {[row[0] for row in left]}")
        for client in self.clients:
            for job_id, kind in client.jobs.items():
                self._poll(client, job_id, kind)
        for machine in self.machines:
            machine.shut_down()
        world.run(world.now + 60.0, done=lambda: not any(machine.parent for machine in self.machines))

    def _settle(self) -> None:
        """Until no job is open."""
        open_jobs = "SELECT * FROM jobs WHERE state NOT IN ('complete', 'failed')"
        self.world.run(self.world.now + _LONGEST_SETTLING, done=lambda: not self.books.rows(open_jobs))
        for row in self.books.rows(open_jobs):
            raise Violation(f"{row['kind']} {row['job_id']} waits for ever: {row['state']}, {row['stage']}")

    def _clean(self) -> None:
        """Days later nothing lies about."""
        self.world.skip(3 * _DAY)
        machine = Machine(self, "last", {"main": 1, "beats": 1, "fetch": 1})
        machine.start()
        self._settle()  # a client may have asked once more as the others ended
        self.world.run(self.world.now + 30.0)
        self.check()
        for folder in (self.files.folder("fetched"), Home(self.home).scratch):
            left = [one.name for one in folder.glob("*")]
            if left:
                raise Violation(f"files are left in {folder.name}: {left}")

    # Trouble

    def _some_trouble(self) -> None:
        world, chance = self.world, self.world.random
        host = chance.choice([self.door, *(machine.host for machine in self.machines)])
        until = world.now + chance.choice((2.0, 15.0, 50.0))
        what = chance.choice(("parted", "slow", "full", "paused", "dead"))
        world.log(host.name, what, "for", round(until - world.now))
        if what == "dead":
            machine = chance.choice(self.machines)
            if machine.parent is not None:
                machine.bury()
            return
        setattr(host, f"{what}_until", until)

    def _some_command(self) -> None:
        chance = self.world.random
        rows = self.books.rows("SELECT job_id, state, kind FROM jobs ORDER BY created_at")
        what = chance.choice(("cancel", "retry", "delete", "rotate"))
        self.world.log("operator:", what)
        if what == "rotate":
            self._rotate(chance.choice(self.clients))
        elif what == "delete":
            self._delete(chance.choice(self.clients))
        elif what == "cancel" and (found := [row for row in rows if row["state"] not in ("complete", "failed")]):
            job_id = chance.choice(found)["job_id"]
            self.books.cancelled.add(job_id)
            self._write(lambda connection: settle.cancel(connection, job_id))
        elif what == "retry" and (
            found := [row for row in rows if row["state"] == "failed" and row["kind"] != "match"]
        ):
            job_id = chance.choice(found)["job_id"]
            self.books.reopened.add(job_id)

            def retry(connection: Connection) -> bool:
                job = jobs.get(connection, job_id)
                return job is not None and KINDS[job.kind].queue_again(connection, job)

            self._write(retry)
            state = self.books.rows("SELECT state FROM jobs WHERE job_id = ?", job_id)
            if not state or state[0][0] == "failed":
                self.books.reopened.discard(job_id)
        self.check()

    def _rotate(self, client: Client) -> None:
        self._call(partial(_find_caller, client.secret))  # it has just been used
        done = self._write(lambda connection: api_keys.rotate(connection, client.key_id))
        if isinstance(done, tuple):
            self.revoked.add(client.secret)
            self._use_revoked(client.secret)
        else:  # the operator did not hear whether it was done, and makes another key
            done = self._until_done(lambda connection: api_keys.create(connection, client.account, None))
        client.key_id, client.secret = done[0].key_id, done[1]

    def _until_done(self, work: Callable[[Connection], Any]) -> Any:
        with self.world.watching(), self.database.write() as connection:
            return work(connection)

    def _delete(self, client: Client) -> None:
        if not client.videos:
            return
        video_id = self.world.random.choice(client.videos)
        before = set(self.deleted_videos)
        self.deleted_videos.add(video_id)
        try:
            with self.world.on(self.door):
                delete_video(self.files, self.database, video_id)
        except (ParameterError, UnknownVideo, StoreError, OSError) as error:
            self.world.log("not deleted:", type(error).__name__)
        if self.books.rows("SELECT 1 FROM video_owners WHERE video_id = ?", video_id):
            self.deleted_videos = before

    # Money from the provider

    def _some_webhook(self) -> None:
        chance = self.world.random
        if self.sent and chance.random() < 0.4:
            webhook_id, event = chance.choice(self.sent)  # again, perhaps long after later ones
        else:
            self._number += 1
            webhook_id, event = f"msg_{self._number}", self._event()
            self.sent.append((webhook_id, event))
        given = BillingEvent.model_validate(
            {"type": event["type"], "timestamp": event["timestamp"], "data": event["data"]}
        )
        route = events.PAYMENT_METHOD if event["type"].startswith("payment") else events.CREDIT
        seen = "SELECT 1 FROM seen_webhooks WHERE webhook_id = ?"
        before = bool(self.books.rows(seen, webhook_id))
        self.world.log("provider:", webhook_id, event["type"], event["account"], event["timestamp"] or "")
        self.check()
        # what is refused, such as a grant of nothing, is sent again in vain
        self._call(lambda connection: events.apply(connection, route, webhook_id, given))
        applied = not before and bool(self.books.rows(seen, webhook_id))
        self._seen_commits = self.world.commits
        with self.world.watching():
            self.books.check(event if applied else None)
        self._compare_accounts()

    def _event(self) -> dict[str, Any]:
        chance, account = self.world.random, self.world.random.choice(ACCOUNTS)
        kind = chance.choice(
            (
                *("credit.granted",) * 4,
                "credit.expired",
                "spend_cap.set",
                "spend_cap.set",
                "payment_method.attached",
                "payment_method.detached",
                "payment_method.detached",
            )
        )
        data: dict[str, Any] = {"account": account}
        micros, due_by = 0, None
        if kind == "credit.granted":
            data["amount_usd"] = chance.choice(("0.15", "0.30", "1.00"))
            ends = chance.choice((None, 30.0, 200.0, 3 * _DAY, 60 * _DAY))
            if ends is not None:
                data["expires_at"] = self.world.text(self.world.now + ends)
        elif kind == "spend_cap.set":
            micros = chance.choice((300_000, 1_000_000, 100_000_000))
            data["amount_usd"] = str(micros / 1e6)
        elif kind == "credit.expired" and chance.random() < 0.5:
            data["expires_at"] = self.world.text(self.world.now + 4 * _DAY)
            due_by = datetime.fromisoformat(data["expires_at"]).isoformat(timespec="microseconds")
        ago = self._provider.choice((None, 0.0, 0.0, 5.0, 60.0, 3 * 3600.0))
        at = None if ago is None else self.world.text(self.world.now - ago * self._provider.random())
        return {
            "type": kind, "account": account, "data": data, "micros": micros, "due_by": due_by, "timestamp": at,
        }  # fmt: skip

    def _compare_accounts(self) -> None:
        for row in self.books.rows("SELECT account, payment_method, spend_cap_micros FROM accounts"):
            standing = self.books.standings.get(row["account"])
            if standing is not None and (bool(row[1]), row[2]) != (standing.method, standing.cap):
                raise Violation(f"{row['account']} has {tuple(row)[1:]}, and should have {standing}")

    # Calls

    def _write(self, work: Callable[[Connection], Any]) -> Any:
        """A transaction of a command; None if nobody heard of its end, a `Problem` if it was refused."""

        def run() -> Any:
            with self.database.write() as connection:
                return work(connection)

        return self._told(run)

    def _call(self, work: Callable[[Connection], Any]) -> Any:
        """A transaction of a call; perhaps another call, which reads or is refused in the end, shares its commit."""

        async def write() -> Any:
            beside: list[Any] = []
            if self._beside.random() < 0.6:
                client = self._beside.choice(self.clients)
                other = (
                    partial(_stumble, client) if self._beside.random() < 0.5 else partial(_find_caller, client.secret)
                )
                beside.append(self._transactions.write(other))
            *_, said = await asyncio.gather(*beside, self._transactions.write(work), return_exceptions=True)
            return said

        def run() -> Any:
            said = self._loop.run_until_complete(write())
            if isinstance(said, BaseException):
                raise said
            return said

        return self._told(run)

    def _told(self, run: Callable[[], Any]) -> Any:
        """What a transaction at the door comes to."""
        try:
            with self.world.on(self.door):
                return run()
        except Problem as problem:
            return problem
        except (StoreError, Killed):
            return None
        except ParameterError as error:
            return Problem(422, str(error))

    def _ask(
        self, client: Client, endpoint: str, work: Callable[[Connection, Call], Answer], key: str | None = None
    ) -> Answer | Problem | None:
        """One call; what starts work or costs is allowed to those alone who can pay."""
        self._number += 1
        request_id, books = f"req_{self._number}", self.books
        books.requests[request_id] = client.account
        if key is not None:
            books.keys.add((client.account, endpoint, key))
        self.check()
        count = "SELECT (SELECT count(*) FROM jobs), (SELECT count(*) FROM ledger)"
        paid = (
            "SELECT (SELECT coalesce(sum(reserved_micros), 0) FROM jobs WHERE state NOT IN ('complete', 'failed')), "
            "(SELECT coalesce(sum(amount_micros), 0) FROM ledger)"
        )
        before, paid_before = tuple(books.rows(count)[0]), sum(books.rows(paid)[0])
        price = CALLS.get(kind_of(endpoint), 0)
        could_pay: list[tuple[bool, bool]] = []

        def run(connection: Connection) -> Answer:
            caller = api_keys.find_caller(connection, client.secret)
            if caller is None or caller.account != client.account:
                raise Violation(f"the key of {client.account} stands for {caller}")
            at = self.world.text()  # before this call is charged
            could_pay.append((books.can_pay(client.account, at), books.can_pay(client.account, at, price)))
            return work(connection, Call(caller, request_id, endpoint, self.settings, key))

        answer: Answer | Problem | None = self._call(run)
        said = answer.status if isinstance(answer, Answer | Problem) else "nothing"
        self.world.log(client.account, endpoint, key or "", "->", said)
        if could_pay:
            anything, this = could_pay[0]
            if isinstance(answer, Problem) and answer.status == 402 and this:
                raise Violation(f"{client.account} can pay and is refused: {answer}")
            if tuple(books.rows(count)[0]) != before and not anything:
                raise Violation(f"{client.account} cannot pay, and {endpoint} was accepted")
            more = sum(books.rows(paid)[0]) - paid_before
            if more not in (0, price):
                raise Violation(f"{endpoint} costs {more}, not {price}")
            if more and not this:
                raise Violation(f"{client.account} cannot pay {price} more, and {endpoint} was accepted")
        self.check()
        return answer

    def _some_call(self) -> None:
        chance = self.world.random
        client = chance.choice(self.clients)
        kinds = (self._send_video, self._upload, self._call_loop, self._call_loop, self._call_match, self._call_beats)
        chance.choice((*kinds, self._look, self._look, self._spy))(client)

    def _send_video(self, client: Client) -> None:
        request = VideoRequest(video_url=self.world.random.choice(_URLS))
        answer = self._ask(client, "POST /v1/videos", partial(_flip, videos.submit, request))
        if isinstance(answer, Answer) and not isinstance(answer.body, str):
            client.videos.append(str(answer.body["video_id"]))

    def _upload(self, client: Client) -> None:
        request = VideoRequest(filename="holiday.mp4")
        answer = self._ask(client, "POST /v1/videos", partial(_flip, videos.submit, request))
        if not isinstance(answer, Answer) or isinstance(answer.body, str):
            return
        video_id, key = str(answer.body["video_id"]), str(answer.body["storage_key"])
        for _ in range(self.world.random.choice((1, 1, 2))):  # also one sent twice
            self._send_bytes(client, video_id, key)
        ingest = partial(self._ingest, client, video_id, key)
        self.world.after(self.world.random.choice((0.5, 20.0)), ingest)

    def _send_bytes(self, client: Client, video_id: str, key: str) -> None:
        data = content(f"upload {self.world.random.randrange(3)}")
        self._number += 1
        target = self.files.folder("uploads") / key
        partly = target.with_name(f"{key}.{self._number}.part")
        target.parent.mkdir(exist_ok=True)
        partly.write_bytes(data)
        done = self._write_upload(key, partly, target, len(data))
        if done:
            client.uploads[video_id] = key

    def _write_upload(self, key: str, partly: Path, target: Path, count: int) -> bool:
        try:
            with self.world.on(self.door), self.database.write() as connection:
                record_upload(connection, key, partly, target, count)
            return True
        except (StoreError, Problem, OSError):
            return False
        finally:
            with suppress(FileNotFoundError):
                partly.unlink()

    def _ingest(self, client: Client, video_id: str, key: str) -> None:
        work = partial(_ingest_again, video_id, IngestRequest(storage_key=key))
        answer = self._ask(client, "POST /v1/videos/{video_id}/ingest", work)
        if isinstance(answer, Answer):
            client.videos.append(video_id)
        gone = isinstance(answer, Problem) and answer.status in (404, 409)
        if gone and video_id in client.uploads and video_id not in self.deleted_videos:
            raise Violation(f"the upload {video_id} was acknowledged, and its ingest says {answer}")

    def _call_loop(self, client: Client) -> None:
        chance = self.world.random
        if not client.videos:
            return
        track_id = chance.choice(("trk_one", "trk_one", "trk_two", "trk_refused", "trk_unheard"))
        request = LoopRequest(video_id=chance.choice(client.videos), track_id=track_id, auto_mix=chance.random() < 0.4)
        key = f"key{chance.randrange(4)}" if chance.random() < 0.3 else None
        if self._ask_loop(client, request, key) is not None and chance.random() < 0.5:  # and soon asks for more
            more = request.model_copy(update={"auto_mix": True})
            self.world.after(chance.choice((0.3, 2.0, 8.0)), partial(self._ask_more, client, more))

    def _ask_more(self, client: Client, request: LoopRequest) -> None:
        self._ask_loop(client, request, None)

    def _ask_loop(self, client: Client, request: LoopRequest, key: str | None) -> str | None:
        answer = self._ask(client, "POST /v1/loop", partial(_flip, loop.submit, request), key)
        return self._remember(client, answer, "loop")

    def _call_match(self, client: Client) -> None:
        if client.videos:
            request = MatchRequest(video_id=self.world.random.choice(client.videos))
            work = partial(_match, request)
            self._remember(client, self._ask(client, "POST /v1/match", work), "match")

    def _call_beats(self, client: Client) -> None:
        chance = self.world.random
        key = f"key{chance.randrange(3)}" if chance.random() < 0.6 else None
        # A key stands for one request; its number names the file.
        url = _URLS[int(key[-1])] if key else chance.choice(_URLS)
        answer = self._ask(client, "POST /v1/beats", partial(_flip, beats.submit, BeatsRequest(audio_url=url)), key)
        job_id = self._remember(client, answer, "beats")
        if key is None or job_id is None:
            return
        before = client.beats.get(key)
        if before is not None and self.world.now - before[1] < _DAY - 60 and before[0] != job_id:
            raise Violation(f"{key} of {client.account} stood for {before[0]}, and stands for {job_id}")
        if before is None or before[0] != job_id:
            client.beats[key] = (job_id, self.world.now)

    def _remember(self, client: Client, answer: Answer | Problem | None, kind: str) -> str | None:
        if not isinstance(answer, Answer) or isinstance(answer.body, str) or "job_id" not in answer.body:
            return None
        job_id = str(answer.body["job_id"])
        owner = self.books.known[job_id]["account"]
        if owner != client.account:
            raise Violation(f"{client.account} was given {kind} {job_id} of {owner}")
        client.jobs[job_id] = kind
        return job_id

    def _look(self, client: Client) -> None:
        if client.jobs:
            job_id = self.world.random.choice(list(client.jobs))
            self._poll(client, job_id, client.jobs[job_id])

    def _poll(self, client: Client, job_id: str, kind: str) -> None:
        answer = self._see(client, job_id, kind)
        row = self.books.known.get(job_id)
        if answer is None:
            return
        expected = None if row is None else {"complete": 200, "failed": 400}.get(row["state"], 202)
        status = min(answer.status, 400)
        if status != (expected or 400):
            raise Violation(f"a poll of {job_id}, {row and row['state']}, says {answer.status}")

    def _see(self, client: Client, job_id: str, kind: str) -> Answer | Problem | None:
        polls: dict[str, Callable[[Connection, Call, str], Answer]] = {"loop": loop.poll, "beats": beats.poll}
        poll = polls.get(kind)
        if poll is None:
            return None
        return self._ask(client, f"GET /v1/{kind}", lambda connection, call: poll(connection, call, job_id))

    def _spy(self, client: Client) -> None:
        """What belongs to others is refused."""
        other = self.world.random.choice([one for one in self.clients if one is not client])
        answers: list[Answer | Problem | None] = []
        if other.jobs:
            job_id = self.world.random.choice(list(other.jobs))
            if other.jobs[job_id] != "match":
                answers.append(self._see(client, job_id, other.jobs[job_id]))
        if other.videos:
            video_id = self.world.random.choice(other.videos)
            request = LoopRequest(video_id=video_id, track_id="trk_one")
            answers.append(self._ask(client, "GET /v1/videos", partial(_flip, videos.status, video_id)))
            answers.append(self._ask(client, "POST /v1/loop", partial(_flip, loop.submit, request)))
        for secret in self.revoked:
            self._use_revoked(secret)
        if any(isinstance(answer, Answer) for answer in answers):
            raise Violation(f"{client.account} sees what belongs to {other.account}")

    def _use_revoked(self, secret: str) -> None:
        found = self._call(partial(_find_caller, secret))
        if found is not None:
            raise Violation(f"a key that was revoked still stands for {found}")


def _flip(work: Callable[..., Answer], request: Any, connection: Connection, call: Call) -> Answer:
    return work(connection, call, request)


def _find_caller(secret: str, connection: Connection) -> api_keys.Caller | None:
    return api_keys.find_caller(connection, secret)


def _ingest_again(video_id: str, request: IngestRequest, connection: Connection, call: Call) -> Answer:
    return videos.ingest(connection, call, video_id, request)


def _match(request: MatchRequest, connection: Connection, call: Call) -> Answer:
    return match.submit(connection, call, request, ExpandQuery())


def _stumble(client: Client, connection: Connection) -> None:
    """What a call writes, and reads again, that is refused in the end: nobody may ever see any of it."""
    found = next(one for one in accounts.list_all(connection) if one.account == client.account)
    accounts.update(connection, client.account, payment_method=not found.payment_method)
    ledger.charge(connection, Charge(client.account, "POST /v1/loop", "nobody", "request:nobody"))
    funds.check_account(connection, client.account)
    raise Problem(409, "refused in the end")
