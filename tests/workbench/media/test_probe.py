"""What a file is, how long it truly is, and which files a browser may play."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
from av.video.stream import VideoStream

from tests.videos import write_numbered
from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.media.containers import (
    decode_pictures,
    first_picture,
    open_media,
    picture_stream,
    sound_stream,
    stated_seconds,
    tick_seconds,
    upright_size,
)
from workbench.media.playable import is_for_browsers
from workbench.media.probe import probe
from workbench.media.video import frames
from workbench.workflows.plan import video_length

RATE = 48_000


class TestProbe:
    @pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
    def test_a_video(self, tmp_path: Path, suffix: str, video: Callable[..., Path]) -> None:
        info = probe(video(tmp_path / f"a{suffix}", title="A walk"))
        assert info.duration == pytest.approx(3.0, abs=2e-3)
        assert info.fps == pytest.approx(25.0, abs=0.02)
        assert (info.has_video, info.has_audio, info.width, info.height) == (True, True, 160, 90)
        assert (info.video_codec, info.audio_codec, info.sample_rate, info.channels) == ("h264", "aac", RATE, 2)
        assert info.title == (None if suffix == ".ts" else "A walk")

    @pytest.mark.parametrize(("sound_seconds", "seconds"), [(2.0, 3.0), (3.2, 3.0), (3.3, 3.3), (5.0, 5.0)])
    def test_sound_that_goes_on_after_the_picture_counts_unless_it_is_short(
        self, sound_seconds: float, seconds: float, tmp_path: Path, video: Callable[..., Path]
    ) -> None:
        info = probe(video(tmp_path / "a.mkv", sound_seconds=sound_seconds))
        assert info.duration == pytest.approx(seconds, abs=0.03)
        assert info.audio_duration == pytest.approx(sound_seconds, abs=0.03)
        assert info.fps == pytest.approx(25.0, abs=0.02)

    def test_a_cut_file_is_as_long_as_what_is_left(
        self, tmp_path: Path, video: Callable[..., Path], caplog: pytest.LogCaptureFixture
    ) -> None:
        whole = video(tmp_path / "a.mkv", pictures=250, sound_seconds=10.0).read_bytes()
        (tmp_path / "cut.mkv").write_bytes(whole[: len(whole) // 2])
        with av.open(str(tmp_path / "cut.mkv")) as container:
            assert (container.duration or 0) / av.time_base == pytest.approx(
                10.0, abs=0.1
            )  # what the header still says
        assert not caplog.messages
        left = [picture.video_s for picture in frames(tmp_path / "cut.mkv")]
        assert probe(tmp_path / "cut.mkv").duration == pytest.approx(left[-1] + 0.04, abs=0.05)
        assert "cut.mkv: the file is cut short, only 50 % of it" in caplog.text

    def test_a_picture_without_a_decoder_is_not_taken_for_sound_alone(self, tmp_path: Path) -> None:
        path = write_numbered(tmp_path / "a.avi", 25, sound="pcm_s16le")
        assert not probe(path).lacks_decoder
        path.write_bytes(path.read_bytes().replace(b"H264", b"ZZZZ"))
        assert (probe(path).has_video, probe(path).lacks_decoder) == (False, True)
        with pytest.raises(MediaError, match="its picture cannot be decoded; convert it"):
            video_length(path)

    def test_a_silent_video(self, tmp_path: Path, video: Callable[..., Path]) -> None:
        info = probe(video(tmp_path / "a.mp4", sound_seconds=None))
        assert (info.has_audio, info.audio_codec, info.sample_rate, info.audio_duration) == (False, None, None, None)

    def test_pixels_that_are_not_square(self, tmp_path: Path, video: Callable[..., Path]) -> None:
        info = probe(video(tmp_path / "a.mp4", size=(180, 144), aspect=Fraction(16, 15)))
        assert (info.width, info.height) == (192, 144)

    @pytest.mark.parametrize(("name", "subtype"), [("a.wav", "PCM_16"), ("a.flac", "PCM_16"), ("a.ogg", "VORBIS")])
    def test_sound_alone_to_the_sample(self, tmp_path: Path, name: str, subtype: str) -> None:
        sound = np.random.default_rng(0).standard_normal((30_001, 2)) * 0.1
        soundfile.write(tmp_path / name, sound, 22_050, subtype=subtype)
        info = probe(tmp_path / name)
        assert info.duration == pytest.approx(30_001 / 22_050, abs=1e-4)
        assert (info.has_video, info.width, info.fps, info.video_codec) == (False, None, None, None)

    def test_mp3_without_its_padding(self, tmp_path: Path) -> None:
        soundfile.write(tmp_path / "a.mp3", np.zeros((44_100, 1)), 22_050, format="MP3")
        assert probe(tmp_path / "a.mp3").duration == pytest.approx(2.0, abs=1e-3)


class TestSoundtrackClock:
    """The sound of a video is on the clock of its pictures."""

    def test_sound_before_the_first_picture_is_cut_off(self, tmp_path: Path, video: Callable[..., Path]) -> None:
        path = video(tmp_path / "a.mp4", sound_from=0.0)
        late = tmp_path / "late.mkv"
        with av.open(str(path)) as source, av.open(str(late), "w") as target:
            streams = {stream.index: target.add_stream_from_template(stream) for stream in source.streams}
            for packet in source.demux():
                if packet.pts is None or packet.dts is None or packet.time_base is None:
                    continue
                stream = packet.stream
                if stream.type == "video":
                    shift = round(Fraction(1, 5) / packet.time_base)  # the picture starts 0.2 s after the sound
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                packet.stream = streams[stream.index]
                target.mux(packet)
        recording = decode(late)
        assert np.argmax(np.abs(recording.samples[0])) / RATE == pytest.approx(0.3, abs=2e-3)


class TestMeasuredOnce:
    def test_a_file_that_stays_is_measured_once(self) -> None:
        path = bundled_path("data", "bundled", "music", "corner_store.ogg")
        assert probe(path) is probe(path)

    def test_a_file_that_is_written_anew_is_measured_anew(self, tmp_path: Path) -> None:
        path, lengths = tmp_path / "a.wav", []
        for seconds in (1, 2, 3, 4):
            soundfile.write(path, np.full(seconds * RATE, 0.1), RATE)
            lengths.append(round(probe(path).duration))
        assert lengths == [1, 2, 3, 4]


def test_a_video_has_a_picture_and_a_sound_and_a_sound_file_no_picture(
    tmp_path: Path, video: Callable[..., Path]
) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(4410), 44_100)
    with open_media(video(tmp_path / "a.mp4")) as container:
        assert picture_stream(container) is not None
        assert sound_stream(container) is not None
    with open_media(tmp_path / "a.wav") as container:
        assert picture_stream(container) is None
        assert sound_stream(container) is not None


def test_pictures_come_in_the_order_in_which_they_are_shown(tmp_path: Path, video: Callable[..., Path]) -> None:
    path = video(tmp_path / "a.mp4", pictures=30, aspect=Fraction(2, 1))
    with open_media(path) as container:
        stream = picture_stream(container)
        assert stream is not None
        times = [time for time, _ in decode_pictures(container, stream)]
    assert times == pytest.approx([k / 25 for k in range(30)], abs=1e-3)
    with open_media(path) as container:
        stream = picture_stream(container)
        assert stream is not None
        first = first_picture(container, stream)
        assert first is not None
        assert first.time == 0.0
        assert upright_size(first, stream) == (320, 90), "twice as wide in square pixels"
        tick = tick_seconds(stream)
        assert tick is not None
        assert 0 < tick < Fraction(1, 25)


def test_only_a_file_that_was_cut_states_more_than_it_holds(tmp_path: Path) -> None:
    for name in ("a.wav", "a.flac"):
        path = tmp_path / name
        soundfile.write(path, np.random.default_rng(0).uniform(-0.5, 0.5, 12_000), 8000)
        for share in (1.0, 0.5):
            path.write_bytes(path.read_bytes()[: round(share * path.stat().st_size)])
            with open_media(path) as container:
                stream = sound_stream(container)
                assert stream is not None
                stated = stated_seconds(container, stream, path, share * 1.5)
            assert stated == (None if share == 1.0 and name != "a.flac" else pytest.approx(1.5, rel=0.01))


def test_what_cannot_be_opened_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXTINF:1,\nother.ts\n")
    (tmp_path / "text.txt").write_text("a text of no format at all\n" * 50)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name, why in (
        ("none.wav", "no such file"),
        ("empty.wav", "the file is empty"),
        (".", "a folder, not a media file"),
        ("pipe", "not a regular file"),
        ("endless", "not a regular file"),
        ("list.m3u8", "not readable as audio or video"),
        ("text.txt", "not readable as audio or video"),
    ):
        with pytest.raises(MediaError, match=why) as caught, open_media(tmp_path / name):
            pass
        assert "\n" not in str(caught.value)


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
