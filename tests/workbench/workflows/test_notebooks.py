"""Reports run with other parameters than their own, need nothing from the network, and lose nothing if they fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import nbformat
import pytest

from workbench.analysis.workspace import Workspace
from workbench.cli.main import run
from workbench.errors import InputError, WorkbenchError, WorkerDied
from workbench.files import bundled_path
from workbench.lab.notebooks import copy_notebooks, run_notebook
from workbench.plans.plan import PlanKind
from workbench.plans.request import LOOP_ALONE
from workbench.results.plan import plan_body
from workbench.store.home import Home
from workbench.workflows.plan import plan_track, save_plan
from workbench.workflows.report import plan_sentence


@pytest.mark.slow
def test_the_plan_report_shows_a_plan_that_was_made_before(
    track: Path, home: Home, tmp_path: Path, page: Callable[..., str], asked_of_others: Callable[[str], list[str]]
) -> None:
    loop = plan_track(Workspace(home), track, 70.0, LOOP_ALONE)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(plan_body(loop.plan).to_json()))
    html = page("reports/plan", tmp_path / "plan.html", home, track=str(track), plan_file=str(plan))
    assert "clicks under a video of 1:10" in html
    assert loop.plan.end_label in html
    seams = zip(loop.plan.segments[:-1], loop.plan.segments[1:], strict=True)
    assert html.count("data:audio/mpeg") == len({(left.song_to, entered.song_from) for left, entered in seams})
    assert asked_of_others(html) == []


@pytest.mark.slow
def test_the_plan_report_shows_the_option_that_is_asked_for(
    home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    track = bundled_path("data", "bundled", "music", "slow_tide.ogg")
    loop = plan_track(Workspace(home), track, 270.0, LOOP_ALONE)
    count = len(loop.plan.options)
    assert count > 1
    plan, page = save_plan(loop, tmp_path / "plan.json"), tmp_path / "plan.html"
    given = ["report", "reports/plan", "-p", "track", str(track), "-p", "plan_file", str(plan), "-o", str(page)]
    assert run([*given, "--option", "2", "--home", str(home.root)]) == 0
    html = page.read_text(encoding="utf-8")
    assert f"slow_tide under a video of 4:30, option 2 of {count}" in html
    assert plan_sentence(loop.plan.option(2)) in unescape(html)
    assert "<strong>Option 1</strong>" in html
    assert "<strong>Option 2</strong>" not in html
    capfd.readouterr()
    assert run([*given, "--option", "9", "--home", str(home.root)]) == 1
    assert "there is no option 9 in this plan" in capfd.readouterr().err


@pytest.mark.slow
def test_the_plan_report_shows_a_fit(track: Path, home: Home, tmp_path: Path, page: Callable[..., str]) -> None:
    """Planned now or before; a straight plan has no seam and no body."""
    fit = plan_track(Workspace(home), track, 30.0)
    assert fit.plan.kind is PlanKind.STRAIGHT
    made_before = save_plan(fit, tmp_path / "plan.json")
    for number, given in enumerate(({"plan_file": str(made_before)}, {"fit": "true", "video_seconds": "30"})):
        html = page("reports/plan", tmp_path / f"{number}.html", home, track=str(track), **given)
        assert "clicks under a video of 0:30" in html
        assert "played straight, with no seam" in html
        assert "data:audio/mpeg" not in html


@pytest.mark.slow
@pytest.mark.parametrize("notebook", ["01_beats", "02_seams", "03_loop", "05_align", "reports/plan", "reports/track"])
def test_a_track_that_is_refused_is_a_result_and_the_notebook_runs_to_its_end(
    notebook: str, home: Home, tmp_path: Path, page: Callable[..., str]
) -> None:
    """Silence has no bars, so nothing can be looped."""
    html = page(
        notebook, tmp_path / "page.html", home, track=str(bundled_path("data", "bundled", "music", "silence.ogg"))
    )
    if notebook not in ("01_beats", "05_align"):
        assert "no_loop_profile" in html
        assert "Pick a track with a beat" in html


@pytest.mark.slow
def test_music_without_a_voice_is_a_result_of_the_ducking_notebook(
    track: Path, home: Home, tmp_path: Path, page: Callable[..., str]
) -> None:
    html = page("04_duck", tmp_path / "page.html", home, voice=str(track), music=str(track))
    assert "No speech to duck under was found" in html
    # A page has no kernel: it shows what the sliders stand at, and a slider that was computed with it.
    assert "widget-view+json" not in html
    assert "knobs.turn(release_ms=400)" in html
    assert "data-knob" in html


SLOW_OUTPUT = """
import sys, time
sys.stdout.flush_timeout = sys.stderr.flush_timeout = 0.1
get_ipython().kernel.iopub_thread.schedule(lambda: time.sleep(6))
print("late")
"""
"""Holds the thread that sends the kernel's output: the cell has ended seconds before its output arrives."""
KILLED = "# out of memory\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
CELL = "cell 4 "
"""of the notebooks below, as `In [4]` shows it; papermill adds a cell with the parameters given"""


