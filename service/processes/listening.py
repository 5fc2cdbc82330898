"""Opening a listening socket, with an error that says why it cannot be opened."""

from __future__ import annotations

import os
import socket

from workbench.errors import WorkbenchError


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 is any free one. WorkbenchError: the address is not ours or in use."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except socket.gaierror as error:
        raise WorkbenchError(f"cannot listen on {host}: {error.strerror}") from error
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)  # its own text names the address as Python does
        raise WorkbenchError(f"cannot listen on {host} port {port}: {why}") from error
