"""Which files some browser may play."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from av.video.stream import VideoStream

from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.media.playable import is_for_browsers


@pytest.mark.parametrize(
    ("name", "encoder", "pixels", "plays"),
    [
        ("web.mp4", "libx264", "yuv420p", True),
        ("web.webm", "libvpx-vp9", "yuv420p", True),
        ("cut.mkv", "libx264", "yuv422p10le", True),  # for the browser to refuse
        ("cut.mov", "prores_ks", "yuv422p10le", False),
        ("cut.mp4", "mpeg2video", "yuv420p", False),
        ("camera.avi", "libx264", "yuv420p", False),
        ("broadcast.ts", "mpeg2video", "yuv420p", False),
    ],
)
def test_container_and_codec_decide(tmp_path: Path, name: str, encoder: str, pixels: str, *, plays: bool) -> None:
    video = tmp_path / name
    with av.open(str(video), "w") as out:
        picture = out.add_stream(encoder, rate=25)
        assert isinstance(picture, VideoStream)
        picture.width, picture.height, picture.pix_fmt = 64, 64, pixels
        for at in range(3):
            frame = av.VideoFrame(64, 64, pixels)
            frame.pts = at
            out.mux(picture.encode(frame))
        out.mux(picture.encode(None))
    assert is_for_browsers(video) is plays


def test_sound_is_no_picture(tmp_path: Path) -> None:
    assert not is_for_browsers(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    with pytest.raises(MediaError):
        is_for_browsers(tmp_path / "missing.mp4")
