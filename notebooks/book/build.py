"""Builds the book: one folder of HTML that needs no server and no network.

    python -m notebooks.book.build build/book

Sources are written beside the result and Sphinx builds them, in an environment of its own that `make book` installs.
Whatever is wrong with a command, a name or a link ends the build.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import workbench
from notebooks.book.checks import built_faults, missing_names, page_faults
from notebooks.book.modules import described_as, public_modules
from notebooks.book.sources import HERE, ROOT, write_sources

SPHINX = Path(sys.prefix) / "book" / "bin" / "python"
"""`make book` installs it"""


def build(out: Path, sphinx: Path = SPHINX) -> list[str]:
    """Build the book and return its faults, a line each; `out` is replaced only if there are none.

    `sphinx` is the Python of an environment with Sphinx and with the packages of the workbench.
    """
    faults = [fault for page in _pages() for fault in page_faults(page, ROOT)]
    if faults:
        return faults
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=out.parent) as made:
        sources, built = Path(made) / "sources", Path(made) / "html"
        with TemporaryDirectory() as work:
            write_sources(sources, Path(work), sphinx, _say)
        _say("Sphinx builds the pages")
        trees = str(Path(made) / "trees")
        command = [str(sphinx), "-m", "sphinx", "-j", "auto", "-W", "--keep-going", "-q", "-c", str(HERE), "-d", trees]
        command += ["-b", "html", str(sources), str(built)]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        if done.returncode != 0:
            return ["Sphinx found faults, see above"]
        _copy_sounds(sources, built)
        _say("checking names and links")
        named = {module for modules in public_modules().values() for module in modules}
        named |= {described_as(name) for name in workbench.__all__}
        faults = [*built_faults(built), *(f"{name} is described nowhere" for name in missing_names(built, named))]
        if not faults:
            shutil.rmtree(out, ignore_errors=True)
            built.rename(out)
    return faults


def main() -> int:
    """Build the book from the command line."""
    parser = argparse.ArgumentParser(
        prog="notebooks.book.build", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--sphinx", type=Path, default=SPHINX, help="Python of the environment with Sphinx")
    given = parser.parse_args()
    faults = build(given.out.absolute(), given.sphinx)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        size = sum(path.stat().st_size for path in given.out.rglob("*") if path.is_file())
        print(f"{given.out / 'index.html'} ({size / 1e6:.1f} MB)")
    return bool(faults)


def _pages() -> list[Path]:
    return [HERE / "index.md", HERE / "glossary.md", *sorted((HERE / "how_to").glob("*.md"))]


def _copy_sounds(sources: Path, built: Path) -> None:
    """Sounds of gallery and notebooks stand in the pages as HTML, which Sphinx does not look into."""
    for path in sources.rglob("*.mp3"):
        target = built / path.relative_to(sources)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _say(text: str) -> None:
    print(f"[book] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
