"""What was learned is part of what is kept: other weights have another digest, so that no old grid answers for them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import workbench
from workbench.beats.weights import fitted_digest

PROGRAM = "from workbench.beats.weights import fitted_digest as d; print(d('network'), d('onsets'))"


def digests(package: Path) -> list[str]:
    """Of the network's tracker and of the other, as a copy of the package tells them in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-B", "-c", PROGRAM]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=package.parent
    ).stdout.split()


def train_anew(package: Path) -> None:
    path = package / "models" / "beat_network.npz"
    with np.load(path) as packed:
        layers = dict(packed)
    layers["heads_bias"] = layers["heads_bias"] + np.float16(0.01)
    np.savez(path, **layers)


def refit(package: Path) -> None:
    path = package / "models" / "beat_readings.json"
    numbers = json.loads(path.read_text())
    path.write_text(json.dumps(numbers | {"onsets": {**numbers["onsets"], "nats": {}}}))


@pytest.mark.parametrize(("change", "changed"), [(train_anew, [True, False]), (refit, [False, True])])
def test_other_weights_have_another_digest(change: Callable[[Path], None], changed: list[bool], tmp_path: Path) -> None:
    source = Path(str(workbench.__file__)).parent
    package = Path(shutil.copytree(source, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__")))
    before = digests(package)
    assert before == [fitted_digest("network"), fitted_digest("onsets")]
    change(package)
    assert [one != other for one, other in zip(before, digests(package), strict=True)] == changed
