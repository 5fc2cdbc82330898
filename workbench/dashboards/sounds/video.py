"""The picture of a video as the page shows it: a small copy for browsers that cannot play the file, and a still.

The copy is VP8 in WebM, without sound, which the page plays from elsewhere; its time 0 is the first picture.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.frame import PictureType, VideoFrame
from av.video.stream import VideoStream

from workbench.analysis.workspace import Workspace
from workbench.caches import intact, made, mark_used
from workbench.dashboards.sounds.plan import listening_folder
from workbench.errors import MediaError
from workbench.files import cannot_be_written
from workbench.media.containers import decode_pictures, open_media, picture_stream, upright_size
from workbench.media.playable import is_for_browsers
from workbench.media.probe import first_of, probe
from workbench.media.video import still
from workbench.store.home import Home

MOST_LINES = 480
_BITS_PER_PIXEL = 0.12
_CLOCK = Fraction(1, 1000)
"""s, of WebM"""
_STILL_PIXELS = 240
"""width of the picture by which people know a video in a list"""
_STILL_SHARE = 1.0 / 3.0
"""of the video, at which that picture is taken: past titles, before the end"""


def proxy_file(workspace: Workspace, video: Path) -> Path:
    """A copy of a video's picture that every browser plays, a WebM file, written where it is not there yet."""
    out = listening_folder(workspace.home) / f"{workspace.hash_file(video)[:16]}.proxy.webm"

    def write(aside: Path) -> None:
        try:
            _copy(workspace, video, aside)
        except av.error.FFmpegError as error:
            raise cannot_be_written(out, error) from error

    return mark_used(made(out, write))


def playback_facts(workspace: Workspace, video: Path) -> tuple[str, float, bool]:
    """What a page must know to play a picture: its digest, pictures a second, and whether some browser may play it."""
    return workspace.hash_file(video)[:16], probe(video).fps or 25.0, is_for_browsers(video)


def _copy(workspace: Workspace, video: Path, out: Path) -> None:
    info, first = probe(video), first_of(video)
    if first is None:
        raise MediaError(f"{video.name}: has no picture to show")
    with open_media(video) as source, av.open(str(out), "w", format="webm") as copy:
        picture = picture_stream(source)
        assert picture is not None, "a first picture was found"
        picture.thread_type = "AUTO"
        width, height = _size(*upright_size(first, picture))
        shown = copy.add_stream("libvpx", rate=Fraction(info.fps or 25.0).limit_denominator(1001))
        assert isinstance(shown, VideoStream)
        shown.width, shown.height, shown.pix_fmt = width, height, "yuv420p"
        shown.time_base = shown.codec_context.time_base = _CLOCK
        shown.bit_rate = round(_BITS_PER_PIXEL * width * height * (info.fps or 25.0))
        shown.gop_size = round(info.fps or 25.0)  # a jump costs a second of decoding at most
        shown.options = {"deadline": "realtime", "cpu-used": "8"}
        last, zero = -1, first.time or 0.0
        for stamp, frame in decode_pictures(source, picture):
            seconds = stamp - zero
            at = round(seconds / float(_CLOCK))
            if at <= last:
                continue
            small = _upright(frame, width, height)
            small.pts, small.time_base, small.pict_type = at, _CLOCK, PictureType.NONE
            copy.mux(shown.encode(small))
            last = at
            workspace.progress("making a small copy of the video", min(1.0, seconds / max(1e-3, info.duration)))
        copy.mux(shown.encode(None))


def _upright(frame: VideoFrame, width: int, height: int) -> VideoFrame:
    """A picture of that size, turned as its file states."""
    turns = frame.rotation // 90
    if not turns % 4:
        return frame.reformat(width, height, "yuv420p")
    across, down = (height, width) if turns % 2 else (width, height)
    pixels = np.rot90(frame.reformat(across, down, "rgb24").to_ndarray(), turns)
    return VideoFrame.from_ndarray(np.ascontiguousarray(pixels, dtype=np.uint8), "rgb24").reformat(format="yuv420p")


def _size(width: int, height: int) -> tuple[int, int]:
    """Even, and no higher than `MOST_LINES`."""
    scale = min(1.0, MOST_LINES / height)
    return max(2, 2 * round(width * scale / 2)), max(2, 2 * round(height * scale / 2))


def find_still(home: Home, video: Path) -> Path | None:
    """The picture of a video, where it was made before and the video has not changed since."""
    path = _still_place(home, video)
    return None if path is None else intact(path)


def still_file(workspace: Workspace, video: Path) -> Path | None:
    """The picture of a video as a JPEG file, made where it is not there yet; None if the video is gone."""
    from PIL import Image

    path = _still_place(workspace.home, video)
    if path is None:
        return None

    def write(aside: Path) -> None:
        picture = still(video, _STILL_SHARE * probe(video).duration, _STILL_PIXELS).pixels
        Image.fromarray(picture).save(aside, format="JPEG", quality=80)

    return made(path, write)


def _still_place(home: Home, video: Path) -> Path | None:
    """Where the picture is stored: under a name that follows from the file's, its size and its time."""
    try:
        found = video.stat()
    except OSError:
        return None
    stated = f"{video.absolute()} {found.st_size} {found.st_mtime_ns}"
    return listening_folder(home) / f"{hashlib.sha256(stated.encode()).hexdigest()[:16]}.still.jpg"
