"""Whether an account may start work that costs: the last check of a request, before the work.

The spend cap is checked first; below it, an active credit grant that is not used up or a payment method is enough. Work
that has passed the check is finished, whatever happens to the account meanwhile.
"""

from __future__ import annotations

from sqlalchemy import Connection

from service.errors import Problem
from service.store import accounts, ledger
from service.store.accounts import Account
from workbench.store import database

CAP_REACHED = "monthly spend cap reached"
CREDIT_EXHAUSTED = "credit grant exhausted"
CREDIT_EXPIRED = "credit grant expired"
NO_PAYMENT_METHOD = "no active payment method"


def check(connection: Connection, account: str, now: str | None = None) -> None:
    """Check that an account can pay.

    Parameters
    ----------
    connection : any transaction
    account : its name
    now : time in the form of `workbench.store.database.now`; None: that of the clock

    Raises
    ------
    Problem : 402, with the reason as its message
    """
    found = accounts.get(connection, account)
    if found is None:
        raise Problem(402, NO_PAYMENT_METHOD)
    now = now or database.now()
    reason = _reason_to_refuse(found, ledger.spent_in_month(connection, account, now), now)
    if reason is not None:
        raise Problem(402, reason)


def _reason_to_refuse(account: Account, spent_micros: int, now: str) -> str | None:
    if account.spend_cap_micros is not None and spent_micros >= account.spend_cap_micros:
        return CAP_REACHED
    expired = account.credit_expires_at is not None and account.credit_expires_at <= now
    if account.payment_method or (account.credit_micros > 0 and not expired):
        return None
    if not account.credit_granted:
        return NO_PAYMENT_METHOD
    return CREDIT_EXHAUSTED if account.credit_micros <= 0 else CREDIT_EXPIRED
