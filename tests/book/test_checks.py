"""What ends the build of the book: commands, code and names that are wrong, links that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebooks.book.checks import built_faults, missing_names, page_faults
from notebooks.book.sources import HERE, ROOT

PAGES = [HERE / "index.md", HERE / "glossary.md", *sorted((HERE / "how_to").glob("*.md"))]
OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "DECISIONS.md", "notebooks/README.md",
                                   "tests/benchmarks/README.md")]  # fmt: skip


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_pages_have_no_fault(page: Path) -> None:
    assert list(page_faults(page, ROOT)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```sh\nworkbench loop track.wav --vidoe video.mp4\n```\n", "--vidoe"),
        ("```python\nplan = (\n```\n", "never closed"),
        ("Call `wb.splise(track)`.\n", "wb has no splise"),
        ("Run `make dashbord`.\n", "there is no make dashbord"),
        ("See `workbench/seams/seems.py`.\n", "there is no workbench/seams/seems.py"),
    ],
)
def test_a_fault_of_a_page_is_named(tmp_path: Path, text: str, said: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    (fault,) = page_faults(page, ROOT)
    assert said in fault


def test_links_and_what_pages_load(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">ok</a><a href="b.html#nowhere">x</a><a href="c.html">x</a>'
        '<a href="#top">ok</a><a href="https://example.org/">ok</a><script src="https://example.org/x.js"></script>'
        '<img src="data:image/png;base64,AA==">'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><a href="a.html">ok</a>')
    assert list(built_faults(tmp_path)) == [
        "a.html: b.html#nowhere has no such place",
        "a.html: c.html is not there",
        "a.html loads https://example.org/x.js",
    ]


def test_a_name_that_no_page_describes_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "reference" / "python"
    folder.mkdir(parents=True)
    (folder / "workbench.html").write_text(
        '<section id="module-workbench.errors"></section><dt id="workbench.open"></dt>'
    )
    assert missing_names(tmp_path, {"workbench.errors", "workbench.open", "workbench.shut"}) == ["workbench.shut"]
