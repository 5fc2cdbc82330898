from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import ParameterError
from workbench.params import DUCK_PRESETS, DuckParams
from workbench.store.profiles import load_profile, save_profile


@pytest.mark.parametrize("name", DUCK_PRESETS)
def test_a_preset_is_named_in_a_profile_and_may_be_changed_there(name: str, tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(f'[duck]\npreset = "{name}"\nattack_ms = 250\n')
    duck = load_profile(profile).duck
    assert duck.attack_ms == 250
    assert duck == DuckParams.model_validate({**DUCK_PRESETS[name], "attack_ms": 250})


def test_documentary_is_what_one_gets_without_asking() -> None:
    assert DuckParams.model_validate({"preset": "documentary"}) == DuckParams()


def test_a_saved_preset_comes_back_as_its_numbers(tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('[duck]\npreset = "social"\n')
    params = load_profile(profile)
    assert load_profile(save_profile(params, tmp_path / "saved.toml")) == params


@pytest.mark.parametrize("name", ['"loud"', "3"])
def test_an_unknown_preset_is_refused_with_those_there_are(name: str, tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text(f"[duck]\npreset = {name}\n")
    with pytest.raises(ParameterError, match="documentary, tutorial, social, accessible"):
        load_profile(profile)
