"""Puts the built book into the wheel; the build of the wheel calls this, `make wheel` builds the book first.

A wheel may be built where nobody has built the book. It has none then, and `workbench docs` says so.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BOOK = "build/book"
MOST_BYTES = 15_000_000
"""of the book in the wheel, compressed: a larger one is left out, for every installation would carry it"""


class BookHook(BuildHookInterface):  # type: ignore[type-arg]  # of the configuration of a builder, which it does not read
    """Adds the folder of the book where `workbench.files` looks for it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before files are gathered; an editable install needs no copy, because the checkout has the book."""
        book = Path(self.root) / BOOK
        if version == "editable" or not (book / "index.html").is_file():
            return
        size = packed_bytes(book)
        if size > MOST_BYTES:
            self.app.display_warning(f"the book takes {size / 1e6:.1f} MB and is left out of the wheel")
            return
        build_data["force_include"][str(book)] = f"workbench/_shipped/{BOOK}"


def packed_bytes(folder: Path) -> int:
    """Bytes that a folder takes in a wheel, whose files are deflated one by one."""
    return sum(len(zlib.compress(path.read_bytes())) for path in folder.rglob("*") if path.is_file())
