"""Types of fields that several request bodies share, with their limits."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from workbench.results.align import MOST_SYNC_POINTS
from workbench.results.match import MAX_SCRIPT
from workbench.store.ids import MAX_ID

MAX_URL = 2048
"""characters of the longest address"""
MAX_IDEMPOTENCY_KEY = 255
"""characters of the longest Idempotency-Key"""
HEADER_VALUE = "^[!-~]([ -~]*[!-~])?$"
"""what a header can carry: printable ASCII, without blanks around it"""
_HTTPS = "https://"
_SURROGATE = re.compile("[\ud800-\udfff]")


def _storable(text: str) -> str:
    """Refuse characters that a database or a log cannot store: NUL, and halves of surrogate pairs."""
    if "\0" in text or _SURROGATE.search(text):
        raise PydanticCustomError("string_unicode", "holds a NUL or half a surrogate pair")
    return text


def _https_url(text: str) -> str:
    """Check the syntax of an https address; whether it may be fetched is checked when it is fetched.

    The scheme is in small letters, as the pattern says that clients check: RFC 3986 would allow capitals too.
    """
    try:
        parts = urlsplit(text)
        usable = text.startswith(_HTTPS) and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(character.isspace() or ord(character) < 32 for character in text):
        raise PydanticCustomError("url_scheme", "must be an https address, such as https://music.example/a.mp4")
    if parts.username is not None or parts.password is not None:
        raise PydanticCustomError("url_credentials", "must not carry a user name or a password")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must say something")
    return text


def _as_integer(value: Any) -> Any:
    """Make an int of a float without a fraction, which JSON Schema (2020-12, validation, 6.1.1) takes as an integer.

    Some encoders write each number as a float.
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, AfterValidator(_storable)]
VideoId = Annotated[Text, Field(min_length=1, max_length=MAX_ID, description="a video of the caller, or a shared one")]
TrackId = Annotated[Text, Field(min_length=1, max_length=MAX_ID, description="a track of the catalog")]
TrackName = Annotated[Text, Field(max_length=MAX_ID)]
SyncPoints = Annotated[
    int,
    Field(ge=1, le=MOST_SYNC_POINTS, description="sync points of each track"),
    BeforeValidator(_as_integer),
]
Script = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=MAX_SCRIPT,
        description="what is said or shown",
        json_schema_extra={"pattern": r"\S"},
    ),
    AfterValidator(_not_blank),
]
HttpsUrl = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=MAX_URL,
        description="public https address",
        json_schema_extra={"format": "uri", "pattern": f"^{_HTTPS}"},
    ),
    AfterValidator(_https_url),
]
