"""What the structure of a file says of its length, and whether the bytes end before that.

What a header claims is a claim: its writer may have stated a size before there was any sound, or a byte rate of another
codec. What decodes counts. A file is torn only where its own structure goes on behind its last byte.

One rule distinguishes the size of a torn file from a size that its writer could not go back to correct. The length of
sound is counted, and counts of this magnitude are not round. What stands in their place is: zero, a negative number,
one digit and zeros, a power of two, or one less by a few of its low bits, give or take a header (0x7FFFF000,
0x80000024, 0x7F000000, 2^63 - 1). So a size is a statement unless it is round in this sense, or as much again follows
that is no chunk: then it was written with the first block, or its 32 bits have overflowed. Where a size states nothing,
the sound goes on to the end of the file, and readers are given a header that says so.

Every container is asked alike: WAV, RF64, W64, AIFF, AU and CAF for the size of their sound; AVI, ASF, Matroska, MXF
and FLV for that of the file; MP4 for that of its boxes. FLAC, WavPack, TTA, APE, TAK and MP3 with a Xing tag count
samples, see `workbench.media.containers.stated_seconds`. What was written live and not closed leaves its sizes open and
is whole. Transport and program streams, ADTS and plain MP3 state nothing. An Ogg file without a last page does not say
how much is missing, and a recorded stream ends in the same way: it is read, with a line in the log.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

TORN_SHARE = 0.9  # of the bytes written; a file with no more than that counts as torn
_ROUND_BYTES = 1 << 28  # shorter sound is round by chance
_HEADER_BYTES = 128  # sizes of a file and of its sound differ by this much
_HEAD_BYTES = 4096
_LONGEST_PAGE_BYTES = 65_307  # of Ogg
_MOST_CHUNKS = 100_000  # that are gone through: a damaged file may hold millions of empty ones
_MATROSKA, _SEGMENT = b"\x1aE\xdf\xa3", b"\x18S\x80g"
_MXF = bytes.fromhex("060e2b34020501010d010201")
_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"styp")


class _Chunks(NamedTuple):
    """How one kind of container lays out its chunks."""

    first: int  # byte at which the first one begins
    head: str  # its name and its size
    sound: bytes  # how the name of the one begins whose size counts
    step: int = 2  # chunks begin at multiples of it
    own: int = 0  # bytes of the head that the size includes


_CHUNKS = {
    b"RIFF": _Chunks(12, "<4sI", b"data"),
    b"RIFX": _Chunks(12, ">4sI", b"data"),
    b"RF64": _Chunks(12, "<4sI", b"data"),
    b"BW64": _Chunks(12, "<4sI", b"data"),
    b"FORM": _Chunks(12, ">4sI", b"SSND"),
    b"caff": _Chunks(8, ">4sq", b"data", step=1),
    b"riff": _Chunks(40, "<16sq", b"data", step=8, own=24),  # W64
}
_AVI = _Chunks(0, "<4sI", b"RIFF")
_ASF_HEADER, _ASF = b"\x30\x26\xb2\x75", _Chunks(0, "<16sq", b"\x36\x26\xb2\x75", step=1, own=24)


class _Claim(NamedTuple):
    start: int  # byte from which the size counts
    size: int
    field: int = 0  # byte at which the size is written, and how
    code: str = ""
    own: int = 0  # see `_Chunks`


def share_present(path: Path) -> float:
    """The share of what a file's structure states that is there, by bytes; 1.0 where nothing more is stated."""
    with path.open("rb") as file:
        head, length = _head_and_length(file)
        claim = _sound_claim(file, head, length) or _file_claim(file, head, length)
        if claim is None or _is_open(file, claim, length):
            return 1.0
        return min(1.0, max(1, length - claim.start) / claim.size)


