"""The fitted numbers that ship: files beside this module, each with a card on its data, accuracy and making.

A model is anything that was fitted to data. Each file, `NAME.npz` or `NAME.json`, has its card `NAME.md`: what it was
fitted to, how good it is and how to make it again. Only this module knows where models lie.

Class: `FittedModel`, the numbers of one model as a typed object. Functions: `read_model`, `open_model`, `read_numbers`;
`model_digest`, for cache keys of results that depend on a model; `model_path`, for the scripts that fit.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict

from workbench.errors import ResourceMissing

_FOLDER = Path(__file__).resolve().parent


class FittedModel(BaseModel):
    """The fitted numbers of one stage, the field `model` of its parameters.

    Part of the cache keys and the provenance like any parameter; a sweep varies a field as `models.STAGE.NAME`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def model_path(name: str) -> Path:
    """The path of a model; the file need not exist yet."""
    return _FOLDER / name


def open_model(name: str) -> BinaryIO:
    """Open a shipped model for reading; `ResourceMissing` if this installation has none of the name."""
    try:
        return model_path(name).open("rb")
    except FileNotFoundError as error:
        raise ResourceMissing(f"the model {name} is not shipped with this installation; install it again") from error


def read_model(name: str) -> bytes:
    """Read a shipped model whole."""
    with open_model(name) as file:
        return file.read()


def read_numbers(name: str) -> dict[str, Any]:
    """The numbers of a shipped `NAME.json`, by name."""
    numbers: dict[str, Any] = json.loads(read_model(name))
    return numbers


@cache
def model_digest(name: str) -> str:
    """SHA-256 of a model's file, computed once per process."""
    return hashlib.sha256(read_model(name)).hexdigest()
