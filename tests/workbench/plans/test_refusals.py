from __future__ import annotations

import pytest

from workbench.plans import refusals
from workbench.plans.refusals import Refusal, RefusalReason

EVERY = [
    refusals.video_not_longer(100.0, 90.0, 30.0),
    refusals.low_confidence(0.1, 0.3, 0.5),
    refusals.no_viable_loop("nothing repeats"),
    refusals.no_loop_profile(),
    refusals.timeout(120.0),
    refusals.profile_error("a checksum does not match"),
    refusals.missing_profile(),
    refusals.audio_unavailable("the file is gone"),
]


def test_there_is_one_for_every_reason() -> None:
    given = [refusal.reason for refusal in EVERY if refusal is not None]
    assert [*given, RefusalReason.CONSTRAINTS] == list(RefusalReason)


@pytest.mark.parametrize("refusal", EVERY)
def test_each_says_why_and_what_to_do(refusal: Refusal) -> None:
    assert refusal.hint.endswith(".")
    assert any(advice in refusal.hint for advice in ("Pick a track", "pick a track", "call again", "Call again"))
    lengths = (refusal.video_seconds, refusal.track_seconds, refusal.required_excess_seconds)
    assert all((value is not None) == (refusal.reason is RefusalReason.VIDEO_NOT_LONGER) for value in lengths)


def test_only_what_may_pass_is_retryable() -> None:
    retryable = {refusal.reason.value for refusal in EVERY if refusal is not None and refusal.retryable}
    assert retryable == {"timeout", "profile_error", "missing_profile", "audio_unavailable"}


@pytest.mark.parametrize(
    ("video", "track", "refused"),
    [
        (120.0, 90.0, False),
        (119.999999, 90.0, True),
        (120.0, 90.0000004, False),
        (120.0, 90.0000006, True),
        (120.3, 90.3, False),  # 30.000000000000000 only after rounding
        (36_000.0, 120.0, False),
        (50.0, 90.0, True),
    ],
)
def test_the_excess_counts_on_the_reported_values(video: float, track: float, refused: bool) -> None:
    assert (refusals.video_not_longer(video, track, 30.0) is not None) == refused


@pytest.mark.parametrize(
    ("video", "advice"),
    [(100.6, "or pick a track under 70.6 s."), (100.0, "or pick a track under 70 s."), (30.0, "of 30 s or less.")],
)
def test_the_length_that_is_advised_is_one_that_can_be_looped(video: float, advice: str) -> None:
    """To the millisecond: of 70.6 s, 71 s would be refused again."""
    refused = refusals.video_not_longer(video, 90.0, 30.0)
    assert refused is not None
    assert refused.hint.endswith(advice)


@pytest.mark.parametrize("refusal", [*EVERY, refusals.video_not_longer(20.0, 90.0, 30.0)])
def test_hints_ask_nothing_that_only_the_owner_of_the_catalog_can_do(refusal: Refusal) -> None:
    assert "workbench" not in refusal.hint
    assert "check that the file" not in refusal.hint
