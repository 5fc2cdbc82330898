"""Sound and sliders of the notebooks: taken from a run, and nothing else of it."""

from __future__ import annotations

import base64
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from notebooks.book.players import is_silent, run_notebook, with_players
from notebooks.book.sources import ROOT
from workbench.media.audio import decode

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("nbclient", reason="nbclient is not installed")

HEAR = "(audio player with 0.5 s of sound; run the cell to hear it)"


def notebook(path: Path, *cells: tuple[str, dict[str, Any] | None]) -> Path:
    """A notebook of code cells, each with its stored output."""
    v4 = nbformat.v4
    made = [
        v4.new_code_cell(code, outputs=[v4.new_output("execute_result", data=data)] if data else [])
        for code, data in cells
    ]
    nbformat.write(v4.new_notebook(cells=made), path)
    return path


def player(seconds: float = 0.5) -> str:
    wave = io.BytesIO()
    soundfile.write(wave, np.zeros(round(seconds * 8000)), 8000, format="WAV")
    encoded = base64.b64encode(wave.getvalue()).decode()
    return f'<audio controls="controls">\n<source src="data:audio/wav;base64,{encoded}" type="audio/wav"/>\n</audio>'


def test_sound_and_sliders_are_put_back(tmp_path: Path) -> None:
    stored = notebook(
        tmp_path / "stored.ipynb",
        ("picture", {"image/png": "AAAA"}),
        ("sound", {"text/plain": HEAR}),
        ("knobs", {"image/png": "AAAA", "text/plain": "(sliders and players; run the cell to turn and hear them)"}),
        ("not reached by the run", {"text/plain": "1"}),
    )
    run = notebook(
        tmp_path / "run.ipynb",
        ("picture", {"image/png": "BBBB"}),
        ("sound", {"text/plain": "<Audio>", "text/html": player()}),
        (
            "knobs",
            {"application/vnd.jupyter.widget-view+json": {}, "text/html": "<div>page</div>", "text/plain": "<T>"},
        ),
    )
    text = with_players(stored.read_text(), run.read_text(), tmp_path / "02_seams")
    picture, sound, knobs, last = (cell["outputs"][0]["data"] for cell in json.loads(text)["cells"])
    assert (picture, last) == ({"image/png": "AAAA"}, {"text/plain": ["1"]})
    assert sound == {"text/html": '<audio controls preload="none" src="02_seams/sound_1.mp3"></audio>'}
    assert decode(tmp_path / "02_seams" / "sound_1.mp3").duration == pytest.approx(0.5, abs=0.1)
    assert knobs == {"text/html": ["<div>page</div>"], "text/plain": ["<T>"]}
    assert not is_silent(text)


@pytest.mark.slow
def test_a_notebook_is_run_as_far_as_its_last_sound(tmp_path: Path) -> None:
    code = "import os; print(os.environ['WORKBENCH_HOME'])"
    stored = notebook(tmp_path / "stored.ipynb", (code, {"text/plain": HEAR}), ("import a_package_of_nobody", None))
    assert is_silent(stored.read_text())
    assert run_notebook(Path(sys.executable), stored, tmp_path / "run.ipynb", tmp_path / "home", ROOT)
    (cell,) = json.loads((tmp_path / "run.ipynb").read_text())["cells"]
    assert cell["outputs"][0]["text"] == [f"{tmp_path / 'home'}\n"]


@pytest.mark.slow
def test_a_notebook_whose_package_is_missing_stays_as_it_was_stored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stored = notebook(tmp_path / "needs.ipynb", ("import a_package_of_nobody", {"text/plain": HEAR}))
    assert not run_notebook(Path(sys.executable), stored, tmp_path / "run.ipynb", tmp_path / "home", ROOT)
    assert "needs.ipynb: No module named 'a_package_of_nobody'" in capfd.readouterr().err
