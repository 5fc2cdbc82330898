"""Run the notebooks that ship: as an HTML report by papermill, or in JupyterLab on a copy.

Both need the `lab` extra, and raise `ExtraMissing` without it. The notebook's kernel gets the home folder by
`WORKBENCH_HOME`, so that it works on the same catalog and cache as the command that started it.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from workbench.analysis.progress import Progress
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ResourceMissing, StoreError, WorkbenchError, WorkerDied, require_extra
from workbench.files import bundled_path, is_stream, write_text
from workbench.store.home import Home

# s within which a kernel has to start; the default of nbclient, 60, is too short for a busy machine
START_SECONDS = 300
# s within which the output of a cell has to arrive after the cell has ended; the default of nbclient is 4
OUTPUT_SECONDS = 600
# Parts of paths below the notebooks: the sources of the book are for who builds it
_NOT_COPIED = frozenset((".ipynb_checkpoints", "__pycache__", "book"))
_LONGEST_QUOTE = 200  # characters of a cell's code or of an exception's text that a message quotes


def find_notebook(named: str) -> Path:
    """Find a notebook by name: a file, or one that ships (`reports/plan`), with or without its suffix.

    Raises `InputError`, which lists those that ship, if there is none.
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
    workspace: Workspace,
    notebook: Path,
    parameters: Mapping[str, str],
    out: Path,
    output_seconds: int = OUTPUT_SECONDS,
) -> Path:
    """Run a notebook with parameters and write it as one HTML file that loads nothing from the network.

    Parameters are text: what parses as JSON becomes that value, unless the parameter's default is a text. The output of
    a cell has to arrive within `output_seconds` after the cell has ended. If a cell fails, the notebook with everything
    that was computed until then is written beside `out`, as `<stem of out>.partial.ipynb`, and the exception names that
    file. Raises `ExtraMissing` without the extra `lab`, `InputError` for a file that is no notebook, an unknown
    parameter or a cell that raised, `WorkerDied` if the kernel died, `WorkbenchError` if an output came too late.
    """
    require_extra("lab", "`workbench report`")
    node = _read_notebook(notebook)
    values = _read_parameters(notebook.name, node, parameters)
    running = _RunningCell(notebook.name, workspace.progress, sum(cell.cell_type == "code" for cell in node.cells))
    with TemporaryDirectory() as folder, _kernel_environment(workspace.home):
        executed = Path(folder) / "executed.ipynb"
        try:
            _execute(node, values, executed, running, output_seconds)
        except WorkbenchError as error:
            raise type(error)(f"{error} {_keep(executed, out)}".strip()) from error.__cause__
        page = _html(executed)
    write_text(out, page, StoreError)
    workspace.progress(running.stage, 1.0)
    return out


def copy_notebooks(folder: Path) -> Path:
    """Copy the notebooks and the gallery that ship to a folder; files that are there already stay as they are."""
    shipped = bundled_path("notebooks")
    try:
        for source in shipped.rglob("*"):
            target = folder / source.relative_to(shipped)
            left_out = _NOT_COPIED.intersection(source.relative_to(shipped).parts)
            if source.is_file() and not left_out and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written ({error.strerror})") from error
    return folder


def start_lab(workspace: Workspace, folder: Path, arguments: Sequence[str]) -> int:
    """Run JupyterLab on a folder until it is stopped; returns its exit code.

    Raises `ExtraMissing` without the extra `lab`.
    """
    require_extra("lab", "`workbench lab`")
    # -P: a click.py or json.py in the folder that this is called from must not stand in for the library.
    command = [sys.executable, "-P", "-m", "jupyterlab", f"--notebook-dir={folder}", *arguments]
    with _kernel_environment(workspace.home):
        return subprocess.run(command, check=False).returncode


def _read_notebook(notebook: Path) -> Any:
    """The notebook as nbformat has it, with Python as its language; `InputError` for a file that is none."""
    import nbformat

    try:
        node = nbformat.read(str(notebook), as_version=4)
        nbformat.validate(node)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, UnicodeDecodeError):
        raise InputError(f"{notebook}: not a Jupyter notebook; give an .ipynb file") from None
    except OSError as error:
        raise InputError(f"{notebook}: cannot be read ({error.strerror})") from None
    node.metadata.kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return node


