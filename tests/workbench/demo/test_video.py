"""The beginning of the demo video, drawn: what `VideoTruth` says is what one sees and hears."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import pytest

from workbench.bundled import bundled_path
from workbench.demo.video import FRAME_RATE, SHOTS, VideoTruth, draw_demo_video, video_truth
from workbench.errors import ParameterError
from workbench.media.audio import decode
from workbench.mix.levels import LevelCurve, level_curve

SECONDS = 30.0
NARRATION = bundled_path("data", "bundled", "voice", "narration.ogg")


@dataclass(frozen=True, eq=False)
class Drawn:
    """A video and what was read back from it."""

    path: Path
    truth: VideoTruth
    told: list[float]
    pictures: np.ndarray  # shape (n, 45, 80), grey
    levels: LevelCurve


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    path = tmp_path_factory.mktemp("video") / "video.mp4"
    told: list[float] = []
    truth = draw_demo_video(path, narration=NARRATION, seconds=SECONDS, progress=told.append)
    with av.open(str(path)) as container:
        pictures = [f.reformat(80, 45, "gray").to_ndarray().astype(float) for f in container.decode(video=0)]
    sound = decode(path)
    return Drawn(path, truth, told, np.stack(pictures), level_curve(sound.samples, sound.sample_rate))


def test_it_is_a_video_of_the_stated_length_to_the_frame(video: Drawn) -> None:
    assert len(video.pictures) == SECONDS * FRAME_RATE
    with av.open(str(video.path)) as container:
        picture, sound = container.streams.video[0], container.streams.audio[0]
        assert (picture.width, picture.height, picture.codec_context.name) == (640, 360, "h264")
        assert picture.average_rate == FRAME_RATE
        assert (sound.rate, sound.channels, sound.codec_context.name) == (48_000, 2, "aac")
        assert container.metadata["title"] == "The Six-Ten"
        assert picture.start_time == 0
    assert video.levels.duration == pytest.approx(SECONDS, abs=0.03)


def test_cuts_are_where_they_are_declared_and_nowhere_else(video: Drawn) -> None:
    change = np.abs(np.diff(video.pictures, axis=0)).mean(axis=(1, 2))
    seen = np.flatnonzero(change > 8) + 1
    assert (seen / FRAME_RATE).tolist() == list(video.truth.cuts)
    assert video.truth.cuts == (15.0, 20.0, 25.2, 28.4)


def test_a_dissolve_changes_little_from_picture_to_picture_but_much_in_all(video: Drawn) -> None:
    ((start, end),) = video.truth.dissolves
    first, last = round(start * FRAME_RATE), round(end * FRAME_RATE)
    steps = np.abs(np.diff(video.pictures[first - 1 : last + 1], axis=0)).mean(axis=(1, 2))
    assert steps.max() < 4
    assert np.abs(video.pictures[last] - video.pictures[first - 1]).mean() > 8


def test_it_rises_from_black(video: Drawn) -> None:
    ((start, end),) = video.truth.fades
    assert start == 0.0
    assert video.pictures[0].mean() < 18  # 16 is black
    assert video.pictures[round(end * FRAME_RATE)].mean() > video.pictures[0].mean() + 10


def test_a_title_is_on_screen_when_it_should_be(video: Drawn) -> None:
    ((start, end, words),) = video.truth.titles
    assert words == "THE SIX-TEN"
    card = video.pictures[round((start + end) / 2 * FRAME_RATE)]
    assert card[17:24].max() > card[:10].max() + 60


def test_someone_speaks_when_the_narration_says_so_and_at_about_its_loudness(video: Drawn) -> None:
    facts = json.loads(NARRATION.with_suffix(".json").read_text(encoding="utf-8"))
    first = facts["phrases"][0]
    assert video.truth.speech[0] == (first["start_s"], first["end_s"])
    assert video.truth.speech[-1][1] == SECONDS
    assert video.levels.lufs(*video.truth.speech[0]) == pytest.approx(first["lufs"], abs=1.0)


def test_the_soundtrack_is_heard_under_and_between_the_phrases(video: Drawn) -> None:
    for start, end in ((3.0, 14.0), (20.0, 20.3), (25.3, 25.9)):
        assert -46 < video.levels.lufs(start, end) < -26


def test_progress_is_told_once_a_second(video: Drawn) -> None:
    assert video.told == pytest.approx([(k + 1) / SECONDS for k in range(int(SECONDS))])


def test_nothing_is_left_beside_the_video(video: Drawn) -> None:
    assert [path.name for path in video.path.parent.iterdir()] == ["video.mp4"]


def test_what_is_known_can_be_kept_and_read_again(video: Drawn, tmp_path: Path) -> None:
    video.truth.save(tmp_path / "truth.json")
    assert VideoTruth.load(tmp_path / "truth.json") == video.truth
    assert video_truth(narration=NARRATION, seconds=SECONDS) == video.truth


def test_a_failed_drawing_leaves_the_old_video_alone(tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    path.write_bytes(b"old")

    def stop(done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw_demo_video(path, narration=NARRATION, seconds=2.0, progress=stop)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["video.mp4"]


def test_the_whole_video_lasts_five_minutes_and_is_cut_as_a_video_is() -> None:
    assert all(abs(shot.seconds * FRAME_RATE - round(shot.seconds * FRAME_RATE)) < 1e-6 for shot in SHOTS)
    assert sum(round(shot.seconds * FRAME_RATE) for shot in SHOTS) == 300 * FRAME_RATE
    lengths = [shot.seconds for shot in SHOTS if shot.seconds > 0.1]
    assert min(lengths) >= 1.0
    assert 10 < max(lengths) <= 14
    truth = video_truth(narration=NARRATION)
    assert len(truth.cuts) > 40
    assert len(truth.dissolves) >= 4
    assert len(truth.fades) >= 6
    assert len(truth.flashes) >= 2
    assert len(truth.titles) == 4
    assert len(truth.speech) == 18
    assert truth.seconds == 300.0
    assert all(shot.dissolve == 0 or (shot.fade_in == 0 and shot.dissolve < shot.seconds) for shot in SHOTS)


@pytest.mark.parametrize("seconds", [0.5, 301.0, float("nan")])
def test_a_length_that_it_cannot_have_is_refused(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="1 to 300"):
        draw_demo_video(tmp_path / "video.mp4", narration=NARRATION, seconds=seconds)
