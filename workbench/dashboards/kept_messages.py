"""Messages to a browser that Panel keeps back are sent, all of them.

While a page's socket is busy Panel 1.9 keeps messages, and for each change has a task write what is kept. A task that
has written takes away the mark that there is something to write, also where a message was kept meanwhile: the task that
came with it then returns at once, and the message waits for the next change of the page. Somebody who only looks never
sees it. So each task looks once more.

Functions: `send_all_kept`.
"""

from __future__ import annotations

from typing import Any

from panel.io import document as panel_document

_write = panel_document._dispatch_msgs


async def _write_all(document: Any) -> None:
    await _write(document)
    # Where the socket is busy again, the mark is there, and so is a task.
    while document in panel_document._WRITE_MSGS and document not in panel_document._WRITE_BLOCK:
        panel_document._WRITE_BLOCK[document] = True
        await _write(document)


def send_all_kept() -> None:
    """Have Panel send every message that it keeps back; once or several times, in a process that serves pages."""
    panel_document._dispatch_msgs = _write_all
