"""What a file is, and how long it truly is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from tests.videos import write_numbered
from workbench.errors import MediaError
from workbench.files import bundled_path
from workbench.media.audio import decode
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

    def test_what_is_no_media(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("no video\n" * 100)
        with pytest.raises(MediaError, match="not readable"):
            probe(tmp_path / "a.txt")


class TestSoundtrackClock:
    """The sound of a video is on the clock of its pictures."""

    @pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
    @pytest.mark.parametrize("sound_from", [0.0, 0.5])
    def test_a_click_is_heard_when_a_player_plays_it(
        self, tmp_path: Path, suffix: str, sound_from: float, video: Callable[..., Path]
    ) -> None:
        recording = decode(video(tmp_path / f"a{suffix}", sound_from=sound_from))
        heard = np.argmax(np.abs(recording.samples[0])) / RATE
        assert heard == pytest.approx(0.5 + sound_from, abs=1e-3)

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

    def test_a_video_without_sound(self, tmp_path: Path, video: Callable[..., Path]) -> None:
        with pytest.raises(MediaError, match="no sound in this file"):
            decode(video(tmp_path / "a.mp4", sound_seconds=None))


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
