"""The tables of the workbench, as they were when Alembic came."""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "1_0"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "approvals",
        sa.Column("approval_id", sa.Text, primary_key=True),
        sa.Column("version_id", sa.Text, nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_index("approvals_by_version", "approvals", ["version_id"])

    op.create_table(
        "comments",
        sa.Column("comment_id", sa.Text, primary_key=True),
        sa.Column("version_id", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("answers", sa.Text),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("video_s", sa.Double, nullable=False),
        sa.Column("leave_s", sa.Double),
        sa.Column("enter_s", sa.Double),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("resolved_by", sa.Text),
        sa.Column("resolved_at", sa.Text),
    )
    op.create_index("comments_by_subject", "comments", ["subject"])

    op.create_table(
        "grids",
        sa.Column("content_hash", sa.Text, primary_key=True),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("grid", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "listening_answers",
        sa.Column("test_id", sa.Text, primary_key=True),
        sa.Column("trial", sa.Integer, primary_key=True),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "listening_tests",
        sa.Column("test_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("track", sa.Text, nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("design", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "plan_versions",
        sa.Column("version_id", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("track", sa.Text, nullable=False),
        sa.Column("track_path", sa.Text, nullable=False),
        sa.Column("video_path", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.UniqueConstraint("subject", "digest"),
    )
    op.create_table(
        "project_changes",
        sa.Column("project_id", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("edits", sa.Text, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "project_fields",
        sa.Column("project_id", sa.Text, primary_key=True),
        sa.Column("field", sa.Text, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "projects",
        sa.Column("project_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("video", sa.Text, nullable=False),
        sa.Column("track", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
    )
    op.create_index("projects_by_change", "projects", ["changed_at"])

    op.create_table(
        "recordings",
        sa.Column("content_hash", sa.Text, primary_key=True),
        sa.Column("measured", sa.Text, nullable=False),
        sa.Column("descriptor", sa.Text, nullable=False),
        sa.Column("analysis", sa.Text, nullable=False),
        sa.Column("measured_at", sa.Text, nullable=False),
    )
    op.create_table(
        "removed_tracks",
        sa.Column("track_id", sa.Text, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.create_index("removed_by_revision", "removed_tracks", ["revision"])

    op.create_table(
        "revisions",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "seam_constraints",
        sa.Column("content_hash", sa.Text, primary_key=True),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("constraints", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    op.create_table(
        "tracks",
        sa.Column("track_id", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("added_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("revision", sa.BigInteger, server_default="0", nullable=False),
    )
    op.create_index("tracks_by_content", "tracks", ["content_hash"])
    op.create_index("tracks_by_path", "tracks", ["path"])
    op.create_index("tracks_by_revision", "tracks", ["revision"])

    op.create_table(
        "verdicts",
        sa.Column("verdict_id", sa.Text, primary_key=True),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("track", sa.Text, nullable=False),
        sa.Column("seam", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("reviewer", sa.Text, server_default="", nullable=False),
    )
    op.create_index("verdicts_by_song", "verdicts", ["content_hash"])

    op.create_table(
        "videos",
        sa.Column("video_id", sa.Text, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("seconds", sa.Double),
        sa.Column("added_at", sa.Text, nullable=False),
        sa.Column("audio", sa.Text),
    )
    revisions = sa.table("revisions", sa.column("name", sa.Text), sa.column("revision", sa.BigInteger))
    begun = [{"name": "catalog", "revision": 1}, {"name": "created", "revision": time.time_ns() // 1000}]
    op.bulk_insert(revisions, begun)


def downgrade() -> None:
    """Drop them all."""
    for table in (
        "approvals", "comments", "grids", "listening_answers", "listening_tests", "plan_versions", "project_changes",
        "project_fields", "projects", "recordings", "removed_tracks", "revisions", "seam_constraints", "tracks",
        "verdicts", "videos",
    ):  # fmt: skip
        op.drop_table(table)
