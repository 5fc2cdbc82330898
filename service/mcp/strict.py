"""Tools whose arguments are as strict as the fields of the API: unknown ones are refused, nothing is coerced.

The SDK ignores arguments that it does not know, turns "4" into 4, and reads JSON out of text: a script of `null` would
be none. Clients that guess find out, as they would from the API.

Schemas are written for clients that know little of JSON Schema: no references, an optional argument is its plain type
that may be left out, and a constant is a choice of one.

Answers are passed on as the service gives them. They may gain fields, as those of the API may: a call to a newer
service is billed, and must not fail here for a field that this version does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import ToolAnnotations
from pydantic import ConfigDict


class _StrictMetadata(FuncMetadata):
    """Takes arguments as they are."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """The arguments, unchanged."""
        return data


def strict_tool(function: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    """Make a tool of a function: its parameters are the arguments, its docstring is what clients read."""
    tool = Tool.from_function(function, title=title, annotations=annotations)
    given = tool.fn_metadata
    strict: type[ArgModelBase] = type(
        given.arg_model.__name__,
        (given.arg_model,),
        {"model_config": ConfigDict(strict=True, extra="forbid"), "__module__": __name__},
    )
    metadata = _StrictMetadata(
        arg_model=strict,
        output_schema=None if given.output_schema is None else _plain(given.output_schema),
        output_model=None,  # nothing is checked
        wrap_output=given.wrap_output,
    )
    arguments = _plain(strict.model_json_schema())
    arguments |= {
        "additionalProperties": False,
        "properties": {name: _without_null(field) for name, field in arguments["properties"].items()},
    }
    return tool.model_copy(update={"fn_metadata": metadata, "parameters": arguments})


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without references and constants, whose objects may have more fields than it names."""
    definitions = schema.get("$defs", {})

    def plain(part: Any) -> Any:
        if isinstance(part, list):
            return [plain(item) for item in part]
        if not isinstance(part, dict):
            return part
        if isinstance(part.get("$ref"), str):
            named = definitions[part["$ref"].rpartition("/")[2]]
            return plain(named | {name: value for name, value in part.items() if name != "$ref"})
        fields = {name: plain(value) for name, value in part.items() if name not in ("$defs", "discriminator")}
        if fields.get("additionalProperties") is False:
            del fields["additionalProperties"]
        if "const" in fields and not isinstance(fields["const"], dict):  # a field of that name would be a schema
            fields["enum"] = [fields.pop("const")]
        return fields

    found: dict[str, Any] = plain(schema)
    return found


def _without_null(field: dict[str, Any]) -> dict[str, Any]:
    """The schema of an optional argument, with null neither among its types nor as its default."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return field
    return {**kinds[0], **{name: value for name, value in field.items() if name not in ("anyOf", "default")}}
