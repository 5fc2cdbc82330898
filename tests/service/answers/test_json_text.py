"""Bodies joined as text are the bodies that would have been made of their parts."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.answers.json_text import is_applicable, joined

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def stored(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.dictionaries(st.text(), VALUES, max_size=4))
def test_members_of_all_in_their_order(first: dict[str, Any], second: dict[str, Any]) -> None:
    own = {name: value for name, value in second.items() if name not in first}
    body = joined(stored(first), own)
    assert json.loads(body) == first | own
    assert list(json.loads(body)) == [*first, *own]


@given(st.booleans(), st.dictionaries(st.text(min_size=1), VALUES, max_size=3), st.booleans())
def test_applicable_wherever_it_stands(applicable: bool, others: dict[str, Any], first: bool) -> None:
    others = {name: value for name, value in others.items() if name != "applicable"}
    own = {"applicable": applicable}
    assert is_applicable(stored(own | others if first else others | own)) is applicable