def has_last_page(path: Path) -> bool:
    """Whether the last page of an Ogg file is marked as the last."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, io.SEEK_END) - _LONGEST_PAGE_BYTES))
        page = file.read().rpartition(b"OggS")[2]
    return len(page) > 1 and bool(page[1] & 4)


def riff_chunks(path: Path) -> Iterator[tuple[bytes, int, int]]:
    """The chunks of a RIFF, RF64 or BW64 file in order; of other files none.

    Yields the name, the byte at which the content begins, and its size in bytes as far as the file goes. Sound whose
    size was left open goes on to the end of the file and is the last chunk, unless a `ds64` chunk states its size.
    """
    with path.open("rb") as file:
        head, length = _head_and_length(file)
        if head[:4] not in (b"RIFF", b"RF64", b"BW64"):
            return
        for name, claim in _walk(file, length, _CHUNKS[head[:4]]):
            is_last = name == b"data" and _is_open(file, claim, length)
            present = length - claim.start
            yield name, claim.start, present if is_last else min(claim.size, present)
            if is_last:
                return


@contextmanager
def open_repaired(path: Path) -> Iterator[BinaryIO | None]:
    """The file with a header that states the size it has; None where its own header can be read as it is."""
    with path.open("rb") as file:
        head, length = _head_and_length(file)
        claim, patches = _sound_claim(file, head, length), {}
        if claim is not None and _is_open(file, claim, length):
            largest = 2**63 - 1 if "q" in claim.code else 2**32 - 1
            patches[claim.field] = struct.pack(claim.code, min(length - claim.start + claim.own, largest))
        # FFmpeg reads no chunk of AIFF beyond the size of the form.
        if (
            claim is not None
            and head[:4] == b"FORM"
            and int.from_bytes(head[4:8], "big") + 8 < claim.start + claim.size
        ):
            patches[4] = struct.pack(">I", min(length - 8, 2**32 - 1))
    if not patches:
        yield None
        return
    with _Repaired(path, patches) as repaired:
        yield repaired


class _Repaired(io.FileIO):
    """A file that reads as if some bytes of it were others."""

    def __init__(self, path: Path, patches: dict[int, bytes]) -> None:
        super().__init__(path)
        self._patches = patches

    def read(self, size: int | None = -1) -> bytes:
        at, data = self.tell(), bytearray(super().read(-1 if size is None else size))
        for start, patch in self._patches.items():
            low, high = max(at, start), min(at + len(data), start + len(patch))
            if low < high:
                data[low - at : high - at] = patch[low - start : high - start]
        return bytes(data)


def _is_open(file: BinaryIO, claim: _Claim, length: int) -> bool:
    """Whether a size states nothing."""
    if claim.size <= 0 or _is_round(claim.size):
        return True
    # Less than as much again may be tags behind the sound. More is either further chunks, which have printable names,
    # or samples that a size written too early, or overflown, does not count.
    if length - claim.start < 2 * claim.size:
        return False
    file.seek(claim.start + claim.size + claim.size % 2)
    name = file.read(4)
    return not (name.isascii() and name.decode().isprintable())


def _is_round(size: int) -> bool:
    # 0x7FFFF000 lacks 4096 of 2^31, itself a power of two: so the gap is tested for a power of two as well.
    missing = (1 << size.bit_length()) - size  # to the next power of two
    lower = 1 << missing.bit_length() - 1
    binary = min(missing - lower, 2 * lower - missing) <= _HEADER_BYTES
    return size >= _ROUND_BYTES and (binary or len(str(size).rstrip("0")) == 1)


def _head_and_length(file: BinaryIO) -> tuple[bytes, int]:
    return file.read(_HEAD_BYTES), file.seek(0, io.SEEK_END)


def _sound_claim(file: BinaryIO, head: bytes, length: int) -> _Claim | None:
    """The size of the sound, in containers of plain samples."""
    if head[:4] == b".snd" and len(head) >= 12:
        start, size = struct.unpack_from(">II", head, 4)
        return _Claim(start, size, 8, ">I")
    chunks = None if head[8:12] == b"AVI " else _CHUNKS.get(head[:4])
    return None if chunks is None else _last_claim(file, length, chunks)


def _file_claim(file: BinaryIO, head: bytes, length: int) -> _Claim | None:
    """The size of the file, in other containers."""
    if head[8:12] == b"AVI ":
        return _last_riff_claim(file, length)
    if head[:4] == _ASF_HEADER:
        return _last_claim(file, length, _ASF)
    if head[:4] == _MATROSKA:
        return _segment_claim(head)
    if head[:3] == b"FLV" and len(stated := head.partition(b"filesize\0")[2]) >= 8:
        return _Claim(0, int(min(2.0**62, max(0.0, struct.unpack_from(">d", stated)[0]))))
    if head.startswith(_MXF) and len(head) > 64:
        # A length of the pack follows its key of 16 bytes: one byte, or a count of bytes above 127 (SMPTE 336M, BER).
        # The place of the footer, the last partition, is 24 bytes into the value (SMPTE 377-1).
        value = 17 + (head[16] & 127 if head[16] > 127 else 0)  # of the first partition, which names the last
        return _Claim(0, int.from_bytes(head[value + 24 : value + 32], "big"))
    return _box_claim(file, length) if head[4:8] in _BOXES else None


def _last_riff_claim(file: BinaryIO, length: int) -> _Claim | None:
    """Bytes from the start of an AVI file to the end of its last RIFF; large files have several."""
    last = _last_claim(file, length, _AVI)
    return last if last is None or _is_open(file, last, length) else _Claim(0, last.start + last.size)


def _last_claim(file: BinaryIO, length: int, chunks: _Chunks) -> _Claim | None:
    """The size that the last chunk of a name states."""
    found = None
    for name, claim in _walk(file, length, chunks):
        if name.startswith(chunks.sound):
            found = claim
            # A large AVI has one RIFF after another (OpenDML), and only the last one shows where the file ends.
            if chunks is not _AVI or claim.size <= 0:
                break
    return found


def _walk(file: BinaryIO, length: int, chunks: _Chunks) -> Iterator[tuple[bytes, _Claim]]:
    """The name and the size of one chunk after the other."""
    head, at, large = struct.Struct(chunks.head), chunks.first, 0
    number = chunks.head[0] + chunks.head[-1]
    for _ in range(_MOST_CHUNKS):
        if at + head.size > length:
            return
        file.seek(at)
        name, size = head.unpack(file.read(head.size))
        start = at + head.size
        claim = _Claim(start, size - chunks.own, start - struct.calcsize(number), number, chunks.own)
        if name == b"ds64":
            large = start + 8
        elif large and large + 16 <= length and size == 2**32 - 1 and name.startswith(chunks.sound):
            file.seek(large)  # the number of samples stands behind the size, and is cleared with it
            claim = _Claim(start, struct.unpack("<q8x", file.read(16))[0], large, "<q8x")
        yield name, claim
        if claim.size < 0:
            return
        at = start + claim.size
        at += -at % chunks.step


def _segment_claim(head: bytes) -> _Claim | None:
    """The size of Matroska's segment; an unknown one has all bits set, which is round or less than is there."""
    at, size = _number(head, 4)
    if head[at + size : at + size + 4] != _SEGMENT:
        return None
    return _Claim(*_number(head, at + size + 4))


def _number(head: bytes, at: int) -> tuple[int, int]:
    """Where a number of Matroska's ends, and the number."""
    if at >= len(head):
        return at, 0
    # EBML: leading zero bits of the first byte count the bytes that follow; the rest of its bits belong to the number.
    bits = 7 * (9 - head[at].bit_length())
    end = at + bits // 7
    return end, int.from_bytes(head[at:end], "big") & (1 << bits) - 1


def _box_claim(file: BinaryIO, length: int) -> _Claim:
    """From the start of an MP4 file to the end of its last box."""
    at = 0
    for _ in range(_MOST_CHUNKS):
        if at + 16 > length:
            break
        file.seek(at)
        size, _, large = struct.unpack(">I4sQ", file.read(16))
        # 0: to the end of the file; 1: 64 bits follow (ISO 14496-12, 4.2).
        size = {0: length - at, 1: large}.get(size, size)
        if size < 8:
            break
        at += size
    return _Claim(0, at)
