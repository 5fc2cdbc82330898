"""Files that editors read: written whole or not at all, and how they name the media beside them.

Functions: `written_whole`, `write_text`, `media_path`, `media_url`, `absolute_url`, `plain_name`, `require`.
"""

from __future__ import annotations

import importlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

from workbench.errors import InputError, MediaError, ResourceMissing

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff]+")


@contextmanager
def written_whole(out: Path) -> Iterator[Path]:
    """A name beside `out` to write to; it becomes `out` when the block succeeds and is gone when it fails.

    Raises
    ------
    MediaError : the file cannot be written
    """
    aside = out.with_name(f".{os.getpid()}-{secrets.token_hex(4)}{out.suffix}")
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(aside, out)
    except OSError as error:
        raise MediaError(
            f"{out}: cannot be written ({error.strerror or error}); check folder and free space"
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def write_text(out: Path, text: str) -> None:
    """Write a file of UTF-8 text with line feeds, whole or not at all."""
    with written_whole(out) as aside:
        aside.write_bytes(text.encode("utf-8"))


def media_path(media: Path, out: Path) -> str:
    """How a file at `out` names another: relative where it lies beside or below, else absolute; slashes throughout.

    Raises
    ------
    InputError : the name is no text (bytes that are not UTF-8)
    """
    whole, folder = _whole(media), _whole(out).parent
    return (whole.relative_to(folder) if whole.is_relative_to(folder) else whole).as_posix()


def media_url(media: Path, out: Path) -> str:
    """The same as a URL: relative, or with `file://`; every character that is special there is escaped."""
    name = media_path(media, out)
    if Path(name).is_absolute():
        return Path(name).as_uri()
    # A colon in the first part would be read as a scheme.
    return quote(name, safe="/")


def absolute_url(media: Path) -> str:
    """The same as a URL that begins with `file://`, wherever the file lies."""
    return _whole(media).as_uri()


def plain_name(text: str) -> str:
    """Text on one line, without characters that no format can hold."""
    return _UNPRINTABLE.sub(" ", text).strip()


def require(module: str, called: str) -> ModuleType:
    """Import a library of the `export` extra.

    Raises
    ------
    ResourceMissing : it is not installed
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ResourceMissing(
            f"this format is written with {called}, which is not installed: pip install 'barline-workbench[export]'"
        ) from None


def _whole(path: Path) -> Path:
    """The absolute path, links kept."""
    whole = os.path.abspath(path)
    try:
        whole.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{whole!r}: editors need a file name that is text in UTF-8; rename the file") from None
    return Path(whole)
