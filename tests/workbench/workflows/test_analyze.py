import shutil
from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.track import Analysis, Sound, analyze, beat_stage
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.params import BeatParams, SeamParams, WorkbenchParams
from workbench.plans.loop import plan_loop
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.store.home import Home
from workbench.workflows.beats import confirm_grid


class Heard:
    """Collects what a workflow says it is doing."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def __call__(self, stage: str, done: float) -> None:
        self.stages.append(stage)


def same(one: Analysis, other: Analysis) -> bool:
    plans = [plan_loop(analysis.profile, analysis.duration + 60.0) for analysis in (one, other)]
    return np.array_equal(one.grid.beats, other.grid.beats) and plans[0] == plans[1]


def test_a_second_call_reads_no_sound_and_answers_the_same(track: Path, tmp_path: Path) -> None:
    home, first, second = Home(tmp_path), Heard(), Heard()
    cold = analyze(Workspace(home, progress=first), track)
    warm = analyze(Workspace(home, progress=second), track)
    assert any(stage.startswith("decoding") for stage in first.stages)
    assert second.stages == []
    assert warm.beat_analysis.cached
    assert same(cold, warm)


def test_deleting_the_store_changes_no_result(track: Path, tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = analyze(Workspace(home), track)
    shutil.rmtree(home.arrays)
    assert same(before, analyze(Workspace(home), track))


@pytest.mark.parametrize("keep", [False, True])
def test_the_spectrogram_is_let_go_of_with_the_beats_unless_others_read_it_too(
    track: Path, tmp_path: Path, keep: bool
) -> None:
    sound = Sound(Workspace(Home(tmp_path)), track, keep_spectrum=keep)
    beat_stage(sound)
    assert ("spectrum" in sound.__dict__) is keep


def test_a_stage_is_computed_again_only_when_its_own_parameters_change(track: Path, tmp_path: Path) -> None:
    home, seams, beats = Home(tmp_path), Heard(), Heard()
    analyze(Workspace(home), track)
    analyze(Workspace(home, WorkbenchParams(seams=SeamParams(context_beats=8)), seams), track)
    assert "looking for seams" in seams.stages
    assert "finding the beats" not in seams.stages
    analyze(Workspace(home, WorkbenchParams(beats=BeatParams(usual_bpm=100.0)), beats), track)
    assert "finding the beats" in beats.stages


def test_speech_has_no_bars_to_be_looped_on(tmp_path: Path) -> None:
    """Its pauses could all be spliced unheard, and what it says would come again."""
    workspace = Workspace(Home(tmp_path))
    narration = bundled_path("data", "bundled", "voice", "narration.ogg")
    heard = analyze(workspace, narration)
    assert heard.grid.confidence < 0.05
    answer = plan_loop(heard.profile, 1000.0)
    assert isinstance(answer, Refusal)
    assert answer.reason is RefusalReason.NO_LOOP_PROFILE
    confirm_grid(workspace, narration)
    assert analyze(workspace, narration).profile.downbeats.size > 3, "but for those that a person knows"
