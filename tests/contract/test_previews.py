"""Previews: only with the grant, by a signed link that lasts 15 minutes, an mp3 of at most 30 s, in ranges too."""

from __future__ import annotations

import io
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import av
import httpx
import pytest

from tests.damage import damage, flipped

MATCH = {"video_id": "vid_long"}


@pytest.fixture(scope="module")
def granted(service: Any) -> Any:
    """A customer who was granted previews."""
    return service.customer("--preview")


def played(url: str) -> httpx.Response:
    """The answer to a preview's link, asked again as it says while the preview is being made."""
    deadline = time.monotonic() + 240
    while True:
        answer = httpx.get(url, trust_env=False, timeout=60)
        if answer.status_code != 503 or time.monotonic() > deadline:
            return answer
        time.sleep(float(answer.headers["retry-after"]))


@pytest.fixture(scope="module")
def preview(granted: Any) -> dict[str, Any]:
    """The preview of one track; the answer whose link is followed first."""
    tracks = granted.answered("/v1/match", MATCH)["lane"]["matches"]
    assert all("preview" in track for track in tracks)
    found: dict[str, Any] = tracks[0]["preview"]
    return found


def test_only_accounts_granted_preview_get_one(service: Any, customer: Any, granted: Any) -> None:
    for path, body in (("/v1/match", MATCH), ("/v1/underscore", {"script": "Rain."})):
        assert all("preview" not in track for track in customer.answered(path, body)["lane"]["matches"])
        assert all("preview" in track for track in granted.answered(path, body)["lane"]["matches"])


def test_a_preview_names_url_expiry_format_and_length(service: Any, preview: dict[str, Any]) -> None:
    """`/previews/{id}.mp3?expires=…&signature=…`, outside `/v1`; lasts 15 minutes; mp3 of at most 30 s."""
    assert set(preview) == {"url", "expires_at", "format", "duration_seconds"}
    assert preview["url"].startswith(f"{service.url}/previews/aud_")
    assert preview["format"] == "mp3"
    assert preview["duration_seconds"] <= 30
    left = datetime.fromisoformat(preview["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=10) < left <= timedelta(minutes=15)


def test_the_link_plays_without_a_key(preview: dict[str, Any]) -> None:
    answer = played(preview["url"])
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "audio/mpeg"
    assert answer.headers["accept-ranges"] == "bytes"
    with av.open(io.BytesIO(answer.content), "r") as sound:
        seconds = sum(frame.samples / frame.sample_rate for frame in sound.decode(audio=0))
    assert 5 < seconds <= 30.1
    assert seconds == pytest.approx(preview["duration_seconds"], abs=0.2)


def test_a_damaged_excerpt_is_made_again(service: Any, preview: dict[str, Any]) -> None:
    before = played(preview["url"]).content
    assert damage((service.home / "previews").glob("*.mp3"), flipped)
    again = played(preview["url"])
    assert (again.status_code, again.content) == (200, before)


def test_ranges(preview: dict[str, Any]) -> None:
    url, whole = preview["url"], played(preview["url"]).content
    for wanted, part in (("bytes=0-99", whole[:100]), ("bytes=100-", whole[100:]), ("bytes=-50", whole[-50:])):
        answer = httpx.get(url, headers={"Range": wanted}, trust_env=False, timeout=60)
        assert answer.status_code == 206
        assert answer.content == part
        assert answer.headers["content-range"].endswith(f"/{len(whole)}")
    answer = httpx.get(url, headers={"Range": f"bytes={len(whole) + 5}-"}, trust_env=False, timeout=60)
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(whole)}"


def test_only_a_range_of_bytes_without_a_condition_is_heeded(preview: dict[str, Any]) -> None:
    """RFC 9110: a range in another unit is ignored, and so is one whose condition does not hold (14.2, 13.1.5)."""
    whole = played(preview["url"]).content
    for headers in ({"Range": "lines=1-2"}, {"Range": "bytes=0-99", "If-Range": '"another"'}):
        answer = httpx.get(preview["url"], headers=headers, trust_env=False, timeout=60)
        assert (answer.status_code, answer.content) == (200, whole)


def test_how_long_it_may_be_kept_is_said_once(preview: dict[str, Any]) -> None:
    assert played(preview["url"]).headers.get_list("cache-control") == ["private, max-age=60"]


def test_an_altered_or_expired_link_is_403(service: Any, preview: dict[str, Any]) -> None:
    url, path = preview["url"], urlsplit(preview["url"]).path
    plain, _, query = url.partition("?")
    other = plain[:-5] + ("0" if plain[-5] != "0" else "1") + ".mp3"
    expires, signature = query.split("&")
    later = f"expires={int(expires.partition('=')[2]) + 60}"
    for bad in (plain, f"{other}?{query}", f"{plain}?{later}&{signature}", url[:-1] + "x", service.link(path, -1)):
        service.refused(httpx.get(bad, trust_env=False, timeout=60), 403)
    assert played(service.link(path, 300)).status_code == 200
    assert service.refused(httpx.get(f"{url}&seconds=5", trust_env=False, timeout=60), 422)["details"]
    for nothing in ("/previews/aud_000000000000000000000000.mp3", "/previews/x.mp3"):
        service.refused(httpx.get(service.link(nothing, 300), trust_env=False, timeout=60), 404)


def test_the_link_is_signed_anew_and_previews_cost_nothing(granted: Any, preview: dict[str, Any]) -> None:
    before = len(granted.charges())
    again = granted.answered("/v1/match", MATCH)["lane"]["matches"][0]["preview"]
    assert urlsplit(again["url"]).path == urlsplit(preview["url"]).path
    assert again["expires_at"] >= preview["expires_at"]
    httpx.get(again["url"], trust_env=False, timeout=60)
    assert len(granted.charges()) == before + 1  # the match
