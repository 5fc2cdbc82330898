"""The service's tables, beside those of the workbench in one database: SQLite or PostgreSQL, the same statements.

    accounts           payment method and spend cap
    answers            finished results by what they depend on
    api_keys           hashes of API keys
    credit_grants      credit that was granted, what is left of it and when it expires
    idempotency_keys   the job that an Idempotency-Key of a beats call stands for
    jobs               accepted, running and settled work
    ledger             charges and credits, never changed
    mapped_recordings  which account had the beats of which bytes mapped
    month_totals       what an account spent in a month
    rate_windows       requests of an API key in its current window
    seen_webhooks      webhooks that were applied
    event_times        when what the billing provider last set of an account was so
    shared_values      single values that all processes share
    turns              when a job of an account was last claimed
    video_owners       which account owns a video, and the state of its ingest
    workers            heartbeats of job processes

Times are texts as `workbench.store.database.now` writes them, which sort; amounts are whole micro-dollars, so that
sums are exact.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.schema import Schema
from workbench.store.settings import WorkbenchSettings

metadata = sa.MetaData()

_UNSETTLED = "state IN ('queued', 'waiting', 'running')"


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """An index of the rows for which a condition holds; both databases have them, each in its own option."""
    only = sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)


accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("payment_method", sa.Boolean, nullable=False),
    sa.Column("spend_cap_micros", sa.BigInteger),  # a calendar month, UTC; null: none
    sa.Column("preview", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
)

credit_grants = sa.Table(
    "credit_grants",
    metadata,
    sa.Column("grant_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("granted_micros", sa.BigInteger, nullable=False),
    sa.Column("left_micros", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.Text),  # null: never
    sa.Column("granted_at", sa.Text, nullable=False),
    sa.Column("provider_at", sa.Text),  # when the provider granted it, by its clock; null: unknown
    sa.Index("credit_grants_by_account", "account", "expires_at"),
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("key_id", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),  # SHA-256 of the key, hex
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
    sa.Column("last_used_at", sa.Text),
)

rate_windows = sa.Table(
    "rate_windows",
    metadata,
    sa.Column("key_id", sa.Text, primary_key=True),
    sa.Column("opened_at", sa.Double, nullable=False),  # s since 1970, when the key's window opened
    sa.Column("requests", sa.Integer, nullable=False),
)

video_owners = sa.Table(
    "video_owners",
    metadata,
    sa.Column("video_id", sa.Text, primary_key=True),
    sa.Column("account", sa.Text),  # null: shared by all
    sa.Column("status", sa.Text, nullable=False),  # awaiting_upload, processing, ready, failed
    sa.Column("reason", sa.Text),  # why it failed
    sa.Column("title", sa.Text),
    sa.Column("source_url", sa.Text),
    sa.Column("filename", sa.Text),
    sa.Column("content_type", sa.Text),
    sa.Column("storage_key", sa.Text, unique=True),
    sa.Column("uploaded_bytes", sa.BigInteger),  # null: no upload is complete
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.Column("upload_name", sa.Text),  # of the file in the store that machines share; null: named by the storage key
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("job_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # ingest, match, align, loop, beats, engine, preview
    sa.Column("queue", sa.Text, nullable=False),  # main, beats, long beats, fetch
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("build", sa.Text, nullable=False),  # names the result; after a "#" the choices, see `jobs.NewJob`
    sa.Column("video_id", sa.Text),
    sa.Column("track_id", sa.Text),
    sa.Column("request", sa.Text, nullable=False),  # JSON: the submit's body and choices, its traceparent
    sa.Column("charge", sa.Text),  # JSON {endpoint, subject, unit, event_key} of its ledger row; null: not billed
    sa.Column("state", sa.Text, nullable=False),  # queued, waiting, running, complete, failed
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),  # times it was claimed
    sa.Column("crashes", sa.Integer, nullable=False),  # attempts whose process died while its worker lived
    sa.Column("owner", sa.Text),
    sa.Column("lease_until", sa.Text),
    sa.Column("not_before", sa.Text),  # a waiting job may be claimed again from then on
    sa.Column("answer", sa.Text),  # JSON, when complete
    sa.Column("fault", sa.Text),  # JSON {status, type, message}, when failed
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("started_at", sa.Text),
    sa.Column("finished_at", sa.Text),
    # of the account's money, until it is settled; a price that depends on a length is reserved once that is known
    sa.Column("reserved_micros", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("reserved_at", sa.Text),
    sa.Column("key_id", sa.Text),  # of the call that asked for it
    _partial("jobs_open", "queue", "state", "created_at", where=_UNSETTLED),
    sa.Index("jobs_by_build", "build", "state"),
    sa.Index("jobs_by_account", "account", "state"),
    # An account has one unsettled job a build: a second call gets the same one. Each beats call and each ingest has a
    # build of its own, and so a job of its own.
    _partial("jobs_once", "account", "kind", "build", where=_UNSETTLED, unique=True),
    _partial("jobs_settled", "finished_at", where="finished_at IS NOT NULL"),
    _partial("jobs_by_video", "video_id", where="video_id IS NOT NULL"),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("answer_key", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("used_at", sa.Text, nullable=False, server_default=""),  # last use, to the day
    sa.Column("video_hash", sa.Text),  # of the video that it is about; null: of none
    sa.Index("answers_by_use", "used_at"),
    _partial("answers_by_video", "video_hash", where="video_hash IS NOT NULL"),
)

ledger = sa.Table(
    "ledger",
    metadata,
    sa.Column("entry_id", sa.Text, primary_key=True),  # ULID: sorts by time
    sa.Column("event_key", sa.Text, nullable=False, unique=True),  # an event is booked once
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),  # charge, credit
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("quantity", sa.Integer, nullable=False),
    sa.Column("unit", sa.Text, nullable=False),  # call, minute
    sa.Column("amount_micros", sa.BigInteger, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("key_id", sa.Text),  # of the call; null: of no call, or from before keys were written
    sa.Index("ledger_by_account", "account", "entry_id"),
)

month_totals = sa.Table(
    "month_totals",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("month", sa.Text, primary_key=True),  # 2026-11, UTC
    sa.Column("micros", sa.BigInteger, nullable=False),
)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("endpoint", sa.Text, primary_key=True),
    sa.Column("idempotency_key", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.Text, nullable=False),  # SHA-256 of the request
    sa.Column("job_id", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
)

seen_webhooks = sa.Table(
    "seen_webhooks",
    metadata,
    sa.Column("webhook_id", sa.Text, primary_key=True),
    sa.Column("received_at", sa.Text, nullable=False),
)

mapped_recordings = sa.Table(
    "mapped_recordings",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("content_hash", sa.Text, primary_key=True),
    sa.Column("mapped_at", sa.Text, nullable=False),
)

turns = sa.Table(
    "turns",
    metadata,
    sa.Column("queue", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("served_at", sa.Text, nullable=False),  # when a job of the account was last claimed
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("owner", sa.Text, primary_key=True),
    sa.Column("queues", sa.Text, nullable=False),  # comma list
    sa.Column("seen_at", sa.Text, nullable=False),
)

event_times = sa.Table(
    "event_times",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("setting", sa.Text, primary_key=True),  # column of accounts
    sa.Column("happened_at", sa.Text, nullable=False),  # by the provider's clock
)

shared_values = sa.Table(
    "shared_values",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

SCHEMA = Schema(
    name="service",
    metadata=metadata,
    head="1_1",
    migrations=Path(__file__).parent / "migrations",
    successor_of="service/0008_expand_times_of_grants",
)


def open_database(home: Home, settings: WorkbenchSettings) -> Database:
    """Open the database of the settings or of a home folder and update the service's tables; the caller closes it."""
    return Database.at(home, settings, (SCHEMA,))
