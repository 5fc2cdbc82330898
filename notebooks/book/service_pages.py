"""The reference of the service, from its OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from notebooks.book.markdown import cell, code, fenced, table

Document = Mapping[str, Any]


def service_page(document: Document) -> str:
    """The page, in Markdown."""
    info = document["info"]
    parts = [
        f"# Service, version {info['version']}\n",
        f"{info['description']}\n",
        "The service itself shows this interface at `/docs`, and `/v1/openapi.json` is the document that this page is "
        "made from.\n",
    ]
    operations = [(path, verb, one) for path, verbs in document["paths"].items() for verb, one in verbs.items()]
    for tag in document["tags"]:
        parts += [f"## {tag['name']}\n", f"{tag.get('description', '')}\n"]
        for path, verb, one in operations:
            if tag["name"] in one["tags"]:
                parts += _operation(path, verb, one)
    parts.append("## Schemas\n")
    for name, schema in document["components"]["schemas"].items():
        parts += _schema(name, schema)
    return "\n".join(parts)


def _operation(path: str, verb: str, one: Document) -> Iterator[str]:
    yield f"### {one['operationId']}\n"
    yield fenced(f"{verb.upper()} {path}", "text")
    yield f"{one['summary']}. {one.get('description', '')}\n"
    if one.get("parameters"):
        rows = [
            [f"`{given['name']}`", given["in"], "yes" if given.get("required") else "no", cell(given["description"])]
            for given in one["parameters"]
        ]
        yield table(["parameter", "in", "required", "meaning"], rows)
    for kind, content in one.get("requestBody", {}).get("content", {}).items():
        yield f"Body, `{kind}`: {_type(content['schema'])}\n"
        if "example" in content:
            yield fenced(json.dumps(content["example"], indent=2, ensure_ascii=False), "json")
    rows = []
    for status, answer in one["responses"].items():
        bodies = [_type(content["schema"]) for content in answer.get("content", {}).values() if "schema" in content]
        rows.append([status, cell(answer["description"]), ", ".join(bodies) or "–"])
    yield table(["status", "meaning", "body"], rows)


def _schema(name: str, schema: Document) -> Iterator[str]:
    yield f"(schema-{name.lower()})=\n### {name}\n"
    yield f"{schema.get('description', '')}\n".replace("<", "&lt;")
    required = schema.get("required", [])
    rows = [
        [f"`{field}`", _type(one), "yes" if field in required else "no", cell(_meaning(one))]
        for field, one in schema.get("properties", {}).items()
    ]
    if rows:
        yield table(["field", "type", "required", "meaning"], rows)
    elif "enum" in schema or "anyOf" in schema or "oneOf" in schema:
        yield f"{_type(schema)}\n"


def _meaning(one: Document) -> str:
    limits = {"minimum": "from", "maximum": "to", "exclusiveMinimum": "over", "exclusiveMaximum": "under",
              "maxLength": "at most characters:", "maxItems": "at most items:"}  # fmt: skip
    words = [f"{word} {one[key]}" for key, word in limits.items() if key in one]
    given = f"default {json.dumps(one['default'])}" if "default" in one else ""
    return "; ".join(part for part in (one.get("description", ""), ", ".join(words), given) if part)


def _type(one: Document) -> str:
    """The type of a schema, with links to those that have a name."""
    if "$ref" in one:
        name = one["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#schema-{name.lower()})"
    if "enum" in one:
        return ", ".join(code(json.dumps(value)) for value in one["enum"])
    if "const" in one:
        return code(json.dumps(one["const"]))
    for many in ("anyOf", "oneOf", "allOf"):
        if many in one:
            return " or ".join(_type(part) for part in one[many])
    if one.get("type") == "array":
        return f"list of {_type(one.get('items') or one.get('prefixItems', [{}])[0])}"
    kinds = one.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
