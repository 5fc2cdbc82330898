"""What is taken over into the book."""

from __future__ import annotations

import re

from notebooks.book.sources import ROOT, notebooks_index, without_links_to_made_files


def test_the_list_of_notebooks_links_every_one() -> None:
    page = notebooks_index((ROOT / "notebooks" / "README.md").read_text())
    shipped = [path.relative_to(ROOT / "notebooks") for path in (ROOT / "notebooks").rglob("*.ipynb")]
    names = [path.with_suffix("").as_posix() for path in shipped if ".ipynb_checkpoints" not in path.parts]
    assert [name for name in names if f"[{name}]({name}.ipynb)" not in page or f"\n{name}\n" not in page] == []


def test_links_to_what_a_run_has_made_are_text_in_the_book() -> None:
    stored = (ROOT / "notebooks" / "reports" / "catalog.ipynb").read_text()
    linked = re.findall(r'<a href=\\"home/[^"]*\\">([^<]+)</a>', stored)
    assert linked
    shown = without_links_to_made_files(stored)
    assert "home/track_reports" not in shown
    assert all(f">{name}</td>" in shown for name in linked)
