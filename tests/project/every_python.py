"""Set-up, demo and a smoke test on every supported Python of this machine, or on the oldest packages allowed.

`make test-pythons` runs the first and `make test-oldest` the second; both need nothing but a Python. Interpreters are
found by name (`python3.12`) and among pyenv's versions. Each gets an environment of its own below `.make/pythons/`,
made by the same make targets that a user calls, so the lock files are installed on each Python too; two run at a time,
and every line says whose it is. The whole suite runs on one Python only, that of `.venv` (`make test`), which is left
out here unless it is named; on the others it is what shows that files are decoded and analysed, plans made and
rendered, a request answered and the page opened.

The oldest packages are those of `requirements/oldest.lock`, the lower bounds of `pyproject.toml`, on the oldest Python.
Warnings are no errors there: old packages warn of each other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / ".make" / "pythons"
SUPPORTED = ("3.11", "3.12", "3.13")
DEMO_SECONDS = "160"
"""as short as a bundled track can cover"""
AT_A_TIME = 2
"""most steps keep one core busy"""
SMOKE_TESTS = (
    "tests/workbench/media",
    "tests/workbench/store",
    "tests/workbench/render/test_playback.py",
    "tests/workbench/cli/test_loop.py",
    "tests/workbench/test_errors.py",
    "tests/contract/test_lanes.py",
    "tests/browser/test_page.py::test_every_tab_opens_with_a_name_for_each_control_and_nothing_in_the_way_of_anybody",
)
"""decoding, stored arrays and records, renders, plans, optional packages, the running service, the page

Of the page one test, which opens every tab: what else a browser sees depends on no Python, and takes minutes."""


def main() -> int:
    """Run everything; returns 1 if anything failed or no supported Python was found."""
    arguments = argparse.ArgumentParser(description="Set-up, demo and a smoke test on every supported Python.")
    arguments.add_argument("--only", choices=[*SUPPORTED, "oldest"], action="append", help="run just this one")
    suite_on = version_of(ROOT / ".venv" / "bin" / "python")
    wanted = arguments.parse_args().only or [version for version in SUPPORTED if version != suite_on]
    found = {version: python for version in SUPPORTED if (python := find_python(version)) is not None}
    for version in SUPPORTED:
        told = found.get(version, "not on this machine, so not tested")
        note = "; the whole suite runs on it, in .venv" if version == suite_on and version not in wanted else ""
        print(f"[pythons] {version}: {told}{note}", flush=True)
    if not found:
        return 1
    tested = {version: python for version, python in found.items() if version in wanted}
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        good = dict(zip(tested, pool.map(passes, tested, tested.values()), strict=True))
    failed = [version for version in tested if not good[version]]
    if "oldest" in wanted and not passes_with_oldest(next(iter(found.values()))):
        failed.append("oldest packages")
    print(f"[pythons] failed: {', '.join(failed)}" if failed else "[pythons] all passed", flush=True)
    return 1 if failed else 0


def find_python(version: str) -> Path | None:
    """An interpreter of a version, such as "3.12", that can make environments; None where there is none."""
    return next((python for python in _candidates(version) if version_of(python) == version), None)


def version_of(python: Path) -> str | None:
    """Version of an interpreter, such as "3.12"; None where it is none, or cannot make environments."""
    asked = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        told = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return told.stdout.strip() if told.returncode == 0 else None


def passes(version: str, python: Path) -> bool:
    """Set up from the lock files by make, run the demo and the smoke tests."""
    environment = ENVIRONMENTS / version
    with tempfile.TemporaryDirectory() as home:
        make = ["make", "--no-print-directory", f"VENV={environment}", f"PYTHON={python}"]
        demo = [*make, f"DEMO_HOME={home}", f"DEMO_SECONDS={DEMO_SECONDS}", "demo"]
        return run(version, demo) and run(version, [*make, "setup-dev"]) and run(version, smoke(environment))


def passes_with_oldest(python: Path) -> bool:
    """The same with the oldest packages that pyproject.toml allows."""
    name, environment = "oldest", ENVIRONMENTS / "oldest"
    bin_ = environment / "bin"
    pip: list[str | Path] = [
        bin_ / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    with tempfile.TemporaryDirectory() as home:
        return (
            run(name, [python, "-m", "venv", environment])
            and run(name, [*pip, "--require-hashes", "-r", ROOT / "requirements" / "oldest.lock"])
            and run(name, [*pip, "--no-build-isolation", "-e", ROOT])
            and run(name, [bin_ / "workbench", "demo", "--home", home, "--seconds", DEMO_SECONDS])
            and run(name, [*smoke(environment), "-o", "filterwarnings=default"])
        )


def smoke(environment: Path) -> list[str | Path]:
    """The command of the smoke tests in an environment."""
    return [environment / "bin" / "python", "-m", "pytest", "-q", "-m", "not slow", *SMOKE_TESTS]


def run(name: str, command: Sequence[str | Path]) -> bool:
    """Run one step in the checkout; every line that it prints gets the name, the last one says how long it took."""
    shown = " ".join(str(part) for part in command)
    print(f"[pythons] {name}: {shown}", flush=True)
    started = time.monotonic()
    # An environment that is active must not be taken for the one under test.
    clean = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS")}
    step = subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        env=clean,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with step:
        assert step.stdout is not None
        for line in step.stdout:
            print(f"[pythons] {name}: {line}", end="", flush=True)
    print(f"[pythons] {name}: exit {step.returncode} after {time.monotonic() - started:.0f} s", flush=True)
    return step.returncode == 0


def _candidates(version: str) -> Iterator[Path]:
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)
    for folder in os.get_exec_path():
        named = shutil.which(f"python{version}", path=folder)
        if named is not None:
            yield Path(named)


if __name__ == "__main__":
    sys.exit(main())
