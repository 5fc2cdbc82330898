"""The revision of the analysis: a digest of everything that stored answers depend on beside a recording and a request.

That is the version of each stage, the version of each kind of answer, the shipped models and vocabularies, every
parameter, and the version of PyAV, which decodes. Code itself does not count: a changed style sheet leaves stored
answers as they are. A change of what a stage measures raises its version, as for the array store; a change of what is
made of the stages raises one of `ANSWER_VERSIONS`. A test holds digests of each stage's output and of the answers, and
names the version to raise.

A job's process computes the digest once, when it starts, with the imports that its jobs need. HTTP processes, which
import no analysis code, read it from the database, where job processes write it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from workbench.analysis.character import CHARACTER_VERSION
from workbench.analysis.landmarks import LANDMARKS_VERSION
from workbench.analysis.placements import PLACEMENTS_VERSION
from workbench.analysis.track import BEATS_VERSION, EVIDENCE_VERSION, LOOPS_VERSION
from workbench.analysis.video import PICTURE_VERSION, SOUNDTRACK_VERSION, UNUSED_VERSION, VOICES_VERSION
from workbench.params import WorkbenchParams
from workbench.store.fingerprint import canonical_json

STAGE_VERSIONS = {
    "beats": BEATS_VERSION,
    "character": CHARACTER_VERSION,
    "evidence": EVIDENCE_VERSION,
    "landmarks": LANDMARKS_VERSION,
    "loops": LOOPS_VERSION,
    "picture": PICTURE_VERSION,
    "placements": PLACEMENTS_VERSION,
    "soundtrack": SOUNDTRACK_VERSION,
    "unused": UNUSED_VERSION,
    "voices": VOICES_VERSION,
}
"""by the name of the stage in the array store"""
ANSWER_VERSIONS = {"align": 1, "beats": 1, "loop": 2, "match": 1, "mix": 1, "preview": 1}
"""Raise one when the code that makes this kind of answer of the stages changes it: search, mix, ranking, wording."""
_DATA = (("models", (".json", ".npz")), ("matching/language", (".toml",)))  # folders, and what counts in them


@cache
def analysis_revision() -> str:
    """Digest of the analysis that this process has imported; 32 hex digits."""
    # a stage and an answer may have the same name
    stages = {f"stage {name}": known for name, known in STAGE_VERSIONS.items()}
    answers = {f"answer {name}": known for name, known in ANSWER_VERSIONS.items()}
    return revision_of({**stages, **answers, "av": version("av")}, shipped_data(), WorkbenchParams())


def revision_of(versions: Mapping[str, int | str], data: dict[str, bytes], params: WorkbenchParams) -> str:
    """Digest of versions, of the bytes of shipped data, each by name, and of parameters."""
    digest = hashlib.sha256(canonical_json(params).encode())
    for name, known in sorted(versions.items()):
        digest.update(f"\n{name} {known}".encode())
    for name, content in sorted(data.items()):
        digest.update(f"\n{name} {hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()[:32]


def shipped_data() -> dict[str, bytes]:
    """Fitted models and vocabularies that ship with the package, by name."""
    return {
        f"{folder}/{file.name}": file.read_bytes()
        for folder, suffixes in _DATA
        for file in files("workbench").joinpath(folder).iterdir()
        if file.name.endswith(suffixes)
    }
