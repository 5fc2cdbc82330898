"""`CITATION.cff` parses, has what the format asks for, and agrees with the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]


def test_the_citation_agrees_with_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert citation["authors"]
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    assert citation["type"] == "software"
