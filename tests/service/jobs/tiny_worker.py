"""A job parent whose children run tiny jobs. Arguments: the home folder, main, beats and fetch slots."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from service.jobs.children import Child
from service.jobs.worker import JobParent
from service.settings import load_service_settings
from service.store.tables import open_database
from service.telemetry.logs import log_to_stderr
from service.telemetry.spans import open_spans
from workbench.store.home import Home
from workbench.store.settings import load_settings
from workbench.store.stored_files import open_files

core = load_settings()
home, slots = Home(Path(sys.argv[1])), dict(zip(("main", "beats", "fetch"), map(int, sys.argv[2:]), strict=True))
log_to_stderr("info")
database = open_database(home, core)
spans = open_spans(load_service_settings(), "worker")
JobParent(
    home,
    database,
    load_service_settings(),
    {queue: number for queue, number in slots.items() if number},
    open_files(home, core),
    on_ready=lambda: print("ready", flush=True),
    spans=spans,
    make_child=partial(Child, command=(sys.executable, str(Path(__file__).with_name("tiny_child.py")))),
).run()
database.close()
if spans is not None:
    spans.close()
