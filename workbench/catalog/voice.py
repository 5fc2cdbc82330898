"""What may be said of a voice in a track: that somebody sings, that nobody does, or that it is not sure.

A probability in the middle is a doubt, so it is said as one. The limits are those from which a track is called
instrumental and from which it is not.

Functions: `voice_words`, `is_sung`.
"""

from __future__ import annotations

MAX_INSTRUMENTAL_VOICE = 0.3
"""probability of a voice up to which a track is called instrumental: half of what the least sure of twelve recorded
songs has"""
MIN_VOCAL_VOICE = 0.9
"""probability of a voice from which on a track is called not instrumental"""
_ROUNDING = 1e-6
"""by which a probability of single precision may lie under the number that it stands for"""


def voice_words(chance: float) -> str:
    """A probability of a voice in words, with as much doubt as it deserves.

    Such as "a voice with a probability of 4 %" or "perhaps a voice, with a probability of 60 %".
    """
    percent = f"with a probability of {100 * chance:.0f} %"
    if is_sung(chance) or chance <= MAX_INSTRUMENTAL_VOICE + _ROUNDING:
        return f"a voice {percent}"
    return f"perhaps a voice, {percent}"


def is_sung(chance: float) -> bool:
    """Whether it may be said that somebody sings."""
    return chance >= MIN_VOCAL_VOICE - _ROUNDING
