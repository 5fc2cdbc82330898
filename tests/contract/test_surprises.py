"""A few hundred requests that nobody thought of, made from the interface description: no `5xx`, and answers conform.

Valid ones and spoiled ones, from a fixed seed. Addresses are led to this machine, where there is nothing to fetch; ids
are made real ones now and then, so that more than `404` is heard.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks as openapi_checks

from service.routes.openapi import ENDPOINTS, description

pytestmark = pytest.mark.slow  # hundreds of seeded requests

SCHEMA = schemathesis.openapi.from_dict(description())
CHECKS = [
    not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]
REAL = {"video_id": "vid_long", "track_id": "trk_corner"}
EXAMPLES = 10


@pytest.fixture(scope="module")
def session(service: Any) -> Iterator[requests.Session]:
    with requests.Session() as opened:
        opened.trust_env = False
        opened.headers["x-api-key"] = service.customer("--preview").key
        yield opened


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "spoiled"])
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=[f"{one.method} {one.path}" for one in ENDPOINTS])
def test_no_server_error_and_answers_conform(
    service: Any, site: Any, session: requests.Session, endpoint: Any, mode: GenerationMode
) -> None:
    operation = SCHEMA[endpoint.path][endpoint.method.upper()]

    @seed(20261121)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=...)
    def ask(case: schemathesis.Case[Any], real: bool) -> None:
        if isinstance(case.body, dict):
            for name in ("video_url", "audio_url"):
                if str(case.body.get(name)).startswith("https://"):
                    case.body[name] = f"{site.url}/absent"
            if real:
                case.body.update({name: value for name, value in REAL.items() if name in case.body})
        if real and isinstance(case.path_parameters, dict) and "video_id" in case.path_parameters:
            case.path_parameters["video_id"] = REAL["video_id"]
        answer = case.call(base_url=service.url, session=session, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    ask()
