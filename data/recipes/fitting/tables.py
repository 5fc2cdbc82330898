"""Reference sets that fits start from, and the versions of the features that they were made with.

`match_reference.npz` and `underscore_reference.npz` lie among the models, since the library reads them too. The entry
`versions` of a set names its features, as JSON. Other versions measure other numbers, so a fit refuses a set that was
made with them: its model is fitted on material by others then, or keeps its weights.

Function: `check_table`. Error: `OutdatedTable`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np


class OutdatedTable(ValueError):
    """A set was made with other versions of the features than there are now."""


def check_table(path: Path, versions: Mapping[str, int | str]) -> None:
    """Raise `OutdatedTable` unless the features of a set have these versions, such as ``{"picture": 5}``."""
    with np.load(path) as stored:
        made_with = json.loads(str(stored["versions"]))
    if made_with != dict(versions):
        raise OutdatedTable(
            f"{path.name} was made with {made_with}, the features are {dict(versions)} now: "
            f"fit on material by others, or keep the weights"
        )
