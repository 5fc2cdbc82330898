"""Logging of the service: one JSON object a line on standard error, never with a key or a secret."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TextIO, cast

import structlog

_PACKAGE = "barline-workbench"  # name of the distribution


class _Unfailing:
    """A stream that never fails: a log on a full disk must not fail what it reports."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def log_start(process: str, home: Path) -> None:
    """Log that a process works from now on: a log that is read later says which version and which home it was."""
    structlog.get_logger("service").info("started", process=process, version=version(_PACKAGE), home=str(home))


def log_to_stderr(level: str) -> None:
    """Configure structlog to write to standard error from a level on. Lines that cannot be written are lost."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # One write a line: a line of up to PIPE_BUF bytes (4096) is then not mixed with another process's; a longer
        # traceback can be.
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _Unfailing(sys.stderr))),
        cache_logger_on_first_use=True,
    )
