"""Paying: the three reasons of `402`, credit and cap, the provider's webhooks, and the ledger's rows."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from service.store.tables import jobs, video_owners

PAIR = {"video_id": "vid_long", "track_id": "trk_corner"}
SCRIPT = {"script": "A quiet morning."}
LATER = "2099-01-01T00:00:00Z"
PRICE = 0.04  # USD an underscore call


def state(customer: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(customer.service.workbench("accounts", "show", customer.account))
    return found


def reason(customer: Any) -> str:
    """Why a call is not served."""
    error = customer.refused(customer.post("/v1/underscore", SCRIPT), 402)
    assert error["type"] == "payment_required"
    return str(error["message"])


def test_no_active_payment_method(customer: Any) -> None:
    customer.update("--no-payment-method")
    assert "no active payment method" in reason(customer)
    customer.update("--payment-method")
    assert customer.post("/v1/underscore", SCRIPT).status_code == 200


def test_every_billed_endpoint_checks_it_also_for_what_may_turn_out_unbilled(customer: Any, site: Any) -> None:
    """And polls and `GET /v1/videos/{video_id}` never do."""
    customer.update("--no-payment-method")
    for path, body in [
        ("/v1/loop", PAIR), ("/v1/loop", {**PAIR, "video_id": "vid_short"}), ("/v1/align", PAIR),
        ("/v1/match", {"video_id": "vid_long"}), ("/v1/match", {"video_url": f"{site.url}/short.mp4"}),
        ("/v1/underscore", SCRIPT), ("/v1/beats", {"audio_url": f"{site.url}/track.flac"}),
        ("/v1/videos", {"video_url": f"{site.url}/short.mp4"}),
    ]:  # fmt: skip
        customer.refused(customer.post(path, body), 402)
    database = customer.service.database()
    with database.read() as connection:  # what was refused has left nothing
        for table in (jobs, video_owners):
            assert connection.execute(sa.select(table).where(table.c.account == customer.account)).all() == []
    database.close()
    assert customer.get("/v1/videos/vid_long").status_code == 200
    for family in ("loop", "align", "match"):
        poll = f"/v1/{family}/jobs/{customer.service.unserved(customer.account, family, **PAIR)}"
        answer = customer.get(poll)
        assert (answer.status_code, answer.json()["poll"], answer.json()["status"]) == (202, poll, "processing")
        named = {"video_id", "job_id"} if family == "match" else {"video_id", "track_id", "job_id"}
        assert set(answer.json()) == named | {"status", "poll", "next"}
    assert customer.ledger() == []


def test_credit_grant_exhausted_and_expired_by_name(customer: Any) -> None:
    """`credit grant exhausted` or `credit grant expired` when the account ever had one."""
    customer.update("--no-payment-method", "--credit", "0.05")
    assert customer.post("/v1/underscore", SCRIPT).status_code == 200
    assert "credit grant exhausted" in reason(customer)  # the cent that is left pays no call
    customer.update("--credit", "5", "--credit-expires", LATER)
    assert customer.post("/v1/underscore", SCRIPT).status_code == 200
    customer.update("--credit-expires", "2026-01-01T00:00:00Z")
    assert "credit grant expired" in reason(customer)


def test_the_spend_cap_is_checked_first(customer: Any) -> None:
    customer.update("--spend-cap", "0", "--no-payment-method")
    assert "monthly spend cap reached" in reason(customer)


def test_ledger_rows_exactly(customer: Any) -> None:
    """`event`, `key_id` of a call, `endpoint`, `subject`, `quantity`, `unit`, `amount_usd`, `at`; oldest first."""
    customer.update("--credit", "2.5", "--credit-expires", LATER)
    underscore = customer.post("/v1/underscore", SCRIPT)
    customer.answered("/v1/loop", PAIR)
    loop = customer.post("/v1/loop", PAIR)
    customer.post("/v1/loop", {**PAIR, "video_id": "vid_short"})  # nothing to loop: no row
    first, second, *_, last = rows = customer.ledger()
    fields = {"event", "endpoint", "subject", "quantity", "unit", "amount_usd", "at"}
    assert set(first) == fields
    assert all(set(row) == fields | {"key_id"} for row in rows[1:])
    assert len({row["key_id"] for row in rows[1:]}) == 1
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert abs(datetime.fromisoformat(last["at"]) - datetime.now(UTC)) < timedelta(minutes=2)
    assert (first["event"], first["amount_usd"]) == ("credit", 2.5)
    charge = {"event": "charge", "quantity": 1, "unit": "call", "key_id": second["key_id"]}
    assert second == charge | {
        "endpoint": "POST /v1/underscore", "subject": underscore.headers["x-request-id"], "amount_usd": PRICE,
        "at": second["at"],
    }  # fmt: skip
    assert last == charge | {
        "endpoint": "POST /v1/loop", "subject": loop.headers["x-request-id"], "amount_usd": 0.1, "at": last["at"],
    }  # fmt: skip
    # Charges draw on the credit while there is some, though there is a payment method too.
    spent, now = sum(row["amount_usd"] for row in rows[1:]), state(customer)
    assert (now["credit_usd"], now["spent_this_month_usd"]) == pytest.approx((2.5 - spent, spent))


@pytest.mark.parametrize(
    "options", [("--spend-cap", "0.1"), ("--no-payment-method", "--credit", "0.1")], ids=["cap", "credit"]
)
def test_calls_at_the_same_time_cost_no_more_than_one_after_the_other(customer: Any, options: tuple[str, ...]) -> None:
    """What is left pays for two calls and a part of the third, which is not answered."""
    customer.update(*options)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: customer.post("/v1/underscore", SCRIPT), range(12)))
    assert sorted(answer.status_code for answer in answers) == [200] * 2 + [402] * 10
    assert sum(row["event"] == "charge" for row in customer.ledger()) == 2


# Webhooks


def test_payment_method_events(service: Any, customer: Any) -> None:
    for kind, active in (("payment_method.detached", False), ("payment_method.attached", True)):
        answer = service.event("payment-method", kind, account=customer.account)
        assert (answer.status_code, answer.json()) == (200, {})
        assert answer.headers["x-request-id"]
        assert state(customer)["payment_method"] is active


def test_credit_events(service: Any, customer: Any) -> None:
    customer.update("--no-payment-method")
    granted = service.event("credit", "credit.granted", account=customer.account, amount_usd=7.25, expires_at=LATER)
    assert (granted.status_code, granted.json()) == (200, {})
    assert state(customer)["credit_usd"] == 7.25
    assert datetime.fromisoformat(state(customer)["credit_expires_at"]) == datetime.fromisoformat(LATER)
    (row,) = customer.ledger()
    assert (row["event"], row["amount_usd"]) == ("credit", 7.25)
    assert customer.post("/v1/underscore", SCRIPT).status_code == 200
    assert service.event("credit", "credit.expired", account=customer.account).status_code == 200
    assert "credit grant expired" in reason(customer)
    assert service.event("credit", "spend_cap.set", account=customer.account, amount_usd=0).status_code == 200
    assert "monthly spend cap reached" in reason(customer)
    assert state(customer)["spend_cap_usd"] == 0


def test_a_repeated_webhook_id_has_no_second_effect(service: Any, customer: Any) -> None:
    """A repeated `webhook-id`: `200`, no second effect."""
    body = json.dumps({"type": "credit.granted", "data": {"account": customer.account, "amount_usd": 1}})
    for _ in range(3):
        answer = service.signed("credit", body, f"msg_repeated_{customer.account}")
        assert (answer.status_code, answer.json()) == (200, {})
    assert state(customer)["credit_usd"] == 1
    assert len(customer.ledger()) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"type": "invoice.paid", "data": {"lines": [1, 2]}}, {"type": "invoice.paid"}, {"type": 7}, {"data": {}},
        {"type": "payment_method.detached", "data": {}, "timestamp": "never"},
    ],
)  # fmt: skip
def test_an_unknown_type_is_ignored_whatever_its_shape(service: Any, body: dict[str, Any]) -> None:
    """Unknown `type`: `200`, ignored. What the other route knows is unknown here."""
    answer = service.signed("credit", json.dumps(body), f"msg_{next(service.numbers)}")
    assert (answer.status_code, answer.json()) == (200, {})
    said = {"event": "event ignored", "type": str(body.get("type"))}
    service.wait_for(lambda: any(said.items() <= line.items() for line in service.log_lines()), "it is in the log")
    metrics = httpx.get(f"{service.url}/metrics", trust_env=False, timeout=60).text
    assert 'workbench_ignored_events_total{route="credit"}' in metrics


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_stale_signature_is_401(service: Any, customer: Any, minutes: int) -> None:
    body = json.dumps({"type": "payment_method.detached", "data": {"account": customer.account}})
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    service.refused(service.signed("payment-method", body, "msg_stale", at), 401)
    assert state(customer)["payment_method"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-signature": "v1,AAAA"}, {"webhook-signature": "v2,{}"}, {"webhook-signature": "nonsense"},
        {"webhook-signature": "v1,é"}, {"webhook-signature": ""}, {"webhook-id": "msg_other"}, {"webhook-id": None},
        {"webhook-timestamp": "now"}, {"webhook-timestamp": "1e400"}, {"webhook-timestamp": None},
        {"webhook-signature": None},
    ],
)  # fmt: skip
def test_a_bad_or_malformed_signature_is_401(service: Any, customer: Any, change: dict[str, str | None]) -> None:
    """And no key stands in for it."""
    body = json.dumps({"type": "payment_method.detached", "data": {"account": customer.account}})
    genuine = service.signed("payment-method", '{"type": "x"}', "msg_bad").request.headers
    headers = {name: genuine[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")} | change
    sent = {name: value.encode() for name, value in headers.items() if value is not None}
    url = f"{service.url}/v1/webhooks/billing/payment-method"
    for content in (body, '{"type": "y"}'):
        answer = httpx.post(
            url, content=content, headers={**sent, "x-api-key": customer.key}, trust_env=False, timeout=60
        )
        service.refused(answer, 401)
    assert state(customer)["payment_method"] is True


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "data.account"),
        ({"account": "no spaces allowed", "amount_usd": 1}, "data.account"),
        ({"account": "a"}, "data.amount_usd"),
        ({"account": "a", "amount_usd": 0}, "data.amount_usd"),
        ({"account": "a", "amount_usd": 1e-9}, "data.amount_usd"),
        ({"account": "a", "amount_usd": -1}, "data.amount_usd"),
        ({"account": "a", "amount_usd": 1, "expires_at": "soon"}, "data.expires_at"),
        ({"account": "a", "amount_usd": 1, "expires_at": "9999-12-31T23:59:59-14:00"}, "data.expires_at"),
    ],
)
def test_a_signed_event_that_says_nonsense_is_422(service: Any, data: dict[str, Any], field: str) -> None:
    error = service.refused(service.event("credit", "credit.granted", **data), 422)
    assert error["details"][0]["field"] == field


def test_a_signed_event_with_a_query_is_422(service: Any, customer: Any) -> None:
    body = json.dumps({"type": "credit.granted", "data": {"account": customer.account, "amount_usd": 1}})
    answer = service.signed("credit?dry_run=true", body, f"msg_{next(service.numbers)}")
    assert service.refused(answer, 422)["details"][0]["field"] == "dry_run"
    assert customer.ledger() == []


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"type": NaN}'])
def test_a_signed_body_that_is_no_json_object_is_400(service: Any, body: str) -> None:
    service.refused(service.signed("credit", body, f"msg_{next(service.numbers)}"), 400)


def test_a_service_without_the_secret_believes_nobody(bare: Any) -> None:
    bare.refused(bare.event("credit", "credit.granted", account="a", amount_usd=1), 401)
