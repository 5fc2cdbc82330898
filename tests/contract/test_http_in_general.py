"""Contract 2, "HTTP in general", and the specification's conventions and error body: what holds for every endpoint.

What a client library would not send is sent as bytes.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

VIDEO = "/v1/videos/vid_long"
LOOP = {"video_id": "vid_long", "track_id": "trk_corner"}
ENDPOINTS = [
    ("POST", "/v1/videos", {"filename": "a.mp4"}),
    ("POST", "/v1/videos/vid_long/ingest", {"storage_key": "x"}),
    ("GET", VIDEO, None),
    ("POST", "/v1/match", {"video_id": "vid_long"}),
    ("GET", "/v1/match/jobs/job_x", None),
    ("POST", "/v1/underscore", {"script": "a"}),
    ("POST", "/v1/align", LOOP),
    ("GET", "/v1/align/jobs/job_x", None),
    ("POST", "/v1/loop", LOOP),
    ("GET", "/v1/loop/jobs/job_x", None),
    ("POST", "/v1/beats", {"audio_url": "https://localhost/a"}),
    ("GET", "/v1/beats/job_x", None),
]
WITH_BODY = [(path, body) for method, path, body in ENDPOINTS if method == "POST"]
KEYED = [pytest.param(method, path, body, id=f"{method} {path}") for method, path, body in ENDPOINTS]


def request(path: str, *headers: str, method: str = "GET", version: str = "1.1", body: bytes = b"") -> bytes:
    """A request as bytes; the server is asked to hang up afterwards."""
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", "Connection: close", *headers]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + body


def padded(body: dict[str, Any], length: int) -> bytes:
    """A JSON body of exactly so many bytes."""
    text = json.dumps(body).encode()
    return text + b" " * (length - len(text))


@pytest.mark.parametrize(("method", "path", "body"), KEYED)
def test_a_missing_or_invalid_key_answers_401(service: Any, method: str, path: str, body: Any) -> None:
    for headers in ({}, {"Authorization": "Bearer sk_live_nobody"}, {"x-api-key": "sk_live_nobody"}):
        answer = httpx.request(method, service.url + path, json=body, headers=headers, trust_env=False, timeout=60)
        error = service.refused(answer, 401)
        assert error["type"] == "authentication_error"
        assert "x-ratelimit-limit" not in answer.headers


@pytest.mark.parametrize(("path", "body"), WITH_BODY)
def test_unknown_body_fields_are_an_error_422(customer: Any, path: str, body: dict[str, Any]) -> None:
    error = customer.refused(customer.post(path, {**body, "vidoe_id": 1}), 422)
    assert [item["field"] for item in error["details"]] == ["vidoe_id"]
    assert all(set(item) == {"field", "message", "type"} for item in error["details"])


@pytest.mark.parametrize(("path", "body"), WITH_BODY)
def test_another_content_type_answers_415_and_on_videos_400(customer: Any, path: str, body: dict[str, Any]) -> None:
    """Body endpoints with another `Content-Type`: `415` (`POST /v1/videos`: `400`). A missing one is another one."""
    status = 400 if path == "/v1/videos" else 415
    data = json.dumps(body).encode()
    for headers in ({"content-type": "text/plain"}, {"content-type": "application/jsonx"}, {}):
        customer.refused(customer.client.post(path, content=data, headers=headers), status)


def test_the_content_type_may_have_parameters_and_any_case(customer: Any) -> None:
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert customer.client.post("/v1/videos", content=b'{"filename": "a.mp4"}', headers=headers).status_code == 201


@pytest.mark.parametrize(("path", "body"), WITH_BODY)
def test_a_body_of_8191_bytes_is_accepted_and_one_of_8192_is_not(
    customer: Any, path: str, body: dict[str, Any]
) -> None:
    """Body over the limit: `413` (`POST /v1/videos`: `400`); the limit does not hang on how the body is sent."""
    json_type = {"content-type": "application/json"}
    fits = customer.client.post(path, content=padded(body, 8191), headers=json_type)
    assert fits.status_code not in (400, 413), fits.text
    status = 400 if path == "/v1/videos" else 413
    customer.refused(customer.client.post(path, content=padded(body, 8192), headers=json_type), status)
    chunks = (padded(body, 8192)[start : start + 1000] for start in range(0, 8192, 1000))
    error = customer.refused(customer.client.post(path, content=chunks, headers=json_type), status)
    assert error["message"] == "the body has more than 8191 bytes"


def test_8191_bytes_in_chunks_are_accepted(customer: Any) -> None:
    body = padded({"filename": "a.mp4"}, 8191)
    chunks = (body[start : start + 100] for start in range(0, len(body), 100))
    headers = {"content-type": "application/json"}
    assert customer.client.post("/v1/videos", content=chunks, headers=headers).status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"not json", b'{"filename": "a.mp4",}', b"{'filename': 'a.mp4'}", b'{"filename": NaN}',
        b'{"filename": Infinity}', b'{"filename": -Infinity}', b'{"filename": "\xff"}', b"[" * 4000, b"\xef\xbb\xbf{}",
        b"[]", b'"text"', b"null", b"1", b"true",
    ],
)  # fmt: skip
def test_not_json_or_no_object_answers_400(customer: Any, body: bytes) -> None:
    """Not JSON (NaN and Infinity are not), or JSON that is not an object: `400`."""
    for path in ("/v1/videos", "/v1/loop"):
        answer = customer.client.post(path, content=body, headers={"content-type": "application/json"})
        assert "details" not in customer.refused(answer, 400)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/loop", {**LOOP, "auto_mix": "yes"}, "auto_mix"),
        ("/v1/loop", {**LOOP, "auto_mix": None}, "auto_mix"),
        ("/v1/loop", {**LOOP, "video_id": 7}, "video_id"),
        ("/v1/loop", {**LOOP, "video_id": "v" * 129}, "video_id"),
        ("/v1/loop", {**LOOP, "track_id": "t" * 129}, "track_id"),
        ("/v1/loop", {**LOOP, "track_id": "a\0b"}, "track_id"),
        ("/v1/loop", {"video_id": "vid_long"}, "track_id"),
        ("/v1/match", {"video_id": "vid_long", "include_sync": 1}, "include_sync"),
        ("/v1/match", {"video_id": "vid_long", "sync_points_per_track": 0}, "sync_points_per_track"),
        ("/v1/match", {"video_id": "vid_long", "sync_points_per_track": 13}, "sync_points_per_track"),
        ("/v1/match", {"video_id": "vid_long", "brief": "b" * 501}, "brief"),
        ("/v1/videos", {"filename": "f" * 257}, "filename"),
        ("/v1/videos", {"video_url": "https://localhost/" + "a" * 2031}, "video_url"),
        ("/v1/videos", {"video_url": "http://localhost/a.mp4"}, "video_url"),
        ("/v1/videos", {"video_url": "https://ann:secret@localhost/a.mp4"}, "video_url"),
        ("/v1/videos/vid_long/ingest", {"storage_key": "s" * 513}, "storage_key"),
        ("/v1/underscore", {"script": ""}, "script"),
        ("/v1/underscore", {"script": "s" * 7001}, "script"),
        ("/v1/underscore", {"script": "\ud800"}, "script"),
        ("/v1/underscore", {"script": " \n\t"}, "script"),
        ("/v1/underscore", {"script": "a", "platform": "p" * 41}, "platform"),
        ("/v1/underscore", {"script": "a", "brief": "b" * 501}, "brief"),
        ("/v1/beats", {"audio_url": "http://localhost/a"}, "audio_url"),
        ("/v1/beats", {"audio_url": "https://localhost/" + "a" * 2031}, "audio_url"),
        ("/v1/beats", {"audio_url": "https://localhost/a", "track_id": "t" * 129}, "track_id"),
    ],
)  # fmt: skip
def test_an_invalid_field_answers_422_and_details_name_it(customer: Any, path: str, body: Any, field: str) -> None:
    """No coercion. A field that is missing, unknown or invalid: `422` with `error.details`."""
    data = json.dumps(body).encode()
    answer = customer.client.post(path, content=data, headers={"content-type": "application/json"})
    error = customer.refused(answer, 422)
    assert error["type"] == "invalid_request"
    assert field in [item["field"] for item in error["details"]]


@pytest.mark.parametrize("number", [b"1e400", b"9" * 5000, b"-" + b"9" * 5000])
def test_a_number_beyond_all_bounds_is_json_and_an_invalid_field(customer: Any, number: bytes) -> None:
    data = b'{"video_id": "vid_long", "sync_points_per_track": ' + number + b"}"
    answer = customer.client.post("/v1/match", content=data, headers={"content-type": "application/json"})
    error = customer.refused(answer, 422)
    assert [item["field"] for item in error["details"]] == ["sync_points_per_track"]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/v1/match", {}, "body: give either video_id or video_url"),
        (
            "/v1/beats",
            {"audio_url": "http://localhost/a"},
            "audio_url: must be an https address, such as https://music.example/a.mp4",
        ),
        (
            "/v1/videos",
            {"video_url": "https://localhost/a", "content_type": "t/s"},
            "content_type: goes with filename only",
        ),
        ("/v1/underscore", {"script": " "}, "script: must say something"),
    ],
)
def test_messages_say_what_is_wrong_in_words_of_ours(customer: Any, path: str, body: Any, message: str) -> None:
    assert customer.refused(customer.post(path, body), 422)["message"] == message


@pytest.mark.parametrize("path", ["//", "/%ff"])
def test_an_unknown_path_is_said_in_one_way(service: Any, path: str) -> None:
    assert service.refused(service.raw(request(path)), 404)["message"] == "no such path"


def test_details_list_every_invalid_field(customer: Any) -> None:
    error = customer.refused(customer.post("/v1/loop", {"video_id": 1, "auto_mix": 2, "x": 3}), 422)
    assert {item["field"] for item in error["details"]} == {"video_id", "track_id", "auto_mix", "x"}


@pytest.mark.parametrize(
    "body",
    [
        {}, {"video_url": "https://localhost/a.mp4", "filename": "a.mp4"},
        {"video_url": "https://localhost/a.mp4", "content_type": "video/mp4"}, {"content_type": "video/mp4"},
    ],
)  # fmt: skip
def test_videos_takes_either_address_or_filename(customer: Any, body: dict[str, Any]) -> None:
    """Both or neither of `video_url`, `filename`: `422`. `content_type` without `filename`: `422`."""
    assert customer.refused(customer.post("/v1/videos", body), 422)["details"]


@pytest.mark.parametrize("body", [{}, {"video_id": "vid_long", "video_url": "https://localhost/a.mp4"}])
def test_match_takes_exactly_one_of_video_id_and_video_url(customer: Any, body: dict[str, Any]) -> None:
    assert customer.refused(customer.post("/v1/match", body), 422)["details"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/match?expand=lean"), ("POST", "/v1/match?expand="), ("POST", "/v1/match?expand=FULL"),
        ("POST", "/v1/match?expand=full&expand=full"), ("POST", "/v1/match?include_sync=true"),
        ("POST", "/v1/underscore?limit=5"), ("POST", "/v1/loop?expand=full"), ("POST", "/v1/align?x=1"),
        ("POST", "/v1/beats?x=1"), ("POST", "/v1/videos?x=1"), ("GET", VIDEO + "?x=1"),
        ("GET", "/v1/loop/jobs/job_x?x=1"), ("GET", "/v1/beats/job_x?x"), ("GET", "/v1/openapi.json?x=1"),
        ("GET", "/v1/match/jobs/job_x?include_sync=1"), ("GET", "/v1/match/jobs/job_x?include_sync=True"),
        ("GET", "/v1/match/jobs/job_x?include_sync="), ("GET", "/v1/match/jobs/job_x?sync_points_per_track=0"),
        ("GET", "/v1/match/jobs/job_x?sync_points_per_track=13"),
        ("GET", "/v1/match/jobs/job_x?sync_points_per_track=4.0"),
        ("GET", "/v1/match/jobs/job_x?sync_points_per_track=true"), ("GET", "/v1/match/jobs/job_x?expand=lean"),
    ],
)  # fmt: skip
def test_an_unknown_query_parameter_or_value_answers_422(customer: Any, method: str, path: str) -> None:
    """Query parameters: booleans are `true` or `false`; an unknown parameter or value is `422`."""
    bodies = dict(WITH_BODY)
    answer = customer.client.request(method, path, json=bodies.get(path.partition("?")[0]))
    assert customer.refused(answer, 422)["details"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1", "/v1/", "/v1/nothing", "/v1/loop/", "/v1/loop/jobs", "/v1/loop/jobs/", "/v1/loop/jobs/a/b",
        "/v1/videos/",
        "/v1/videos/vid_long/", "/v1//loop", "/v1/beats/", "/v1/uploads", "/v1/webhooks/billing", "/v2/loop",
        "/nothing",
    ],
)  # fmt: skip
def test_unknown_paths_are_404_with_the_error_body_with_or_without_a_key(
    service: Any, customer: Any, path: str
) -> None:
    for method in ("GET", "POST"):
        service.refused(httpx.request(method, service.url + path, trust_env=False, timeout=60), 404)
        answer = customer.client.request(method, path)
        service.refused(answer, 404)
        assert ("x-ratelimit-limit" in answer.headers) == path.startswith("/v1")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/loop"), ("PUT", "/v1/loop"), ("DELETE", VIDEO), ("PATCH", VIDEO), ("POST", VIDEO),
        ("GET", "/v1/match"),
        ("POST", "/v1/loop/jobs/job_x"), ("GET", "/v1/videos/vid_long/ingest"), ("GET", "/v1/uploads/x"),
        ("OPTIONS", "/v1/align"), ("POST", "/v1/openapi.json"), ("POST", "/healthz"), ("TRACE", VIDEO),
        ("BREW", VIDEO), ("get", VIDEO),
    ],
)  # fmt: skip
def test_unknown_methods_are_405_with_type_error(service: Any, customer: Any, method: str, path: str) -> None:
    """Everything else (405 too) is of type `error`; before the key is asked for."""
    data = request(path, f"x-api-key: {customer.key}", method=method)
    error = service.refused(service.raw(data), 405)
    assert error["type"] == "error"
    service.refused(service.raw(request(path, method=method)), 405)
    assert error["message"].endswith(f", not {method}")
    assert "URL" not in error["message"]


@pytest.mark.parametrize(
    "path",
    [VIDEO, "/v1/videos/nobody", "/healthz", "/readyz", "/v1/openapi.json", "/docs", "/docs/docs.js", "/docs/none"],
)
def test_head_answers_as_get_does_without_the_body(service: Any, customer: Any, path: str) -> None:
    """Where GET is answered (RFC 9110, 9.3.2); it counts as a GET does."""
    asked, head = (
        httpx.request(method, service.url + path, headers={"x-api-key": customer.key}, trust_env=False, timeout=60)
        for method in ("GET", "HEAD")
    )
    assert (head.status_code, head.content) == (asked.status_code, b"")
    assert int(head.headers["content-length"]) == len(asked.content)
    changing = {"x-request-id", "traceparent", "ratelimit", "x-ratelimit-remaining"}
    expected, found = (
        {name: one.headers[name] for name in one.headers if name not in changing} for one in (asked, head)
    )
    assert found == expected
    if path == VIDEO:
        left = [int(one.headers["x-ratelimit-remaining"]) for one in (asked, head)]
        assert left[0] - left[1] == 1


def test_head_without_a_key_is_refused_as_get_is(service: Any) -> None:
    answer = httpx.head(service.url + VIDEO, trust_env=False, timeout=60)
    assert (answer.status_code, answer.content) == (401, b"")


def test_head_is_unknown_where_get_is(service: Any) -> None:
    answer = httpx.head(service.url + "/v1/loop", trust_env=False, timeout=60)
    assert (answer.status_code, answer.content) == (405, b"")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("odd", ["vid%5Flong", "%76id_long"])
def test_percent_encoded_ids_are_decoded(customer: Any, odd: str) -> None:
    assert customer.get(f"/v1/videos/{odd}").json()["video_id"] == "vid_long"


@pytest.mark.parametrize(
    "odd", ["nobody", "vid%2Flong", "%00", "%ff", "%", "%zz", "..%2f..", "vid_long%20", "a" * 3000, "%F0%9F%8E%B5", "'"]
)
def test_an_unknown_path_id_is_404_never_400(service: Any, customer: Any, odd: str) -> None:
    for path in (f"/v1/videos/{odd}", f"/v1/loop/jobs/{odd}", f"/v1/beats/{odd}"):
        service.refused(service.raw(request(path, f"Authorization: Bearer {customer.key}")), 404)


def test_every_response_carries_a_request_id_of_ours(service: Any, customer: Any) -> None:
    paths = (VIDEO, "/v1/videos/nobody", "/v1/nothing", "/healthz", "/readyz", "/metrics", "/docs", "/v1/openapi.json")
    found = [customer.get(path, headers={"X-Request-Id": "mine"}).headers["x-request-id"] for path in paths]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"req_[0-9A-HJKMNP-TV-Z]{26}", one) for one in found)


def test_every_response_under_v1_carries_the_rate_headers_with_a_valid_key(customer: Any, media: Any) -> None:
    """Errors and uploads too; what needs no key does not count."""
    target = customer.post("/v1/videos", {"filename": "a.mp4"}).json()
    before = int(customer.get(VIDEO).headers["x-ratelimit-remaining"])
    path = target["upload_url"].removeprefix(str(customer.client.base_url).rstrip("/"))
    answers = [
        customer.client.put(path, content=b"bytes"),
        customer.client.put(path + "0", content=b"bytes"),
        customer.get("/v1/openapi.json"),
        customer.get("/v1/nothing"),
        customer.client.delete(VIDEO),
        customer.post("/v1/webhooks/billing/credit", {}),
    ]
    assert [answer.status_code for answer in answers] == [200, 403, 200, 404, 405, 401]
    for answer in answers:
        assert int(answer.headers["x-ratelimit-limit"]) > 0
        assert int(answer.headers["x-ratelimit-remaining"]) == before
    invalid = customer.post("/v1/loop", {})
    assert invalid.status_code == 422
    assert int(invalid.headers["x-ratelimit-remaining"]) == before - 1


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"x-api-key": "sk_live_no", "content-type": "text/plain"}, b"x" * 9000, 401),  # key before shape
        ({"content-type": "text/plain", "idempotency-key": "x" * 300}, b"x" * 9000, 415),
        ({"content-type": "application/json", "idempotency-key": "x" * 256}, b"{}", 400),  # shape before fields
        ({"content-type": "application/json"}, b"x" * 9000, 413),
        ({"content-type": "application/json"}, b'{"video_id": "nobody"}', 422),  # fields before the resource
        ({"content-type": "application/json"}, b'{"video_id": "nobody", "track_id": "nobody"}', 404),
        ({"content-type": "application/json"}, b'{"video_id": "vid_long", "track_id": "nobody"}', 404),
        ({"content-type": "application/json"}, b'{"video_id": "vid_short", "track_id": "trk_corner"}', 402),
    ],
)
def test_order_of_checks(customer: Any, headers: dict[str, str], body: bytes, status: int) -> None:
    """Path and method, key, rate, body shape and `Idempotency-Key`, fields, resource, payment, work."""
    customer.update("--no-payment-method")
    customer.refused(customer.client.post("/v1/loop", content=body, headers=headers), status)
    unknown = customer.client.post("/v1/nothing", content=body, headers={**headers, "x-api-key": "sk_live_no"})
    customer.refused(unknown, 404)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "caf\u00e9"])
@pytest.mark.parametrize("path", ["/v1/match", "/v1/underscore", "/v1/align", "/v1/loop", "/v1/beats"])
def test_idempotency_keys_are_1_to_255_printable_characters(service: Any, customer: Any, path: str, key: str) -> None:
    """`Idempotency-Key`: 1 to 255 printable characters, else `400`."""
    data = request(
        path, f"x-api-key: {customer.key}", "Content-Type: application/json", f"Idempotency-Key: {key}",
        "Content-Length: 2", method="POST", body=b"{}",
    )  # fmt: skip
    service.refused(service.raw(data), 400)


def test_on_videos_and_ingest_the_idempotency_key_is_ignored_not_even_validated(customer: Any) -> None:
    headers = {"Idempotency-Key": "x" * 999}
    first, second = (customer.post("/v1/videos", {"filename": "a.mp4"}, headers=headers) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.json()["video_id"] != second.json()["video_id"]
    ingest = f"/v1/videos/{first.json()['video_id']}/ingest"
    body = {"storage_key": first.json()["storage_key"]}
    customer.refused(customer.post(ingest, body, headers=headers), 409)


def test_two_idempotency_keys_are_400(service: Any, customer: Any) -> None:
    data = request(
        "/v1/loop", f"x-api-key: {customer.key}", "Content-Type: application/json", "Idempotency-Key: a",
        "Idempotency-Key: b", "Content-Length: 2", method="POST", body=b"{}",
    )  # fmt: skip
    service.refused(service.raw(data), 400)


# Broken HTTP


def test_a_broken_chunked_body_gets_the_error_body(service: Any, customer: Any) -> None:
    head = request(
        "/v1/loop", f"x-api-key: {customer.key}", "Content-Type: application/json", "Transfer-Encoding: chunked",
        method="POST",
    )  # fmt: skip
    service.refused(service.raw(head + b"zz\r\nhello\r\n0\r\n\r\n"), 400)


@pytest.mark.slow  # as long as the service waits for a byte
def test_a_request_that_stalls_is_answered_and_its_connection_closed(service: Any, customer: Any) -> None:
    """In its headers, in its body, in an upload: a caller that has gone silent holds nothing for ever."""
    target = urlsplit(customer.post("/v1/videos", {"filename": "a.mp4"}).json()["upload_url"])
    json_head = (f"x-api-key: {customer.key}", "Content-Type: application/json")
    begun = (
        request(VIDEO)[:-2],
        request("/v1/loop", *json_head, "Content-Length: 100", method="POST") + b'{"video_id',
        request("/v1/loop", *json_head, "Transfer-Encoding: chunked", method="POST") + b'a\r\n{"video_id',
        request(f"{target.path}?{target.query}", "Content-Length: 1000", method="PUT") + b"moov",
    )
    address = urlsplit(service.url)
    with ExitStack() as opened:
        sockets = []
        for data in begun:
            one = opened.enter_context(socket.create_connection((address.hostname, address.port), timeout=240))
            one.sendall(data)
            sockets.append(one)
        for one in sockets:
            answer = opened.enter_context(http.client.HTTPResponse(one))
            answer.begin()
            answer.said = answer.read()  # type: ignore[attr-defined]
            error = service.refused(answer, 408)
            assert error["message"] == "the request did not arrive in time"
            assert one.recv(1) == b"", "it is closed"


def test_a_header_too_long_gets_the_error_body(service: Any) -> None:
    error = service.refused(service.raw(request(VIDEO, "X-Long: " + "a" * 20_000)), 413)
    assert error["message"] == "the headers are too long"


def test_http_1_0_is_answered(service: Any, customer: Any) -> None:
    answer = service.raw(request(VIDEO, f"x-api-key: {customer.key}", version="1.0"))
    assert answer.status == 200
    assert answer.headers["x-request-id"]
    service.refused(service.raw(request("/v1/nothing", version="1.0")), 404)


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/3.7\r\n\r\n",
        b"GET /v1/videos/a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/videos/\xc3\xa9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/videos/a HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /v1/loop HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/loop HTTP/1.1\r\nContent-Length: five\r\n\r\n",
        b"POST /v1/loop HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /v1/loop HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=[
        "no request line",
        "version",
        "blank in path",
        "non-ASCII",
        "no colon",
        "negative",
        "no number",
        "two",
        "both",
    ],
)
def test_what_is_no_http_gets_400_and_the_error_body(service: Any, data: bytes) -> None:
    assert service.refused(service.raw(data), 400)["message"] != "Bad Request"  # which says nothing


@pytest.mark.parametrize(
    "host", ["", "Host: \r\n", "Host: a b\xff\r\n", "Host: a/b?\r\n"], ids=["none", "empty", "blank", "path"]
)
def test_a_link_needs_an_address_to_lead_to(service: Any, customer: Any, host: str) -> None:
    body = b'{"filename": "a.mp4"}'
    head = (
        f"POST /v1/videos HTTP/1.1\r\n{host}x-api-key: {customer.key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    assert "Host" in service.refused(service.raw(head.encode("latin-1") + body), 400)["message"]


def test_a_client_may_wait_for_100_continue(service: Any, customer: Any) -> None:
    head = request(
        "/v1/videos", f"x-api-key: {customer.key}", "Content-Type: application/json", "Content-Length: 21",
        "Expect: 100-continue", method="POST",
    )  # fmt: skip
    assert service.raw(head, b'{"filename": "a.mp4"}').status == 201


@pytest.mark.parametrize(
    "path", [VIDEO, "/v1/nothing", "/healthz", "/metrics", "/docs", "/docs/docs.js", "/v1/openapi.json"]
)
def test_every_response_forbids_a_browser_to_load_from_elsewhere(customer: Any, path: str) -> None:
    headers = customer.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert not any(
        word in policy for word in ("http", "*", "unsafe-eval", "script-src 'unsafe", "'self' 'unsafe-inline'; script")
    )
    assert ("script-src 'self';" in policy) is (path == "/docs")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_what_is_no_request_is_refused_with_the_same_headers(service: Any) -> None:
    for data in (request("/v1/videos", method="POST", body=b""), b"GET\r\n\r\n"):
        answer = service.raw(data)
        assert answer.status in (400, 401)
        assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_both_key_headers_with_two_keys_are_none(service: Any, customer: Any) -> None:
    """Which of the two would count cannot be known."""
    data = request(VIDEO, f"x-api-key: {customer.key}", "Authorization: Bearer sk_live_other")
    service.refused(service.raw(data), 401)


def test_numbers_have_at_most_6_decimals_and_scores_4(customer: Any) -> None:
    """Times are seconds, rounded to 6 decimals at most; scores lie in 0 to 1, rounded to 4 decimals."""
    align = customer.answered("/v1/align", LOOP)
    loop = customer.answered("/v1/loop", LOOP)
    lane = customer.answered("/v1/match", {"video_id": "vid_long", "include_sync": True})
    scores: list[float] = []

    def look(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                look(item, key)
        elif isinstance(value, list):
            for item in value:
                look(item, name)
        elif isinstance(value, float):
            assert value == round(value, 6), name
            if name.endswith("score") and name != "plan_score":
                scores.append(value)

    for body in (align, loop, lane):
        look(body)
    assert scores
    assert all(0 <= score <= 1 and score == round(score, 4) for score in scores)
