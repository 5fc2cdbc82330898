"""Nothing that can be reached from elsewhere is served in the clear, whatever command serves it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
import trustme

from service.commands.transport import check_transport, is_loopback
from workbench.errors import InputError


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    issued = trustme.CA().issue_cert("localhost")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    for blob in issued.cert_chain_pems:
        blob.write_to_path(str(chain), append=True)
    issued.private_key_pem.write_to_path(str(key))
    return chain, key


@pytest.mark.parametrize(
    ("host", "here"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False)]
)
def test_only_loopback_is_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_the_open_needs_tls_or_a_proxy(certificate: tuple[Path, Path]) -> None:
    check_transport("127.0.0.1", None, None, False)
    check_transport("0.0.0.0", None, None, True)
    check_transport("0.0.0.0", *certificate, False)
    with pytest.raises(click.UsageError, match=r"0\.0\.0\.0 can be reached from elsewhere"):
        check_transport("0.0.0.0", None, None, False)


def test_certificate_and_key_go_together_and_must_fit(certificate: tuple[Path, Path]) -> None:
    chain, key = certificate
    with pytest.raises(click.UsageError, match="go together"):
        check_transport("127.0.0.1", chain, None, False)
    with pytest.raises(InputError, match="cannot be used for TLS"):
        check_transport("127.0.0.1", key, chain, False)
