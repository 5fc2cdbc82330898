"""`workbench completion SHELL`: the script that teaches a shell to complete the command line."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL, to be read when the shell starts.

    \b
    Example:
      workbench completion bash > ~/.local/share/bash-completion/completions/workbench
      workbench completion zsh > "${fpath[1]}/_workbench"
      workbench completion fish > ~/.config/fish/completions/workbench.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the three shells that the choice offers"
    click.echo(kind(ctx.find_root().command, {}, "workbench", "_WORKBENCH_COMPLETE").source())
