"""What the sweep takes away, and what it leaves."""

from __future__ import annotations

import os
import time
from pathlib import Path

from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store import claims, repeats, tables
from service.store.claims import Claim
from service.store.moments import moment
from workbench.home import Home
from workbench.store.database import Database

DAYS = 86_400.0


def test_only_what_nobody_asks_for_any_more_is_removed(database: Database, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    uploads = home.prepared(home.uploads)
    ages = {"old": 2.0, "late": 0.5, "taken": 2.0}
    with database.write() as connection:
        for name, days in ages.items():
            status = "processing" if name == "taken" else "awaiting_upload"
            claims.create(connection, Claim(f"vid_{name}", "ada", status, storage_key=f"upl_{name}"))
            one = tables.claims.update().where(tables.claims.c.video_id == f"vid_{name}")
            connection.execute(one.values(updated_at=moment(-days * DAYS)))
            (uploads / f"upl_{name}").touch()
        for key in ("old", "new"):
            repeats.remember(connection, "ada", "POST /v1/beats", key, "f", "job_1")
        connection.execute(
            tables.repeats.update().where(tables.repeats.c.key == "old").values(created_at=moment(-2 * DAYS))
        )
    for name, age in (("a.part", 2.0), ("b.part", 0.0)):
        (uploads / name).touch()
        os.utime(uploads / name, (0.0, time.time() - age * 3600))
    for _ in range(2):
        sweep(home, database, ServiceSettings())
    assert {one.name for one in uploads.iterdir()} == {"upl_late", "upl_taken", "b.part"}
    with database.read() as connection:
        assert [name for name in ages if claims.get(connection, f"vid_{name}") is None] == ["old"]
        assert list(connection.scalars(tables.repeats.select().with_only_columns(tables.repeats.c.key))) == ["new"]
