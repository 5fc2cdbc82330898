"""Shared by the commands of the service: its database, and the types of options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from service.prices import micros_of
from service.settings import web_address
from service.store.backup import Backup
from service.store.tables import SCHEMA
from workbench.analysis.progress import Progress, silent
from workbench.analysis.workspace import Workspace
from workbench.cli.terminal import say
from workbench.errors import ParameterError
from workbench.params import WorkbenchParams
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.ids import check_plain_id

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_LONGEST_SPAN_SECONDS = 3653 * 86_400.0


class Time(click.ParamType[str]):
    """A time in ISO 8601, without a zone UTC; the command gets it in the database's form."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Convert to the database's form; anything else than a time is a usage error."""
        try:
            time = datetime.fromisoformat(str(value))
            in_utc = (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a time in ISO 8601, such as 2027-01-31T12:00:00Z", param, ctx)
        return in_utc.isoformat(timespec="microseconds")


class VideoId(click.ParamType[str]):
    """An id for a video; it must need no quoting in addresses and commands."""

    name = "ID"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the id; any other characters are a usage error."""
        try:
            check_plain_id("an id", str(value))
        except ParameterError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class ServiceUrl(click.ParamType[str]):
    """The address of a service, without `/v1`."""

    name = "URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the address; any other text is a usage error, and so is one that ends where the paths begin."""
        address = str(value).rstrip("/")
        try:
            web_address(address)
        except ValueError as error:
            self.fail(f"{value!r} {error}", param, ctx)
        if address.endswith("/v1"):
            self.fail(f"{value!r} is given without /v1, which every path begins with", param, ctx)
        return address


class Span(click.ParamType[float]):
    """A span of time such as 24h; the command gets it in seconds."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert to seconds; anything but a number with s, m, h or d after it, up to ten years, is a usage error."""
        found = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)([smhd])", str(value))
        seconds = math.inf if found is None else float(found[1]) * _UNITS[found[2]]
        if seconds > _LONGEST_SPAN_SECONDS:
            self.fail(f"{value!r} is no span of time such as 24h, 30m or 7d", param, ctx)
        return seconds


class Usd(click.ParamType[int]):
    """An amount in USD; the command gets it in micro-dollars."""

    name = "USD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert to micro-dollars; anything but an amount from 0 to 10^9 is a usage error."""
        try:
            amount = Decimal(str(value))
            micros = micros_of(amount) if amount.is_finite() and 0 <= amount <= 10**9 else -1
        except InvalidOperation:
            micros = -1
        if micros < 0:
            self.fail(f"{value!r} is no amount in USD", param, ctx)
        return micros


def workspace_in(home: Home, params: WorkbenchParams | None = None, progress: Progress = silent) -> Workspace:
    """Open a workspace whose database has the service's tables too; the caller closes it."""
    return Workspace(home, params, progress, schemas=(SCHEMA,))


def warn_if_open(home: Home) -> None:
    """Say that every user of this machine can read the home folder, if so: one from before homes were made private."""
    if home.is_open_to_others():
        say(f"workbench: every user of this machine can read {home.root}; to end that: chmod o= {home.root}")


def say_left_out(backup: Backup) -> None:
    """Say which files a backup does not hold."""
    for name in backup.missing:
        say(f"{name} was gone before it could be copied")
    if backup.elsewhere:
        say(f"files of tracks and videos that were added from elsewhere are not in it: {backup.elsewhere}")


@contextmanager
def database_of(home: Home) -> Iterator[Database]:
    """Open the service's database of a home folder for the time of a `with` block."""
    with workspace_in(home) as workspace:
        yield workspace.database
