"""Settings that only the service needs: `WORKBENCH_…` variables beside those of the workbench.

`workbench settings` prints them with the others.
"""

from __future__ import annotations

import base64
from decimal import Decimal
from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.schemas.wording import field_message
from workbench.errors import ParameterError

_DAY_SECONDS = 86_400
_CENTURY_SECONDS = 36_525 * _DAY_SECONDS
"""s; upper limit of durations: practically for ever, and a time so far ahead is still a valid date"""
_MOST_BYTES = 2**50
_LEAST_SECRET_BYTES = 24

Price: TypeAlias = Annotated[Decimal, Field(ge=0, le=1_000_000)]


def web_address(text: str) -> str:
    """Check an address that calls or links begin with: http or https, with a host, without a query; else ValueError."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable or any(character.isspace() for character in text):
        raise ValueError("must be an address such as https://music.example")
    return text


def _signing_secret(secret: SecretStr) -> SecretStr:
    """Refuse a secret that is empty or can be guessed; the Standard Webhooks specification wants 24 to 64 bytes."""
    encoded = secret.get_secret_value().removeprefix("whsec_").rstrip("=")
    try:
        decoded = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except ValueError:
        decoded = b""
    if not decoded:
        raise ValueError("must be whsec_ and base64 after it, as the billing provider shows it")
    if len(decoded) < _LEAST_SECRET_BYTES:
        raise ValueError(f"must be of {_LEAST_SECRET_BYTES} bytes or more; it has {len(decoded)}")
    return secret


def _long_enough(secret: SecretStr) -> SecretStr:
    if len(secret) < _LEAST_SECRET_BYTES:
        raise ValueError(f"must be of {_LEAST_SECRET_BYTES} characters or more; it has {len(secret)}")
    return secret


def _existing_file(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"must be a file, and there is none at {path}")
    return path


def _origins(text: str) -> str:
    """Check a comma list of origins as browsers send them."""
    origins = [origin.strip() for origin in text.split(",") if origin.strip()]
    for origin in origins:
        web_address(origin)
        if urlsplit(origin).path:
            raise ValueError(f"must be origins such as https://music.example, without a path: {origin}")
    return ",".join(origins)


WebAddress: TypeAlias = Annotated[str, AfterValidator(web_address)]
SigningSecret: TypeAlias = Annotated[SecretStr, AfterValidator(_signing_secret)]
LinkSecret: TypeAlias = Annotated[SecretStr, AfterValidator(_long_enough)]


class ServiceSettings(BaseSettings):
    """Settings of the service from the environment. Read them with `load_service_settings`."""

    model_config = SettingsConfigDict(
        env_prefix="WORKBENCH_", env_ignore_empty=True, frozen=True, extra="ignore", allow_inf_nan=False
    )

    rate_limit_per_minute: int = Field(default=60, ge=1, le=1_000_000, description="requests a key may make in 60 s")
    metrics_public: bool = Field(default=False, description="whether /metrics answers callers beyond this machine")
    traces_url: WebAddress | None = Field(
        default=None,
        description="collector that spans are sent to, OTLP over HTTP: http://127.0.0.1:4318; without it, none are",
    )
    traces_share: float = Field(
        default=1.0, ge=0.0, le=1.0, description="share of the traces that begin here that is recorded"
    )
    public_url: WebAddress | None = Field(
        default=None,
        description="address that callers use, for upload and preview links; without it, the request's own",
    )
    webhook_secret: SigningSecret | None = Field(
        default=None, description="the billing provider's signing secret, whsec_…; without it its webhooks answer 401"
    )
    link_secret: LinkSecret | None = Field(
        default=None,
        description="signs upload and preview links; without it, one generated once, stored in the database",
    )

    api_key: SecretStr | None = Field(default=None, description="the key that `workbench mcp` calls the service with")

    price_video_minute_usd: Price = Field(default=Decimal("0.05"), description="USD per minute of video ingested")
    price_match_usd: Price = Field(default=Decimal("0.10"), description="USD per match")
    price_underscore_usd: Price = Field(default=Decimal("0.04"), description="USD per underscore call")
    price_align_usd: Price = Field(default=Decimal("0.05"), description="USD per alignment")
    price_loop_usd: Price = Field(default=Decimal("0.10"), description="USD per loop that has a plan")
    price_beats_minute_usd: Price = Field(default=Decimal("0.02"), description="USD per minute of audio mapped")

    fetch_allow_hosts: str = Field(
        default="", description="comma list of host names that may have private addresses, for tests and private clouds"
    )
    fetch_ca_file: Annotated[Path, AfterValidator(_existing_file)] | None = Field(
        default=None, description="PEM file of one more authority to trust when fetching"
    )
    fetch_max_bytes: int = Field(
        default=2 * 2**30, ge=1, le=_MOST_BYTES, description="bytes; the largest file that is fetched"
    )
    fetch_timeout_seconds: float = Field(default=300.0, gt=0, le=_DAY_SECONDS, description="s that one fetch may take")
    upload_max_bytes: int = Field(
        default=2 * 2**30, ge=1, le=_MOST_BYTES, description="bytes; the largest file that may be uploaded"
    )
    upload_origins: Annotated[str, AfterValidator(_origins)] = Field(
        default="",
        description="comma list of origins whose pages may send uploads from a browser: https://music.example",
    )
    upload_seconds: int = Field(default=3600, ge=1, le=_CENTURY_SECONDS, description="s that an upload link lasts")
    preview_seconds: int = Field(default=900, ge=1, le=_CENTURY_SECONDS, description="s that a preview link lasts")

    job_slots: int = Field(default=2, ge=1, le=256, description="jobs that one job process runs at a time, beats aside")
    beats_slots: int = Field(default=1, ge=1, le=256, description="beats jobs that one job process runs at a time")
    beats_max_seconds: float = Field(
        default=6.0 * 3600.0, ge=60.0, le=_DAY_SECONDS, description="s of sound that a beats job may have"
    )
    fetch_slots: int = Field(
        default=4, ge=1, le=256, description="files that one job process fetches at a time, beside its jobs"
    )
    ranking_processes: int = Field(
        default=1, ge=0, le=64, description="resident processes that rank for underscore; none: it answers 503"
    )
    ranking_queue: int = Field(
        default=256, ge=1, le=1_000_000, description="underscore calls that may wait for one of them"
    )
    job_lease_seconds: float = Field(
        default=30.0,
        ge=1.0,
        le=_DAY_SECONDS,
        description="s without a sign of life after which another process takes a job over",
    )
    job_deadline_seconds: float = Field(
        default=900.0, ge=1.0, le=_CENTURY_SECONDS, description="s after which a running job is ended"
    )
    ingest_deadline_seconds: float = Field(
        default=7200.0, ge=1.0, le=_CENTURY_SECONDS, description="s after which an ingest is ended"
    )
    job_drain_seconds: float = Field(
        default=10.0,
        ge=0.0,
        le=_DAY_SECONDS,
        description="s that running jobs get to finish in at SIGTERM; then they are queued again",
    )
    http_drain_seconds: float = Field(
        default=30.0, ge=0.0, le=_DAY_SECONDS, description="s that running requests get to finish in at SIGTERM"
    )
    job_memory_bytes: int = Field(
        default=6 * 2**30, ge=2**29, le=_MOST_BYTES, description="bytes of memory that one job may use"
    )
    job_retention_seconds: float = Field(
        default=30.0 * _DAY_SECONDS,
        ge=2 * _DAY_SECONDS,
        le=_CENTURY_SECONDS,
        description="s that a settled job can be polled; then it is forgotten",
    )
    answer_retention_seconds: float = Field(
        default=90.0 * _DAY_SECONDS,
        ge=2 * _DAY_SECONDS,
        le=_CENTURY_SECONDS,
        description="s that a result is stored after it was last asked for; then it takes a job again",
    )
    preview_retention_seconds: float = Field(
        default=30.0 * _DAY_SECONDS,
        ge=2 * _DAY_SECONDS,
        le=_CENTURY_SECONDS,
        description="s that an excerpt is stored after it was last played; then it takes a job again",
    )
    video_retention_seconds: float | None = Field(
        default=None,
        ge=3600.0,
        le=_CENTURY_SECONDS,
        description="s that an account's video is stored after it is ready; then it is deleted; without it, for ever",
    )
    beats_retention_seconds: float = Field(
        default=3600.0,
        ge=1.0,
        le=_CENTURY_SECONDS,
        description="s that a beats job may wait in its queue before it expires unbilled",
    )


def load_service_settings() -> ServiceSettings:
    """Read the settings from the environment; ParameterError names a variable whose value it cannot have."""
    try:
        return ServiceSettings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "WORKBENCH_" + "_".join(str(part) for part in first["loc"]).upper()
        raise ParameterError(f"{name}: {field_message(first)}") from None
