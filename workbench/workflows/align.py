"""Place a track under a video by its landmarks and the events of the video, each found once for all placements.

A video that was analysed before is not measured again; placing reads a few hundred numbers. The mix of an alignment
does not depend on where the track is placed: it takes the music at its integrated loudness throughout.

Functions: `align_track` for all of it; `mix_beside`; `align_json`, the result as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.align.landmarks import Landmarks
from workbench.align.placements import Placement, place
from workbench.analysis.landmarks import track_landmarks, track_level
from workbench.analysis.provenance import grid_record, make_provenance, with_provenance
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import Sound, beat_stage
from workbench.analysis.video import video_events
from workbench.analysis.workspace import Workspace
from workbench.media.probe import read_tags
from workbench.mix.balance import plan_mix
from workbench.recording import VideoSeconds
from workbench.results.align import align_result
from workbench.results.mix import mix_body
from workbench.video.events import Events
from workbench.workflows.mix import measure_soundtrack

if TYPE_CHECKING:
    from workbench.mix.balance import Mix


@dataclass(frozen=True, slots=True)
class Alignment:
    """One track under one video."""

    track: TrackSource
    video: Path
    landmarks: Landmarks
    events: Events
    placements: tuple[Placement, ...]  # best first; none where nothing ever coincides
    mix: Mix | None  # only where it was asked for


def align_track(
    workspace: Workspace,
    track: TrackSource | Path | str,
    video: Path | str,
    *,
    auto_mix: bool = False,
) -> Alignment:
    """Find where a track can be placed under a video; `auto_mix` also measures the soundtrack and the ducking.

    Raises `MediaError` if track or video cannot be read.
    """
    if not isinstance(track, TrackSource):
        track = TrackSource(Path(track).name, Path(track), None)
    video = Path(video)
    events = video_events(workspace, video)
    landmarks = track_landmarks(workspace, track.path)
    workspace.progress("placing", 0.0)
    placements = place(landmarks, events, workspace.params.align)
    workspace.progress("placing", 1.0)
    mix = mix_beside(workspace, track.path, video, events.video_seconds) if auto_mix else None
    return Alignment(track, video, landmarks, events, placements, mix)


def align_json(workspace: Workspace, alignment: Alignment, video_id: str | None = None) -> dict[str, Any]:
    """The JSON of an alignment that was just computed, as the command line prints it, with its provenance.

    Without a `video_id` the video is named by its file's name.
    """
    mix = None
    if alignment.mix is not None:
        mix = mix_body(alignment.mix)
    body = align_result(
        ((found.offset_seconds, found.score, found.label) for found in alignment.placements),
        video_id=video_id or alignment.video.name,
        track_id=alignment.track.track_id,
        cached=False,
        mix=mix,
    )
    sound = Sound(workspace, alignment.track.path)
    provenance = make_provenance(
        workspace,
        "align",
        ("beats", "loops", "landmarks", "picture", "soundtrack"),
        track=alignment.track.path,
        video=alignment.video,
        grid=grid_record(beat_stage(sound).grid, sound.correction),
        constraints={"auto_mix": alignment.mix is not None},
    )
    track = alignment.track
    title, artist = (None, None) if track.record is None else (track.record.title, track.record.artist_name)
    if track.record is None:
        title, artist = read_tags(track.path)
    named = {"title": title or track.title, "artist_name": artist or "", "path": str(track.path)}
    return with_provenance(body.to_json() | named, provenance)


def mix_beside(workspace: Workspace, track: Path, video: Path, video_seconds: VideoSeconds) -> Mix:
    """Levels and ducking for a track under a video, wherever it is placed."""
    soundtrack = measure_soundtrack(workspace, video)
    music = track_level(workspace, track, video_seconds)
    return plan_mix(soundtrack, music, video_seconds, workspace.params)
