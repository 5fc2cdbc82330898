"""The tables of the service, as they were when Alembic came."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1_0"
down_revision = None

_UNSETTLED = "state IN ('queued', 'waiting', 'running')"


def _create_partial_index(name: str, table: str, columns: list[str], where: str, unique: bool = False) -> None:
    only = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=only, postgresql_where=only)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("payment_method", sa.Boolean, nullable=False),
        sa.Column("spend_cap_micros", sa.BigInteger),
        sa.Column("preview", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_table(
        "answers",
        sa.Column("answer_key", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("used_at", sa.Text, server_default="", nullable=False),
        sa.Column("video_hash", sa.Text),
    )
    op.create_index("answers_by_use", "answers", ["used_at"])
    _create_partial_index("answers_by_video", "answers", ["video_hash"], "video_hash IS NOT NULL")

    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text),
        sa.Column("revoked_at", sa.Text),
        sa.Column("last_used_at", sa.Text),
    )
    op.create_table(
        "credit_grants",
        sa.Column("grant_id", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("granted_micros", sa.BigInteger, nullable=False),
        sa.Column("left_micros", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.Text),
        sa.Column("granted_at", sa.Text, nullable=False),
        sa.Column("provider_at", sa.Text),
    )
    op.create_index("credit_grants_by_account", "credit_grants", ["account", "expires_at"])

    op.create_table(
        "event_times",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("setting", sa.Text, primary_key=True),
        sa.Column("happened_at", sa.Text, nullable=False),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("endpoint", sa.Text, primary_key=True),
        sa.Column("idempotency_key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("job_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("build", sa.Text, nullable=False),
        sa.Column("video_id", sa.Text),
        sa.Column("track_id", sa.Text),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("charge", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("crashes", sa.Integer, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", sa.Text),
        sa.Column("not_before", sa.Text),
        sa.Column("answer", sa.Text),
        sa.Column("fault", sa.Text),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text),
        sa.Column("finished_at", sa.Text),
    )
    op.create_index("jobs_by_account", "jobs", ["account", "state"])
    op.create_index("jobs_by_build", "jobs", ["build", "state"])
    _create_partial_index("jobs_by_video", "jobs", ["video_id"], "video_id IS NOT NULL")
    _create_partial_index("jobs_once", "jobs", ["account", "kind", "build"], _UNSETTLED, unique=True)
    _create_partial_index("jobs_open", "jobs", ["queue", "state", "created_at"], _UNSETTLED)
    _create_partial_index("jobs_settled", "jobs", ["finished_at"], "finished_at IS NOT NULL")

    op.create_table(
        "ledger",
        sa.Column("entry_id", sa.Text, primary_key=True),
        sa.Column("event_key", sa.Text, nullable=False, unique=True),
        sa.Column("account", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("quantity", sa.Integer, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("amount_micros", sa.BigInteger, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_index("ledger_by_account", "ledger", ["account", "entry_id"])

    op.create_table(
        "mapped_recordings",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("content_hash", sa.Text, primary_key=True),
        sa.Column("mapped_at", sa.Text, nullable=False),
    )
    op.create_table(
        "month_totals",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("month", sa.Text, primary_key=True),
        sa.Column("micros", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "rate_windows",
        sa.Column("key_id", sa.Text, primary_key=True),
        sa.Column("opened_at", sa.Double, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
    )
    op.create_table(
        "seen_webhooks",
        sa.Column("webhook_id", sa.Text, primary_key=True),
        sa.Column("received_at", sa.Text, nullable=False),
    )
    op.create_table(
        "shared_values",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("queue", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("served_at", sa.Text, nullable=False),
    )
    op.create_table(
        "video_owners",
        sa.Column("video_id", sa.Text, primary_key=True),
        sa.Column("account", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("title", sa.Text),
        sa.Column("source_url", sa.Text),
        sa.Column("filename", sa.Text),
        sa.Column("content_type", sa.Text),
        sa.Column("storage_key", sa.Text, unique=True),
        sa.Column("uploaded_bytes", sa.BigInteger),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("upload_name", sa.Text),
    )
    op.create_table(
        "workers",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("queues", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop them all."""
    for table in (
        "accounts", "answers", "api_keys", "credit_grants", "event_times", "idempotency_keys", "jobs", "ledger",
        "mapped_recordings", "month_totals", "rate_windows", "seen_webhooks", "shared_values", "turns",
        "video_owners", "workers",
    ):  # fmt: skip
        op.drop_table(table)
