"""A track fitted to lengths, from its file to the music that is rendered."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.errors import ConstraintError, ParameterError
from workbench.media.audio import decode
from workbench.plans.plan import PlanKind
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LOOP_ALONE, Hit, Keep, PlanRequest
from workbench.render.video import Playback, render_audio
from workbench.results.plan import one_of, plan_from_json
from workbench.workflows.plan import plan_lengths, plan_track, planned_json, save_plan

RATE = 22_050


@pytest.mark.parametrize("seconds", [6.0, 17.0333, 31.4, 45.0])
def test_the_render_has_the_length_to_the_sample(
    workspace: Workspace, track: Path, tmp_path: Path, seconds: float
) -> None:
    fit = plan_track(workspace, track, seconds)
    for number, option in enumerate(fit.plan.options):
        out = tmp_path / f"{number}.wav"
        render_audio(Playback(option, decode(track)), out, workspace.params.render)
        assert soundfile.info(out).frames == round(round(seconds, 3) * RATE)
        sound, _ = soundfile.read(out)
        assert np.max(np.abs(sound[: RATE // 2])) > 0.05, "it starts with music"
    assert planned_json(fit)["plan"]["kind"] == fit.plan.kind.value


def test_silence_before_the_start_that_was_asked_for(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    fit = plan_track(workspace, track, 20.0, PlanRequest(start_at=3.5))
    render_audio(Playback(fit.plan, decode(track)), tmp_path / "late.wav", workspace.params.render)
    sound, _ = soundfile.read(tmp_path / "late.wav")
    assert len(sound) == 20 * RATE
    assert np.max(np.abs(sound[: round(3.5 * RATE)])) < 1e-4  # dither alone
    assert np.max(np.abs(sound[round(3.5 * RATE) : 4 * RATE])) > 0.05


def test_the_last_attack_lands_where_it_is_asked_to(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    fit = plan_track(workspace, track, 20.0, PlanRequest(end_on=19.1))
    plan = fit.plan
    render_audio(Playback(plan, decode(track)), tmp_path / "hit.wav", workspace.params.render)
    sound, _ = soundfile.read(tmp_path / "hit.wav")
    around = np.abs(sound[round(19.0 * RATE) : round(19.25 * RATE)])
    assert np.argmax(around > 0.1) / RATE == pytest.approx(0.1, abs=0.02)


def test_a_second_of_the_track_lands_on_a_second_of_the_video(
    workspace: Workspace, track: Path, tmp_path: Path
) -> None:
    fit = plan_track(workspace, track, 30.0, PlanRequest(hits=(Hit(17.3, 8.0),)))
    render_audio(Playback(fit.plan, decode(track)), tmp_path / "hit.wav", workspace.params.render)
    sound, _ = soundfile.read(tmp_path / "hit.wav")
    given, _ = soundfile.read(track)
    # what plays for a second behind the hit is what follows 8 s of the track
    wanted = given[8 * RATE : 9 * RATE]
    around = sound[round(17.2 * RATE) : round(18.4 * RATE)]
    at = np.argmax(np.correlate(around, wanted, "valid")) / RATE
    assert 17.2 + at == pytest.approx(17.3, abs=0.02)
    assert planned_json(fit)["provenance"]["constraints"]["hit"] == [[17.3, 8.0]]


def test_several_lengths_have_a_body_each(workspace: Workspace, track: Path) -> None:
    bodies = [planned_json(one) for one in plan_lengths(workspace, track, [20.0, 10.0])]
    assert [body["plan"]["window_end"] for body in bodies] == [20.0, 10.0]
    assert [body["video_id"] for body in bodies] == ["20s", "10s"]


def test_silence_and_what_does_not_fit(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    silence = tmp_path / "silence.wav"
    soundfile.write(silence, np.zeros(8 * RATE), RATE)
    plan = plan_track(workspace, silence, 5.0).plan
    assert plan.kind is PlanKind.STRAIGHT
    refused = plan_track(workspace, silence, 9.0).answer
    assert isinstance(refused, Refusal)
    assert refused.reason is RefusalReason.NO_LOOP_PROFILE
    both = PlanRequest(keep=(Keep(None, 6.0, 7.0), Keep(None, 0.0, 1.0)))
    refused = plan_track(workspace, silence, 5.0, both).answer
    assert isinstance(refused, Refusal)
    assert [one.id for one in refused.constraints] == ["keep 0:06-0:07", "keep 0:00-0:01"]
    with pytest.raises(ConstraintError, match="the track ends at 0:32"):
        plan_track(workspace, track, 20.0, PlanRequest(keep=(Keep(None, 30.0, 90.0),)))
    with pytest.raises(ParameterError, match="a mix needs the video"):
        plan_track(workspace, track, 20.0, auto_mix=True)
    with pytest.raises(ParameterError, match="must last more than 0 s"):
        plan_track(workspace, track, -1.0)
    with pytest.raises(ParameterError, match="one length"):
        plan_lengths(workspace, track, [])


def test_the_length_is_rounded_to_the_millisecond(workspace: Workspace, track: Path) -> None:
    plan = plan_track(workspace, track, 12.34567).plan
    assert plan.window_end == plan.music_out == 12.346
    assert plan.alone == replace(plan, options=())


def test_a_loop_is_a_fit_that_is_longer_by_half_a_minute(workspace: Workspace, track: Path) -> None:
    looped, fitted = plan_track(workspace, track, 65.0, LOOP_ALONE), plan_track(workspace, track, 65.0)
    assert looped.plan.segments == fitted.plan.segments
    assert isinstance(plan_track(workspace, track, 60.0, LOOP_ALONE).answer, Refusal)
    assert plan_track(workspace, track, 60.0).plan.kind is PlanKind.LOOP


def test_a_loop_keeps_parts_and_times_as_a_fit_does(workspace: Workspace, track: Path) -> None:
    asked = PlanRequest(keep=(Keep(None, 4.0, 12.0),), start_at=2.0)
    for planned in (plan_track(workspace, track, 90.0, one) for one in (replace(asked, only_loop=True), asked)):
        assert planned.plan.kind is PlanKind.LOOP
        assert planned.plan.music_in == 2.0
        assert any(one.song_from <= 4.02 and one.song_to >= 11.98 for one in planned.plan.segments)
    late = plan_track(workspace, track, 90.0, PlanRequest(start_at=70.0, only_loop=True)).answer
    assert isinstance(late, Refusal)
    assert [one.id for one in late.constraints] == ["start_at 1:10"], "20 s of music repeat nothing"


def test_plans_are_saved_as_the_command_line_prints_them(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    fit = plan_track(workspace, track, 20.0)
    saved = json.loads(save_plan(fit, tmp_path / "plan.json").read_text())
    assert saved == json.loads(json.dumps(planned_json(fit)))
    assert plan_from_json(saved) == fit.plan
    assert "20.000 s" in repr(fit)
    assert len(repr(fit)) < 500, "no arrays"
    several = plan_lengths(workspace, track, [20.0, 10.0])
    saved = json.loads(save_plan(several, tmp_path / "plans.json").read_text())
    assert saved == json.loads(json.dumps({"fits": [planned_json(one) for one in several]}))
    assert plan_from_json(one_of(saved, 10.0)) == several[1].plan
