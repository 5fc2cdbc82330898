"""Messages about invalid fields, in our words and not those of the validating library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core.core_schema import ErrorType

_LIBRARY = frozenset(get_args(ErrorType))
_KINDS: Mapping[str, str] = {"string_too_short": "too_short", "string_too_long": "too_long"}
"""the library has two names for one thing: which one depends on what else a field is checked for"""
_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "decimal_type": "must be a number",
    "decimal_parsing": "must be a number",
    "datetime_type": "must be a time in ISO 8601",
    "datetime_parsing": "must be a time in ISO 8601",
    "datetime_from_date_parsing": "must be a time in ISO 8601",
    "model_type": "must be an object",
    "too_short": "must not be empty",  # no text of ours has to be longer than that
    "too_long": "must have at most {max_length} characters",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "holds characters that it cannot have",
    "string_unicode": "holds a NUL or half a surrogate pair",
    "url_scheme": "must be an https address, such as https://music.example/a.mp4",
}


def field_details(error: ValidationError) -> list[dict[str, str]]:
    """The fault of each field, as the Error body lists it: items {field, message, type}."""
    return [
        {
            "field": ".".join(str(part) for part in item["loc"]) or "body",
            "message": field_message(item),
            "type": _kind(item),
        }
        for item in error.errors(include_url=False, include_input=False)
    ]


def field_message(error: Mapping[str, Any]) -> str:
    """The message about one field, an item of `ValidationError.errors()`; that of a check of our own stays."""
    kind, context = _kind(error), error.get("ctx", {})
    if kind in _WORDS:
        return _WORDS[kind].format(**context)
    if kind == "value_error":
        return str(context["error"])
    if kind in _LIBRARY:
        return "is not valid"
    return str(error["msg"]).encode("utf-8", "replace").decode()


def _kind(error: Mapping[str, Any]) -> str:
    kind = str(error["type"])
    return _KINDS.get(kind, kind)
