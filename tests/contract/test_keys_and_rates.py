"""The specification's Authentication and Limits, and contract 2 on rates: who is let in, and how often."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from service.store.tables import api_keys, rate_windows

VIDEO = "/v1/videos/vid_long"


def key_id(service: Any, account: str) -> str:
    """The id of an account's newest key."""
    listed = [json.loads(line) for line in service.workbench("keys", "list").splitlines()]
    return str([row["key_id"] for row in listed if row["account"] == account][-1])


@pytest.mark.parametrize("header", ["Authorization: Bearer {}", "authorization: bearer {}", "x-api-key: {}"])
def test_a_key_in_either_header_has_identical_effect(service: Any, customer: Any, header: str) -> None:
    name, _, value = header.format(customer.key).partition(": ")
    answer = httpx.get(service.url + VIDEO, headers={name: value}, trust_env=False, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["x-ratelimit-limit"]


def test_the_same_key_in_both_headers_is_that_key(service: Any, customer: Any) -> None:
    headers = {"x-api-key": customer.key, "Authorization": f"Bearer {customer.key}"}
    assert httpx.get(service.url + VIDEO, headers=headers, trust_env=False, timeout=60).status_code == 200


@pytest.mark.parametrize("empty", [{"x-api-key": ""}, {"Authorization": "Bearer"}])
def test_a_header_without_a_key_takes_nothing_from_the_other_one(
    service: Any, customer: Any, empty: dict[str, str]
) -> None:
    """A proxy may send the header that it was not given along as an empty one."""
    headers = {"x-api-key": customer.key, "Authorization": f"Bearer {customer.key}"} | empty
    assert httpx.get(service.url + VIDEO, headers=headers, trust_env=False, timeout=60).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": "Bearer"}, {"Authorization": "Basic {}"}, {"x-api-key": ""},
        {"Authorization": "{}"}, {"x-api-key": "Bearer {}"}, {"x-api-key": "{}x"},
    ],
)  # fmt: skip
def test_a_missing_or_invalid_key_answers_401(service: Any, customer: Any, headers: dict[str, str]) -> None:
    filled = {name: value.format(customer.key) for name, value in headers.items()}
    answer = httpx.get(service.url + VIDEO, headers=filled, trust_env=False, timeout=60)
    service.refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_key_expires_at_its_time(service: Any) -> None:
    customer = service.customer("--expires", "2099-01-01T00:00:00Z")
    assert customer.get(VIDEO).status_code == 200
    past = (datetime.now(UTC) - timedelta(seconds=1)).isoformat(timespec="microseconds")
    service.changed(api_keys.update().where(api_keys.c.account == customer.account).values(expires_at=past))
    service.refused(customer.get(VIDEO), 401)


def test_a_revoked_key_answers_401(service: Any, customer: Any) -> None:
    assert customer.get(VIDEO).status_code == 200
    service.workbench("keys", "revoke", key_id(service, customer.account))
    service.refused(customer.get(VIDEO), 401)


def test_a_rotated_key_answers_401_from_the_next_request_on_and_the_new_one_serves(service: Any, customer: Any) -> None:
    assert customer.get(VIDEO).status_code == 200
    new = service.workbench("keys", "rotate", key_id(service, customer.account)).strip()
    service.refused(customer.get(VIDEO), 401)
    assert customer.get(VIDEO, headers={"Authorization": f"Bearer {new}"}).status_code == 200


def test_a_key_is_stored_only_as_a_hash(service: Any, customer: Any) -> None:
    customer.get(VIDEO)
    assert customer.key.startswith("sk_live_")
    for file in service.home.glob("*.sqlite*"):
        assert customer.key.encode() not in file.read_bytes()
    assert customer.key not in service.log.read_text()


def test_a_key_cannot_access_a_video_of_another_account_403(service: Any, customer: Any) -> None:
    """`403`: the video or job belongs to another account."""
    other = service.customer()
    video = other.post("/v1/videos", {"filename": "a.mp4"}).json()
    for path, body in [
        (f"/v1/videos/{video['video_id']}/ingest", {"storage_key": video["storage_key"]}),
        ("/v1/loop", {"video_id": video["video_id"], "track_id": "trk_corner"}),
        ("/v1/align", {"video_id": video["video_id"], "track_id": "trk_corner"}),
        ("/v1/match", {"video_id": video["video_id"]}),
    ]:
        assert customer.refused(customer.post(path, body), 403)["type"] == "forbidden"
    customer.refused(customer.get(f"/v1/videos/{video['video_id']}"), 403)


