"""`workbench backup`: all records and files of the service in one file, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from service.commands.records import workspace_in
from workbench.cli.options import home_option
from workbench.cli.terminal import print_body, say

if TYPE_CHECKING:
    from workbench.home import Home


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--restore", is_flag=True, help="Restore FILE into an empty home folder and database.")
@home_option
def command(file: Path, restore: bool, home: Home) -> None:
    """Write all records, uploads and videos to FILE, a tar file; the service may run meanwhile.

    What can be made again is left out: analyses, previews, indexes. FILE holds secrets; only its owner can read it.

    \b
    Example:
      workbench backup monday.tar
      workbench backup --restore monday.tar --home /srv/restored

    \f
    Parameters
    ----------
    file : written, or read to restore
    restore : whether to restore it
    home : holds the files, and the database unless the settings name one
    """
    from service.backup import restore_backup, write_backup

    with workspace_in(home) as workspace:
        run = restore_backup if restore else write_backup
        done = run(workspace.files, workspace.database, file)
    for name in done.missing:
        say(f"{name} was gone before it could be copied")
    print_body({"file": str(file), **asdict(done)})
