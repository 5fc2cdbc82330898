"""A server of Amazon's S3 on this machine, for tests of stores: moto's, in a thread of the test run."""

from __future__ import annotations

import http.client
import logging
from collections.abc import Iterator
from itertools import count

import pytest

_NAMES = count()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[tuple[str, int]]:
    """Host and port of the server."""
    pytest.importorskip("obstore")
    server = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request otherwise
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    yield running.get_host_and_port()
    running.stop()


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
