"""Contract 3, "Fetching": what a worker follows for a caller, and what it does not.

The host `localhost` is exempt from the public-address rule in these tests; 127.0.0.1 is not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from service.settings import ServiceSettings


def fetched(customer: Any, url: str) -> dict[str, Any]:
    """The record of a video once its fetch has ended."""
    record: dict[str, Any] = customer.settled(customer.post("/v1/videos", {"video_url": url})).json()
    return record


def test_redirects_are_followed_five_of_them(customer: Any, site: Any) -> None:
    """Redirecting share links and CDN links are followed to the underlying file, without any credentials."""
    site.seen.clear()
    assert fetched(customer, site.away(5, f"{site.url}/short.mp4"))["status"] == "ready"
    assert site.seen
    for headers in site.seen:
        assert not {name.lower() for name in headers} & {"authorization", "x-api-key", "cookie", "referer"}
        assert customer.key not in str(headers)


def test_the_sixth_redirect_is_not_followed(customer: Any, site: Any) -> None:
    record = fetched(customer, site.away(6, f"{site.url}/short.mp4"))
    assert record["status"] == "failed"
    assert "redirect" in record["reason"]


def test_addresses_must_be_public_on_every_redirect_too(customer: Any, site: Any) -> None:
    address = f"https://127.0.0.1:{site.url.rpartition(':')[2]}/short.mp4"
    for url in (address, site.away(1, address)):
        record = fetched(customer, url)
        assert record["status"] == "failed"
        assert "public" in record["reason"], record["reason"]


def test_audio_is_fetched_by_the_same_rules(customer: Any, site: Any) -> None:
    port = site.url.rpartition(":")[2]
    for url in (f"https://127.0.0.1:{port}/track.flac", site.away(6, f"{site.url}/track.flac"), f"{site.url}/huge.mp4"):
        customer.refused(customer.settled(customer.post("/v1/beats", {"audio_url": url})), 422)
    assert customer.charges() == []


def test_a_slow_source_keeps_no_other_video_waiting(customer: Any, site: Any, media: Path) -> None:
    """With more downloads than there are slots for jobs, an upload is ready meanwhile."""
    site.gate.clear()
    try:
        url = f"{site.url}/held/short.mp4"
        slow = [customer.post("/v1/videos", {"video_url": url}) for _ in range(ServiceSettings().job_slots + 1)]
        held = customer.post("/v1/beats", {"audio_url": f"{site.url}/held/track.flac"})
        target = customer.upload(media / "short.mp4")
        ingest = f"/v1/videos/{target['video_id']}/ingest"
        uploaded = customer.settled(customer.post(ingest, {"storage_key": target["storage_key"]})).json()
        assert uploaded["status"] == "ready"
        assert customer.get(held.json()["poll"]).json()["stage"] in ("queued", "fetching")
        for answer in slow:
            assert customer.get(answer.json()["poll"]).json()["status"] == "processing"
    finally:
        site.gate.set()
    assert [customer.settled(answer).json()["status"] for answer in (*slow, held)] == ["ready"] * 3 + ["complete"]
    kept = customer.service.home / "fetched"  # cleared after the transaction that the poll has seen
    customer.service.wait_for(lambda: not list(kept.glob("*")), "what was fetched is cleared away")


def test_an_empty_body_is_the_callers_fault(customer: Any, site: Any) -> None:
    (site.folder / "empty.flac").touch()
    url = f"{site.url}/empty.flac"
    error = customer.refused(customer.settled(customer.post("/v1/beats", {"audio_url": url})), 422)
    assert error["message"] == "localhost sends an empty file"
    record = fetched(customer, url)
    assert (record["status"], record["reason"]) == ("failed", "localhost sends an empty file")
    assert customer.charges() == []
