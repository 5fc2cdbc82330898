"""Which addresses may be fetched from: public ones only, checked where the connection is opened.

A host name is resolved once, all its addresses are checked, and the connection goes to one of them. So a name that
resolves to another address after the check (DNS rebinding) gains nothing. TLS still verifies the name.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address

import httpcore

from workbench.errors import InputError

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class FetchError(InputError):
    """An address that cannot be fetched; the message is fit for the caller who gave the address."""


class PublicOnly(httpcore.NetworkBackend):
    """Connects to public addresses, and to any address of the hosts named in `allowed`."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = frozenset(name.strip().lower().rstrip(".") for name in allowed)
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve a name, check all its addresses, and connect to the first that answers; `timeout` applies to each."""
        addresses = _resolved(host, port)
        if host.lower().rstrip(".") not in self._allowed:
            for address in addresses:
                if not is_public(ipaddress.ip_address(address)):
                    raise FetchError(f"{host} leads to an address that is not public")
        fault: Exception | None = None
        for address in addresses:
            try:
                return self._plain.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                fault = error
        assert fault is not None
        raise fault


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the public Internet.

    An IPv4 address inside an IPv6 one (mapped, 6to4, NAT64) is judged by itself, because traffic ends there; Teredo
    addresses count as private.
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _resolved(host: str, port: int) -> list[str]:
    """The addresses of a name, each once, in the resolver's order."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise FetchError(f"there is no host called {host}") from None
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    return list(dict.fromkeys(addresses))
