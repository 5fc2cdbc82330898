"""The revision of the analysis: one digest of everything that its results depend on.

That is every file of the `workbench` package, code and shipped data alike (fitted models, reference catalogs, network
weights, lexica), the release, and every parameter. It covers more than it must: a change to a file that no result
depends on also makes stored answers unreachable. That is the price of a rule that cannot miss anything. Measurements of
a recording have keys of their own (`workbench.store`), so after an update answers are computed anew, mostly from stored
measurements.

A process computes the digest once, when it starts: a few milliseconds for a few megabytes. HTTP processes, which import
no analysis code, read it from the database, where job processes write it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path


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
