"""The fitted numbers that ship: files beside this module, each with a card that says what it is and how it was made.

A model is whatever was fitted to data. Each file, `NAME.npz` or `NAME.json`, has its card `NAME.md`, which says from
what it was fitted, how good it is and how to make it again. Where fitted numbers are parameters too, the file holds
their defaults, and `workbench.params` their ranges and reasons. Only this module knows where models lie.

Functions: `read_model`, `open_model`, `read_numbers`; `model_digest`, for cache keys of what a model decides;
`model_path`, for the scripts that fit.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from workbench.errors import ResourceMissing

_FOLDER = Path(__file__).resolve().parent


def model_path(name: str) -> Path:
    """Where a model lies, by its file name; it need not be there yet."""
    return _FOLDER / name


def open_model(name: str) -> BinaryIO:
    """Open a model that ships for reading.

    Raises
    ------
    ResourceMissing : there is no such model
    """
    try:
        return model_path(name).open("rb")
    except FileNotFoundError as error:
        raise ResourceMissing(f"the model {name} is not shipped with this installation; install it again") from error


def read_model(name: str) -> bytes:
    """Read a model that ships whole; raises as `open_model` does."""
    with open_model(name) as file:
        return file.read()


def read_numbers(name: str) -> dict[str, Any]:
    """Read a model of named numbers, `NAME.json`; raises as `open_model` does."""
    numbers: dict[str, Any] = json.loads(read_model(name))
    return numbers


@cache
def model_digest(name: str) -> str:
    """SHA-256 of a model's file, in hex; raises as `open_model` does."""
    return hashlib.sha256(read_model(name)).hexdigest()
