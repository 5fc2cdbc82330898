"""`workbench keys`: API keys of the service."""

from __future__ import annotations

from dataclasses import asdict

import click

from service.commands.records import Span, Time, database_of
from service.store import accounts, api_keys
from workbench.cli.options import home_option
from workbench.cli.terminal import print_line, say
from workbench.store.database import now
from workbench.store.home import Home


@click.group("keys")
def command() -> None:
    """Create, list, revoke and rotate API keys.

    \b
    Example:
      KEY=$(workbench keys create --account acme)
      curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8000/v1/videos/vid_demo
    """


@command.command("create")
@click.option("--account", required=True, help="Whose key; an account that is not there yet is made.")
@click.option("--preview", is_flag=True, help="Also grant the account previews of tracks.")
@click.option("--expires", type=Time(), help="When the key ends, ISO 8601; without it, never.")
@home_option
def create(account: str, preview: bool, expires: str | None, home: Home) -> None:
    """Print a new key, alone on one line. It is shown this once: only its hash is kept.

    \b
    Example:
      workbench keys create --account acme --expires 2027-01-01T00:00:00Z
    """
    with database_of(home) as database, database.write() as connection:
        is_new = accounts.get(connection, account) is None
        made = accounts.ensure(connection, account)
        if preview:
            accounts.update(connection, account, preview=True)
        api_key, secret = api_keys.create(connection, account, expires)
    if is_new:
        payment = "an active payment method" if made.payment_method else "no payment method"
        say(f"there was no account {account!r}; it is made, with {payment}")
    say(f"{api_key.key_id} of account {account}; the key itself is not shown again")
    if expires is not None and expires <= now():
        say("its time is over already: every call with it answers 401")
    click.echo(secret)


@command.command("list")
@home_option
def list_keys(home: Home) -> None:
    """Print every key as a JSON line, oldest first; of the key itself only its id is known.

    \b
    Example:
      workbench keys list | jq 'select(.revoked_at == null)'
    """
    with database_of(home) as database, database.read() as connection:
        found = api_keys.list_all(connection)
    for api_key in found:
        print_line(asdict(api_key))


@command.command("revoke")
@click.argument("key_id")
@home_option
def revoke(key_id: str, home: Home) -> None:
    """End a key: from the next request on it answers 401.

    \b
    Example:
      workbench keys revoke key_01JD3X5E8Q2M
    """
    with database_of(home) as database, database.write() as connection:
        api_key = api_keys.revoke(connection, key_id)
    print_line(asdict(api_key))


@command.command("rotate")
@click.argument("key_id")
@click.option("--overlap", type=Span(), default="0s", help="How long the old key goes on: 24h, 30m, 7d.")
@home_option
def rotate(key_id: str, overlap: float, home: Home) -> None:
    """Print a new key for the same account, grants and expiry; the old one ends, at once or after an overlap.

    \b
    Example:
      workbench keys rotate key_01JD3X5E8Q2M --overlap 24h
    """
    with database_of(home) as database, database.write() as connection:
        api_key, secret = api_keys.rotate(connection, key_id, overlap)
    ends = "which ends now" if overlap <= 0 else f"which ends at {now(overlap)} at the latest"
    until = "" if api_key.expires_at is None else f"; the new key ends at {api_key.expires_at}"
    say(f"{api_key.key_id} of account {api_key.account} in place of {key_id}, {ends}{until}")
    click.echo(secret)
