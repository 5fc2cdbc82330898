"""Under which key an answer is stored: a hash of all that it depends on, and of nothing else.

Whoever asks for the same bytes under another id, or from another account, finds the same answer; whoever corrects a
grid, updates the package, changes a parameter or adds to the catalog does not find the old one. `revision` is the
digest of every file and parameter of the analysis (`service.jobs.revision`).
"""

from __future__ import annotations

import hashlib


def loop_key(video_hash: str, track_hash: str, grid_revision: str, revision: str) -> str:
    """A loop of a track under a video, without a mix."""
    return _key("loop", video_hash, track_hash, grid_revision, revision)


def align_key(video_hash: str, track_hash: str, grid_revision: str, revision: str) -> str:
    """The placements of a track under a video, without a mix."""
    return _key("align", video_hash, track_hash, grid_revision, revision)


def mix_key(answer_key: str) -> str:
    """The mix that goes with a loop or with placements; its body is `{"mix": …}`, null where none could be measured."""
    return _key("mix", answer_key)


def match_key(video_hash: str, catalog_revision: int, revision: str) -> str:
    """The lane of a video."""
    return _key("match", video_hash, str(catalog_revision), revision)


def beats_key(content_hash: str, grid_revision: str, revision: str) -> str:
    """The grid of a recording."""
    return _key("beats", content_hash, grid_revision, revision)


def _key(kind: str, *parts: str) -> str:
    return f"{kind}:{hashlib.sha256('|'.join(parts).encode()).hexdigest()}"
