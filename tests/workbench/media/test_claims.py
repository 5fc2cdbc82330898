"""Headers that state other sizes than their files have: what decodes counts, and torn is only what ends too soon."""

from __future__ import annotations

import io
import logging
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.videos import write_sound
from workbench.errors import MediaError
from workbench.media.audio import count_seconds, decode
from workbench.media.claims import open_repaired, riff_chunks, share_present

RATE = 8000
SECONDS = 3.0
OPEN = (0, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFDB, 0x80000000, 0x7FFFFFFF, 0x7FFFFFD3, 0x7FFFF000, 0x7FFFEFFC, 0x7F000000,
        0x40000000, 2_000_000_000)  # fmt: skip


def noise(seconds: float = SECONDS, rate: int = RATE) -> NDArray[np.float32]:
    """Shape (n,)."""
    return np.random.default_rng(3).uniform(-0.5, 0.5, round(seconds * rate)).astype(np.float32)


def written(path: Path, **kind: str) -> bytearray:
    """A sound file of SECONDS as libsndfile writes it."""
    soundfile.write(path, noise(), RATE, **({"subtype": "PCM_16"} | kind))
    return bytearray(path.read_bytes())


def with_size(path: Path, raw: bytearray, at: int, code: str, size: int) -> Path:
    """The file with another size in its header."""
    struct.pack_into(code, raw, at, size)
    path.write_bytes(raw)
    return path


def encoded(target: Path | io.RawIOBase, container: str, codec: str, **options: str) -> None:
    """Twice SECONDS of noise in stereo, through one of FFmpeg's muxers."""
    sound = np.tile(noise(2 * SECONDS, 48_000), (2, 1))
    write_sound(target, codec, sound, 48_000, container=container, bit_rate=128_000, **options)


