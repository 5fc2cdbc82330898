"""The reference of the service: every operation, status and schema of its OpenAPI document."""

from __future__ import annotations

import json
import re

from notebooks.book.service_pages import service_page
from notebooks.book.sources import ROOT

DOCUMENT = json.loads((ROOT / "service" / "openapi.json").read_text())


def test_every_operation_and_schema_stands_in_the_page() -> None:
    page = service_page(DOCUMENT)
    headings = re.findall(r"^### (\w+)$", page, re.MULTILINE)
    operations = [one["operationId"] for verbs in DOCUMENT["paths"].values() for one in verbs.values()]
    assert sorted(headings) == sorted([*operations, *DOCUMENT["components"]["schemas"]])
    loop = page.split("### submitLoop\n")[1].split("\n### ")[0]
    assert "POST /v1/loop" in loop
    assert "[LoopRequest](#schema-looprequest)" in loop
    assert "| 202 | A loop that is being computed" in loop
    assert "| `Idempotency-Key` | header | no |" in loop


def test_every_schema_that_is_linked_is_there() -> None:
    page = service_page(DOCUMENT)
    assert set(re.findall(r"\]\(#(schema-\w+)\)", page)) <= set(re.findall(r"^\((schema-\w+)\)=", page, re.MULTILINE))
