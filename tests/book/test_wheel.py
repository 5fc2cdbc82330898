"""The wheel carries the book where it is built and not too large, and is built without it elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hatchling", reason="hatchling builds the wheel, and is not installed")

from hatchling.bridge.app import Application
from hatchling.metadata.core import ProjectMetadata

from notebooks.book import wheel


@pytest.fixture
def book(tmp_path: Path) -> Path:
    page = tmp_path / wheel.BOOK / "how_to" / "creator.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>Music under a video.</p>" * 1000)
    (tmp_path / wheel.BOOK / "index.html").write_text("<h1>Workbench</h1>")
    return tmp_path / wheel.BOOK


def included(root: Path, version: str = "standard") -> dict[str, str]:
    data: dict[str, Any] = {"force_include": {}}
    metadata: ProjectMetadata[Any] = ProjectMetadata(str(root), None)
    hook = wheel.BookHook(str(root), {}, None, metadata, "", "wheel", Application())
    hook.initialize(version, data)
    return dict(data["force_include"])


def test_a_built_book_goes_where_it_is_looked_for(book: Path, tmp_path: Path) -> None:
    assert included(tmp_path) == {str(book): "workbench/_shipped/build/book"}
    assert included(tmp_path, "editable") == {}


def test_without_a_book_the_wheel_has_none(tmp_path: Path) -> None:
    assert included(tmp_path) == {}


def test_a_book_too_large_is_left_out_and_that_is_said(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 < wheel.packed_bytes(book) < 1000
    monkeypatch.setattr(wheel, "MOST_BYTES", 10)
    assert included(tmp_path) == {}
    assert "is left out of the wheel" in capsys.readouterr().err
