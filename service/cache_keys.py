"""The keys of stored answers: a hash of everything that an answer depends on, and of nothing else.

A request for the same bytes under another id, or from another account, finds the same answer. After a grid has been
corrected, the package updated, a parameter changed or the catalog extended, the old answer is not found. `revision` is
that of the analysis (`analysis_revision`).
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path


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


def match_key(video_hash: str, catalog_revision: int, revision: str) -> str:
    """The key of a video's lane; `catalog_revision` counts the changes of the catalog (`workbench.store.changes`)."""
    return _key("match", video_hash, str(catalog_revision), revision)


def beats_key(content_hash: str, grid_revision: str, revision: str) -> str:
    """The key of a recording's beat grid."""
    return _key("beats", content_hash, grid_revision, revision)


@lru_cache(maxsize=1024)  # calls on the same video and track ask for the same
def _key(kind: str, *parts: str) -> str:
    return f"{kind}:{hashlib.sha256('|'.join(parts).encode()).hexdigest()}"


@cache
def analysis_revision() -> str:
    """Digest of the analysis that this process has imported; 32 hex digits."""
    import workbench
    from workbench.params import WorkbenchParams
    from workbench.store.fingerprint import canonical_json

    package = files_digest(Path(workbench.__file__).parent)
    parts = (version("barline-workbench"), package, canonical_json(WorkbenchParams()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def files_digest(folder: Path) -> str:
    """SHA-256, in hex, of the names and bytes of all files below a folder, except Python's compiled files."""
    digest = hashlib.sha256()
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for name in sorted(files):
        if "__pycache__" not in name:
            digest.update(f"{name} {hashlib.sha256(files[name].read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
