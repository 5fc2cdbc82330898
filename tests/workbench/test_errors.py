"""The exception tree, and what a core install says when a command needs more than it has."""

from __future__ import annotations

import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

import pytest

from workbench.errors import (
    Argument,
    ExtraMissing,
    InputError,
    PlanError,
    ResourceMissing,
    Sentence,
    StoreError,
    UnknownTrack,
    UnknownVideo,
    has_extra,
    install_command,
    require_extra,
    requirements,
)
from workbench.plans.refusals import contradiction


def test_errors_are_also_the_builtins_that_python_code_expects() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(UnknownTrack, KeyError)
    assert issubclass(UnknownVideo, KeyError)
    assert issubclass(StoreError, OSError)
    assert issubclass(ExtraMissing, ResourceMissing)
    assert not issubclass(StoreError, InputError)


ROOT = Path(__file__).parents[2]
TRACK = ROOT / "data" / "bundled" / "music" / "corner_store.ogg"
EXTRAS = ("dashboard", "service", "lab", "export", "mcp", "words", "scale", "optuna")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the packages of core.lock only, linked from the one that tests."""
    folder = tmp_path_factory.mktemp("core")
    venv.create(folder, with_pip=False)
    (site,) = (folder / "lib").glob("python*/site-packages")
    locked = re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements" / "core.lock").read_text(), re.MULTILINE)
    for name in {*locked, "barline-workbench"}:
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another Python or system
            continue
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            if not (site / top).exists():
                (site / top).symlink_to(str(distribution.locate_file(top)))
    return folder / "bin" / "python"


def run(python: Path, home: Path, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run one command of the program as a user of that environment would."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "WORKBENCH_"))}
    return subprocess.run(
        [str(python), "-m", "workbench", *command],
        env={**environment, **settings, "WORKBENCH_HOME": str(home)},
        cwd=python.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("extra", "command"),
    [
        ("dashboard", ["dashboard", "--no-show"]),
        ("lab", ["lab", "--no-browser"]),
        ("lab", ["report", "reports/track", "-o", "track.html"]),
        ("service", ["serve", "--port", "0"]),
        ("service", ["serve", "--port", "0", "--demo"]),
        ("service", ["worker"]),
        ("mcp", ["mcp"]),
        ("scale", ["catalog", "add", str(TRACK), "--scheduler", "tcp://127.0.0.1:1"]),
        (
            "optuna",
            ["sweep", "--param", "cover.seams_weight=0,1", "--dataset", "bundled", "-o", "s.zarr", "--search", "1"],
        ),
    ],
)
def test_a_command_without_its_packages_says_one_sentence_and_writes_nothing(
    core: Path, tmp_path: Path, extra: str, command: list[str]
) -> None:
    home = tmp_path / "home"
    done = run(core, home, *command)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    first = next(iter(requirements(extra))).name
    assert re.match(rf"workbench: .+ needs {re.escape(first)}\b.*, which (is|are) not installed; run: ", line)
    assert line.endswith(shlex.quote(f"{ROOT}[{extra}]"))
    assert not home.exists()
    assert not (core.parent / "track.html").exists()


def test_postgresql_without_its_driver_is_named(core: Path, tmp_path: Path) -> None:
    done = run(core, tmp_path, "keys", "list", WORKBENCH_DATABASE_URL="postgresql+psycopg://127.0.0.1:1/none")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert re.match(r"workbench: a PostgreSQL database needs .*psycopg.* not installed; run: ", line)


@pytest.mark.slow
def test_the_rest_of_the_program_works_on_the_core(core: Path, tmp_path: Path) -> None:
    done = run(core, tmp_path, "loop", str(TRACK), "--seconds", "200")
    assert done.returncode == 0, done.stderr
    (tmp_path / "plan.json").write_text(done.stdout)
    for form in ("rpp", "csv"):
        out = tmp_path / f"plan.{form}"
        written = run(core, tmp_path, "export", str(tmp_path / "plan.json"), "--format", form, "--track", str(TRACK),
                      "-o", str(out))  # fmt: skip
        assert written.returncode == 0, written.stderr
    out = tmp_path / "plan.otio"
    refused = run(core, tmp_path, "export", str(tmp_path / "plan.json"), "--format", "otio", "--track", str(TRACK),
                  "-o", str(out))  # fmt: skip
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert re.match(r"workbench: the format otio needs .*opentimelineio.* not installed; run: ", line)
    assert not out.exists()


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_has_a_make_target_that_installs_a_lock(extra: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    planned = subprocess.run(
        ["make", "-n", "-B", f"PYTHON={sys.executable}", f"setup-{extra}"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert planned.returncode == 0, planned.stderr
    (lock,) = re.findall(r"--require-hashes --no-deps -r (\S+)", planned.stdout)
    locked = (ROOT / lock).read_text()
    for needed in requirements(extra):
        assert re.search(rf"^{needed.name}==", locked, re.MULTILINE), needed


def test_an_extra_that_is_there_is_not_asked_for() -> None:
    assert has_extra("build")  # every lock brings what builds the package
    require_extra("build", "this test")


def test_an_unknown_extra_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="no such extra"):
        require_extra("nothing", "this test")


def test_the_command_installs_into_the_environment_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = shlex.split(install_command("export"))
    if Path(sys.prefix) == ROOT / ".venv":
        assert command == ["make", "-C", str(ROOT), "setup-export"]
    else:
        assert command == [sys.executable, "-m", "pip", "install", "-e", f"{ROOT}[export]"]


def test_a_sentence_reads_as_one_text_and_keeps_its_values() -> None:
    said = Sentence("give ", Argument("track")) + " or " + Sentence(Argument("video"))
    assert str(said) == "give track or video"
    assert said.parts == ("give ", Argument("track"), " or ", Argument("video"))
    assert said == Sentence(*said.parts)
    assert not Sentence()
    error = pickle.loads(pickle.dumps(PlanError(*said.parts)))
    assert (str(error), error.sentence) == (str(said), said)
    assert str(contradiction(said, ())) == contradiction(said, ()).hint == "give track or video."
