"""Make the preview of a track: the part one remembers, as whole bars, marked, as an MP3."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.home import Home
from workbench.loops.profile import LoopProfile
from workbench.media.audio import decode, write_audio
from workbench.params import WorkbenchParams
from workbench.progress import Progress, silent
from workbench.recording import SongSeconds
from workbench.render.preview import preview_of
from workbench.structure.salience import memorable_bars
from workbench.structure.sections import Section
from workbench.workflows.analyze import analyze


@dataclass(frozen=True, slots=True)
class Preview:
    """What was written."""

    path: Path
    song_from: SongSeconds
    song_to: SongSeconds


def make_preview(
    track: Path | str,
    out: Path,
    home: Home | None = None,
    params: WorkbenchParams | None = None,
    progress: Progress = silent,
) -> Preview:
    """Write the preview of a track.

    Parameters
    ----------
    track : its file
    out : an .mp3 file, which appears whole or not at all
    home : whose store is used; None: the one that settings choose
    params : those of `preview` matter, and those of the analysis

    Raises
    ------
    MediaError : the track cannot be read, or the preview not be written
    """
    params = params or WorkbenchParams()
    profile = analyze(track, home, params, progress).profile
    begin, end = memorable_stretch(profile, params.preview.seconds)
    marked = preview_of(decode(Path(track)), begin, end, params.preview)
    channels = marked.samples.shape[0]
    write_audio(out, [marked.samples], marked.sample_rate, channels, bit_rate=1000 * params.preview.kbps)
    return Preview(out, begin, end)


def memorable_stretch(profile: LoopProfile, seconds: float) -> tuple[SongSeconds, SongSeconds]:
    """The stretch that a preview of some length plays: from the bar line that opens the part one remembers.

    It has just that length, or the song's where that is shorter, so that its length is known before it is cut.
    """
    length = min(seconds, profile.song_duration)
    begin = profile.song_start
    if profile.bar_lufs.size:
        lines = np.append(profile.downbeats, max(profile.last_sound, float(profile.downbeats[-1]) + 1e-3))
        sections = tuple(Section(one.first_bar, one.last_bar, one.label, one.group) for one in profile.sections)
        first, _ = memorable_bars(profile.bar_lufs, sections, np.diff(lines), seconds)
        begin = float(lines[first])
    begin = max(0.0, min(begin, profile.song_duration - length))
    return begin, begin + length
