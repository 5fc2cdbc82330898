"""Bodies of the billing provider: ours are checked, what else it sends is its business."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from service.schemas.events import BillingEvent


def event(**data: Any) -> BillingEvent:
    return BillingEvent.model_validate({"type": "credit.granted", "data": {"account": "ada"} | data, "id": "evt_1"})


def test_unknown_fields_are_ignored_and_amounts_are_exact() -> None:
    assert event(amount_usd="0.10", currency="usd").data.amount_usd == Decimal("0.10")


def test_a_moment_without_a_zone_is_utc() -> None:
    noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    for text in ("2026-11-22T12:00:00", "2026-11-22T12:00:00Z", "2026-11-22T14:00:00+02:00"):
        assert event(expires_at=text).data.expires_at == noon
    assert event().data.expires_at is None


@pytest.mark.parametrize(
    "data", [{"amount_usd": "NaN"}, {"amount_usd": 1e10}, {"expires_at": "0001-01-01T00:00:00+14:00"}]
)
def test_nonsense_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        event(**data)
