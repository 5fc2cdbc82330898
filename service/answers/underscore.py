"""Answers of `/v1/underscore`, the one family that ranks inside the request, in a resident process (`service.ranking`).

A request has three steps, so that no transaction is open during the ranking: the check of funds, ranking, `answer`. Of
calls that passed the check at the same time, only those are answered that the account can still pay for when they are
charged. A call that returns no tracks is not billed.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from service.answers import previews
from service.answers.answer import Answer, Call
from service.money import funds
from service.schemas.requests import ExpandQuery
from workbench.results.match import select


def answer(connection: Connection, call: Call, query: ExpandQuery, lane: dict[str, Any]) -> Answer:
    """Charge for a lane, and select the part of it that the query requests."""
    if lane["matches"]:
        # not as the caller was found: what the account can pay may have changed during the ranking
        funds.charge(connection, call.caller, call.charge(), looked_up_before=True)
    shown = select(lane, query.expand == "full", None, previews.links(connection, call, lane))
    return Answer(200, {"lane": shown})
