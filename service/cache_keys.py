"""The keys of stored answers: a hash of everything that an answer depends on, and of nothing else.

A request for the same bytes under another id, or from another account, finds the same answer. After a grid has been
corrected, a stage or a parameter changed or the catalog extended, the old answer is not found. `revision` is that of
the analysis (`service.jobs.revision`).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache


def loop_key(video_hash: str, track_hash: str, grid_revision: str, revision: str) -> str:
    """The key of a loop of a track under a video, without a mix.

    Hashes are the SHA-256 of the files' bytes, in hex; `revision` is that of the analysis. `grid_revision` is empty if
    no beat grid was corrected by hand.
    """
    return _key("loop", video_hash, track_hash, grid_revision, revision)


def align_key(video_hash: str, track_hash: str, grid_revision: str, revision: str) -> str:
    """The key of the placements of a track under a video, without a mix."""
    return _key("align", video_hash, track_hash, grid_revision, revision)


def mix_key(answer_key: str) -> str:
    """The key of the mix of a loop or of placements; its body is `{"mix": …}`, null if it could not be measured."""
    return _key("mix", answer_key)


def match_key(video_hash: str, catalog_revision: int, revision: str, brief: str | None = None) -> str:
    """The key of a video's lane; `catalog_revision` is that of `workbench.store.catalog_revision`."""
    asked = () if brief is None else (brief,)
    return _key("match", video_hash, str(catalog_revision), revision, *asked)


def waiting_match_key(video_id: str, brief: str | None) -> str:
    """The key of a lane whose video is still being ingested: nothing is stored under it."""
    return f"match:{video_id}" if brief is None else _key("match", video_id, brief)


def beats_key(content_hash: str, grid_revision: str, revision: str) -> str:
    """The key of a recording's beat grid."""
    return _key("beats", content_hash, grid_revision, revision)


@lru_cache(maxsize=1024)  # calls on the same video and track ask for the same
def _key(kind: str, *parts: str) -> str:
    return f"{kind}:{hashlib.sha256('|'.join(parts).encode()).hexdigest()}"
