"""What the scripts that fit write: a file of numbers, and figures on the card beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from data.recipes.fitting import cards

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.stem for path in (ROOT / "data/recipes/fitting").glob("[a-z]*.py") if path.stem not in ("cards", "tables")
)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cards, "model_path", lambda name: tmp_path / name)
    return tmp_path


def test_numbers_are_written_to_the_bit(models: Path) -> None:
    numbers = {"bias": 0.1 + 0.2, "weights": [1e-300, -0.0]}
    cards.write_numbers("a.json", numbers)
    assert json.loads((models / "a.json").read_text()) == numbers


def test_figures_take_the_place_of_the_last_ones(models: Path) -> None:
    card = models / "a.md"
    card.write_text(f"# A\n\n{cards._BEGIN}\n- old\n{cards._END}\n\nMade again.\n")
    for _ in range(2):
        cards.write_figures("a.json", ["- one", "- two"])
        assert card.read_text() == f"# A\n\n{cards._BEGIN}\n- one\n- two\n{cards._END}\n\nMade again.\n"
    card.write_text("# A\n")
    with pytest.raises(ValueError, match=r"a\.md"):
        cards.write_figures("a.json", [])


def test_make_fit_runs_every_script() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = re.findall(r"^MODEL \?= (.*)$", makefile, re.MULTILINE)
    assert sorted(" ".join(named).split()) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_has_a_card_with_a_place_for_figures(name: str) -> None:
    card = (ROOT / "workbench/models" / f"{name}.md").read_text()
    assert f"make fit MODEL={name}`" in card
    assert cards._BEGIN in card
    assert cards._END in card
