"""Ids that others give to tracks and videos: any text that can stand in a path, a manifest and a log line.

Functions: `check_id`.
"""

from __future__ import annotations

from workbench.errors import ParameterError

MAX_ID = 128
"""characters of the longest"""


def check_id(name: str, given: str) -> None:
    """See that an id has 1 to 128 characters and no blanks at its ends; `name` is the field's, as `video_id`.

    Raises
    ------
    ParameterError : it has none, too many, or a blank at an end
    """
    if not 1 <= len(given) <= MAX_ID or given != given.strip():
        raise ParameterError(f"{name} must have 1 to {MAX_ID} characters, no blanks at its ends: {given!r}")
