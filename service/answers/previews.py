"""Previews: a short-lived link to an excerpt of each track, for accounts that have the grant."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from service import signed_links
from service.answers.answer import Call
from workbench.params import PreviewParams
from workbench.store.clock import utc_now

_LONGEST_SECONDS = PreviewParams().seconds
_USE_SECONDS = 86_400.0  # between two records of a preview's use: most plays then write nothing


def links(connection: Connection, call: Call, lane: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """Newly signed preview links of a stored lane, pool included, by `track_id`; None if the account has no grant.

    The transaction has to be one that writes, because the secret of the links may have to be created.
    """
    if not call.caller.preview:
        return None
    secret = signed_links.link_secret(connection, call.settings)
    expires = utc_now().replace(microsecond=0) + timedelta(seconds=call.settings.preview_seconds)
    tracks = [*lane.get("matches", ()), *lane.get("candidate_pool", ())]
    return {track["track_id"]: _preview(call, secret, track, expires) for track in tracks}


def file_name(audio_id: str, grid_revision: str, revision: str) -> str:
    """The file name of an excerpt, which changes with a corrected grid and with the analysis."""
    digest = hashlib.sha256(f"{grid_revision}|{revision}".encode()).hexdigest()
    return f"{audio_id}-{digest[:16]}.mp3"


def record_play(preview: Path) -> bool:
    """Set the access time of a preview, so that the sweep leaves it; False if the file does not exist."""
    try:
        found, now = preview.stat(), time.time_ns()
        if max(found.st_atime, found.st_mtime) < now / 1e9 - _USE_SECONDS:
            os.utime(preview, ns=(now, found.st_mtime_ns))
    except OSError:  # deleted, owned by another user, or on a read-only file system
        return preview.is_file()
    return True


def _preview(call: Call, secret: str, track: Mapping[str, Any], expires: datetime) -> dict[str, Any]:
    path = f"/previews/{track['audio_id']}.mp3"
    return {
        "url": f"{call.base_url()}{path}?{signed_links.signed_query(secret, path, int(expires.timestamp()))}",
        "expires_at": expires.isoformat().replace("+00:00", "Z"),
        "format": "mp3",
        "duration_seconds": round(min(_LONGEST_SECONDS, track.get("duration_seconds", _LONGEST_SECONDS)), 6),
    }
