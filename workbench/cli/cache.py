"""`workbench cache`: how large the analysis cache is, and how to make it smaller."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from workbench.cli.options import workspace_option
from workbench.cli.terminal import print_body

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.group("cache", invoke_without_command=True)
@workspace_option
@click.pass_context
def command(ctx: click.Context, workspace: Workspace) -> None:
    """Print size and use of the analysis cache: files, bytes, hits, misses, rebuilt.

    Deleting the cache costs time and never changes a result.

    \b
    Example:
      workbench cache
      workbench cache prune --max-bytes 1000000000
    """
    ctx.obj = workspace.home
    if ctx.invoked_subcommand is None:
        print_body({"folder": str(workspace.arrays.root), **asdict(workspace.arrays.stats())})


@command.command("prune")
@click.option(
    "--max-bytes", type=click.IntRange(min=0), help="What may stay. [default: the setting WORKBENCH_CACHE_MAX_BYTES]"
)
@workspace_option
@click.pass_context
def prune(ctx: click.Context, max_bytes: int | None, workspace: Workspace) -> None:
    """Remove what was not used for longest until the rest fits into --max-bytes.

    \b
    Example:
      workbench cache prune --max-bytes 1000000000
    """
    from workbench.analysis.workspace import Workspace

    if ctx.get_parameter_source("home") is not click.core.ParameterSource.COMMANDLINE:
        workspace = Workspace(ctx.obj)  # `cache --home DIR prune` is the same as `cache prune --home DIR`
    freed = workspace.arrays.prune(workspace.settings.cache_max_bytes if max_bytes is None else max_bytes)
    print_body({"folder": str(workspace.arrays.root), "freed_bytes": freed, **asdict(workspace.arrays.stats())})
