"""The report of a loop: what the plan does in words, and one page with every seam."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.home import Home
from workbench.loops import refusals
from workbench.loops.plan import LoopPlan
from workbench.recording import Recording
from workbench.workflows.loop import loop_track
from workbench.workflows.report import answer_markdown, mp3, plan_sentence, write_loop_report
from workbench.workspace import Workspace


def test_a_sentence_counts_seams_and_names_the_worst(make_plan: Callable[..., LoopPlan]) -> None:
    one = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    assert plan_sentence(one).startswith(
        "0:12 of track cover 0:20 of video with 1 seam, the worst of which scores 1.00"
    )
    rows = [(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)]
    assert "with 2 seams" in plan_sentence(make_plan(rows, [0.02, 0.02], [1.0, 1.0], song_duration=12.0))


def test_an_answer_in_words_is_the_plan_or_the_reason(make_plan: Callable[..., LoopPlan]) -> None:
    plan = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    assert plan_sentence(plan) in answer_markdown(plan)
    refusal = refusals.no_viable_loop("nothing repeats")
    assert refusal.hint in answer_markdown(refusal)


def test_excerpts_are_mp3_of_the_same_length() -> None:
    sound = Recording.from_samples(0.1 * np.sin(np.arange(2 * 44_100) / 20.0), 44_100)
    samples, rate = soundfile.read(io.BytesIO(mp3(sound)))
    assert len(samples) / rate == pytest.approx(2.0, abs=0.06)


def test_the_page_of_a_refusal_holds_the_reason(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    refused = loop_track(workspace, track, 10.0)
    reason = write_loop_report(workspace, refused, tmp_path / "refused.html").read_text()
    assert "clicks.flac cannot be looped under a video of 0:10" in reason
    assert "video_not_longer" in reason
