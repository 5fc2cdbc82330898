"""The window in which a change of a project was made, and how often a project was written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2_1"
down_revision = "2_0"


def upgrade() -> None:
    """Add both columns."""
    op.add_column("projects", sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("project_changes", sa.Column("window", sa.Text, nullable=False, server_default=""))


def downgrade() -> None:
    """Take them away."""
    op.drop_column("project_changes", "window")
    op.drop_column("projects", "revision")
