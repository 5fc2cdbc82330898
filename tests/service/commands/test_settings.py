"""`workbench settings`: every setting with its value and meaning, and no secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from workbench.cli.main import app


def printed(home: Path, **environment: str) -> dict[str, dict[str, Any]]:
    done = CliRunner().invoke(app, ["settings", "--home", str(home)], env=environment)
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(set(row) == {"setting", "value", "meaning"} for row in rows)
    return {row["setting"]: row for row in rows}


def test_secrets_stay_hidden(tmp_path: Path) -> None:
    rows = printed(
        tmp_path, WORKBENCH_WEBHOOK_SECRET=f"whsec_{'opensesame' * 4}", WORKBENCH_API_KEY="sk_live_opensesame",
        WORKBENCH_DATABASE_URL="postgresql+psycopg://ann:opensesame@localhost/x",
    )  # fmt: skip
    assert "opensesame" not in json.dumps(rows)
    assert rows["WORKBENCH_WEBHOOK_SECRET"]["value"] == "(set)"
    assert rows["WORKBENCH_DATABASE_URL"]["value"].startswith("postgresql+psycopg://ann:***@")
