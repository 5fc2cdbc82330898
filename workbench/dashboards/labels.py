"""The names of parameters as the page shows them.

Functions: `label_of`.
"""

from __future__ import annotations

_UNITS = {"lufs": "LUFS", "lu": "LU", "db": "dB", "dbfs": "dBFS", "ms": "ms", "seconds": "s", "hz": "Hz"}
"""as a field's name ends, and as people write it"""


def label_of(name: str) -> str:
    """A field's name as the page shows it: `attack_ms` is "attack, ms".

    Parameters
    ----------
    name : of a field of a stage
    """
    words = name.split("_")
    unit = _UNITS.get(words[-1])
    return " ".join(words) if unit is None else f"{' '.join(words[:-1])}, {unit}"
