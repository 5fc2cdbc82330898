"""The reference of the Python interface: a page a package, made by autodoc from docstrings, and the names of `wb`."""

from __future__ import annotations

from types import ModuleType

import workbench
from workbench.files import bundled_path
from workbench.params.described import params

_FACES = ("cli", "dashboards", "demo")
"""packages that are used by other means than Python"""
_MIGRATIONS = "migrations"
"""folder of scripts that Alembic runs, which cannot be imported"""


def public_modules() -> dict[str, list[str]]:
    """Modules of the reference by their package; those that lie in no package below `workbench` by `workbench`."""
    root = bundled_path("workbench")
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if any(part.startswith("_") or part == _MIGRATIONS for part in parts) or parts[0] in _FACES:
            continue
        package = "workbench" if len(parts) == 1 else f"workbench.{parts[0]}"
        found.setdefault(package, []).append(".".join(("workbench", *parts)))
    return found


def described_as(name: str) -> str:
    """The full name under which the reference describes a name of `workbench.__all__`."""
    # the package of this name passes a call on to the function
    value = params if name == "params" else getattr(workbench, name)
    return str(value.__name__) if isinstance(value, ModuleType) else f"{value.__module__}.{value.__qualname__}"


def module_pages() -> dict[str, str]:
    """Pages in reStructuredText by name, for autodoc knows no other."""
    pages = {}
    for package, modules in public_modules().items():
        lines = [package, "=" * len(package), ""]
        for module in modules:
            lines += [module, "-" * len(module), "", f".. automodule:: {module}", "   :members:", ""]
        pages[f"{package}.rst"] = "\n".join(lines)
    pages["index.rst"] = _index(list(pages))
    return pages


def _index(pages: list[str]) -> str:
    rows = []
    for name in workbench.__all__:
        value = getattr(workbench, name)
        doc = (value.__doc__ or "").strip().splitlines()[0]
        rows.append(f"   * - :py:obj:`wb.{name} <{described_as(name)}>`\n     - {doc}")
    title = "Python"
    return "\n".join(
        [
            title, "=" * len(title), "",
            "``import workbench as wb`` costs next to nothing: each name is loaded on its first use. All else",
            "is imported from its module. A layer uses only layers below it: sound flows from ``workbench.media``",
            "through features, beats, structure, seams and plans to ``workbench.render``; workflows join them.",
            "", "The names of ``wb``", "-------------------", "",
            ".. list-table::", "   :header-rows: 1", "   :widths: 25 75", "",
            "   * - name\n     - what it is", *rows, "",
            "Modules", "-------", "", ".. toctree::", "   :maxdepth: 1", "",
            *(f"   {page.removesuffix('.rst')}" for page in pages), "",
        ]
    )  # fmt: skip
