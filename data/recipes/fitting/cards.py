"""What every script here does in the same way: its options, the model's file, and the figures on the model's card.

Functions: `parser`, `write_numbers`, `write_figures`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.files import model_path

_BEGIN, _END = "<!-- figures: written by the script that fits -->", "<!-- end of figures -->"


def parser(doc: str | None) -> argparse.ArgumentParser:
    """The options that every script has; `make fit` gives `--set`."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--set", type=Path, default=Path("training-set"), help="folder of fetched material; kept between runs"
    )
    return options


def write_numbers(name: str, numbers: Mapping[str, Any]) -> None:
    """Write a model of named numbers, as `workbench.files.read_numbers` reads it."""
    model_path(name).write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


def write_figures(name: str, figures: Sequence[str]) -> None:
    """Put lines of Markdown on the card of a model, in place of those it has; `ValueError` if the card has no marks."""
    card = model_path(name).with_suffix(".md")
    text = card.read_text(encoding="utf-8")
    before, found, rest = text.partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not found or not ended:
        raise ValueError(f"{card}: there are no lines {_BEGIN} and {_END}")
    card.write_text(f"{before}{_BEGIN}\n" + "".join(f"{line}\n" for line in figures) + f"{_END}{after}", "utf-8")
