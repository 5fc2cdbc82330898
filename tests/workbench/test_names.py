"""The names that a notebook gets from `import workbench`."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import workbench


@pytest.mark.parametrize("name", workbench.__all__)
def test_every_name_loads_and_is_documented(name: str) -> None:
    assert (getattr(workbench, name).__doc__ or "").strip()


def test_type_checkers_see_the_names_that_load() -> None:
    tree = ast.parse(Path(workbench.__file__).read_text())
    (seen,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        str(alias.asname): str(node.module)
        for node in seen.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(imported) == set(workbench.__all__)
    for name, module in imported.items():
        assert getattr(importlib.import_module(module), name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'loop_trakc'"):
        workbench.loop_trakc  # noqa: B018


def test_importing_loads_nothing_heavy() -> None:
    program = "import sys, workbench; print([n for n in ('numpy', 'av', 'numba', 'pydantic') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
