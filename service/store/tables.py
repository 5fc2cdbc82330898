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

import sqlalchemy as sa

from workbench.home import Home
from workbench.settings import WorkbenchSettings
from workbench.store.database import Database, Migration

metadata = sa.MetaData()

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("payment_method", sa.Boolean, nullable=False),
    sa.Column("spend_cap_micros", sa.BigInteger),  # a calendar month, UTC; null: none
    sa.Column("preview", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.String, nullable=False),
)

credit_grants = sa.Table(
    "credit_grants",
    metadata,
    sa.Column("grant_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("account", sa.String, nullable=False),
    sa.Column("granted_micros", sa.BigInteger, nullable=False),
    sa.Column("left_micros", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.String),  # null: never
    sa.Column("granted_at", sa.String, nullable=False),
    sa.Column("provider_at", sa.String),  # when the provider granted it, by its clock; null: not said, or by others
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("key_id", sa.String, primary_key=True),
    sa.Column("account", sa.String, nullable=False),
    sa.Column("digest", sa.String, nullable=False),  # SHA-256 of the key, hex
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("expires_at", sa.String),
    sa.Column("revoked_at", sa.String),
    sa.Column("last_used_at", sa.String),
)

rate_windows = sa.Table(
    "rate_windows",
    metadata,
    sa.Column("key_id", sa.String, primary_key=True),
    sa.Column("opened_at", sa.Float, nullable=False),  # s since 1970, when the key's window opened
    sa.Column("requests", sa.Integer, nullable=False),
)

video_owners = sa.Table(
    "video_owners",
    metadata,
    sa.Column("video_id", sa.String, primary_key=True),
    sa.Column("account", sa.String),  # null: shared by all
    sa.Column("status", sa.String, nullable=False),  # awaiting_upload, processing, ready, failed
    sa.Column("reason", sa.String),  # why it failed
    sa.Column("title", sa.String),
    sa.Column("source_url", sa.String),
    sa.Column("filename", sa.String),
    sa.Column("content_type", sa.String),
    sa.Column("storage_key", sa.String),
    sa.Column("uploaded_bytes", sa.BigInteger),  # null: no upload is complete
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("updated_at", sa.String, nullable=False),
    sa.Column("upload_name", sa.String),  # of the file in the store that machines share; null: named by the storage key
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("job_id", sa.String, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),  # ingest, match, align, loop, beats, engine, preview
    sa.Column("queue", sa.String, nullable=False),  # main, beats, fetch
    sa.Column("account", sa.String, nullable=False),
    sa.Column("build", sa.String, nullable=False),  # names the result; after a "#" the choices, see `jobs.NewJob`
    sa.Column("video_id", sa.String),
    sa.Column("track_id", sa.String),
    sa.Column("request", sa.String, nullable=False),  # JSON: the submit's body and choices, its traceparent
    sa.Column("charge", sa.String),  # JSON {endpoint, subject, unit, event_key} of its ledger row; null: not billed
    sa.Column("state", sa.String, nullable=False),  # queued, waiting, running, complete, failed
    sa.Column("stage", sa.String, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),  # times it was claimed
    sa.Column(
        "crashes", sa.Integer, nullable=False
    ),  # attempts that ended with the death of the process while its worker lived
    sa.Column("owner", sa.String),
    sa.Column("lease_until", sa.String),
    sa.Column("not_before", sa.String),  # a waiting job may be claimed again from then on
    sa.Column("answer", sa.String),  # JSON, when complete
    sa.Column("fault", sa.String),  # JSON {status, type, message}, when failed
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("started_at", sa.String),
    sa.Column("finished_at", sa.String),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("answer_key", sa.String, primary_key=True),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("body", sa.String, nullable=False),  # JSON
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("used_at", sa.String, nullable=False),  # last use, to the day
    sa.Column("video_hash", sa.String),  # of the video that it is about; null: of none, or stored before 0005
)

ledger = sa.Table(
    "ledger",
    metadata,
    sa.Column("entry_id", sa.String, primary_key=True),  # ULID: sorts by time
    sa.Column("event_key", sa.String, nullable=False),  # unique: an event is booked once
    sa.Column("account", sa.String, nullable=False),
    sa.Column("event", sa.String, nullable=False),  # charge, credit
    sa.Column("endpoint", sa.String, nullable=False),
    sa.Column("subject", sa.String, nullable=False),
    sa.Column("quantity", sa.Integer, nullable=False),
    sa.Column("unit", sa.String, nullable=False),  # call, minute
    sa.Column("amount_micros", sa.BigInteger, nullable=False),
    sa.Column("at", sa.String, nullable=False),
)

month_totals = sa.Table(
    "month_totals",
    metadata,
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("month", sa.String, primary_key=True),  # 2026-11, UTC
    sa.Column("micros", sa.BigInteger, nullable=False),
)

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("endpoint", sa.String, primary_key=True),
    sa.Column("idempotency_key", sa.String, primary_key=True),
    sa.Column("fingerprint", sa.String, nullable=False),  # SHA-256 of the request
    sa.Column("job_id", sa.String, nullable=False),
    sa.Column("created_at", sa.String, nullable=False),
)

