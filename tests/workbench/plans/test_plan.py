"""A plan refuses to be made when it breaks a rule of how plans are played, and says which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from workbench.errors import PlanError
from workbench.plans.plan import Ending, EndKind, LoopBody, LoopPlan, LoopSegment, check_against_grid
from workbench.recording import FloatArray

Lines = Callable[[], FloatArray]

LINES = 0.5 + 2.0 * np.arange(60)  # bars of 2 s
BODY = LoopBody(32.501, 64.5, bars=16, repeats=3)


def own_ending(**changes: Any) -> LoopPlan:
    """Sixteen bars from 32.5 s twice more, then on to the last sound at 121 s, half a second before the video ends."""
    plan = LoopPlan(
        segments=(
            LoopSegment(0.5, 64.5, 0.0, 0.0),
            LoopSegment(32.501, 64.5, 0.0, -1.5),
            LoopSegment(32.501, 121.0, 0.0, -1.5),
        ),
        seam_fades=(0.02, 0.02),
        seam_curves=(1.0, 0.5),
        gain_glide_seconds=4.0,
        music_in=0.0,
        start_fade_seconds=0.0,
        ending=Ending(EndKind.RESOLVE, 0.502, 0.502),
        window_end=185.0,
        song_duration=122.0,
        beats_per_bar=4,
        body=BODY,
        sections_covered=("verse", "chorus"),
        seam_score=0.93,
        plan_score=0.9,
    )
    return replace(plan, **changes)


def fade(**changes: Any) -> LoopPlan:
    """The same to 1.5 s past the bar line at 92.5 s, faded over eight seconds."""
    last = LoopSegment(32.501, 94.0, 0.0, 0.0)
    plan = own_ending(
        segments=(*own_ending().segments[:2], last), window_end=157.498, ending=Ending(EndKind.FADE, 1.5, 9.5)
    )
    return replace(plan, **changes)


def test_both_kinds_of_ending_are_plans() -> None:
    assert not own_ending().ends_in_fade
    assert fade().ends_in_fade
    for plan in (own_ending(), fade()):
        check_against_grid(plan, LINES, 0.5 + 0.5 * np.arange(240))


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("at least two segments", {"segments": own_ending().segments[:1]}),
    ("plays nothing twice", {"body": None}),
    ("seam_fades needs one entry", {"seam_fades": (0.02,)}),
    ("seam_curves needs one entry", {"seam_curves": (1.0, 1.0, 1.0)}),
    ("crossfade lasts at least", {"seam_fades": (0.02, 0.0049)}),
    ("exponent is in 0.5 to 1", {"seam_curves": (1.0, 0.49)}),
    ("exponent is in 0.5 to 1", {"seam_curves": (1.01, 0.5)}),
    ("exponent is in 0.5 to 1", {"seam_curves": (float("nan"), 0.5)}),
    ("song_from >= f/2", {"seam_fades": (0.02, 66.0)}),
    ("song_to [+] f/2 <= song_duration", {"song_duration": 64.505}),
    ("the last segment ends", {"song_duration": 120.0}),
    ("its glide", {"gain_glide_seconds": 40.0}),
    ("segment 0 lasts", {"start_fade_seconds": 63.995}),
    ("segment 2 lasts", {"ending": Ending(EndKind.RESOLVE, 0.502, 88.495)}),
    ("cover", {"ending": Ending(EndKind.RESOLVE, 0.505, 0.505)}),
    ("must cover the tail", {"ending": Ending(EndKind.RESOLVE, 0.502, 0.4)}),
    ("music_in must be finite and not negative", {"music_in": -1.0}),
    ("tail_seconds must be finite", {"ending": Ending(EndKind.RESOLVE, float("nan"), 0.502)}),
    ("count from 1", {"body": BODY._replace(repeats=0)}),
    ("count from 1", {"body": BODY._replace(bars=0)}),
    ("body must lie within the track", {"body": BODY._replace(song_to=32.0)}),
    ("outro must lie in the last segment", {"ending": Ending(EndKind.OUTRO, 0.502, 0.502, outro_start=20.0)}),
    ("seam_score is in 0 to 1", {"seam_score": 1.2}),
    ("plan_score is in 0 to 1", {"plan_score": float("nan")}),
    ("version starts at 1", {"version": 0}),
    ("in words", {"ending": Ending(EndKind.OTHER, 0.502, 0.502)}),
    ("options", {"options": (own_ending(plan_score=0.8),)}),
    ("at most 4 options", {"options": (own_ending(),) * 5}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "changes"), BROKEN)
def test_a_broken_rule_is_named(rule: str, changes: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=rule):
        own_ending(**changes)


def test_segments_that_continue_each_other_are_one_segment() -> None:
    first, second, last = own_ending().segments
    with pytest.raises(PlanError, match="continue each other"):
        own_ending(segments=(first, LoopSegment(64.5, 96.499, 0.0, 0.0), last))
    assert second.length == pytest.approx(31.999)


def test_a_late_start_says_why() -> None:
    later = own_ending(music_in=0.25, window_end=185.25)
    assert later.start_label.startswith(
        f"{later.music_in:.2f} s after the first picture, so that the track's own ending"
    )
    for_a_hit = fade(music_in=0.5, window_end=157.998)
    assert for_a_hit.start_label == "0.50 s after the first picture, so that what follows falls into place"
    assert fade(music_in=0.0).start_label == "with the first picture"


def test_a_silence_of_bars_is_no_tail() -> None:
    with pytest.raises(PlanError, match="under one bar"):
        own_ending(window_end=191.0, ending=Ending(EndKind.RESOLVE, 6.502, 6.502))
    # Bars of the ending may be slower than those of the body.
    slower = own_ending(window_end=190.0, ending=Ending(EndKind.RESOLVE, 5.502, 5.502))
    assert slower.tail_seconds == 5.502


@pytest.mark.parametrize(
    ("song_from", "song_to", "gain"),
    [(5.0, 5.0, 0.0), (-0.1, 5.0, 0.0), (float("nan"), 5.0, 0.0), (0.0, float("inf"), 0.0), (0.0, 5.0, float("nan"))],
)
def test_segments_are_checked(song_from: float, song_to: float, gain: float) -> None:
    with pytest.raises(PlanError):
        LoopSegment(song_from, song_to, gain, 0.0)


def test_times_are_held_to_the_microsecond() -> None:
    segment = LoopSegment(1.23456789, 2.0000001, 0.0, 0.0)
    assert (segment.song_from, segment.song_to) == (1.234568, 2.0)


def test_plans_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        own_ending().music_in = 3.0  # type: ignore[misc]


def test_options_start_with_the_served_plan() -> None:
    plan = own_ending(options=(own_ending(), fade()))
    assert plan.alone == plan.options[0]
    assert [plan.option(number) for number in (1, 2)] == [own_ending(), fade()]
    assert fade().option(1) == fade()
    for number in (0, 3):
        with pytest.raises(PlanError, match=f"there is no option {number} in this plan; it has 2"):
            plan.option(number)


def moved(**changes: float) -> LoopPlan:
    """A plan whose second splice is moved in time, with what follows from it."""
    left, entered = changes.get("left", 64.5), changes.get("entered", 32.501)
    first, _, _ = own_ending().segments
    segments = (first, LoopSegment(32.501, left, 0.0, 0.0), LoopSegment(entered, 121.0, 0.0, 0.0))
    end = round(64.0 + segments[1].length + segments[2].length, 6)
    return own_ending(segments=segments, ending=Ending(EndKind.RESOLVE, 0.5, 0.5), window_end=round(end + 0.5, 6))


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        ("leaves within 10 ms", moved(left=64.511)),
        ("enters within 10 ms", moved(entered=32.489)),
        ("beat across", moved(left=64.507, entered=32.496)),
        ("span exactly 17 bars", own_ending(body=BODY._replace(bars=17))),
        ("body is on bar lines", own_ending(body=BODY._replace(song_from=33.0))),
        ("tail must be under", fade(ending=Ending(EndKind.FADE, 2.2, 9.5))),
        ("resolves on a bar line", fade(ending=Ending(EndKind.FADE, 1.2, 9.5))),
    ],
)
def test_rules_of_the_grid(rule: str, plan: LoopPlan) -> None:
    with pytest.raises(PlanError, match=rule):
        check_against_grid(plan, LINES)


@pytest.mark.parametrize(
    "ending",
    [
        *(Ending(kind, 0.5, 0.5) for kind in EndKind if kind is not EndKind.OTHER),
        *(Ending(kind, 0.5, 0.5, named_own=True) for kind in EndKind if kind.is_own),
        Ending(EndKind.ABRUPT, 0.0, 1.25, restarts=2, named_own=True),
        Ending(EndKind.OUTRO, 0.5, 0.5, outro_start=90.0, restarts=1),
        Ending(EndKind.ABRUPT, 0.0, 1.25, restarts=3, loses_pickup=True),
        Ending(EndKind.FADE, 0.5, 8.0, "to the end of the verse; so called"),
        Ending(EndKind.BUTTON, 1.5, 1.5, "after the chorus"),
    ],
)
def test_an_ending_is_read_back_from_its_label(ending: Ending) -> None:
    read = Ending.of_label(ending.label, ending.tail_seconds, ending.fade_seconds, ending.outro_start)
    assert read == ending


def test_the_words_of_another_program_stay() -> None:
    read = Ending.of_label("dies away", 0.0, 8.0, None)
    assert (read.kind, read.label) == (EndKind.OTHER, "dies away")
    edited = Ending.of_label("fades over 3.0 s on a bar line", 0.0, 8.0, None)
    assert (edited.kind, edited.in_words) == (EndKind.FADE, "fades over 8.0 s on a bar line"), "the fade is what counts"
