"""Certificates that are renewed while a server runs, as certbot and its like do every few weeks.

A server reads certificate and key once, when it makes its TLS context. Here a handshake looks at the files first, at
most every ten seconds, and goes on with what they are now. It imports only the standard library.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from workbench.store.clock import monotonic_seconds

_LOOK_SECONDS = 10.0  # between two looks at the files

_State: TypeAlias = tuple[tuple[int, int, int], ...] | None


def follow_files(
    context: ssl.SSLContext,
    chain: Path,
    key: Path,
    make: Callable[[], ssl.SSLContext],
    complain: Callable[[str], None],
) -> None:
    """Have each handshake of a server use the certificate that is in its files by then, by an SNI callback.

    Files that do not fit together, as between the writing of one and the other, are read again once they change; until
    then the last ones that did are used. `make` makes a context like the server's from the files as they are now;
    `complain` is called once a change with why the changed files cannot be used.
    """
    files = _Files(chain, key, make, complain, context)
    before = context.sni_callback

    def use_newest(connection: ssl.SSLObject, name: str, asked: ssl.SSLContext) -> int | None:
        refused = None if before is None else before(connection, name, asked)
        newest = files.newest()
        if newest is not connection.context:
            connection.context = newest
        return refused

    context.sni_callback = use_newest


@dataclass
class _Files:
    """The files of a certificate, and the context that was made of them last."""

    chain: Path
    key: Path
    make: Callable[[], ssl.SSLContext]
    complain: Callable[[str], None]
    made: ssl.SSLContext
    seen: _State = field(init=False)
    next_look: float = field(init=False)

    def __post_init__(self) -> None:
        self.seen, self.next_look = self._state(), monotonic_seconds() + _LOOK_SECONDS

    def newest(self) -> ssl.SSLContext:
        now = monotonic_seconds()
        if now >= self.next_look:
            self.next_look, found = now + _LOOK_SECONDS, self._state()
            if found != self.seen:
                self.seen = found  # from before they are read: what changes meanwhile is seen at the next look
                try:
                    self.made = self.make()
                except OSError as error:  # includes ssl.SSLError
                    self.complain(f"{self.chain}, {self.key}: {error.strerror or error}; the ones before are used on")
        return self.made

    def _state(self) -> _State:
        """What differs when a file was written, or replaced; None where one is missing or cannot be looked at."""
        try:
            found = [path.stat() for path in (self.chain, self.key)]
        except OSError:
            return None
        return tuple((one.st_ino, one.st_mtime_ns, one.st_size) for one in found)
