"""Writes what Sphinx builds the book from: pages that are kept here, pages that are made, and the notebooks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from notebooks.book.commands import commands_page
from notebooks.book.gallery import gallery_index, recipe_page, recipes, run_recipe
from notebooks.book.history import read_history, write_history
from notebooks.book.markdown import contents
from notebooks.book.modules import module_pages
from notebooks.book.parameters import parameters_page
from notebooks.book.players import is_silent, run_notebook, with_players
from notebooks.book.service_pages import service_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ("index.md", "glossary.md", "how_to")
"""what is taken over from here as it stands"""


def write_sources(folder: Path, work: Path, python: Path, say: Callable[[str], None]) -> None:
    """Write all sources of the book into a new folder.

    `work` is empty: gallery and notebooks get a home folder each in it. `python` can run a notebook.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in KEPT:
        source = HERE / name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, folder / name)
    shutil.copytree(ROOT / "notebooks" / "images", folder / "images")
    _write_notebooks(folder / "notebooks", work / "notebooks", python, say)
    _write_gallery(folder / "gallery", work / "gallery", say)
    _write_reference(folder / "reference")


def notebooks_index(readme: str) -> str:
    """The page that lists the notebooks: the table of `notebooks/README.md`, with links."""
    table = "\n".join(line for line in readme.splitlines() if line.startswith("|"))
    names = re.findall(r"^\| `([\w/]+)` \|", table, re.MULTILINE)
    linked = re.sub(r"^\| `([\w/]+)` \|", r"| [\1](\1.ipynb) |", table, flags=re.MULTILINE)
    return "\n".join(
        [
            "# Notebooks\n",
            "Each shows one step on a bundled track. Here they stand with their outputs, and with sound and sliders "
            "that need no kernel. `make lab` opens a copy that runs; `workbench report` runs one on your own track.\n",
            linked,
            "",
            contents(names, hidden=True),
        ]
    )


def without_links_to_made_files(notebook: str) -> str:
    """A stored notebook without links to files that a run has made beside it, which are not stored."""
    return re.sub(r'<a href=\\"home/[^"]*\\">(.*?)</a>', r"\1", notebook)


def _write_notebooks(folder: Path, home: Path, python: Path, say: Callable[[str], None]) -> None:
    source = ROOT / "notebooks"
    for path in sorted([*source.glob("*.ipynb"), *source.glob("reports/*.ipynb")]):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        if is_silent(text):
            say(f"running {path.name}")
            with TemporaryDirectory() as made:
                executed = Path(made) / path.name
                if run_notebook(python, path, executed, home, ROOT):
                    text = with_players(text, executed.read_text(encoding="utf-8"), target.with_suffix(""))
        target.write_text(without_links_to_made_files(text), encoding="utf-8")
    (folder / "index.md").write_text(
        notebooks_index((source / "README.md").read_text(encoding="utf-8")), encoding="utf-8"
    )


def _write_gallery(folder: Path, home: Path, say: Callable[[str], None]) -> None:
    folder.mkdir()
    done = []
    for recipe in recipes():
        say(f"running {recipe.path.name}")
        run = run_recipe(recipe, home, folder / recipe.path.stem)
        (folder / f"{recipe.path.stem}.md").write_text(recipe_page(recipe, run), encoding="utf-8")
        done.append((recipe, run))
    (folder / "index.md").write_text(gallery_index(done), encoding="utf-8")


def _write_reference(folder: Path) -> None:
    (folder / "python").mkdir(parents=True)
    for name, page in module_pages().items():
        (folder / "python" / name).write_text(page, encoding="utf-8")
    document = json.loads((ROOT / "service" / "openapi.json").read_text(encoding="utf-8"))
    benchmarks = (ROOT / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    pages = {
        "parameters.md": parameters_page(),
        "commands.md": commands_page(),
        "service.md": service_page(document),
        "benchmarks.md": benchmarks,
    }
    for name, page in pages.items():
        (folder / name).write_text(page, encoding="utf-8")
    write_history(folder, read_history(ROOT / "tests" / "benchmarks" / "history.jsonl"))
    cards = sorted((ROOT / "workbench" / "models").glob("*.md"))
    (folder / "models").mkdir()
    for card in cards:
        shutil.copyfile(card, folder / "models" / card.name)
    (folder / "models" / "index.md").write_text(
        "# Models\n\nEach file of fitted numbers has a card: what it is, what it is made from, how good it is, and its "
        "limits.\n\n" + contents([card.stem for card in cards]),
        encoding="utf-8",
    )