def _read_parameters(name: str, node: Any, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The values of parameters; raises `InputError` for one that the notebook does not have."""
    import papermill

    known = papermill.inspect_notebook(node)
    unknown = [given for given in parameters if given not in known]
    if unknown:
        raise InputError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    return {given: _value(text, known[given]["default"]) for given, text in parameters.items()}


@dataclass
class _RunningCell:
    """The code cell that runs: reports progress by cell, and names the cell in messages."""

    notebook: str  # name of the file
    progress: Progress
    cells: int  # code cells of the notebook
    number: int = 0  # as `In [number]` shows it; 0 before the first code cell
    source: str = ""

    @property
    def stage(self) -> str:
        """What progress is reported under."""
        return f"running {self.notebook}"

    def start(self, cell: Mapping[str, Any], **_: object) -> None:
        """Note that a code cell is sent to the kernel; nbclient calls it."""
        # papermill adds a cell with the parameters.
        self.progress(self.stage, min(self.number, self.cells) / (self.cells + 1))
        self.number += 1
        self.source = str(cell["source"])

    def __str__(self) -> str:
        """The notebook and the cell, with the first line of its code."""
        if not self.number:
            return self.notebook
        lines = (line.strip() for line in self.source.splitlines())
        first = next((line for line in lines if line and not line.startswith(("#", "%"))), "")
        return f"{self.notebook}: cell {self.number} (`{_quoted(first)}`)"


def _quoted(text: str) -> str:
    """The text on one line, shortened where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + "…"


def _execute(node: Any, values: Mapping[str, Any], executed: Path, running: _RunningCell, output_seconds: int) -> None:
    """Run every cell; `executed` is written after each. Raises what `run_notebook` raises of cells and kernels."""
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError
    from papermill.exceptions import PapermillExecutionError

    # The exception holds what papermill and nbclient log of a failure; without a handler it would be printed as well.
    logging.getLogger("papermill").addHandler(logging.NullHandler())
    running.progress(running.stage, 0.0)
    try:
        papermill.execute_notebook(
            node,
            str(executed),
            parameters=dict(values),
            kernel_name="python3",
            progress_bar=False,
            cwd=str(Path.cwd()),
            # The kernel's own log, not the notebook's output: it warns of every local kernel that TCP is in clear.
            extra_arguments=["--log-level=ERROR"],
            start_timeout=START_SECONDS,
            iopub_timeout=output_seconds,
            on_cell_execute=running.start,
        )
    except PapermillExecutionError as error:
        raise InputError(f"{running} raised {_quoted(f'{error.ename}: {error.evalue}')}.") from None
    except CellTimeoutError:
        raise WorkbenchError(
            f"{running} ended, but its output did not arrive within {output_seconds} s: the machine is too busy. "
            "Run the report again when less else is running."
        ) from None
    except (RuntimeError, NoSuchKernel) as error:
        # jupyter_client raises RuntimeError for a kernel that does not start, nbclient its subclass DeadKernelError.
        if not running.number:
            raise WorkerDied(f"{running}: the kernel did not start: {_quoted(str(error))}") from None
        raise WorkerDied(
            f"{running}: the kernel died in this cell. Most often the memory was full: close other programs, or give "
            "fewer or shorter files."
        ) from None


def _keep(executed: Path, out: Path) -> str:
    """Write the executed notebook beside the output; returns a sentence that says where it is."""
    if not executed.exists() or is_stream(out):
        return ""
    partial = out.with_name(f"{out.stem}.partial.ipynb")
    try:
        write_text(partial, executed.read_text(encoding="utf-8"), StoreError)
    except StoreError as error:
        return f"What was computed until then is lost: {error}"
    return f"What was computed until then is in {partial}."


def _value(text: str, default: str) -> Any:
    """The value typed for a parameter, read in the type of its default: a track may be called 1984."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if default.startswith(("'", '"')) and not isinstance(value, str) else value


def _html(notebook: Path) -> str:
    import nbformat
    from nbconvert import HTMLExporter

    node = nbformat.read(str(notebook), as_version=4)
    _drop_widgets(node)
    exporter = HTMLExporter()  # type: ignore[no-untyped-call]
    for asset in ("mathjax", "require_js", "mermaid_js", "mermaid_layout_elk_js", "jquery", "widget_renderer"):
        setattr(exporter, f"{asset}_url", "")
    page, _ = exporter.from_notebook_node(node, {"metadata": {"name": notebook.stem}})
    return str(page)


def _drop_widgets(node: Any) -> None:
    """Take out widgets, which need a kernel and a script from the network: the page shows what stands beside them."""
    node.metadata.pop("widgets", None)
    for cell in node.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


@contextmanager
def _kernel_environment(home: Home) -> Iterator[None]:
    """Set the environment of kernels that are started in the block."""
    before = os.environ.get("WORKBENCH_HOME")
    os.environ["WORKBENCH_HOME"] = str(home.root)
    try:
        yield
    finally:
        if before is None:
            del os.environ["WORKBENCH_HOME"]
        else:
            os.environ["WORKBENCH_HOME"] = before
