"""What settings and flags change about answers, and what is said while something is missing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from workbench.catalog.library import Library
from workbench.store.home import Home

PUBLIC = "https://music.example.com"


@pytest.fixture(scope="module")
def proxied(start: Any, media: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A service behind a proxy, which knows a track that was never analysed, and nobody who runs jobs."""
    home = tmp_path_factory.mktemp("proxied") / "home"
    settings = {"WORKBENCH_PUBLIC_URL": PUBLIC + "/", "WORKBENCH_METRICS_PUBLIC": "1"}
    settings |= {"WORKBENCH_RANKING_PROCESSES": "0"}
    running = start(home, settings, "--no-jobs", "--behind-proxy")
    database = running.database()
    Library(database).add(media / "track.flac", {}, track_id="trk_new")
    database.close()
    yield running
    assert running.stop() == 0


def test_metrics_are_for_everybody_where_the_settings_say_so(proxied: Any) -> None:
    """To loopback callers only unless `WORKBENCH_METRICS_PUBLIC` is set."""
    answer = httpx.get(proxied.url + "/metrics", headers={"X-Real-IP": "203.0.113.9"}, trust_env=False, timeout=60)
    assert answer.status_code == 200


def test_links_lead_to_the_public_address(proxied: Any) -> None:
    target = proxied.customer().post("/v1/videos", {"filename": "a.mp4"}).json()
    assert target["upload_url"].startswith(f"{PUBLIC}/v1/uploads/{target['storage_key']}?")


@pytest.mark.slow
def test_a_preview_that_is_not_made_in_10_s_is_503(proxied: Any) -> None:
    """Not made yet: waits up to 10 s, then `503` with `Retry-After`; here nobody will make it.

    Where its job failed for a reason of ours, it is said at once, and for how long that stands.
    """
    database = proxied.database()
    audio_id = Library(database).get("trk_new").audio_id
    database.close()
    link = proxied.link(f"/previews/{audio_id}.mp3", 600)
    answer = httpx.get(link, trust_env=False, timeout=120)
    assert proxied.refused(answer, 503)["type"] == "service_unavailable"
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.elapsed.total_seconds() > 9
    (job,) = (json.loads(line) for line in proxied.workbench("jobs", "list").splitlines())
    proxied.workbench("jobs", "cancel", job["job_id"])
    failed = httpx.get(link, trust_env=False, timeout=120)
    assert "could not be made" in proxied.refused(failed, 503)["message"]
    assert int(failed.headers["retry-after"]) > int(answer.headers["retry-after"])


def test_readyz_names_a_home_that_cannot_be_written_to(proxied: Any) -> None:
    """Database, store and workers answer."""
    obstacle = Home(proxied.home).root / ".writable"
    obstacle.mkdir()
    ready = partial(httpx.get, proxied.url + "/readyz", trust_env=False, timeout=60)
    try:
        # A look at what is missing counts for a second; without jobs it is not ready in any case.
        proxied.wait_for(lambda: "the home folder" in ready().text, "not ready without its home folder")
        answer = ready()
    finally:
        shutil.rmtree(obstacle)
    assert "the home folder cannot be written to" in proxied.refused(answer, 503)["message"]
