"""The wheel, installed in a clean environment and run from another folder, does the main job."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_alone_runs_the_demo(tmp_path: Path) -> None:
    def run(*command: str | Path, cwd: Path = tmp_path) -> str:
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "WORKBENCH_HOME", "VIRTUAL_ENV")}
        done = subprocess.run(
            [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command[0]}: {done.stderr[-2000:]}"
        return done.stdout

    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "service/mcp/SKILL.md" in zipfile.ZipFile(wheel).namelist()
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements" / "core.lock")
    run(*pip, "--no-deps", wheel)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    workbench = tmp_path / "clean" / "bin" / "workbench"
    run(workbench, "demo", "--home", elsewhere / "home", cwd=elsewhere)

    made = elsewhere / "home" / "demo"
    assert {"video.mp4", "plan.json", "report.html"} <= {path.name for path in made.iterdir()}
    result = json.loads((made / "plan.json").read_text())
    assert result["applicable"] is True
    asking = "from pathlib import Path; from workbench.media.probe import probe; print(probe(Path({!r})).duration)"
    probed = run(python, "-c", asking.format("home/demo/video.mp4"), cwd=elsewhere)
    assert float(probed) == pytest.approx(300.0, abs=0.1)
