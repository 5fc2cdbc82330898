"""The gallery: scripts that each answer one question, run on a bundled track, with what they print, draw and sound.

A script writes into the folder that it runs in. Pictures, sounds and pages that it leaves there are shown on its page.
"""

from __future__ import annotations

import ast
import io
import os
import runpy
import time
from collections.abc import Iterable
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from notebooks.book.markdown import contents, fenced, table
from workbench import extensions

SCRIPTS = Path(__file__).resolve().parents[1] / "gallery"


@dataclass(frozen=True)
class Recipe:
    """One script and its question."""

    path: Path
    question: str
    text: str
    """what stands under the question"""
    code: str
    """the script without its docstring"""

    @property
    def lines(self) -> int:
        """Lines of code, without empty ones."""
        return sum(bool(line.strip()) for line in self.code.splitlines())


@dataclass(frozen=True)
class Run:
    """What a script did."""

    printed: str
    seconds: float
    folder: Path
    """with what it wrote"""


def recipes() -> list[Recipe]:
    """All scripts, in the order of the gallery."""
    return [_read(path) for path in sorted(SCRIPTS.glob("*.py"))]


def run_recipe(recipe: Recipe, home: Path, folder: Path) -> Run:
    """Run a script in a new folder, in this process; extensions that it registers are forgotten.

    Scripts share the home folder, so that each track is analysed once.
    """
    folder.mkdir(parents=True)
    printed = io.StringIO()
    began = time.perf_counter()
    environment = patch.dict(os.environ, {"WORKBENCH_HOME": str(home)})
    with environment, chdir(folder), redirect_stdout(printed), extensions.scope():
        runpy.run_path(str(recipe.path), run_name="__main__")
    return Run(printed.getvalue(), time.perf_counter() - began, folder)


def recipe_page(recipe: Recipe, run: Run) -> str:
    """The page of a script, in Markdown; what it wrote lies beside it."""
    parts = [
        f"# {recipe.question}\n",
        recipe.text,
        fenced(recipe.code, "python"),
        f"{recipe.lines} lines, {run.seconds:.1f} s. It prints:\n",
        fenced(run.printed, "text"),
    ]
    for path in sorted(run.folder.iterdir()):
        name = f"{run.folder.name}/{path.name}"
        if path.suffix == ".png":
            parts.append(f"```{{image}} {name}\n:alt: {path.stem} of this recipe\n:class: drawn\n```\n")
        elif path.suffix == ".mp3":
            parts.append(
                f'`{path.name}`:\n\n```{{raw}} html\n<audio controls preload="none" src="{name}"></audio>\n```\n'
            )
        elif path.suffix == ".html":
            parts.append(f"```{{raw}} html\n:file: {name}\n```\n")
    return "\n".join(parts)


def gallery_index(done: Iterable[tuple[Recipe, Run]]) -> str:
    """The page that lists the gallery."""
    rows = [[f"[{one.question}]({one.path.stem}.md)", str(one.lines), f"{run.seconds:.1f}"] for one, run in done]
    return "\n".join(
        [
            "# Gallery\n",
            "Each page answers one question with a script that runs as it stands; it was run when this book was built. "
            "The scripts lie in `notebooks/gallery`, and `workbench lab` copies them with the notebooks. Put your own "
            "track in place of the bundled one.\n",
            "Seconds are those of one run after another on the machine that built the book: the first one that needs a "
            "track analyses it, and the others find that.\n",
            table(["question", "lines", "seconds"], rows),
            contents([one.path.stem for one in recipes()], hidden=True),
        ]
    )


def _read(path: Path) -> Recipe:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    question, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    first = tree.body[0]
    assert first.end_lineno is not None
    code = "\n".join(source.splitlines()[first.end_lineno :]).strip() + "\n"
    return Recipe(path, question, text.strip() + "\n", code)
