"""A socket that listens, or one clear line that says why it cannot."""

from __future__ import annotations

import os
import socket

from workbench.errors import WorkbenchError


def bound(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises
    ------
    WorkbenchError : the address is not ours, or taken
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except socket.gaierror as error:
        raise WorkbenchError(f"cannot listen on {host}: {error.strerror}") from error
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)  # its own text names the address as Python does
        raise WorkbenchError(f"cannot listen on {host} port {port}: {why}") from error
