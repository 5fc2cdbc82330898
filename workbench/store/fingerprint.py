"""Cache keys of results: the bytes a result was computed from, the stage, its version, and its parameters.

A stage whose code changes its results raises its version. Two keys are equal exactly if the results must be equal. A
grid, which results depend on, too, has a revision.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from workbench.errors import ParameterError

_HASH = re.compile(r"[0-9a-f]{16,128}")
_STAGE = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class CacheKeyPart:
    """A dependency of a result beyond its parameters: a version of code, or a digest of weights or of a correction."""

    name: str
    """unique in a key; results on disk are found by it, so it stays as it is"""
    field: str
    value: str | int


KeyPart: TypeAlias = BaseModel | CacheKeyPart
"""an object of parameters, or something else that a result depends on"""


@dataclass(frozen=True, slots=True)
class StageKey:
    """The cache key of one result: recording, stage, version of the stage, parameters."""

    content_hash: str
    """hash of the media file's bytes, lower-case hex"""
    stage: str
    """name of the stage, such as "beats" """
    version: int
    """of the stage's code"""
    params: str
    """canonical JSON of the parameters, see `canonical_json`"""

    def __post_init__(self) -> None:
        if not _HASH.fullmatch(self.content_hash):
            raise ParameterError(f"a content hash is 16 to 128 lower-case hex digits, got {self.content_hash!r}")
        if not _STAGE.fullmatch(self.stage):
            raise ParameterError(f"a stage is named in lower-case letters, digits and underscores, got {self.stage!r}")
        if self.version < 1:
            raise ParameterError(f"stage versions count from 1, got {self.version}")

    @classmethod
    def of(cls, content_hash: str, stage: str, version: int, *params: KeyPart) -> StageKey:
        """The key of a stage such as "beats", at a version of its code, for media of one content hash.

        `params` are parameter objects and other parts that the result depends on. Raises `ParameterError` if two have
        one name.
        """
        return cls(content_hash, stage, version, canonical_json(*params))

    @property
    def params_digest(self) -> str:
        """SHA-256 of the parameters, 64 hex digits: the same in every process and on every machine."""
        return hashlib.sha256(self.params.encode()).hexdigest()


def canonical_json(*params: KeyPart) -> str:
    """The text of some parameters, the same for equal ones: JSON by name, keys sorted, no blanks, default values
    written out.
    """
    named = dict(_named(part) for part in params)
    if len(named) != len(params):
        raise ParameterError("a stage takes at most one parameter object of each class")
    return json.dumps(named, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _named(part: KeyPart) -> tuple[str, dict[str, Any]]:
    if isinstance(part, CacheKeyPart):
        return part.name, {part.field: part.value}
    return type(part).__name__, part.model_dump(mode="json")


def grid_revision(beats: Sequence[float], positions: Sequence[int], beats_per_bar: int, confidence: float = 1.0) -> str:
    """Digest of a grid, corrected or not, 16 hex digits: equal grids, equal revisions."""
    rounded = [round(float(beat), 6) for beat in beats]
    return hashlib.sha256(grid_text(rounded, positions, beats_per_bar, confidence).encode()).hexdigest()[:16]


def grid_text(beats: Sequence[float], positions: Sequence[int], beats_per_bar: int, confidence: float = 1.0) -> str:
    """A grid as JSON, for storage and for the digest that is its revision. A confidence of 1 is not named."""
    grid = {"beats": list(beats), "positions": list(positions), "beats_per_bar": beats_per_bar}
    if confidence != 1.0:
        grid["confidence"] = confidence
    return json.dumps(grid, separators=(",", ":"), allow_nan=False)
