"""Facts and scenes of videos that are given as measured."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.matching.video_facts import (
    FAST_CUTS,
    FAST_MOTION,
    MIN_SCENE_SECONDS,
    SLOW_CUTS,
    VideoFacts,
    movement_of,
    pace_of,
    video_facts,
)
from workbench.video.analysis import VideoAnalysis
from workbench.video.picture import Border, Picture
from workbench.video.soundtrack import HOPS_PER_SECOND, Soundtrack

FPS = 25


def watched(
    seconds: float, cuts: list[float], motion: np.ndarray | float = 0.1, brightness: np.ndarray | float = 0.4,
    sound: Soundtrack | None = None,
) -> VideoAnalysis:  # fmt: skip
    times = np.arange(0.0, seconds, 1 / FPS)

    def curve(values: np.ndarray | float) -> np.ndarray:
        return np.broadcast_to(np.asarray(values, dtype=np.float32), times.shape)

    borders = tuple(Border("hard", at, at, at, 0.6) for at in cuts)
    moved = curve(motion).copy()
    for at in cuts:
        moved[np.searchsorted(times, at - 1e-6)] = 0.0
    picture = Picture(seconds, times, moved, curve(brightness), curve(0.1), curve(0.15), borders, (), ())
    return VideoAnalysis("0" * 64, "a video", seconds, 640, 360, 25.0, picture, sound or Soundtrack.none())


def test_whole_numbers_of_a_plain_video() -> None:
    make_video = video_facts(watched(60.0, [10.0, 20.0, 30.0, 40.0, 50.0]))
    assert make_video.cuts_per_minute == pytest.approx(5.0)
    assert make_video.shot_seconds == pytest.approx(10.0)
    assert make_video.motion == pytest.approx(
        0.1, abs=1e-6
    )  # pictures at cuts, where motion is not measured, do not count
    assert make_video.brightness == pytest.approx(0.4, abs=1e-6)
    assert (make_video.sound_lufs, make_video.speech_share, make_video.classification) == (None, 0.0, "none")


def test_a_video_of_one_kind_is_one_scene() -> None:
    make_video = video_facts(watched(120.0, list(np.arange(4.0, 120.0, 4.0))))
    assert [(scene.start, scene.end) for scene in make_video.scenes] == [(0.0, 120.0)]
    assert make_video.scenes[0].cuts_per_minute == pytest.approx(15.0, abs=0.6)


def test_scenes_begin_where_pace_and_light_change() -> None:
    slow, fast, dark = np.arange(8.0, 60.0, 8.0), np.arange(60.0, 90.0, 1.0), np.arange(90.0, 150.0, 7.5)
    times = np.arange(0.0, 150.0, 1 / FPS)
    motion = np.where((times >= 60) & (times < 90), 0.5, 0.02)
    light = np.where(times >= 90, 0.1, 0.5)
    make_video = video_facts(watched(150.0, [*slow, *fast, *dark], motion, light))
    borders = [scene.start for scene in make_video.scenes]
    assert len(borders) == 3
    assert borders[1:] == pytest.approx([60.0, 90.0], abs=2.0)
    assert np.argmax([scene.drive for scene in make_video.scenes]) == 1
    assert make_video.scenes[2].brightness == pytest.approx(0.1, abs=0.02)
    assert np.ptp([scene.drive for scene in make_video.scenes]) > 0.2


def test_a_long_take_can_change_within() -> None:
    times = np.arange(0.0, 120.0, 1 / FPS)
    make_video = video_facts(watched(120.0, [], np.where(times < 60, 0.002, 0.6)))
    assert len(make_video.scenes) == 2
    assert make_video.scenes[0].end == pytest.approx(60.0, abs=3.0)
    assert make_video.cuts_per_minute == 0.0
    assert make_video.pace == 0.0


def test_no_scene_is_shorter_than_music_can_follow() -> None:
    dice = np.random.default_rng(3)
    cuts = np.cumsum(dice.uniform(0.4, 6.0, 400))
    make_video = video_facts(
        watched(300.0, cuts[cuts < 299].tolist(), dice.uniform(0.0, 0.8, 7500), dice.uniform(0, 1, 7500))
    )
    assert min(scene.seconds for scene in make_video.scenes) >= MIN_SCENE_SECONDS - 1e-6
    assert make_video.scenes[-1].end == pytest.approx(300.0)


@pytest.mark.parametrize("seconds", [0.4, 3.0])
def test_a_very_short_video_has_facts(seconds: float) -> None:
    make_video = video_facts(watched(seconds, []))
    assert len(make_video.scenes) == 1
    assert make_video.shot_seconds == pytest.approx(seconds)


def test_its_own_sound_is_measured_beside_the_voice() -> None:
    hops = 60 * HOPS_PER_SECOND
    power = np.full(hops, 1e-4)
    power[1000:3000] = 1e-1
    empty = np.zeros(0)
    spoken = Soundtrack(power, 0.5, np.zeros(hops), empty, empty, empty, 0.032, ((10.0, 30.0),), "voice")
    make_video = video_facts(watched(60.0, [], sound=spoken))
    assert make_video.sound_lufs == pytest.approx(10 * np.log10(1e-4) - 0.691, abs=0.01)
    assert make_video.speech_share == pytest.approx(1 / 3)
    assert make_video.utterances == 1


def test_scales_begin_and_end_where_the_parameters_say() -> None:
    assert float(pace_of(SLOW_CUTS)) == 0.0
    assert float(pace_of(FAST_CUTS)) == pytest.approx(1.0)
    assert float(pace_of(0.0)) == 0.0
    assert float(movement_of(0.0)) == 0.0
    assert float(movement_of(FAST_MOTION)) == pytest.approx(1.0)


def test_many_cuts_are_looked_at_in_pieces() -> None:
    make_video = video_facts(watched(1800.0, np.arange(0.5, 1800.0, 0.5).tolist()))
    assert isinstance(make_video, VideoFacts)
    assert make_video.cuts_per_minute == pytest.approx(120.0, abs=0.1)
