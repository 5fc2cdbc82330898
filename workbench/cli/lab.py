"""`workbench lab`: JupyterLab on a copy of the notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, workspace_option
from workbench.cli.terminal import say
from workbench.errors import require_extra

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("lab", context_settings={"ignore_unknown_options": True})
@click.option("--to", "folder", type=FILE, help="Where the copy is. [default: notebooks/ in the home folder]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@workspace_option
def command(folder: Path | None, arguments: tuple[str, ...], workspace: Workspace) -> None:
    """Open JupyterLab on a copy of the notebooks; what is in the copy already is left as it is.

    ARGUMENTS go to JupyterLab. Needs the `lab` extra.

    \b
    Example:
      workbench lab
      workbench lab --to ~/loops --no-browser --port 8890
    """
    from workbench.lab.notebooks import copy_notebooks, start_lab

    require_extra("lab", "`workbench lab`")  # before the copy is made
    folder = copy_notebooks(folder or workspace.home.notebooks)
    say(f"notebooks in {folder}")
    click.get_current_context().exit(start_lab(workspace, folder, arguments))
