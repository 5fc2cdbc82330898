"""Run every notebook and store it with its outputs: `make stored-notebooks`, or some by name (`01_beats reports/plan`).

A reader on a web page or in JupyterLab sees the pictures before running anything. To keep the files small and the
same from run to run,

- pictures become PNG files of few colours, the largest ones narrower until the file keeps to `MOST_BYTES`;
- of several pictures under one cell the first is kept;
- audio players become a line of text that says how long the sound is;
- a value that shows itself with players or sliders becomes its picture and such a line, a page with a slider the line;
- folders of this machine, times of execution and the kernel's version are left out.

Outputs that `make notebooks` compares are those of the cells marked `NBVAL_CHECK_OUTPUT`; a fresh home folder is used,
as there. A digest of the code is stored beside the outputs, by which a test knows outputs of other code.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import os
import re
import sys
import wave
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

from workbench.lab.notebooks import OUTPUT_SECONDS, START_SECONDS

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
MOST_BYTES = 150_000
"""of a stored notebook"""
LADDER = ((1100, 64), (1000, 48), (900, 40), (900, 32), (800, 24), (720, 24), (640, 24), (560, 24))
"""widths in pixels and numbers of colours; the largest picture takes the next step until the file is small enough"""
_AUDIO = re.compile(r'src="data:(audio/[\w-]+);base64,([^"]+)"')
_PICTURE = re.compile(r'src="data:image/png;base64,([^"]+)"')
_WIDGET = "application/vnd.jupyter.widget-view+json"
_TOOK = re.compile(r"\bseconds \d+(\.\d+)?")
"""how the training log says what a step took"""
_APART = 60
"""sum of differences of red, green and blue, 0 to 255 each, from which on two colours are kept apart"""


def notebook_names() -> list[str]:
    """Names of the notebooks that ship, such as `01_beats` and `reports/plan`, in the order in which they are run."""
    paths = (path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.rglob("*.ipynb"))
    return sorted(str(path.with_suffix("")) for path in paths if ".ipynb_checkpoints" not in path.parts)


def code_digest(node: Any) -> str:
    """Digest of the code of a notebook, cell by cell: outputs stored with another digest are out of date."""
    code = "\0".join(cell.source for cell in node.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def store(name: str, home: Path) -> int:
    """Run a notebook in its folder, with `home` as its home folder, and write it back; returns its size in bytes.

    If a cell fails, or the smallest pictures leave it over `MOST_BYTES` (`ValueError`), the file stays as it is.
    """
    path = NOTEBOOKS / f"{name}.ipynb"
    node = nbformat.read(path, as_version=4)
    client = NotebookClient(node, iopub_timeout=OUTPUT_SECONDS, startup_timeout=START_SECONDS, record_timing=False)
    # The kernel's own log would warn of every local kernel that TCP is in clear.
    client.extra_arguments = ["--log-level=ERROR"]
    client.execute(cwd=str(path.parent))
    text = stored_text(node, {str(home): "home", str(ROOT): "."})
    path.write_text(text, encoding="utf-8")
    return len(text.encode())


def stored_text(node: Any, folders: dict[str, str]) -> str:
    """The text of an executed notebook: outputs cleaned, pictures made as small as the file's budget asks for.

    `folders` maps paths of this machine to what is written instead.
    """
    clean = copy.deepcopy(node)
    clean.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "stored_outputs_of": code_digest(node),
        }
    )
    for cell in clean.cells:
        _clean_metadata(cell.metadata)
        for output in cell.get("outputs", []):
            _clean_output(output, folders)
        for output in [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})][1:]:
            output.data = nbformat.from_dict({"text/plain": "(another picture; run the cell to see it)"})
    _shrink_pictures(clean)
    return str(nbformat.writes(clean)) + "\n"


def _shrink_pictures(node: Any) -> None:
    """Make pictures smaller, the largest first, until the notebook keeps to `MOST_BYTES`; raises as `store` does."""
    pictures = [(data, data["image/png"]) for data in _pictures(node)]
    steps = [0] * len(pictures)
    for data, whole in pictures:
        data["image/png"] = _small_png(whole, *LADDER[0])
    while (size := len(nbformat.writes(node).encode()) + 1) >= MOST_BYTES:
        left = [k for k in range(len(pictures)) if steps[k] + 1 < len(LADDER)]
        if not left:
            raise ValueError(f"the outputs take {size} bytes, more than {MOST_BYTES}: show fewer pictures")
        largest = max(left, key=lambda k: len(pictures[k][0]["image/png"]))
        steps[largest] += 1
        data, whole = pictures[largest]
        data["image/png"] = _small_png(whole, *LADDER[steps[largest]])


def _clean_metadata(metadata: Any) -> None:
    for key in ("execution", "papermill", "collapsed", "scrolled"):
        metadata.pop(key, None)


def _clean_output(output: Any, folders: dict[str, str]) -> None:
    if output.output_type == "stream":
        output.text = _TOOK.sub("seconds …", _without_folders(output.text, folders))
        return
    output.metadata = nbformat.from_dict({})
    html = output.data.get("text/html", "")
    player = _AUDIO.search(html)
    if "<div data-knob>" in html:
        output.data = nbformat.from_dict({"text/plain": "(slider with pictures and players; run the cell to turn it)"})
        return
    if _WIDGET in output.data or player or any(kind.startswith("audio/") for kind in output.data):
        seconds = _wave_seconds(player[2]) if player and player[1].endswith("wav") else None
        length = f"{seconds:.1f} s of sound" if seconds else "sound"
        text = f"(audio player with {length}; run the cell to hear it)"
        if _WIDGET in output.data:
            text = "(sliders and players; run the cell to turn and hear them)"
        picture = _PICTURE.search(html)
        output.data = nbformat.from_dict({"text/plain": text} | ({"image/png": picture[1]} if picture else {}))
        return
    for kind, data in output.data.items():
        if kind.startswith("text/"):
            output.data[kind] = _without_folders(data, folders)


def _without_folders(text: str, folders: dict[str, str]) -> str:
    for folder, name in folders.items():
        text = text.replace(f"file://{folder}", name).replace(folder, name)
    return text


def _wave_seconds(encoded: str) -> float:
    with wave.open(io.BytesIO(base64.b64decode(encoded))) as file:
        return float(file.getnframes() / file.getframerate())


def _pictures(node: Any) -> Iterator[Any]:
    for cell in node.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield output.data


def _small_png(encoded: str, width: int, colours: int) -> str:
    """The picture at most `width` pixels wide with a palette of `colours`, base64."""
    whole = picture = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    small = picture.quantize(palette=_palette(whole, picture, colours), dither=Image.Dither.NONE)
    small.save(buffer, format="PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def _palette(whole: Image.Image, smaller: Image.Image, colours: int) -> Image.Image:
    """Colours for a smaller copy of a picture: greys for text, what is drawn in a plain colour, and the shades between.

    Median cut alone merges the colours of thin lines, which cover few pixels, and a legend then names two lines alike.
    """
    red, green, blue = np.asarray(whole, dtype=np.int64).reshape(-1, 3).T
    codes, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    frequent = codes[np.argsort(-counts, kind="stable")][:4000]
    kept = [np.full(3, grey) for grey in (0, 85, 150, 205, 255)]
    for colour in np.stack([frequent >> 16, frequent >> 8 & 255, frequent & 255], axis=1):
        if len(kept) < colours * 2 // 3 and min(np.abs(colour - one).sum() for one in kept) >= _APART:
            kept.append(colour)
    shades = smaller.quantize(colours - len(kept), method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    palette = Image.new("P", (1, 1))
    palette.putpalette([*np.concatenate(kept).tolist(), *(shades.getpalette() or [])[: 3 * (colours - len(kept))]])
    return palette


def main(names: list[str]) -> None:
    """Store the notebooks of these names, or all."""
    unknown = sorted(set(names) - set(notebook_names()))
    if unknown:
        raise SystemExit(f"{unknown[0]}: no such notebook; there are {', '.join(notebook_names())}")
    with TemporaryDirectory() as folder:
        os.environ["WORKBENCH_HOME"] = folder
        os.environ["PYTHONWARNINGS"] = "ignore:IProgress not found"  # of tqdm, which librosa imports; only a lab has it
        for name in names or notebook_names():
            print(f"{name} …", end=" ", flush=True)
            print(f"{store(name, Path(folder)) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
