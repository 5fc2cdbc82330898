"""The reference of the command line, and the check of command lines in pages."""

from __future__ import annotations

import re

import pytest

from notebooks.book.commands import commands_page, fault_of
from workbench.cli.main import all_commands


def test_every_command_and_its_options_stand_in_the_page() -> None:
    page = commands_page()
    assert set(all_commands()) <= set(re.findall(r"^## ([\w-]+)$", page, re.MULTILINE))
    assert "### keys create" in page
    loop = page.split("\n## loop\n")[1].split("\n## ")[0]
    assert "workbench loop [OPTIONS] TRACK" in loop
    assert {"--video", "--auto-mix", "--never-cut", "--home"} <= set(re.findall(r"--[\w-]+", loop))
    assert "```sh\nworkbench loop" in loop
    assert "\b" not in page
    assert "\f" not in page


@pytest.mark.parametrize(
    "line",
    [
        "workbench loop track.wav --video video.mp4 --auto-mix > plan.json",
        "workbench keys create --account acme",
        "workbench fit track.wav --seconds 15,30 | jq .",
        "make demo",
        "workbench --help",
        "",
    ],
)
def test_a_command_line_that_would_run_has_no_fault(line: str) -> None:
    assert fault_of(line) == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("workbench lop track.wav", "there is no command lop"),
        ("workbench loop track.wav --vidoe video.mp4", "--vidoe"),
        ("workbench render plan.json --option none -o out.wav", "none"),
        ("workbench splice track.wav 1:32", "ENTER"),
        ("WORKBENCH_API_KEY=sk_live_… workbench mcp --urll http://127.0.0.1:8000", "--urll"),
        ("workbench keys give --account acme", "there is no command give"),
    ],
)
def test_a_command_line_that_would_not_run_is_named_with_its_fault(line: str, said: str) -> None:
    fault = fault_of(line)
    assert line in fault
    assert said in fault
