"""`workbench dashboard`: what is no port is refused at once; the page itself is driven in tests/browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("port", ["-1", "70000", "http"])
def test_a_port_that_is_none_is_a_usage_error(port: str, workbench: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = workbench("dashboard", "--port", port)
    assert (code, out) == (2, "")
    assert "--port" in err
