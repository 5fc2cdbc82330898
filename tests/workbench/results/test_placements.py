"""Placements read back from what align and match print."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import PlanError
from workbench.results.align import align_result, has_placements, named_track, placements_of

POINTS = [(-3.25, 0.8123, "drop on the cut at 0:12.4"), (10.0, 0.5, "downbeat on the start at 0:00.0")]
ALIGNED = align_result(POINTS, video_id="v", track_id="t").to_json()


def lane(**points: list[dict[str, Any]] | None) -> dict[str, Any]:
    """A match result with these tracks; None: placements were not asked for."""
    tracks = [
        {"track_id": name, "audio_id": f"bytes of {name}"} | ({} if given is None else {"sync_points": given})
        for name, given in points.items()
    ]
    return {"lane": {"matches": tracks[:1], "candidate_pool": tracks[1:]}}


def never() -> str:
    raise AssertionError("the bytes are not asked for")


def test_results_of_align_and_match_have_placements_and_those_of_loop_have_none() -> None:
    assert has_placements(ALIGNED)
    assert has_placements(lane(t=None))
    assert not has_placements({"plan": {}, "sync_points": []})
    assert not has_placements({"beats": []})


def test_of_align_the_one_track_is_meant_whatever_its_name() -> None:
    found = placements_of(ALIGNED, "another name", never)
    assert [(point.offset_seconds, point.score, point.label) for point in found] == POINTS


def test_of_match_a_track_is_found_by_its_id_or_by_its_bytes() -> None:
    result = lane(a=ALIGNED["sync_points"][:1], b=ALIGNED["sync_points"][1:])
    assert [point.offset_seconds for point in placements_of(result, "a", never)] == [-3.25]
    assert [point.offset_seconds for point in placements_of(result, "mine", lambda: "bytes of b")] == [10.0]


def test_a_result_names_its_track_and_a_match_its_best() -> None:
    assert named_track(ALIGNED) == "t"
    assert named_track({"track_id": "t", "plan": {}}) == "t"
    assert named_track(lane(a=[], b=[])) == "a"
    nameless: list[dict[str, Any]] = [{"segments": []}, {"lane": {}}, {"lane": None}, {"track_id": None}]
    assert [named_track(result) for result in nameless] == [None] * 4


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (lane(a=[]), "no placement of a in this result"),
        (lane(a=None), "make it again by match with include_sync"),
        (lane(c=[]), "the track a is not in this match result, which has c"),
        ({"lane": {}}, "which has none at all"),
        ({"sync_points": []}, "there is no placement in this result"),
        (
            {"sync_points": [{"offset_seconds": 1.0, "score": 2.0, "label": "x"}]},
            "not a placement: sync_points.0.score",
        ),
        ({"sync_points": "many"}, "not a placement: sync_points"),
    ],
)
def test_what_has_none_says_so(result: dict[str, Any], why: str) -> None:
    with pytest.raises(PlanError) as caught:
        placements_of(result, "a", lambda: "other bytes")
    assert why in str(caught.value)
