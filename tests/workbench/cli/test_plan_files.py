"""A plan on the command line: a file or standard input, and what is said of one that is none."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.cli.plan_files import read_plan
from workbench.errors import InputError, PlanError
from workbench.loops.plan import LoopPlan
from workbench.results.loop import plan_body
from workbench.results.mix import MixBody

MIX = {"voiceover": False, "classification": "ambient", "duck": None}


@pytest.fixture
def plan(make_plan: Callable[..., LoopPlan]) -> LoopPlan:
    return make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)


def test_a_file_and_standard_input_hold_the_same_plan(
    plan: LoopPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"plan": plan_body(plan).to_json(), "mix": MIX}).encode()
    file = tmp_path / "plan.json"
    file.write_bytes(b"\xef\xbb\xbf" + text)  # as Windows editors save UTF-8
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    for given in (file, Path("-")):
        assert read_plan(given) == (plan, MixBody.model_validate(MIX))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\xff\xfe\x00", "this is not a plan, nor text at all"),
        (b"no plan", "not a plan, for it is not JSON"),
        (b"[]", "a plan is a JSON object, got list"),
    ],
)
def test_what_is_no_plan_is_named(data: bytes, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(data)
    with pytest.raises(PlanError, match=rf"plan\.json: {sentence}"):
        read_plan(file)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    with pytest.raises(PlanError, match=f"^standard input: {sentence}"):
        read_plan(Path("-"))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json: cannot be read \(No such file or directory\)"):
        read_plan(tmp_path / "nowhere.json")
