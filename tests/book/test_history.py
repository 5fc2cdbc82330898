"""The history of the benchmarks: what a run adds to it, what is stored, and its page."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from notebooks.book.history import history_figure, read_history, write_history
from tests.benchmarks.history import FOLLOWED, HISTORY, append_run, history_line
from tests.benchmarks.table import Table


def test_a_run_adds_one_line_and_names_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("Cuts", ["picture", "ratio"])
    table.add("all", 1.0)
    ingest = Table("Ingest, CPU seconds", ["picture", "|of| it", "ratio"])
    ingest.add("640 by 360", "a b", 2.3456)
    ingest.add("1920 by 1080", 4, None)
    stamp = "2031-02-03, A Processor, 8 cores, Linux, Python 3.13.1"
    section = f"## cuts\n\n{stamp}\n\n{table.markdown()}\n{ingest.markdown()}"
    line = history_line("cuts", section, "abc")
    assert line == {
        **{"date": "2031-02-03", "machine": "A Processor, 8 cores", "software": "Linux, Python 3.13.1"},
        **{"revision": "abc", "benchmark": "cuts", "figures": {"Ingest, CPU seconds: 640 by 360, ratio": 2.346}},
    }
    assert history_line("judgements", section, "abc") is None
    history = tmp_path / "history.jsonl"
    append_run("cuts", section, history)
    assert capsys.readouterr().err == "[bench] not in this run: Ingest, CPU seconds: 1920 by 1080, ratio\n"
    append_run("judgements", section, history)
    append_run("cuts", section, history)
    first, second = read_history(history)
    assert first == second
    assert first["figures"] == line["figures"]


def test_stored_lines_are_complete_and_name_no_host() -> None:
    runs = read_history(HISTORY)
    assert len(runs) > 20
    followed = {name: {figure.name for figure in figures} for name, figures in FOLLOWED.items()}
    for run in runs:
        assert set(run) == {"date", "machine", "software", "revision", "benchmark", "figures"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
        assert re.fullmatch(r"[\w() @.,-]+, \d+ cores", run["machine"])
        assert set(run["figures"]) <= followed[run["benchmark"]]
        assert run["figures"]
        assert all(math.isfinite(value) for value in run["figures"].values())
    assert not re.search(r"/|\.local", HISTORY.read_text().replace("CPU s/", "").replace("requests/s", ""))


def test_the_page_shows_every_run(tmp_path: Path) -> None:
    figures = {"A table, with more: ours, F": 0.5, "Other: 1 h, ms": 12.0}
    base = {"software": "Linux", "revision": "a|b", "benchmark": "speed"}
    runs = [
        {**base, "date": "2031-02-03", "machine": "one, 2 cores", "figures": figures},
        {**base, "date": "2031-02-03", "machine": "two, 8 cores", "figures": {"Other: 1 h, ms": 3.0}},
    ]
    kept = tmp_path / "history.jsonl"
    kept.write_text("".join(json.dumps(run) + "\n" for run in runs))
    write_history(tmp_path, read_history(kept))
    page = (tmp_path / "benchmark_history.md").read_text()
    assert page.count("| 2031-02-03 |") == 2
    assert "| a\\|b | – | 3 |" in page
    assert (tmp_path / "benchmark_history" / "speed.png").stat().st_size > 1000
    drawn = history_figure(runs, ["one, 2 cores", "two, 8 cores"])
    assert [len(axes.lines) for axes in drawn.axes] == [1, 2]
