"""`/v1/openapi.json` and `/docs`: the interface description, and a page that shows it, with assets of this service."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import swagger_ui_bundle
from sanic import Blueprint, HTTPResponse, Request
from sanic.response import file, html, raw

from service.errors import not_found
from service.routes.admission import RoutePolicy, query_of
from service.routes.headers import DOCS_POLICY
from service.routes.http import reading
from service.schemas.requests import NoQuery

blueprint = Blueprint("docs")
_OPEN = RoutePolicy(api_key=False)
_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workbench: /v1</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="description"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/docs.js"></script>
</body>
</html>
"""


@reading(blueprint, "/v1/openapi.json", _OPEN)
async def openapi(request: Request) -> HTTPResponse:
    """The interface description as JSON; raises Problem, 422, for any parameter."""
    query_of(request, NoQuery)
    return raw(_description(), content_type="application/json")


@reading(blueprint, "/docs", _OPEN)
async def page(request: Request) -> HTTPResponse:
    """The page that shows the interface description."""
    return html(_PAGE, headers={"Content-Security-Policy": DOCS_POLICY})


@reading(blueprint, "/docs/docs.js", _OPEN)
async def script(request: Request) -> HTTPResponse:
    """The script that fills the page; it is a file, so that the page needs no inline script."""
    return raw((files("service.routes") / "docs.js").read_bytes(), content_type="text/javascript; charset=utf-8")


@reading(blueprint, "/docs/<name:str>", _OPEN)
async def asset(request: Request, name: str) -> HTTPResponse:
    """Style sheet, script and icon of Swagger UI; raises Problem, 404, for a name that is not in `_ASSETS`."""
    if name not in _ASSETS:
        raise not_found("path")
    return await file(Path(swagger_ui_bundle.swagger_ui_path) / name)


@cache
def _description() -> bytes:
    return (files("service") / "openapi.json").read_bytes()
