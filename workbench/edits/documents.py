"""What is read of a file that an editing program wrote: the document in a bundle, and one of its projects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize

from workbench.errors import Argument, EditError

_IN_BUNDLES = ("Info.fcpxml", "content.otio")

MOST_BYTES = 200_000_000  # of a document; more is no edit


def document_of(path: Path) -> Path:
    """The file that holds an edit: of a bundle that is a folder (`.fcpxmld`, `.otiod`) the document in it."""
    return next((path / name for name in _IN_BUNDLES if (path / name).is_file()), path)


def choose_project(path: Path, names: Sequence[str], wanted: str | None) -> int:
    """Which of a file's projects is read: the only one, else the one of a name; `EditError` lists them otherwise."""
    if len(names) == 1:
        return 0
    found = [k for k, name in enumerate(names) if wanted and normalize("NFC", name) == normalize("NFC", wanted)]
    if len(found) == 1:
        return found[0]
    of_name = "" if wanted is None else f", {'several' if found else 'none'} of them {wanted}"
    raise EditError(
        f"{path}: holds {len(names)} projects{of_name}: {', '.join(names)}; say which with ",
        Argument("projects"),
    )
