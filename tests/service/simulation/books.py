"""What must hold, checked against the records after every step: jobs settle once, money adds up, nothing is lost.

The books are kept a second time here, from the ledger's rows in the order in which they were written and from what the
provider's events mean, by rules written anew; they and the service's records must agree.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.jobs.kinds import BACKGROUND, LONG
from tests.service.simulation.machines import content
from tests.service.simulation.world import Violation

if TYPE_CHECKING:
    from tests.service.simulation.town import Town

PRICES = {"loop": 100_000, "match": 100_000, "ingest": 5 * 50_000, "beats": 2 * 20_000}
"""micro-dollars of one job of the simulation"""
CALLS = {kind: PRICES[kind] for kind in ("loop", "match")}
"""of a call whose price is known when it is made"""
KEPT_SECONDS = 30 * 86_400.0
"""of a settled job"""
_SKEW = 3.0
"""s that clocks differ by at most"""


@dataclass
class Standing:
    """What an account has, as the provider's events say."""

    method: bool = True
    cap: int | None = None
    grants: dict[str, list[Any]] = field(default_factory=dict)
    """by id: micro-dollars left, expiry"""
    granted: dict[str, str | None] = field(default_factory=dict)
    """by id: when the provider granted it, if it has and said so"""
    said: dict[str, str] = field(default_factory=dict)
    """when the provider last said something, by what it said: of its events the last to happen"""


def _is_news(standing: Standing, what: str, at: str | None) -> bool:
    """Whether nothing that the provider said before happened later."""
    if at is None:
        return True
    if at < standing.said.get(what, ""):
        return False
    standing.said[what] = at
    return True


def kind_of(endpoint: str) -> str:
    """The kind of job that an endpoint sells."""
    return {"videos": "ingest"}.get(endpoint.split("/")[2], endpoint.split("/")[2])


