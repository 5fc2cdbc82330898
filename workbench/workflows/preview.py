"""Make the preview of a track: its memorable part, from a bar line on, marked, as an MP3."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.media.audio import write_audio
from workbench.recording import TrackSeconds
from workbench.render.preview import preview_of
from workbench.seams.profile import LoopProfile
from workbench.structure.salience import memorable_bars


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview that was written."""

    path: Path
    song_from: TrackSeconds
    song_to: TrackSeconds


def make_preview(workspace: Workspace, track: Path | str, out: Path) -> Preview:
    """Write the preview of a track to an .mp3 file, and return it with the stretch of the track that it holds."""
    profile = analyze(workspace, track).profile
    begin, end = memorable_stretch(profile, workspace.params.preview.seconds)
    marked = preview_of(workspace.load_recording(track), begin, end, workspace.params.preview)
    channels = marked.samples.shape[0]
    write_audio(out, [marked.samples], marked.sample_rate, channels, bit_rate=1000 * workspace.params.preview.kbps)
    return Preview(out, begin, end)


def memorable_stretch(profile: LoopProfile, seconds: float) -> tuple[TrackSeconds, TrackSeconds]:
    """Start and end, track seconds, of what a preview plays, from the bar line that opens the memorable part.

    It has exactly the wanted length, or the track's where that is shorter, so that its length is known before it is
    cut. Without bars it begins with the music.
    """
    length = min(seconds, profile.song_duration)
    begin = profile.song_start
    if profile.bar_lufs.size:
        first, _ = memorable_bars(profile.bar_lufs, profile.form, np.diff(profile.edges), seconds)
        begin = float(profile.downbeats[first])
    begin = max(0.0, min(begin, profile.song_duration - length))
    return begin, begin + length
