"""Which video files some browser may play, by container and codec alone.

What only some browsers play, such as HEVC or 4:2:2 pictures, is left to the browser to refuse.

Functions: `is_for_browsers`.
"""

from __future__ import annotations

from pathlib import Path

from workbench.media.containers import open_media, picture_stream

_CONTAINERS = frozenset({"mov", "mp4", "matroska", "webm", "ogg"})
"""of FFmpeg's names of a format"""
_CODECS = frozenset({"h264", "hevc", "av1", "vp8", "vp9", "theora", "mpeg4"})
"""of FFmpeg's names, without a decoder's own, such as `libdav1d`"""


def is_for_browsers(video: Path) -> bool:
    """Whether some browser may play the picture of a file; only its header is read.

    Parameters
    ----------
    video : any file FFmpeg reads

    Returns
    -------
    bool : False for ProRes, DNxHD, MPEG-2 and all else that no browser plays, and for files without a picture

    Raises
    ------
    MediaError : the file cannot be read
    """
    with open_media(video) as container:
        picture = picture_stream(container)
        known = not _CONTAINERS.isdisjoint(container.format.name.split(","))
        return known and picture is not None and picture.codec_context.codec.canonical_name in _CODECS
