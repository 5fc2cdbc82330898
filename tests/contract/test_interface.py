"""The interface description against the service: complete, current, and true of real answers."""

from __future__ import annotations

from typing import Any

import httpx
import jsonschema
import pytest

from service.app import NAME
from service.routes import align, beats, loop, match, underscore, uploads, videos, webhooks
from service.routes.openapi import ENDPOINTS, description, text
from workbench.files import bundled_path

DOCUMENT = description()


def closed(schema: Any) -> Any:
    """A schema without room for further fields: callers must expect some, this version adds none."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: False if name == "additionalProperties" and value is True else closed(value)
            for name, value in schema.items()}  # fmt: skip


CLOSED = closed(DOCUMENT["components"])


def holds(path: str, method: str, answer: httpx.Response) -> None:
    """An answer is one that the description foresees, header by header and field by field."""
    foreseen = DOCUMENT["paths"][path][method]["responses"]
    assert str(answer.status_code) in foreseen, answer.text
    told = foreseen[str(answer.status_code)]
    for name in told["headers"]:
        assert name.lower() in answer.headers
    schema = {**told["content"]["application/json"]["schema"], "components": CLOSED}
    jsonschema.Draft202012Validator(schema).validate(answer.json())


def test_a_ticket_says_when_to_ask_again(acme: httpx.Client) -> None:
    """`Retry-After` on every 202; a client that waits so long stays within half of the standard rate."""
    ticket = acme.post("/v1/beats", json={"audio_url": "https://localhost:9/absent.mp3"})
    assert (ticket.status_code, ticket.headers["retry-after"]) == (202, "2")
    holds("/v1/beats", "post", ticket)


def test_the_key_that_is_missing_is_described(service: Any) -> None:
    answer = httpx.get(f"{service.url}/v1/videos/vid_long", trust_env=False, timeout=60)
    holds("/v1/videos/{video_id}", "get", answer)


def test_the_file_is_what_the_models_make() -> None:
    kept = bundled_path("service", "openapi.json").read_text(encoding="utf-8")
    assert kept == text(), "run python -m service.routes.openapi"


def routes_under_v1() -> set[tuple[str, str]]:
    """Method and path of every route under `/v1` that callers use, with parameters as the description writes them.

    HEAD, which is answered wherever GET is, and what browsers ask with OPTIONS are not described.
    """
    found = set()
    for family in (loop, align, match, underscore, beats, videos, uploads, webhooks):
        for route in family.blueprint._future_routes:
            path = f"{family.blueprint.url_prefix}{route.uri}"
            for part in ("job_id", "video_id", "storage_key"):
                path = path.replace(f"<{part}:str>", f"{{{part}}}")
            found |= {(method, path) for method in route.methods if (method, "GET" in route.methods) != ("HEAD", True)}
    return {(method, path) for method, path in found if method != "OPTIONS"}


def test_every_route_under_v1_is_described() -> None:
    assert NAME
    assert routes_under_v1() == {(endpoint.method.upper(), endpoint.path) for endpoint in ENDPOINTS}


def test_the_service_serves_it_without_a_key(acme: httpx.Client) -> None:
    answer = httpx.get(f"{acme.base_url}/v1/openapi.json", trust_env=False, timeout=60)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == DOCUMENT


def test_the_page_asks_nobody_else(acme: httpx.Client) -> None:
    page = acme.get("/docs").text
    assert "http://" not in page
    assert "https://" not in page
    for asset in ("swagger-ui.css", "swagger-ui-bundle.js"):
        assert acme.get(f"/docs/{asset}").status_code == 200
    assert acme.get("/docs/../settings.py").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "called", "body"),
    [
        ("get", "/v1/videos/{video_id}", "/v1/videos/vid_long", None),
        ("get", "/v1/videos/{video_id}", "/v1/videos/nobody", None),
        ("post", "/v1/videos", "/v1/videos", {"filename": "video.mp4", "content_type": "video/mp4"}),
        ("post", "/v1/videos", "/v1/videos", {}),
        ("post", "/v1/loop", "/v1/loop", {"video_id": "vid_short", "track_id": "trk_corner"}),
        ("post", "/v1/loop", "/v1/loop", {"video_id": "vid_long", "track_id": "nobody"}),
        ("post", "/v1/underscore", "/v1/underscore", {"script": "A quiet morning by the sea."}),
        ("post", "/v1/underscore", "/v1/underscore?expand=full", {"script": "Sprint. Jump. Win."}),
        ("post", "/v1/underscore", "/v1/underscore?expand=lean", {"script": "Sprint. Jump. Win."}),
        ("get", "/v1/beats/{job_id}", "/v1/beats/nobody", None),
    ],
)
def test_answers_are_as_described(
    acme: httpx.Client, method: str, path: str, called: str, body: dict[str, Any] | None
) -> None:
    holds(path, method, acme.request(method, called, json=body))


@pytest.mark.parametrize(
    ("family", "body"),
    [
        ("loop", {"video_id": "vid_long", "track_id": "trk_corner", "auto_mix": True}),
        ("align", {"video_id": "vid_long", "track_id": "trk_corner", "auto_mix": True}),
        ("match", {"video_id": "vid_long", "include_sync": True}),
    ],
)
def test_jobs_and_what_they_come_to_are_as_described(
    service: Any, acme: httpx.Client, family: str, body: dict[str, Any]
) -> None:
    submitted = acme.post(f"/v1/{family}", json=body)
    holds(f"/v1/{family}", "post", submitted)
    if submitted.status_code == 202:
        settled = service.settled(acme, submitted)
        holds(f"/v1/{family}/jobs/{{job_id}}", "get", settled)
    again = acme.post(f"/v1/{family}", json=body)
    assert again.status_code == 200
    holds(f"/v1/{family}", "post", again)
