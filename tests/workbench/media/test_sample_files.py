"""Long recordings in files: the same samples, little memory, one clear error on a full disk, nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pytest

from workbench.analysis.workspace import Workspace
from workbench.errors import StoreError
from workbench.media import audio, sample_files
from workbench.media.audio import decode, write_audio
from workbench.media.sample_files import SampleFiles
from workbench.recording import release_pages
from workbench.store.home import Home

LONG_PROGRAM = """
import re, sys
from pathlib import Path
import numpy as np
from workbench.features.loudness import loudness_between
from workbench.features.spectrum import analyze_spectrum
from workbench.features.timbre import specific_loudness
from workbench.media.audio import decode

def peak():  # not getrusage: its figure is carried over from the parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

def read(samples, rate, seconds):
    loudness_between(samples, rate, np.array([0.0, 5.0]), np.array([seconds, 9.0]))
    specific_loudness(samples, rate, np.arange(0.0, seconds, 0.5), 24)

read(np.zeros((2, 80_000), dtype=np.float32), 8000, 10.0)
before = peak()
recording = decode(Path(sys.argv[1]), Path(sys.argv[2]))
read(recording.samples, recording.sample_rate, recording.duration)
print(recording.samples.nbytes / 2**20, peak() - before)
"""


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """Two seconds of noise in three channels."""
    samples = np.random.default_rng(0).uniform(-1, 1, (3, 16_000)).astype(np.float32)
    return write_audio(tmp_path / "noise.wav", [samples], 8000, 3)


@pytest.fixture
def filed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings of more than 100 samples lie in files."""
    monkeypatch.setattr(audio, "_MOST_IN_MEMORY", 1200)
    monkeypatch.setattr(audio, "_FILED_BYTES", 5000)


@pytest.mark.usefixtures("filed")
def test_samples_in_a_file_are_those_in_memory(noise: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "scratch"
    held, filed = decode(noise), decode(noise, folder)
    assert np.array_equal(held.samples, filed.samples)
    assert (held.sample_rate, held.content_hash) == (filed.sample_rate, filed.content_hash)
    assert not filed.samples.flags.writeable
    assert filed.samples.flags.c_contiguous
    release_pages(filed.samples[1, 5:])
    assert np.array_equal(held.samples, filed.samples)
    assert not any(folder.iterdir())  # the file has no name


@pytest.mark.usefixtures("filed")
def test_a_workspace_keeps_long_recordings_in_its_home(
    noise: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []

    class Seen(SampleFiles):
        def __init__(self, folder: Path, channels: int) -> None:
            folders.append(folder)
            super().__init__(folder, channels)

    monkeypatch.setattr(audio, "SampleFiles", Seen)
    home = Home(tmp_path / "home")
    with Workspace(home) as workspace:
        recording = workspace.load_recording(noise)
    assert folders == [home.scratch]
    assert np.array_equal(recording.samples, decode(noise).samples)  # also once the workspace is closed


def test_short_recordings_make_no_folder(noise: Path, tmp_path: Path) -> None:
    decode(noise, tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()


@pytest.mark.usefixtures("filed")
def test_a_folder_that_cannot_be_made_is_named(noise: Path, tmp_path: Path) -> None:
    folder = tmp_path / "file" / "scratch"
    folder.parent.write_text("in the way")
    with pytest.raises(StoreError, match=r"file/scratch: cannot hold the decoded sound .* by WORKBENCH_HOME"):
        decode(noise, folder)


@pytest.mark.usefixtures("filed")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("full", [0, 2])
def test_a_full_disk_is_one_clear_error(
    noise: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: int
) -> None:
    made = iter(range(3))

    def file_of(**named: Any) -> Any:
        return open("/dev/full", "rb+") if next(made) == full else TemporaryFile(**named)

    monkeypatch.setattr(sample_files, "TemporaryFile", file_of)
    with pytest.raises(StoreError, match=r"No space left on device.*free some disk space there") as caught:
        decode(noise, tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: ")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_a_file_that_reaches_its_limit_is_an_error_too(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys\nfrom pathlib import Path\nimport numpy as np\n"
        "from workbench.media.sample_files import SampleFiles\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, resource.RLIM_INFINITY))\n"
        "files = SampleFiles(Path(sys.argv[1]), 2)\n"
        "for _ in range(3):\n    files.append(np.zeros((2, 50_000), dtype=np.float32))\n"
        "files.finish()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"workbench.errors.StoreError: {tmp_path}: cannot hold")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_long_recording_is_never_in_memory_whole(tmp_path: Path) -> None:
    minute = 0.1 * np.random.default_rng(0).standard_normal((2, 8000 * 60)).astype(np.float32)
    path = write_audio(tmp_path / "long.wav", (minute for _ in range(50)), 8000, 2)
    command = [sys.executable, "-c", LONG_PROGRAM, str(path), str(tmp_path / "scratch")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    size, grown = (float(word) for word in done.stdout.split())
    assert size > 180.0
    assert grown < 130.0
