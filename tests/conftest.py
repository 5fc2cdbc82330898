"""What all tests share: which process runs which, extensions that end with their module, and a server of Amazon's S3.

The server is moto's, in an environment and a process of its own.
"""

from __future__ import annotations

import gc
import http.client
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from workbench import extensions

MOTO = Path(sys.prefix) / "s3" / "bin" / "moto_server"
"""`make test` installs it"""
_NAMES = count()
SHARED_SET_UP = ("tests/contract/", "tests/workbench/dashboards/")
"""folders whose modules share services or planned tracks that take half a minute to prepare"""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a process all tests of a module, as `loadfile` does, or of a whole folder of `SHARED_SET_UP`.

    What holds most tests is begun first, so that no folder is left for the end.
    """
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class LoadFolderScheduling(LoadFileScheduling):  # type: ignore[misc]
        """One unit of work for each module or shared folder."""

        def _split_scope(self, nodeid: str) -> str:
            folder = next((folder for folder in SHARED_SET_UP if nodeid.startswith(folder)), None)
            return folder or super()._split_scope(nodeid)

    return LoadFolderScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without garbage collection, and leave what was collected out of it from then on.

    Some millions of objects live as long as the process: to look through them again and again takes a sixth of the
    collection, and seconds at its end.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def extensions_end_with_their_module() -> Iterator[None]:
    """What is left would be offered in tests that come later in the same process."""
    with extensions.scope():
        yield


@pytest.fixture(scope="session")
def s3_server() -> Iterator[tuple[str, int]]:
    """Host and port of the server."""
    pytest.importorskip("obstore")
    if not MOTO.exists():
        pytest.skip(f"no {MOTO}: make test installs it; stores in buckets are not tested")
    command = [str(MOTO), "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        found = next((said for line in running.stderr if (said := re.search(r"http://127\.0\.0\.1:(\d+)", line))), None)
        assert found is not None, "moto did not say where it listens"
        drain = Thread(target=running.stderr.read, daemon=True)  # a line for each request, which would fill the pipe
        drain.start()
        yield "127.0.0.1", int(found[1])
        running.terminate()


@pytest.fixture
def s3_environment(s3_server: tuple[str, int]) -> dict[str, str]:
    """The variables by which a process finds the server."""
    return {
        "AWS_ENDPOINT_URL": f"http://{s3_server[0]}:{s3_server[1]}",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }


@pytest.fixture
def bucket(s3_server: tuple[str, int], s3_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a store in a new bucket, which this process and those it starts find."""
    for name, value in s3_environment.items():
        monkeypatch.setenv(name, value)
    name = f"bucket-{next(_NAMES)}"
    connection = http.client.HTTPConnection(*s3_server)
    connection.request("PUT", f"/{name}")
    assert connection.getresponse().status == 200
    connection.close()
    return f"s3://{name}/workbench"
