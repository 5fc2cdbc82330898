"""`workbench docs`: the book of the project, in the browser."""

from __future__ import annotations

import click

from workbench.files import built_book


@click.command("docs")
@click.option("--show/--no-show", default=True, help="Open the book in the browser; its address is printed anyway.")
def command(show: bool) -> None:
    """Open the book: how-to pages, gallery, notebooks and reference. `make book` builds it in a checkout, and a
    wheel of `make wheel` carries it.

    \b
    Example:
      workbench docs
      workbench docs --no-show
    """
    url = built_book().as_uri()
    click.echo(url)
    if show:
        click.launch(url)
