"""Bodies that the billing provider sends to the two webhooks."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from service.schemas.fields import Text


def _in_utc(time: datetime | None) -> datetime | None:
    """Convert a time to UTC; without a zone it is UTC already."""
    if time is None:
        return None
    try:
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise ValueError("lies outside the years 1 to 9999, UTC") from None


class EventData(BaseModel):
    """The account of an event, and its amount."""

    model_config = ConfigDict(frozen=True)

    account: Annotated[Text, Field(min_length=1, max_length=128, description="whom the event concerns")]
    amount_usd: Annotated[Decimal, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)] | None = Field(
        default=None, description="of credit.granted and spend_cap.set, USD"
    )
    expires_at: datetime | None = Field(
        default=None,
        description="of credit.granted: when it ends; of credit.expired: ends the grants due by then; without it, all "
        "but those that a credit.granted with a later timestamp granted; without a zone it is UTC",
    )

    _expires_in_utc = field_validator("expires_at")(_in_utc)


_TYPES = (
    "payment_method.attached or payment_method.detached; credit.granted, credit.expired or spend_cap.set; an event of "
    "any other type is answered 200, logged and ignored"
)


class BillingEvent(BaseModel):
    """One webhook's body; fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True)

    type: Annotated[Text, Field(min_length=1, max_length=128, description=_TYPES)]
    timestamp: datetime | None = Field(
        default=None,
        description="when it happened; what an event sets is not changed by one that happened before; without a zone "
        "it is UTC",
    )
    data: EventData = Field(description="the account and the amount")

    _happened_in_utc = field_validator("timestamp")(_in_utc)
