"""`workbench accounts`: billing states and ledgers."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.store import api_keys, ledger
from service.store.ledger import Charge
from service.store.tables import open_database
from workbench.cli.main import app
from workbench.errors import ParameterError
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

Told = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """What `workbench accounts` prints, object by object; there is an account, acme."""
    CliRunner().invoke(app, ["keys", "create", "--account", "acme", "--home", str(tmp_path)])

    def call(*arguments: str) -> list[dict[str, Any]]:
        done = CliRunner().invoke(app, ["accounts", *arguments, "--home", str(tmp_path)])
        assert done.exit_code == 0, (done.stderr, done.exception)
        if arguments[0] in ("ledger", "list"):
            return [json.loads(line) for line in done.stdout.splitlines()]
        return [json.loads(done.stdout)]

    return call


def charged(home: Path, account: str, times: int) -> None:
    """Book loops, ten cents each."""
    database = open_database(Home(home), WorkbenchSettings(home=home))
    with database.write() as connection:
        for number in range(times):
            ledger.charge(connection, Charge(account, "POST /v1/loop", f"job_{number}", f"job:{number}"))
    database.close()


@pytest.mark.parametrize("account", ["acme", "zebra"])
def test_a_new_account_has_a_payment_method_no_credit_and_no_cap(told: Told, account: str) -> None:
    (state,) = told("update", account)
    assert state | {
        "payment_method": True, "credit_usd": 0, "credit_expires_at": None, "spend_cap_usd": None, "preview": False,
    } == state  # fmt: skip
    assert told("show", account) == [state | {"spent_this_month_usd": 0}]


def test_update_changes_what_it_names_and_nothing_else(told: Told) -> None:
    told("update", "acme", "--no-payment-method", "--spend-cap", "12.5")
    (state,) = told("update", "acme", "--credit", "3", "--credit-expires", "2099-01-01T00:00:00Z")
    assert (state["payment_method"], state["spend_cap_usd"], state["credit_usd"]) == (False, 12.5, 3)
    assert state["credit_expires_at"].startswith("2099-01-01T00:00:00")
    (state,) = told("update", "acme", "--payment-method", "--no-spend-cap")
    assert (state["payment_method"], state["spend_cap_usd"], state["credit_usd"]) == (True, None, 3)
    (state,) = told("update", "acme", "--credit-expires", "2098-01-01")
    assert state["credit_expires_at"].startswith("2098-01-01")


def test_a_grant_of_nothing_is_refused_and_ends_no_other(told: Told, tmp_path: Path) -> None:
    told("update", "acme", "--credit", "16.10")
    arguments = ["accounts", "update", "acme", "--credit", "0", "--credit-expires", "2020-01-01"]
    done = CliRunner().invoke(app, [*arguments, "--home", str(tmp_path)])
    assert done.exit_code == 2
    assert "--credit 0 grants nothing" in done.stderr
    assert told("show", "acme")[0]["credit_usd"] == 16.1


def test_a_grant_that_has_expired_already_is_refused_in_one_line(told: Told, tmp_path: Path) -> None:
    told("update", "acme", "--credit", "16.10")
    past = ("--credit", "5", "--credit-expires", "2020-01-01")
    done = CliRunner().invoke(app, ["accounts", "update", "acme", *past, "--home", str(tmp_path)])
    assert isinstance(done.exception, ParameterError)
    assert "2020-01-01" in str(done.exception)
    assert done.stdout == ""
    (state,) = told("show", "acme")
    assert (state["credit_usd"], state["credit_expires_at"]) == (16.1, None)


def test_grants_are_printed_in_the_order_in_which_they_are_drawn(told: Told) -> None:
    told("update", "acme", "--credit", "1")
    told("update", "acme", "--credit", "2", "--credit-expires", "2099-01-01")
    (state,) = told("update", "acme", "--credit", "3", "--credit-expires", "2098-01-01")
    assert state["credit_usd"] == 6
    assert state["credit_expires_at"].startswith("2098")
    assert [grant["left_usd"] for grant in state["credit_grants"]] == [3, 2, 1]
    (state,) = told("update", "acme", "--credit-expires", "2020-01-01")
    assert (state["credit_usd"], state["credit_expires_at"], state["credit_grants"]) == (0, None, [])


def test_every_account_is_listed_by_name(told: Told, tmp_path: Path) -> None:
    told("update", "zebra", "--credit", "3")
    charged(tmp_path, "acme", 1)
    rows = told("list")
    assert [row["account"] for row in rows] == ["acme", "zebra"]
    assert [(row["credit_usd"], row["spent_this_month_usd"]) for row in rows] == [(0, 0.1), (3, 0)]
    assert rows == [told("show", account)[0] for account in ("acme", "zebra")]


def test_the_ledger_is_one_object_a_line_oldest_first(told: Told, tmp_path: Path) -> None:
    told("update", "acme", "--credit", "0.15")
    charged(tmp_path, "acme", 2)
    rows = told("ledger", "acme")
    assert [row["event"] for row in rows] == ["credit", "charge", "charge"]
    fields = {"event", "endpoint", "subject", "quantity", "unit", "amount_usd", "at"}
    assert all(set(row) == fields for row in rows)
    assert rows[0]["amount_usd"] == 0.15
    one = {"event": "charge", "endpoint": "POST /v1/loop", "quantity": 1, "unit": "call", "amount_usd": 0.1}
    assert [row | one for row in rows[1:]] == rows[1:]
    assert [row["subject"] for row in rows[1:]] == ["job_0", "job_1"]
    (state,) = told("show", "acme")
    assert (state["credit_usd"], state["spent_this_month_usd"]) == (0, 0.2)


@pytest.mark.parametrize(
    "options",
    [
        ("--credit", "-1"), ("--credit", "much"), ("--credit", "nan"), ("--spend-cap", "1e99"),
        ("--credit", "1", "--credit-expires", "soon"), ("--spend-cap", "1", "--no-spend-cap"),
    ],
)  # fmt: skip
def test_wrong_usage_exits_2(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert CliRunner().invoke(app, ["accounts", "update", "acme", *options, "--home", str(tmp_path)]).exit_code == 2


@pytest.mark.parametrize("what", ["show", "ledger"])
def test_an_unknown_account_fails_in_one_line(tmp_path: Path, what: str) -> None:
    done = CliRunner().invoke(app, ["accounts", what, "nobody", "--home", str(tmp_path)])
    assert isinstance(done.exception, ParameterError)
    assert "nobody" in str(done.exception)
    assert "keys create" in str(done.exception)
    assert done.stdout == ""


def test_an_account_that_update_makes_is_said_to_be_new(tmp_path: Path) -> None:
    def update(*options: str) -> Result:
        return CliRunner().invoke(app, ["accounts", "update", "amce", *options, "--home", str(tmp_path)])

    first = update("--credit", "5")
    assert first.exit_code == 0
    assert "no account 'amce'" in first.stderr
    assert json.loads(first.stdout) | {"payment_method": True, "credit_usd": 5, "spend_cap_usd": None} == json.loads(
        first.stdout
    )
    assert update("--spend-cap", "5").stderr == ""


def test_a_name_that_no_account_can_have_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["accounts", "update", "a b", "--home", str(tmp_path)])
    assert isinstance(done.exception, ParameterError)
    assert done.stdout == ""


def test_an_account_is_moved_to_another_home(told: Told, tmp_path: Path) -> None:
    told("update", "acme", "--credit", "3")
    charged(tmp_path, "acme", 2)
    file = tmp_path / "acme.tar"
    (made,) = told("export", "acme", str(file))
    assert made["account"] == "acme"
    again = CliRunner().invoke(app, ["accounts", "export", "acme", str(file), "--home", str(tmp_path)])
    assert isinstance(again.exception, ParameterError)
    other = ["--home", str(tmp_path / "other")]
    done = CliRunner().invoke(app, ["accounts", "import", str(file), *other])
    assert done.exit_code == 0, (done.stderr, done.exception)
    assert json.loads(done.stdout)["rows"] == made["rows"]
    moved = CliRunner().invoke(app, ["accounts", "show", "acme", *other])
    assert [json.loads(moved.stdout)] == told("show", "acme")
    twice = CliRunner().invoke(app, ["accounts", "import", str(file), *other])
    assert isinstance(twice.exception, ParameterError)


def test_an_account_goes_from_database_to_database_and_back_unchanged(postgres: Any, tmp_path: Path) -> None:
    """SQLite, two on PostgreSQL, SQLite: the state, the ledger to the micro-dollar, the key that opens no more."""
    places = [(tmp_path / "first", None), (tmp_path / "b", postgres.url()), (tmp_path / "c", postgres.url())]
    places.append((tmp_path / "last", None))

    def workbench(place: tuple[Path, str | None], *arguments: str) -> str:
        home, url = place
        done = CliRunner().invoke(app, [*arguments, "--home", str(home)], env={"WORKBENCH_DATABASE_URL": url})
        assert done.exit_code == 0, (done.stderr, done.exception)
        return done.stdout

    key = workbench(places[0], "keys", "create", "--account", "acme").strip()
    workbench(places[0], "accounts", "update", "acme", "--credit", "0.25", "--credit-expires", "2099-01-01T00:00:00Z")
    workbench(places[0], "accounts", "update", "acme", "--credit", "3", "--spend-cap", "12.5", "--no-payment-method")
    charged(places[0][0], "acme", 3)
    told = {what: workbench(places[0], "accounts", what, "acme") for what in ("show", "ledger")}
    for number, (source, target) in enumerate(pairwise(places)):
        file = str(tmp_path / f"{number}.tar")
        workbench(source, "accounts", "export", "acme", file)
        workbench(target, "accounts", "import", file)
        assert {what: workbench(target, "accounts", what, "acme") for what in told} == told
        database = open_database(Home(target[0]), WorkbenchSettings(database_url=target[1]))
        with database.read() as connection:
            assert [one.account for one in api_keys.list_all(connection)] == ["acme"]
            assert api_keys.find_caller(connection, key) is None
        database.close()
