"""Fields of requests: addresses that may be fetched, ids and texts that may be stored."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from service.schemas.fields import MAX_URL, HttpsUrl, SyncPoints


@pytest.mark.parametrize("url", ["https://a.example/v.mp4", "https://a.example:8443/x?y=z#1"])
def test_https_addresses_are_accepted_as_they_are(url: str) -> None:
    assert TypeAdapter(HttpsUrl).validate_python(url) == url


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://a.example", "url_scheme"),
        ("HTTPS://a.example/v.mp4", "url_scheme"),
        ("https://", "url_scheme"),
        ("https://a.example:0/", "url_scheme"),
        ("https://a.example:99999/", "url_scheme"),
        ("https://a example/", "url_scheme"),
        ("https://[::1", "url_scheme"),
        ("https://ada:secret@a.example/", "url_credentials"),
        ("https://a.example/" + "x" * MAX_URL, "too_long"),
        ("", "too_short"),
    ],
)
def test_other_addresses_are_refused(url: str, kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(HttpsUrl).validate_python(url)
    assert [item["type"] for item in caught.value.errors()] == [kind]


@pytest.mark.parametrize("given", [4, 4.0])
def test_a_number_without_a_fraction_is_an_integer(given: float) -> None:
    """JSON Schema 2020-12, validation, 6.1.1."""
    found = TypeAdapter(SyncPoints).validate_python(given, strict=True)
    assert (found, type(found)) == (4, int)


@pytest.mark.parametrize("given", [4.5, "4", "4.0", True, None, 0.0, 13.0, 1e300, float("inf"), float("nan")])
def test_no_other_value_is_an_integer_in_range(given: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(SyncPoints).validate_python(given, strict=True)
