"""JSON Schemas of the bodies, for clients that check or generate from them; ``python -m`` this module prints them."""

from __future__ import annotations

import json
import sys
from typing import Any

from workbench.results.align import AlignResult
from workbench.results.beats import BeatGridBody
from workbench.results.body import Body
from workbench.results.match import MatchResult, UnderscoreResult
from workbench.results.mix import MixBody
from workbench.results.plan import AnyPlanBody, LoopResult, PlanResult, PlansResult

_BODIES: dict[str, type[Body]] = {
    "LoopResult": LoopResult,
    "Plan": AnyPlanBody,
    "PlanResult": PlanResult,
    "PlansResult": PlansResult,
    "Mix": MixBody,
    "AlignResult": AlignResult,
    "BeatGrid": BeatGridBody,
    "MatchResult": MatchResult,
    "UnderscoreResult": UnderscoreResult,
}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema (2020-12) of each body, by name."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {name: dialect | body.model_json_schema(mode="serialization") for name, body in _BODIES.items()}


if __name__ == "__main__":
    json.dump(schemas(), sys.stdout, indent=2)
    sys.stdout.write("\n")
