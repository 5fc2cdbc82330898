"""Bodies that are JSON text already: stored ones, joined with the few members that are the caller's own.

To parse what is stored and write it anew costs more than all statements of a call on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_encode = json.JSONEncoder(separators=(",", ":")).encode
_APPLICABLE = re.compile(r'\{"applicable":(true|false)[,}]')  # as `service.store.answers` writes it, its first member


NO_MIX = '{"mix":null}'
"""body of the stored mix of what could not be measured"""


class JsonText(str):
    """A JSON object as text."""

    __slots__ = ()


def joined(*objects: str | Mapping[str, Any]) -> JsonText:
    """One object with the members of several, in their order; no two may have one of the same name.

    Parameters
    ----------
    objects : JSON objects as text without white space around it, or plain data
    """
    texts = [one if isinstance(one, str) else _encode(one) for one in objects]
    return JsonText(f"{{{','.join(text[1:-1] for text in texts if text != '{}')}}}")


def is_applicable(facts: str) -> bool:
    """The member `applicable` of the stored facts of a loop.

    Parameters
    ----------
    facts : JSON object as text
    """
    found = _APPLICABLE.match(facts)
    return bool(json.loads(facts)["applicable"]) if found is None else found[1] == "true"
