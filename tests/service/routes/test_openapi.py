"""The interface description by the rules of the linters that client authors use: Redocly's and Spectral's.

The rules stand here in Python, so that they hold on every machine. Where `redocly` and `spectral` are installed (npm:
`@redocly/cli`, `@stoplight/spectral-cli`), they are asked too. Whether the service does what the description says is
tested in `tests/contract/test_interface.py`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from service.routes.openapi import ENDPOINTS, description, text

DOCUMENT = description()
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS = {operation["operationId"]: operation for path in DOCUMENT["paths"].values() for operation in path.values()}
WORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "oneOf", "$ref"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("maxProperties", "dependentRequired", "pattern", "format", "title", "description", "default"),
}
"""of JSON Schema 2020-12, as far as the description needs them"""


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and every schema in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    inner += [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]
    for one in inner:
        yield from parts(one)


def every_schema() -> Iterator[dict[str, Any]]:
    for schema in SCHEMAS.values():
        yield from parts(schema)
    for operation in OPERATIONS.values():
        for parameter in operation.get("parameters", ()):
            yield from parts(parameter["schema"])
        for content in contents(operation):
            yield from parts(content["schema"])


def contents(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every body that an operation takes or answers."""
    for holder in (operation.get("requestBody"), *operation["responses"].values()):
        if holder is not None:
            yield from holder["content"].values()


def reached_from(bodies: list[dict[str, Any]]) -> set[str]:
    """The names of all schemas that bodies refer to, directly or not."""
    found: set[str] = set()
    waiting = [part["$ref"] for body in bodies for part in parts(body["schema"]) if "$ref" in part]
    while waiting:
        name = waiting.pop().removeprefix("#/components/schemas/")
        if name not in found:
            found.add(name)
            waiting += [part["$ref"] for part in parts(SCHEMAS[name]) if "$ref" in part]
    return found


def test_the_description_says_what_it_is() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert DOCUMENT["info"]["version"] == "1.0.0"
    for name in ("title", "description", "license", "contact"):
        assert DOCUMENT["info"][name]
    assert [server["url"] for server in DOCUMENT["servers"]] == ["/"]


