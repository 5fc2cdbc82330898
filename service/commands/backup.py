"""`workbench backup`: all records and files of the service in one file, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from service.commands.records import say_left_out, workspace_in
from service.store.backup import restore_backup, write_backup
from workbench.cli.options import home_option
from workbench.cli.terminal import print_body
from workbench.store.home import Home


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--restore", is_flag=True, help="Restore FILE into an empty home folder and database.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@home_option
def command(file: Path, restore: bool, force: bool, home: Home) -> None:
    """Write all records, uploads and videos to FILE, a tar file; the service may run meanwhile.

    A FILE that is there already is kept, unless --force is given. What can be made again is left out: analyses,
    previews, indexes; and so are files that `videos add` and `catalog add` left where they are. FILE holds secrets;
    only its owner can read it.

    \b
    Example:
      workbench backup monday.tar
      workbench backup --restore monday.tar --home /srv/restored
    """
    if restore and force:
        raise click.UsageError("--force goes with writing a backup; one is restored into an empty home alone")
    with workspace_in(home) as workspace:
        if restore:
            done = restore_backup(workspace.files, workspace.database, file)
        else:
            done = write_backup(workspace.files, workspace.database, file, replace=force)
    say_left_out(done)
    print_body({"file": str(file), **asdict(done)})
