"""How Sphinx builds the book; `python -m notebooks.book.build` writes the sources and calls it."""

import tomllib
from pathlib import Path

from pydantic import BaseModel

from notebooks.book.markdown import language_of
from notebooks.book.parameters import field_lines

_PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"

project = "Workbench"
author = "the authors of Workbench"
release = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]["version"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]

html_theme = "furo"
pygments_dark_style = "a11y-high-contrast-dark"
html_title = f"Workbench {release}"
html_static_path = ["static"]
html_css_files = ["book.css"]
# The sources are in the repository, beside the code that they describe.
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False

# A stored notebook is shown with its stored outputs; progress on standard error says nothing to a reader.
nb_execution_mode = "off"
nb_output_stderr = "remove"
myst_heading_anchors = 4
# Names in single backticks are links where they are known, and code elsewhere.
default_role = "py:obj"
autodoc_member_order = "bysource"
# What a shape and a unit say more of than the type behind the name.
_ALIASES = (
    *("FloatArray", "IntArray", "BoolArray", "TrackSeconds", "VideoSeconds", "Utterances", "Weights", "Points"),
    *("NamedWeight", "Touched"),
)
autodoc_type_aliases = {name: name for name in _ALIASES}
numpydoc_show_class_members = False
# A name such as `beats` that several classes have is no link: which of them is meant, the sentence says.
# Aliases of types have no signature. That a module is not described at all is found by a check of the names afterwards.
suppress_warnings = ["ref.python", "autodoc"]


def _literal_tables(app, what, name, obj, options, lines):
    """Keep the indented tables in the heads of modules as they stand: no words of theirs are those of a program."""
    if what != "module":
        return
    for at in range(len(lines) - 1, 1, -1):
        begins = lines[at].startswith("    ") and not lines[at - 1].strip() and not lines[at - 2].startswith(" ")
        if begins and not lines[at - 2].rstrip().endswith("::"):
            ends = next((k for k in range(at, len(lines)) if lines[k].strip() and lines[k][0] != " "), len(lines))
            lines[at:at] = [f".. code-block:: {language_of(lines[at:ends])}", ""]


def _is_model(obj):
    return isinstance(obj, type) and issubclass(obj, BaseModel)


def _no_signature(app, what, name, obj, options, signature, annotation):
    """A model is made by its fields, which are listed below it; its signature would say each range in code."""
    return ("", None) if _is_model(obj) else None


def _fields(app, what, name, obj, options, lines):
    """List the fields of a model with range, unit, default and meaning."""
    if _is_model(obj) and (listed := field_lines(obj)):
        lines += ["", *listed, ""]


def _skip_configuration(app, what, name, obj, skip, options):
    return True if name == "model_config" else None


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _literal_tables, priority=100)
    app.connect("autodoc-process-docstring", _fields, priority=900)
    app.connect("autodoc-process-signature", _no_signature)
    app.connect("autodoc-skip-member", _skip_configuration)
