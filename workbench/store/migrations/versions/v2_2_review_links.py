"""Links to frozen plans, each with what it allows and until when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2_2"
down_revision = "2_1"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "review_links",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("version_id", sa.Text, nullable=False),
        sa.Column("may_answer", sa.Boolean, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("token"),
    )
    op.create_index("review_links_by_version", "review_links", ["version_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("review_links")
