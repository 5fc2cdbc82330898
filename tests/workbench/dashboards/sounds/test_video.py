"""A copy of a video's picture that every browser plays."""

from __future__ import annotations

from pathlib import Path

import av
import pytest

from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.video import MOST_LINES, playback_facts, proxy_file
from workbench.errors import MediaError
from workbench.media.containers import decode_pictures, open_media, picture_stream
from workbench.media.probe import probe


def drawn(out: Path, seconds: float = 2.0, size: str = "1280x720") -> Path:
    """A test picture at 25 a second, as a browser does not play it: MPEG-2 in an MPEG transport stream."""
    with (
        av.open(f"testsrc2=size={size}:rate=25,trim=duration={seconds},format=yuv420p", format="lavfi") as source,
        av.open(str(out), "w") as video,
    ):
        picture = video.add_stream("mpeg2video", rate=25)
        picture.width, picture.height, picture.pix_fmt = source.streams.video[0].width, 720, "yuv420p"
        for frame in source.decode(video=0):
            video.mux(picture.encode(frame))
        video.mux(picture.encode(None))
    return out


def times(video: Path) -> list[float]:
    """When the pictures of a video are shown, s."""
    with open_media(video) as container:
        stream = picture_stream(container)
        assert stream is not None
        return [seconds for seconds, _ in decode_pictures(container, stream)]


def test_a_proxy_has_every_picture_at_its_time_and_few_lines(workspace: Workspace, tmp_path: Path) -> None:
    video = drawn(tmp_path / "broadcast.ts")
    proxy = proxy_file(workspace, video)
    meant = times(video)
    assert meant[0] > 0.0, "what is not at the start is moved there"
    assert times(proxy) == pytest.approx([at - meant[0] for at in meant], abs=0.002)
    with av.open(str(proxy)) as copy:
        (stream,) = copy.streams.video
        assert (stream.codec_context.name, stream.width, stream.height) == ("vp8", 854, MOST_LINES)


def test_a_proxy_is_made_once_and_below_the_home(workspace: Workspace, tmp_path: Path) -> None:
    video = drawn(tmp_path / "broadcast.ts", 0.5)
    proxy = proxy_file(workspace, video)
    made = proxy.stat().st_ino
    assert proxy.is_relative_to(workspace.home.renders)
    assert proxy_file(workspace, video).stat().st_ino == made
    digest, fps, for_browsers = playback_facts(workspace, video)
    assert not for_browsers
    assert proxy.name.startswith(digest)
    assert fps == probe(video).fps


def test_a_track_has_no_picture_to_copy(workspace: Workspace, track: Path) -> None:
    with pytest.raises(MediaError):
        proxy_file(workspace, track)
    assert not list(workspace.home.renders.rglob("*.webm"))
