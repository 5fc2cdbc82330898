"""The music on frames: clips meet, crossfades have their room, timecode counts as SMPTE 12M does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError
from workbench.export.cut_list import count_frames, format_timecode, make_cut_list
from workbench.export.envelope import Lines
from workbench.export.timeline import Timeline, TrackMedia, VideoMedia
from workbench.plans.plan import LoopPlan
from workbench.workflows.export import timeline_of

RATES = [Fraction(24000, 1001), Fraction(25), Fraction(30000, 1001), Fraction(60)]


def at_rate(workspace: Workspace, plan: LoopPlan, rate: Fraction) -> tuple[Timeline, TrackMedia]:
    """A timeline under a video of a rate, without any file."""
    plain = timeline_of(workspace, plan)
    track = TrackMedia(Path("track.wav"), round(plan.song_duration * plain.rate), plain.rate, 2)
    video = VideoMedia(Path("video.mp4"), rate, int(plan.window_end * rate), 64, 36, 48_000, 2)
    return replace(plain, track=track, video=video), track


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RATES))
def test_clips_meet_and_crossfades_stay_within_the_track(
    workspace: Workspace, make_plan: Callable[..., LoopPlan], seed: int, rate: Fraction
) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.integers(2, 7))
    rows = []
    for _ in range(count):
        first = round(float(dice.uniform(0.6, 4.0)), 6)
        rows.append((first, round(first + float(dice.uniform(1.4, 6.0)), 6), 0.0, 0.0))
    assume(all(abs(later[0] - earlier[1]) > 0.05 for earlier, later in pairwise(rows)))
    fades = [round(float(fade), 6) for fade in dice.choice([0.006, 0.05, 0.2, 1.2], count - 1)]
    plan = make_plan(rows, fades, [0.5] * (count - 1), song_duration=12.0)
    timeline, track = at_rate(workspace, plan, rate)
    cuts = make_cut_list(timeline, track, Lines.DECIBELS, faded=True)
    assert all(before.end == after.begin for before, after in pairwise(cuts.clips))
    for before, after in pairwise(cuts.clips):
        assert before.out is after.into
        assert before.out is not None
        # Never over the crossfades beside it, never beyond what the track has.
        assert before.first <= before.out.first < before.out.stop <= after.end
        assert after.source(before.out.first, rate) >= 0
        assert before.source(before.out.stop, rate) <= Fraction(track.samples, track.rate)
    for clip, start in zip(cuts.clips, plan.segment_starts[:-1], strict=True):
        assert abs(clip.begin / rate - Fraction(float(start))) <= 1 / (2 * rate) + Fraction(1, 10**6)
        assert abs(clip.source_frame(clip.begin, rate) / rate - clip.source(clip.begin, rate)) <= 1 / (2 * rate)
        assert (clip.levels[0].frame, clip.levels[-1].frame) == (clip.first, clip.stop)
    assert cuts.clips[-1].end <= cuts.frames


def test_a_placed_rate_that_no_timecode_counts_is_refused(workspace: Workspace, plan: LoopPlan) -> None:
    for rate in (Fraction(25, 2), Fraction(120), Fraction(29) + Fraction(1, 7)):
        timeline, track = at_rate(workspace, plan, rate)
        with pytest.raises(ParameterError, match="which no timecode counts: export without video"):
            make_cut_list(timeline, track, Lines.DECIBELS, faded=True)


@pytest.mark.parametrize(
    ("frame", "timebase", "drops", "text"),
    [
        (0, 25, False, "00:00:00:00"),
        (90_000, 25, False, "01:00:00:00"),
        (1799, 30, True, "00:00:59;29"),
        (1800, 30, True, "00:01:00;02"),
        (17_981, 30, True, "00:09:59;29"),
        (17_982, 30, True, "00:10:00;00"),
        (107_892, 30, True, "01:00:00;00"),
        (3599, 60, True, "00:00:59;59"),
        (3600, 60, True, "00:01:00;04"),
        (215_784, 60, True, "01:00:00;00"),
    ],
)
def test_timecode_counts_as_smpte_does(frame: int, timebase: int, drops: bool, text: str) -> None:
    assert format_timecode(frame, timebase, drops=drops) == text
    assert count_frames(text, timebase) == frame


def test_an_hour_of_drop_frame_timecode_is_an_hour() -> None:
    for rate in (Fraction(30000, 1001), Fraction(60000, 1001)):
        hour = format_timecode(round(3600 * rate), round(rate), drops=True)
        assert hour in {"01:00:00;00", "00:59:59;59"}


def test_levels_are_without_the_fades_where_the_format_has_them(workspace: Workspace, plan: LoopPlan) -> None:
    timeline, track = at_rate(workspace, plan, Fraction(25))
    faded = make_cut_list(timeline, track, Lines.DECIBELS, faded=True)
    plain = make_cut_list(timeline, track, Lines.DECIBELS, faded=False)
    assert faded.clips[0].levels[0].level_db < -90.0
    assert plain.clips[0].levels[0].level_db == pytest.approx(0.0, abs=0.01)
    assert plain.clips[-1].levels[-1].level_db == pytest.approx(0.0, abs=0.01)
    assert (plain.fade_in_frames, plain.fade_out_frames) == (6, 44)
