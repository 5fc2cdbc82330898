"""The parts of a loop's body: names of the caller, facts of what was found, a mix where one was made."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.plans.refusals import timeout, video_not_longer
from workbench.results.loop_parts import loop_names, refusal_facts, with_mix


@dataclass(frozen=True)
class Ids:
    """Where a catalog has a track."""

    catalog_song_id: str | None = "song"
    catalog_audio_file_id: str | None = None


def test_names_are_the_callers_and_null_where_nobody_knows() -> None:
    assert loop_names("v", "t", Ids()) == {
        "video_id": "v", "track_id": "t", "track": {"catalog_song_id": "song", "catalog_audio_file_id": None},
    }  # fmt: skip
    assert loop_names("v", "t", None)["track"] == {"catalog_song_id": None, "catalog_audio_file_id": None}


def test_a_mix_is_added_to_a_plan_and_never_to_a_refusal() -> None:
    plan = {"applicable": True, "plan": {}}
    assert with_mix(plan, {"duck": None}) == plan | {"mix": {"duck": None}}
    assert with_mix(plan, None) == plan
    refused = {"applicable": False, "plan": {}}
    assert with_mix(refused, {"duck": None}) == refused


def test_a_refusal_states_its_lengths_where_it_has_them() -> None:
    short = video_not_longer(100.0, 90.0, 30.0)
    assert short is not None
    assert refusal_facts(short) == {
        "applicable": False,
        "plan": {
            "applicable": False, "reason": "video_not_longer",
            "video_seconds": 100.0, "track_seconds": 90.0, "required_excess_seconds": 30.0,
        },
        "hint": short.hint,
        "retryable": False,
    }  # fmt: skip
    late = refusal_facts(timeout(120.0))
    assert late["plan"] == {"applicable": False, "reason": "timeout"}
    assert late["retryable"] is True
