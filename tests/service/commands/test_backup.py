"""`workbench backup`: the service in one file, and back from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from workbench.cli.main import app
from workbench.errors import ParameterError


def run(home: Path, *arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments), "--home", str(home)])


def printed(home: Path, *arguments: object) -> Any:
    done = run(home, *arguments)
    assert done.exit_code == 0, (done.stderr, done.exception)
    return json.loads(done.stdout)


def test_accounts_and_ledgers_come_back(tmp_path: Path) -> None:
    home, other, file = tmp_path / "home", tmp_path / "other", tmp_path / "monday.tar"
    state = printed(home, "accounts", "update", "acme", "--credit", "25", "--credit-expires", "2099-01-01")
    made = printed(home, "backup", file)
    assert (made["file"], made["files"], made["missing"]) == (str(file), 0, [])
    done = printed(other, "backup", "--restore", file)
    assert (done["rows"], done["made_at"]) == (made["rows"], made["made_at"])
    assert printed(other, "accounts", "show", "acme") == state | {"spent_this_month_usd": 0}
    assert printed(other, "accounts", "ledger", "acme")["amount_usd"] == 25
    before = file.read_bytes()
    refused = run(home, "backup", file)
    assert isinstance(refused.exception, ParameterError)
    assert "--force" in str(refused.exception)
    assert file.read_bytes() == before
    assert printed(home, "backup", file, "--force")["made_at"] > made["made_at"]
    assert run(home, "backup", file, "--force", "--restore").exit_code == 2
    again = run(other, "backup", "--restore", file)
    assert isinstance(again.exception, ParameterError)
    assert "holds records already" in str(again.exception)
