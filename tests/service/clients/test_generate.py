"""What is generated is current, complete and well-formed; how it behaves is tested against a running service."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from service.clients.generate import BY_HAND, PYTHON, TYPESCRIPT, error_classes, operations, texts
from service.clients.python import AsyncClient, Client
from service.clients.python.generated import ERRORS
from service.errors import TYPES
from workbench.files import bundled_path

DOCUMENT = json.loads(bundled_path("service", "openapi.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [PYTHON, TYPESCRIPT], ids=lambda path: path.name)
def test_the_generated_files_are_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == texts()[path], "run python -m service.clients.generate"


def test_every_operation_is_a_method_or_written_by_hand() -> None:
    described = {one["operationId"] for methods in DOCUMENT["paths"].values() for one in methods.values()}
    assert {one.name for one in operations(DOCUMENT)} | BY_HAND == described
    methods = {"create_video", "submit_loop", "get_loop_job", "loop", "match", "align", "beats", "wait", "upload"}
    for client in (Client, AsyncClient):
        assert methods <= set(dir(client))


def test_every_type_of_error_has_a_class() -> None:
    assert set(ERRORS) == set(TYPES.values())
    assert {kind: cls.__name__ for kind, cls in ERRORS.items()} == error_classes(DOCUMENT)


def test_every_model_is_a_type_in_both_languages() -> None:
    python, typescript = texts()[PYTHON], texts()[TYPESCRIPT]
    for name in DOCUMENT["components"]["schemas"]:
        assert re.search(rf"^(class {name}\(TypedDict\)|{name}: TypeAlias) ?[:=]", python, re.MULTILINE)
        assert re.search(rf"^export (interface {name} {{|type {name} =)", typescript, re.MULTILINE)
