"""PyMusicLooper's answers, kept between runs: two thirds of the time of `seams`, most of that of `plans`, are its own.

An answer is kept under the hash of what was asked, of the program that asks and of the versions that are installed, so
that a second run, or one that was interrupted, asks only what is new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".venv" / "bench-peers"
VERSIONS = HERE.parents[1] / "requirements" / "peers.lock"


def kept(program: Path, asked: str, compute: Callable[[], Any]) -> Any:
    """What `compute` answered when this was first asked of this program; any JSON."""
    digest = hashlib.sha256()
    for part in (program.read_bytes(), VERSIONS.read_bytes(), asked.encode()):
        digest.update(hashlib.sha256(part).digest())
    path = CACHE / f"{program.stem}-{digest.hexdigest()[:24]}.json"
    if not path.exists():
        answer = compute()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(answer))
        unfinished.rename(path)
    return json.loads(path.read_text())
