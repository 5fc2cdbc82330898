"""Jobs as rows: accepted once, claimed in turn, settled by whoever holds them and by nobody else."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest
import sqlalchemy as sa

from service.store import answers, jobs, ledger, tables
from service.store.jobs import Fault, Job, NewJob, StoredAnswer
from workbench.store.clock import now
from workbench.store.database import Database

LOOP = "POST /v1/loop"
LEASE = 30.0


def new(build: str = "b", account: str = "ada", **more: Any) -> NewJob:
    given: dict[str, Any] = {"kind": "loop", "queue": jobs.MAIN, "endpoint": LOOP, "charge_key": ""} | more
    return NewJob(account=account, build=build, **given)


def submit(database: Database, *given: NewJob) -> list[Job]:
    with database.write() as connection:
        return [jobs.submit(connection, one) for one in given]


def claim(database: Database, owner: str = "w1", lease: float = LEASE, queues: tuple[str, ...] = (jobs.MAIN,)) -> Any:
    with database.write() as connection:
        return jobs.claim(connection, queues, owner, lease, last=("engine",))


def complete(database: Database, job: Job, answer: dict[str, Any] | None = None, **more: Any) -> bool:
    with database.write() as connection:
        return jobs.complete(connection, job, answer or {"ok": True}, billed=more.pop("billed", True), **more)


def read(database: Database, job: Job) -> Job:
    with database.read() as connection:
        found = jobs.get(connection, job.job_id)
    assert found is not None
    return found


def ledger_of(database: Database, account: str = "ada") -> list[ledger.LedgerEntry]:
    with database.read() as connection:
        return ledger.entries(connection, account)


def end_lease(database: Database, job: Job) -> None:
    with database.write() as connection:
        change = tables.jobs.update().where(tables.jobs.c.job_id == job.job_id)
        connection.execute(change.values(lease_until=now(-1)))


def test_a_job_goes_from_queue_to_answer_and_ledger(database: Database) -> None:
    (job,) = submit(database, new(request={"auto_mix": False}, video_id="vid_1", track_id="trk_1"))
    assert (job.state, job.stage, job.attempt, job.request) == ("queued", "queued", 0, {"auto_mix": False})
    held = claim(database)
    assert (held.job_id, held.state, held.attempt, held.owner) == (job.job_id, "running", 1, "w1")
    assert complete(database, held, {"plan": [1, 2]}, stored=[StoredAnswer("loop:1", "loop", {"plan": [1]})])
    done = read(database, job)
    assert (done.state, done.answer, done.settled) == ("complete", {"plan": [1, 2]}, True)
    assert done.created_at <= str(done.started_at) <= str(done.finished_at)
    (entry,) = ledger_of(database)
    assert (entry.subject, entry.endpoint, entry.quantity, entry.unit) == (job.job_id, LOOP, 1, "call")
    assert entry.event_key == f"job:{job.job_id}"
    with database.read() as connection:
        assert answers.use(connection, "loop:1") == {"plan": [1]}


def test_an_account_has_one_unsettled_job_a_build(database: Database) -> None:
    first, same, other_build, other_account, other_kind = submit(
        database, new(), new(), new("c"), new(account="bob"), new(kind="align")
    )
    assert first.job_id == same.job_id
    assert len({job.job_id for job in (first, other_build, other_account, other_kind)}) == 4
    assert complete(database, claim(database))
    (again,) = submit(database, new())
    assert again.job_id != first.job_id


def test_submits_at_once_make_one_job(database: Database) -> None:
    ids: list[str] = []
    barrier = Barrier(6)

    def call() -> None:
        barrier.wait()
        ids.extend(job.job_id for job in submit(database, new()))

    callers = [Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(ids) == 6
    assert len(set(ids)) == 1


def test_a_second_call_may_ask_the_running_job_for_a_mix_too(database: Database) -> None:
    submit(database, new(request={"auto_mix": False}))
    held = claim(database)
    (same,) = submit(database, new(request={"auto_mix": True}))
    assert (same.job_id, same.request) == (held.job_id, {"auto_mix": True})
    assert not complete(database, held)  # what was built is not all that is asked for now
    assert ledger_of(database) == []
    assert complete(database, read(database, held))
    assert len(ledger_of(database)) == 1


def test_jobs_of_one_build_do_not_run_side_by_side(database: Database) -> None:
    submit(database, new(), new(account="bob"))
    held = claim(database)
    assert held.account == "ada"
    assert claim(database, "w2") is None
    with database.read() as connection:
        assert not jobs.has_claimable(connection, [jobs.MAIN], "w2", LEASE)
    assert complete(database, held)
    with database.read() as connection:
        assert jobs.has_claimable(connection, [jobs.MAIN], "w2", LEASE)
    assert claim(database, "w2").account == "bob"


def test_other_choices_are_another_job_of_the_same_build(database: Database) -> None:
    plain, same, sync = submit(database, new(choices="0.4"), new(choices="0.4"), new(choices="1.4"))
    assert plain.job_id == same.job_id != sync.job_id
    (ahead,) = submit(database, new(account="bob"))
    held = claim(database)
    assert claim(database, "w2") is None
    assert complete(database, held)
    held = claim(database, "w2")
    assert claim(database) is None
    assert complete(database, held)
    held = claim(database)
    assert held is not None
    assert {read(database, job).state for job in (plain, sync, ahead)} == {"complete", "running"}


def test_accounts_take_turns_oldest_job_first(database: Database) -> None:
    given = [new(f"{account}{number}", account=account) for account in ("ada", "bob", "eve") for number in range(3)]
    accepted = submit(database, *given)
    order = []
    for _ in given:
        held = claim(database)
        order.append(held)
        assert complete(database, held)
    assert [job.account for job in order] == ["ada", "bob", "eve"] * 3
    for account in ("ada", "bob", "eve"):
        served = [job.job_id for job in order if job.account == account]
        assert served == [job.job_id for job in accepted if job.account == account]


def test_the_account_with_fewest_jobs_running_comes_first(database: Database) -> None:
    submit(database, *(new(f"a{number}") for number in range(3)), *(new(f"b{n}", account="bob") for n in range(3)))
    held = [claim(database, f"w{number}") for number in range(3)]
    assert sorted(job.account for job in held) == ["ada", "ada", "bob"]
    for job in held:
        if job.account == "ada":
            complete(database, job)
    assert [claim(database).account for _ in range(3)] == ["ada", "bob", "bob"]


def test_where_others_wait_no_account_is_given_more_than_half_of_the_slots(database: Database) -> None:
    """Of five slots of as many workers three at most, also of the jobs that a dead worker had when nobody waited."""
    submit(database, *(new(f"a{number}") for number in range(20)))
    for _ in range(5):
        end_lease(database, claim(database, "dead"))
    submit(database, *(new(f"b{number}", account="bob") for number in range(12)), new("c", account="eve"))
    barrier, given = Barrier(5), list[tuple[str, int, set[str]]]()

    def work(owner: str) -> None:
        alive, waits = tables.jobs.c.owner != "dead", tables.jobs.c.state == "queued"
        for _ in range(6):
            barrier.wait()  # all hold a job now or none does, and all claim at once
            with database.write() as connection:
                held = jobs.claim(connection, [jobs.MAIN], owner, LEASE)
                assert held is not None
                mine = (tables.jobs.c.account == held.account) & (tables.jobs.c.state == "running")
                count = connection.scalar(sa.select(sa.func.count()).where(mine, alive))
                waiting = set(connection.scalars(sa.select(tables.jobs.c.account).where(waits)))
            given.append((held.account, count or 0, waiting - {held.account}))
            barrier.wait()
            assert complete(database, held)

    workers = [Thread(target=work, args=(f"w{number}",)) for number in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(given) == 30
    assert [one for one in given if one[1] > 3 and one[2]] == []
    assert max(count for _, count, others in given if not others) == 5  # alone, an account is given all of them


def test_a_dead_workers_job_is_taken_over_and_not_counted_as_its_crash(database: Database) -> None:
    submit(database, new())
    dead = claim(database, "dead")
    assert claim(database, "w2") is None
    end_lease(database, dead)
    taken = claim(database, "w2")
    assert (taken.job_id, taken.attempt, taken.crashes, taken.owner) == (dead.job_id, 2, 0, "w2")
    assert taken.started_at == dead.started_at


@pytest.mark.parametrize(("ahead", "is_taken"), [(-60.0, False), (60.0, True)], ids=["skew", "set back"])
def test_a_lease_of_a_clock_that_was_set_back_does_not_block_its_job(
    database: Database, ahead: float, is_taken: bool
) -> None:
    submit(database, new())
    held = claim(database, "dead", lease=LEASE + jobs.MOST_SKEW_SECONDS + ahead)
    with database.read() as connection:
        assert jobs.has_claimable(connection, [jobs.MAIN], "w2", LEASE) is is_taken
        assert not jobs.has_claimable(connection, [jobs.MAIN], "dead", LEASE)  # its own it will renew
    taken = claim(database, "w2")
    assert (taken is not None) is is_taken
    assert complete(database, held) is not is_taken


def test_what_a_worker_holds_and_does_not_know_is_queued_again(database: Database) -> None:
    submit(database, new("b1"))
    known = claim(database, "w1")
    submit(database, new("b2"))
    unknown = claim(database, "w1")
    with database.write() as connection:
        assert jobs.give_up_unknown(connection, "w1", {known.job_id}) == 1
        assert jobs.give_up_unknown(connection, "w1", {known.job_id}) == 0
        assert jobs.renew_lease(connection, known, LEASE, "decoding")
        assert not jobs.renew_lease(connection, unknown, LEASE, "decoding")
    assert claim(database, "w1").job_id == unknown.job_id


def test_who_lost_a_job_changes_nothing_any_more(database: Database) -> None:
    submit(database, new())
    late = claim(database, "late")
    end_lease(database, late)
    taken = claim(database, "w2")
    with database.write() as connection:
        assert not jobs.renew_lease(connection, late, LEASE, "decoding")
        assert not jobs.fail(connection, late, Fault(500, "internal_error", "late"))
        assert not jobs.give_back(connection, late)
        assert not jobs.put_back_crashed(connection, late)
        assert not jobs.postpone(connection, late, 1.0)
    assert not complete(database, late, stored=[StoredAnswer("k", "loop", {})])
    assert ledger_of(database) == []
    with database.read() as connection:
        assert answers.use(connection, "k") is None
    assert complete(database, taken)
    assert not complete(database, taken)
    assert len(ledger_of(database)) == 1


def test_a_late_worker_beats_again_before_it_is_taken_over(database: Database) -> None:
    submit(database, new())
    held = claim(database)
    end_lease(database, held)
    assert claim(database) is None  # not by itself
    with database.write() as connection:
        assert jobs.renew_lease(connection, held, LEASE, "planning")
    assert claim(database, "w2") is None
    assert read(database, held).stage == "planning"


def test_a_job_given_back_is_claimed_again_and_one_that_crashed_is_counted(database: Database) -> None:
    submit(database, new())
    with database.write() as connection:
        held = jobs.claim(connection, [jobs.MAIN], "w1", LEASE)
        assert held is not None
        assert jobs.give_back(connection, held)
    again = claim(database)
    assert (again.attempt, again.crashes) == (2, 0)
    with database.write() as connection:
        assert jobs.put_back_crashed(connection, again)
    assert claim(database).crashes == 1


def test_a_job_waits_until_its_video_is_settled(database: Database) -> None:
    submit(database, new(video_id="vid_1"))
    early = claim(database)
    with database.write() as connection:
        assert jobs.postpone(connection, early, 60.0, begun=False)
    assert claim(database) is None
    with database.write() as connection:
        assert jobs.release(connection, "vid_2") == 0
        assert jobs.release(connection, "vid_1") == 1
    held = claim(database)
    with database.write() as connection:
        assert jobs.postpone(connection, held, -1.0)
    assert claim(database).attempt == 2  # its time has come


def test_beats_that_waited_too_long_expire_unbilled(database: Database) -> None:
    begun, _, waiting = submit(
        database, *(new(f"b{n}", kind="beats", queue=jobs.BEATS, endpoint="POST /v1/beats") for n in range(3))
    )
    claim(database, queues=(jobs.BEATS,))
    with database.write() as connection:
        assert jobs.expire(connection, "beats", 60.0) == 0
        assert jobs.expire(connection, "beats", -60.0) == 2
    assert read(database, begun).state == "running"
    gone = read(database, waiting)
    assert gone.state == "failed"
    assert gone.fault is not None
    assert gone.fault["status"] == 422
    assert ledger_of(database) == []


def test_beats_that_waited_too_long_after_their_fetch_expire_unbilled(database: Database) -> None:
    names = ("waiting", "begun")
    waiting, begun = submit(
        database, *(new(n, kind="beats", queue=jobs.FETCH, endpoint="POST /v1/beats") for n in names)
    )
    for _ in names:
        fetched = claim(database, queues=(jobs.FETCH,))
        with database.write() as connection:
            assert jobs.hand_over(connection, fetched, jobs.BEATS)
    with database.write() as connection:  # begun is the one to be run, and given back
        connection.execute(tables.jobs.update().where(tables.jobs.c.job_id == waiting.job_id).values(created_at=now(1)))
    run = claim(database, queues=(jobs.BEATS,))
    assert run.job_id == begun.job_id
    with database.write() as connection:
        assert jobs.give_back(connection, run)
        assert jobs.expire(connection, "beats", 60.0) == 0
        assert jobs.expire(connection, "beats", -60.0) == 1
    assert read(database, begun).state == "queued"
    gone = read(database, waiting)
    assert (gone.state, (gone.fault or {})["status"]) == ("failed", 422)
    assert claim(database, queues=(jobs.BEATS,)).job_id == begun.job_id
    assert ledger_of(database) == []


def test_a_completion_that_cannot_be_booked_completes_nothing(database: Database) -> None:
    submit(database, new(endpoint="POST /v1/nothing"))
    held = claim(database)
    with pytest.raises(ValueError, match="not sold"):
        complete(database, held)
    assert read(database, held).state == "running"


def test_a_failure_is_remembered_by_its_build_for_a_while(database: Database) -> None:
    (job,) = submit(database, new("preview:1", kind="preview", charge_key=None))
    held = claim(database)
    with database.write() as connection:
        assert jobs.find_recently_settled(connection, "preview", "preview:1", "ada") is None
        assert jobs.fail(connection, held, jobs.Fault(404, "not_found", "no sound"))
        found = jobs.find_recently_settled(connection, "preview", "preview:1", "ada")
        assert found is not None
        assert (found.job_id, found.fault) == (job.job_id, {"status": 404, "type": "not_found", "message": "no sound"})
        assert jobs.find_recently_settled(connection, "preview", "preview:2", "ada") is None
        connection.execute(tables.jobs.update().values(finished_at=now(-61)))
        assert jobs.find_recently_settled(connection, "preview", "preview:1", "ada") is None


def test_depths_tell_what_waits(database: Database) -> None:
    first, *_ = submit(database, new("a"), new("b"), new("c", kind="beats", queue=jobs.BEATS))
    claim(database)
    with database.read() as connection:
        depths = jobs.depths(connection)
    assert [(d.queue, d.kind, d.state, d.count) for d in depths] == [
        ("beats", "beats", "queued", 1),
        ("main", "loop", "queued", 1),
        ("main", "loop", "running", 1),
    ]
    assert min(depth.oldest_at for depth in depths) == first.created_at


def test_what_nobody_waits_for_comes_last(database: Database) -> None:
    submit(database, new("ahead", kind="engine", charge_key=None), new("asked"))
    assert claim(database).kind == "loop"
    with database.write() as connection:
        assert jobs.claim(connection, [jobs.MAIN], "w1", LEASE, kinds=("loop",)) is None
    assert claim(database).kind == "engine"


def test_a_job_of_long_sound_waits_as_one_that_has_run(database: Database) -> None:
    submit(database, new("long", kind="beats", queue=jobs.BEATS, endpoint="POST /v1/beats"))
    short = claim(database, queues=(jobs.BEATS,))
    with database.write() as connection:
        assert jobs.hand_over(connection, short, jobs.LONG_BEATS)
        assert jobs.waiting_in(connection, jobs.LONG_BEATS) == {short.job_id}
        assert jobs.expire(connection, "beats", -60.0) == 0
    waiting = read(database, short)
    assert (waiting.queue, waiting.state, waiting.stage) == (jobs.LONG_BEATS, "queued", jobs.QUEUED_STAGE)


def test_a_job_that_is_run_again_reserves_in_the_month_of_that(database: Database) -> None:
    for build, micros in (("a call", 100_000), ("a length", 0)):
        with database.write() as connection:
            made = jobs.submit(connection, new(build), reserved_micros=micros)
        held = claim(database)
        with database.write() as connection:
            assert jobs.fail(connection, held, Fault(500, "internal_error", "no"))
            connection.execute(tables.jobs.update().values(reserved_at="2001-01-31T00:00:00"))
            assert jobs.queue_again(connection, held, jobs.MAIN)
        again = read(database, made)
        assert (again.reserved_at is None) == (micros == 0)
        assert again.reserved_at is None or again.reserved_at > "2001-02"
        assert claim(database).job_id == made.job_id


def test_a_fetched_job_is_handed_to_the_queue_of_its_kind(database: Database) -> None:
    for kind, queue in (("ingest", jobs.MAIN), ("beats", jobs.BEATS)):
        submit(database, NewJob(kind, jobs.FETCH, "ada", f"{kind}:1", charge_key=""))
        assert claim(database) is None
        fetching = claim(database, queues=(jobs.FETCH,))
        with database.write() as connection:
            assert jobs.hand_over(connection, fetching, queue)
            assert not jobs.hand_over(connection, fetching, queue)
        fetched = read(database, fetching)
        assert (fetched.queue, fetched.state, fetched.stage) == (queue, "queued", jobs.FETCHING_STAGE)
        assert claim(database, queues=(jobs.FETCH,)) is None
        assert claim(database, queues=(queue,)).job_id == fetching.job_id
