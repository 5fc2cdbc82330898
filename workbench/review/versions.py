"""Frozen versions of a plan: copies that nothing changes any more, for reviewers to speak about and to be shown.

A version holds the plan with its fades and gains, its mix and its provenance, as the command line prints them. Plans
that sound the same are one version, however often they are frozen. The versions of one track under one video
belong together; they are counted from 1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select
from ulid import ULID

from workbench.analysis.provenance import Provenance, read_provenance
from workbench.analysis.workspace import Workspace
from workbench.errors import InputError, ParameterError
from workbench.params import RenderParams
from workbench.plans.plan import LoopPlan
from workbench.results.mix import MixBody
from workbench.results.plan import mix_from_json, plan_from_json
from workbench.store.database import now, plan_versions
from workbench.workflows.plan import Planned, planned_json

# Parameters of rendering that change the sound of a mix
_DUCKING = ("ducking", "speech_band_depth", "other_bands_depth", "other_bands_gap_db")


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """A frozen copy of a plan."""

    version_id: str
    subject: str
    """digest of track and video, hex"""
    digest: str
    """of everything audible: plan, fades and mix, hex"""
    content_hash: str
    """SHA-256 of the track's bytes"""
    track: str
    """its name"""
    track_path: str
    video_path: str | None
    body: str
    """JSON as the command line prints a plan, with mix and provenance"""
    at: str
    """ISO 8601, UTC"""


@dataclass(frozen=True, slots=True)
class VersionName:
    """What a version is called by, without the plan, which is long."""

    version_id: str
    digest: str
    content_hash: str
    track: str
    at: str


@dataclass(frozen=True, slots=True)
class FrozenPlan:
    """A version, read."""

    version: PlanVersion
    number: int  # among the versions of its track under its video, from 1
    plan: LoopPlan
    mix: MixBody | None
    provenance: Provenance | None

    def render_params(self, params: RenderParams) -> RenderParams:
        """Parameters under which it sounds as when it was frozen; all others are those of `params`."""
        if self.provenance is None:
            return params
        return params.model_copy(update=_ducking(self.provenance.params.get("render")))

    @property
    def track(self) -> Path:
        """The file that was planned; it may have gone since."""
        return Path(self.version.track_path)

    @property
    def video(self) -> Path | None:
        """None where only a length was planned for."""
        return None if self.version.video_path is None else Path(self.version.video_path)


def subject_of(content_hash: str, video_hash: str | None, seconds: float) -> str:
    """The digest that versions of one track under one video share, 64 hex digits, from the hashes of both.

    The length counts only without a video.
    """
    under = video_hash if video_hash is not None else f"{seconds:.3f} s"
    return hashlib.sha256(f"{content_hash}\n{under}".encode()).hexdigest()


def loop_subject(workspace: Workspace, loop: Planned) -> str:
    """The subject of a loop with a plan; hashes the video where the loop's provenance does not hold its hash."""
    assert loop.analysis is not None, "a plan comes from an analysis"
    video_hash = None
    if loop.video is not None:
        record = None if loop.provenance is None else loop.provenance.video
        video_hash = (None if record is None else record.content_hash) or workspace.hash_file(loop.video)
    return subject_of(loop.analysis.content_hash, video_hash, loop.video_seconds)


def freeze_plan(workspace: Workspace, loop: Planned) -> PlanVersion:
    """The version of a plan's option in use: an existing one that sounds the same, else a new one.

    Raises `ParameterError` for a refusal.
    """
    alone = _alone(loop)
    assert alone.analysis is not None, "a plan comes from an analysis"
    subject, body = loop_subject(workspace, loop), planned_json(alone)
    version = PlanVersion(
        version_id=f"pv_{ULID()}",
        subject=subject,
        digest=_digest(body),
        content_hash=alone.analysis.content_hash,
        track=loop.track.title,
        track_path=str(loop.track.path.absolute()),
        video_path=None if loop.video is None else str(loop.video.absolute()),
        body=json.dumps(body, ensure_ascii=False),
        at=now(),
    )
    with workspace.database.write() as connection:
        same = same_version(connection, subject, version.digest)
        if same is None:
            connection.execute(plan_versions.insert().values(asdict(version)))
        return same or version


