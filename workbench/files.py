"""Files that appear whole or not at all: written beside their place under another name, synced, then renamed.

Who opens such a file finds the old one or the new one, never a part, also when the writer was killed or the power
failed; of two who write one file the later wins. The name aside is short, for a file's own name may already be as long
as the file system allows, hidden, and keeps the suffix, by which encoders and tag writers tell kinds of files.

Also how a file is named to somebody who works on another machine: by its name, without this machine's folders.

Functions: `written_whole`, `write_text`, `cannot_be_written`, `left_behind`, `without_folders`.
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
        # Where the folder is no folder, the failure to write tells so; that nothing is left to remove need not.
        with suppress(FileNotFoundError, NotADirectoryError):
            aside.unlink()


def write_text(out: Path, text: str, failure: type[WorkbenchError] = MediaError) -> None:
    """Write a file of UTF-8 text, line feeds as they are, whole or not at all; raises as `written_whole` does."""
    with written_whole(out, failure) as aside:
        aside.write_bytes(text.encode("utf-8"))


def cannot_be_written(out: Path, error: Exception, failure: type[WorkbenchError] = MediaError) -> WorkbenchError:
    """Say that a file cannot be written, with the reason of the system or the encoder."""
    return failure(
        f"{out}: cannot be written ({getattr(error, 'strerror', None) or error}); check the folder and free space"
    )


def left_behind(folder: Path, idle_seconds: float) -> Iterator[Path]:
    """Parts in a folder and below it that nobody has written to for so long: their writers were killed."""
    for part in folder.rglob(f"*{_PART}*"):
        with suppress(FileNotFoundError):  # renamed or removed meanwhile
            if time.time() - part.stat().st_mtime > idle_seconds:
                yield part


def without_folders(text: str, *known: Path) -> str:
    """A message with every file in it named by its last name alone.

    What reads a file names it by its path, which helps whoever works on this machine. On a page or in an answer
    it would tell strangers how the server's folders are laid out, and tell the owner nothing that the name does not.

    Parameters
    ----------
    known : folders that the files may lie in; only theirs and those below them may have blanks in their names

    Examples
    --------
    >>> without_folders("/home/me/uploads/track.mp3: no sound in this file")
    'track.mp3: no sound in this file'
    """
    longest_first = sorted((str(folder) for folder in known), key=len, reverse=True)
    roots = "|".join([*map(re.escape, longest_first), _ROOT])
    return re.sub(rf"(?:{roots})[/\\](?:{_FOLDER}[/\\])*(?=[^/\\\s:])", "", text)
