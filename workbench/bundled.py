"""Finds what ships with the package: the bundled catalog, the notebooks, and the book where it is built.

An installed wheel holds them in `workbench/_shipped`; in a checkout they lie at its root. Only this module knows.
"""

from __future__ import annotations

from pathlib import Path

from workbench.errors import ResourceMissing

_PACKAGE = Path(__file__).resolve().parent


def bundled_path(*parts: str) -> Path:
    """A shipped file or folder, by its path in a checkout.

    Parameters
    ----------
    *parts : folders and file name, from the root of a checkout

    Returns
    -------
    an existing path

    Raises
    ------
    ResourceMissing : neither the wheel nor a checkout has it

    Examples
    --------
    >>> bundled_path("data", "bundled").name
    'bundled'
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parent):
        candidate = root.joinpath(*parts)
        if candidate.exists():
            return candidate
    raise ResourceMissing(f"{'/'.join(parts)} is not shipped with this installation; install the package again")


def built_book() -> Path:
    """The absolute path of the built book's first page; raises `ResourceMissing`, with the way to get it."""
    try:
        return bundled_path("build", "book", "index.html")
    except ResourceMissing:
        raise ResourceMissing(
            "this installation has no book; `make book` in a checkout builds it, `make wheel` a wheel that carries it"
        ) from None
