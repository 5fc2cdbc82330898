"""The generated half of the client libraries: types, operations and error classes, from the interface description.

`python -m service.clients.generate` writes `python/generated.py` and `typescript/generated.ts` beside this file. A test
fails when they differ from what this module writes. What no description can say (polling, uploads, webhooks) is written
by hand in the modules beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """The operations that become methods.

    Parameters
    ----------
    document : the interface description
    """
    found = []
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            if one["operationId"] not in BY_HAND:
                found.append(_operation(path, method, one))
    return found


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


def _completed(known: list[Operation]) -> Iterator[tuple[str, Operation, tuple[str, ...]]]:
    """Name, submit and results of each family whose work is polled; the polls have the query of the submit."""
    by_name = {one.name: one for one in known}
    for one in known:
        family = one.name.removeprefix("submit")
        poll = by_name.get(f"get{family}Job")
        if one.name.startswith("submit") and poll is not None:
            yield family.lower(), one, tuple(dict.fromkeys((*one.results, *poll.results)))


def _model(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def error_classes(document: Mapping[str, Any]) -> dict[str, str]:
    """The class of each `error.type`.

    Parameters
    ----------
    document : the interface description
    """
    types = document["components"]["schemas"]["ErrorFacts"]["properties"]["type"]["enum"]
    return {kind: _camel(kind.removesuffix("_error")) + "Error" for kind in types if kind != "error"}


def _camel(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


# Python


def python_text(document: Mapping[str, Any]) -> str:
    """The Python module.

    Parameters
    ----------
    document : the interface description
    """
    schemas, known = document["components"]["schemas"], operations(document)
    lines = [
        f'"""Types, operations and errors of the service, version {document["info"]["version"]}. {_WRITTEN}"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Awaitable, Callable, Mapping",
        "from typing import Any, Literal, NotRequired, TypedDict, Unpack, cast",
        "from urllib.parse import quote",
        "",
        "from service.clients.python.errors import ApiError",
    ]
    for kind, name in error_classes(document).items():
        lines += ["", "", f"class {name}(ApiError):", f'    """`error.type` is `{kind}`."""']
    lines += ["", "", "ERRORS: Mapping[str, type[ApiError]] = {"]
    lines += [f'    "{kind}": {name},' for kind, name in error_classes(document).items()]
    lines += ["}", '"""by `error.type`"""']
    for name, schema in schemas.items():
        lines += ["", "", f"class {name}(TypedDict):", f'    """{schema["description"]}"""', ""]
        required = set(schema.get("required", ()))
        for field, one in schema["properties"].items():
            kind = _python_type(one)
            lines.append(f"    {field}: {kind if field in required else f'NotRequired[{kind}]'}")
            if one.get("description"):
                lines.append(f'    """{one["description"]}"""')
    for prefix, await_, caller in (
        ("", "", "Callable[..., Any]"),
        ("Async", "await ", "Callable[..., Awaitable[Any]]"),
    ):
        define = "async def" if prefix else "def"
        lines += ["", "", f"class {prefix}Operations:", '    """One method an operation."""', ""]
        lines += [
            f"    {define} _call(",
            "        self, method: str, path: str, *, body: Mapping[str, Any] | None = None,",
        ]
        lines += ["        query: Mapping[str, Any] | None = None, idempotency_key: str | None = None,"]
        lines += ["    ) -> Any:", "        raise NotImplementedError", ""]
        lines += [f"    {define} _complete("]
        lines += [f"        self, submit: {caller}, body: Mapping[str, Any], query: Mapping[str, Any], timeout: float"]
        lines += ["    ) -> Any:"]
        lines += ["        raise NotImplementedError"]
        for one in known:
            lines += ["", *_python_method(one, define, await_)]
        for family, one, results in _completed(known):
            lines += ["", *_python_complete(family, one, results, define, await_)]
    return "\n".join(lines) + "\n"


def _python_arguments(one: Operation) -> list[str]:
    given = [f"{name}: str" for name in one.parameters]
    named = [f"{name}: {_python_type(schema)} | None = None" for name, schema in one.query]
    named += ["idempotency_key: str | None = None"] if one.idempotency else []
    given += ["*", *named] if named else []
    return given + ([f"**body: Unpack[{one.body}]"] if one.body else [])


def _python_method(one: Operation, define: str, await_: str) -> list[str]:
    path = re.sub(r"{(\w+)}", r"{quote(\1, safe='')}", one.path)
    call = [f'"{one.method}"', f'f"{path}"' if one.parameters else f'"{path}"']
    call += ["body=cast(Mapping[str, Any], body)"] if one.body else []
    call += [f"query={_python_query(one)}"] if one.query else []
    call += ["idempotency_key=idempotency_key"] if one.idempotency else []
    answer = " | ".join(one.answers)
    return [
        f"    {define} {_snake(one.name)}({', '.join(['self', *_python_arguments(one)])}) -> {answer}:",
        f'        """{one.summary}."""',
        f"        return cast({answer}, {await_}self._call({', '.join(call)}))",
    ]


