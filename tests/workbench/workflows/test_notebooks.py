"""Reports run with other parameters than their own, and need nothing from the network."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from service.console import run
from workbench.bundled import bundled_path
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.results.loop import plan_body
from workbench.workflows.loop import loop_track
from workbench.workflows.notebooks import copy_notebooks, find_notebook, run_notebook


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home"))


def page(notebook: str, out: Path, home: Home, **parameters: str) -> str:
    run_notebook(find_notebook(notebook), parameters, out, home)
    return out.read_text(encoding="utf-8")


def asked_of_others(html: str) -> list[str]:
    return re.findall(r"""(?:src|href|action|data)\s*=\s*["']?(?:https?:)?//[^"'\s>]+|url\(["']?(?:https?:)?//""", html)


def test_the_plan_report_shows_a_plan_that_was_made_before(song: Path, home: Home, tmp_path: Path) -> None:
    loop = loop_track(song, 70.0, home)
    assert isinstance(loop.answer, LoopPlan)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(plan_body(loop.answer).to_json()))
    html = page("reports/plan", tmp_path / "plan.html", home, track=str(song), plan_file=str(plan))
    assert "clicks.flac under a clip of 1:10" in html
    assert loop.answer.end_label in html
    seams = zip(loop.answer.segments[:-1], loop.answer.segments[1:], strict=True)
    assert html.count("data:audio/mpeg") == len({(left.song_to, entered.song_from) for left, entered in seams})
    assert asked_of_others(html) == []


def test_the_catalog_report_links_to_one_report_a_track(song: Path, home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other one.flac"
    shutil.copyfile(song, other)
    tracks, folder = json.dumps([str(song), str(other)]), tmp_path / "tracks"
    out = tmp_path / "catalog.html"
    html = page("reports/catalog", out, home, tracks=tracks, clip_seconds="70", folder=str(folder))
    links = re.findall(r'<a href="(tracks/[^"]+)">([^<]+)</a>', html)
    assert links == [("tracks/0001_clicks.html", "clicks"), ("tracks/0002_other%20one.html", "other one")]
    assert "2 of 2 tracks can be looped" in html
    reports = sorted(folder.iterdir())
    assert [file.name for file in reports] == ["0001_clicks.html", "0002_other one.html"]
    assert all(asked_of_others(file.read_text(encoding="utf-8")) == [] for file in (out, *reports))


def test_the_lab_opens_a_copy_and_leaves_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Called from a folder with a file named like a library that JupyterLab needs."""
    (tmp_path / "click.py").write_text("")
    monkeypatch.chdir(tmp_path)
    home = Home(tmp_path / "home")
    shipped = bundled_path("notebooks")
    changed = home.notebooks / "03_loop.ipynb"
    copy_notebooks(home.notebooks)
    changed.write_text("mine")
    assert run(["lab", "--home", str(home.root), "--version"]) == 0
    assert re.search(r"^\d+\.\d+\.\d+", capfd.readouterr().out, re.MULTILINE)
    assert changed.read_text() == "mine"
    names = {path.relative_to(shipped) for path in shipped.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts}
    assert {path.relative_to(home.notebooks) for path in home.notebooks.rglob("*.ipynb")} == names
