"""`workbench docs`: the address of the built book, or how to build it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import files as bundled

from .conftest import Cli


@pytest.mark.parametrize("root", [".", "workbench/_shipped"], ids=["checkout", "wheel"])
def test_the_address_of_the_built_book_is_printed(
    workbench: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    page = tmp_path / root / "build" / "book" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<h1>Workbench</h1>")
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "workbench")
    assert workbench("docs", "--no-show")[:2] == (0, f"{page.as_uri()}\n")


def test_without_the_book_one_line_says_how_to_build_it(
    workbench: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "workbench")
    err = workbench.refused(1, "docs", "--no-show")
    assert "this installation has no book; `make book` in a checkout builds it" in err
    assert err.count("\n") == 1
