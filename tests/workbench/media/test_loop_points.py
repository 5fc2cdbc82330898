"""Loop points are read from the chunk and the tags that samplers and engines write them in."""

from __future__ import annotations

import struct
from pathlib import Path

import av
import numpy as np
import pytest

from workbench.media.audio import write_audio
from workbench.media.loop_points import read_loop_points

RATE = 8_000


def wav(path: Path) -> Path:
    return write_audio(path, iter([np.zeros((1, 4 * RATE), dtype=np.float32)]), RATE, 1)


def with_smpl(path: Path, *loops: tuple[int, int, int]) -> Path:
    """Kind, first and last sample of each loop, in the chunk that Microsoft's RIFF (1994) calls `smpl`."""
    body = struct.pack("<9I", 0, 0, 125_000, 60, 0, 0, 0, len(loops), 0)
    body += b"".join(struct.pack("<6I", number, *loop, 0, 0) for number, loop in enumerate(loops))
    whole = wav(path).read_bytes() + b"smpl" + struct.pack("<I", len(body)) + body
    path.write_bytes(whole[:4] + struct.pack("<I", len(whole) - 8) + whole[8:])
    return path


def tagged(path: Path, **tags: str) -> Path:
    """A copy of a file with other tags."""
    write_audio(path, iter([np.zeros((1, 4 * RATE), dtype=np.float32)]), RATE, 1)
    out = path.with_stem("tagged")
    with av.open(str(path)) as source, av.open(str(out), "w") as target:
        stream = target.add_stream_from_template(source.streams.audio[0])
        target.metadata.update(tags)
        for packet in source.demux(source.streams.audio[0]):
            if packet.size:
                packet.stream = stream
                target.mux(packet)
    return out


def test_the_first_forward_loop_of_a_wav_ends_after_its_last_sample(tmp_path: Path) -> None:
    path = with_smpl(tmp_path / "a.wav", (1, 0, 99), (0, RATE, 3 * RATE - 1), (0, 0, 7))
    assert read_loop_points(path) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("tags", "points"),
    [
        ({"LOOPSTART": "4000", "LOOPLENGTH": "8000"}, (0.5, 1.5)),
        ({"loopstart": "4000", "loopend": " 8000 "}, (0.5, 1.0)),
        ({"LOOP_START": "0", "LOOP_END": "8000"}, (0.0, 1.0)),
        ({"LOOPSTART": "4000"}, None),
        ({"LOOPSTART": "4000", "LOOPLENGTH": "0"}, None),
        ({"LOOPSTART": "0:05", "LOOPLENGTH": "25 s"}, None),
        ({"LOOPSTART": "4" * 400, "LOOPLENGTH": "9" * 5000}, None),
    ],
)
def test_tags_count_samples(tmp_path: Path, tags: dict[str, str], points: tuple[float, float] | None) -> None:
    assert read_loop_points(tagged(tmp_path / "a.flac", **tags)) == points
    assert read_loop_points(tagged(tmp_path / "a.mp3", **tags)) == points


def test_a_file_without_any_has_none(tmp_path: Path) -> None:
    assert read_loop_points(wav(tmp_path / "a.wav")) is None
    assert read_loop_points(with_smpl(tmp_path / "b.wav")) is None
    damaged = with_smpl(tmp_path / "c.wav", (0, 1, 2))
    damaged.write_bytes(damaged.read_bytes()[:-30])
    assert read_loop_points(damaged) is None


def test_a_wav_whose_size_was_left_open_has_none_behind_its_sound(tmp_path: Path) -> None:
    path = with_smpl(tmp_path / "a.wav", (0, 1, 2))
    whole = bytearray(path.read_bytes())
    struct.pack_into("<I", whole, whole.index(b"data") + 4, 0)
    path.write_bytes(whole)
    assert read_loop_points(path) is None
