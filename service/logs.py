"""Logging of the service: one JSON object a line on standard error, never with a key or a secret."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from functools import cache
from typing import Any, TextIO, cast

import structlog

from workbench.clock import now


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


@cache
def _encoder(default: Callable[[object], object]) -> json.JSONEncoder:
    return json.JSONEncoder(default=default)


def _serialize(line: object, default: Callable[[object], object], **_: object) -> str:
    """As `json.dumps`, which would make an encoder for each line."""
    return _encoder(default).encode(line)


def _add_time(_logger: object, _level: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """As `structlog.processors.TimeStamper(fmt="iso")`, which takes four times as long."""
    line["timestamp"] = f"{now().removesuffix('+00:00')}Z"
    return line


def log_to_stderr(level: str) -> None:
    """Configure structlog to write to standard error. Lines that cannot be written are lost.

    Parameters
    ----------
    level : lowest level that is written: debug, info, warning or error
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            _add_time,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_serialize),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # One write a line: a line of up to PIPE_BUF bytes (4096) is then not mixed with another process's; a longer
        # traceback can be.
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _Unfailing(sys.stderr))),
        cache_logger_on_first_use=True,
    )
