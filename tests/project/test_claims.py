"""How the benchmark reads what `match_map` says, and what is known of drawn videos."""

from __future__ import annotations

import pytest

from data.recipes.material.match_drawn_videos import RECIPES, DrawnTruth, truth_of
from tests.benchmarks.claims import claims_of_track, claims_of_video

SONG = {"bpm": 112, "instrumental": True, "kind": "song", "musical_key_name": "D", "musical_key_mode": "major"}


@pytest.mark.parametrize(
    ("text", "kind", "holds"),
    [
        ("21 cuts per minute; pulse 0.42 of 1 suits", "cuts per minute", True),
        ("23 cuts per minute, motion 0.12 picture heights per second", "cuts per minute", False),
        ("no cuts; pulse 0.10 of 1 suits", "cuts per minute", False),
        ("speech 56 %", "share of speech", True),
        ("speech 70 %", "share of speech", False),
        ("1:20 long", "length of the video", True),
        ("1:25 long", "length of the video", False),
    ],
)
def test_lines_of_a_video_are_held_against_how_it_was_drawn(text: str, kind: str, holds: bool) -> None:
    (claim,) = claims_of_video(text, "a video", 80.0, DrawnTruth(20.0, 0.6))
    assert (claim.kind, claim.holds) == (kind, holds)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("112 bpm, 4.0 onsets per second; pulse 0.26 of 1", {"tempo": True, "tempo, or half or double of it": True}),
        ("56 bpm, 2.0 onsets per second", {"tempo": False, "tempo, or half or double of it": True}),
        ("56 or 112 bpm, 2.0 onsets per second, felt at 112", {"tempo, one of two": True}),
        ("56 or 28 bpm, 2.0 onsets per second", {"tempo, one of two": False}),
        ("no sure beat, 2.0 onsets per second", {}),
        ("a voice with a probability of 7 %", {"a voice": True}),
        ("D major, clarity of key 0.81; cheerfulness 0.61 of 1", {"key": True}),
        ("B minor, clarity of key 0.81", {"key": False}),
        ("1:42 long, its best seam scores 0.97", {"length of the track": True, "whether it loops": True}),
        ("1:42 long, does not loop", {"length of the track": True, "whether it loops": False}),
        ("energy 0.42 of 1", {}),
    ],
)
def test_lines_of_a_track_are_held_against_how_it_was_written(text: str, holds: dict[str, bool]) -> None:
    assert {claim.kind: claim.holds for claim in claims_of_track(text, "a track", 102.5, SONG)} == holds


def test_what_is_known_of_a_drawn_video_is_what_is_drawn() -> None:
    truths = {recipe.name: truth_of(recipe) for recipe in RECIPES}
    assert truths["postcards"].cuts_per_minute == pytest.approx(34.5)  # a shot each 1.7 s: 24 in 40 s
    assert truths["one long ride"].cuts_per_minute == pytest.approx(60 * 2 / 42)
    assert {recipe.name for recipe in RECIPES if truths[recipe.name].speech_share} == {
        recipe.name for recipe in RECIPES if recipe.spoken
    }
    assert 0.5 < truths["slides"].speech_share < 1.0
