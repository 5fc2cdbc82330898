"""The fitted numbers that ship: files beside this module, each with a card that says what it is and how it was made.

A model is whatever was fitted to data and is too large for a parameter. Each file, `NAME.npz` or `NAME.json`, has its
card `NAME.md`. Only this module knows where they lie.

Functions: `read_model`, `open_model`; `model_digest`, for cache keys of what a model decides; `model_path`, for the
scripts that fit.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import BinaryIO

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


@cache
def model_digest(name: str) -> str:
    """SHA-256 of a model's file, in hex; raises as `open_model` does."""
    return hashlib.sha256(read_model(name)).hexdigest()
