"""Pieces of Markdown that several pages of the book are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from textwrap import dedent


def cell(text: object) -> str:
    """Text as it stands in a cell of a table, on one line."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;") or "–"


def code(value: object) -> str:
    """A value as code in a cell of a table."""
    return f"`{value}`".replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown; columns of numbers, but the first, are set to the right."""
    body = list(rows)
    rules = ["---:" if column and _are_numbers([row[column] for row in body]) else "---" for column in range(len(head))]
    lines = [head, rules, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, and dashes where there is none."""
    known = [text for text in cells if text != "–"]
    return bool(known) and all(text.removeprefix("-").replace(".", "", 1).isdecimal() for text in known)


def language_of(lines: Sequence[str]) -> str:
    """The language that colours an indented block: Python if it is a program."""
    text = dedent("\n".join(lines))
    try:
        program = ast.parse(text).body
    except SyntaxError:
        return "text"
    return "python" if any(not isinstance(one, ast.Expr) for one in program) else "text"


def fenced(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def contents(pages: Iterable[str], caption: str = "", depth: int = 1, hidden: bool = False) -> str:
    """The pages below a page."""
    options = [f":maxdepth: {depth}", *([f":caption: {caption}"] if caption else []), *([":hidden:"] if hidden else [])]
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])
