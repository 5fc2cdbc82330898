"""Every model has a card, and is read through one function."""

import hashlib
from pathlib import Path

import pytest

from workbench.errors import ResourceMissing
from workbench.files import model_digest, model_path, open_model, read_model, read_numbers
from workbench.params import WorkbenchParams

MODELS = sorted(path.name for path in model_path("").iterdir() if path.suffix in (".npz", ".json"))


def test_there_are_models() -> None:
    assert len(MODELS) >= 5


@pytest.mark.parametrize("name", MODELS)
def test_each_model_has_a_card_that_names_it(name: str) -> None:
    card = model_path(name).with_suffix(".md").read_text()
    assert f"`{name}`" in card


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_read_whole_and_known_by_its_digest(name: str) -> None:
    with open_model(name) as file:
        assert file.read() == read_model(name)
    assert model_digest(name) == hashlib.sha256(read_model(name)).hexdigest()


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(ResourceMissing, match=r"no_such\.npz"):
        open_model("no_such.npz")


def test_no_model_lies_anywhere_else() -> None:
    package = model_path("").parent
    assert [path for path in package.rglob("*.npz") if path.parent != Path(model_path(""))] == []


def test_numbers_that_are_not_there_are_named() -> None:
    with pytest.raises(ResourceMissing, match=r"no_such\.json"):
        read_numbers("no_such.json")


def test_fitted_defaults_are_in_their_ranges() -> None:
    defaults = WorkbenchParams()
    assert WorkbenchParams.model_validate(defaults.model_dump()) == defaults


@pytest.mark.parametrize("stage", ["cuts", "match", "seams", "underscore"])
def test_fitted_numbers_are_those_of_their_file(stage: str) -> None:
    params = getattr(WorkbenchParams(), stage)
    model = getattr(params, "model", params)
    for field, value in read_numbers(f"{stage}.json").items():
        assert getattr(model if hasattr(model, field) else params, field) == (
            tuple(value) if isinstance(value, list) else value
        ), field
