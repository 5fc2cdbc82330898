"""Optional parts of the program: whether their packages are installed, and how to install them here.

`pyproject.toml` names the packages of each extra (`dashboard`, `service`, `lab`, …). This module reads that list from
metadata of the installed package, so that it is written down once. A command calls `require_extra` before it writes
anything; the error names the missing packages and a command that installs them into the running environment:

- in a checkout whose `.venv` the Makefile created, `make setup-EXTRA`, which installs from a lock file;
- in another environment of a checkout, pip on the checkout;
- after an install from a wheel file that is still there, pip on that file;
- else, pip on the packages themselves: the project is on no package index.

Functions: `require_extra`, `has_extra`, `missing_packages`, `requirements`, `install_command`.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from workbench.errors import ExtraMissing

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_DISTRIBUTION = "barline-workbench"
_CHECKOUT = Path(__file__).resolve().parent.parent


def require_extra(extra: str, needed_by: str) -> None:
    """Raise `ExtraMissing`, with the command that installs it, unless an extra is installed in versions new enough.

    `needed_by` is the subject of that sentence: "`workbench lab`". Raises `ValueError` if there is no such extra.
    """
    missing = missing_packages(extra)
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise ExtraMissing(
            f"{needed_by} needs {_joined(missing)}, which {verb} not installed; run: {install_command(extra)}"
        )


def has_extra(extra: str) -> bool:
    """Whether an extra is installed, in versions new enough; raises `ValueError` if there is no such extra."""
    return not missing_packages(extra)


@cache
def missing_packages(extra: str) -> tuple[str, ...]:
    """The packages of an extra that are not installed, or too old, with the version needed and the one installed."""
    return tuple(_missing(requirements(extra)))


@cache
def requirements(extra: str) -> tuple[Requirement, ...]:
    """The packages that an extra of `pyproject.toml` needs on this platform and the core does not."""
    from packaging.requirements import Requirement  # here: most who import this module never call this

    package = metadata.metadata(_DISTRIBUTION)
    if extra not in (package.get_all("Provides-Extra") or ()):
        raise ValueError(f"{extra}: no such extra in pyproject.toml")
    found = (Requirement(line) for line in package.get_all("Requires-Dist") or ())
    return tuple(
        requirement
        for requirement in found
        if requirement.marker is not None
        and requirement.marker.evaluate({"extra": extra})
        and not requirement.marker.evaluate({"extra": ""})
    )


def install_command(extra: str) -> str:
    """The command line that installs an extra into the running environment; raises `ValueError` if it is unknown."""
    if (_CHECKOUT / "Makefile").is_file() and (_CHECKOUT / "pyproject.toml").is_file():
        if Path(sys.prefix).resolve() == _CHECKOUT / ".venv":
            where = [] if Path.cwd() == _CHECKOUT else ["-C", str(_CHECKOUT)]
            return shlex.join(["make", *where, f"setup-{extra}"])
        return _pip("-e", f"{_CHECKOUT}[{extra}]")
    wheel = _installed_from()
    if wheel is not None:
        return _pip(f"{wheel}[{extra}]")
    return _pip(*(f"{needed.name}{needed.specifier}" for needed in requirements(extra)))


def _missing(needed: tuple[Requirement, ...]) -> Iterator[str]:
    for requirement in needed:
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            yield requirement.name
        else:
            if not requirement.specifier.contains(version, prereleases=True):
                yield f"{requirement.name} {requirement.specifier} (here is {version})"


def _installed_from() -> Path | None:
    """The wheel file that this package was installed from, if it still exists; pip records its address (PEP 610)."""
    record = metadata.distribution(_DISTRIBUTION).read_text("direct_url.json")
    if record is None:
        return None
    url = urlsplit(json.loads(record).get("url", ""))
    path = Path(url2pathname(url.path))
    return path if url.scheme == "file" and path.suffix == ".whl" and path.is_file() else None


def _pip(*arguments: str) -> str:
    return shlex.join([sys.executable, "-m", "pip", "install", *arguments])


def _joined(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
