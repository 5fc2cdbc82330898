"""The exception tree: what is raised can be caught as what it is in Python, and says one plain sentence."""

from __future__ import annotations

import inspect

import pytest

from workbench import errors
from workbench.errors import (
    ExtraMissing,
    InputError,
    ResourceMissing,
    StoreError,
    UnknownTrack,
    UnknownVideo,
    WorkbenchError,
)

TREE = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, WorkbenchError)]


@pytest.mark.parametrize("kind", TREE)
def test_every_error_is_ours_and_shows_its_sentence(kind: type[WorkbenchError]) -> None:
    assert issubclass(kind, WorkbenchError)
    assert str(kind("tempo must be positive, got -1")) == "tempo must be positive, got -1"
    assert str(kind()) == kind.__name__


def test_errors_are_also_the_builtins_that_python_code_expects() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(UnknownTrack, KeyError)
    assert issubclass(UnknownVideo, KeyError)
    assert issubclass(StoreError, OSError)
    assert issubclass(ExtraMissing, ResourceMissing)
    assert not issubclass(StoreError, InputError)
