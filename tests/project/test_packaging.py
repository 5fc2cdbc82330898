"""What an installation meets: lock files, bounds of dependencies, and the time that `import workbench` takes."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def test_the_lock_files_name_hashes_and_no_host() -> None:
    locks = sorted((ROOT / "requirements").glob("*.lock"))
    assert len(locks) >= 10
    for lock in locks:
        text = lock.read_text()
        assert "://" not in text, lock.name
        assert text.count("--hash=sha256:") >= len(re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE)) > 0, lock.name


def test_the_oldest_lock_holds_the_lower_bounds() -> None:
    """What `pyproject.toml` states as the oldest version of a package is what the oldest lock tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    faces = ("service", "otel", "mcp", "words", "scale", "export", "dashboard", "lab", "optuna")
    locked = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", (ROOT / "requirements" / "oldest.lock").read_text(), re.M))
    for line in [*project["dependencies"], *(line for face in faces for line in extras[face])]:
        needed = Requirement(line)
        (lowest,) = [Version(spec.version) for spec in needed.specifier if spec.operator == ">="]
        assert [spec for spec in needed.specifier if spec.operator == "<"], f"{line}: no upper bound"
        found = Version(locked[needed.name])
        assert found.release[: len(lowest.release)] == lowest.release, f"{line}: the lock tests {found}"


def test_import_is_quick() -> None:
    """Under 0.3 s of CPU beyond the bare interpreter, the best of five: the budget is for the code, not the machine."""
    program = "import resource, workbench; print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)"
    bare = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_utime)"

    def cpu(code: str) -> float:
        runs = [
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for _ in range(5)
        ]
        return min(float(run) for run in runs)

    assert cpu(program) - cpu(bare) < 0.3