def notebook_of(path: Path, last: str) -> Path:
    """A notebook whose first cell has the parameters x and name, whose second prints, and whose third is `last`."""
    v4 = nbformat.v4
    parameters = v4.new_code_cell("x = 1\nname = 'a'", metadata={"tags": ["parameters"]})
    cells = [v4.new_markdown_cell("# Title"), parameters, v4.new_code_cell("print('x is', x)"), v4.new_code_cell(last)]
    nbformat.write(v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.slow
def test_output_that_arrives_seconds_after_its_cell_is_in_the_report(home: Home, tmp_path: Path) -> None:
    """nbclient gives up after 4 s by default, which a busy machine exceeds."""
    out = run_notebook(
        Workspace(home), notebook_of(tmp_path / "slow.ipynb", SLOW_OUTPUT), {"x": "3"}, tmp_path / "slow.html"
    )
    assert "x is 3" in out.read_text()
    assert "late" in out.read_text()
    assert not (tmp_path / "slow.partial.ipynb").exists()


@pytest.mark.parametrize(
    ("last", "error", "said"),
    [
        (SLOW_OUTPUT, WorkbenchError, "(`import sys, time`) ended, but its output did not arrive within 1 s"),
        (KILLED, WorkerDied, "(`import os, signal`): the kernel died in this cell"),
        ("raise ValueError('one\\ntwo')", InputError, "raised ValueError: one two."),
        ("raise SystemExit('no more')", InputError, "raised SystemExit: no more."),
    ],
    ids=("late output", "killed", "raised", "exited"),
)
def test_a_run_that_fails_names_the_cell_and_keeps_what_was_computed(
    last: str, error: type[Exception], said: str, home: Home, tmp_path: Path
) -> None:
    notebook, out = notebook_of(tmp_path / "mine.ipynb", last), tmp_path / "page.html"
    with pytest.raises(error) as caught:
        run_notebook(Workspace(home), notebook, {"x": "3"}, out, output_seconds=1)
    kept = tmp_path / "page.partial.ipynb"
    message = str(caught.value)
    assert message.startswith("mine.ipynb: " + CELL)
    assert said in message
    assert message.endswith(f"What was computed until then is in {kept}.")
    assert "\n" not in message
    outputs = [output for cell in nbformat.read(kept, as_version=4).cells for output in cell.get("outputs", [])]
    assert outputs[0].text == "x is 3\n"
    assert not out.exists()


def test_the_report_command_says_in_one_line_that_the_kernel_died(
    home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    notebook, out = notebook_of(tmp_path / "mine.ipynb", KILLED), tmp_path / "page.html"
    assert run(["report", str(notebook), "-o", str(out), "--home", str(home.root)]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    progress, message = said.err.splitlines()
    assert progress.startswith("running mine.ipynb")
    assert "the kernel died in this cell" in message


def test_a_number_is_a_text_where_the_default_is_one(home: Home, tmp_path: Path) -> None:
    """A track may be called 1984."""
    notebook, out = notebook_of(tmp_path / "mine.ipynb", "print([x, name])"), tmp_path / "page.html"
    run_notebook(Workspace(home), notebook, {"x": "1984", "name": "1984"}, out)
    assert "[1984, '1984']" in unescape(out.read_text())
    run_notebook(Workspace(home), notebook, {"x": "text", "name": '"true"'}, out)
    assert "['text', 'true']" in unescape(out.read_text())


def test_progress_is_reported_for_every_cell(home: Home, tmp_path: Path) -> None:
    reported: list[tuple[str, float]] = []
    notebook = notebook_of(tmp_path / "mine.ipynb", "print('done')")
    run_notebook(
        Workspace(home, progress=lambda stage, done: reported.append((stage, done))),
        notebook,
        {},
        tmp_path / "page.html",
    )
    assert {stage for stage, _ in reported} == {"running mine.ipynb"}
    done = [share for _, share in reported]
    assert done == sorted(done)
    assert len(set(done)) == 4, "at the start of each of the three cells, and at the end"
    assert done[-1] == 1.0


@pytest.mark.parametrize("text", ["# A page", "{}", '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}'])
def test_a_file_that_is_no_notebook_is_named(text: str, home: Home, tmp_path: Path) -> None:
    file = tmp_path / "page.ipynb"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(f"{file}: not a Jupyter notebook")):
        run_notebook(Workspace(home), file, {}, tmp_path / "page.html")


def test_a_parameter_that_the_notebook_does_not_have_is_named(home: Home, tmp_path: Path) -> None:
    notebook = notebook_of(tmp_path / "mine.ipynb", "2")
    with pytest.raises(InputError, match=re.escape("mine.ipynb has no parameter 'y'; it has x, name")):
        run_notebook(Workspace(home), notebook, {"y": "3"}, tmp_path / "page.html")


@pytest.mark.slow
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
    assert list((home.notebooks / "gallery").glob("*.py"))
    assert not (home.notebooks / "book").exists()
