"""Who may start work that costs: the spend cap first, then credit, then the payment method."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from service.errors import Problem
from service.money import funds
from service.prices import MINUTE, Prices
from service.store import accounts, api_keys, jobs, ledger, tables
from service.store.api_keys import Caller
from service.store.jobs import Fault, Job, NewJob
from service.store.ledger import Charge
from workbench.store.database import Database, now

pytestmark = pytest.mark.usefixtures("ada")

Book = Callable[..., bool]
"""books a charge or a grant of the account "ada"; False where the event is booked already"""


def caller(connection: Connection) -> Caller:
    """The caller with a new key of "ada"."""
    found = api_keys.find_caller(connection, api_keys.create(connection, "ada")[1])
    assert found is not None
    return found


def update(database: Database, **values: object) -> None:
    with database.write() as connection:
        accounts.update(connection, "ada", **values)


def refused(database: Database) -> str | None:
    try:
        with database.write() as connection:
            funds.check(connection, caller(connection))
    except Problem as problem:
        return f"{problem.status} {problem.message}"
    return None


@pytest.mark.parametrize("limit", [{"spend_cap_micros": 100_000}, {"payment_method": False}])
def test_a_check_waits_for_a_charge_that_counts_for_it(
    database: Database, charge: Book, grant: Book, limit: dict[str, object]
) -> None:
    """Of calls with several keys of an account, or at several machines, each sees what the others have cost."""
    update(database, **limit)
    grant("g1", 100_000)
    prices = Prices(calls={"POST /v1/loop": 100_000}, beats_minute=1, video_minute=1)

    def call(name: str) -> None:
        with database.write() as connection:
            funds.check(connection, caller(connection))
            ledger.charge(connection, Charge("ada", "POST /v1/loop", name, name), prices)

    with ThreadPoolExecutor(1) as other:
        with database.write() as connection:
            funds.check(connection, caller(connection))
            waiting = other.submit(call, "second")
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
            ledger.charge(connection, Charge("ada", "POST /v1/loop", "first", "first"), prices)
        with pytest.raises(Problem, match=r"reached|exhausted"):
            waiting.result(timeout=30)
    assert not charge("first")


LIMITS = pytest.mark.parametrize(
    "limit", [{"spend_cap_micros": 200_000}, {"payment_method": False}], ids=["cap", "credit"]
)
"""each leaves 0.20 USD with a grant of as much, which is two loops"""
BEATS = {"kind": "beats", "queue": jobs.BEATS, "endpoint": "POST /v1/beats", "unit": MINUTE}


def accept(database: Database, build: str, **more: object) -> Job:
    """Accept a loop of "ada", unless `more` says what else."""
    fields = {"kind": "loop", "queue": jobs.MAIN, "endpoint": "POST /v1/loop", "charge_key": "", **more}
    with database.write() as connection:
        new = NewJob(account="ada", build=build, **fields)  # type: ignore[arg-type]
        return funds.accept(connection, caller(connection), new)


def run(database: Database, billed: bool | None, quantity: int = 1) -> None:
    """Run the next job; None: it fails."""
    with database.write() as connection:
        job = jobs.claim(connection, [jobs.MAIN, jobs.BEATS], "worker", 60.0)
        assert job is not None
        if billed is None:
            assert jobs.fail(connection, job, Fault(500, "internal_error", "no"))
        else:
            assert jobs.complete(connection, job, {}, billed=billed, quantity=quantity)


@LIMITS
@pytest.mark.parametrize("billed", [None, False])
def test_an_accepted_job_reserves_its_price_until_it_is_settled(
    database: Database, grant: Book, limit: dict[str, object], billed: bool | None
) -> None:
    update(database, **limit)
    grant("g1", 200_000)
    first, _ = accept(database, "one"), accept(database, "two")
    assert accept(database, "one").job_id == first.job_id  # which reserves nothing more
    with pytest.raises(Problem, match=r"reached|exhausted"):
        accept(database, "three")
    run(database, billed)
    accept(database, "three")
    with pytest.raises(Problem, match=r"reached|exhausted"):
        accept(database, "four")
    run(database, True)
    run(database, True)
    with database.read() as connection:
        assert ledger.spent_in_month(connection, "ada", now()) == 200_000
    assert refused(database) is not None


@LIMITS
def test_calls_at_the_same_time_reserve_no_more_than_there_is(
    database: Database, grant: Book, limit: dict[str, object]
) -> None:
    update(database, **limit)
    grant("g1", 200_000)

    def submit(number: int) -> bool:
        try:
            accept(database, f"build {number}")
        except Problem:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(submit, range(16))) == 2


@LIMITS
def test_the_price_of_a_length_is_reserved_once_it_is_known(
    database: Database, grant: Book, limit: dict[str, object]
) -> None:
    """A beats job of 0.02 USD a minute."""
    update(database, **limit)
    grant("g1", 200_000)
    for build in ("one", "two", "three"):
        accept(database, build, **BEATS)
    with database.write() as connection:
        running = [jobs.claim(connection, [jobs.BEATS], "worker", 60.0) for _ in range(3)]
    one, two, three = [job for job in running if job is not None]
    reservations = ((one, 6, True), (two, 5, False), (two, 4, True), (one, 6, True), (three, 1, False), (one, 5, True))
    for job, minutes, fits in reservations:
        try:
            with database.write() as connection:
                funds.reserve(connection, job, minutes)
        except Problem:
            assert not fits
        else:
            assert fits
    with pytest.raises(Problem, match=r"reached|exhausted"):
        accept(database, "loop")
    update(database, payment_method=False, spend_cap_micros=0)  # whatever happens meanwhile
    with database.write() as connection:
        assert jobs.complete(connection, one, {}, billed=True, quantity=5)
        assert ledger.spent_in_month(connection, "ada", now()) == 100_000


def test_what_is_reserved_stays_reserved_whatever_the_account_does(database: Database) -> None:
    accept(database, "one", **BEATS)
    with database.write() as connection:
        job = jobs.claim(connection, [jobs.BEATS], "worker", 60.0)
        assert job is not None
        funds.reserve(connection, job, 3)
    update(database, payment_method=False, spend_cap_micros=0)
    with database.write() as connection:
        funds.reserve(connection, job, 3)
        with pytest.raises(Problem, match=funds.CAP_REACHED):
            funds.reserve(connection, job, 4)


def test_a_charge_is_stored_as_the_version_before_reads_it(database: Database) -> None:
    job = accept(database, "loop")
    with database.read() as connection:
        stored = connection.scalar(tables.jobs.select().with_only_columns(tables.jobs.c.charge))
    assert set(json.loads(str(stored))) == {"account", "endpoint", "subject", "event_key", "quantity", "unit"}
    assert job.charge is not None


def test_a_call_that_was_charged_under_its_key_reserves_nothing(database: Database, charge: Book) -> None:
    update(database, spend_cap_micros=200_000)
    charge("idem:ada")
    accept(database, "again", charge_key="idem:ada")
    accept(database, "other")
    with pytest.raises(Problem, match=funds.CAP_REACHED):
        accept(database, "third")


def test_a_reservation_counts_in_the_month_in_which_it_is_made(database: Database) -> None:
    update(database, spend_cap_micros=100_000)
    last = accept(database, "last month's")
    with database.write() as connection:
        connection.execute(
            tables.jobs.update().where(tables.jobs.c.job_id == last.job_id).values(reserved_at="2001-01-31T23:59:59")
        )
    accept(database, "this month's")
    for _ in range(2):
        run(database, True)
    with database.read() as connection:
        assert ledger.spent_in_month(connection, "ada", "2001-01") == 100_000
        assert ledger.spent_in_month(connection, "ada", now()) == 100_000


def test_a_ledger_row_names_the_key_of_its_call(database: Database) -> None:
    accept(database, "loop")
    with database.read() as connection:
        (job,) = jobs.find(connection, account="ada")
    run(database, True)
    with database.read() as connection:
        (entry,) = ledger.entries(connection, "ada")
        assert entry.key_id == job.key_id
        assert entry.key_id in {key.key_id for key in api_keys.list_all(connection)}


def test_an_unknown_account_pays_with_nothing(database: Database) -> None:
    with database.read() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        funds.check_account(connection, "nobody")
