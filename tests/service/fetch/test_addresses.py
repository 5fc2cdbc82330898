"""Which addresses are public, and may be fetched from."""

from __future__ import annotations

import ipaddress

import pytest

from service.fetch.addresses import is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:53aa:64c::", "ff02::1",
    ],
)  # fmt: skip
def test_addresses_that_are_nobodys_business(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "::ffff:93.184.216.34"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