@pytest.mark.parametrize("family", ["loop", "align", "match"])
def test_a_key_cannot_access_a_job_of_another_account_403(service: Any, customer: Any, family: str) -> None:
    """And a job of another family is no such job, its owner's too."""
    job_id = service.unserved(customer.account, family)
    customer.refused(service.customer().get(f"/v1/{family}/jobs/{job_id}"), 403)
    others = {"loop", "align", "match"} - {family}
    for other in others:
        customer.refused(customer.get(f"/v1/{other}/jobs/{job_id}"), 404)
    customer.refused(customer.get(f"/v1/beats/{job_id}"), 404)


@pytest.mark.slow
def test_60_at_once_pass_the_61st_does_not_over_all_processes(bare: Any, tmp_path: Any) -> None:
    """Exact per key over all processes and machines, and it survives a restart.

    Two HTTP processes of one `serve`, and a second `serve` on the same home.
    """
    second = bare.beside("--no-jobs")
    customer = bare.customer()
    headers = {"Authorization": f"Bearer {customer.key}"}
    httpx.get(bare.url + VIDEO, headers=headers, trust_env=False, timeout=60)
    window(bare, customer, opened_at=time.time() + 50, requests=0)  # time enough for a slow machine

    def one(number: int) -> httpx.Response:
        url = (bare.url, second.url)[number % 3 == 0]
        return httpx.get(url + "/v1/videos/nobody", headers=headers, trust_env=False, timeout=60)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(75)))
    assert Counter(answer.status_code for answer in answers) == {404: 60, 429: 15}
    assert {answer.headers["x-ratelimit-limit"] for answer in answers} == {"60"}
    left = sorted(int(answer.headers["x-ratelimit-remaining"]) for answer in answers)
    assert left == [0] * 15 + list(range(60))
    for answer in answers:
        if answer.status_code == 429:
            assert bare.refused(answer, 429)["type"] == "rate_limited"
            assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert second.stop() == 0
    third = bare.beside("--no-jobs")
    window(bare, customer, opened_at=time.time())
    again = httpx.get(third.url + VIDEO, headers=headers, trust_env=False, timeout=60)
    bare.refused(again, 429)
    assert third.stop() == 0


def window(service: Any, customer: Any, **values: float) -> None:
    """Change the window of a customer's key."""
    whose = sa.select(api_keys.c.key_id).where(api_keys.c.account == customer.account).scalar_subquery()
    assert service.changed(rate_windows.update().where(rate_windows.c.key_id == whose).values(**values)) == 1


def exhausted(service: Any, customer: Any, opened: float) -> None:
    """Let a key have used up its window, which was opened so many seconds ago."""
    window(service, customer, opened_at=time.time() - opened, requests=10**6)


def test_the_window_is_fixed_60_s_from_the_keys_first_request(service: Any, customer: Any) -> None:
    assert customer.get(VIDEO).status_code == 200
    exhausted(service, customer, 40.0)
    answer = customer.get(VIDEO)
    service.refused(answer, 429)
    assert 1 <= int(answer.headers["retry-after"]) <= 20
    assert answer.headers["x-ratelimit-remaining"] == "0"
    assert answer.headers["ratelimit"] == f'"key";r=0;t={answer.headers["retry-after"]}'
    exhausted(service, customer, 60.1)
    answer = customer.get(VIDEO)
    assert answer.status_code == 200
    limit, left = (int(answer.headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining"))
    assert left == limit - 1
    # the IETF's headers say the same
    assert answer.headers["ratelimit-policy"] == f'"key";q={limit};w=60'
    assert re.fullmatch(rf'"key";r={left};t=(60|59|5\d)', answer.headers["ratelimit"])


def test_the_rate_is_looked_at_before_the_body_and_not_for_unknown_paths(service: Any, customer: Any) -> None:
    customer.get(VIDEO)
    exhausted(service, customer, 1.0)
    service.refused(customer.client.post("/v1/loop", content=b"x" * 9000), 429)
    service.refused(customer.get("/v1/nothing"), 404)
    service.refused(customer.client.delete(VIDEO), 405)


def test_rates_are_per_key_not_per_account(service: Any, customer: Any) -> None:
    customer.get(VIDEO)
    exhausted(service, customer, 1.0)
    second = service.workbench("keys", "create", "--account", customer.account).strip()
    for key, status in ((customer.key, 429), (second, 200)):
        answer = httpx.get(service.url + VIDEO, headers={"x-api-key": key}, trust_env=False, timeout=60)
        assert answer.status_code == status
