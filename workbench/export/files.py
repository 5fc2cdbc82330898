"""Files that editors read: how they name their media, and text that every format can hold."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from workbench.errors import InputError

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff]+")


def media_path(media: Path, out: Path) -> str:
    """The path by which a file names another: relative if the other is beside or below it, else absolute.

    With slashes on every system. Raises `InputError` for a name that is no text (bytes that are not UTF-8).
    """
    whole, folder = _whole(media), _whole(out).parent
    return (whole.relative_to(folder) if whole.is_relative_to(folder) else whole).as_posix()


def media_url(media: Path, out: Path) -> str:
    """The URL by which a file names another: relative if the other is beside or below it, else with `file://`.

    Raises as `media_path`.
    """
    name = media_path(media, out)
    if Path(name).is_absolute():
        return Path(name).as_uri()
    # A colon in the first part would be read as a scheme.
    return quote(name, safe="/")


def plain_name(text: str) -> str:
    """The text on one line, with a blank for characters that some format cannot hold."""
    return _UNPRINTABLE.sub(" ", text).strip()


def _whole(path: Path) -> Path:
    """The absolute path; links are not followed."""
    whole = os.path.abspath(path)
    try:
        whole.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{whole!r}: editors need a file name that is text in UTF-8; rename the file") from None
    return Path(whole)
