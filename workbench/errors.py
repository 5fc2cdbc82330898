"""The exception tree, named by who has to act on an error.

    WorkbenchError
    ├── InputError            the caller's file or value is at fault (also ValueError)
    │   ├── MediaError        a file that cannot be read as what it should be
    │   ├── ParameterError    a parameter out of range, or two that exclude each other
    │   ├── GridError         beats that form no grid
    │   ├── PlanError         a plan that breaks a rule of how plans are played
    │   ├── RequestError      a request that cannot be met
    │   │   ├── ConstraintError      a constraint that makes no sense on its track or length
    │   │   └── ContradictionError   constraints that no plan keeps together
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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a message speaks of, such as `track`; the command line calls it by its option."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


class WorkbenchError(Exception):
    """Base of everything this package raises on purpose; its text is fit to show to a user.

    `sentence` has texts, and values that the command line and the page word each in their own way: an `Argument`, or a
    `Constraint` of `workbench.plans.constraints`.
    """

    def __init__(self, *sentence: Any) -> None:
        # At most one text in `args`, so that the error can be pickled.
        super().__init__(*(["".join(map(str, sentence))] if sentence else []))
        self.sentence = sentence

    def __str__(self) -> str:
        """Show the sentence itself; `KeyError` would put it in quotes."""
        return str(self.args[0]) if self.args else self.__class__.__name__


class InputError(WorkbenchError, ValueError):
    """What the caller gave is at fault."""


class MediaError(InputError):
    """A file that cannot be read as the sound or video it should be."""


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

    def __init__(self, *sentence: Any, constraints: tuple[Any, ...] = ()) -> None:
        super().__init__(*sentence)
        self.constraints = constraints


class ConstraintError(RequestError):
    """A constraint that makes no sense on its track or length."""


class ContradictionError(RequestError):
    """Constraints that no plan of any length keeps together; the planner returns them as a `Refusal`."""


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


class StoreError(WorkbenchError, OSError):
    """The home folder or its database cannot be used."""


class ResourceMissing(WorkbenchError):
    """Shipped data or an outside program is not where it should be."""


class ExtraMissing(ResourceMissing):
    """The packages of an optional part of the program are not installed."""


class WorkerDied(WorkbenchError):
    """The processes of a job crashed, one after the other."""
