"""One splice tried: its numbers and its sound are those of a plan that takes it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.bundled import bundled_path
from workbench.errors import ConstraintError
from workbench.home import Home
from workbench.plans.constraints import NamedSplice, SeamConstraints
from workbench.plans.plan import LoopPlan
from workbench.plans.request import PlanRequest
from workbench.render.playback import seam_excerpt
from workbench.workflows.plan import loop_track
from workbench.workflows.seams import EXCERPT_SECONDS, seam_views
from workbench.workflows.splice import heard_around, save_picture, save_sound, splice_json, try_splice
from workbench.workspace import Workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(Home(tmp_path_factory.mktemp("home"))) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def song() -> Path:
    return bundled_path("data", "bundled", "music", "hill_road.ogg")


@pytest.mark.parametrize("pinned", [(), (NamedSplice(92.0, 48.0),)])
def test_numbers_and_sound_are_those_of_a_plan(
    workspace: Workspace, song: Path, pinned: tuple[NamedSplice, ...]
) -> None:
    loop = loop_track(workspace, song, 256.0, PlanRequest(SeamConstraints(pinned=pinned)))
    plan = loop.answer
    assert isinstance(plan, LoopPlan)
    assert loop.analysis is not None
    recording = workspace.load_recording(song)
    scores = {(view.leave_s, view.enter_s): view for view in seam_views(plan, recording, loop.analysis)}
    compared = 0
    for seam, (left, entered) in enumerate(pairwise(plan.segments)):
        tried = try_splice(workspace, song, left.song_to, entered.song_from)
        body = splice_json(tried)
        assert (body["song_to"], body["song_from"]) == (left.song_to, entered.song_from)
        assert (body["seam_fade"], body["seam_curve"]) == (plan.seam_fades[seam], plan.seam_curves[seam])
        assert body["gain_in_db"] == entered.gain_in_db
        view = scores[left.song_to, entered.song_from]
        assert body["seam_score"] == round(view.score, 4)
        assert list(body["parts"].values()) == [round(part, 4) for part in view.parts.tolist()]
        # What is heard around it, but for what the rest of the plan does there: other seams, gains and ends.
        near = [time for time in plan.seam_times if 0.0 < abs(time - plan.seam_times[seam]) < 8.0]
        if near or not 4.0 < plan.seam_times[seam] < plan.window_end - 12.0:
            continue
        here, there = heard_around(workspace, tried).samples, seam_excerpt(plan, recording, seam).samples
        assert here.shape == there.shape
        middle, half = here.shape[1] // 2, int(plan.seam_fades[seam] / 2 * recording.sample_rate) + 2
        for side in (slice(1, middle - half), slice(middle + half, here.shape[1] - 1)):
            # Each side is placed on whole samples, in every plan anew: it may be one sample earlier or later.
            moved = [there[:, side.start + by : side.stop + by] for by in (-1, 0, 1)]
            assert min(float(np.abs(here[:, side] - one).max()) for one in moved) < 1e-5
        compared += 1
    assert compared
    assert min(view.score for view in scores.values()) == pytest.approx(plan.seam_score, abs=1e-4)


def test_sound_and_picture_are_written(workspace: Workspace, song: Path, tmp_path: Path) -> None:
    tried = try_splice(workspace, song, 92.0, 48.0)
    sound = save_sound(workspace, tried, tmp_path / "splice.wav")
    info = soundfile.info(sound)
    assert info.frames == pytest.approx(EXCERPT_SECONDS * info.samplerate, abs=2)
    assert save_picture(workspace, tried, tmp_path / "splice.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("leave", "enter", "why"),
    [(500.0, 3.0, "the track ends at"), (48.0, 48.1, "both times are at the same bar line")],
)
def test_what_is_no_splice_is_refused(workspace: Workspace, song: Path, leave: float, enter: float, why: str) -> None:
    with pytest.raises(ConstraintError, match=why):
        try_splice(workspace, song, leave, enter)
