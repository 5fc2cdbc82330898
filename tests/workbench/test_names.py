"""The names that a notebook gets from `import workbench`."""

import subprocess
import sys

import pytest

import workbench


@pytest.mark.parametrize("name", workbench.__all__)
def test_every_name_loads_and_is_documented(name: str) -> None:
    assert (getattr(workbench, name).__doc__ or "").strip()


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'loop_trakc'"):
        workbench.loop_trakc  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    program = "import sys, workbench; print([n for n in ('numpy', 'av', 'numba', 'pydantic') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
