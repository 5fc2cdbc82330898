"""The image, the compose file and the systemd units, step by step: what each names is there, each command starts.

Containers are not built here: that takes a registry. Their instructions are read, and checked against the checkout.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from service.settings import ServiceSettings
from workbench.cli.main import all_commands, app
from workbench.store.settings import WorkbenchSettings

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "service" / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
SETTINGS = {f"WORKBENCH_{name.upper()}" for one in (WorkbenchSettings, ServiceSettings) for name in one.model_fields}


def instructions() -> list[tuple[str, str]]:
    """Instruction and rest of every line of the Containerfile, continued lines joined."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text())
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def commands() -> Iterator[tuple[str, list[str]]]:
    """Where each command line of ours stands, and its arguments."""
    found = dict(instructions())
    assert json.loads(found["ENTRYPOINT"]) == ["workbench"]
    yield "Containerfile", json.loads(found["CMD"])
    for name, service in compose()["services"].items():
        if service["image"] == "barline-workbench":
            yield name, service["command"]
    for unit in UNITS:
        (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.M)
        program, *arguments = shlex.split(line.replace("%i", "01"))
        assert program == "/opt/workbench/bin/workbench"
        yield unit.name, arguments


@pytest.mark.parametrize(("where", "arguments"), list(commands()), ids=lambda one: one if isinstance(one, str) else "")
def test_commands_are_those_of_the_console(where: str, arguments: list[str]) -> None:
    name, *options = arguments
    assert name in all_commands()
    context = click.Context(app)
    command = app.get_command(context, name)
    assert command is not None
    command.make_context(name, list(options), parent=context)  # fails on an option or a value that it does not know


def test_what_the_image_copies_is_in_the_checkout() -> None:
    for instruction, rest in instructions():
        if instruction == "COPY" and "--from" not in rest:
            *sources, _ = rest.split()
            assert [source for source in sources if not (ROOT / source).exists()] == []


def test_nothing_that_the_image_copies_is_kept_from_the_build() -> None:
    lines = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    ignored = {line for line in lines if line and not line.startswith("#")}
    assert {".git", ".venv"} <= ignored
    assert "--ignorefile service/deploy/Containerfile.dockerignore" in (DEPLOY / "Containerfile").read_text()
    copied = [source for word, rest in instructions() if word == "COPY" for source in rest.split()[:-1]]
    parts = {part for source in copied for part in Path(source).parts}
    assert ignored & parts == set()


def test_every_container_of_ours_has_a_health_check() -> None:
    """Of its own: an image in the OCI format has none."""
    ours = [service for service in compose()["services"].values() if service["image"] == "barline-workbench"]
    assert all("/healthz" in str(one["healthcheck"]) or "/readyz" in str(one["healthcheck"]) for one in ours)


def test_health_checks_of_ours_are_lines_of_a_shell_that_run() -> None:
    """Not lists, which podman-compose 1.0.3 joins so that no shell can read brackets in them."""
    checks = [
        one["healthcheck"]["test"] for one in compose()["services"].values() if one["image"] == "barline-workbench"
    ]
    for word, *lines in checks:
        assert word == "CMD-SHELL"
        (line,) = lines
        program, option, code = shlex.split(line)
        assert (program, option) == ("python", "-c")
        compile(code, "health check", "exec")


def test_kernels_are_compiled_for_the_package_that_the_image_runs(tmp_path: Path) -> None:
    """numba finds them by the path of their source, and by its time, of which a layer keeps whole seconds."""
    (run,) = [rest for word, rest in instructions() if word == "RUN" and "warm_up" in rest]
    install, whole_seconds, *_, warm_up = run.split("&&")
    assert "pip install" in install
    # -P: not those of the build's folder
    assert shlex.split(warm_up)[-3:] == ["-P", "-m", "workbench.analysis.warm_up"]
    assert shlex.split(warm_up)[0] in dict(instructions())["ENV"].split()
    source = tmp_path / "lib/python3.11/site-packages/workbench/beats/_kernels.py"
    source.parent.mkdir(parents=True)
    source.touch()
    os.utime(source, ns=(0, 1_700_000_000_987_654_321))

    subprocess.run(["sh", "-ec", whole_seconds.replace("/opt/workbench", str(tmp_path))], check=True, timeout=60)

    assert source.stat().st_mtime_ns == 1_700_000_000_000_000_000


def test_each_of_a_hundred_workers_has_a_port() -> None:
    (line,) = re.findall(r"--health-port (\S+)", (DEPLOY / "workbench-worker@.service").read_text())
    assert [int(line.replace("%i", number)) for number in ("01", "10", "99")] == [9101, 9110, 9199]


def test_the_image_installs_by_hash_and_runs_without_rights() -> None:
    found = instructions()
    installs = [part for word, rest in found if word == "RUN" for part in rest.split("&&") if "pip install" in part]
    assert all("--require-hashes" in part or part.rstrip().endswith("--no-build-isolation .") for part in installs)
    assert [rest for word, rest in found if word == "USER"] == ["10001:10001"]
    assert "HEALTHCHECK" in dict(found)
    copied = {source for word, rest in found if word == "COPY" for source in rest.split()[:-1]}
    locks = {name for part in installs for name in re.findall(r"-r (\S+)", part)}
    assert locks <= copied


def test_settings_and_variables_exist() -> None:
    named = set(re.findall(r"WORKBENCH_[A-Z_]+(?=[=:])", "".join(path.read_text() for path in DEPLOY.iterdir())))
    assert named
    assert named <= SETTINGS


def test_containers_write_to_their_volumes_alone() -> None:
    services = compose()["services"]
    ours = [service for service in services.values() if service["image"] == "barline-workbench"]
    homes = [volume for service in ours for volume in service["volumes"]]
    assert len(ours) == 4
    assert len(set(homes)) == 4  # no two share a folder
    assert all(service["read_only"] and service["cap_drop"] == ["ALL"] for service in ours)
    assert {volume.partition(":")[0] for volume in homes} <= set(compose()["volumes"])
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)


def test_units_are_started_again_however_often_they_ended() -> None:
    """Where the database is not up yet a process ends at once, and systemd gives up after five ends in ten seconds."""
    for unit in UNITS:
        lines = unit.read_text().splitlines()
        assert "Restart=always" in lines
        assert "StartLimitIntervalSec=0" in lines[lines.index("[Unit]") : lines.index("[Service]")]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_are_sound(unit: Path, tmp_path: Path) -> None:
    """With a program in the place of ours, which is not installed here."""
    path = tmp_path / unit.name.replace("@.", "@01.")
    path.write_text(unit.read_text().replace("/opt/workbench/bin/workbench", "/bin/true"))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True, timeout=60, check=False
    )

    ours = [line for line in done.stderr.splitlines() if unit.name.partition("@")[0].removesuffix(".service") in line]
    assert ours == []
