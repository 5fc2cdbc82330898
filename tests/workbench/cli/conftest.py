"""A track and a video that are quick to analyse, and a home folder with their analyses in it."""

import signal
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.videos import coloured_shots, write_video
from workbench.cli.main import run

RATE = 22_050
FPS, SECONDS = 25, 20
CUTS = (4.0, 8.0, 11.0, 16.0)


@pytest.fixture(scope="session")
def track_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen bars of 4/4 at 120 bpm, twice the same eight: kick on 1 and 3, snare on 2 and 4, chords below."""
    path = tmp_path_factory.mktemp("track") / "sixteen.wav"
    soundfile.write(path, drum_track(bars=16), RATE)
    return path


@pytest.fixture(scope="session")
def shots_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty seconds of plain shots of different colours, without sound."""
    path = tmp_path_factory.mktemp("video") / "shots.mp4"
    shots = coloured_shots(len(CUTS) + 1)
    return write_video(path, (shots[bisect_right(CUTS, k / FPS)] for k in range(FPS * SECONDS)), FPS)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home folder for the commands that may share analyses."""
    return tmp_path_factory.mktemp("home")


class Cli:
    """The command line in this process, on the shared home unless `--home` names another."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        self._capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self._capfd.readouterr()
        return code, out, err

    def done(self, *arguments: object) -> tuple[str, str]:
        """Standard output and error of a command that succeeds."""
        code, out, err = self(*arguments)
        assert code == 0, err
        return out, err

    def refused(self, expected: int, *arguments: object) -> str:
        """Standard error of a command that fails with this code and prints no result."""
        code, out, err = self(*arguments)
        assert (code, out) == (expected, ""), err
        return err


@pytest.fixture
def workbench(capfd: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command line, on the shared home."""
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    return Cli(capfd)


@pytest.fixture
def sigint() -> Iterator[None]:
    """SIGINT reaches what a test starts; background jobs of a shell ignore it, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def loaded_by(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Run a command line in a process of its own; returns which of some modules, the first argument, it loads."""
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    program = (
        "import sys\nfrom workbench.cli.main import run\nnames = sys.argv.pop(1).split()\n"
        "assert run(sys.argv[1:]) == 0\n"
        "print(*(name for name in names if name in sys.modules), file=sys.stderr)"
    )

    def call(names: tuple[str, ...], *arguments: object) -> list[str]:
        command = [sys.executable, "-c", program, " ".join(names), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stderr.splitlines()[-1].split()

    return call


def drum_track(bars: int) -> np.ndarray:
    beat, generator = 0.5, np.random.default_rng(3)
    sound = np.zeros(round((bars * 4 * beat + 0.5) * RATE), dtype=np.float32)

    def add(at: float, tone: np.ndarray) -> None:
        first = round(at * RATE)
        sound[first : first + tone.size] += tone[: sound.size - first]

    time = np.arange(round(0.3 * RATE)) / RATE
    kick = 0.8 * np.sin(2 * np.pi * (50 * time + 4 * (1 - np.exp(-time * 30)))) * np.exp(-time * 12)
    snare = 0.3 * generator.standard_normal(time.size) * np.exp(-time * 25)
    hat = 0.08 * generator.standard_normal(time.size) * np.exp(-time * 80)
    roots = (55.0, 65.4, 49.0, 73.4, 55.0, 82.4, 61.7, 49.0)
    for bar in range(bars):
        held = np.arange(round(1.9 * RATE)) / RATE
        root = roots[bar % len(roots)]
        chord = sum(np.sin(2 * np.pi * root * k * held) / k for k in (1, 2, 4, 5, 6)) * np.exp(-held * 1.2)
        add(bar * 4 * beat, (0.18 * chord).astype(np.float32))
        for place in range(4):
            add((bar * 4 + place) * beat, kick if place % 2 == 0 else snare)
            add((bar * 4 + place) * beat, hat)
            add((bar * 4 + place + 0.5) * beat, hat)
    return 0.6 * sound
