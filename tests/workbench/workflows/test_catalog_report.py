"""The report of a catalog."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.files import bundled_path
from workbench.store.home import Home


@pytest.mark.slow
def test_the_catalog_report_links_to_one_report_a_track(
    track: Path, home: Home, tmp_path: Path, page: Callable[..., str], asked_of_others: Callable[[str], list[str]]
) -> None:
    other, refused = tmp_path / "other one.flac", bundled_path("data", "bundled", "music", "silence.ogg")
    shutil.copyfile(track, other)
    tracks, folder = json.dumps([str(other), str(refused)]), tmp_path / "tracks"
    out = tmp_path / "catalog.html"
    html = page("reports/catalog", out, home, tracks=tracks, video_seconds="70", folder=str(folder))
    links = re.findall(r'<a href="(tracks/[^"]+)">([^<]+)</a>', html)
    assert links == [
        ("tracks/0001_other%20one.html", "other one"),
        ("tracks/0002_silence.html", "silence"),
    ]
    assert "1 of 2 tracks can be looped" in html
    assert "no_loop_profile: No bars were found" in html
    reports = sorted(folder.iterdir())
    assert [file.name for file in reports] == ["0001_other one.html", "0002_silence.html"]
    assert all(asked_of_others(file.read_text(encoding="utf-8")) == [] for file in (out, *reports))
