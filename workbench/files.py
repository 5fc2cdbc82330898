"""Files that appear whole or not at all: written beside their place under another name, synced, then renamed.

A reader finds the old file or the new one, never a part, even if the writer was killed or the power failed; of two
writers the later wins. The name aside is short, for a file's own name may already be as long
as the file system allows, hidden, and keeps the suffix, by which encoders and tag writers choose the format.

Also removes folders from messages for readers on another machine.

Functions: `written_whole`, `write_text`, `cannot_be_written`, `find_abandoned_parts`, `without_folders`.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.errors import MediaError, WorkbenchError

_PART = ".part"
_FOLDER = r"""[^/\\:'"\s]+"""
_ROOT = rf"(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\]{_FOLDER}"
"""where an absolute path begins; behind a word, a dot or a colon a stroke is another thing (4/4, audio/mpeg, https://)"""


@contextmanager
def written_whole(out: Path, failure: type[WorkbenchError] = MediaError) -> Iterator[Path]:
    """A name beside `out` to write to; it becomes `out` when the block succeeds and is gone when it fails.

    Parameters
    ----------
    out : the file; its folder must exist, a file of that name is replaced
    failure : what an `OSError` of the block becomes; other exceptions pass as they are

    Raises
    ------
    failure : the file cannot be written
    """
    aside = out.with_name(f".{os.getpid()}-{secrets.token_hex(4)}{_PART}{out.suffix}")
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(aside, out)
    except WorkbenchError:
        raise
    except OSError as error:
        raise cannot_be_written(out, error, failure) from error
    finally:
        # If there is no such folder, the error of writing says so; nothing to remove is no second error.
        with suppress(FileNotFoundError, NotADirectoryError):
            aside.unlink()


def write_text(out: Path, text: str, failure: type[WorkbenchError] = MediaError) -> None:
    """Write a file of UTF-8 text whole or not at all.

    Parameters
    ----------
    out : the file; its folder must exist, a file of that name is replaced
    text : line feeds are written as they are
    failure : the class of error to raise

    Raises
    ------
    failure : the file cannot be written
    """
    with written_whole(out, failure) as aside:
        aside.write_bytes(text.encode("utf-8"))


def cannot_be_written(out: Path, error: Exception, failure: type[WorkbenchError] = MediaError) -> WorkbenchError:
    """The error for a file that cannot be written, with the reason that the system or the encoder gave.

    Parameters
    ----------
    out : the file
    error : what was raised
    failure : class of the error to return

    Returns
    -------
    the error, for the caller to raise
    """
    return failure(
        f"{out}: cannot be written ({getattr(error, 'strerror', None) or error}); check the folder and free space"
    )


def find_abandoned_parts(folder: Path, idle_seconds: float) -> Iterator[Path]:
    """Parts in a folder and below it whose writers were killed: nobody has written to them for some time.

    Parameters
    ----------
    folder : searched with all folders below it
    idle_seconds : age of the last write from which on a part counts as left behind
    """
    for part in folder.rglob(f"*{_PART}*"):
        with suppress(FileNotFoundError):  # renamed or removed meanwhile
            if time.time() - part.stat().st_mtime > idle_seconds:
                yield part


def without_folders(text: str, *known: Path) -> str:
    """A message with every file in it named by its last name alone.

    Errors name a file by its path, which helps whoever works on this machine. On a page or in an answer the path would
    show strangers how the server's folders are laid out, and would tell the owner nothing that the name does not.

    Parameters
    ----------
    text : a message
    *known : folders that the files may lie in; only theirs and those below them may have blanks in their names

    Returns
    -------
    the message without folders

    Examples
    --------
    >>> without_folders("/home/me/uploads/track.mp3: no sound in this file")
    'track.mp3: no sound in this file'
    """
    longest_first = sorted((str(folder) for folder in known), key=len, reverse=True)
    roots = "|".join([*map(re.escape, longest_first), _ROOT])
    return re.sub(rf"(?:{roots})[/\\](?:{_FOLDER}[/\\])*(?=[^/\\\s:])", "", text)
