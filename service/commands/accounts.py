"""`workbench accounts`: billing states of accounts, and their ledgers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from ulid import ULID

from service.commands.records import Time, Usd, database_of, say_left_out, workspace_in
from service.prices import usd
from service.store import accounts, credit_grants, jobs, ledger
from service.store.accounts import Account
from service.store.backup import restore_backup, write_backup
from workbench.cli.options import home_option
from workbench.cli.terminal import print_body, print_line, say
from workbench.errors import ParameterError
from workbench.store.database import now
from workbench.store.home import Home


@click.group("accounts")
def command() -> None:
    """Show and change billing states, read ledgers, move accounts.

    \b
    Example:
      workbench accounts update acme --credit 25 --spend-cap 100
      workbench accounts ledger acme | jq .amount_usd
    """


@command.command("update")
@click.argument("account")
@click.option("--payment-method/--no-payment-method", default=None, help="Whether a payment method is active.")
@click.option("--credit", type=Usd(), help="Grant so much credit, on top of what is left.")
@click.option(
    "--credit-expires", type=Time(), help="When the grant ends, ISO 8601; without it, never. Alone: all grants."
)
@click.option("--spend-cap", type=Usd(), help="What the account may spend in a calendar month, UTC.")
@click.option("--no-spend-cap", is_flag=True, help="Lift the cap.")
@home_option
def update(
    account: str,
    payment_method: bool | None,
    credit: int | None,
    credit_expires: str | None,
    spend_cap: int | None,
    no_spend_cap: bool,
    home: Home,
) -> None:
    """Change the billing state of an account and print it; an account that is not there yet is made.

    \b
    Example:
      workbench accounts update acme --no-payment-method --credit 25 --credit-expires 2027-01-01T00:00:00Z
    """
    if credit == 0:
        raise click.UsageError("--credit 0 grants nothing; leave it out to change when all grants end")
    if spend_cap is not None and no_spend_cap:
        raise click.UsageError("--spend-cap and --no-spend-cap exclude each other")
    changes: dict[str, Any] = {}
    if payment_method is not None:
        changes["payment_method"] = payment_method
    if spend_cap is not None or no_spend_cap:
        changes["spend_cap_micros"] = spend_cap
    with database_of(home) as database, database.write() as connection:
        is_new = accounts.get(connection, account) is None
        accounts.ensure(connection, account)
        accounts.lock(connection, account)  # before its grants, as calls do
        if credit is not None:
            event = f"command:{ULID()}"
            ledger.credit(connection, ledger.Credit(account, credit, event, "accounts update", account, credit_expires))
        elif credit_expires is not None:
            credit_grants.set_expiry(connection, account, credit_expires, now())
        found = accounts.update(connection, account, **changes)
        assert found is not None
        state = _state(connection, found)
    if is_new:
        say(f"there was no account {account!r}; it is made")
    print_body(state)


@command.command("show")
@click.argument("account")
@home_option
def show(account: str, home: Home) -> None:
    """Print the billing state of an account.

    \b
    Example:
      workbench accounts show acme
    """
    with database_of(home) as database, database.read() as connection:
        state = _state_and_spent(connection, _known(connection, account))
    print_body(state)


@command.command("list")
@home_option
def list_accounts(home: Home) -> None:
    """Print the billing state of every account as a JSON line, by name.

    \b
    Example:
      workbench accounts list | jq -r 'select(.credit_usd > 0) | .account'
    """
    with database_of(home) as database, database.read() as connection:
        for found in accounts.list_all(connection):
            print_line(_state_and_spent(connection, found))


@command.command("ledger")
@click.argument("account")
@home_option
def show_ledger(account: str, home: Home) -> None:
    """Print every charge and credit as a JSON line, oldest first.

    \b
    Example:
      workbench accounts ledger acme | jq -s 'map(select(.event == "charge").amount_usd) | add'
    """
    with database_of(home) as database, database.read() as connection:
        _known(connection, account)
        entries = ledger.entries(connection, account)
    for entry in entries:
        print_line(
            {
                "event": entry.event,
                **({} if entry.key_id is None else {"key_id": entry.key_id}),
                "endpoint": entry.endpoint,
                "subject": entry.subject,
                "quantity": entry.quantity,
                "unit": entry.unit,
                "amount_usd": usd(entry.amount_micros),
                "at": entry.at,
            }
        )


@command.command("export")
@click.argument("account")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@home_option
def export(account: str, file: Path, force: bool, home: Home) -> None:
    """Write an account to FILE, for another installation; the service may run meanwhile.

    FILE, a tar file, holds its billing state, grants, ledger, videos, settled jobs and the catalog; no key, and nothing
    that is not settled yet.

    \b
    Example:
      workbench accounts export acme acme.tar
      workbench accounts import acme.tar --home /srv/acme
    """
    with workspace_in(home) as workspace:
        done = write_backup(workspace.files, workspace.database, file, account, replace=force)
    say_left_out(done)
    print_body({"account": account, "file": str(file), **asdict(done)})


@command.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@home_option
def import_account(file: Path, home: Home) -> None:
    """Read the account in FILE into an empty home folder and database.

    Its keys are listed and none works: make new ones with `workbench keys create`.

    \b
    Example:
      workbench accounts import acme.tar --home /srv/acme
    """
    with workspace_in(home) as workspace:
        done = restore_backup(workspace.files, workspace.database, file, one_account=True)
    print_body({"file": str(file), **asdict(done)})


def _known(connection: Any, account: str) -> Account:
    found = accounts.get(connection, account)
    if found is None:
        raise ParameterError(f"no account {account!r}; `workbench keys create --account` makes one")
    return found


def _state_and_spent(connection: Any, account: Account) -> dict[str, Any]:
    spent = ledger.spent_in_month(connection, account.account, now())
    return {**_state(connection, account), "spent_this_month_usd": usd(spent)}


def _state(connection: Any, account: Account) -> dict[str, Any]:
    at, cap = now(), account.spend_cap_micros
    grants = [grant for grant in credit_grants.get_all(connection, account.account) if grant.is_active(at)]
    return {
        "account": account.account,
        "payment_method": bool(account.payment_method),
        "credit_usd": usd(sum(grant.left_micros for grant in grants)),
        "credit_expires_at": grants[0].expires_at if grants else None,
        "credit_grants": [
            {"left_usd": usd(grant.left_micros), "of_usd": usd(grant.granted_micros), "expires_at": grant.expires_at}
            for grant in grants
        ],
        "spend_cap_usd": None if cap is None else usd(cap),
        "reserved_usd": usd(jobs.reserved_by(connection, account.account)),
        "preview": bool(account.preview),
        "created_at": account.created_at,
    }
