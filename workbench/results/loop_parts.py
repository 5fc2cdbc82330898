"""The parts that make up the JSON body of a loop; only this module defines them.

    names   video_id, track_id, track                what this caller calls them
    facts   applicable, plan; hint and retryable     the answer, the same for every caller; what the service stores
    mix     mix                                      only if asked for, applicable and measured

A body is `names | facts`, or `facts | names` where stored facts are given to the next caller. `workbench.results.plan`
holds the model of the whole and the facts of a plan. This module imports no array code, because HTTP processes import
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from workbench.plans.refusals import Refusal


class CatalogIds(Protocol):
    """Anything with a track's ids in the caller's catalog."""

    @property
    def catalog_song_id(self) -> str | None:
        """The work; None if unknown."""

    @property
    def catalog_audio_file_id(self) -> str | None:
        """The audio file; None if unknown."""


def loop_names(video_id: str, track_id: str, track: CatalogIds | None) -> dict[str, Any]:
    """The names that a caller gave to what the loop is about; other ids may stand for the same bytes."""
    return {
        "video_id": video_id,
        "track_id": track_id,
        "track": {
            "catalog_song_id": None if track is None else track.catalog_song_id,
            "catalog_audio_file_id": None if track is None else track.catalog_audio_file_id,
        },
    }


def refusal_facts(refusal: Refusal) -> dict[str, Any]:
    """The facts of a refusal."""
    lengths = {name: getattr(refusal, name) for name in ("video_seconds", "track_seconds", "required_excess_seconds")}
    given = {name: value for name, value in lengths.items() if value is not None}
    return {
        "applicable": False,
        "plan": {"applicable": False, "reason": refusal.reason.value, **given},
        "hint": refusal.hint,
        "retryable": refusal.retryable,
    }


def with_mix(facts: Mapping[str, Any], mix: Any) -> dict[str, Any]:
    """A copy of the facts of a plan with its mix; a refusal gets none."""
    return dict(facts) if mix is None or not facts["applicable"] else {**facts, "mix": mix}
