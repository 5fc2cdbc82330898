"""No constraints on seams with a recording: plans and projects hold their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2_0"
down_revision = "1_0"


def upgrade() -> None:
    """Drop the table."""
    op.drop_table("seam_constraints")


def downgrade() -> None:
    """Make it again, empty."""
    op.create_table(
        "seam_constraints",
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("constraints", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("content_hash"),
    )
