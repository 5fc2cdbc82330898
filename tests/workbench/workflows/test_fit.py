"""A track fitted to lengths, from its file to the music that is rendered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.bundled import bundled_path
from workbench.errors import FitError, ParameterError
from workbench.home import Home
from workbench.loops.fit import Keep
from workbench.loops.plan import PlanKind
from workbench.media.audio import decode
from workbench.render.video import render_audio
from workbench.results.fit import FitResult, FitsResult, get_fit
from workbench.results.loop import plan_from_json
from workbench.workflows.fit import can_fit, fit_body, fit_json, fit_track
from workbench.workflows.loop import loop_json, loop_track, save_plan
from workbench.workspace import Workspace

RATE = 22_050


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(Home(tmp_path_factory.mktemp("home"))) as workspace:
        yield workspace


@pytest.mark.parametrize("seconds", [6.0, 17.0333, 31.4, 45.0])
def test_the_render_has_the_length_to_the_sample(
    workspace: Workspace, track: Path, tmp_path: Path, seconds: float
) -> None:
    fit = fit_track(workspace, track, seconds)
    for number, option in enumerate(fit.plans[0].options):
        out = tmp_path / f"{number}.wav"
        render_audio(option, decode(track), out, workspace.params.render)
        assert soundfile.info(out).frames == round(round(seconds, 3) * RATE)
        sound, _ = soundfile.read(out)
        assert np.max(np.abs(sound[: RATE // 2])) > 0.05, "it starts with music"
    body = fit_body(fit)
    assert isinstance(body, FitResult)
    assert body.plan.kind == fit.plans[0].kind.value


def test_silence_before_the_start_that_was_asked_for(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    fit = fit_track(workspace, track, 20.0, start_at=3.5)
    render_audio(fit.plans[0], decode(track), tmp_path / "late.wav", workspace.params.render)
    sound, _ = soundfile.read(tmp_path / "late.wav")
    assert len(sound) == 20 * RATE
    assert np.max(np.abs(sound[: round(3.5 * RATE)])) < 1e-4  # dither alone
    assert np.max(np.abs(sound[round(3.5 * RATE) : 4 * RATE])) > 0.05


def test_the_last_attack_lands_where_it_is_asked_to(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    fit = fit_track(workspace, track, 20.0, end_on=19.1)
    plan = fit.plans[0]
    render_audio(plan, decode(track), tmp_path / "hit.wav", workspace.params.render)
    sound, _ = soundfile.read(tmp_path / "hit.wav")
    around = np.abs(sound[round(19.0 * RATE) : round(19.25 * RATE)])
    assert np.argmax(around > 0.1) / RATE == pytest.approx(0.1, abs=0.02)


def test_several_lengths_are_one_body(workspace: Workspace, track: Path) -> None:
    fit = fit_track(workspace, track, [20.0, 10.0])
    body = fit_body(fit)
    assert isinstance(body, FitsResult)
    assert [one.plan.window_end for one in body.fits] == [20.0, 10.0]
    assert [one.video_id for one in body.fits] == ["20s", "10s"]


def test_silence_and_what_does_not_fit(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    silence = tmp_path / "silence.wav"
    soundfile.write(silence, np.zeros(8 * RATE), RATE)
    plan = fit_track(workspace, silence, 5.0).plans[0]
    assert plan.kind is PlanKind.STRAIGHT
    for seconds, keep in ((9.0, ()), (5.0, (Keep(None, 6.0, 7.0), Keep(None, 0.0, 1.0)))):
        with pytest.raises(FitError):
            fit_track(workspace, silence, seconds, keep=keep)
    with pytest.raises(FitError, match="the track ends at 0:32"):
        fit_track(workspace, track, 20.0, keep=(Keep(None, 30.0, 90.0),))
    with pytest.raises(ParameterError, match="a mix needs the video"):
        fit_track(workspace, track, 20.0, auto_mix=True)
    with pytest.raises(ParameterError, match="one length"):
        fit_track(workspace, track, [])


def test_the_length_is_rounded_to_the_millisecond(workspace: Workspace, track: Path) -> None:
    plan = fit_track(workspace, track, 12.34567).plans[0]
    assert plan.window_end == plan.music_out == 12.346
    assert plan.alone == replace(plan, options=())


def test_each_plan_of_a_fit_is_written_like_that_of_a_loop(workspace: Workspace, track: Path) -> None:
    one = fit_track(workspace, track, 20.0, start_at=3.5)
    assert [loop_json(loop) for loop in one.loops] == [fit_json(one)]
    several = fit_track(workspace, track, [10.0, 65.0])
    assert [plan.kind for plan in several.plans] == [PlanKind.STRAIGHT, PlanKind.LOOP]
    assert [loop_json(loop) for loop in several.loops] == fit_json(several)["fits"]
    assert all(loop.is_fit for loop in several.loops)
    assert all(replace(loop, provenance=None).is_fit for loop in one.loops), "the plan itself says so"
    assert not loop_track(workspace, track, 65.0).is_fit
    assert not loop_track(workspace, track, 20.0).is_fit


@pytest.mark.parametrize("lengths", [20.0, [20.0, 10.0]], ids=["one", "several"])
def test_a_fit_is_saved_as_the_command_line_prints_it(
    workspace: Workspace, track: Path, tmp_path: Path, lengths: float | list[float]
) -> None:
    fit = fit_track(workspace, track, lengths)
    saved = json.loads(save_plan(fit, tmp_path / "plan.json").read_text())
    assert saved == json.loads(json.dumps(fit_json(fit)))
    chosen = None if isinstance(lengths, float) else 20.0
    assert plan_from_json(get_fit(saved, chosen)).alone == fit.plans[0].alone
    assert "20.000 s" in repr(fit)
    assert len(repr(fit)) < 500, "no arrays"


def test_whether_a_track_can_be_fitted(workspace: Workspace, track: Path) -> None:
    assert can_fit(workspace, track, 20.0)
    silence = bundled_path("data", "bundled", "music", "silence.ogg")
    assert can_fit(workspace, silence, 20.0)
    assert not can_fit(workspace, silence, 40.0)
    with pytest.raises(ParameterError, match="lasts some time"):
        can_fit(workspace, track, -1.0)
