"""Scripts and styles of the page, served by us: where they lie, and what they say."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"


def stylesheet(name: str) -> str:
    """The style of a component."""
    return (ASSETS / f"{name}.css").read_text(encoding="utf-8")
