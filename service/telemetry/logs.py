"""Logging of the service: one JSON object a line on standard error, never with a key or a secret."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TextIO, cast

import structlog

from workbench.store.clock import now

_PACKAGE = "barline-workbench"  # name of the distribution
_WHOLE_BYTES = 4096  # PIPE_BUF: what is written at once to a pipe is not mixed with what other processes write


class _Unfailing:
    """A stream whose errors nobody sees: a log on a full disk must not fail what it tells of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


_stderr = _Unfailing(sys.stderr)
_ENCODE = json.JSONEncoder().encode


class AnswerLog:
    """The line of each answered request, as `log.info` would write it, but of those of one turn of the event loop at
    once: so many lines cost little more than one.
    """

    def __init__(self, level: str) -> None:
        self._lines: list[str] = []
        self._is_on = logging.getLevelNamesMapping()[level.upper()] <= logging.INFO

    def add(self, **fields: object) -> None:
        """Write a line with these fields in the next turn of the running event loop."""
        if not self._is_on:
            return
        if not self._lines:
            asyncio.get_running_loop().call_soon(self.flush)
        timestamp = f"{now().removesuffix('+00:00')}Z"
        self._lines.append(_ENCODE({**fields, "event": "answered", "level": "info", "timestamp": timestamp}) + "\n")

    def flush(self) -> None:
        """Write what is left. No write is longer than a pipe takes at once, or one line."""
        lines, self._lines = self._lines, []
        text = ""
        for line in lines:
            if text and len(text) + len(line) > _WHOLE_BYTES:
                _stderr.write(text)
                text = ""
            text += line
        if text:
            _stderr.write(text)
        _stderr.flush()


def log_start(process: str, home: Path) -> None:
    """Log that a process works from now on: a log that is read later says which version and which home it was."""
    structlog.get_logger("service").info("started", process=process, version=version(_PACKAGE), home=str(home))


def log_to_stderr(level: str) -> None:
    """Configure structlog to write to standard error. Lines that cannot be written are lost.

    `level` is debug, info, warning or error.
    """
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
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _stderr)),
        cache_logger_on_first_use=True,
    )
