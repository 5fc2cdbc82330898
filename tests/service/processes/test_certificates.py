"""A certificate that is renewed, in handshakes with a client."""

from __future__ import annotations

import asyncio
import ssl
from functools import partial
from pathlib import Path

import trustme

from service.processes.certificates import follow_files
from workbench.store.clock import SystemClock, using


class Stopped(SystemClock):
    """A clock that is put ahead by hand."""

    seconds = 1000.0

    def monotonic_seconds(self) -> float:
        return self.seconds


def write(folder: Path, certificate: trustme.LeafCert, *, key: bool = True) -> None:
    if key:
        certificate.private_key_pem.write_to_path(folder / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(folder / "cert.pem")


def server_context(folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


async def shown(port: int, name: str | None) -> bytes | None:
    """The certificate that a server shows to a client that asks for a name, or for none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name or "")
    certificate: bytes | None = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return certificate


def test_a_handshake_uses_the_files_as_they_are_by_then(tmp_path: Path) -> None:
    authority, clock, complaints = trustme.CA(), Stopped(), list[str]()
    first, second = authority.issue_cert("one.example"), authority.issue_cert("one.example")
    old, new = (ssl.PEM_cert_to_DER_cert(one.cert_chain_pems[0].bytes().decode()) for one in (first, second))
    write(tmp_path, first)

    async def look() -> None:
        context = server_context(tmp_path)
        make = partial(server_context, tmp_path)
        follow_files(context, tmp_path / "cert.pem", tmp_path / "key.pem", make, complaints.append)
        async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            assert await shown(port, "one.example") == old
            write(tmp_path, second, key=False)  # as between the writing of one and the other
            assert await shown(port, "one.example") == old
            assert complaints == []  # not looked at yet
            for _ in range(3):
                clock.seconds += 11
                assert await shown(port, "one.example") == old
            assert len(complaints) == 1
            write(tmp_path, second)
            clock.seconds += 11
            assert await shown(port, None) == new
            assert await shown(port, "one.example") == new
            (tmp_path / "key.pem").unlink()
            clock.seconds += 11
            assert await shown(port, "one.example") == new
            assert "No such file" in complaints[1]

    with using(clock):
        asyncio.run(look())
