"""How the benchmark reads what `match_map` says, and compares it with what is known."""

from __future__ import annotations

import pytest

from tests.benchmarks.elsewhere.claims import MOST_TRACKS, drawn, share_of
from tests.benchmarks.elsewhere.statements import (
    TrackTruth,
    VideoTruth,
    claims_of_track,
    claims_of_video,
    said_once,
)

VIDEO = VideoTruth(80.0, cuts=(27.0, 27.0), speech_share=0.6)
SONG = TrackTruth(102.5, bpm=112.0, beats_per_bar=4, sung=False, key="D major")


@pytest.mark.parametrize(
    ("text", "kind", "holds"),
    [
        ("21 cuts per minute; pulse 0.42 of 1 suits", "cuts per minute", True),
        ("23 cuts per minute, motion 0.12 picture heights per second", "cuts per minute", False),
        ("no cuts; pulse 0.10 of 1 suits", "cuts per minute", False),
        ("30 cuts, a median of 2.10 s apart", "number of cuts", False),
        ("26 cuts, a median of 2.10 s apart", "number of cuts", True),
        ("speech 56 %", "share of speech", True),
        ("speech 70 %", "share of speech", False),
        ("1:20 long", "length of the video", True),
        ("1:25 long", "length of the video", False),
    ],
)
def test_lines_of_a_video_are_held_against_what_is_known(text: str, kind: str, holds: bool) -> None:
    (claim,) = claims_of_video(text, "a video", VIDEO)
    assert (claim.kind, claim.holds) == (kind, holds)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("112 bpm, 4.0 onsets per second; pulse 0.26 of 1", {"tempo": True}),
        ("56 bpm, 2.0 onsets per second", {"tempo": False}),
        ("56 or 112 bpm, 2.0 onsets per second, felt at 112", {"tempo, one of two": True}),
        ("56 or 28 bpm, 2.0 onsets per second", {"tempo, one of two": False}),
        ("no sure beat, 2.0 onsets per second", {}),
        ("a voice with a probability of 7 %", {"a voice": True}),
        ("perhaps a voice, with a probability of 60 %", {}),
        ("D major, clarity of key 0.81; cheerfulness 0.61 of 1", {"key": True}),
        ("B minor, clarity of key 0.81", {"key": False}),
        ("1:42 long, its best seam scores 0.97", {"length of the track": True}),
        ("a half bar lasts 1.07 s at 112.2 bpm", {"tempo": True, "length of a bar": True}),
        ("a bar lasts 1.07 s as far as its beat was detected", {}),
        ("It is slow; but its vocals compete with the voice.", {"vocals that compete": False}),
        ("energy 0.42 of 1", {}),
    ],
)
def test_lines_of_a_track_are_held_against_how_it_was_written(text: str, holds: dict[str, bool]) -> None:
    assert {claim.kind: claim.holds for claim in claims_of_track(text, "a track", SONG)} == holds


def test_what_may_be_called_a_cut_counts_neither_way() -> None:
    truth = VideoTruth(60.0, cuts=(12.0, 20.0))
    said = {f"{rate} cuts per minute": rate for rate in (9, 11, 16, 21, 23)}
    holds = {said[text]: next(claims_of_video(text, "a video", truth)).holds for text in said}
    assert holds == {9: False, 11: True, 16: True, 21: True, 23: False}


def test_two_wordings_of_one_statement_count_once() -> None:
    truth = TrackTruth(80.0, bpm=240.0)
    lines = ("120 bpm, 4.0 onsets per second", "a bar lasts 2.00 s at 120.0 bpm")
    said = {claim for line in lines for claim in claims_of_track(line, "a track", truth) if claim.kind == "tempo"}
    assert len(said) == 2
    assert len(said_once(said)) == 1


def test_what_is_not_known_is_not_checked() -> None:
    lines = ("no cuts; pulse 0.10 of 1 suits", "speech 70 %", "126 bpm", "D major", "a voice with a probability of 7 %")
    for text in lines:
        assert not list(claims_of_video(text, "a video", VideoTruth(80.0)))
        assert not list(claims_of_track(text, "a track", TrackTruth(80.0)))


def test_the_share_of_speech_is_that_of_the_time() -> None:
    assert share_of([(1.0, 3.0), (5.0, 6.5)], 10.0) == pytest.approx(0.35)
    assert share_of([], 10.0) == 0.0


def test_what_is_drawn_is_the_same_each_time_and_in_order() -> None:
    some = drawn(range(200))
    assert len(some) == MOST_TRACKS
    assert some == sorted(some) == drawn(range(200))
    assert drawn(range(5)) == [0, 1, 2, 3, 4]
