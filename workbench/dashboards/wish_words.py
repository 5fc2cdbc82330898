"""What is asked of a plan, as the page calls it: a page has buttons, where a command line has options.

Functions: `in_words`, `all_in_words`, `kept_words`.
"""

from __future__ import annotations

from collections.abc import Iterable

_WORDS = {
    "--pin-seam": "pinned", "--forbid-seam": "forbidden", "--never-cut": "never cut", "--exclude": "excluded",
    "--keep": "kept whole", "--start-at": "music starts at", "--end-on": "last hit at",
}  # fmt: skip
"""of each wish, before its times"""


def in_words(label: str) -> str:
    """A wish as the page calls it.

    `label`: as one types it, such as `--pin-seam 1:32-0:48`.
    """
    option, _, times = label.partition(" ")
    between = " → " if option in ("--pin-seam", "--forbid-seam") else " to "
    return f"{_WORDS.get(option, option)} {times.replace('-', between)}"


def all_in_words(sentence: str, labels: Iterable[str]) -> str:
    """A sentence in which wishes are called as on the page."""
    for label in sorted(labels, key=len, reverse=True):  # one may begin as another does
        sentence = sentence.replace(label, in_words(label))
    return sentence


def kept_words(labels: Iterable[str]) -> str:
    """What is kept with the track, and where it is dropped."""
    return f"kept with the track: {', '.join(map(in_words, labels))}; it can be dropped in Plan"
