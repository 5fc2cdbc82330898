"""Schemas of the bodies: valid ones, of this dialect, and what the module prints."""

from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import pytest

from workbench.results.schemas import schemas


@pytest.mark.parametrize("name", schemas())
def test_each_schema_is_valid_and_refuses_unknown_fields(name: str) -> None:
    schema = schemas()[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["additionalProperties"] is False
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"of": "no body"}, schema)


def test_the_module_prints_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workbench.results.schemas"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == schemas()
