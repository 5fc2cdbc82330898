"""Clocks that begin again go on, gaps stay gaps, and pictures without times of display come in their order."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from tests.videos import read_numbers, write_divx, write_numbered, write_pictures
from workbench.media.audio import decode, decode_blocks
from workbench.media.containers import open_media, packets, picture_stream
from workbench.media.probe import probe
from workbench.media.sound_streams import SoundChoice
from workbench.media.video import frames, still


def joined(path: Path, *parts: Path) -> Path:
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


def shown(path: Path) -> list[float]:
    """Video times of all pictures."""
    return [picture.video_s for picture in frames(path, width=16)]


def time_stamps(path: Path) -> list[tuple[int, int]]:
    """Decoding time and time of display of the packets of the picture, ticks."""
    with open_media(path) as container:
        stream = picture_stream(container)
        assert stream is not None
        found = [packet for packet in packets(container, stream) if packet.size]
        return [(one.dts, one.pts) for one in found if one.dts is not None and one.pts is not None]


def clicks(path: Path) -> list[float]:
    """Video times of the clicks."""
    sound = decode(path)
    loud = np.flatnonzero(np.abs(sound.samples[0]) > 0.3) / sound.sample_rate
    return [float(at) for before, at in pairwise([-1.0, *loud]) if at - before > 0.1]


@pytest.mark.parametrize(
    ("suffix", "second_from", "codec", "sound"),
    [
        (".ts", 0.0, "libx264", "aac"),
        (".ts", 5000.0, "libx264", "aac"),
        (".ts", 95_441.0, "libx264", "aac"),  # where the 33 bits of MPEG's clock end
        (".m2ts", 0.0, "libx264", "ac3"),
        (".vob", 0.0, "mpeg2video", "mp2"),
        (".mpg", 700.0, "mpeg2video", "mp2"),
    ],
)
def test_joined_recordings_go_on_with_picture_and_sound_in_step(
    suffix: str, second_from: float, codec: str, sound: str, tmp_path: Path
) -> None:
    one = write_numbered(tmp_path / f"one{suffix}", 75, codec=codec, sound=sound)
    two = write_numbered(tmp_path / f"two{suffix}", 100, first=75, codec=codec, sound=sound, from_s=second_from)
    path = joined(tmp_path / f"joined{suffix}", one, two, one)
    times = shown(path)
    assert len(times) == 250
    assert np.diff(times) == pytest.approx(0.04, abs=0.041)
    begins = [times[number] for number in range(12, 250, 25)]
    assert clicks(path) == pytest.approx(begins, abs=0.03)
    assert probe(path).duration == pytest.approx(10.0, abs=0.15)


def test_a_still_of_a_joined_recording_is_of_its_time(tmp_path: Path) -> None:
    one = write_numbered(tmp_path / "one.ts", 75)
    two = write_numbered(tmp_path / "two.ts", 100, first=75)
    path = joined(tmp_path / "joined.ts", one, two)
    for number in (20, 74, 75, 120, 174):
        picture = still(path, number / 25 + 0.01, 128)
        assert picture.video_s == pytest.approx(number / 25, abs=0.002)
        bits = picture.pixels[48, 8:128:16, 0] > 128
        assert sum(int(bit) << place for place, bit in enumerate(bits)) == number


def test_a_part_waits_for_the_longest_stream_of_the_one_before_it(tmp_path: Path) -> None:
    one = write_numbered(tmp_path / "one.ts", 75, sound_seconds=5.0)
    silent = write_numbered(tmp_path / "silent.ts", 50, sound=None)
    two = write_numbered(tmp_path / "two.ts", 50)
    path = joined(tmp_path / "joined.ts", one, silent, two)
    times = shown(path)
    assert [times[0], times[75], times[125]] == pytest.approx([0.0, 5.0, 7.0], abs=0.05)
    assert clicks(path) == pytest.approx([0.48, 1.48, 2.48, 3.48, 4.48, times[137], times[162]], abs=0.03)


def test_one_recording_over_the_end_of_mpegs_clock_is_one(tmp_path: Path) -> None:
    path = write_numbered(tmp_path / "a.ts", 150, from_s=95_441.0)
    assert shown(path) == pytest.approx([k / 25 for k in range(150)], abs=1e-3)
    assert clicks(path) == pytest.approx([k + 0.48 for k in range(6)], abs=0.03)


def test_gaps_stay_gaps(tmp_path: Path) -> None:
    """A still of 20 s under sound that goes on, and in Matroska one of an hour without sound."""
    for name, seconds, sound in (("a.ts", 20.0, True), ("a.mkv", 3600.0, False)):
        with av.open(str(tmp_path / name), "w") as container:
            picture = container.add_stream("libx264", rate=25)
            picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
            audio = container.add_stream("mp2", rate=48_000, layout="mono") if sound else None
            for number in range(50):
                frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")
                frame.pts, frame.time_base = number + (25 * round(seconds) if number > 24 else 0), Fraction(1, 25)
                container.mux(picture.encode(frame))
            container.mux(picture.encode(None))
            if audio is not None:
                silence = av.AudioFrame.from_ndarray(np.zeros((1, 22 * 48_000), np.int16), format="s16", layout="mono")
                silence.sample_rate, silence.pts = 48_000, 0
                container.mux(audio.encode(silence))
                container.mux(audio.encode(None))
        assert shown(tmp_path / name)[25] == pytest.approx(1.0 + seconds, abs=0.01)


@pytest.mark.parametrize("suffix", [".ts", ".flv", ".mkv"])
def test_slides_without_sound_stand_as_long_as_they_do(suffix: str, tmp_path: Path) -> None:
    times = [0.0, 5.0, 20.0, 40.0, 41.0, 42.0, 43.0]
    path = write_pictures(tmp_path / f"a{suffix}", times)
    assert shown(path) == pytest.approx(times, abs=0.01)


@pytest.mark.parametrize("rate", [2, 4])
def test_pictures_may_come_sooner_than_their_stream_claims(rate: int, tmp_path: Path) -> None:
    """H.264 that states fewer pictures a second than it has, so that FFmpeg takes its packets for longer."""
    path = write_numbered(tmp_path / "a.ts", 75, stated_rate=rate)
    assert shown(path) == pytest.approx([k / 25 for k in range(75)], abs=1e-3)
    assert clicks(path) == pytest.approx([0.48, 1.48, 2.48], abs=0.03)
    assert len(shown(joined(tmp_path / "joined.ts", path, path))) == 150


def write_jump(path: Path, *ahead: float) -> Path:
    """Two seconds of picture and sounds, each with its clock set ahead by some seconds after the first one."""
    with av.open(str(path), "w") as container:
        picture = container.add_stream("mpeg4", rate=5)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        audio = [container.add_stream("pcm_s16le", rate=8000, layout="mono") for _ in ahead[1:]]
        for number in range(10):
            begins = [number / 5 + (seconds if number > 4 else 0.0) for seconds in ahead]
            frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")
            frame.pts, frame.time_base = round(begins[0] * 5), Fraction(1, 5)
            container.mux(picture.encode(frame))
            for stream, begin in zip(audio, begins[1:], strict=True):
                sound = av.AudioFrame.from_ndarray(np.full((1, 1600), 8000, np.int16), format="s16", layout="mono")
                sound.sample_rate, sound.pts = 8000, round(begin * 8000)
                container.mux(stream.encode(sound))
        container.mux(picture.encode(None))
    return path


def test_a_clock_that_was_set_ahead_is_not_silence(tmp_path: Path) -> None:
    path = write_jump(tmp_path / "a.mkv", 20_000.0, 20_000.0)
    assert decode(path).duration == pytest.approx(2.0, abs=0.01)
    assert shown(path) == pytest.approx([k / 5 for k in range(10)], abs=0.01)
    path = write_jump(tmp_path / "b.mkv", 300.0, 300.0)
    assert decode(path).duration == pytest.approx(302.0, abs=0.01)
    path = write_jump(tmp_path / "c.mkv", 0.0, 0.0, 20_000.0)
    for choice in (None, SoundChoice.parse("2"), SoundChoice()):
        length = sum(block.samples.shape[1] / block.sample_rate for block in decode_blocks(path, choice=choice))
        assert length == pytest.approx(2.0, abs=0.25)


def test_h264_in_avi_is_shown_in_its_order(tmp_path: Path) -> None:
    path = write_numbered(tmp_path / "a.avi", 75, sound="pcm_s16le")
    stamps = time_stamps(path)
    assert sorted(pts for _, pts in stamps) == list(range(75))
    assert all(dts <= pts for dts, pts in stamps)
    assert clicks(path) == pytest.approx([0.48, 1.48, 2.48], abs=0.01)


@pytest.mark.parametrize(("name", "codec"), [("a.h264", "libx264"), ("a.m2v", "mpeg2video")])
def test_a_raw_stream_has_the_times_of_its_rate(name: str, codec: str, tmp_path: Path) -> None:
    path = write_numbered(tmp_path / name, 60, codec=codec, sound=None)
    assert shown(path) == pytest.approx([k / 25 for k in range(60)], abs=1e-6)
    assert read_numbers(path)[0] == list(range(60))
    facts = probe(path)
    assert (facts.duration, facts.fps) == pytest.approx((2.4, 25.0))


def test_divx_with_two_pictures_in_a_packet_is_taken_apart(tmp_path: Path) -> None:
    path = write_divx(tmp_path / "a.avi", 51)
    assert sorted(pts for _, pts in time_stamps(path)) == list(range(51))
    assert shown(path) == pytest.approx([k / 25 for k in range(51)], abs=1e-6)