def find_version(workspace: Workspace, loop: Planned) -> PlanVersion | None:
    """The version that sounds like a plan, None where it was not frozen; raises `ParameterError` for a refusal."""
    subject, digest = loop_subject(workspace, loop), _digest(planned_json(_alone(loop)))
    with workspace.database.read() as connection:
        return same_version(connection, subject, digest)


def get_version(connection: Connection, version_id: str) -> PlanVersion:
    """A version by its id; InputError if there is none."""
    row = connection.execute(select(plan_versions).where(plan_versions.c.version_id == version_id)).first()
    if row is None:
        raise InputError(f"there is no version {version_id} of a plan")
    return PlanVersion(*row)


def same_version(connection: Connection, subject: str, digest: str) -> PlanVersion | None:
    """The version of a subject that sounds the same; None where there is none."""
    same = select(plan_versions).where(plan_versions.c.subject == subject, plan_versions.c.digest == digest)
    row = connection.execute(same).first()
    return None if row is None else PlanVersion(*row)


def version_names(
    connection: Connection, subject: str | None = None, content_hash: str | None = None
) -> list[VersionName]:
    """The versions of a subject or of a track by name, oldest first."""
    columns = (plan_versions.c[name] for name in VersionName.__slots__)
    query = select(*columns).order_by(plan_versions.c.version_id)
    if subject is not None:
        query = query.where(plan_versions.c.subject == subject)
    if content_hash is not None:
        query = query.where(plan_versions.c.content_hash == content_hash)
    return [VersionName(*row) for row in connection.execute(query)]


def thaw(workspace: Workspace, version_id: str) -> FrozenPlan:
    """Read a version by its id.

    Raises `InputError` if there is none, and `PlanError` if a newer program made it.
    """
    with workspace.database.read() as connection:
        version = get_version(connection, version_id)
        others = version_names(connection, version.subject)
    body = json.loads(version.body)
    number = 1 + [one.version_id for one in others].index(version.version_id)
    return FrozenPlan(version, number, plan_from_json(body), mix_from_json(body), read_provenance(body))


def has_its_video(workspace: Workspace, frozen: FrozenPlan) -> bool:
    """Whether the video of a version is still the one that it was planned under, byte for byte.

    A version that was planned for a length alone has none. Raises `MediaError` if the video is gone.
    """
    if frozen.video is None:
        return False
    video_hash = workspace.hash_file(frozen.video)
    return frozen.version.subject == subject_of(frozen.version.content_hash, video_hash, 0.0)


def _alone(loop: Planned) -> Planned:
    """The loop without its other options: they are not what is reviewed."""
    if not isinstance(loop.answer, LoopPlan):
        raise ParameterError("there is no plan to freeze: the track was refused under this video")
    return replace(loop, answer=loop.answer.alone)


def _ducking(recorded: object) -> dict[str, Any]:
    """What decides how a mix is ducked, of the parameters of rendering that a provenance records."""
    given = recorded if isinstance(recorded, Mapping) else {}
    default = RenderParams()
    return {name: given.get(name, getattr(default, name)) for name in _DUCKING}


def _digest(body: Mapping[str, Any]) -> str:
    """Digest of what sounds: equal for equal plans, fades and mixes; 16 hex digits."""
    sounding = {name: body.get(name) for name in ("plan", "mix")}
    made = read_provenance(body)
    ducking = _ducking(None if made is None else made.params.get("render"))
    if ducking["ducking"] != RenderParams().ducking and body.get("mix"):  # as versions of before have it
        sounding["ducking"] = ducking
    text = json.dumps(sounding, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
