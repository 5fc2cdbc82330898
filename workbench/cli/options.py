"""Options that several commands share: the home folder, tuned parameters, files.

A command says `@home_option` and receives a ready `Home`; it says `@profile_option` and receives the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.params import WorkbenchParams

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
"""A file that is read: whether it exists is found out by reading it, which says it in one line and exits with 1."""


def home_option(command: Command) -> Command:
    """Add `--home DIR`, which arrives as the argument `home`, a `Home` or the platform's default one."""
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        envvar="WORKBENCH_HOME",
        callback=_home,
        help="Folder that holds all state: catalog, analysis cache, demo. [env: WORKBENCH_HOME]",
    )(command)


def profile_option(command: Command) -> Command:
    """Add `--profile FILE`, which arrives as the argument `params`, with the defaults where it is not given."""
    return click.option(
        "--profile",
        "params",
        type=FILE,
        callback=_params,
        help="Tuned parameters, as the notebooks save them.",
    )(command)


def _home(ctx: click.Context, parameter: click.Parameter, value: Path | None) -> Home:
    from workbench.home import Home
    from workbench.settings import load_settings

    return Home.chosen(load_settings(), value)


def _params(ctx: click.Context, parameter: click.Parameter, value: Path | None) -> WorkbenchParams:
    if value is None:
        from workbench.params import WorkbenchParams

        return WorkbenchParams()
    from workbench.profiles import load_profile

    return load_profile(value)
