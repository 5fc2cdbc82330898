"""A sound stream as samples without holes: on the clock of the first picture, as long as what was written."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from tests.videos import write_sound
from workbench.errors import MediaError
from workbench.media.audio import decode
from workbench.media.containers import open_media, sound_stream
from workbench.media.decoder import Decoder, FrameRange, picture_zero


def pieces_of(path: Path) -> tuple[Decoder, list[FrameRange]]:
    """The decoder of a file's sound, and what it made of all packets."""
    zero = picture_zero(path)
    with open_media(path) as container:
        stream = sound_stream(container)
        assert stream is not None
        decoder = Decoder(path, container, stream, zero)
        return decoder, list(decoder.pieces())


def test_pieces_are_the_whole_sound_and_frames_come_in_order(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", np.zeros((20_000, 2)), 8000)
    decoder, pieces = pieces_of(tmp_path / "a.flac")
    lengths = [piece.length for piece in pieces]
    assert (decoder.sample_rate, decoder.channels) == (8000, 2)
    assert sum(lengths) == 20_000
    assert min(lengths) > 0


def test_sound_that_begins_after_the_picture_is_preceded_by_silence(tmp_path: Path, video: Callable[..., Path]) -> None:
    path = video(tmp_path / "late.mkv", sound_from=0.5, sound_seconds=1.0)
    assert picture_zero(path) == pytest.approx(0.0)
    decoder, pieces = pieces_of(path)
    rate = decoder.sample_rate
    silent = sum(piece.length for piece in pieces if piece.frame is None)
    assert silent / rate == pytest.approx(0.5, abs=0.05)
    assert sum(piece.length for piece in pieces) / rate == pytest.approx(1.5, abs=0.06)


SAMPLES = 70_001  # no whole number of blocks of any codec


def sounding() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(np.random.default_rng(5).uniform(-0.5, 0.5, SAMPLES))


@pytest.mark.parametrize(("subtype", "block"), [("MS_ADPCM", 500), ("GSM610", 320), ("G721_32", 120)])
def test_the_fact_chunk_ends_the_last_block(tmp_path: Path, subtype: str, block: int) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, sounding(), 8000, subtype=subtype)
    assert decode(path).samples.shape == (1, SAMPLES)
    raw = bytearray(path.read_bytes())
    for claimed in (0, 1000, SAMPLES // 2, 2**32 - 1):  # no padding is as long as this
        struct.pack_into("<I", raw, raw.index(b"fact") + 8, claimed)
        path.write_bytes(raw)
        assert SAMPLES < decode(path).samples.shape[1] <= SAMPLES + block


@pytest.mark.parametrize("codec", ["adpcm_ima_wav", "adpcm_ms"])
def test_silence_that_fills_the_last_block_is_cut_where_the_fact_chunk_counts_it(tmp_path: Path, codec: str) -> None:
    sound = (sounding() * 32767).astype(np.int16)
    with av.open(tmp_path / "a.wav", "w") as output:
        stream = output.add_stream(codec, rate=8000, layout="mono")
        assert isinstance(stream, av.AudioStream)
        kind = stream.codec_context.format.name
        frame = av.AudioFrame.from_ndarray(sound[None], kind, "mono")
        frame.sample_rate, frame.pts, frame.time_base = 8000, 0, Fraction(1, 8000)
        fifo = av.AudioFifo()
        fifo.write(frame)
        while block := fifo.read(stream.codec_context.frame_size, partial=True):
            output.mux(stream.encode(block))
        output.mux(stream.encode(None))
    assert decode(tmp_path / "a.wav").samples.shape[1] == pytest.approx(SAMPLES, abs=60)


def encoded(path: Path, codec: str, samples: int, edited: str) -> Path:
    """MP4 with or without an edit list."""
    write_sound(path, codec, sounding()[None, :samples].astype(np.float32), 48_000, use_editlist=edited)
    return path


@pytest.mark.parametrize("edited", ["1", "0"])
@pytest.mark.parametrize(("name", "codec"), [("a.m4a", "aac"), ("a.mp4", "libopus"), ("a.mov", "aac")])
def test_mp4_ends_with_its_last_sample(tmp_path: Path, name: str, codec: str, edited: str) -> None:
    delay = 0 if edited == "1" else {"aac": 1024, "libopus": 312}[codec]  # not stated by the file, so it stays
    samples = decode(encoded(tmp_path / name, codec, SAMPLES, edited)).samples.shape[1]
    assert samples == pytest.approx(SAMPLES + delay, abs=48 if edited == "1" else 0)  # edit lists count milliseconds


def test_the_length_that_itunes_states_ends_a_sound_without_an_edit_list(tmp_path: Path) -> None:
    from mutagen.mp4 import MP4, MP4FreeForm

    samples = 68 * 1024  # the last packet is full, as iTunes writes it
    file = MP4(encoded(tmp_path / "a.m4a", "aac", samples, "0"))
    stated = f" 00000000 00000400 0000001E {samples - 30:016X}" + " 00000000" * 8
    file["----:com.apple.iTunes:iTunSMPB"] = [MP4FreeForm(stated.encode())]
    file.save()
    assert decode(tmp_path / "a.m4a").samples.shape == (1, samples - 30)


def vorbis(path: Path, samples: int, rate: int = 44_100) -> bytes:
    soundfile.write(path, sounding()[:samples], rate, format="OGG", subtype="VORBIS")
    return path.read_bytes()


def shifted(ogg: bytes, samples: int) -> bytes:
    """An Ogg file whose pages of sound all state so many samples less (RFC 3533, section 6)."""
    pages = [bytearray(b"OggS" + page) for page in ogg.split(b"OggS")[1:]]
    for page in pages:
        position = int.from_bytes(page[6:14], "little")
        if position:
            page[6:14], page[22:26] = (position - samples).to_bytes(8, "little"), bytes(4)
            register = 0
            for byte in page:
                register ^= byte << 24
                for _ in range(8):
                    register = (register << 1) ^ (0x104C11DB7 if register & 1 << 31 else 0)
            page[22:26] = register.to_bytes(4, "little")
    return b"".join(pages)


def test_the_head_that_a_vorbis_file_does_not_count_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    whole = vorbis(path, SAMPLES)
    expected = decode(path).samples
    assert expected.shape == (1, SAMPLES)
    path.write_bytes(shifted(whole, 128))
    np.testing.assert_array_equal(decode(path).samples, expected[:, 128:])
    assert soundfile.info(path).frames == SAMPLES - 128


def test_links_of_an_ogg_chain_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    links = [vorbis(path, SAMPLES), vorbis(path, SAMPLES // 2)]
    expected = []
    for link in links:
        path.write_bytes(link)
        expected.append(decode(path).samples)
    path.write_bytes(b"".join(links))
    np.testing.assert_array_equal(decode(path).samples, np.concatenate(expected, axis=1))
    path.write_bytes(links[0] + vorbis(path, SAMPLES, 22_050))
    with pytest.raises(MediaError, match="several rates"):
        decode(path)
