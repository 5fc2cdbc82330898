"""`/v1/webhooks/billing`: events of the billing provider, signed as the Standard Webhooks specification requires."""

from __future__ import annotations

import binascii

import structlog
from pydantic import ValidationError
from sanic import Blueprint, HTTPResponse, Request
from sanic.response import json
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.errors import Problem
from service.money import events
from service.routes.admission import RoutePolicy, object_of, problem_of, query_of
from service.schemas.events import BillingEvent
from service.schemas.requests import NoQuery
from service.telemetry import metrics

log = structlog.get_logger("service")
blueprint = Blueprint("webhooks", url_prefix="/v1/webhooks/billing")
_POLICY = RoutePolicy(api_key=False)


@blueprint.post("/payment-method", ctx_policy=_POLICY)
async def payment_method(request: Request) -> HTTPResponse:
    """Answer `POST …/payment-method`: a payment method was attached or detached."""
    return await _apply(request, events.PAYMENT_METHOD)


@blueprint.post("/credit", ctx_policy=_POLICY)
async def credit(request: Request) -> HTTPResponse:
    """Answer `POST …/credit`: a credit was granted or has expired, or a spend cap was set."""
    return await _apply(request, events.CREDIT)


async def _apply(request: Request, route: str) -> HTTPResponse:
    webhook_id = _verified_id(request)
    given = object_of(request)
    query_of(request, NoQuery)
    # Events of unknown types are accepted without validation; they may have any fields.
    if not events.is_known(route, given.get("type")):
        log.warning("event ignored", route=route, type=str(given.get("type"))[:128])
        metrics.IGNORED_EVENTS.labels(route).inc()
        return json({})
    try:
        event = BillingEvent.model_validate(given)
    except ValidationError as error:
        raise problem_of(error) from None
    write = request.app.ctx.transactions.write
    await write(lambda connection: events.apply(connection, route, webhook_id, event))
    return json({})


def _verified_id(request: Request) -> str:
    """The id of a webhook that the provider signed; Problem, 401, if it did not."""
    secret = request.app.ctx.settings.webhook_secret
    refused = Problem(401, "the webhook's signature is missing, wrong or stale")
    if secret is None:
        raise refused
    headers: dict[str, str] = {}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        given = request.headers.getall(name, [])
        if len(given) != 1:  # the value that is verified must be the one that is used
            raise refused
        headers[name] = str(given[0])
    try:
        Webhook(secret.get_secret_value()).verify(request.body, headers, json_parse=False)
    # a malformed signature raises what the library's decoder raises
    except (WebhookVerificationError, binascii.Error, ValueError) as error:
        raise refused from error
    return headers["webhook-id"]
