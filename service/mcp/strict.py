"""Tools whose arguments are as strict as the fields of the API: unknown ones are refused, nothing is coerced.

The SDK ignores arguments that it does not know, turns "4" into 4, and reads JSON out of text: a script of `null` would
be none. Clients that guess find out, as they would from the API.

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
    """Make a tool of a function.

    Parameters
    ----------
    function : its parameters are the arguments, its docstring is what clients read
    title : for people
    annotations : what the tool does to the world
    """
    tool = Tool.from_function(function, title=title, annotations=annotations)
    given = tool.fn_metadata
    strict: type[ArgModelBase] = type(
        given.arg_model.__name__,
        (given.arg_model,),
        {"model_config": ConfigDict(strict=True, extra="forbid"), "__module__": __name__},
    )
    metadata = _StrictMetadata(
        arg_model=strict,
        output_schema=_open(given.output_schema),
        output_model=None,  # nothing is checked
        wrap_output=given.wrap_output,
    )
    return tool.model_copy(update={"fn_metadata": metadata, "parameters": strict.model_json_schema()})


def _open(schema: Any) -> Any:
    """A schema of answers whose objects may have more fields than it names."""
    if isinstance(schema, list):
        return [_open(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = schema.get("additionalProperties") is False
    return {name: _open(value) for name, value in schema.items() if not (closed and name == "additionalProperties")}
