"""The book, built in full where its environment is there: every check holds, and no page needs the network."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from notebooks.book.build import SPHINX, build
from notebooks.book.gallery import recipes
from notebooks.book.sources import ROOT

PLACES = ("index", "gallery/index", "notebooks/01_beats", "reference/parameters", "reference/commands",
          "reference/service", "reference/benchmarks", "reference/benchmark_history", "reference/models/seams",
          "reference/python/workbench.seams")  # fmt: skip


@pytest.mark.slow
def test_the_book_is_built_and_whole(tmp_path: Path) -> None:
    if not SPHINX.exists():
        pytest.skip(f"no {SPHINX}: make book installs it")
    out = tmp_path / "book"
    began = time.monotonic()
    assert build(out) == []
    assert time.monotonic() - began < 1200  # alone on 2 cores under 400
    assert [place for place in PLACES if not (out / f"{place}.html").is_file()] == []
    for recipe in recipes():
        assert recipe.question in (out / "gallery" / f"{recipe.path.stem}.html").read_text()
    assert re.search(r'<img [^>]*src="\.\./_images/', (out / "notebooks" / "01_beats.html").read_text())
    seams = (out / "notebooks" / "02_seams.html").read_text()
    assert 'src="02_seams/sound_1.mp3"' in seams
    assert "data-knob" in seams
    assert "run the cell to" not in seams
    module = (out / "reference/python/workbench.seams.html").read_text()
    assert 'id="workbench.seams.seam_score.score_seam"' in module


def test_the_lock_of_the_book_has_our_versions() -> None:
    pinned = re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", (ROOT / "requirements/book.lock").read_text(), re.MULTILINE)
    assert len(pinned) > 40
    ours = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", (ROOT / "requirements/dev.lock").read_text(), re.MULTILINE))
    # some packages have other versions for newer Pythons, in both
    found = {name: {version for other, version in pinned if other == name} for name, _ in pinned}
    assert [name for name, versions in found.items() if name in ours and ours[name] not in versions] == []
