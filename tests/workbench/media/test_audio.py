"""Decoding on the right clock, refusing torn files, writing what can be read back."""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.videos import write_sound
from workbench.errors import MediaError, ParameterError
from workbench.media.audio import decode, decode_blocks, resample, write_audio
from workbench.media.probe import probe
from workbench.recording import Recording

RATE = 44_100
SECONDS = 3.0


def clicks(rate: int = RATE, channels: int = 2, seconds: float = SECONDS) -> NDArray[np.float32]:
    """One click at each whole second, in a little noise; shape (channels, n)."""
    sound = np.random.default_rng(1).standard_normal((channels, round(seconds * rate))) * 1e-3
    sound[:, rate::rate] = 0.9
    return sound.astype(np.float32)


def click_near(recording: Recording, at: float) -> float:
    """Seconds of the loudest sample within 100 ms of `at`."""
    start = round((at - 0.1) * recording.sample_rate)
    near = np.abs(recording.mono()[start : round((at + 0.1) * recording.sample_rate)])
    return float((start + np.argmax(near)) / recording.sample_rate)


def encode(path: Path, codec: str, sound: NDArray[np.float32], rate: int = RATE, **how: str) -> Path:
    write_sound(path, codec, sound, rate, **how)  # type: ignore[arg-type]
    return path


def vorbis(path: Path, sound: NDArray[np.float32], rate: int = RATE) -> Path:
    with soundfile.SoundFile(path, "w", rate, sound.shape[0], format="OGG", subtype="VORBIS") as file:
        for at in range(0, sound.shape[1], rate):
            file.write(sound[:, at : at + rate].T)
    return path


