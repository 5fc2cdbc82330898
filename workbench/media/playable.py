"""Which video files some browser may play, by container and codec alone.

What only some browsers play, such as HEVC or 4:2:2 pictures, is left to the browser to refuse.
"""

from __future__ import annotations

from pathlib import Path

from workbench.media.containers import open_media, picture_stream

_CONTAINERS = frozenset({"mov", "mp4", "matroska", "webm", "ogg"})  # of FFmpeg's names of a format
# FFmpeg's names of codecs, without a decoder's own, such as `libdav1d`
_CODECS = frozenset({"h264", "hevc", "av1", "vp8", "vp9", "theora", "mpeg4"})


def is_for_browsers(video: Path) -> bool:
    """Whether some browser may play the picture of a file; only its header is read.

    None plays ProRes, DNxHD or MPEG-2. False too for files without a picture.
    """
    with open_media(video) as container:
        picture = picture_stream(container)
        known = not _CONTAINERS.isdisjoint(container.format.name.split(","))
        return known and picture is not None and picture.codec_context.codec.canonical_name in _CODECS
