"""What the commands of the service share: its database, and the values that options take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click

from service.amounts import micros_of
from workbench.errors import ParameterError
from workbench.progress import Progress, silent
from workbench.store.ids import check_plain_id

if TYPE_CHECKING:
    from workbench.home import Home
    from workbench.params import WorkbenchParams
    from workbench.store.database import Database
    from workbench.workspace import Workspace


class Moment(click.ParamType[str]):
    """A moment in ISO 8601, which arrives as the database keeps it; without a zone it is UTC."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The moment; a usage error where it is none."""
        try:
            moment = datetime.fromisoformat(str(value))
            in_utc = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no moment in ISO 8601, as 2027-01-31T12:00:00Z", param, ctx)
        return in_utc.isoformat(timespec="microseconds")


class VideoId(click.ParamType[str]):
    """An id for a video, which is to stand in addresses and commands as it is."""

    name = "ID"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id; a usage error where it has another shape."""
        try:
            check_plain_id("an id", str(value))
        except ParameterError as error:
            self.fail(str(error), param, ctx)
        return str(value)


class Usd(click.ParamType[int]):
    """An amount in USD, which arrives in micro-dollars."""

    name = "USD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The amount; a usage error where it is none, or below 0."""
        try:
            amount = Decimal(str(value))
            micros = micros_of(amount) if amount.is_finite() and 0 <= amount <= 10**9 else -1
        except InvalidOperation:
            micros = -1
        if micros < 0:
            self.fail(f"{value!r} is no amount in USD", param, ctx)
        return micros


def workspace_in(home: Home, params: WorkbenchParams | None = None, progress: Progress = silent) -> Workspace:
    """A workspace in a home folder whose database has the service's tables too; whoever asks closes it."""
    from service.store.tables import MIGRATIONS
    from workbench.workspace import Workspace

    return Workspace(home, params, progress, migrations=MIGRATIONS)


@contextmanager
def database_of(home: Home) -> Iterator[Database]:
    """The service's database of a home folder."""
    with workspace_in(home) as workspace:
        yield workspace.database
