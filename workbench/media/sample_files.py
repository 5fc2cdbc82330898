"""Samples of a long recording in a file: hours of sound are read from disk as they are used, not held in memory.

The file has no name, so nothing is left when the process ends, however it ends. It is written by ordinary writes, which
a full disk refuses, and only then mapped into memory: writing through the map instead would kill the process there.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

import numpy as np

from workbench.errors import StoreError
from workbench.recording import FloatArray

_COPIED_BYTES = 1 << 22


class SampleFiles:
    """Takes the samples of a recording block by block and gives them back as one array in a file.

    As a context manager it closes what it opened; the array lasts longer. The folder is made if need be. All methods
    raise `StoreError` where the disk is full or the folder cannot be written to.
    """

    def __init__(self, folder: Path, channels: int) -> None:
        self._folder = folder
        self._files: list[IO[bytes]] = []
        self._opened = ExitStack()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # A file a channel: rows must lie in one piece, and how long they get is known only at the end.
            for _ in range(channels):
                file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
                self._files.append(self._opened.enter_context(file))
        except OSError as error:
            self.close()
            raise self._cannot_be_written(error) from error

    def append(self, samples: FloatArray) -> None:
        """Append a block, shape (channels, n), float32."""
        try:
            for file, channel in zip(self._files, samples, strict=True):
                file.write(np.ascontiguousarray(channel, dtype=np.float32).data)
        except OSError as error:
            raise self._cannot_be_written(error) from error

    def finish(self) -> FloatArray:
        """All samples, shape (channels, n), read-only; the file lasts as long as arrays that show it."""
        whole = self._files[0]
        try:
            for file in self._files[1:]:
                file.seek(0)
                shutil.copyfileobj(file, whole, _COPIED_BYTES)
                file.close()
            whole.flush()
        except OSError as error:
            raise self._cannot_be_written(error) from error
        return np.memmap(whole, dtype=np.float32, mode="r").reshape(len(self._files), -1)

    def close(self) -> None:
        """Close the files; a file in use by an array stays open."""
        with suppress(OSError):  # what a full disk did not take is of no use
            self._opened.close()

    def __enter__(self) -> SampleFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cannot_be_written(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._folder}: cannot hold the decoded sound of a long recording ({error.strerror}); "
            "free some disk space there, or choose another home folder by WORKBENCH_HOME"
        )
