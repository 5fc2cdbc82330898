"""Ids that callers give to tracks and videos: any text that can stand in a path, a manifest and a log line."""

from __future__ import annotations

import re

from workbench.errors import ParameterError

MAX_ID = 128
"""characters of the longest"""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def check_id(name: str, given: str) -> None:
    """Validate that an id has 1 to 128 characters and no blanks at its ends, else ParameterError names the field."""
    if not 1 <= len(given) <= MAX_ID or given != given.strip():
        raise ParameterError(f"{name} must have 1 to {MAX_ID} characters, no blanks at its ends: {given!r}")


def check_plain_id(name: str, given: str) -> None:
    """Validate that an id can also stand in an address and in a command as it is, without quotes or escapes.

    It has letters, digits and . _ - only, and none of these marks first.
    """
    check_id(name, given)
    if not _PLAIN.fullmatch(given):
        raise ParameterError(
            f"{name} must have letters, digits and . _ - only, and begin with a letter or digit: {given!r}"
        )
