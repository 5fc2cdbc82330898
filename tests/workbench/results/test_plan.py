"""A plan goes to JSON and back unchanged; the JSON fits its schema; what is no plan is told in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from workbench.catalog.track import Track
from workbench.errors import PlanError
from workbench.plans import refusals
from workbench.plans.plan import Ending, EndKind, LoopBody, LoopPlan, LoopSegment
from workbench.results.loop_parts import loop_names, with_mix
from workbench.results.mix import DuckBody, MixBody
from workbench.results.plan import (
    LoopResult,
    TrackRef,
    loop_facts,
    mix_from_json,
    plan_body,
    plan_from_json,
    plan_result,
)
from workbench.results.schemas import schemas

TRACK = TrackRef(catalog_song_id="track-1", catalog_audio_file_id=None)
MIX = MixBody(
    voiceover=True,
    classification="voice",
    music_gain_db=-3.5,
    video_gain_db=1.0,
    duck=DuckBody(
        envelope_points=[[0.5, 0.0], [1.0, 14.0], [4.0, 14.0], [5.0, 0.0]],
        envelope_hz=50,
        speech_ranges=[[1.0, 2.0], [2.5, 4.0]],
        depth_db=14.0,
        attack_ms=500,
        release_ms=1000,
    ),
)


@pytest.fixture
def plan() -> LoopPlan:
    alone = LoopPlan(
        segments=(LoopSegment(0.0, 64.0, 0.0, 0.0), LoopSegment(32.001, 112.5, 0.0, -1.25)),
        seam_fades=(0.02,),
        seam_curves=(0.75,),
        gain_glide_seconds=4.0,
        music_in=0.25,
        start_fade_seconds=0.005,
        ending=Ending(EndKind.OUTRO, 0.751, 0.751, outro_start=96.0),
        window_end=145.5,
        song_duration=113.0,
        beats_per_bar=4,
        body=LoopBody(32.001, 64.0, bars=16, repeats=2),
        sections_covered=("intro", "verse"),
        seam_score=0.9312,
        plan_score=0.9,
    )
    other = replace(alone, ending=Ending(EndKind.RESOLVE, 0.751, 0.751), plan_score=0.8)
    return replace(alone, options=(alone, other))


def body_of(answer: LoopPlan | refusals.Refusal, mix: MixBody | None = None) -> dict[str, Any]:
    """As `/v1` answers."""
    facts = with_mix(loop_facts(answer), mix)
    return LoopResult.model_validate(loop_names("vid_1", "trk_1", TRACK) | facts).to_json()


def test_a_result_reads_back_as_the_plan_it_was_made_of(plan: LoopPlan) -> None:
    written = json.dumps(body_of(plan, mix=MIX))
    assert plan_from_json(written) == plan
    assert mix_from_json(written) == MIX
    assert plan_from_json(json.loads(written)) == plan
    assert plan_from_json(written.encode()) == plan


def test_a_bare_plan_reads_back_too(plan: LoopPlan) -> None:
    bare = plan_body(plan.alone).to_json()
    assert plan_from_json(bare) == plan.alone
    assert mix_from_json(bare) is None
    assert "options" not in bare
    assert "alternates" not in bare


def test_a_finished_job_reads_back_too(plan: LoopPlan) -> None:
    assert plan_from_json(body_of(plan) | {"job_id": "job_1", "status": "complete"}) == plan


def test_bodies_fit_their_schemas(plan: LoopPlan) -> None:
    known = schemas()
    assert set(known) == {
        "LoopResult", "Plan", "PlanResult", "PlansResult", "Mix", "AlignResult", "BeatGrid", "MatchResult",
        "UnderscoreResult",
    }  # fmt: skip
    jsonschema.validate(body_of(plan, mix=MIX), known["LoopResult"])
    jsonschema.validate(MIX.to_json(), known["Mix"])
    record = Track("trk_1", Path("/a.ogg"), "00", catalog_song_id="track-1", licence="CC0-1.0")
    planned = plan_result(plan, video_id="vid_1", track_id="trk_1", track=record, mix=MIX).to_json()
    jsonschema.validate(planned, known["PlanResult"])
    assert planned["track"] == TRACK.to_json() | {"licence": "CC0-1.0"}
    jsonschema.validate(planned["plan"], known["Plan"])
    jsonschema.validate({"fits": [planned]}, known["PlansResult"])


def test_schemas_refuse_what_no_client_should_see(plan: LoopPlan) -> None:
    known = schemas()["LoopResult"]
    for damage in (
        {"plan": body_of(plan)["plan"] | {"outro_start": None}},
        {"plan": body_of(plan)["plan"] | {"extra": 1}},
        {"hint": None},
        {"mix": None},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(body_of(plan) | damage, known)


@pytest.mark.parametrize(
    "refusal",
    [
        refusals.video_not_longer(100.0, 90.0, 30.0),
        refusals.low_confidence(0.1, 0.3, 0.5),
        refusals.no_viable_loop("nothing repeats"),
        refusals.no_loop_profile(),
        refusals.timeout(120.0),
        refusals.profile_error("a checksum does not match"),
        refusals.missing_profile(),
        refusals.audio_unavailable("the file is gone"),
    ],
)
def test_refusals(refusal: refusals.Refusal) -> None:
    result = body_of(refusal, MIX)
    jsonschema.validate(result, schemas()["LoopResult"])
    assert (result["applicable"], result["retryable"], result["hint"]) == (False, refusal.retryable, refusal.hint)
    assert "mix" not in result
    lengths = {"video_seconds": 100.0, "track_seconds": 90.0, "required_excess_seconds": 30.0}
    expected = {"applicable": False, "reason": refusal.reason.value}
    assert result["plan"] == expected | (lengths if refusal.reason == "video_not_longer" else {})
    with pytest.raises(PlanError, match=refusal.reason.value):
        plan_from_json(result)


def test_what_is_no_plan_is_told_in_one_sentence(plan: LoopPlan) -> None:
    good = plan_body(plan).to_json()
    for data, message in (
        ("{", "not JSON"),
        ("[]", "JSON object, got list"),
        ({}, "not a plan"),
        (good | {"segments": [{"song_from": "0"}]}, "segments.0.song_from"),
        (good | {"sections": []}, "sections"),
        (good | {"bars": 16.5}, "bars"),
        (good | {"tail_seconds": float("nan")}, "tail_seconds"),
        (good | {"version": 2}, "version 2"),
        (good | {"window_end": 150.0}, "cover: the segments reach"),
        (good | {"music_out": 150.0}, "music_out follows from the rest of a plan, which makes it 145.5, got 150"),
        (good | {"seam_times": [64.0]}, "seam_times follows"),
        (good | {"outro_end": None}, "outro_start and outro_end stand together"),
        (good | {"seam_fades": []}, "one entry per internal splice"),
    ):
        with pytest.raises(PlanError, match=message):
            plan_from_json(data)


def test_a_result_has_one_shape(plan: LoopPlan) -> None:
    body = plan_body(plan)
    with pytest.raises(ValidationError, match="hint"):
        LoopResult(video_id="v", track_id="t", track=TRACK, applicable=True, plan=body, hint="why")
    with pytest.raises(ValidationError, match="agree"):
        LoopResult(video_id="v", track_id="t", track=TRACK, applicable=False, plan=body)


def test_the_parts_make_the_same_bytes_as_the_whole(plan: LoopPlan) -> None:
    names = loop_names("vid_1", "trk_1", TRACK)
    for answer in (plan, refusals.video_not_longer(100.0, 90.0, 30.0), refusals.timeout(120.0)):
        assert answer is not None
        for mix in (None, MIX):
            whole = body_of(answer, mix)
            parts = names | with_mix(loop_facts(answer), None if mix is None else mix.to_json())
            assert json.dumps(parts) == json.dumps(whole)
