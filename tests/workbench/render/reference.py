"""A second renderer, written from the contract's words alone: that which the book's page for clients shows."""

import re
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).parents[3] / "notebooks" / "book" / "how_to" / "client.md"
_code = next(code for code in re.findall(r"```python\n(.*?)```", _PAGE.read_text(), re.DOTALL) if "def play" in code)
_names: dict[str, Any] = {}
exec(compile(_code, str(_PAGE), "exec"), _names)

play, mix_down = _names["play"], _names["mix_down"]
LINES = len(_code.splitlines())
