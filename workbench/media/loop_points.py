"""Loop points that a sound file carries: from where to where its maker meant it to be repeated.

WAV, RF64      the first forward loop of the `smpl` chunk; its end is the last sample played (Microsoft RIFF, 1994)
all others     the tags LOOPSTART, and LOOPLENGTH or LOOPEND, in samples (as RPG Maker and most engines read them)
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from workbench.media.claims import riff_chunks
from workbench.media.containers import open_media, sound_stream

_SMPL_HEAD_BYTES = 36
_FORWARD = 0
_MOST_BYTES = 1 << 16
_SAMPLES = re.compile(r"[0-9]{1,12}")


def read_loop_points(path: Path) -> tuple[float, float] | None:
    """The loop that an audio file carries: its start and end, track time, s; None without a valid one."""
    with open_media(path) as container:
        stream = sound_stream(container)
        if stream is None:
            return None
        found = _smpl_loop(path) if container.format.name == "wav" else None
        found = found or _tagged_loop({**container.metadata, **stream.metadata})
        rate = stream.codec_context.sample_rate
    return (found[0] / rate, found[1] / rate) if found is not None and rate and found[0] < found[1] else None


def _tagged_loop(tags: dict[str, str]) -> tuple[int, int] | None:
    """First sample of the loop and one past its last, from a file's tags."""
    named = {name.upper().replace("_", ""): value.strip() for name, value in tags.items()}
    start, length, end = (named.get(name, "") for name in ("LOOPSTART", "LOOPLENGTH", "LOOPEND"))
    if _SAMPLES.fullmatch(start) and _SAMPLES.fullmatch(length):
        return int(start), int(start) + int(length)
    return (int(start), int(end)) if _SAMPLES.fullmatch(start) and _SAMPLES.fullmatch(end) else None


def _smpl_loop(path: Path) -> tuple[int, int] | None:
    """First sample of the first forward loop of a WAV's `smpl` chunk and one past its last."""
    at = next(((start, size) for name, start, size in riff_chunks(path) if name == b"smpl"), None)
    if at is None:
        return None
    with path.open("rb") as file:
        file.seek(at[0])
        loops = file.read(min(at[1], _MOST_BYTES))[_SMPL_HEAD_BYTES:]
    for _, kind, start, last, _, _ in struct.iter_unpack("<6I", loops[: len(loops) // 24 * 24]):
        if kind == _FORWARD:
            return start, last + 1
    return None
