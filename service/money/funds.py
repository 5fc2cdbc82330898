"""Whether an account may start work that costs: the last check of a request, before the work.

The spend cap is checked first; below it, credit that is left and has not expired or a payment method is enough. A job
that has passed the check is finished, whatever happens to the account meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from service.errors import Problem
from service.store import accounts, credit_grants, ledger
from service.store.api_keys import Caller
from service.store.credit_grants import CreditGrant
from workbench.store import database

CAP_REACHED = "monthly spend cap reached"
CREDIT_EXHAUSTED = "credit grant exhausted"
CREDIT_EXPIRED = "credit grant expired"
NO_PAYMENT_METHOD = "no active payment method"


def check(connection: Connection, caller: Caller, now: str | None = None) -> None:
    """Check that the account of a caller can pay, who has to be found in the same transaction; see `check_account`."""
    if not caller.pays_freely:
        check_account(connection, caller.account, now)


def check_account(connection: Connection, account: str, now: str | None = None) -> None:
    """Check that an account can pay, as its records are now.

    Other checks of it wait until the transaction has ended, so that what it charges counts for them. Raises Problem,
    402, with the reason as its message.
    """
    accounts.lock(connection, account)
    found = accounts.get(connection, account)
    if found is None:
        raise Problem(402, NO_PAYMENT_METHOD)
    cap = found.spend_cap_micros
    if cap is not None and ledger.spent_in_month(connection, account, now or database.now()) >= cap:
        raise Problem(402, CAP_REACHED)
    if not found.payment_method:
        grants = credit_grants.get_all(connection, account)
        reason = _reason_of_no_credit(grants, now or database.now())
        if reason is not None:
            raise Problem(402, reason)


def _reason_of_no_credit(grants: Sequence[CreditGrant], now: str) -> str | None:
    """Why grants, in the order in which they are drawn, cannot be drawn; None if they can."""
    if any(grant.is_active(now) for grant in grants):
        return None
    if not grants:
        return NO_PAYMENT_METHOD
    last = [grant for grant in grants if grant.expires_at == grants[-1].expires_at]
    return CREDIT_EXPIRED if any(grant.left_micros > 0 for grant in last) else CREDIT_EXHAUSTED