def test_operations_have_names_that_a_person_would_give_them() -> None:
    assert len(OPERATIONS) == len(ENDPOINTS)
    assert {"createVideo", "submitLoop", "getLoopJob"} <= set(OPERATIONS)
    for name in OPERATIONS:
        assert re.fullmatch(r"(create|ingest|get|upload|submit|receive)([A-Z][a-z]+)+", name)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_is_described_in_full(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation["summary"]
    assert operation["description"].endswith(".")
    assert set(operation["tags"]) <= {tag["name"] for tag in DOCUMENT["tags"] if tag["description"]}
    (path,) = (path for path, methods in DOCUMENT["paths"].items() if operation in methods.values())
    parameters = operation.get("parameters", [])
    assert len({(one["in"], one["name"]) for one in parameters}) == len(parameters)
    assert set(re.findall(r"{(\w+)}", path)) == {one["name"] for one in parameters if one["in"] == "path"}
    assert all(one["description"] for one in parameters)
    statuses = set(operation["responses"])
    assert any(status.startswith("2") for status in statuses)
    assert any(status.startswith("4") for status in statuses)
    for status, response in operation["responses"].items():
        assert ("Retry-After" in response["headers"]) == (status in ("202", "429", "503")), status
        for reference in response["headers"].values():
            assert reference["$ref"].removeprefix("#/components/headers/") in DOCUMENT["components"]["headers"]
    for requirement in operation.get("security", DOCUMENT["security"]):
        assert set(requirement) <= set(DOCUMENT["components"]["securitySchemes"])


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_examples_are_given_and_true(name: str) -> None:
    for content in contents(OPERATIONS[name]):
        if content["schema"].get("format") == "binary":
            continue
        examples = [one["value"] for one in content.get("examples", {}).values()]
        examples += [content["example"]] if "example" in content else []
        assert examples
        schema = {**content["schema"], "components": DOCUMENT["components"]}
        for example in examples:
            jsonschema.Draft202012Validator(schema).validate(example)


def test_every_schema_is_in_the_words_of_json_schema() -> None:
    """No word of another dialect, such as `ge`, `nullable` or a discriminator on a boolean."""
    used = Counter(word for schema in every_schema() for word in schema)
    assert set(used) <= WORDS
    for schema in every_schema():
        jsonschema.Draft202012Validator.check_schema(schema)
        for word in ("exclusiveMinimum", "exclusiveMaximum"):
            assert not isinstance(schema.get(word), bool), "true and false are of OpenAPI 3.0"


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_model_and_field_is_described(name: str) -> None:
    assert SCHEMAS[name]["description"]
    for field, schema in SCHEMAS[name].get("properties", {}).items():
        assert schema.get("description"), field


def test_references_lead_somewhere_and_no_model_is_left_over() -> None:
    assert reached_from([content for one in OPERATIONS.values() for content in contents(one)]) == set(SCHEMAS)


def test_requests_refuse_unknown_fields_and_answers_may_gain_some() -> None:
    bodies = [one["requestBody"]["content"] for name, one in OPERATIONS.items() if "requestBody" in one]
    given = reached_from([body["application/json"] for body in bodies if "application/json" in body])
    answered = reached_from(
        [
            content
            for one in OPERATIONS.values()
            for told in one["responses"].values()
            for content in told["content"].values()
        ]
    )
    assert given.isdisjoint(answered)
    provider = {"BillingEvent", "EventData"}  # of the billing provider, who may add to them
    assert {name for name in given if SCHEMAS[name].get("additionalProperties") is False} == given - provider
    assert all(SCHEMAS[name]["additionalProperties"] is True for name in answered)


@pytest.mark.parametrize(
    ("model", "body", "valid"),
    [
        ("MatchRequest", {"video_id": "vid_1"}, True),
        ("MatchRequest", {"video_url": "https://example.com/a.mp4"}, True),
        ("MatchRequest", {"video_id": "vid_1", "video_url": "https://example.com/a.mp4"}, False),
        ("MatchRequest", {}, False),
        ("VideoRequest", {"video_url": "https://example.com/a.mp4"}, True),
        ("VideoRequest", {"video_url": "http://example.com/a.mp4"}, False),
        ("VideoRequest", {"filename": "a.mp4", "content_type": "video/mp4"}, True),
        ("VideoRequest", {"video_url": "https://example.com/a.mp4", "content_type": "video/mp4"}, False),
        ("VideoRequest", {"filename": "a.mp4", "content_type": "video/mp4\u008f"}, False),
        ("BeatsRequest", {"audio_url": "ftp://example.com/a.mp3"}, False),
        ("LoopRequest", {"video_id": "vid_1", "track_id": "trk_1", "bars": 4}, False),
    ],
)
def test_a_schema_refuses_what_the_service_refuses(model: str, body: dict[str, Any], valid: bool) -> None:
    schema = {"$ref": f"#/components/schemas/{model}", "components": DOCUMENT["components"]}
    assert jsonschema.Draft202012Validator(schema).is_valid(body) == valid


def test_redocly_finds_nothing(tmp_path: Path) -> None:
    done = lint("redocly", tmp_path, ["lint", "openapi.json", "--extends", "recommended-strict", "--format", "json"])
    told = json.loads(done.stdout)
    assert [problem["message"] for problem in told["problems"]] == []


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    done = lint("spectral", tmp_path, ["lint", "openapi.json", "-r", "rules.yaml", "--fail-severity", "hint"])
    assert done.returncode == 0, done.stdout


def lint(program: str, folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """What a linter says of the description in a folder."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed; the rules above hold without it")
    (folder / "openapi.json").write_text(text(), encoding="utf-8")
    return subprocess.run([path, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
