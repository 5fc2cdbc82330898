"""What a job reserves of its account's money, and the key of the call that caused a charge."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1_1"
down_revision = "1_0"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("jobs", sa.Column("reserved_micros", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("reserved_at", sa.Text))
    op.add_column("jobs", sa.Column("key_id", sa.Text))
    op.add_column("ledger", sa.Column("key_id", sa.Text))


def downgrade() -> None:
    """Take them away, and the queue that the version before does not know."""
    op.execute("UPDATE jobs SET queue = 'beats' WHERE queue = 'long beats'")
    op.drop_column("ledger", "key_id")
    for name in ("key_id", "reserved_at", "reserved_micros"):
        op.drop_column("jobs", name)
