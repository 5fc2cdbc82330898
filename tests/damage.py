"""Damage to files as disks and power cuts do it; what is damaged is overwritten in place, as a mapped file would be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

Way: TypeAlias = Callable[[bytes], bytes]
"""from the bytes of a file to those of the damaged one"""
_FLIPPED_BYTES = 400


def flipped(content: bytes) -> bytes:
    """All bits of 400 bytes in the middle."""
    first = max(0, len(content) // 2 - _FLIPPED_BYTES // 2)
    middle = content[first : first + _FLIPPED_BYTES]
    return content[:first] + bytes(byte ^ 0xFF for byte in middle) + content[first + len(middle) :]


def cut(content: bytes) -> bytes:
    """The first half."""
    return content[: len(content) // 2]


def zeroed(content: bytes) -> bytes:
    """As many zeros."""
    return bytes(len(content))


def emptied(_content: bytes) -> bytes:
    """Nothing."""
    return b""


WAYS: tuple[Way, ...] = (flipped, cut, zeroed, emptied)


def damage(files: Iterable[Path], way: Way) -> list[Path]:
    """Damage those files that change by it; which ones."""
    damaged = []
    for file in files:
        before = file.read_bytes()
        after = way(before)
        if after != before:
            with file.open("rb+") as opened:
                opened.write(after)
                opened.truncate()
            damaged.append(file)
    return damaged


def files_in(*folders: Path) -> list[Path]:
    """All files below some folders."""
    return sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
