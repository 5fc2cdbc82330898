"""The generated half of the client libraries: types, operations and error classes, from the interface description.

`python -m service.clients.generate` writes `python/generated.py` and `typescript/generated.ts` beside this file. A test
fails when they differ from what this module writes. What no description can say (polling, uploads, webhooks) is written
by hand in the modules beside them.
"""

# A generator of our own, because what others write is larger and worse typed. For some 900 lines of Python here,
# openapi-python-client 0.29 writes 8,900 that need attrs, take `Any` as the body of `submitMatch` and `createVideo`,
# and return refusals instead of raising them. For some 770 of TypeScript, openapi-typescript 7 writes 5,100 and
# @hey-api/openapi-ts 0.95 writes 4,500, whose answers take a misspelt field as `unknown`; both need Node to install.
# The files are committed: an editable install, type checkers and editors find the clients in a bare clone without a
# build step, and a change of the interface is seen in review.

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

_FOLDER = Path(str(files("service") / "clients"))
PYTHON, TYPESCRIPT = _FOLDER / "python" / "generated.py", _FOLDER / "typescript" / "generated.ts"
BY_HAND = frozenset(("uploadVideo", "receivePaymentMethodEvent", "receiveCreditEvent"))
"""operations that are not generated: bytes instead of JSON, and what the billing provider sends"""
_WRITTEN = "Written by python -m service.clients.generate; do not edit."


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the description, as a method of a client."""

    name: str
    method: str
    path: str
    summary: str
    parameters: tuple[str, ...]
    """of the path"""
    query: tuple[tuple[str, Any], ...]
    """names and schemas"""
    body: str | None
    """name of its model"""
    idempotency: bool
    answers: tuple[str, ...]
    """names of the models of successes"""
    results: tuple[str, ...]
    """those with status 200"""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a client."""

    operation: Operation
    name: str
    summary: str
    answers: tuple[str, ...]
    """names of models"""
    waits: bool


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """The operations that become methods."""
    return [
        _operation(path, method, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
        if one["operationId"] not in BY_HAND
    ]


def _operation(path: str, method: str, one: Mapping[str, Any]) -> Operation:
    parameters = one.get("parameters", [])
    bodies = one.get("requestBody", {}).get("content", {})
    answers: dict[str, list[str]] = {
        status: [_model(part) for part in schema.get("anyOf", [schema])]
        for status, response in one["responses"].items()
        if status.startswith("2")
        for schema in [response["content"]["application/json"]["schema"]]
    }
    return Operation(
        name=one["operationId"],
        method=method.upper(),
        path=path,
        summary=one["summary"],
        parameters=tuple(re.findall(r"{(\w+)}", path)),
        query=tuple((part["name"], part["schema"]) for part in parameters if part["in"] == "query"),
        body=_model(bodies["application/json"]["schema"]) if bodies else None,
        idempotency=any(part["name"] == "Idempotency-Key" for part in parameters),
        answers=tuple(dict.fromkeys(name for names in answers.values() for name in names)),
        results=tuple(answers.get("200", ())),
    )


def _methods(known: list[Operation]) -> Iterator[Method]:
    """The methods of a client: one an operation, then one for each whose work is polled, which waits for the result."""
    by_name = {one.name: one for one in known}
    for one in known:
        yield Method(one, one.name, one.summary, one.answers, waits=False)
    for one in known:
        family = one.name.removeprefix("submit")
        poll = by_name.get(f"get{family}Job")
        if one.name.startswith("submit") and poll is not None:
            results = tuple(dict.fromkeys((*one.results, *poll.results)))
            yield Method(one, family.lower(), f"{one.summary}, and wait for the result", results, waits=True)


def _model(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def error_classes(document: Mapping[str, Any]) -> dict[str, str]:
    """The class of each `error.type`."""
    types = document["components"]["schemas"]["ErrorFacts"]["properties"]["type"]["enum"]
    camel = {kind: kind.removesuffix("_error").title().replace("_", "") for kind in types if kind != "error"}
    return {kind: f"{name}Error" for kind, name in camel.items()}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a model."""

    name: str
    schema: Mapping[str, Any]
    required: bool


@dataclass(frozen=True, slots=True)
class Model:
    """A body, or a part of one, as the clients' types tell it."""

    name: str
    description: str
    fields: tuple[Field, ...]
    split: Mapping[bool, tuple[Field, ...]]
    """further fields by the value of a boolean that says which of two models another field is; mostly empty"""


def _models(document: Mapping[str, Any]) -> Iterator[Model]:
    """The models; where a union has some with `job_id` and some without, these say that it is absent."""
    schemas = document["components"]["schemas"]
    unions = [one.answers for one in operations(document)]
    beside_jobs = {
        name for union in unions for name in union if any("job_id" in schemas[one]["properties"] for one in union)
    }
    for name, schema in schemas.items():
        required = set(schema.get("required", ()))
        fields = {field: Field(field, one, field in required) for field, one in schema["properties"].items()}
        if name in beside_jobs and "job_id" not in fields:
            fields["job_id"] = Field("job_id", {"not": {}, "description": "always absent"}, False)
        split = _split(fields, schemas)
        moved = {field.name for part in split.values() for field in part}
        shared = tuple(field for field in fields.values() if field.name not in moved)
        yield Model(name, schema["description"], shared, split)


def _split(fields: Mapping[str, Field], schemas: Mapping[str, Any]) -> dict[bool, tuple[Field, ...]]:
    """By the value of a boolean: itself, and the field whose model has that value of it too."""
    for flag in (one for one in fields.values() if one.schema.get("type") == "boolean"):
        for field in fields.values():
            refs = field.schema.get("oneOf", ())
            values = [schemas[_model(ref)]["properties"].get(flag.name, {}).get("const") for ref in refs]
            if sorted(values, key=str) == [False, True]:
                return {
                    value: (
                        replace(flag, schema={**flag.schema, "const": value}),
                        replace(field, schema={**field.schema, "oneOf": [ref]}),
                    )
                    for value, ref in zip(values, refs, strict=True)
                }
    return {}


# Python


def python_text(document: Mapping[str, Any]) -> str:
    """The Python module."""
    known = operations(document)
    lines = [
        f'"""Types, operations and errors of the service, version {document["info"]["version"]}. {_WRITTEN}"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict, Unpack, cast",
        "from urllib.parse import quote",
        "",
        "from .errors import ApiError",
    ]
    for kind, name in error_classes(document).items():
        lines += ["", "", f"class {name}(ApiError):", f'    """`error.type` is `{kind}`."""']
    lines += ["", "", "ERRORS: Mapping[str, type[ApiError]] = {"]
    lines += [f'    "{kind}": {name},' for kind, name in error_classes(document).items()]
    lines += ["}", '"""by `error.type`"""']
    for model in _models(document):
        shared = f"{model.name}Facts" if model.split else model.name
        lines += _python_class(shared, "TypedDict", model.description, model.fields)
        names = {value: f"{'Applicable' if value else 'Refused'}{model.name}" for value in model.split}
        for value, fields in model.split.items():
            lines += _python_class(names[value], shared, model.description, fields)
        if names:
            lines += ["", "", f"{model.name}: TypeAlias = {' | '.join(names.values())}", f'"""{model.description}"""']
    lines += [
        "",
        "",
        "class Call(TypedDict, total=False):",
        '    """What a call sends."""',
        "",
        "    body: Mapping[str, Any]",
        "    query: Mapping[str, Any]",
        "    idempotency_key: str | None",
    ]
    for prefix, define, await_ in (("", "def", ""), ("Async", "async def", "await ")):
        lines += ["", "", f"class {prefix}Operations:", '    """One method an operation."""', ""]
        lines += [f"    {define} _call(self, method: str, path: str, **call: Unpack[Call]) -> Any:"]
        lines += ["        raise NotImplementedError", ""]
        lines += [f"    {define} _complete(self, method: str, path: str, timeout: float, **call: Unpack[Call]) -> Any:"]
        lines += ["        raise NotImplementedError"]
        for method in _methods(known):
            lines += ["", *_python_method(method, define, await_)]
    return "\n".join(lines) + "\n"


def _python_class(name: str, base: str, description: str, fields: Iterable[Field]) -> Iterator[str]:
    yield from ("", "", f"class {name}({base}):", f'    """{description}"""', "")
    for field in fields:
        kind = _python_type(field.schema)
        yield f"    {field.name}: {kind if field.required else f'NotRequired[{kind}]'}"
        if field.schema.get("description"):
            yield f'    """{field.schema["description"]}"""'


def _python_method(method: Method, define: str, await_: str) -> list[str]:
    one, summary, sends = method.operation, method.summary, "_call"
    path = re.sub(r"{(\w+)}", r"{quote(\1, safe='')}", one.path)
    named = [f"{name}: {_python_type(schema)} | None = None" for name, schema in one.query]
    call = [f'"{one.method}"', f'f"{path}"' if one.parameters else f'"{path}"']
    if one.body:
        call.append("body=cast(Mapping[str, Any], body)")
    if one.query:
        call.append("query={" + ", ".join(f'"{name}": {name}' for name, _ in one.query) + "}")
    if one.idempotency:
        named.append("idempotency_key: str | None = None")
        call.append("idempotency_key=idempotency_key")
    if method.waits:
        named.append("timeout: float = 600.0")
        call.insert(2, "timeout")
        summary, sends = f"{summary}: at most `timeout` s", "_complete"
    arguments = ["self", *(f"{name}: str" for name in one.parameters)]
    arguments += ["*", *named] if named else []
    arguments += [f"**body: Unpack[{one.body}]"] if one.body else []
    answer = " | ".join(method.answers)
    name = re.sub(r"([A-Z])", r"_\1", method.name).lower()
    return [
        f"    {define} {name}({', '.join(arguments)}) -> {answer}:",
        f'        """{summary}."""',
        f"        return cast({answer}, {await_}self.{sends}({', '.join(call)}))",
    ]


def _python_type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _model(schema)
    if "not" in schema:
        return "Never"
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        texts = (json.dumps(value) if isinstance(value, str) else repr(value) for value in values)
        return f"Literal[{', '.join(texts)}]"
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(_python_type(one) for one in schema[word]))
    kind = schema["type"]
    if kind == "array":
        return f"list[{_python_type(schema['items'])}]"
    if kind == "object":
        return f"dict[str, {_python_type(schema['additionalProperties'])}]"
    return {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}[kind]


# TypeScript


def typescript_text(document: Mapping[str, Any]) -> str:
    """The TypeScript module."""
    known = operations(document)
    lines = [
        f"// Types, operations and errors of the service, version {document['info']['version']}. {_WRITTEN}",
        "",
        'import { ApiError } from "./errors.ts"',
    ]
    for kind, name in error_classes(document).items():
        lines += ["", f"/** `error.type` is `{kind}`. */", f"export class {name} extends ApiError {{}}"]
    lines += ["", "/** by `error.type` */", "export const ERRORS: Record<string, typeof ApiError> = {"]
    lines += [f"  {kind}: {name}," for kind, name in error_classes(document).items()]
    lines += ["}"]
    for model in _models(document):
        shared = f"{model.name}Facts" if model.split else model.name
        lines += ["", f"/** {model.description} */", f"export interface {shared} {{"]
        lines += [*_typescript_fields(model.fields), "}"]
        if model.split:
            lines += ["", f"/** {model.description} */", f"export type {model.name} = {shared} &", "  ("]
            for fields in model.split.values():
                lines += ["    | {", *(f"      {line}" for line in _typescript_fields(fields)), "    }"]
            lines += ["  )"]
    lines += [
        "",
        "export interface Call {",
        "  body?: object",
        "  query?: Record<string, unknown>",
        "  idempotencyKey?: string",
        "}",
        "",
        "/** One method an operation. */",
        "export abstract class Operations {",
        "  protected abstract call(method: string, path: string, call?: Call): Promise<unknown>",
        "",
        "  protected abstract complete(method: string, path: string, seconds: number, call: Call): Promise<unknown>",
    ]
    for method in _methods(known):
        lines += ["", *_typescript_method(method)]
    return "\n".join([*lines, "}"]) + "\n"


def _typescript_fields(fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        if field.schema.get("description"):
            yield f"  /** {field.schema['description']} */"
        yield f"  {field.name}{'' if field.required else '?'}: {_typescript_type(field.schema)}"


def _typescript_method(method: Method) -> list[str]:
    one, summary, sends = method.operation, method.summary, "call"
    path = re.sub(r"{(\w+)}", r"${encodeURIComponent(\1)}", one.path)
    named = [f"{name}?: {_typescript_type(schema)}" for name, schema in one.query]
    sent = ["body"] if one.body else []
    if one.query:
        sent.append("query: { " + ", ".join(f"{name}: options.{name}" for name, _ in one.query) + " }")
    if one.idempotency:
        named.append("idempotencyKey?: string")
        sent.append("idempotencyKey: options.idempotencyKey")
    call = [f'"{one.method}"', f"`{path}`"] + ([f"{{ {', '.join(sent)} }}"] if sent else [])
    if method.waits:
        named.append("seconds?: number")
        call.insert(2, "options.seconds ?? 600")
        summary, sends = f"{summary}: at most `seconds`", "complete"
    arguments = [f"{name}: string" for name in one.parameters]
    arguments += [f"body: {one.body}"] if one.body else []
    arguments += [f"options: {{ {'; '.join(named)} }} = {{}}"] if named else []
    answer = " | ".join(method.answers)
    return [
        f"  /** {summary}. */",
        f"  async {method.name}({', '.join(arguments)}): Promise<{answer}> {{",
        f"    return (await this.{sends}({', '.join(call)})) as {answer}",
        "  }",
    ]


def _typescript_type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _model(schema)
    if "not" in schema:
        return "never"
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(_typescript_type(one) for one in schema[word]))
    kind = schema["type"]
    if kind == "array":
        inner = _typescript_type(schema["items"])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        return f"Record<string, {_typescript_type(schema['additionalProperties'])}>"
    return {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}[kind]


def texts() -> dict[Path, str]:
    """The text of each generated file, from `service/openapi.json`."""
    document = json.loads((files("service") / "openapi.json").read_text(encoding="utf-8"))
    return {PYTHON: python_text(document), TYPESCRIPT: typescript_text(document)}


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
