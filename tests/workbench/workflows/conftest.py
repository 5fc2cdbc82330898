"""A track that is quick to analyse."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.lab.notebooks import find_notebook, run_notebook
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track

RATE = 22_050


@pytest.fixture(scope="session")
def track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen bars of clicks with a pitch for each of four bars, at 120 bpm."""
    beat = np.arange(round(0.5 * RATE)) / RATE
    bars = []
    for bar in range(16):
        for place in range(4):
            tone = np.sin(2 * np.pi * (220.0 * 2 ** ((bar % 4) / 4)) * beat) * np.exp(-beat * 3)
            click = np.sin(2 * np.pi * (60.0 if place == 0 else 2000.0) * beat) * np.exp(-beat * 40)
            bars.append(0.2 * tone + 0.6 * click)
    path = tmp_path_factory.mktemp("track") / "clicks.flac"
    soundfile.write(path, np.concatenate([*bars, np.zeros(RATE // 2)]), RATE)
    return path


def _page(notebook: str, out: Path, home: Home, **parameters: str) -> str:
    run_notebook(Workspace(home), find_notebook(notebook), parameters, out)
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def page() -> Callable[..., str]:
    """`page(notebook, out, home, **parameters)` runs a notebook and returns its HTML."""
    return _page


def _asked_of_others(html: str) -> list[str]:
    return re.findall(r"""(?:src|href|action|data)\s*=\s*["']?(?:https?:)?//[^"'\s>]+|url\(["']?(?:https?:)?//""", html)


@pytest.fixture(scope="session")
def asked_of_others() -> Callable[[str], list[str]]:
    """What a page of HTML asks of other hosts."""
    return _asked_of_others


@pytest.fixture(scope="module")
def tunes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight files of four seconds, each its own."""
    folder = tmp_path_factory.mktemp("tunes")
    time_s = np.arange(4 * 22_050) / 22_050
    for number in range(8):
        clicks = np.exp(-30 * (time_s % 0.5)) * np.sin(2 * np.pi * 110 * 2 ** (number / 12) * time_s)
        soundfile.write(folder / f"{number}.wav", 0.4 * clicks, 22_050)
    return folder


@pytest.fixture(scope="session")
def reviewed_loop(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """A bundled track under four minutes, with three seams."""
    workspace = Workspace(Home(tmp_path_factory.mktemp("reviewed")))
    path = bundled_path("data", "bundled", "music", "corner_store.ogg")
    return plan_track(workspace, find_track(workspace, str(path)), 240.0, LOOP_ALONE)
