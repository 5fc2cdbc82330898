"""Run the notebooks that ship: as an HTML report by papermill, or in JupyterLab on a copy.

Both need the `lab` extra, and say so where it is missing. The notebook's kernel gets the home folder by
`WORKBENCH_HOME`, so that it works on the same catalog and cache as the command that started it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.bundled import bundled_path
from workbench.errors import InputError, ResourceMissing, StoreError
from workbench.files import write_text
from workbench.home import Home
from workbench.workflows.progress import Progress, silent


def find_notebook(named: str) -> Path:
    """The notebook that a name means: a file, or one that ships, with or without its suffix.

    Raises
    ------
    InputError : there is none
    """
    if Path(named).is_file():
        return Path(named)
    for name in (named, f"{named}.ipynb"):
        try:
            found = bundled_path("notebooks", *Path(name).parts)
        except ResourceMissing:
            continue
        if found.is_file():
            return found
    shipped = bundled_path("notebooks")
    names = sorted(str(path.relative_to(shipped).with_suffix("")) for path in shipped.rglob("*.ipynb"))
    raise InputError(f"{named}: no such notebook; those that ship are {', '.join(names)}")


def run_notebook(
    notebook: Path, parameters: Mapping[str, str], out: Path, home: Home, progress: Progress = silent
) -> Path:
    """Run a notebook with parameters and write it as one HTML file that loads nothing from the network.

    Parameters
    ----------
    notebook : with a cell tagged `parameters`
    parameters : texts; what reads as JSON is the value that JSON says, everything else is text
    out : the HTML file
    home : of the kernel

    Raises
    ------
    ResourceMissing : the `lab` extra is not installed
    InputError : a parameter that the notebook does not have, or a cell that failed
    StoreError : the file cannot be written
    """
    _need("papermill", "nbconvert")
    import papermill
    from papermill.exceptions import PapermillExecutionError

    known = papermill.inspect_notebook(str(notebook))
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise InputError(f"{notebook.name} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    stage = f"running {notebook.name}"
    progress(stage, 0.0)
    with TemporaryDirectory() as folder, _kernel_environment(home):
        executed = Path(folder) / "executed.ipynb"
        try:
            papermill.execute_notebook(
                str(notebook),
                str(executed),
                parameters={name: _value(text) for name, text in parameters.items()},
                kernel_name="python3",
                progress_bar=False,
                cwd=str(Path.cwd()),
                # The kernel's own log, not the notebook's output: it warns of every local kernel that TCP is in clear.
                extra_arguments=["--log-level=ERROR"],
            )
        except PapermillExecutionError as error:
            raise InputError(
                f"{notebook.name}: cell {error.exec_count} failed: {error.ename}: {error.evalue}"
            ) from None
        page = _html(executed)
    progress(stage, 1.0)
    write_text(out, page, StoreError)
    return out


def copy_notebooks(folder: Path) -> Path:
    """Copy the notebooks that ship to a folder; a file that is there already is left alone.

    Raises
    ------
    StoreError : the folder cannot be written to
    """
    shipped = bundled_path("notebooks")
    try:
        for source in shipped.rglob("*"):
            target = folder / source.relative_to(shipped)
            if source.is_file() and ".ipynb_checkpoints" not in source.parts and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror})") from error
    return folder


def start_lab(folder: Path, arguments: Sequence[str], home: Home) -> int:
    """Run JupyterLab on a folder until it is stopped; returns its exit code.

    Raises
    ------
    ResourceMissing : the `lab` extra is not installed
    """
    _need("jupyterlab")
    # -P: a click.py or json.py in the folder that this is called from must not stand in for the library.
    command = [sys.executable, "-P", "-m", "jupyterlab", f"--notebook-dir={folder}", *arguments]
    with _kernel_environment(home):
        return subprocess.run(command, check=False).returncode


def _need(*modules: str) -> None:
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise ResourceMissing(f"this needs {' and '.join(missing)}: pip install 'barline-workbench[lab]'")


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _html(notebook: Path) -> str:
    from nbconvert import HTMLExporter

    exporter = HTMLExporter()  # type: ignore[no-untyped-call]
    for asset in ("mathjax", "require_js", "mermaid_js", "mermaid_layout_elk_js", "jquery", "widget_renderer"):
        setattr(exporter, f"{asset}_url", "")
    page, _ = exporter.from_filename(str(notebook))
    return str(page)


@contextmanager
def _kernel_environment(home: Home) -> Iterator[None]:
    """What a kernel started in the block finds in its environment."""
    before = os.environ.get("WORKBENCH_HOME")
    os.environ["WORKBENCH_HOME"] = str(home.root)
    try:
        yield
    finally:
        if before is None:
            del os.environ["WORKBENCH_HOME"]
        else:
            os.environ["WORKBENCH_HOME"] = before
