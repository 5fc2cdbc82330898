"""Profiles: what was tuned comes back, and a mistake is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.errors import ParameterError, StoreError
from workbench.params import CoverParams, RenderParams, SeamParams, WorkbenchParams
from workbench.params.loops import SeamModel
from workbench.store.profiles import load_profile, save_profile

TUNED = WorkbenchParams(cover=CoverParams(required_excess_seconds=12.5), render=RenderParams(ceiling_dbtp=-2.0))


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("params", [TUNED, WorkbenchParams()])
def test_what_was_saved_is_loaded(tmp_path: Path, suffix: str, params: WorkbenchParams) -> None:
    path = save_profile(params, tmp_path / f"a{suffix}")
    assert load_profile(path) == params
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_a_file_names_only_what_was_tuned(tmp_path: Path) -> None:
    text = save_profile(TUNED, tmp_path / "a.toml").read_text()
    assert text == "[cover]\nrequired_excess_seconds = 12.5\n\n[render]\nceiling_dbtp = -2.0\n"
    values = json.loads(save_profile(TUNED, tmp_path / "a.json").read_text())
    assert values == {"cover": {"required_excess_seconds": 12.5}, "render": {"ceiling_dbtp": -2.0}}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[cover]\nrequired_excess_seconds = -1\n", ["cover.required_excess_seconds", "greater than", "-1"]),
        ("[cover]\nrequired_access = 1\n", ["cover.required_access", "unknown", "required_excess_seconds"]),
        ("[covers]\nx = 1\n", ["covers", "unknown", "cover, "]),
        ("[render]\nblock_seconds = nan\n", ["render.block_seconds"]),
        ("cover = 3\n", ["cover"]),
        ("[cover\n", ["not a profile file"]),
        ("[seams.model]\npulse_weight = 2.0\n", ["seams.model", "does not hold fitted numbers"]),
        ("[models.seams]\npulse_weight = 2.0\n", ["models", "unknown"]),
    ],
)
def test_a_mistake_names_file_and_field(tmp_path: Path, text: str, parts: list[str]) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(ParameterError) as caught:
        load_profile(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_a_profile_does_not_hold_fitted_numbers(tmp_path: Path) -> None:
    varied = WorkbenchParams(seams=SeamParams(model=SeamModel(pulse_weight=2.0)))
    with pytest.raises(ParameterError, match=r"seams\.model: a profile does not hold fitted numbers"):
        save_profile(varied, tmp_path / "a.toml")
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_profile(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1, 2]")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ParameterError, match="no such profile"):
        load_profile(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match=r"\.toml or \.json"):
        load_profile(tmp_path / "a.yaml")
    with pytest.raises(ParameterError, match=r"a\.json"):
        load_profile(tmp_path / "a.json")
    with pytest.raises(ParameterError, match="not a profile file"):
        load_profile(tmp_path / "b.json")
    with pytest.raises(StoreError, match="cannot be written"):
        save_profile(TUNED, tmp_path / "nowhere" / "a.toml")
