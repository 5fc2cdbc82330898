"""Constraints as the command line takes them: `--pin-seam 1:32-0:48`.

Functions: `in_options`, `error_in_options`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.errors import RequestError, WorkbenchError

if TYPE_CHECKING:
    from workbench.loops.constraints import Sentence

_OPTIONS = {
    "never_cut": "--never-cut", "forbidden": "--forbid-seam", "pinned": "--pin-seam", "excluded": "--exclude",
    "keep": "--keep", "start_at": "--start-at", "end_on": "--end-on",
}  # fmt: skip
"""by kind of constraint"""


def in_options(sentence: Sentence) -> str:
    """A sentence that calls constraints by the options which ask for them."""
    return "".join(part if isinstance(part, str) else f"{_OPTIONS[part.kind]} {part.what}" for part in sentence)


def error_in_options(error: WorkbenchError) -> str:
    """The text of an error; constraints in it are called by their options."""
    return in_options(error.sentence) if isinstance(error, RequestError) else str(error)