def sounded(path: Path, sound: NDArray[np.float32], rate: int = RATE, **kind: Any) -> Path:
    soundfile.write(path, sound.T, rate, **kind)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same clicks in many kinds of file."""
    folder, sound = tmp_path_factory.mktemp("clicks"), clicks()
    return {
        "wav": sounded(folder / "a.wav", sound, subtype="PCM_16"),
        "wav24": sounded(folder / "b.wav", sound, subtype="PCM_24"),
        "wavfloat": sounded(folder / "c.wav", sound, subtype="FLOAT"),
        "wav8": sounded(folder / "d.wav", sound, subtype="PCM_U8"),
        "flac": sounded(folder / "a.flac", sound),
        "aiff": sounded(folder / "a.aiff", sound),
        "mp3 cbr": encode(folder / "a.mp3", "libmp3lame", sound),
        "mp3 vbr": sounded(folder / "v.mp3", sound, format="MP3", bitrate_mode="VARIABLE", compression_level=0.4),
        "m4a": encode(folder / "a.m4a", "aac", sound),
        "ogg": vorbis(folder / "a.ogg", sound),
        "opus": encode(folder / "a.opus", "libopus", resample(sound, RATE, 48_000), 48_000),
        "webm": encode(folder / "a.webm", "libopus", resample(sound, RATE, 48_000), 48_000),
        "mp3 untagged": encode(folder / "u.mp3", "libmp3lame", sound, write_xing="0"),
        "adts": encode(folder / "a.aac", "aac", sound, container="adts"),
    }


class TestClock:
    @pytest.mark.parametrize(
        "kind",
        ["wav", "wav24", "wavfloat", "wav8", "flac", "aiff", "mp3 cbr", "mp3 vbr", "m4a", "ogg", "opus", "webm"],
    )
    def test_a_click_is_found_where_it_is(self, made: dict[str, Path], kind: str) -> None:
        recording = decode(made[kind])
        for second in (1.0, 2.0):
            assert click_near(recording, second) == pytest.approx(second, abs=1e-3)

    @pytest.mark.parametrize(
        ("kind", "delay_samples"),
        [("mp3 untagged", 1105), ("adts", 1024)],  # LAME's delay of 576 + 529 samples; one AAC frame
    )
    def test_a_file_that_does_not_tell_its_delay_keeps_it(
        self, made: dict[str, Path], kind: str, delay_samples: int
    ) -> None:
        assert click_near(decode(made[kind]), 1.025) == pytest.approx(1.0 + delay_samples / RATE, abs=1e-3)

    @pytest.mark.parametrize("kind", ["wav", "flac", "mp3 cbr", "mp3 vbr", "ogg"])
    def test_the_length_is_that_of_what_went_in(self, made: dict[str, Path], kind: str) -> None:
        assert decode(made[kind]).samples.shape == (2, round(SECONDS * RATE))

    @pytest.mark.parametrize("rate", [22_050, 48_000, 96_000])
    def test_any_sample_rate(self, tmp_path: Path, rate: int) -> None:
        recording = decode(sounded(tmp_path / "a.flac", clicks(rate), rate))
        assert recording.sample_rate == rate
        assert click_near(recording, 1.0) == pytest.approx(1.0, abs=1e-3)

    @pytest.mark.parametrize("channels", [1, 6, 8])
    def test_mono_to_seven_one_in_order(self, tmp_path: Path, channels: int) -> None:
        sound = np.zeros((channels, RATE), np.float32)
        for channel in range(channels):
            sound[channel, 1000 * (channel + 1)] = 0.5
        for name, codec in (("a.flac", "flac"), ("a.wv", "wavpack")):  # packed and planar
            recording = decode(encode(tmp_path / name, codec, sound))
            assert recording.channels == channels
            np.testing.assert_allclose(recording.samples, sound, atol=1e-4)


class TestValues:
    def test_integers_keep_every_bit(self, tmp_path: Path) -> None:
        for subtype, bits in (("PCM_16", 16), ("PCM_24", 24)):
            steps = np.arange(-(2 ** (bits - 1)), 2 ** (bits - 1), 2 ** (bits - 12))
            sound = (steps / 2 ** (bits - 1))[None].astype(np.float64)
            soundfile.write(tmp_path / "a.wav", sound.T, RATE, subtype=subtype)
            np.testing.assert_array_equal(decode(tmp_path / "a.wav").samples, sound.astype(np.float32))

    def test_the_hash_is_that_of_the_bytes(self, made: dict[str, Path]) -> None:
        assert decode(made["ogg"]).content_hash == hashlib.sha256(made["ogg"].read_bytes()).hexdigest()

    def test_what_is_no_number_becomes_silence(self, tmp_path: Path) -> None:
        sound = np.full((2, RATE), 0.25, np.float32)
        sound[0, 10], sound[1, 20], sound[0, 30] = np.nan, np.inf, -3e38
        recording = decode(sounded(tmp_path / "a.wav", sound, subtype="FLOAT"))
        expected = np.full((2, RATE), 0.25, np.float32)
        expected[0, 10] = expected[1, 20] = expected[0, 30] = 0.0
        np.testing.assert_array_equal(recording.samples, expected)

    @pytest.mark.parametrize("kind", ["flac", "mp3 cbr", "m4a"])
    def test_cover_art_is_no_picture_and_no_sound(self, made: dict[str, Path], tmp_path: Path, kind: str) -> None:
        path = tmp_path / made[kind].name
        path.write_bytes(made[kind].read_bytes())
        before = decode(path)
        add_cover(path)
        after = decode(path)
        assert after.content_hash != before.content_hash
        np.testing.assert_array_equal(after.samples, before.samples)
        assert not probe(path).has_video


class TestBlocks:
    def test_laid_end_to_end_they_are_what_decode_returns(self, made: dict[str, Path]) -> None:
        for kind in ("mp3 cbr", "ogg"):
            blocks = list(decode_blocks(made[kind], block_seconds=0.7))
            np.testing.assert_array_equal(
                np.concatenate([b.samples for b in blocks], axis=1), decode(made[kind]).samples
            )
            assert [b.start for b in blocks] == pytest.approx([0.7 * i for i in range(5)], abs=1e-9)

    def test_another_rate_on_the_way_is_the_same_as_after(self, made: dict[str, Path]) -> None:
        blocks = list(decode_blocks(made["wav"], block_seconds=0.5, sample_rate=16_000))
        together = np.concatenate([b.samples for b in blocks], axis=1)
        whole = resample(decode(made["wav"]).samples, RATE, 16_000)
        assert together.shape == whole.shape == (2, 48_000)
        np.testing.assert_allclose(together, whole, atol=1e-3)
        assert {b.sample_rate for b in blocks} == {16_000}


class TestResample:
    def test_a_sine_stays_a_sine_without_delay(self) -> None:
        time_from, time_to = np.arange(48_000) / 48_000, np.arange(44_100) / 44_100
        converted = resample(np.sin(2 * np.pi * 997 * time_from).astype(np.float32), 48_000, 44_100)
        middle = slice(4000, 40_000)
        np.testing.assert_allclose(converted[middle], np.sin(2 * np.pi * 997 * time_to)[middle], atol=1e-4)
        assert converted.shape == (44_100,)

    def test_the_same_rate_changes_nothing(self) -> None:
        sound = clicks()
        np.testing.assert_array_equal(resample(sound, RATE, RATE), sound)

    def test_rates_are_positive(self) -> None:
        with pytest.raises(ParameterError, match="positive"):
            resample(clicks(), 0, RATE)


class TestTornFiles:
    def cut(self, source: Path, target: Path, share: float) -> Path:
        whole = source.read_bytes()
        target.write_bytes(whole[: int(len(whole) * share)])
        return target

    @pytest.mark.parametrize("kind", ["wav", "flac", "mp3 cbr"])
    def test_over_nine_tenths_counts(self, made: dict[str, Path], tmp_path: Path, kind: str) -> None:
        recording = decode(self.cut(made[kind], tmp_path / made[kind].name, 0.95))
        assert 0.9 * SECONDS < recording.duration < SECONDS
        assert click_near(recording, 2.0) == pytest.approx(2.0, abs=1e-3)

    @pytest.mark.parametrize("kind", ["wav", "flac", "mp3 cbr"])
    def test_less_is_one_clear_error(self, made: dict[str, Path], tmp_path: Path, kind: str) -> None:
        path = self.cut(made[kind], tmp_path / made[kind].name, 0.5)
        with pytest.raises(MediaError, match=r"only 1\.\d s of its 3\.0 s could be decoded"):
            decode(path)
        with pytest.raises(MediaError, match="could be decoded"):
            list(decode_blocks(path))

    def test_a_piped_file_states_no_length(self, made: dict[str, Path], tmp_path: Path) -> None:
        raw = bytearray(made["wav"].read_bytes())
        raw[4:8] = raw[40:44] = b"\xff\xff\xff\xff"
        (tmp_path / "piped.wav").write_bytes(raw)
        assert decode(tmp_path / "piped.wav").duration == SECONDS

    def test_a_damaged_stretch_is_silence_and_the_rest_keeps_its_place(self, tmp_path: Path) -> None:
        path = sounded(tmp_path / "a.flac", clicks(seconds=20.0))
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 2 : len(raw) // 2 + 2000] = bytes(2000)
        path.write_bytes(raw)
        recording = decode(path)
        assert recording.duration == pytest.approx(20.0, abs=0.05)
        assert click_near(recording, 19.0) == pytest.approx(19.0, abs=1e-3)


class TestDamagedBytes:
    @pytest.mark.parametrize("kind", ["wav", "flac", "mp3 cbr", "m4a", "adts", "ogg", "webm", "aiff"])
    def test_whatever_is_damaged_gives_sound_or_a_media_error(
        self, made: dict[str, Path], tmp_path: Path, kind: str
    ) -> None:
        rng = np.random.default_rng(len(kind))
        whole, path = made[kind].read_bytes(), tmp_path / made[kind].name
        for trial in range(12):
            damaged = bytearray(whole)
            for at in rng.integers(0, len(whole) if trial % 2 else 600, size=10):
                damaged[at] = rng.integers(256)
            path.write_bytes(damaged)
            for read in (decode, probe):
                with contextlib.suppress(MediaError):
                    read(path)

    def test_an_impossible_rate_reserves_no_memory(self, made: dict[str, Path], tmp_path: Path) -> None:
        raw = bytearray(made["wav"].read_bytes())
        raw[24:28] = struct.pack("<I", 2_000_000_000)
        (tmp_path / "a.wav").write_bytes(raw)
        with pytest.raises(MediaError):
            decode(tmp_path / "a.wav")

    def test_rate_and_channels_together_reserve_no_memory(self, tmp_path: Path) -> None:
        channels, rate, data = 512, 1_000_000, bytes(512 * 2 * 200)
        layout = struct.pack("<IHHIIHH", 16, 1, channels, rate, channels * rate * 2 % 2**32, channels * 2, 16)
        head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + layout + b"data"
        (tmp_path / "a.wav").write_bytes(head + struct.pack("<I", len(data)) + data)
        tracemalloc.start()
        recording = decode(tmp_path / "a.wav")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (recording.samples.shape, recording.sample_rate) == ((channels, 200), rate)
        assert peak < 1e9


class TestNotMedia:
    def error_of(self, path: Path) -> str:
        with pytest.raises(MediaError) as caught:
            decode(path)
        message = str(caught.value)
        assert message.startswith(str(path))
        assert "\n" not in message
        return message

    def test_each_case_says_what_is_wrong(self, tmp_path: Path) -> None:
        (tmp_path / "noise.mp3").write_bytes(np.random.default_rng(0).bytes(100_000))
        (tmp_path / "cover.png").write_bytes(_png())
        assert "no such file" in self.error_of(tmp_path / "missing.wav")
        assert "no sound" in self.error_of(tmp_path / "cover.png")
        self.error_of(tmp_path / "noise.mp3")

    def test_no_sound_in_the_sound_stream(self, tmp_path: Path) -> None:
        assert "no sound" in self.error_of(sounded(tmp_path / "a.wav", np.zeros((2, 0), np.float32)))

    def test_a_playlist_opens_nothing(self, made: dict[str, Path], tmp_path: Path) -> None:
        (tmp_path / "list.m3u8").write_text(
            f"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n{made['adts']}\n#EXT-X-ENDLIST\n"
        )
        (tmp_path / "list.ffconcat").write_text(f"ffconcat version 1.0\nfile '{made['wav']}'\n")
        assert "not readable" in self.error_of(tmp_path / "list.m3u8")
        assert "not readable" in self.error_of(tmp_path / "list.ffconcat")

    def test_a_name_is_never_an_address(self, made: dict[str, Path], tmp_path: Path) -> None:
        odd = tmp_path / "pipe:1"
        odd.write_bytes(made["wav"].read_bytes())
        assert decode(odd).duration == SECONDS


class TestWriting:
    def blocks(self, sound: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        for at in range(0, sound.shape[1], 10_007):
            yield sound[:, at : at + 10_007]

    @pytest.mark.parametrize(("suffix", "subtype"), [(".wav", "pcm24"), (".flac", "pcm24"), (".wav", "float32")])
    def test_twenty_four_bits_come_back(self, tmp_path: Path, suffix: str, subtype: str) -> None:
        sound = clicks()
        path = write_audio(tmp_path / f"a{suffix}", self.blocks(sound), RATE, 2, subtype=subtype)
        np.testing.assert_allclose(decode(path).samples, sound, atol=0 if subtype == "float32" else 2**-24)

    @pytest.mark.parametrize("suffix", [".wav", ".flac"])
    def test_sixteen_bits_are_dithered(self, tmp_path: Path, suffix: str) -> None:
        # A sine below half a step: undithered it would vanish; with triangular dither its level survives,
        # and the error has the variance of dither plus rounding, a quarter of a step squared.
        step, time = 2.0**-15, np.arange(4 * RATE) / RATE
        sine = 0.4 * step * np.sin(2 * np.pi * 1000 * time)
        sound = np.stack([sine, sine]).astype(np.float32)
        written = decode(write_audio(tmp_path / f"a{suffix}", [sound], RATE, 2)).samples.astype(np.float64)
        for row in written:
            assert 2 * np.mean(row * np.sin(2 * np.pi * 1000 * time)) == pytest.approx(0.4 * step, rel=0.05)
            assert np.var(row - sine) == pytest.approx(step**2 / 4, rel=0.03)
        assert abs(np.corrcoef(written[0] - sine, written[1] - sine)[0, 1]) < 0.02

    def test_beyond_full_scale_is_clipped_and_not_wrapped(self, tmp_path: Path) -> None:
        sound = np.array([[1.5, -1.5, 1.0, -1.0]] * 2, np.float32).repeat(100, axis=1)
        for suffix, subtype in ((".wav", "pcm16"), (".wav", "pcm24")):
            written = decode(write_audio(tmp_path / f"a{suffix}", [sound], RATE, 2, subtype=subtype)).samples
            np.testing.assert_allclose(written, np.clip(sound, -1, 1), atol=3 * 2.0**-15)

    @pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3"])
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_what_is_no_number_is_not_written(self, tmp_path: Path, suffix: str, value: float) -> None:
        sound = clicks()
        sound[1, 5000] = value
        with pytest.raises(MediaError, match="not finite"):
            write_audio(tmp_path / f"a{suffix}", self.blocks(sound), RATE, 2)
        assert list(tmp_path.iterdir()) == []

    def test_the_same_sound_gives_the_same_bytes(self, tmp_path: Path) -> None:
        sound = clicks()
        for suffix in (".wav", ".flac", ".mp3"):
            one = write_audio(tmp_path / f"one{suffix}", [sound], RATE, 2).read_bytes()
            other = write_audio(tmp_path / f"other{suffix}", self.blocks(sound), RATE, 2).read_bytes()
            assert one == other

    @pytest.mark.parametrize("rate", [44_100, 48_000, 96_000, 22_050])
    def test_mp3_is_gapless_at_any_rate(self, tmp_path: Path, rate: int) -> None:
        written = decode(write_audio(tmp_path / "a.mp3", self.blocks(clicks(rate)), rate, 2))
        assert written.duration == pytest.approx(SECONDS, abs=1e-3)
        assert click_near(written, 1.0) == pytest.approx(1.0, abs=1e-3)

    def test_soundfile_agrees(self, tmp_path: Path) -> None:
        sound = clicks()
        for suffix in (".wav", ".flac", ".mp3"):
            path = write_audio(tmp_path / f"a{suffix}", [sound], RATE, 2)
            read, rate = soundfile.read(path, dtype="float32", always_2d=True)
            assert rate == RATE
            np.testing.assert_allclose(read.T, decode(path).samples, atol=1e-4)

    def test_six_channels(self, tmp_path: Path) -> None:
        sound = np.arange(1, 7)[:, None].repeat(1000, axis=1).astype(np.float32) / 10
        written = decode(write_audio(tmp_path / "a.wav", [sound], 48_000, 6, subtype="float32"))
        np.testing.assert_array_equal(written.samples, sound)

    def test_a_failure_leaves_nothing_behind(self, tmp_path: Path) -> None:
        def failing() -> Iterator[NDArray[np.float32]]:
            yield clicks()
            raise ParameterError("the renderer stopped")

        (tmp_path / "a.wav").write_bytes(b"older")
        with pytest.raises(ParameterError, match="the renderer stopped"):
            write_audio(tmp_path / "a.wav", failing(), RATE, 2)
        assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]
        assert (tmp_path / "a.wav").read_bytes() == b"older"

    def test_no_folder_is_one_clear_error(self, tmp_path: Path) -> None:
        with pytest.raises(MediaError, match="cannot be written"):
            write_audio(tmp_path / "none" / "a.wav", [clicks()], RATE, 2)

    @pytest.mark.parametrize(
        ("name", "channels", "subtype", "match"),
        [
            ("a.ogg", 2, None, "written as .flac, .mp3, .wav, not .ogg"),
            ("a", 2, None, "not without a suffix"),
            ("a.wav", 2, "pcm8", "known are"),
            ("a.mp3", 6, None, "1 to 2 channels"),
            ("a.wav", 9, None, "1 to 8 channels"),
        ],
    )
    def test_what_a_file_cannot_hold(
        self, tmp_path: Path, name: str, channels: int, subtype: str | None, match: str
    ) -> None:
        with pytest.raises(ParameterError, match=match):
            write_audio(tmp_path / name, [], RATE, channels, subtype=subtype)

    def test_a_block_of_another_shape_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="shape"):
            write_audio(tmp_path / "a.wav", [clicks(channels=1)], RATE, 2)

    def test_the_header_has_room_for_more_than_four_gibibytes(self, tmp_path: Path) -> None:
        # RF64 (EBU Tech 3306): a JUNK chunk of 28 bytes is kept free for the 64-bit sizes, before the samples.
        head = write_audio(tmp_path / "a.wav", [clicks()], RATE, 2).read_bytes()[:200]
        assert head[:4] == b"RIFF"
        junk = head.index(b"JUNK")
        assert junk < head.index(b"data")
        assert struct.unpack("<I", head[junk + 4 : junk + 8])[0] >= 28


def add_cover(path: Path) -> None:
    """Put a picture into a file's tags, as music players do."""
    if path.suffix == ".flac":
        from mutagen.flac import FLAC, Picture

        cover = Picture()
        cover.data, cover.type, cover.mime = _png(), 3, "image/png"
        flac = FLAC(path)
        flac.add_picture(cover)
        flac.save()
    elif path.suffix == ".mp3":
        from mutagen.id3 import APIC, ID3

        tags = ID3(path)
        tags.add(APIC(encoding=3, mime="image/png", type=3, data=_png()))
        tags.save(path)
    else:
        from mutagen.mp4 import MP4, MP4Cover

        file = MP4(path)
        file["covr"] = [MP4Cover(_png(), imageformat=MP4Cover.FORMAT_PNG)]
        file.save()


def _png() -> bytes:
    """A small picture."""
    with av.open(buffer := io.BytesIO(), "w", format="image2pipe") as output:
        stream = output.add_stream("png", rate=1)
        assert isinstance(stream, av.VideoStream)
        stream.width = stream.height = 16
        stream.pix_fmt = "rgb24"
        frame = av.VideoFrame.from_ndarray(np.full((16, 16, 3), 90, np.uint8), "rgb24")
        output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return bytes(buffer.getvalue())
