"""Where neither the installation nor the user has a folder for caches, kernels are saved in the home, or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from tests.damage import WAYS, Way, cut, damage, files_in, flipped
from workbench.caches import intact, lend_home, made

KERNEL = """
import sys
import numpy as np
import workbench
if len(sys.argv) > 1:
    workbench.open(sys.argv[1])
from workbench.mix._kernels import require_gain
required = np.ones(3)
require_gain(np.array([0.5, 1.0]), 0.5, required)
print(workbench.__file__, required.tolist())
"""


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package beside whose modules not even the super-user can save compiled code."""
    folder = tmp_path_factory.mktemp("site")
    source = Path(workbench.__file__).parent
    shutil.copytree(source, folder / "workbench", ignore=shutil.ignore_patterns("__pycache__", "*.json", "*.npz"))
    for kernels in (folder / "workbench").rglob("_kernels.py"):
        (kernels.parent / "__pycache__").touch()
    return folder


def without_home(read_only: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of a user whose home cannot be created."""
    inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "SYSTEMROOT")}
    repository = Path(workbench.__file__).parents[1]
    environment = {
        "HOME": "/dev/null/none",
        "PYTHONPATH": os.pathsep.join((str(read_only), str(repository))),
        **inherited,
        **variables,
    }
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, env=environment, cwd=read_only
    )


@pytest.mark.parametrize("variables", [{}, {"NUMBA_CACHE_DIR": "/dev/null/kernels"}])
def test_kernels_are_saved_in_the_home(read_only: Path, tmp_path: Path, variables: dict[str, str]) -> None:
    done = without_home(read_only, "-c", KERNEL, str(tmp_path), **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(str(read_only))
    assert "[1.0, 0.5, 0.5]" in done.stdout
    assert list((tmp_path / "caches" / "numba").rglob("*require_gain*.nbi"))


def test_without_a_home_they_are_compiled_again_and_a_line_says_what_that_costs(read_only: Path) -> None:
    done = without_home(read_only, "-c", KERNEL)
    assert done.returncode == 0
    assert "every process compiles kernels again" in done.stderr
    assert "[1.0, 0.5, 0.5]" in done.stdout


def test_a_folder_that_the_user_names_is_used(read_only: Path, tmp_path: Path) -> None:
    done = without_home(read_only, "-c", KERNEL, str(tmp_path / "home"), NUMBA_CACHE_DIR=str(tmp_path / "named"))
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "named").rglob("*require_gain*.nbi"))


def test_a_command_says_once_what_it_costs(read_only: Path, tmp_path: Path) -> None:
    command = ("-m", "workbench", "settings", "--home", str(tmp_path))
    done = without_home(read_only, *command)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("workbench: this user has no cache folder: kernels are compiled once more")
    (tmp_path / "caches" / "numba").mkdir(parents=True)
    assert without_home(read_only, *command).stderr == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the super-user can become another")
@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"])
def test_a_folder_that_is_closed_to_the_user_is_none(tmp_path: Path, variable: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    program = (
        "import os, sys; from pathlib import Path; from workbench import caches; import platformdirs\n"
        "os.setuid(12345)\n"
        "caches.lend_home(Path('/dev/null/none'))\n"
        "assert not os.environ.get('NUMBA_CACHE_DIR', '').startswith(sys.argv[1])"
    )
    inherited = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    environment = {**inherited, "HOME": "/dev/null/none", variable: str(closed / "inside")}
    done = subprocess.run(
        [sys.executable, "-c", program, str(closed)], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_user_with_a_cache_folder_is_lent_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = dict(os.environ)
    assert lend_home(tmp_path / "home") is None
    assert dict(os.environ) == before


@pytest.fixture(scope="module")
def kernels(read_only: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of compiled code."""
    folder = tmp_path_factory.mktemp("kernels")
    without_home(read_only, "-c", KERNEL, NUMBA_CACHE_DIR=str(folder))
    return folder


@pytest.mark.parametrize(("kind", "way"), [(".nbi", flipped), (".nbc", cut)])
def test_damaged_kernels_are_compiled_again(read_only: Path, kernels: Path, kind: str, way: Way) -> None:
    without_home(read_only, "-c", KERNEL, NUMBA_CACHE_DIR=str(kernels))  # notes what was compiled before
    assert damage([file for file in files_in(kernels) if file.suffix == kind and "require_gain" in file.name], way)
    done = without_home(read_only, "-c", KERNEL, NUMBA_CACHE_DIR=str(kernels))
    assert done.returncode == 0
    assert "is damaged" in done.stderr
    assert "[1.0, 0.5, 0.5]" in done.stdout


class TestMade:
    def write(self, path: Path) -> None:
        path.write_bytes(bytes(range(256)) * 8)

    def never(self, path: Path) -> None:
        pytest.fail("made again although it is as it was written")

    @pytest.mark.parametrize("way", WAYS)
    def test_a_damaged_file_is_made_again_and_said(
        self, tmp_path: Path, way: Way, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = made(tmp_path / "derived.bin", self.write)
        made(path, self.never)
        assert damage([path], way)
        assert intact(path) is None
        assert f"{path} is damaged" in caplog.text
        made(path, self.write)
        made(path, self.never)
        self.write(tmp_path / "plain")
        assert path.read_bytes() == (tmp_path / "plain").read_bytes()

    def test_one_whose_note_is_lost_is_made_again(self, tmp_path: Path) -> None:
        path = made(tmp_path / "derived.bin", self.write)
        damage(files_in(tmp_path), WAYS[2])
        made(path, self.write)
        made(path, self.never)
