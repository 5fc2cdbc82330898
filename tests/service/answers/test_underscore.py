"""Answers of `/v1/underscore`: what the account can pay is read again after the ranking."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.answers import underscore
from service.answers.answer import Call
from service.errors import Problem
from service.money import funds
from service.schemas.requests import ExpandQuery
from service.settings import ServiceSettings
from service.store import accounts, credit_grants, ledger
from service.store.api_keys import Caller
from workbench.store.database import Database

pytestmark = pytest.mark.usefixtures("ada")

CALLER = Caller("ada", "key_1", preview=False, pays_freely=True, has_credit=False)
"""as it was found before the ranking"""
CALL = Call(CALLER, "req_1", "POST /v1/underscore", ServiceSettings())
LANE = {"title": "", "reasoning": "", "matches": [{"track_id": "trk_1"}]}


def test_an_account_that_lost_its_payment_method_meanwhile_is_refused(database: Database) -> None:
    with database.write() as connection:
        funds.check(connection, CALLER)
        accounts.update(connection, "ada", payment_method=False)
    with database.write() as connection, pytest.raises(Problem, match=funds.NO_PAYMENT_METHOD):
        underscore.answer(connection, CALL, ExpandQuery(), LANE)
    with database.read() as connection:
        assert ledger.entries(connection, "ada") == []


def test_credit_that_was_granted_meanwhile_is_drawn(database: Database, grant: Callable[..., bool]) -> None:
    grant("g1", 10_000_000)
    with database.write() as connection:
        assert underscore.answer(connection, CALL, ExpandQuery(), LANE).status == 200
        (left,) = credit_grants.get_all(connection, "ada")
        charges = [one.amount_micros for one in ledger.entries(connection, "ada") if one.event == "charge"]
    assert charges == [left.granted_micros - left.left_micros]
