"""`workbench keys`: made, listed, revoked and rotated, on a home folder that starts empty."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.store import api_keys
from service.store.tables import open_database
from workbench.cli.main import app
from workbench.errors import ParameterError
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


@pytest.fixture
def workbench(tmp_path: Path) -> Callable[..., Result]:
    """Run a command line on an empty home folder."""
    return lambda *arguments: CliRunner().invoke(app, [*arguments, "--home", str(tmp_path)])


def listed(workbench: Callable[..., Result]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in workbench("keys", "list").stdout.splitlines()]


def caller(home: Path, secret: str) -> api_keys.Caller | None:
    """Whom the service takes the holder of a key for."""
    database = open_database(Home(home), WorkbenchSettings(home=home))
    with database.read() as connection:
        found = api_keys.find_caller(connection, secret)
    database.close()
    return found


@pytest.mark.parametrize(("expires", "told"), [("2020-01-01", True), ("2099-01-01", False)])
def test_create_says_of_a_key_whose_time_is_over_that_it_opens_nothing(
    workbench: Callable[..., Result], tmp_path: Path, expires: str, told: bool
) -> None:
    done = workbench("keys", "create", "--account", "acme", "--expires", expires)
    assert done.exit_code == 0
    assert ("every call with it answers 401" in done.stderr) == told
    assert (caller(tmp_path, done.stdout.strip()) is None) == told


def test_create_prints_the_key_alone_on_one_line(workbench: Callable[..., Result], tmp_path: Path) -> None:
    done = workbench("keys", "create", "--account", "acme")
    assert done.exit_code == 0
    secret = done.stdout.removesuffix("\n")
    assert secret.startswith("sk_live_")
    assert "\n" not in secret
    assert secret not in done.stderr
    found = caller(tmp_path, secret)
    assert found is not None
    assert (found.account, found.preview) == ("acme", False)
    assert caller(tmp_path, secret + "x") is None


def test_list_shows_all_but_the_key_itself(workbench: Callable[..., Result]) -> None:
    secret = workbench("keys", "create", "--account", "acme", "--expires", "2099-01-01T02:00:00+02:00").stdout.strip()
    workbench("keys", "create", "--account", "zebra")
    rows = listed(workbench)
    assert [row["account"] for row in rows] == ["acme", "zebra"]
    assert set(rows[0]) == {"key_id", "account", "created_at", "expires_at", "revoked_at", "last_used_at"}
    assert rows[0]["expires_at"] == "2099-01-01T00:00:00.000000+00:00"
    assert rows[1]["expires_at"] is rows[0]["revoked_at"] is rows[0]["last_used_at"] is None
    assert secret not in workbench("keys", "list").stdout


def test_preview_grants_the_account_previews(workbench: Callable[..., Result], tmp_path: Path) -> None:
    plain = workbench("keys", "create", "--account", "acme").stdout.strip()
    workbench("keys", "create", "--account", "acme", "--preview")
    found = caller(tmp_path, plain)
    assert found is not None
    assert found.preview


def test_a_revoked_key_is_nobodys_and_stays_so(workbench: Callable[..., Result], tmp_path: Path) -> None:
    secret = workbench("keys", "create", "--account", "acme").stdout.strip()
    key_id = listed(workbench)[0]["key_id"]
    first = json.loads(workbench("keys", "revoke", key_id).stdout)
    assert first["revoked_at"]
    assert json.loads(workbench("keys", "revoke", key_id).stdout) == first
    assert caller(tmp_path, secret) is None
    assert workbench("keys", "rotate", key_id).exit_code != 0


def test_rotate_prints_a_new_key_of_the_same_account_and_expiry(
    workbench: Callable[..., Result], tmp_path: Path
) -> None:
    arguments = ("keys", "create", "--account", "acme", "--preview", "--expires", "2099-01-01")
    old = workbench(*arguments).stdout.strip()
    new = workbench("keys", "rotate", listed(workbench)[0]["key_id"]).stdout.strip()
    assert new.startswith("sk_live_")
    assert caller(tmp_path, old) is None
    found = caller(tmp_path, new)
    assert found is not None
    assert (found.account, found.preview) == ("acme", True)
    first, second = listed(workbench)
    assert first["revoked_at"]
    assert second["expires_at"] == first["expires_at"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("create",), ("create", "--account", "a", "--expires", "soon"), ("revoke",),
        ("create", "--account", "a", "--expires", "9999-12-31T23:59:59-14:00"),
    ],
)  # fmt: skip
def test_wrong_usage_exits_2(workbench: Callable[..., Result], arguments: tuple[str, ...]) -> None:
    assert workbench("keys", *arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [("revoke", "nobody"), ("rotate", "nobody"), ("create", "--account", "a b")])
def test_what_is_not_there_fails_in_one_line(workbench: Callable[..., Result], arguments: tuple[str, ...]) -> None:
    done = workbench("keys", *arguments)
    assert isinstance(done.exception, ParameterError)
    assert "\n" not in str(done.exception)
    assert done.stdout == ""
