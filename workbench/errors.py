"""The exception tree, named by who has to act on an error.

    WorkbenchError
    ├── InputError            the caller's file or value is at fault (also ValueError)
    │   ├── MediaError        a file that cannot be read as what it should be
    │   ├── ParameterError    a parameter out of range, or two that exclude each other
    │   ├── GridError         beats that form no grid
    │   ├── PlanError         a plan that breaks a rule of how plans are played
    │   ├── RequestError      a request that cannot be met
    │   │   ├── ConstraintError      a constraint that makes no sense on its track or length
    │   │   └── ContradictionError   constraints that no plan satisfies together
    │   ├── EditError         an edit list that cannot be read, or two cuts that cannot be compared
    │   ├── ManifestError     a catalog manifest or one of its rows
    │   ├── UnknownTrack      no such track in the catalog (also KeyError)
    │   ├── UnknownVideo      no such video (also KeyError)
    │   └── UnknownProject    no such project (also KeyError)
    ├── StoreError            the home folder or the database cannot be used (also OSError)
    ├── ResourceMissing       shipped data or an outside program is not where it should be
    │   └── ExtraMissing      the packages of an optional part are not installed
    └── WorkerDied            the processes of a job crashed

A musical "no" ("no viable loop") is not an exception but a `Refusal`, see `workbench.plans.refusals`.
Each message names the rule that was broken and the value that broke it.

Also the optional parts of the program. `pyproject.toml` names the packages of each extra (`dashboard`, `service`,
`lab`, …). A command calls `require_extra` before it writes anything; the error names the missing packages and a command
that installs them into the running environment: `make setup-EXTRA` in a checkout whose `.venv` the Makefile created,
else pip on the checkout or on the wheel file of the installation, else pip on the packages themselves.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

if TYPE_CHECKING:
    from packaging.requirements import Requirement


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a message speaks of, such as `track`; the command line calls it by its option."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True, init=False)
class Sentence:
    """Words in which arguments and constraints are values: the command line calls them by its options.

    As text they have names of their own. False where there are no words.
    """

    parts: tuple[Any, ...]  # texts, `Argument`, or `Constraint` of `workbench.plans.constraints`

    def __init__(self, *parts: Any) -> None:
        object.__setattr__(self, "parts", parts)

    def __add__(self, other: Any) -> Sentence:
        return Sentence(*self.parts, *(other.parts if isinstance(other, Sentence) else (other,)))

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


def plain_seconds(seconds: float) -> str:
    """Seconds to the millisecond, as one types them: without zeros at the end."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


class WorkbenchError(Exception):
    """Base of everything this package raises on purpose; its text is fit to show to a user.

    It is made of the parts of its `sentence`, which the command line and the page word each in their own way.
    """

    def __init__(self, *parts: Any) -> None:
        self.sentence = Sentence(*parts)
        # At most one text in `args`, so that the error can be pickled.
        super().__init__(*([str(self.sentence)] if parts else []))

    def __str__(self) -> str:
        """Show the sentence itself; `KeyError` would put it in quotes."""
        return str(self.args[0]) if self.args else self.__class__.__name__


class InputError(WorkbenchError, ValueError):
    """What the caller gave is at fault."""


class MediaError(InputError):
    """A file that cannot be read as the sound or video it should be."""


class SoundTooLong(MediaError):
    """More seconds of sound than are allowed."""


class ParameterError(InputError):
    """A parameter out of its range, or parameters that exclude each other."""


class GridError(InputError):
    """Beats and positions that do not form a grid."""


class PlanError(InputError):
    """A plan that breaks a rule of how plans are played."""


class RequestError(InputError):
    """A request that cannot be met.

    `constraints` are those that it is about; empty where it is about none in particular.
    """

    def __init__(self, *parts: Any, constraints: tuple[Any, ...] = ()) -> None:
        super().__init__(*parts)
        self.constraints = constraints


class ConstraintError(RequestError):
    """A constraint that makes no sense on its track or length."""


class ContradictionError(RequestError):
    """Constraints that no plan of any length satisfies together; the planner returns them as a `Refusal`."""


class EditError(InputError):
    """An edit list that cannot be read, or two cuts of a video that cannot be compared."""


class ManifestError(InputError):
    """A catalog manifest that cannot be read, or one of its rows."""


class UnknownTrack(InputError, KeyError):
    """No track of that id in the catalog."""


class UnknownVideo(InputError, KeyError):
    """No video of that id."""


class UnknownProject(InputError, KeyError):
    """No project of that id."""


class ChangedElsewhere(InputError):
    """Another window has changed what a step was to change."""


class StoreError(WorkbenchError, OSError):
    """The home folder or its database cannot be used."""


class ResourceMissing(WorkbenchError):
    """Shipped data or an outside program is not where it should be."""


class ExtraMissing(ResourceMissing):
    """The packages of an optional part of the program are not installed."""


class WorkerDied(WorkbenchError):
    """The processes of a job crashed, one after the other."""


_DISTRIBUTION = "barline-workbench"
_CHECKOUT = Path(__file__).resolve().parent.parent


def require_extra(extra: str, needed_by: str) -> None:
    """Raise `ExtraMissing` if an extra is missing or too old, or `ValueError` if there is no such extra.

    The message begins with `needed_by`, such as "`workbench lab`", and ends with the command that installs the extra.
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
