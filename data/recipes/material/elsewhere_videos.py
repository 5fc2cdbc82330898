"""Fetch and list the videos by others that match is fitted to and tested on.

    python -m data.recipes.material.elsewhere_videos FOLDER [--role fit|test]

fetches the files that `elsewhere_videos.csv` names, from public repositories and Debian packages, into
FOLDER/<source>/. The repositories are read at their newest state; a file whose SHA-256 is no longer the one of the list
is named and left out. Nothing of the videos is committed.

The list keeps for each its source, licence, hash and role, and the labels of two people who saw nothing but stills in
order of time, before any program of the project had seen the video: which music it asks for, as energy (1 still to 5
frantic) and valence (1 dark to 5 joyful), and whether somebody visibly speaks for most of it. A source is fitted on or
tested on, never both.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import http.client
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
_RAW = "https://raw.githubusercontent.com/{repository}/HEAD/{path}"
_SECONDS = 60.0
"""s; until a server that does not answer is given up"""


@dataclass(frozen=True)
class ElsewhereVideo:
    """A video by others, and what two people said of it."""

    source: str
    """`github:owner/name` or `debian:package`"""
    path: str
    """inside the source"""
    licence: str
    sha256: str
    role: str
    """`fit` or `test`"""
    kind: str
    """what it shows"""
    energy: tuple[float, float]
    """1 still to 5 frantic, by each of the two"""
    valence: tuple[float, float]
    """1 dark to 5 joyful"""
    voice: bool
    """somebody visibly speaks for most of it"""

    @property
    def file(self) -> Path:
        """Where it lies in the folder of all videos."""
        return Path(self.source.replace(":", "__").replace("/", "__")) / Path(self.path).name


def elsewhere_videos(role: str | None = None) -> list[ElsewhereVideo]:
    """The videos of a role, all without one, in the order of the list."""
    with (HERE / "elsewhere_videos.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        ElsewhereVideo(
            source=row["source"],
            path=row["path"],
            licence=row["licence"],
            sha256=row["sha256"],
            role=row["role"],
            kind=row["kind"],
            energy=(float(row["energy_a"]), float(row["energy_b"])),
            valence=(float(row["valence_a"]), float(row["valence_b"])),
            voice=row["voice"] == "1",
        )
        for row in rows
        if role in (None, row["role"])
    ]


def fetch(folder: Path, video: ElsewhereVideo) -> str | None:
    """Download one video unless it is there; returns what went wrong, or None."""
    to = folder / video.file
    if to.exists():
        return None
    where, _, name = video.source.partition(":")
    try:
        content = _from_github(name, video.path) if where == "github" else _from_debian(name, video.path)
    except (OSError, ValueError, http.client.HTTPException, subprocess.CalledProcessError) as error:
        return f"cannot be had: {error}"
    if hashlib.sha256(content).hexdigest() != video.sha256:
        return "is another file than the one that was labelled"
    to.parent.mkdir(parents=True, exist_ok=True)
    partial = to.with_name(f".{to.name}")
    partial.write_bytes(content)
    partial.rename(to)
    return None


def _from_github(repository: str, path: str) -> bytes:
    address = _RAW.format(repository=repository, path=urllib.parse.quote(path))
    with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
        content: bytes = answer.read()
    return content


def _from_debian(package: str, path: str) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, check=True)
        (found,) = Path(scratch).glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", found, Path(scratch) / "unpacked"], check=True)
        return (Path(scratch) / "unpacked" / path).read_bytes()


def main() -> None:
    """Fetch the videos; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the videos of the elsewhere sets.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"])
    given = arguments.parse_args()
    failed = 0
    for video in elsewhere_videos(given.role):
        fault = fetch(given.folder, video)
        print(f"[videos] {video.source} {video.path}{f': {fault}' if fault else ''}", file=sys.stderr, flush=True)
        failed += fault is not None
    if failed:
        sys.exit(f"[videos] {failed} videos are missing")


if __name__ == "__main__":
    main()
