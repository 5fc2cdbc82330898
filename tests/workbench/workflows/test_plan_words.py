"""Plans in words, on plans whose segments are written down here."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np

from workbench.params import CoverParams
from workbench.plans.constraints import NamedSplice, SeamConstraints, TrackRange
from workbench.plans.plan import Ending, EndKind, LoopBody, LoopPlan, LoopSegment
from workbench.plans.request import Keep, KeptPart, PlanRequest
from workbench.results import plan_words
from workbench.results.plan_words import less_sure_line, score_line, seam_words
from workbench.seams.profile import SEAM_PARTS, EndingKind, LoopProfile, Restart, Splices, TrackEnding, TrackSection

BAR = 2.0
LINES = np.arange(60) * BAR + 1.0  # 120 s of 60 bars; the last line at 119 s


def profile() -> LoopProfile:
    names = ("intro", "verse", "bridge", "verse", "outro")
    nowhere, none = np.zeros(0, dtype=np.int32), np.zeros(0)
    return LoopProfile(
        song_duration=124.0,
        song_start=1.0,
        last_sound=122.0,
        downbeats=LINES,
        beats_per_bar=4,
        grid_confidence=1.0,
        bar_lufs=np.full(LINES.size, -14.0),
        sections=tuple(
            TrackSection(12 * n, 12 * n + 12, 1.0 + 24.0 * n, 25.0 + 24.0 * n, name, n) for n, name in enumerate(names)
        ),
        splices=Splices(nowhere, nowhere, none, none, none, np.zeros((0, len(SEAM_PARTS))), none, none, none),
        ending=TrackEnding(EndingKind.RESOLVE, 52),
    )


def plan(
    *segments: tuple[float, float],
    fades: bool = False,
    end: EndKind = EndKind.RESOLVE,
    sections: str = "intro verse bridge outro",
    loops: bool = True,
    lasts: float = 124.0,
) -> LoopPlan:
    """A plan of these segments whose body is the longest stretch that one of its seams repeats, or a cut-down."""
    reached = float(sum(song_to - song_from for song_from, song_to in segments))
    n = len(segments)
    bodies = [(b[0], a[1]) for a, b in itertools.pairwise(segments)]
    body = max(bodies, key=lambda body: body[1] - body[0], default=(0.0, 0.0))
    return LoopPlan(
        segments=tuple(LoopSegment(song_from, song_to, 0.0, 0.0) for song_from, song_to in segments),
        seam_fades=(0.01,) * (n - 1),
        seam_curves=(1.0,) * (n - 1),
        gain_glide_seconds=4.0,
        music_in=0.0,
        start_fade_seconds=0.0,
        ending=Ending(EndKind.FADE, fade_seconds=8.0) if fades else Ending(end),
        window_end=reached,
        song_duration=lasts,
        beats_per_bar=4,
        body=LoopBody(*body, round((body[1] - body[0]) / BAR), repeats=2) if loops else None,
        sections_covered=tuple(sections.split()),
        seam_score=0.9,
        plan_score=0.8,
    )


def begins_again(*segments: tuple[float, float]) -> LoopPlan:
    """A plan each of whose seams begins the whole track again."""
    made = plan(*segments)
    return replace(made, ending=replace(made.ending, restarts=len(segments) - 1))


def repetition_line(plan: LoopPlan, track: LoopProfile) -> str | None:
    return plan_words.repetition_line(plan, track, CoverParams())


def option_differences(plan: LoopPlan, track: LoopProfile) -> tuple[str, ...]:
    return plan_words.option_differences(plan, track, CoverParams())


WORN = plan((1.0, 73.0), *[(49.0, 73.0)] * 10, (49.0, 122.0))
EVEN = plan((1.0, 97.0), (25.0, 97.0), (25.0, 122.0))


def with_options(*options: LoopPlan) -> LoopPlan:
    return replace(options[0], options=options)


def figures(line: str | None) -> list[str]:
    """The times and numbers of a line, in their order; none of no line."""
    return re.findall(r"\d+(?:[:.]\d+)?", line or "")


WORN_FIGURES = ["0:49", "1:13", "12", "3.2", "2:48", "6:25", "5"]
"""the part, its plays, those of the whole track, worn seconds of all, and after how many plays they count"""


def test_what_is_heard_too_often_is_said_with_the_option_that_spares_it() -> None:
    line = repetition_line(with_options(WORN, EVEN), profile())
    assert figures(line)[:10] == [*WORN_FIGURES, "2", "36", "0:25"]  # option 2, which repeats 36 bars from there
    assert "in a row" in str(line)
    assert "of different music, and 60 s are wanted" in str(line)


def test_for_how_long_worn_music_is_heard_is_said() -> None:
    # 24 s are heard 29 times, never more than three times in a row.
    worn = plan((1.0, 73.0), *[(49.0, 73.0), (49.0, 97.0), (49.0, 73.0)] * 9, (49.0, 122.0))
    line = repetition_line(with_options(worn), profile())
    assert figures(line)[:7] == ["0:49", "1:13", "29", "8.3", "7:36", "16:49", "10"]
    assert "in a row" not in str(line)
    twice = plan((1.0, 73.0), *[(49.0, 73.0), (49.0, 97.0)] * 7, *[(25.0, 97.0)] * 5, (49.0, 122.0))
    line = repetition_line(with_options(worn, twice), profile())
    assert figures(line)[7:9] == ["2", "5:36"]
    assert "no option is within the limits" in str(line)


def test_where_nothing_spares_it_the_line_says_so() -> None:
    line = repetition_line(with_options(WORN), profile())
    assert figures(line)[:7] == WORN_FIGURES
    assert "no option" in str(line)


def test_a_long_part_that_follows_itself_is_nothing_to_say() -> None:
    wide = replace(profile(), song_duration=424.0, last_sound=422.0, downbeats=np.arange(210) * BAR + 1.0)
    long = plan((1.0, 301.0), *[(49.0, 301.0)] * 4, (49.0, 422.0), lasts=424.0)
    assert repetition_line(with_options(long), wide) is None


def test_a_plan_that_begins_again_says_what_the_option_that_goes_on_would_play() -> None:
    track = replace(profile(), restart=Restart(59, 0, -20.0))
    again = begins_again(*[(1.0, 119.0)] * 3, (1.0, 122.0))
    served = with_options(again, WORN)
    line = repetition_line(served, track)
    assert "begins again 3 times" in str(line)
    assert figures(line) == ["3", "2", *WORN_FIGURES]
    difference = option_differences(served, track)[1]
    assert "instead of beginning again" in difference
    assert figures(difference)[:2] == ["24", "12"]
    alone = begins_again((1.0, 119.0), (1.0, 122.0))
    assert "begins again once" in str(repetition_line(alone, track))


def test_a_plan_within_the_limits_needs_no_line() -> None:
    assert repetition_line(with_options(EVEN), profile()) is None


def test_options_differ_in_words() -> None:
    served = plan((1.0, 97.0), (25.0, 97.0), (25.0, 105.0), fades=True)
    sooner = plan((1.0, 97.0), (25.0, 97.0), (25.0, 89.0), fades=True)
    bridgeless = plan((1.0, 49.0), (73.0, 97.0), (25.0, 49.0), (73.0, 105.0), fades=True, sections="intro verse outro")
    ends = plan((1.0, 97.0), (25.0, 97.0), (25.0, 122.0))
    said = option_differences(with_options(served, sooner, bridgeless, ends), profile())
    assert said[0] == ""
    assert "8 bars sooner in the track" in said[1]
    assert "leaves out the bridge" in said[2]
    assert "with the track instead of fading" in said[3]


def test_cut_downs_differ_by_what_they_leave_out() -> None:
    served, same, further, twice, straight = (
        plan(*segments, loops=False)
        for segments in (
            [(1.0, 49.0), (73.0, 122.0)], [(1.0, 49.1), (73.1, 122.0)], [(1.0, 25.0), (49.0, 122.0)],
            [(1.0, 25.0), (33.0, 49.0), (65.0, 122.0)], [(25.0, 122.0)],
        )
    )  # fmt: skip
    said = option_differences(with_options(served, same, further, twice), profile())
    assert "other bars" in said[1]
    assert [figures(one) for one in said[1:]] == [[], ["0:25", "0:49"], ["0:25", "0:33", "0:49", "1:05", "1"]]
    assert "1 more seam" in said[3]
    said = option_differences(with_options(served, straight), profile())
    assert "no seam" in said[1]
    assert figures(said[1]) == ["0:25", "0:01"]


def test_an_option_that_begins_again_says_that_it_is_heard() -> None:
    track = replace(profile(), restart=Restart(59, 0, -20.0))
    again = begins_again(*[(1.0, 119.0)] * 4, (1.0, 122.0))
    said = option_differences(with_options(WORN, again), track)
    assert "the track 5 times from its head" in said[1]
    assert "more than 5 times" in said[1]
    assert "instead of 12 from" not in said[1]
    assert "begins again" in seam_words(again, track, 0)
    assert seam_words(WORN, track, 0) == ""
    line = repetition_line(with_options(WORN, again), track)
    assert line is not None
    assert figures(line)[7:8] == ["2"]
    assert "begins again" in line


def test_options_say_what_each_way_costs() -> None:
    track = replace(profile(), restart=Restart(59, 0, -20.0))
    again = begins_again(*[(1.0, 119.0)] * 2, (1.0, 122.0))
    fair = replace(EVEN, seam_score=0.4)
    said = option_differences(with_options(fair, again, plan((1.0, 73.0), *[(49.0, 73.0)] * 30, (49.0, 122.0))), track)
    assert said[1].startswith("plays the track three times from its head, which is audible, has no audible seam")
    assert "has no audible seam, plays the same 24 s 32 times in a row" in said[2]
    said = option_differences(with_options(again, fair), track)
    assert "goes on instead of beginning again, has 2 audible seams, the first at 1:36" in said[1]
    assert repetition_line(with_options(fair), track) == "2 audible seams, the first at 1:36"
    turns = plan((1.0, 73.0), *[(49.0, 73.0), (49.0, 73.0), (53.0, 73.0)] * 9, (49.0, 122.0))
    assert "plays only 24 s of the track for five minutes" in option_differences(with_options(fair, turns), track)[1]


def test_a_score_never_looks_better_than_it_is() -> None:
    assert figures(score_line(0.83, 0.5)) == ["0.83", "0.5"]
    assert figures(score_line(0.49996, 0.5)) == ["0.499", "0.5"]
    assert "pinned" not in score_line(0.83, 0.5)
    assert "pinned" in score_line(0.49996, 0.5)
    assert figures(score_line(0.0, 0.5)) == ["0", "0.5"]
    assert figures(score_line(1.0, 0.5)) == ["1", "0.5"]


def test_what_is_too_little_follows_the_variety_that_was_asked_for() -> None:
    track, served = profile(), with_options(EVEN, plan((1.0, 73.0), *[(49.0, 73.0), (49.0, 73.0), (53.0, 73.0)] * 9))
    assert "plays only 24 s of the track" in plan_words.option_differences(served, track, CoverParams())[1]
    at_ease = CoverParams(min_variety_seconds=20.0)
    assert "plays only" not in plan_words.option_differences(served, track, at_ease)[1]


def test_what_is_excluded_is_no_music_that_a_loop_could_play() -> None:
    """Of 102 s that a loop can repeat 70 are excluded, so 32 are wanted where it would be 60 else."""
    out = SeamConstraints(excluded=(TrackRange(25.0, 95.0),))
    turns = [(1.0, 25.0), (95.0, 105.0)] * 12
    varied, little = plan(*turns, (1.0, 25.0)), plan((1.0, 25.0), *[(9.0, 25.0)] * 20)
    line = plan_words.repetition_line(with_options(varied), profile(), CoverParams(), out)
    assert "are wanted" not in str(line)
    assert "and 60 s are wanted" in str(plan_words.repetition_line(with_options(varied), profile(), CoverParams()))
    line = plan_words.repetition_line(with_options(little), profile(), CoverParams(), out)
    assert "play 16 s of different music, and 32 s are wanted" in str(line)
    said = plan_words.option_differences(with_options(varied, little), profile(), CoverParams(), out)
    assert "in a row" in said[1]


def test_a_pinned_seam_that_scores_little_is_not_put_down_to_kept_parts() -> None:
    pinned, other = (73.0, 49.0), (97.0, 25.0)
    leave, enter = (np.array([round((one[side] - 1.0) / BAR) for one in (pinned, other)]) for side in (0, 1))
    two, parts = np.full(2, 0.01), np.zeros((2, len(SEAM_PARTS)))
    scores = np.array([0.3, 0.4])
    splices = Splices(leave, enter, LINES[leave], LINES[enter], scores, parts, two, two, two)
    track = replace(profile(), splices=splices)
    request = PlanRequest(SeamConstraints(pinned=(NamedSplice(*pinned),)), keep=(Keep(KeptPart.HOOK),))
    pinned_alone = replace(plan((1.0, 73.0), (49.0, 122.0)), seam_score=0.3)
    both = replace(plan((1.0, 73.0), (49.0, 97.0), (25.0, 122.0)), seam_score=0.3)
    assert less_sure_line(pinned_alone, track, request, CoverParams()) is None
    assert str(less_sure_line(both, track, request, CoverParams())) == (
        "with keep hook the worst seam of this length scores 0.4"
    )
    assert "0.3" in str(less_sure_line(both, track, PlanRequest(keep=request.keep), CoverParams()))
