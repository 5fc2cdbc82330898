"""Notebooks are stored with their outputs, small and without traces of the machine; see `store_notebooks`."""

from __future__ import annotations

import base64
import json
import re
import wave
from io import BytesIO
from typing import Any

import nbformat
import numpy as np
import pytest
from PIL import Image

from tests.project import store_notebooks as stored

NAMES = stored.notebook_names()
WITHOUT_PICTURE = {"09_client", "reports/catalog"}
"""they draw nothing: the one calls the service, the other is a table"""
MACHINE_PATH = re.compile(r"(?:/home/|/root\b|/tmp\b|/Users/|/var/folders/|[A-Z]:\\\\|file://|site-packages)")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")


def read(name: str) -> Any:
    return nbformat.read(stored.NOTEBOOKS / f"{name}.ipynb", as_version=4)


def code_cells(name: str) -> list[Any]:
    return [cell for cell in read(name).cells if cell.cell_type == "code"]


def outputs(name: str) -> list[Any]:
    return [output for cell in code_cells(name) for output in cell.outputs]


def test_the_notebooks_are_found() -> None:
    assert {"01_beats", "09_client", "reports/plan"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_notebook_is_small_and_ran_once_in_order_with_its_code(name: str) -> None:
    assert (stored.NOTEBOOKS / f"{name}.ipynb").stat().st_size < stored.MOST_BYTES
    counts = [cell.execution_count for cell in code_cells(name)]
    assert counts == list(range(1, len(counts) + 1)), "run `make stored-notebooks`"
    node = read(name)
    assert node.metadata.get("stored_outputs_of") == stored.code_digest(node), "run `make stored-notebooks`"
    # nothing else that changes from run to run
    assert set(node.metadata) == {"kernelspec", "language_info", "stored_outputs_of"}
    assert {key for cell in node.cells for key in cell.metadata} <= {"tags"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_PICTURE))
def test_a_notebook_that_draws_has_a_picture(name: str) -> None:
    assert any("image/png" in output.get("data", {}) for output in outputs(name))


@pytest.mark.parametrize("name", NAMES)
def test_outputs_hold_no_failure_no_sound_and_nothing_of_the_machine(name: str) -> None:
    assert [output for output in outputs(name) if output.output_type == "error"] == []
    assert [output.text for output in outputs(name) if output.get("name") == "stderr"] == []
    for output in outputs(name):
        data = {kind: text for kind, text in output.get("data", {}).items() if not kind.startswith("image/")}
        said = json.dumps([data, output.get("text", "")])
        assert MACHINE_PATH.findall(said) == []
        assert str(stored.ROOT) not in said
        assert ADDRESS.findall(said) == []
        assert "Traceback" not in said
        assert "<audio" not in said


def a_notebook_that_ran() -> Any:
    """Two drawings, a sound, a printed path and what a kernel adds."""
    v4 = nbformat.v4
    source = "import struct"
    picture = {"image/png": _noise_png(), "text/plain": "<Figure>"}
    player = {"text/html": f'<audio><source src="data:audio/wav;base64,{_second_of_wave()}"/></audio>'}
    cells = [
        v4.new_code_cell(
            source,
            execution_count=1,
            metadata={"execution": {"iopub.status.busy": "2024-01-01"}, "tags": ["parameters"]},
            outputs=[
                v4.new_output("stream", name="stdout", text="wrote /tmp/home1/duck.toml\nstep 5 seconds 2.47\n"),
                v4.new_output("display_data", data=picture, metadata={"image/png": {"width": 12}}),
                v4.new_output("display_data", data=picture),
                v4.new_output("execute_result", data=player, execution_count=1),
            ],
        )
    ]
    return v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python", "version": "3.11.7"}})


def _noise_png() -> str:
    buffer = BytesIO()
    noise = np.random.default_rng(1).integers(0, 255, (600, 1300, 3), dtype=np.uint8)
    Image.fromarray(noise // 64 * 64).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def _second_of_wave() -> str:
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(16_000))
    return base64.b64encode(buffer.getvalue()).decode()


def test_storing_cleans_outputs_and_gives_the_same_text_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_BYTES", 600_000)
    folders = {"/tmp/home1": "home"}
    text = stored.stored_text(a_notebook_that_ran(), folders)
    again = a_notebook_that_ran()
    again.cells[0].id = nbformat.reads(text, as_version=4).cells[0].id
    assert text == stored.stored_text(again, folders)
    assert len(text) < 600_000
    (cell,) = nbformat.reads(text, as_version=4).cells
    assert cell.metadata == {"tags": ["parameters"]}
    printed, first, second, sound = cell.outputs
    assert printed.text == "wrote home/duck.toml\nstep 5 seconds …\n"
    assert set(first.data) == {"image/png", "text/plain"}
    assert second.data == {"text/plain": "(another picture; run the cell to see it)"}
    assert sound.data == {"text/plain": "(audio player with 1.0 s of sound; run the cell to hear it)"}


@pytest.mark.slow
def test_outputs_that_cannot_be_made_small_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="more than 1000"):
        stored.stored_text(a_notebook_that_ran(), {})


def test_a_value_with_picture_and_players_keeps_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_BYTES", 2_000_000)
    v4 = nbformat.v4
    picture, player = _noise_png(), f'<audio src="data:audio/mpeg;base64,{_second_of_wave()}"></audio>'
    value = f'<div><img src="data:image/png;base64,{picture}">{player}</div>'
    page = f'<div data-knob><div data-step="0">{value}</div></div>'
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "0123"}, "text/html": value, "text/plain": "<T>"}
    cells = [
        v4.new_code_cell("x", execution_count=1, outputs=[v4.new_output("execute_result", data=data)])
        for data in ({"text/html": value}, {"text/html": page}, widget)
    ]
    text = stored.stored_text(v4.new_notebook(cells=cells), {})
    outputs = [cell.outputs[0].data for cell in nbformat.reads(text, as_version=4).cells]
    assert ["image/png" in data for data in outputs] == [True, False, True]
    assert [data["text/plain"] for data in outputs] == [
        "(audio player with sound; run the cell to hear it)",
        "(slider with pictures and players; run the cell to turn it)",
        "(sliders and players; run the cell to turn and hear them)",
    ]