seen_webhooks = sa.Table(
    "seen_webhooks",
    metadata,
    sa.Column("webhook_id", sa.String, primary_key=True),
    sa.Column("received_at", sa.String, nullable=False),
)

mapped_recordings = sa.Table(
    "mapped_recordings",
    metadata,
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("content_hash", sa.String, primary_key=True),
    sa.Column("mapped_at", sa.String, nullable=False),
)

turns = sa.Table(
    "turns",
    metadata,
    sa.Column("queue", sa.String, primary_key=True),
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("served_at", sa.String, nullable=False),  # when a job of the account was last claimed
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("owner", sa.String, primary_key=True),
    sa.Column("queues", sa.String, nullable=False),  # comma list
    sa.Column("seen_at", sa.String, nullable=False),
)

event_times = sa.Table(
    "event_times",
    metadata,
    sa.Column("account", sa.String, primary_key=True),
    sa.Column("setting", sa.String, primary_key=True),  # column of accounts
    sa.Column("happened_at", sa.String, nullable=False),  # by the provider's clock
)

shared_values = sa.Table(
    "shared_values",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("value", sa.String, nullable=False),
)

MIGRATIONS: tuple[Migration, ...] = (
    (
        "service/0001_accounts_jobs_ledger",
        (
            """CREATE TABLE accounts (
                account TEXT PRIMARY KEY, payment_method BOOLEAN NOT NULL, credit_micros BIGINT NOT NULL,
                credit_granted BOOLEAN NOT NULL, credit_expires_at TEXT, spend_cap_micros BIGINT,
                preview BOOLEAN NOT NULL, created_at TEXT NOT NULL)""",
            """CREATE TABLE keys (
                key_id TEXT PRIMARY KEY, account TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
                expires_at TEXT, revoked_at TEXT, last_used_at TEXT)""",
            """CREATE TABLE rate_windows (
                key_id TEXT PRIMARY KEY, opened_at DOUBLE PRECISION NOT NULL, requests INTEGER NOT NULL)""",
            """CREATE TABLE claims (
                video_id TEXT PRIMARY KEY, account TEXT, status TEXT NOT NULL, reason TEXT, title TEXT, source_url TEXT,
                filename TEXT, content_type TEXT, storage_key TEXT UNIQUE, uploaded_bytes BIGINT,
                created_at TEXT NOT NULL, updated_at TEXT NOT NULL)""",
            """CREATE TABLE jobs (
                job_id TEXT PRIMARY KEY, kind TEXT NOT NULL, queue TEXT NOT NULL, account TEXT NOT NULL,
                build TEXT NOT NULL, video_id TEXT, track_id TEXT, request TEXT NOT NULL, charge TEXT,
                state TEXT NOT NULL, stage TEXT NOT NULL, attempt INTEGER NOT NULL, crashes INTEGER NOT NULL,
                owner TEXT, lease_until TEXT, not_before TEXT, answer TEXT, fault TEXT, created_at TEXT NOT NULL,
                started_at TEXT, finished_at TEXT)""",
            "CREATE INDEX jobs_open ON jobs (queue, state, created_at) WHERE state IN ('queued', 'waiting', 'running')",
            "CREATE INDEX jobs_by_build ON jobs (build, state)",
            "CREATE INDEX jobs_by_account ON jobs (account, state)",
            # An account has one unsettled job a build: a second call gets the same one. Each beats call and each ingest
            # has a build of its own, and so a job of its own.
            """CREATE UNIQUE INDEX jobs_once ON jobs (account, kind, build)
                WHERE state IN ('queued', 'waiting', 'running')""",
            """CREATE TABLE answers (
                answer_key TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL)""",
            """CREATE TABLE ledger (
                entry_id TEXT PRIMARY KEY, event_key TEXT NOT NULL UNIQUE, account TEXT NOT NULL, event TEXT NOT NULL,
                endpoint TEXT NOT NULL, subject TEXT NOT NULL, quantity INTEGER NOT NULL, unit TEXT NOT NULL,
                amount_micros BIGINT NOT NULL, at TEXT NOT NULL)""",
            "CREATE INDEX ledger_by_account ON ledger (account, entry_id)",
            """CREATE TABLE month_totals (
                account TEXT NOT NULL, month TEXT NOT NULL, micros BIGINT NOT NULL, PRIMARY KEY (account, month))""",
            """CREATE TABLE repeats (
                account TEXT NOT NULL, endpoint TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
                job_id TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (account, endpoint, key))""",
            "CREATE TABLE notices (webhook_id TEXT PRIMARY KEY, received_at TEXT NOT NULL)",
            """CREATE TABLE account_beats (
                account TEXT NOT NULL, content_hash TEXT NOT NULL, mapped_at TEXT NOT NULL,
                PRIMARY KEY (account, content_hash))""",
            """CREATE TABLE turns (
                queue TEXT NOT NULL, account TEXT NOT NULL, served_at TEXT NOT NULL, PRIMARY KEY (queue, account))""",
            "CREATE TABLE workers (owner TEXT PRIMARY KEY, queues TEXT NOT NULL, seen_at TEXT NOT NULL)",
            "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        ),
    ),
    (
        "service/0002_retention",
        (
            "ALTER TABLE answers ADD COLUMN used_at TEXT NOT NULL DEFAULT ''",
            "UPDATE answers SET used_at = created_at",
            "CREATE INDEX answers_by_use ON answers (used_at)",
            "CREATE INDEX jobs_settled ON jobs (finished_at) WHERE finished_at IS NOT NULL",
        ),
    ),
    (
        "service/0003_names",
        (
            "ALTER TABLE account_beats RENAME TO mapped_recordings",
            "ALTER TABLE repeats RENAME TO idempotency_keys",
            "ALTER TABLE idempotency_keys RENAME COLUMN key TO idempotency_key",
            "ALTER TABLE facts RENAME TO shared_values",
            "ALTER TABLE notices RENAME TO seen_webhooks",
            "ALTER TABLE claims RENAME TO video_owners",
            "ALTER TABLE keys RENAME TO api_keys",
        ),
    ),
    (
        "service/0004_credit_grants",
        (
            """CREATE TABLE credit_grants (
                grant_id TEXT PRIMARY KEY, account TEXT NOT NULL, granted_micros BIGINT NOT NULL,
                left_micros BIGINT NOT NULL, expires_at TEXT, granted_at TEXT NOT NULL)""",
            "CREATE INDEX credit_grants_by_account ON credit_grants (account, expires_at)",
            # What is left becomes one grant. When each earlier grant was to expire is known to nobody: a later one
            # overwrote it.
            """INSERT INTO credit_grants (grant_id, account, granted_micros, left_micros, expires_at, granted_at)
                SELECT 'grt_' || account, account,
                    CAST(COALESCE((SELECT SUM(amount_micros) FROM ledger
                        WHERE ledger.account = accounts.account AND event = 'credit'), credit_micros) AS BIGINT),
                    credit_micros, credit_expires_at, created_at
                FROM accounts WHERE credit_granted""",
            "ALTER TABLE accounts DROP COLUMN credit_micros",
            "ALTER TABLE accounts DROP COLUMN credit_granted",
            "ALTER TABLE accounts DROP COLUMN credit_expires_at",
        ),
    ),
    (
        "service/0005_answers_of_videos",
        (
            "ALTER TABLE answers ADD COLUMN video_hash TEXT",
            "CREATE INDEX answers_by_video ON answers (video_hash) WHERE video_hash IS NOT NULL",
            "CREATE INDEX jobs_by_video ON jobs (video_id) WHERE video_id IS NOT NULL",
        ),
    ),
    ("service/0006_names_of_uploads", ("ALTER TABLE video_owners ADD COLUMN upload_name TEXT",)),
    (
        "service/0007_expand_event_times",
        (
            """CREATE TABLE event_times (
                account TEXT NOT NULL, setting TEXT NOT NULL, happened_at TEXT NOT NULL,
                PRIMARY KEY (account, setting))""",
        ),
    ),
    ("service/0008_expand_times_of_grants", ("ALTER TABLE credit_grants ADD COLUMN provider_at TEXT",)),
)


def open_database(home: Home, settings: WorkbenchSettings) -> Database:
    """Open the database of a home folder, or the one that the settings name, and bring the service's tables up to date.

    Parameters
    ----------
    home : holds the SQLite file, unless the settings name a database
    settings : may name a PostgreSQL or SQLite database

    Returns
    -------
    an open database; the caller closes it

    Raises
    ------
    StoreError : it cannot be opened, or was made by a newer version of this package
    """
    return Database.at(home, settings, MIGRATIONS)
