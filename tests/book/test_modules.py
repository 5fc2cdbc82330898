"""The reference of Python: every module and every name of `wb`."""

from __future__ import annotations

import re

import workbench
from notebooks.book.modules import described_as, module_pages, public_modules


def test_every_module_has_a_page_but_faces_and_private_ones() -> None:
    modules = {module for found in public_modules().values() for module in found}
    assert {"workbench.seams.seam_score", "workbench.errors", "workbench.lab.extension_suites"} <= modules
    assert not [name for name in modules if "._" in name or name.startswith(("workbench.cli", "workbench.dashboards"))]
    pages = module_pages()
    assert {module for module in modules if f".. automodule:: {module}\n" in "".join(pages.values())} == modules


def test_every_name_of_wb_lies_in_a_module_that_is_described() -> None:
    modules = {module for found in public_modules().values() for module in found}
    lost = [
        name for name in workbench.__all__ if not {described_as(name), described_as(name).rpartition(".")[0]} & modules
    ]
    assert lost == []
    assert described_as("datasets") == "workbench.lab.datasets"
    assert described_as("WorkbenchParams") == "workbench.params.workbench.WorkbenchParams"


def test_every_name_of_wb_is_listed_with_its_first_sentence() -> None:
    index = module_pages()["index.rst"]
    assert [name for name in workbench.__all__ if f"`wb.{name} <workbench." not in index] == []
    assert re.search(r":py:obj:`wb\.splice <workbench\.workflows\.splice\.splice>`\n +- \w+", index)