class Books:
    """The second set of books.

    Parameters
    ----------
    town : whose records are checked
    raw : reads what is committed
    """

    def __init__(self, town: Town, raw: sqlite3.Connection) -> None:
        self.town, self.raw = town, raw
        self.standings: dict[str, Standing] = {}
        self.settled: dict[str, tuple[Any, ...]] = {}
        self.known: dict[str, sqlite3.Row] = {}
        self.videos: dict[str, str] = {}
        """when each was last changed, by id"""
        self.reopened: set[str] = set()
        self.cancelled: set[str] = set()
        self.mapped: set[tuple[str, str]] = set()
        self.requests: dict[str, str] = {}
        """account by request id"""
        self.keys: set[tuple[str, str, str]] = set()
        """account, endpoint and Idempotency-Key of the calls made"""
        self.charged: Counter[tuple[str, str]] = Counter()
        """micro-dollars by account and month"""
        self.last_entry = 0

    def rows(self, sql: str, *given: Any) -> list[sqlite3.Row]:
        """What is committed."""
        return list(self.raw.execute(sql, given))

    def check(self, event: dict[str, Any] | None = None) -> None:
        """Compare the records with what was known.

        Parameters
        ----------
        event : of the provider, which has just been applied; None: nothing changed an account
        """
        self.check_jobs()
        self.check_money(event)

    # Jobs

    def check_jobs(self) -> None:
        """A settled job stays as it is; one that is accepted stays until it may be forgotten."""
        rows = {row["job_id"]: row for row in self.rows("SELECT * FROM jobs")}
        gone = [row for job_id, row in self.known.items() if job_id not in rows]
        videos = dict(map(tuple, self.rows("SELECT video_id, updated_at FROM video_owners")))
        for row in gone:
            self._check_forgotten(row, videos)
        self.videos = videos
        running = [row["build"].partition("#")[0] for row in rows.values() if row["state"] == "running"]
        if len(set(running)) < len(running):
            raise Violation(f"jobs of one build run at the same time: {running}")
        self._check_shares(rows)
        ended = []
        for job_id, row in rows.items():
            if row["state"] not in ("complete", "failed"):
                if job_id in self.settled and job_id not in self.reopened:
                    raise Violation(f"{job_id} was settled, and is {row['state']}")
                continue
            now = (row["state"], row["answer"], row["fault"], row["finished_at"])
            before = self.settled.get(job_id)
            if before is None or job_id in self.reopened:
                ended.append(row)
                self.reopened.discard(job_id)
                self.settled[job_id] = now
            elif before != now:
                raise Violation(f"{job_id} was settled twice: {before} and {now}")
        self.known = rows
        for row in sorted(ended, key=lambda one: str(one["finished_at"])):
            self.town.world.log(row["kind"], self.town.name(row["job_id"]), row["state"], row["fault"] or "")
            if row["state"] == "failed":
                self._check_fault(row)
            else:
                self._check_answer(row)

    def _check_shares(self, rows: dict[str, sqlite3.Row]) -> None:
        """A claim gave no account more than half of the slots while another account waited, which held fewer.

        Only what is beyond doubt counts: the other waited before and after, and could have had that slot.
        """
        waited = {job_id for job_id, row in self.known.items() if row["state"] == "queued"}
        for row in rows.values():
            was, queue, account = self.known.get(row["job_id"]), row["queue"], row["account"]
            if row["state"] != "running" or was is None or was["attempt"] == row["attempt"]:
                continue
            running = [one for one in rows.values() if one["state"] == "running" and one["queue"] == queue]
            holds = Counter(one["account"] for one in running)
            # claims of one step are told apart by their leases, of which some may have ended
            leases = (self.town.world.text(self.town.world.now + _SKEW), row["lease_until"])
            held = sum(one["account"] == account and leases[0] < one["lease_until"] <= leases[1] for one in running)
            slots = self.town.slots(queue, {one["owner"] for one in running})
            if held <= -(-slots // 2):
                continue
            were = [one for one in self.known.values() if one["state"] == "running"]
            builds = {one["build"].partition("#")[0] for one in (*running, *were)}
            for other in rows.values():
                is_rival = other["queue"] == queue and other["account"] not in ("", account)
                could = other["kind"] not in LONG or (row["kind"] in LONG and other["kind"] not in BACKGROUND)
                waits = other["job_id"] in waited and other["state"] == "queued"
                has_fewer = holds[other["account"]] < held - 1
                if is_rival and could and waits and has_fewer and other["build"].partition("#")[0] not in builds:
                    raise Violation(f"{account} is given {held} of {slots} slots, and {other['account']} waits")

    def _check_forgotten(self, row: sqlite3.Row, videos: dict[str, str]) -> None:
        video_id, world, kept = row["video_id"], self.town.world, self.town.settings.video_retention_seconds
        if video_id in self.town.deleted_videos:
            return
        is_gone = video_id is not None and video_id not in videos
        if kept is not None and is_gone and self.videos[video_id] < world.text(world.now - kept + 60):
            self.town.deleted_videos.add(video_id)
            return
        latest = world.text(world.now - KEPT_SECONDS + 60)
        if row["finished_at"] is None or row["finished_at"] > latest:
            raise Violation(f"{row['job_id']} ({row['state']}, finished at {row['finished_at']}) is forgotten")

    def _check_fault(self, row: sqlite3.Row) -> None:
        """A job fails only for what has happened to it."""
        fates = self.town.fates.get(row["job_id"], [])
        message = json.loads(row["fault"])["message"]
        reasons = {
            "died 3 times": fates.count("dies") >= 3,
            "did not finish": "hangs" in fates or "overruns" in fates,
            "as was decided": "fault" in fates,
            "an error of ours": "error" in fates,
            "spend cap": row["kind"] in ("beats", "ingest"),
            "credit grant": row["kind"] in ("beats", "ingest"),
            "no active payment": row["kind"] in ("beats", "ingest"),
            "for too long": row["kind"] == "beats" or row["job_id"] in self.town.outages,
            "was cancelled": row["job_id"] in self.cancelled,
            "video failed": True,
        }
        if not any(holds and words in message for words, holds in reasons.items()):
            raise Violation(f"{row['kind']} {row['job_id']} failed for no reason of its own: {message}; {fates}")

    def _check_answer(self, row: sqlite3.Row) -> None:
        answer, request = json.loads(row["answer"]), json.loads(row["request"])
        if row["kind"] == "beats":
            digest = hashlib.sha256(content(request["audio_url"])).hexdigest()
            if answer["cached"] != ((row["account"], digest) in self.mapped):
                raise Violation(f"{row['job_id']} of {row['account']} says cached={answer['cached']}")
            self.mapped.add((row["account"], digest))
        if row["kind"] == "loop" and request["auto_mix"] and answer.get("applicable") and "mix" not in answer:
            raise Violation(f"{row['job_id']} was asked for a mix and has none")
        if row["charge"] is not None and answer.get("applicable", True):
            key = json.loads(row["charge"])["event_key"]
            if not self.rows("SELECT 1 FROM ledger WHERE event_key = ?", key):
                raise Violation(f"{row['kind']} {row['job_id']} is complete and was never charged ({key})")
            if not key.startswith("idem:") and row["reserved_micros"] != PRICES[row["kind"]]:
                raise Violation(f"{row['kind']} {row['job_id']} reserved {row['reserved_micros']} micro-dollars")

    # Money

    def check_money(self, event: dict[str, Any] | None) -> None:
        """Grants, balance, month totals and ledger agree, and each charge has its cause."""
        new = self.rows("SELECT rowid, * FROM ledger WHERE rowid > ? ORDER BY rowid", self.last_entry)
        if not new and event is None:
            return
        actual = {row["grant_id"]: row for row in self.rows("SELECT * FROM credit_grants")}
        for entry in new:
            self.last_entry = entry["rowid"]
            if entry["event"] == "credit":
                self._grant(entry, actual)
            else:
                self._require_cause(entry)
                self._draw(entry)
                self.charged[entry["account"], self._month(entry)] += entry["amount_micros"]
        if event is not None:
            self._apply(event, actual)
        expected = {
            name: (account, left, expiry)
            for account, standing in self.standings.items()
            for name, (left, expiry) in standing.grants.items()
        }
        found = {name: (row["account"], row["left_micros"], row["expires_at"]) for name, row in actual.items()}
        if expected != found:
            wrong = sorted(set(expected.items()) ^ set(found.items()), key=repr)
            raise Violation(f"grants do not add up: {wrong}")
        totals = {(row[0], row[1]): row[2] for row in self.rows("SELECT account, month, micros FROM month_totals")}
        if totals != self.charged:
            raise Violation(f"the month's totals do not add up: {totals} and {dict(self.charged)}")

    def _standing(self, account: str) -> Standing:
        return self.standings.setdefault(account, Standing())

    def _grant(self, entry: sqlite3.Row, actual: dict[str, sqlite3.Row]) -> None:
        standing = self._standing(entry["account"])
        fresh = [
            row for name, row in actual.items() if name not in standing.grants and row["account"] == entry["account"]
        ]
        if len(fresh) != 1 or fresh[0]["granted_micros"] != entry["amount_micros"]:
            raise Violation(f"a credit in the ledger has no grant of its own: {dict(entry)}")
        name = fresh[0]["grant_id"]
        standing.grants[name] = [entry["amount_micros"], fresh[0]["expires_at"]]
        sent = {f"webhook:{webhook_id}": event["timestamp"] for webhook_id, event in self.town.sent}
        standing.granted[name] = sent.get(entry["event_key"])

    def _draw(self, entry: sqlite3.Row) -> None:
        left = entry["amount_micros"]
        grants = self._standing(entry["account"]).grants
        for name in sorted(grants, key=lambda one: (grants[one][1] or "9999", one)):
            if grants[name][1] is None or grants[name][1] > entry["at"]:
                part = min(left, grants[name][0])
                grants[name][0] -= part
                left -= part

    def _month(self, entry: sqlite3.Row) -> str:
        """The month in which a charge counts: that of its job's reservation, else its own."""
        caused = [
            row["reserved_at"]
            for row in self.known.values()
            if row["charge"] is not None
            and row["reserved_at"] is not None
            and json.loads(row["charge"])["event_key"] == entry["event_key"]
            and row["finished_at"] is not None
        ]
        return str(max(caused, default=entry["at"]))[:7]

    def _require_cause(self, entry: sqlite3.Row) -> None:
        kind, key = kind_of(entry["endpoint"]), str(entry["event_key"])
        job = None
        if key.startswith("job:"):
            job = self.known.get(key.removeprefix("job:"))
            caused = job is not None
        elif key.startswith("video:"):
            found = [row for row in self.known.values() if row["kind"] == "ingest" and key.endswith(row["video_id"])]
            job = found[0] if found else None
            kind, caused = "ingest", job is not None
        elif key.startswith("idem:"):
            caused = any(key == f"idem:{a}:{e}:{k}" and a == entry["account"] for a, e, k in self.keys)
        else:
            caused = self.requests.get(key.removeprefix("request:")) == entry["account"]
        if job is not None:
            applicable = job["answer"] is not None and json.loads(job["answer"]).get("applicable", True)
            caused = job["state"] == "complete" and job["account"] == entry["account"] and applicable
        if not caused:
            raise Violation(f"a charge without a cause: {dict(entry)}")
        if entry["amount_micros"] != PRICES[kind]:
            raise Violation(f"a charge of {entry['amount_micros']} for {kind}: {dict(entry)}")

    def _apply(self, event: dict[str, Any], actual: dict[str, sqlite3.Row]) -> None:
        standing, at = self._standing(event["account"]), event["timestamp"]
        match event["type"]:
            case "payment_method.attached" | "payment_method.detached":
                if _is_news(standing, "method", at):
                    standing.method = event["type"].endswith("attached")
            case "spend_cap.set":
                if _is_news(standing, "cap", at):
                    standing.cap = event["micros"]
            case "credit.expired":
                self._expire(standing, event, actual)

    def _expire(self, standing: Standing, event: dict[str, Any], actual: dict[str, sqlite3.Row]) -> None:
        """End what an expiry is about; what is due within the seconds by which clocks differ may be either way."""
        world, due_by, at = self.town.world, event["due_by"], event["timestamp"]
        present = [world.text(world.now - _SKEW), world.text(world.now + _SKEW)]
        for name, grant in standing.grants.items():
            if due_by is None:
                granted_at = standing.granted[name]
                spared = at is not None and granted_at is not None and granted_at > at
            else:
                spared = grant[1] is None or grant[1] > due_by
            if spared or (grant[1] is not None and grant[1] <= present[0]):
                continue
            expires_at: str | None = actual[name]["expires_at"] if name in actual else None
            if expires_at is not None and expires_at <= present[1]:
                grant[1] = expires_at
            elif grant[1] is None or grant[1] > present[1]:
                raise Violation(f"{name} has not ended with {event}")

    def can_pay(self, account: str, at: str, micros: int = 0, apart_from: str = "") -> bool:
        """Whether an account can pay so much beside what it has spent and what its jobs but one reserve."""
        if not self.rows("SELECT 1 FROM accounts WHERE account = ?", account):
            return False
        standing, spent = self._standing(account), self.charged[account, at[:7]]
        reserved = [
            (row["reserved_micros"], row["reserved_at"])
            for row in self.rows("SELECT * FROM jobs WHERE account = ? AND job_id <> ?", account, apart_from)
            if row["state"] not in ("complete", "failed") and row["reserved_at"] is not None
        ]
        in_month = sum(part for part, made in reserved if made[:7] == at[:7])
        if standing.cap is not None and (spent >= standing.cap or spent + in_month + micros > standing.cap):
            return False
        grants = standing.grants.values()
        credit = sum(left for left, expiry in grants if expiry is None or expiry > at)
        return standing.method or (credit > 0 and credit >= sum(part for part, _ in reserved) + micros)
