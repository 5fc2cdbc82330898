"""Evidence of drawn and composed material that fits start from: one compressed file of arrays a model, beside its fit.

The programs that drew and composed that material are in the history; what was measured of it is `NAME.npz` here. A
table names the versions of the features that it was measured with. Other versions measure other numbers, so a fit
refuses a table that was made with them.

Functions: `read_table`, `write_table`. Error: `OutdatedTable`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).parent
_VERSIONS = "versions"


class OutdatedTable(ValueError):
    """A table was measured with other versions of the features than there are now."""


def write_table(path: Path, versions: Mapping[str, int], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write evidence and the versions of the features that it was measured with, such as ``{"picture": 5}``."""
    np.savez_compressed(path, allow_pickle=False, **{_VERSIONS: np.array(json.dumps(dict(versions)))}, **arrays)


def read_table(path: Path, versions: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """The arrays of a table; raises `OutdatedTable` if its features have other versions than the given ones."""
    with np.load(path) as stored:
        made_with = json.loads(str(stored[_VERSIONS]))
        if made_with != dict(versions):
            raise OutdatedTable(
                f"{path.name} was measured with {made_with}, the features are {dict(versions)} now: "
                f"fit on material by others, or keep the weights"
            )
        return {name: stored[name] for name in stored.files if name != _VERSIONS}
