"""Underscore: the one family that is ranked inside the request, by a resident process that holds model and index.

A request runs in three steps, so that no transaction stays open during ranking: authorise the caller, rank, charge. A
call that returns no tracks is not billed.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service.answers import previews
from service.answers.answer import Answer, Call
from service.billing import funds
from service.schemas.requests import ExpandQuery
from service.store import ledger
from workbench.results.lane import select


def check(connection: Connection, call: Call) -> None:
    """Check that the account can pay.

    Raises
    ------
    Problem : 402
    """
    funds.check(connection, call.account)


def answer(connection: Connection, call: Call, query: ExpandQuery, lane: dict[str, Any]) -> Answer:
    """Charge for a lane, and select what the query asks for."""
    if lane["matches"]:
        ledger.charge(connection, call.charge())
    shown = select(lane, query.expand == "full", None, previews.links(connection, call, lane))
    return Answer(200, {"lane": shown})