def _python_query(one: Operation) -> str:
    return "{" + ", ".join(f'"{name}": {name}' for name, _ in one.query) + "}"


def _python_complete(family: str, one: Operation, results: tuple[str, ...], define: str, await_: str) -> list[str]:
    """The method that submits and waits."""
    arguments = _python_arguments(one)
    at = next(index for index, name in enumerate(arguments) if name.startswith("**"))
    arguments.insert(at, "timeout: float = 600.0")
    named = [name for name, _ in one.query] + ["idempotency_key"]
    answer, query = " | ".join(results), _python_query(one)
    again = ", ".join(f"{name}={name}" for name in named)
    return [
        f"    {define} {family}({', '.join(['self', *arguments])}) -> {answer}:",
        f'        """{one.summary}, and wait for the result: at most `timeout` s."""',
        "        def submit(**given: Any) -> Any:",
        f"            return self.{_snake(one.name)}({again}, **given)",
        "",
        "        given = cast(Mapping[str, Any], body)",
        f"        return cast({answer}, {await_}self._complete(submit, given, {query}, timeout))",
    ]


def _python_type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _model(schema)
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
    """The TypeScript module.

    Parameters
    ----------
    document : the interface description
    """
    schemas, known = document["components"]["schemas"], operations(document)
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
    for name, schema in schemas.items():
        lines += ["", f"/** {schema['description']} */", f"export interface {name} {{"]
        required = set(schema.get("required", ()))
        for field, one in schema["properties"].items():
            if one.get("description"):
                lines.append(f"  /** {one['description']} */")
            lines.append(f"  {field}{'' if field in required else '?'}: {_typescript_type(one)}")
        lines += ["}"]
    lines += ["", "export interface Call {", "  body?: object", "  query?: Record<string, unknown>"]
    lines += [
        "  idempotencyKey?: string",
        "}",
        "",
        "/** One method an operation. */",
        "export abstract class Operations {",
    ]
    lines += ["  protected abstract call(method: string, path: string, call?: Call): Promise<unknown>", ""]
    lines += [
        "  protected abstract complete(",
        "    submit: (body: any) => Promise<unknown>, body: object, query: Record<string, unknown>, seconds: number,",
        "  ): Promise<unknown>",
    ]
    for one in known:
        lines += ["", *_typescript_method(one)]
    for family, one, results in _completed(known):
        lines += ["", *_typescript_complete(family, one, results)]
    return "\n".join([*lines, "}"]) + "\n"


def _typescript_options(one: Operation, *more: str) -> str:
    named = [f"{name}?: {_typescript_type(schema)}" for name, schema in one.query]
    named += ["idempotencyKey?: string"] if one.idempotency else []
    named += more
    return f"options: {{ {'; '.join(named)} }} = {{}}" if named else ""


def _typescript_arguments(one: Operation, *more: str) -> str:
    given = [f"{name}: string" for name in one.parameters] + ([f"body: {one.body}"] if one.body else [])
    options = _typescript_options(one, *more)
    return ", ".join([*given, options] if options else given)


def _typescript_method(one: Operation) -> list[str]:
    path = re.sub(r"{(\w+)}", r"${encodeURIComponent(\1)}", one.path)
    call = ["body"] if one.body else []
    call += [f"query: {_typescript_query(one)}"] if one.query else []
    call += ["idempotencyKey: options.idempotencyKey"] if one.idempotency else []
    told = f", {{ {', '.join(call)} }}" if call else ""
    answer = " | ".join(one.answers)
    return [
        f"  /** {one.summary}. */",
        f"  async {one.name}({_typescript_arguments(one)}): Promise<{answer}> {{",
        f'    return (await this.call("{one.method}", `{path}`{told})) as {answer}',
        "  }",
    ]


def _typescript_query(one: Operation) -> str:
    return "{ " + ", ".join(f"{name}: options.{name}" for name, _ in one.query) + " }" if one.query else "{}"


def _typescript_complete(family: str, one: Operation, results: tuple[str, ...]) -> list[str]:
    answer, query = " | ".join(results), _typescript_query(one)
    return [
        f"  /** {one.summary}, and wait for the result: at most `seconds`. */",
        f"  async {family}({_typescript_arguments(one, 'seconds?: number')}): Promise<{answer}> {{",
        f"    const submit = (given: {one.body}) => this.{one.name}(given, options)",
        f"    return (await this.complete(submit, body, {query}, options.seconds ?? 600)) as {answer}",
        "  }",
    ]


def _typescript_type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _model(schema)
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
