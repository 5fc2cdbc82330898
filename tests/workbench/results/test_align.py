from __future__ import annotations

import jsonschema

from workbench.results.align import align_result
from workbench.results.mix import MixBody
from workbench.results.schemas import schemas

POINTS = [(-3.25, 0.81234, "drop on the cut at 0:12.4"), (10.0, 0.5, "downbeat on the start at 0:00.0")]
MIX = MixBody(voiceover=False, classification="none", duck=None)


def test_a_direct_answer_has_null_where_there_is_no_mix() -> None:
    body = align_result(POINTS, video_id="v", track_id="t").to_json()
    jsonschema.validate(body, schemas()["AlignResult"])
    assert body["mix"] is None
    assert "job_id" not in body
    assert body["sync_points"][0] == {"offset_seconds": -3.25, "score": 0.8123, "label": "drop on the cut at 0:12.4"}


def test_a_job_may_leave_the_mix_out() -> None:
    body = align_result(POINTS, video_id="v", track_id="t", cached=False).to_json()
    job = {name: value for name, value in body.items() if name != "mix"} | {"job_id": "job_1"}
    jsonschema.validate(job, schemas()["AlignResult"])
    with_mix = align_result(POINTS, video_id="v", track_id="t", mix=MIX).to_json()
    assert with_mix["mix"] == {"voiceover": False, "classification": "none", "duck": None}
