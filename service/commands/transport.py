"""The rule of every command that listens: what can be reached from elsewhere is encrypted, here or by a proxy."""

from __future__ import annotations

import ipaddress
import ssl
from pathlib import Path

import click

from workbench.errors import InputError


def check_transport(host: str, tls_cert: Path | None, tls_key: Path | None, behind_proxy: bool) -> None:
    """UsageError for an address that can be reached from elsewhere without TLS, InputError if its files are no use."""
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if not (is_loopback(host) or tls_cert is not None or behind_proxy):
        raise click.UsageError(
            f"{host} can be reached from elsewhere: give --tls-cert and --tls-key, or say --behind-proxy"
        )
    if tls_cert is not None and tls_key is not None:  # checked here, rather than in each process
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(tls_cert, tls_key)
        except (OSError, ssl.SSLError) as error:
            problem = error.strerror or error
            raise InputError(f"{tls_cert}, {tls_key}: cannot be used for TLS ({problem})") from error


def is_loopback(host: str) -> bool:
    """Whether a name or address can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
