"""Save and load tuned parameters, so that command line and service can use what a notebook found.

TOML or JSON, chosen by the suffix. A file names only what differs from the defaults:

    [seams]
    context_beats = 8

The fitted numbers of a model are no part of a profile: a sweep or Python varies them.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from workbench.errors import ParameterError, StoreError
from workbench.files import decode_text, write_text
from workbench.params import Params, WorkbenchParams


def load_profile(path: Path) -> WorkbenchParams:
    """Read parameters from a file.

    Parameters
    ----------
    path : .toml or .json

    Returns
    -------
    all parameters; those that the file does not name have their defaults

    Raises
    ------
    ParameterError : no such file, neither TOML nor JSON, an unknown field, fitted numbers, or a value out of range; the
        message names file and field
    """
    path = Path(path)
    is_toml = _is_toml(path)
    try:
        text = decode_text(path.read_bytes())
        values: Any = tomllib.loads(text) if is_toml else json.loads(text)
    except FileNotFoundError:
        raise ParameterError(f"{path}: no such profile") from None
    except OSError as error:
        raise ParameterError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:  # no text, not TOML, not JSON
        raise ParameterError(f"{path}: not a profile file ({error})") from None
    stages = values.items() if isinstance(values, dict) else ()
    for stage, fields in stages:
        if isinstance(fields, dict) and "model" in fields:
            raise ParameterError(f"{path}: {stage}.model: a profile does not hold fitted numbers")
    return params_from(values, str(path))


def params_from(values: Any, named: str) -> WorkbenchParams:
    """All parameters, from those that differ from their defaults."""
    try:
        return WorkbenchParams.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the profile"
        rule = _unknown(first["loc"]) if first["type"] == "extra_forbidden" else first["msg"]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        given = "" if first["type"] in ("extra_forbidden", "missing") else f", got {first['input']!r}"
        raise ParameterError(f"{named}: {field}: {rule}{given}{more}") from None


def _unknown(where: tuple[int | str, ...]) -> str:
    """The message for an unknown field: which fields the table has."""
    table, dot, name = str(where[-1]).partition(".")
    if dot:
        return f'a table holds its fields: write {{"{table}": {{"{name}": ...}}}}'
    model: Any = WorkbenchParams
    for part in where[:-1]:
        model = model.model_fields[str(part)].annotation
    fields = model.knobs() if issubclass(model, Params) else model.model_fields
    return f"unknown field; allowed are {', '.join(sorted(fields))}"


def save_profile(params: WorkbenchParams, path: Path) -> Path:
    """Write the parameters that differ from their defaults.

    Parameters
    ----------
    params : all parameters
    path : .toml or .json; a file of that name is replaced, and appears whole or not at all

    Returns
    -------
    the path

    Raises
    ------
    StoreError : the file cannot be written
    ParameterError : the suffix is neither .toml nor .json, or a fitted number differs from the shipped model
    """
    path = Path(path)
    is_toml = _is_toml(path)
    values = params.model_dump(mode="json", exclude_defaults=True, exclude_none=is_toml)  # TOML has no null
    for stage, fields in values.items():
        if "model" in fields:
            raise ParameterError(f"{path}: {stage}.model: a profile does not hold fitted numbers")
    text = tomli_w.dumps(values) if is_toml else json.dumps(values, indent=2) + "\n"
    write_text(path, text, StoreError)
    return path


def _is_toml(path: Path) -> bool:
    if path.suffix.lower() not in (".toml", ".json"):
        raise ParameterError(f"{path}: a profile is a .toml or .json file")
    return path.suffix.lower() == ".toml"