class Pipe(io.RawIOBase):
    """What a writer cannot go back in."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = bytearray()

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise io.UnsupportedOperation

    def write(self, data: object) -> int:
        self.bytes += memoryview(data)  # type: ignore[arg-type]
        return len(memoryview(data))  # type: ignore[arg-type]


class TestSizes:
    @pytest.mark.parametrize("size", OPEN)
    def test_a_wav_that_was_left_open(self, tmp_path: Path, size: int) -> None:
        raw = written(tmp_path / "a.wav")
        struct.pack_into("<I", raw, 4, min(size + 36, 2**32 - 1))
        assert decode(with_size(tmp_path / "a.wav", raw, 40, "<I", size)).duration == SECONDS

    @pytest.mark.parametrize(
        ("format", "name", "code", "sizes"),
        [
            ("AIFF", b"SSND", ">I", (0, 0xFFFFFFFF, 0x7F000008)),
            ("CAF", b"data", ">q", (0, -1, 2**63 - 1)),
            ("W64", b"data\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a", "<q", (0, -1, 2**63 - 1)),
            ("AU", b".snd\x00\x00\x00\x18", ">I", (0, 0xFFFFFFFF, 0x7FFFFFFF)),
        ],
    )
    def test_other_containers(
        self, tmp_path: Path, format: str, name: bytes, code: str, sizes: tuple[int, ...]
    ) -> None:
        raw = written(tmp_path / "a", format=format)
        for size in sizes:
            if format == "AIFF":
                struct.pack_into(">I", raw, 4, size)
            path = with_size(tmp_path / "a", raw, raw.index(name) + len(name), code, size)
            assert decode(path).duration == SECONDS, size

    @pytest.mark.parametrize("size", [0, 2**64 - 1])
    def test_rf64(self, tmp_path: Path, size: int) -> None:
        raw = written(tmp_path / "a.wav", format="RF64")
        large = raw.index(b"ds64") + 8
        struct.pack_into("<QQQ", raw, large, size, size, size)
        (tmp_path / "a.wav").write_bytes(raw)
        assert decode(tmp_path / "a.wav").duration == SECONDS

    @pytest.mark.parametrize("bytes_per_second", [0, 1, 16_001, 2**32 - 1])
    def test_a_byte_rate_is_no_length(self, tmp_path: Path, bytes_per_second: int) -> None:
        for subtype in ("PCM_16", "IMA_ADPCM", "MS_ADPCM"):
            raw = written(tmp_path / "a.wav", subtype=subtype)
            path = with_size(tmp_path / "a.wav", raw, 28, "<I", bytes_per_second)
            assert count_seconds(path) == pytest.approx(SECONDS, abs=0.3)
            path.write_bytes(raw[: len(raw) // 2])
            with pytest.raises(MediaError, match="cut short"):
                count_seconds(path)

    def test_a_header_of_the_first_block_alone(self, tmp_path: Path) -> None:
        raw = written(tmp_path / "a.wav")
        assert decode(with_size(tmp_path / "a.wav", raw, 40, "<I", 2048)).duration == SECONDS

    def test_what_follows_the_sound_is_not_sound(self, tmp_path: Path) -> None:
        raw = written(tmp_path / "a.wav") + b"id3 " + struct.pack("<I", 200_000) + bytes(200_000)
        (tmp_path / "a.wav").write_bytes(raw)
        assert decode(tmp_path / "a.wav").duration == SECONDS
        (tmp_path / "a.wav").write_bytes(written(tmp_path / "a.wav") + bytes(2048))
        assert decode(tmp_path / "a.wav").duration == SECONDS

    @pytest.mark.parametrize("size", [160_000, 1_270_080_000, 2_500_000_000, 4_147_200_000])
    def test_a_size_that_was_counted_is_missed(self, tmp_path: Path, size: int) -> None:
        raw = written(tmp_path / "a.wav")
        with pytest.raises(MediaError, match=r"only 3\.0 s of its .* the file is cut short"):
            decode(with_size(tmp_path / "a.wav", raw, 40, "<I", size))


CONTAINERS = {
    "wav": "pcm_s16le", "w64": "pcm_s16le", "aiff": "pcm_s16be", "au": "pcm_s16be", "caf": "pcm_s16le",
    "avi": "pcm_s16le", "matroska": "pcm_s16le", "webm": "libopus", "flac": "flac", "flv": "libmp3lame",
    "asf": "wmav2", "mp4": "aac", "mp3": "libmp3lame",
}  # fmt: skip


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_that_is_cut_is_refused(tmp_path: Path, container: str) -> None:
    path = tmp_path / f"a.{container}"
    encoded(path, container, CONTAINERS[container], **({"movflags": "faststart"} if container == "mp4" else {}))
    assert count_seconds(path) == pytest.approx(2 * SECONDS, abs=0.1)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
    with pytest.raises(MediaError, match="the file is cut short"):
        count_seconds(path)


@pytest.mark.parametrize("container", [*CONTAINERS, "adts", "ogg", "mpegts"])
def test_what_was_written_live_is_whole_wherever_it_ends(tmp_path: Path, container: str) -> None:
    codec = CONTAINERS.get(container, {"ogg": "libopus"}.get(container, "aac"))
    encoded(pipe := Pipe(), container, codec, **({"movflags": "frag_every_frame"} if container == "mp4" else {}))
    for share in (1.0, 0.6):
        (tmp_path / "a").write_bytes(pipe.bytes[: round(share * len(pipe.bytes))])
        assert count_seconds(tmp_path / "a") == pytest.approx(share * 2 * SECONDS, abs=0.8)


def test_a_video_that_is_cut_is_refused_in_matroska_as_in_mp4(tmp_path: Path, video: Callable[..., Path]) -> None:
    for suffix in (".mkv", ".mp4"):
        path = video(tmp_path / f"a{suffix}", pictures=250, sound_seconds=10.0)
        whole = path.read_bytes()
        assert count_seconds(path) == pytest.approx(10.0, abs=0.1)
        path.write_bytes(whole[: len(whole) * 6 // 10])
        with pytest.raises(MediaError):
            count_seconds(path)


def test_an_ogg_without_a_last_page_is_read_with_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.ogg"
    soundfile.write(path, noise(20.0), RATE, format="OGG", subtype="VORBIS")
    with caplog.at_level(logging.WARNING):
        assert count_seconds(path) == 20.0
        assert not caplog.messages
        path.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
        assert 8.0 < count_seconds(path) < 13.0
    assert "no last page" in caplog.text


@pytest.mark.parametrize("container", CONTAINERS)
def test_an_ordinary_file_is_read_as_it_is(tmp_path: Path, container: str) -> None:
    encoded(tmp_path / "a", container, CONTAINERS[container])
    with open_repaired(tmp_path / "a") as repaired:
        assert repaired is None


@pytest.mark.parametrize("format", ["WAV", "RF64", "W64", "AIFF", "AU", "CAF"])
def test_an_ordinary_file_of_libsndfile_is_read_as_it_is(tmp_path: Path, format: str) -> None:
    for name, sound in (("even", noise()), ("odd", noise()[:-1])):
        soundfile.write(tmp_path / name, sound, RATE, subtype="PCM_24", format=format)
        with open_repaired(tmp_path / name) as repaired:
            assert repaired is None


def test_an_avi_of_several_parts_is_measured_as_a_whole(tmp_path: Path) -> None:
    part = b"RIFF" + struct.pack("<I", 1000) + b"AVI " + bytes(996)
    whole = part + 4 * part.replace(b"AVI ", b"AVIX")
    for length, share in ((len(whole), 1.0), (len(whole) - 504, 0.9), (len(whole) // 2, 2520 / 3024)):
        (tmp_path / "a.avi").write_bytes(whole[:length])
        assert share_present(tmp_path / "a.avi") == pytest.approx(share)


@pytest.mark.parametrize("head", ["box", "object"])
def test_no_end_of_empty_chunks_is_gone_through(tmp_path: Path, head: str) -> None:
    asf = b"\x30\x26\xb2\x75" + bytes(12) + struct.pack("<q", 24)
    raw = struct.pack(">I4s8x", 16, b"ftyp") + 2_000_000 * struct.pack(">I4s", 8, b"free")
    (tmp_path / "a").write_bytes(raw if head == "box" else asf + 1_500_000 * (bytes(16) + struct.pack("<q", 24)))
    begun = time.process_time()
    assert share_present(tmp_path / "a") == 1.0
    assert time.process_time() - begun < 1.0  # a tenth of it where the walk stops, twice where it does not


class TestRiffChunks:
    def test_chunks_before_and_behind_the_sound(self, tmp_path: Path) -> None:
        for format in ("WAV", "RF64"):
            raw = written(tmp_path / "a.wav", format=format) + b"JUNK" + bytes(4) + b"smpl\x03\0\0\0abc\0"
            (tmp_path / "a.wav").write_bytes(raw + b"LIST\xff\0\0\0cut")
            found = {name: raw[start : start + size] for name, start, size in riff_chunks(tmp_path / "a.wav")}
            assert list(found)[-4:] == [b"data", b"JUNK", b"smpl", b"LIST"]
            assert len(found[b"data"]) == 2 * RATE * SECONDS
            assert bytes(found[b"JUNK"] + found[b"smpl"]) == b"abc"

    @pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFF000])
    def test_an_open_size_ends_with_the_file(self, tmp_path: Path, size: int) -> None:
        raw = written(tmp_path / "a.wav")
        path = with_size(tmp_path / "a.wav", raw, 40, "<I", size)
        assert list(riff_chunks(path))[1:] == [(b"data", 44, len(raw) - 44)]

    def test_other_files_have_none(self, tmp_path: Path) -> None:
        written(tmp_path / "a", format="AIFF")
        assert not list(riff_chunks(tmp_path / "a"))
