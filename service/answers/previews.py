"""Previews: a short-lived link to an excerpt of each track, for accounts that were granted them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from service.answers.answer import Call
from service.auth import signatures
from workbench.params import PreviewParams

_LONGEST_SECONDS = PreviewParams().seconds


def links(connection: Connection, call: Call, lane: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """The preview of each track of a stored lane, signed anew; None for an account without the grant."""
    if not call.caller.preview:
        return None
    secret = signatures.link_secret(connection, call.settings)
    expires = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=call.settings.preview_seconds)
    tracks = [*lane.get("matches", ()), *lane.get("candidate_pool", ())]
    return {track["track_id"]: _preview(call, secret, track, expires) for track in tracks}


def file_name(audio_id: str, grid_revision: str, revision: str) -> str:
    """Under which name an excerpt is kept: another one when the grid, a parameter or the analysis changes."""
    digest = hashlib.sha256(f"{grid_revision}|{revision}".encode()).hexdigest()
    return f"{audio_id}-{digest[:16]}.mp3"


def _preview(call: Call, secret: str, track: Mapping[str, Any], expires: datetime) -> dict[str, Any]:
    path = f"/previews/{track['audio_id']}.mp3"
    return {
        "url": f"{call.base_url}{path}?{signatures.query(secret, path, int(expires.timestamp()))}",
        "expires_at": expires.isoformat().replace("+00:00", "Z"),
        "format": "mp3",
        "duration_seconds": round(min(_LONGEST_SECONDS, track.get("duration_seconds", _LONGEST_SECONDS)), 6),
    }
