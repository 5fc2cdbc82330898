"""Sound and sliders of the notebooks: they are no part of the stored ones, so these are run again for the book.

Only outputs that the stored notebook says something in place of are taken from the run; the others stay as they were
stored and checked. Players of notebooks become MP3 files beside the page.

    python -m notebooks.book.players STORED.ipynb EXECUTED.ipynb

runs a notebook as far as the last such output; it is called with the Python of Sphinx, which can.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import workbench as wb
from workbench.media.audio import decode

_IN_PLACE = "; run the cell to "
"""in the text that a stored notebook has in place of sound, sliders and second pictures"""
_PLAYER = re.compile(r'<audio\b[^>]*>\s*<source src="data:audio/wav;base64,([^"]+)".*?</audio>', re.DOTALL)
"""as IPython's `Audio` shows itself"""
_BIT_RATE = 96_000
_LACKING = 3
"""exit status: a package is missing that the notebook needs"""


def is_silent(notebook: str) -> bool:
    """Whether the text of a stored notebook has something in place of an output."""
    return _IN_PLACE in notebook


def run_notebook(python: Path, stored: Path, executed: Path, home: Path, root: Path) -> bool:
    """Run a stored notebook in its folder; False if it needs a package that is not installed.

    `RuntimeError` if a cell fails; what it wrote is on standard error.
    """
    command = [str(python), "-m", "notebooks.book.players", str(stored), str(executed)]
    environment = {**os.environ, "WORKBENCH_HOME": str(home), "PYTHONPATH": str(root)}
    status = subprocess.run(command, cwd=root, env=environment, check=False).returncode
    if status not in (0, _LACKING):
        raise RuntimeError(f"{stored.name} does not run")
    return status == 0


def with_players(stored: str, executed: str, folder: Path) -> str:
    """The text of a stored notebook with the sound and the sliders of a run of it.

    Sounds become files in `folder`, which lies beside the page and has its name.
    """
    page, run = json.loads(stored), json.loads(executed)
    sounds = 0
    for cell, ran in zip(page["cells"], run["cells"], strict=False):
        for at, output in enumerate(cell.get("outputs", [])):
            if _IN_PLACE not in "".join(output.get("data", {}).get("text/plain", "")):
                continue
            data = ran["outputs"][at]["data"]
            data.pop("application/vnd.jupyter.widget-view+json", None)
            html = "".join(data.get("text/html", ""))
            if player := _PLAYER.search(html):
                sounds += 1
                sound = _write_sound(player[1], folder, f"sound_{sounds}.mp3")
                data = {"text/html": f'<audio controls preload="none" src="{folder.name}/{sound.name}"></audio>'}
            output["data"] = data
    return json.dumps(page)


def _write_sound(encoded: str, folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as made:
        wave = Path(made) / "sound.wav"
        wave.write_bytes(base64.b64decode(encoded))
        sound = decode(wave)
    return wb.write_audio(folder / name, [sound.samples], sound.sample_rate, sound.channels, bit_rate=_BIT_RATE)


def _execute(stored: Path, executed: Path) -> int:
    """Run a notebook as far as it is needed; the exit status."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    node: Any = nbformat.read(str(stored), as_version=4)
    needed = [at for at, cell in enumerate(node.cells) if _IN_PLACE in json.dumps(cell.get("outputs", []))]
    node.cells = node.cells[: max(needed, default=-1) + 1]
    client = NotebookClient(node, startup_timeout=300, iopub_timeout=600, kernel_name="python3")
    client.extra_arguments = ["--log-level=ERROR"]
    try:
        client.execute(cwd=str(stored.parent))
    except CellExecutionError as error:
        if error.ename in ("ModuleNotFoundError", "ExtraMissing"):
            print(f"{stored.name}: {error.evalue}", file=sys.stderr)
            return _LACKING
        raise
    nbformat.write(node, str(executed))
    return 0


if __name__ == "__main__":
    raise SystemExit(_execute(Path(sys.argv[1]), Path(sys.argv[2])))
