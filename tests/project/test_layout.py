"""A reader finds each item where CONTRIBUTING.md says it is."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
TOP_LEVEL_FOLDERS = {"notebooks", "workbench", "service", "data", "tests"}
VAGUE_NAMES = {"utils", "helpers", "common", "core", "misc"}


def tracked() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return listing.stdout.splitlines()


def test_where_is_names_paths_that_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split("## Where is…")[1].split("\n## ")[0]
    paths = re.findall(r"`(\w[\w.]*/[\w./]*)`", section)
    assert len(paths) >= 60
    assert [path for path in paths if not (ROOT / path).exists()] == []
    named = re.findall(r"`(\w[\w.]*/[\w./]*)` \(`(\w+)`\)", section)
    assert [(path, name) for path, name in named if f"def {name}(" not in (ROOT / path).read_text()] == []


def test_the_top_level_holds_the_fixed_folders_only() -> None:
    folders = {path.split("/")[0] for path in tracked() if "/" in path and not path.startswith(".")}
    assert folders == TOP_LEVEL_FOLDERS


def test_no_module_has_a_name_that_says_nothing() -> None:
    stems = {Path(path).stem for path in tracked() if path.startswith(("workbench/", "service/"))}
    assert stems & VAGUE_NAMES == set()


def test_packages_below_the_top_have_empty_init_files() -> None:
    """But for parameters, which are imported from their package, and the client library, whose interface it is."""
    gathering = {"workbench/__init__.py", "workbench/params/__init__.py", "service/clients/python/__init__.py"}
    full = [
        path
        for path in tracked()
        if path.endswith("__init__.py") and path not in gathering and (ROOT / path).read_text().strip()
    ]
    assert full == []


def test_every_module_of_the_packages_opens_with_its_method() -> None:
    bare = [
        path
        for path in tracked()
        if path.startswith(("workbench/", "service/"))
        and path.endswith(".py")
        and not path.endswith("__init__.py")
        and not (ROOT / path).read_text().startswith('"""')
    ]
    assert bare == []


def test_the_lock_files_name_hashes_and_no_host() -> None:
    locks = [*ROOT.glob("requirements*.lock"), ROOT / "tests/benchmarks/requirements-peers.lock"]
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
    locked = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", (ROOT / "requirements-oldest.lock").read_text(), re.M))
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
