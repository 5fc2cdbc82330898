"""Pieces of Markdown that several pages of the book are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    """Text as it stands in a cell of a table, on one line."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;") or "–"


def code(value: object) -> str:
    """A value as code in a cell of a table."""
    return f"`{value}`".replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def fenced(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def contents(pages: Iterable[str], caption: str = "", depth: int = 1, hidden: bool = False) -> str:
    """The pages below a page."""
    options = [f":maxdepth: {depth}", *([f":caption: {caption}"] if caption else []), *([":hidden:"] if hidden else [])]
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])
