"""A video as match, align and reports read it: its facts, its picture and its sound."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.recording import VideoSeconds
from workbench.video.picture import Picture
from workbench.video.soundtrack import Soundtrack


@dataclass(frozen=True, slots=True, eq=False)
class VideoAnalysis:
    """One video, measured: what matching, alignment and reports read instead of the file."""

    content_hash: str
    """SHA-256 of the file's bytes"""
    title: str
    """from the container's metadata, else the file's name"""
    duration: VideoSeconds
    """measured, not read from the header"""
    width: int
    """pixels as displayed"""
    height: int
    fps: float
    """mean pictures a second"""
    picture: Picture
    soundtrack: Soundtrack
    """classified `none` where the video has no audio stream"""
