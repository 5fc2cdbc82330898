"""What leaves the studio: Ogg Vorbis files, truth, manifest, and the table of origin, licence and hash.

The encoder gives every stream a random number; it is replaced by one made from the name, so that the same mix gives
the same bytes on the same libvorbis.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import jams
import numpy as np
import soundfile

from data.recipes.engine.effects import Sound
from data.recipes.engine.mastering import CEILING_DB, limit
from data.recipes.engine.mixdown import Song
from data.recipes.engine.sampler import RATE
from data.recipes.engine.score import seed_of

DATA = Path(__file__).resolve().parent.parent
BUNDLED = DATA / "bundled"
MANIFEST = BUNDLED / "manifest.jsonl"
README = DATA / "README.md"
TABLE_START, TABLE_END = "<!-- files: made by compose.py --readme -->", "<!-- end of files -->"

# Origin and licence by folder or file below data/bundled; the first that fits counts.
ORIGINS = (
    (
        "music/",
        "composed and rendered by `data/recipes/compose.py`, sampled sounds from FluidR3 GM or MuseScore General",
        "CC0-1.0",
    ),
    ("truth/", "written by `data/recipes/compose.py` from the scores", "CC0-1.0"),
    ("voice/", "spoken by `data/recipes/speak.py` with eSpeak NG, our own text", "CC0-1.0"),
    ("manifest.jsonl", "written by `data/recipes/compose.py`", "CC0-1.0"),
)


@cache
def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = ((value << 1) ^ 0x04C11DB7 if value & 0x80000000 else value << 1) & 0xFFFFFFFF
        table.append(value)
    return tuple(table)


def _with_serial(ogg: bytes, serial: int) -> bytes:
    """The same Ogg stream under another serial number, with the checksum of every page renewed (RFC 3533)."""
    result, at, table = bytearray(ogg), 0, _crc_table()
    while at < len(result):
        if result[at : at + 4] != b"OggS":
            raise ValueError("not an Ogg page")
        segments = result[at + 26]
        size = 27 + segments + sum(result[at + 27 : at + 27 + segments])
        result[at + 14 : at + 18] = serial.to_bytes(4, "little")
        result[at + 22 : at + 26] = bytes(4)
        crc = 0
        for byte in result[at : at + size]:
            crc = ((crc << 8) & 0xFFFFFFFF) ^ table[(crc >> 24) ^ byte]
        result[at + 22 : at + 26] = crc.to_bytes(4, "little")
        at += size
    return bytes(result)


def write_ogg(path: Path, sound: Sound, quality: float, name: str) -> float:
    """Encode as Ogg Vorbis and return the peak of what a player decodes, in dB.

    Written a second at a time: libsndfile crashes on minutes in one call. Vorbis overshoots the limiter's ceiling;
    then the mix is limited again, lower by as much.
    """
    ceiling_db, limited = CEILING_DB, sound
    while True:
        with soundfile.SoundFile(
            path, "w", RATE, 2, format="OGG", subtype="VORBIS", compression_level=1 - quality
        ) as file:
            for start in range(0, len(sound), RATE):
                file.write(limited[start : start + RATE].astype(np.float32))
        path.write_bytes(_with_serial(path.read_bytes(), seed_of("ogg", name) & 0x7FFFFFFF))
        peak_db = 20 * float(np.log10(np.abs(soundfile.read(path)[0]).max() + 1e-12))
        if peak_db <= -1.02:
            return peak_db
        ceiling_db -= max(peak_db + 1.02, 0.1)
        limited = limit(sound, ceiling_db)


def write_truth(path: Path, truth: jams.JAMS) -> None:
    """Validate and write JAMS, an observation a line, so that diffs and sizes stay small."""
    truth.validate(strict=True)
    body = json.loads(truth.dumps())
    text = json.dumps(body, indent=None, separators=(",", ":"), sort_keys=True)
    for mark in ('{"confidence"', '{"annotation_metadata"', '"sandbox":{"batch"', '{"bars"'):
        text = text.replace(mark, "\n" + mark)
    path.write_text(text + "\n", encoding="utf-8")


def manifest_line(song: Song) -> dict[str, object]:
    """A song's line of the manifest."""
    line: dict[str, object] = {
        "path": f"music/{song.name}.ogg",
        "track_id": f"trk_demo_{song.name}",
        "catalog_song_id": f"song_demo_{song.name}",
        "catalog_audio_file_id": f"audio_demo_{song.name}_full",
        **song.facts,
        "musical_key_name": song.key_name or None,
        "musical_key_mode": song.key_mode or None,
        "kind": song.kind,
        "batch": song.batch,
    }
    return line


def update_manifest(song: Song) -> None:
    """Replace or add a song's line; lines stand in the order of batch, kind and name."""
    lines = (
        [json.loads(text) for text in MANIFEST.read_text(encoding="utf-8").splitlines()] if MANIFEST.exists() else []
    )
    lines = [line for line in lines if line["path"] != f"music/{song.name}.ogg"] + [manifest_line(song)]
    lines.sort(key=lambda line: (line["batch"], line["kind"] != "song", line["path"]))
    MANIFEST.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def _known_rows(text: str) -> dict[str, tuple[str, str]]:
    """Origin and licence of the files that the table names already."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = (cells[3], cells[2])
    return rows


def update_readme() -> None:
    """Renew the table of files in data/README.md; rows for files that others made keep their origin and licence."""
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(TABLE_START)
    old_table, after = rest.split(TABLE_END)
    known = _known_rows(old_table)
    rows = ["| file | bytes | licence | origin | SHA-256 |", "|---|---:|---|---|---|"]
    for path in sorted(p for p in BUNDLED.rglob("*") if p.is_file()):
        name = path.relative_to(BUNDLED).as_posix()
        own = next(((origin, licence) for prefix, origin, licence in ORIGINS if name.startswith(prefix)), None)
        origin, licence = own or known.get(name, ("?", "?"))
        body = path.read_bytes()
        rows.append(f"| `{name}` | {len(body)} | {licence} | {origin} | `{hashlib.sha256(body).hexdigest()}` |")
    README.write_text(before + TABLE_START + "\n" + "\n".join(rows) + "\n" + TABLE_END + after, encoding="utf-8")
