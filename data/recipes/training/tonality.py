"""Keys, scales and Roman numerals, for the two ways in which scores are written here.

`writing` counts numerals in the major scale whatever the mode (`bVI` in minor), `textures` on the steps of the natural
minor scale (`VI` in minor); what follows a numeral, the quality of its chord, is each one's own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SCALES = {
    "major": (0, 2, 4, 5, 7, 9, 11), "minor": (0, 2, 3, 5, 7, 8, 10), "dorian": (0, 2, 3, 5, 7, 9, 10),
    "phrygian": (0, 1, 3, 5, 7, 8, 10), "lydian": (0, 2, 4, 6, 7, 9, 11), "mixolydian": (0, 2, 4, 5, 7, 9, 10),
    "harmonic": (0, 2, 3, 5, 7, 8, 11), "pentatonic": (0, 2, 4, 7, 9), "minor pentatonic": (0, 3, 5, 7, 10),
    "blues": (0, 3, 5, 6, 7, 10), "hijaz": (0, 1, 4, 5, 7, 8, 10),
}  # fmt: skip
"""semitones above the tonic"""
DEGREES = ("I", "II", "III", "IV", "V", "VI", "VII")
_ALTERED = {"": 0, "b": -1, "#": 1}
_NUMERAL = re.compile(r"([b#]?)(VII|VI|V|IV|III|II|I|vii|vi|v|iv|iii|ii|i)([^/]*)(?:/(.+))?$")


class PieceKey(NamedTuple):
    """Where a piece is at home; tonic as pitch class (0 is C), mode a name of `SCALES`."""

    tonic: int
    mode: str

    @property
    def scale(self) -> tuple[int, ...]:
        """Semitones above the tonic."""
        return SCALES[self.mode]

    @property
    def minor(self) -> bool:
        """Whether the third above the tonic is small."""
        return 3 in self.scale

    def degree(self, step: int) -> int:
        """Semitones above tonic 0 of a scale step, which may lie any number of octaves up or down."""
        return self.tonic + 12 * (step // len(self.scale)) + self.scale[step % len(self.scale)]


class Numeral(NamedTuple):
    """A Roman numeral taken apart."""

    root: int
    """semitones above the tonic"""
    minor: bool
    """written small: the chord's third is"""
    quality: str
    """what follows it"""
    under: str
    """what follows a slash; empty without one"""


def read_numeral(text: str, mode: str = "major") -> Numeral:
    """Take a numeral apart; its root stands on a step of the mode, with `b` or `#` on one of the major scale.

    Raises
    ------
    ValueError : the text is no numeral
    """
    match = _NUMERAL.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a Roman numeral")
    alter, name, quality, under = match.groups()
    steps = SCALES["major" if alter else mode]
    return Numeral(steps[DEGREES.index(name.upper())] + _ALTERED[alter], name.islower(), quality, under or "")
