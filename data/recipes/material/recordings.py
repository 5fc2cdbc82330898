"""Fetch and list the recordings that judgements are fitted to and tested on.

    python -m data.recipes.material.recordings FOLDER [--role fit|test] [--loops] [--check]

fetches the Debian packages that `sources.toml` names and unpacks their music and copyright files into FOLDER, one
folder a package. It needs `apt-get` and `dpkg-deb`, and no rights: nothing is installed. Packages that are there
already are left alone. Nothing of it is committed; `recording_labels.csv` keeps the hashes of the recordings that
figures were made with, and `--check` says which of FOLDER differ from them: Debian may have a newer package.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
LABELS = HERE / "recording_labels.csv"
SUFFIXES = frozenset({".ogg", ".opus", ".flac", ".mp3"})
SECONDS = (45.0, 700.0)
"""s; shorter ones are stingers, longer ones are not what is licensed by the track"""
_LEAST_BYTES = 500_000
_STEMS = frozenset({"guitar", "rhythm", "drums"})
"""parts of a song, by the names of their files"""
_TALK = frozenset({"StartOfGame"})
"""no music: a person who speaks, by the names of the files"""


@dataclass(frozen=True)
class Source:
    """A package with music."""

    package: str
    role: str
    """`fit` or `test`"""
    music: str
    loops_only: bool = False
    """whether it is for seams and loops alone: nobody has labelled its energy, mood or voices"""


@dataclass(frozen=True)
class ElsewhereRecording:
    """One recording of a source."""

    source: Source
    path: Path
    seconds: float

    @property
    def name(self) -> str:
        """Package and file, as tables show it."""
        folder = f"{self.path.parent.name}/" if self.path.stem == "song" else ""
        return f"{self.source.package.split('-')[0]}: {folder}{self.path.stem}"


def sources(role: str | None = None, *, loops: bool = False) -> list[Source]:
    """The sources of a role, all without one; `loops` adds those that serve seams and loops alone."""
    rows = tomllib.loads((HERE / "sources.toml").read_text())["source"]
    found = [Source(**row) for row in rows if role in (None, row["role"])]
    return [source for source in found if loops or not source.loops_only]


def fetch(folder: Path, source: Source) -> None:
    """Download a source unless its folder is there, and unpack its sound and its copyright."""
    fetch_package(folder, source.package, SUFFIXES)


def fetch_package(folder: Path, package: str, suffixes: frozenset[str]) -> None:
    """Download a Debian package unless its folder is there, and unpack its copyright and files of some suffixes."""
    to = folder / package
    if to.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{package}-", dir=folder) as scratch:
        subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, check=True)
        (downloaded,) = Path(scratch).glob("*.deb")
        unpacked, kept = Path(scratch) / "unpacked", Path(scratch) / "kept"
        kept.mkdir()
        subprocess.run(["dpkg-deb", "-x", downloaded, unpacked], check=True)
        for path in sorted(unpacked.rglob("*")):
            if path.is_file() and (path.suffix in suffixes or path.name.startswith("copyright")):
                target = kept / path.relative_to(unpacked)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        try:
            kept.rename(to)
        except OSError:
            if not to.exists():  # else another run was quicker, and has the same
                raise


def recordings(folder: Path, role: str, *, loops: bool = False) -> list[ElsewhereRecording]:
    """The recordings of a role that are in a folder, by source and name; `loops` is that of `sources`."""
    import av
    import av.error

    found = []
    for source in sources(role, loops=loops):
        for path in sorted((folder / source.package).rglob("*")):
            if path.suffix not in SUFFIXES or path.stem in _STEMS | _TALK or path.stat().st_size < _LEAST_BYTES:
                continue
            try:
                with av.open(str(path)) as container:
                    seconds = (container.duration or 0) / av.time_base
            except av.error.InvalidDataError:  # three of hyperrogue have their Vorbis headers twice
                print(f"[elsewhere] {source.package}: FFmpeg does not read {path.name}", file=sys.stderr)
                continue
            if SECONDS[0] <= seconds <= SECONDS[1]:
                found.append(ElsewhereRecording(source, path, seconds))
    return found


def differing(folder: Path, labels: Path = LABELS) -> list[str]:
    """Recordings whose hash is not that of the labels, as package and path; missing packages are left out."""
    found = []
    with labels.open(newline="") as file:
        for row in csv.DictReader(file):
            path = folder / row["package"] / row["path"]
            package_is_here = (folder / row["package"]).exists()
            if package_is_here and not (
                path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == row["sha256"]
            ):
                found.append(f"{row['package']}: {row['path']}")
    return found


def main() -> None:
    """Fetch the sets; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the recordings of the elsewhere sets.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"])
    arguments.add_argument("--loops", action="store_true", help="also the sources that are for seams and loops alone")
    arguments.add_argument(
        "--check", action="store_true", help="say which differ from those that figures were made with"
    )
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for source in sources(given.role, loops=given.loops):
        print(f"[elsewhere] {source.package}", file=sys.stderr, flush=True)
        fetch(given.folder, source)
    if given.check:
        others = differing(given.folder)
        print("\n".join(others) or "all are those that figures were made with")


if __name__ == "__main__":
    main()
